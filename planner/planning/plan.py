"""Plans: what a query does, as frozen nodes that each describe themselves in one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pyarrow as pa
from msgspec import Struct

from planner.binding.column_origins import Origins
from planner.binding.predicates import Operand
from planner.pg_catalog import CatalogStatement
from planner.planning.access import Access
from planner.planning.lookup_joins import Link
from planner.syntax.with_clause import Clause
from planner.trees.outline import Outline
from stores.spec.schema import Column, DataType, Row

Columns: TypeAlias = tuple[Column, ...]


class Lookup(Struct, frozen=True, kw_only=True):
    """One key of a keyvalue store, its row returned as it is: no thread, no DuckDB."""

    access: Access
    operands: tuple[Operand, ...]
    """One per key column."""
    project: Callable[[Row], Row]
    """From (key columns, value columns) to the result's columns."""

    def describe(self) -> str:
        """One line."""
        return f"inline {self.access.describe()}"


class Stream(Struct, frozen=True, kw_only=True):
    """One access whose rows are the result."""

    access: Access
    projection: tuple[int, ...]
    """Which of the access's columns each result column is."""
    limit: int | None
    offset: int

    def describe(self) -> str:
        """One line."""
        parts = ["stream"]
        if self.limit is not None:
            parts.append(f"limit {self.limit}")
        if self.offset:
            parts.append(f"offset {self.offset}")
        return "; ".join(parts)


class SystemScan(Struct, frozen=True, kw_only=True):
    """A system relation, read whole."""

    name: str

    def describe(self) -> str:
        """One line."""
        return f"system stategate.{self.name}"


Input: TypeAlias = tuple[str, Access | SystemScan]
"""A relation's name in the SQL, and how it is read."""


class Compose(Struct, frozen=True, kw_only=True):
    """Accesses composed by DuckDB."""

    sql: str
    outline: Outline
    """Of the bound tree."""
    numbers: tuple[int, ...] = ()
    """Which parameters are in the SQL: those of the WITH clause are not."""
    inputs: tuple[Input, ...]
    links: tuple[Link, ...] = ()
    """Which of them can be read by the rows of another, if those are few."""

    def describe(self) -> str:
        """One line."""
        return f"compose {self.sql}"


class Count(Struct, frozen=True, kw_only=True):
    """How many rows an access gives, counted as they are read; nothing is decoded for it."""

    access: Access

    def describe(self) -> str:
        """One line."""
        return "count"


Node: TypeAlias = Lookup | Stream | Count | Compose


class QueryPlan(Struct, frozen=True, kw_only=True):
    """How a query is run."""

    node: Node
    columns: Columns
    origins: Origins | None
    """Which columns are columns of a relation."""
    parameters: tuple[DataType, ...]
    """Those of the client, then those that `asked` gives."""
    clause: Clause
    residual: str | None = None
    """What of the WHERE the accesses do not decide; None if nothing."""
    catalog_version: int = 0
    costs: bool = True
    """Whether EXPLAIN tells what it is thought to cost."""
    asked: CatalogStatement | None = None
    """What it asks of the catalog when it runs, as who its user is; one row."""

    @property
    def taken(self) -> tuple[DataType, ...]:
        """The parameters that the client gives."""
        asked = 0 if self.asked is None else len(self.asked.columns)
        return self.parameters[: len(self.parameters) - asked]

    @property
    def arrow_schema(self) -> pa.Schema:
        """The result's Arrow schema."""
        return pa.schema([(c.name, c.type.arrow) for c in self.columns])

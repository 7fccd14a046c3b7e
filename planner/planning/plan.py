"""Plans: frozen nodes that each describe themselves in one line."""

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
    """The lookup of one key with one row, without another thread and without DuckDB."""

    access: Access
    operands: tuple[Operand, ...]
    """One per key column."""
    project: Callable[[Row], Row]
    """Turns the key and value columns into the result columns."""

    def describe(self) -> str:
        """Return one line for EXPLAIN."""
        return f"inline {self.access.describe()}"


class Stream(Struct, frozen=True, kw_only=True):
    """One access whose rows are the result."""

    access: Access
    projection: tuple[int, ...]
    """The index of each result column in the columns of the access."""
    limit: int | None
    offset: int

    def describe(self) -> str:
        """Return one line for EXPLAIN."""
        parts = ["stream"]
        if self.limit is not None:
            parts.append(f"limit {self.limit}")
        if self.offset:
            parts.append(f"offset {self.offset}")
        return "; ".join(parts)


class SystemScan(Struct, frozen=True, kw_only=True):
    """A read of a whole system relation."""

    name: str

    def describe(self) -> str:
        """Return one line for EXPLAIN."""
        return f"system stategate.{self.name}"


Input: TypeAlias = tuple[str, Access | SystemScan]
"""A relation's name in the SQL, and how it is read."""


class Compose(Struct, frozen=True, kw_only=True):
    """Accesses composed by DuckDB."""

    sql: str
    outline: Outline
    """The outline of the bound tree."""
    numbers: tuple[int, ...] = ()
    """The parameters in the SQL, without those of the WITH clause."""
    inputs: tuple[Input, ...]
    links: tuple[Link, ...] = ()
    """The relations that can be looked up by the rows of another, if those are few."""

    def describe(self) -> str:
        """Return one line for EXPLAIN."""
        return f"compose {self.sql}"


class Count(Struct, frozen=True, kw_only=True):
    """The number of rows of an access, counted as they are read; no value is decoded."""

    access: Access

    def describe(self) -> str:
        """Return one line for EXPLAIN."""
        return "count"


Node: TypeAlias = Lookup | Stream | Count | Compose


class QueryPlan(Struct, frozen=True, kw_only=True):
    """How a query is run."""

    node: Node
    columns: Columns
    origins: Origins | None
    """The origins of the columns; None if they are not known."""
    parameters: tuple[DataType, ...]
    """The parameters of the client, then those that `asked` fills."""
    clause: Clause
    residual: str | None = None
    """The conditions that the accesses do not decide; None if they decide all."""
    catalog_version: int = 0
    costs: bool = True
    """Whether EXPLAIN shows an estimate of the cost."""
    asked: CatalogStatement | None = None
    """The query for values from the catalog at run time, such as the user; one row."""

    @property
    def taken(self) -> tuple[DataType, ...]:
        """The types of the parameters that the client gives."""
        asked = 0 if self.asked is None else len(self.asked.columns)
        return self.parameters[: len(self.parameters) - asked]

    @property
    def arrow_schema(self) -> pa.Schema:
        """The result's Arrow schema."""
        return pa.schema([(c.name, c.type.arrow) for c in self.columns])

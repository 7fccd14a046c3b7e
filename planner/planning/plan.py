"""Plans: frozen nodes that each describe themselves in one line.

Links are part of a plan. They are joins for which one relation can be read by the keys in the rows
of another, if those rows are few. This is decided at run time, when the rows of the other relation
are known.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import pyarrow as pa
from msgspec import Struct, field

from stategate.planner.binding.column_origins import Origins
from stategate.planner.binding.predicates import Compares, Condition, Equals, OneOf, Operand
from stategate.planner.pg_catalog import CatalogStatement
from stategate.planner.planning.access import Access
from stategate.planner.planning.key_regions import PREFIXES_MAX
from stategate.planner.planning.limits import Amount, Limits
from stategate.planner.planning.merged_groups import MergedGroups
from stategate.planner.planning.row_joins import RowJoin
from stategate.planner.planning.row_path import RowPath
from stategate.planner.planning.run_values import RunValues
from stategate.planner.planning.trials import Trials
from stategate.planner.syntax.with_clause import Clause
from stategate.planner.trees.outline import Outline
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.comparison_bounds import Fitted, Fitter
from stategate.planner.values.times.time_settings import TimeSettings
from stategate.stores.spec.arrow import physical_list
from stategate.stores.spec.schema import TIMESTAMPTZ, Column, DataType, Row, StoreKind, Value

LINK_ROWS_MAX = 10_000
"""Up to this many rows are few: they are read once for their keys and once for the join."""
LINK_BYTES_MAX = 16 << 20
"""Maximum bytes of these rows, which stay in memory after they are read for their keys."""
_SCANNED_PER_KEY = {StoreKind.KEYVALUE: 4, StoreKind.GLOBAL: 4}
_SCANNED_PER_TIMED_KEY = 32
"""The rows that are scanned in the time of one lookup. A store with fewer rows for each key is
scanned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedColumn:
    """A key column, and the column of the other relation that it must be equal to."""

    column: str
    other: str
    other_type: DataType
    fit: Fitter


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedTime:
    """A time column, and the column of the other relation that it must be in order with."""

    column: str
    operator: str
    """=, <, <=, > or >=, written between the column and the other."""
    other: str

    def conditions(self, times: Collection[Value]) -> list[Condition]:
        """Return the limits that hold for the times of all rows of the other relation."""
        limits = {"=": ("<=", ">=")}.get(self.operator, (self.operator,))
        return [
            Compares(
                column=self.column,
                operator=each,
                operand=Operand(
                    text=self.other,
                    fit=Fitted,
                    constant=max(times) if each[0] == "<" else min(times),
                ),
            )
            for each in limits
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A relation that can be looked up by the rows of another."""

    name: str
    """The relation to look up in."""
    by: str
    """The other relation."""
    columns: tuple[LinkedColumn, ...]
    """The key columns; empty if its own conditions fix the key."""
    is_whole: bool
    """Whether the whole key is fixed and not only a prefix."""
    times: tuple[LinkedTime, ...] = ()
    """The limits of its windows, sessions or versions."""

    @property
    def keys_max(self) -> int:
        """Return the largest number of keys that are looked up."""
        return LINK_ROWS_MAX if self.is_whole else PREFIXES_MAX

    def describe(self) -> str:
        """Return one line for EXPLAIN."""
        by, name = self.by, "lookup" if self.is_whole else "range"
        pairs = [f"{each.column} = {by}.{each.other}" for each in self.columns]
        pairs += [f"{each.column} {each.operator} {by}.{each.other}" for each in self.times]
        return f"or {name} by {' and '.join(pairs)}, for at most {self.keys_max} keys"

    def conditions(self, table: pa.Table, rows: int | None, kind: StoreKind) -> Sequence[Condition]:
        """Return the conditions on the keys and times in the other relation's rows.

        There are none on the keys if the keys are too many, or if a scan is less work than looking
        them up.

        Args:
            table: the other relation's rows.
            rows: about how many rows the store holds; None if not known.
            kind: the kind of the store.
        """
        listed = [
            [_fitted(c.fit, v) for v in physical_list(table.column(c.other), c.other_type)]
            for c in self.columns
        ]
        listed += [physical_list(table.column(t.other), TIMESTAMPTZ) for t in self.times]
        # NULL is neither equal to anything, nor less or greater.
        found = [row for row in zip(*listed, strict=True) if None not in row]
        names = tuple(c.column for c in self.columns)
        keys = dict.fromkeys(row[: len(names)] for row in found)
        conditions: list[Condition] = []
        if names and self._pays(len(keys), rows, kind):
            if len(names) == 1:
                known = tuple(key[0] for key in keys)
                conditions.append(Equals(column=names[0], operands=(), known=known))
            else:
                conditions.append(OneOf(columns=names, known=tuple(keys)))
        for at, each in enumerate(self.times if found else (), start=len(names)):
            conditions += each.conditions([row[at] for row in found])
        return conditions

    def _pays(self, keys: int, rows: int | None, kind: StoreKind) -> bool:
        """Whether looking up that many keys is less work than reading the whole store."""
        if keys > self.keys_max:
            return False
        return rows is None or keys * _SCANNED_PER_KEY.get(kind, _SCANNED_PER_TIMED_KEY) < rows


def _fitted(fit: Fitter, value: object) -> object:
    found = None if value is None else fit(value)
    return found.value if isinstance(found, Fitted) and found.exact else None


Columns: TypeAlias = tuple[Column, ...]


class Lookup(Struct, frozen=True, kw_only=True):
    """The lookup of one key with one row, without another thread and without DuckDB."""

    access: Access
    operands: tuple[Operand, ...]
    """The operands, one for each key column."""
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
    limits: Limits

    def describe(self) -> str:
        """Return one line for EXPLAIN."""
        parts = ["stream"]
        limits = self.limits
        if limits.rows is not None:
            parts.append(f"limit {limits.rows}")
        if limits.offset not in {None, Amount()}:
            parts.append(f"offset {limits.offset}")
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
    """The relations that can be looked up by the rows of another, if that has few rows."""
    groups: MergedGroups | None = None
    """The statement about the states of its groups, if other nodes may make these."""
    trials: Trials = field(default_factory=Trials)
    """Whether its inputs are read as few rows."""

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


class QueryPlan(Struct, frozen=True, kw_only=True, dict=True):
    """How a query is run."""

    node: Node
    columns: Columns
    origins: Origins | None
    """The origins of the columns; None if they are not known."""
    parameters: tuple[DataType, ...]
    """Those of the client, those that `catalog_values` fills, then those of `values`."""
    clause: Clause
    reads: frozenset[str]
    """The stores that the statement names: what a user must be allowed to read."""
    rows: RowPath | None = None
    """Makes the result from few rows without DuckDB; None if only the node can."""
    join: RowJoin | None = None
    """How joined rows are read, if `rows` begins with such rows."""
    residual: str | None = None
    """The conditions that the accesses do not apply; None if they apply all, or without EXPLAIN.
    """
    catalog_version: int = 0
    times: TimeSettings | None = None
    """The session's settings of times for which it was made; None if it is the same for all."""
    costs: bool = True
    """Whether EXPLAIN shows an estimate of the cost."""
    catalog_values: CatalogStatement | None = None
    """The query for values from the catalog at run time, such as the user; one row."""
    values: RunValues | None = None
    """The values that each run computes, or None."""
    without_values: Callable[[Cancellation], QueryPlan] | None = None
    """Plans the statement without computed values, for parameters for which one of them fails; None
    if the run fails then, too."""

    @property
    def taken(self) -> tuple[DataType, ...]:
        """Return the types of the parameters that the client gives."""
        count = len(self.parameters) if self.values is None else self.values.given
        filled = 0 if self.catalog_values is None else len(self.catalog_values.columns)
        return self.parameters[: count - filled]

    @cached_property
    def arrow_schema(self) -> pa.Schema:
        """The result's Arrow schema."""
        return pa.schema([(c.name, c.type.arrow) for c in self.columns])


def accesses_of(node: Stream | Count | Compose) -> list[Access]:
    """Return the reads of stores."""
    if isinstance(node, Stream | Count):
        return [node.access]
    return [planned for _, planned in node.inputs if not isinstance(planned, SystemScan)]

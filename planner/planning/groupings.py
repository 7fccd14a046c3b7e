"""Groups of rows that are on several nodes: each node sums up its own, and few rows travel.

A `Grouping` describes the groups of a statement, and travels to the nodes. Each makes a table of
states: a row for each group, with its key and what the aggregates need of its rows, such as a sum
and a count for an average. Tables of states are merged as rows are grouped, and give the result.

States are exact, so that the result does not depend on who holds which rows: sums of floats would,
and are left to DuckDB. A sum that may not fit in a bigint is computed as a decimal.

Law: the states of any parts of some rows, merged, give the groups of these rows, or decline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct

from stategate.planner.binding.domains import Domain
from stategate.planner.planning.access import Access
from stategate.planner.planning.column_path import (
    AGGREGATED,
    BIGINT_MAX,
    GROUPED,
    functions_of,
    group_rows,
    has_nan,
)
from stategate.planner.planning.filters import Allowed, MaskOf, rows_mask
from stategate.planner.planning.row_plan import EXACT, Aggregate, RowPlan
from stategate.planner.planning.trials import Trials
from stategate.planner.postgres.types.result_types import DIGITS_MAX
from stategate.stores.nodes.codec import known
from stategate.stores.spec.datatypes import DataType
from stategate.stores.spec.reductions import NotReducedError, Reduction
from stategate.stores.spec.schema import Column, Kind, Row

GROUPS_MAX = 1 << 14
"""Maximum number of groups, which become rows here in some ten milliseconds; DuckDB makes more."""
CHUNK_ROWS = 1 << 18
"""Rows that are grouped at a time, in some milliseconds."""
_FIRST_ROWS = 2 * GROUPS_MAX
"""If these first rows have too many groups, no others are read."""
_ROWS_DIGITS = 12
"""Digits of the number of rows of a store."""

State: TypeAlias = tuple[int | None, str]
"""What is known of the values of a column, by its place: count, sum, min or max. None and count_all
for the number of rows."""

known(Domain)


@known
class Grouping(Struct, frozen=True):
    """The groups of rows, whatever node holds these."""

    columns: tuple[str, ...]
    """The columns of the rows."""
    types: tuple[str, ...]
    """Their types."""
    keys: tuple[int, ...]
    """The places of the columns that are equal in a group."""
    states: tuple[State, ...]
    """What each group needs."""
    allowed: tuple[dict[str, Domain], ...] | None
    """The predicate that rows must meet, as one disjunct allows each column; None if all do."""

    def table_of(self, batches: Sequence[pa.RecordBatch]) -> pa.Table:
        """Return states as they came from a node.

        Raises:
            NotReducedError: these are no states of these groups.
        """
        wanted = [*[f"c{at}" for at in self.keys], *map(_named, self.states)]
        if not batches or any(each.schema.names != wanted for each in batches):
            raise NotReducedError("a node sent other groups")
        try:
            return pa.Table.from_batches(batches)
        except pa.ArrowException as error:
            raise NotReducedError(f"a node sent groups of several types: {error}") from error


def reduce_streams(
    how: Any, streams: Sequence[Iterable[pa.RecordBatch]]
) -> Iterator[Reduction | None]:
    """Yield the states of the groups of streams; see `stategate.stores.spec.reductions.Reduce`.

    Raises:
        NotReducedError: there are too many groups, or values that Arrow does not group.
    """
    if not isinstance(how, Grouping):
        raise NotReducedError(f"{type(how).__name__} does not group rows")
    groups = _Groups(how)
    counts = [0] * len(streams)
    for at, stream in enumerate(streams):
        for batch in stream:
            counts[at] += batch.num_rows
            groups.add(batch)
            yield None
    table = groups.table()
    batches = table.combine_chunks().to_batches()
    if not batches:
        batches = [pa.RecordBatch.from_pylist([], schema=table.schema)]
    yield Reduction(tuple(counts), batches)


class _Groups:
    """The states of the groups of rows, which are added by and by."""

    def __init__(self, how: Grouping) -> None:
        self._how = how
        types = [DataType.parse(text) for text in how.types]
        self._schema = pa.schema(
            [(name, each.arrow) for name, each in zip(how.columns, types, strict=True)]
        )
        self._names = [f"c{at}" for at in range(len(types))]
        self._types, self._mask_of = types, _mask_of(how, types)
        self._held: list[pa.RecordBatch] = []
        self._rows = 0
        self._tables: list[pa.Table] = []

    def add(self, batch: pa.RecordBatch) -> None:
        self._held.append(batch)
        self._rows += batch.num_rows
        if self._rows >= (CHUNK_ROWS if self._tables else _FIRST_ROWS):
            self._group()

    def table(self) -> pa.Table:
        if self._held or not self._tables:
            self._group()
        return merged(self._tables, self._how.keys, self._how.states)

    def _group(self) -> None:
        how = self._how
        try:
            table = pa.Table.from_batches(self._held, self._schema)
            self._held, self._rows = [], 0
            mask = None if self._mask_of is None else self._mask_of(table)
            table = table.rename_columns(self._names)
            if mask is not None:
                table = table.filter(mask)
            self._tables.append(_states(table, how, self._types))
        except pa.ArrowException as error:
            raise NotReducedError(f"the rows cannot be grouped: {error}") from error
        if sum(each.num_rows for each in self._tables) > GROUPS_MAX:
            self._tables = [merged(self._tables, how.keys, how.states)]
            if self._tables[0].num_rows > GROUPS_MAX:
                raise NotReducedError(f"there are more than {GROUPS_MAX:,} groups")


def _mask_of(how: Grouping, types: Sequence[DataType]) -> MaskOf | None:
    if how.allowed is None:
        return None
    by_name = dict(zip(how.columns, types, strict=True))
    return rows_mask(by_name, [Allowed(domains=each) for each in how.allowed])


def _states(table: pa.Table, how: Grouping, types: Sequence[DataType]) -> pa.Table:
    """Return the states of the groups of rows."""
    if not how.keys and how.states == ((None, "count_all"),):
        return pa.table({"count_all": [table.num_rows]})
    asked: list[tuple[Any, str]] = []
    found: list[str] = []
    for at, function in how.states:
        if at is None:
            asked.append(([], function))
            found.append(function)
            continue
        column, kind = table.column(at), types[at].kind
        if kind is Kind.DOUBLE and function != "count" and has_nan(column):
            raise NotReducedError("NaN is ordered otherwise")
        name = f"c{at}"
        if function == "sum" and (kind is Kind.DECIMAL or not _fits(column, kind)):
            name = f"w{at}"
            if name not in table.column_names:
                wide = column.cast(pa.decimal128(DIGITS_MAX, types[at].scale))
                table = table.append_column(name, wide)
        asked.append((name, function))
        found.append(f"{name}_{function}")
    keys = [f"c{at}" for at in how.keys]
    grouped = table.group_by(keys, use_threads=False).aggregate(asked)
    return grouped.select([*keys, *found]).rename_columns([*keys, *map(_named, how.states)])


def merged(tables: Sequence[pa.Table], keys: Sequence[int], states: Sequence[State]) -> pa.Table:
    """Return the states of the groups of several tables of states.

    Raises:
        NotReducedError: they cannot be merged.
    """
    if len(tables) == 1:
        return tables[0]
    try:
        return _merged([_with_wide_sums(each, states, tables) for each in tables], keys, states)
    except pa.ArrowException as error:
        raise NotReducedError(f"the groups cannot be merged: {error}") from error


def _merged(tables: Sequence[pa.Table], keys: Sequence[int], states: Sequence[State]) -> pa.Table:
    table = pa.concat_tables(tables)
    names = [_named(state) for state in states]
    asked = []
    for name, (_, function) in zip(names, states, strict=True):
        is_end = function in {"min", "max"}
        if not is_end and not _fits(table.column(name), Kind.BIGINT):
            at = table.column_names.index(name)
            table = table.set_column(at, name, table.column(name).cast(_WIDE))
        asked.append((name, function if is_end else "sum"))
    shown = [f"c{at}" for at in keys]
    grouped = table.group_by(shown, use_threads=False).aggregate(asked)
    found = grouped.select([*shown, *[f"{name}_{function}" for name, function in asked]])
    return found.rename_columns([*shown, *names])


_WIDE = pa.decimal128(DIGITS_MAX, 0)


def _with_wide_sums(
    table: pa.Table, states: Sequence[State], others: Sequence[pa.Table]
) -> pa.Table:
    """Return a table whose sums are decimals if those of another table are."""
    for name in [_named(state) for state in states if state[1] == "sum"]:
        at = table.column_names.index(name)
        types = [each.column(name).type for each in others]
        wide = next((each for each in types if each != pa.int64()), None)
        if wide is not None and types and table.column(at).type != wide:
            table = table.set_column(at, name, table.column(at).cast(wide))
    return table


def _fits(column: pa.ChunkedArray, kind: Kind) -> bool:
    """Whether the sum of integers is surely a bigint."""
    if kind is not Kind.BIGINT or not pa.types.is_int64(column.type):
        return True
    ends = pc.min_max(column)
    low, high = ends["min"].as_py(), ends["max"].as_py()
    return low is None or max(-low, high) * len(column) <= BIGINT_MAX


def _named(state: State) -> str:
    at, function = state
    return function if at is None else f"c{at}_{function}"


class GroupStates(Trials):
    """The states that a statement needs, and whether it is worth trying to get them.

    Args:
        keys: the places of the columns that are equal in a group.
        states: what is needed of each group.
    """

    __slots__ = ("keys", "states")

    def __init__(self, keys: tuple[int, ...], states: tuple[State, ...]) -> None:
        super().__init__()
        self.keys, self.states = keys, states

    def how(self, access: Access, allowed: Sequence[Allowed] | None) -> Grouping | None:
        """Return the description of the groups; None if the predicate cannot travel.

        Args:
            access: the read of the rows.
            allowed: the predicate that they must meet; None if all rows that are read meet it.
        """
        if allowed is not None and any(each.rows for each in allowed):
            return None
        names = access.decoded(is_exact=allowed is None)
        if not names:
            return None  # rows without columns take no room
        known_columns = access.schema.column_by_name
        return Grouping(
            columns=names,
            types=tuple([str(known_columns[name].type) for name in names]),
            keys=self.keys,
            states=self.states,
            allowed=None if allowed is None else tuple([dict(each.domains) for each in allowed]),
        )


class PartialGroups(GroupStates):
    """How the rows of groups are made of states.

    Args:
        keys: the places of the columns that are equal in a group.
        states: what is needed of each group.
        rows_in: makes the rows of merged states.
    """

    __slots__ = ("_rows_in",)

    def __init__(
        self,
        keys: tuple[int, ...],
        states: tuple[State, ...],
        rows_in: Callable[[pa.Table], list[Row] | None],
    ) -> None:
        super().__init__(keys, states)
        self._rows_in = rows_in

    def rows(self, tables: Sequence[pa.Table]) -> list[Row] | None:
        """Return the rows of the groups; None to decline.

        Args:
            tables: the states of all rows.

        Raises:
            NotReducedError: as `merged` does.
        """
        table = merged(tables, self.keys, self.states)
        return None if table.num_rows > GROUPS_MAX else self._rows_in(table)


def partial_groups(plan: RowPlan, columns: Sequence[Column]) -> PartialGroups | None:
    """Return how the groups of a plan are made of states; None if rows are needed.

    Args:
        plan: the plan of the rows.
        columns: the columns of the rows.
    """
    if plan.groups is None:
        return None
    if any(columns[at].type.kind not in GROUPED for at in plan.groups):
        return None
    states: dict[State, None] = {}
    for each in plan.outputs:
        if isinstance(each, Aggregate):
            if each.at is not None and not is_mergeable(each):
                return None
            functions = ["count_all"] if each.at is None else functions_of(each)
            states |= dict.fromkeys((each.at, function) for function in functions)
    return PartialGroups(plan.groups, tuple(states), group_rows(plan.outputs, columns))


def is_mergeable(aggregate: Aggregate) -> bool:
    """Whether the states of an aggregate of a column are exact, and can be merged."""
    of = aggregate.of
    if of is None or aggregate.name == "count":
        return True
    if aggregate.name in {"min", "max"}:
        return of.kind in AGGREGATED or of.kind is Kind.DECIMAL
    return of.kind in EXACT and of.precision + _ROWS_DIGITS <= DIGITS_MAX

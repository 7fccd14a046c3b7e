"""The row path: it makes the result of a plan that reads few rows, without Arrow and DuckDB.

A `RowPath` is made once for each plan, from its `RowPlan`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from operator import itemgetter
from typing import Any, TypeAlias

import pyarrow as pa

from stategate.planner.errors import InvalidValueError
from stategate.planner.planning.column_path import COLUMN_ROWS_MAX, reducer
from stategate.planner.planning.filters import Mask
from stategate.planner.planning.groupings import PartialGroups, partial_groups
from stategate.planner.planning.limits import NO_LIMITS, Limits
from stategate.planner.planning.row_plan import EXACT, Aggregate, RowPlan, Taken, Term
from stategate.planner.planning.trials import Trials
from stategate.planner.postgres.types.result_types import DIGITS_MAX
from stategate.planner.values.numerics import quotient, total
from stategate.stores.codec.rows import row_getter
from stategate.stores.spec.schema import Column, Kind, Row, Value

ROWS_MAX = 256
"""More rows are read in batches: decoding a row here takes two or three microseconds."""

_Step: TypeAlias = Callable[[list[Row]], list[Row]]


class _DeclinedError(Exception):
    """Only DuckDB computes this as PostgreSQL does."""


class RowPath(Trials):
    """Makes the result of a row plan, and tells whether it is worth trying.

    Args:
        plan: the plan of the rows.
        is_scan: whether all rows of the store are read.
        columns: the columns of the rows.
    """

    __slots__ = (
        "_columns",
        "_is_cut",
        "_plan",
        "_project",
        "_reduce",
        "_steps",
        "_width",
        "groups",
        "is_scan",
        "late",
    )

    def __init__(self, plan: RowPlan, *, is_scan: bool, columns: Sequence[Column]) -> None:
        super().__init__()
        self._plan, self._columns = plan, columns
        self._steps, self._project = _steps(plan)
        self._width = _whole_width(plan)
        self._is_cut = plan.limits != NO_LIMITS
        self._reduce = reducer(plan, columns)
        self.groups: PartialGroups | None = partial_groups(plan, columns)
        """How the groups are made of those of several nodes; None if they cannot be."""
        self.is_scan = is_scan
        self.late: Trials | None = None
        """The tries on the event loop that took too long, if the last one did."""

    def note_late(self) -> None:
        """Record that a try on the event loop took too long: rows are few, but slow to read."""
        self.late = self.late or Trials()
        self.late.note(missed=True)

    def of_fewer(self) -> RowPath:
        """Return the path of a read of some of the rows, by their keys."""
        return RowPath(self._plan, is_scan=False, columns=self._columns)

    def takes_columns(self, rows: int) -> bool:
        """Whether `finish_columns` may be called for this number of rows in memory."""
        return self._reduce is not None and rows <= COLUMN_ROWS_MAX

    def describe(self) -> str:
        """Return one line for EXPLAIN."""
        few = f"row by row, if at most {ROWS_MAX} rows are read"
        if not self.is_scan or self._reduce is None:
            return few
        return f"{few}, or column by column, if at most {COLUMN_ROWS_MAX} rows are in memory"

    def finish(self, read: Sequence[Row], parameters: Row) -> list[Row] | None:
        """Return the result made from rows; None if only DuckDB computes it as PostgreSQL does."""
        return self._finished(self._steps, list(read), parameters)

    def finish_columns(
        self, table: pa.Table, parameters: Row, mask: Mask = None
    ) -> list[Row] | None:
        """Return the result made from columns; None where `finish` returns None.

        Args:
            table: the columns of the rows; others may follow.
            parameters: the parameters of the statement.
            mask: which rows meet the predicate.
        """
        if self._reduce is None:
            return None
        plan = self._plan
        try:
            skipped, most = _window(plan.limits, parameters)
        except _DeclinedError:
            return None
        rows = self._reduce(table, mask, None if most is None else most + skipped)
        if rows is None:
            return None
        steps = self._steps if plan.groups is None else self._steps[1:]
        return self._finished(steps, rows, parameters)

    def finish_groups(self, rows: Sequence[Row], parameters: Row) -> list[Row] | None:
        """Return the result made from the rows of groups; None where `finish` returns None."""
        return self._finished(self._steps[1:], list(rows), parameters)

    def _finished(
        self, steps: Sequence[_Step], rows: list[Row], parameters: Row
    ) -> list[Row] | None:
        try:
            for step in steps:
                rows = step(rows)
            if self._is_cut:
                skipped, most = _window(self._plan.limits, parameters)
                rows = rows[skipped : None if most is None else skipped + most]
        except _DeclinedError:
            return None
        if self._project is None or (rows and len(rows[0]) == self._width):
            return rows
        return list(map(self._project, rows))


def _steps(plan: RowPlan) -> tuple[list[_Step], Callable[[Row], Row] | None]:
    """Return the steps that take all rows, and the function that then makes each output row."""
    visible, outputs = len(plan.types), plan.outputs
    if plan.groups is not None:
        steps = [_grouper(outputs, plan.groups), _sorter(plan.order, range(len(outputs)))]
        return steps, None if len(outputs) == visible else row_getter(range(visible))
    places = [output.at for output in outputs if isinstance(output, Taken)]
    project = row_getter(places[:visible])
    if plan.distinct:

        def distinct(rows: list[Row]) -> list[Row]:
            return list(dict.fromkeys(map(project, rows)))

        return [distinct, _sorter(plan.order, range(visible))], None
    return [_sorter(plan.order, places)], project


def _whole_width(plan: RowPlan) -> int | None:
    """Return the width of rows that are result rows unchanged; None if rows must be changed."""
    places = [output.at for output in plan.outputs if isinstance(output, Taken)]
    visible = len(plan.types)
    return visible if places[:visible] == list(range(visible)) else None


def _window(limits: Limits, parameters: Row) -> tuple[int, int | None]:
    """Return how many rows to skip, and how many to return at most; None for all."""
    try:
        return limits.window(parameters)
    except InvalidValueError as error:
        raise _DeclinedError from error


def _sorter(terms: Sequence[Term], places: Sequence[int]) -> _Step:
    """Return a function that sorts rows by the last term first: sorts are stable.

    Args:
        terms: the terms of the ORDER BY.
        places: the index in a row of each output.
    """
    passes = [
        (term, itemgetter(places[term.at]), _general_key(term, places[term.at]))
        for term in reversed(terms)
    ]

    def sort(rows: list[Row]) -> list[Row]:
        if len(rows) > 1:
            for term, value_of, key in passes:
                try:
                    rows = sorted(
                        rows, key=key if term.is_float else value_of, reverse=term.descending
                    )
                except TypeError:  # NULL has no order in Python
                    rows = sorted(rows, key=key, reverse=term.descending)
        return rows

    return sort


def _general_key(term: Term, at: int) -> Callable[[Row], tuple[int, Any]]:
    """Return the sort key of a column that may have NULLs or NaN."""
    # A descending sort is reversed, so that the greatest value comes first.
    null = (3, 0) if term.nulls_first is term.descending else (0, 0)

    def key(row: Row) -> tuple[int, Any]:
        value = row[at]
        if value is None:
            return null
        # Only NaN differs from itself.
        return (1, value) if value == value else (2, 0)  # noqa: PLR0124

    return key


# Groups


def _grouper(outputs: Sequence[Taken | Aggregate], groups: tuple[int, ...]) -> _Step:
    """Return a function that makes one row from each group."""
    computed = [_output(output) for output in outputs]
    key_of: Callable[[Row], Any] = itemgetter(*groups) if groups else lambda row: None

    def group(rows: list[Row]) -> list[Row]:
        members: dict[Any, list[Row]] = {}
        if not groups:
            members[None] = rows
        else:
            for row in rows:
                members.setdefault(key_of(row), []).append(row)
        return [tuple([compute(each) for compute in computed]) for each in members.values()]

    return group


def _output(output: Taken | Aggregate) -> Callable[[list[Row]], Value]:
    """Return the function that computes an output from the rows of a group."""
    if isinstance(output, Taken):
        place = output.at
        return lambda rows: rows[0][place]
    at = output.at
    if at is None:
        return len
    compute = _AGGREGATES[output.name]
    kind = None if output.of is None else output.of.kind
    if output.name == "sum" and kind in {Kind.BIGINT, Kind.DECIMAL}:
        compute = _exact_sum
    elif output.name == "avg" and kind in EXACT:
        compute = _exact_mean

    def computed(rows: list[Row]) -> Value:
        return compute([value for row in rows if (value := row[at]) is not None])

    return computed


def _sum(values: list[Any]) -> Value:
    return _finite(sum(values)) if values else None


def _exact_sum(values: list[Any]) -> Decimal | None:
    if not values:
        return None
    return Decimal(sum(values)) if type(values[0]) is int else _held(total(values))


def _mean(values: list[Any]) -> Value:
    return _finite(sum(values) / len(values)) if values else None


def _exact_mean(values: list[Any]) -> Value:
    found = _exact_sum(values)
    return None if found is None else _held(quotient(found, Decimal(len(values))))


def _held(number: Decimal) -> Decimal:
    """Return a number, unless it has more digits than a numeric can hold."""
    if len(number.as_tuple().digits) > DIGITS_MAX:
        raise _DeclinedError
    return number


def _least(values: list[Any]) -> Value:
    return min(values) if _are_ordered(values) else None


def _greatest(values: list[Any]) -> Value:
    return max(values) if _are_ordered(values) else None


def _are_ordered(values: list[Any]) -> bool:
    """Whether there are values, and Python can order all of them."""
    if values and type(values[0]) is float and any(map(math.isnan, values)):
        raise _DeclinedError
    return bool(values)


def _finite(value: Any) -> Any:
    """Return a value, unless it is NaN, is infinite, or has overflowed."""
    if type(value) is float and not math.isfinite(value):
        raise _DeclinedError
    return value


_AGGREGATES: dict[str, Callable[[list[Any]], Value]] = {
    "count": len,
    "sum": _sum,
    "avg": _mean,
    "min": _least,
    "max": _greatest,
}

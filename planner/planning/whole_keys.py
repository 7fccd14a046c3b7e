"""Lookups of whole keys whose only other conditions limit the times of windows.

Most small answers begin with such a lookup. `stategate.planner.planning.key_regions` reads any
conditions; this module has the few steps that these lookups need.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from stategate.planner.binding.domains import Domain, lister
from stategate.planner.binding.predicates import Compares, Condition, Disjunct, Equals, Operand
from stategate.planner.planning.filters import Allowed
from stategate.planner.planning.row_path import ROWS_MAX
from stategate.planner.values.comparison_bounds import Fitted
from stategate.stores.codec.segments import MICROS_MAX, MICROS_MIN
from stategate.stores.spec.schema import Key, Row, StoreKind, StoreSchema
from stategate.stores.spec.windows import TimeRange


class WholeKeys(Struct, frozen=True):
    """Keys to look up, and the starts of their windows."""

    keys: Sequence[Key]
    time: TimeRange
    allowed: Sequence[Allowed] | None
    """The times of the rows that meet the conditions; None if all rows that are read meet them."""


_ANY_TIME = TimeRange()
_NO_KEY = WholeKeys((), _ANY_TIME, None)
_Starts: TypeAlias = tuple[int | None, int | None]
"""The first and the last start, in microseconds; None leaves an end open."""


class _Limit(NamedTuple):
    """One limit of the starts of windows."""

    operand: Operand
    is_low: bool
    by_us: int
    """The microseconds to add to a value of the operand to get the first or the last start."""


def whole_keys(
    schema: StoreSchema, disjunct: Disjunct, columns: Sequence[str]
) -> Callable[[Row], WholeKeys | None] | None:
    """Return the function from the parameters to keys; None if there are other conditions.

    It returns None for more than ROWS_MAX keys.

    Args:
        schema: the definition of the store.
        disjunct: the conditions.
        columns: the columns that a read decodes if its rows are tested.
    """
    ends = [each for each in disjunct if isinstance(each, Compares)]
    equal = _of_key(schema, [each for each in disjunct if each not in ends])
    is_window = schema.kind is StoreKind.WINDOW
    size_us = (schema.window_size_ms or 0) * 1000
    shifts = {"window_start": 0, "window_end": -size_us} if is_window else {}
    if equal is None or not all(c.column in shifts and c.operand.fit is Fitted for c in ends):
        return None
    limits = [_limit(each, shifts[each.column]) for each in ends]
    values_of = [lister(each, each.column) for each in equal]
    # One column decides, because the end of a window follows from its start.
    tested = next((name for name in shifts if name in columns), "")
    shift_us = shifts.get(tested, 0)

    def found(parameters: Row) -> WholeKeys | None:
        listed = [values(parameters) for values in values_of]
        if math.prod(map(len, listed)) > ROWS_MAX:
            return None
        keys = list(itertools.product(*listed))
        if not limits:
            return WholeKeys(keys, _ANY_TIME, None)
        starts = _starts(limits, parameters) if keys else None
        if starts is None:
            return _NO_KEY
        first, last = starts
        # Queries count in milliseconds.
        time = TimeRange(
            start_ms=None if first is None else first // 1000,
            end_ms=None if last is None else -(-last // 1000),
        )
        if (first or 0) % 1000 == 0 == (last or 0) % 1000:
            return WholeKeys(keys, time, None)
        domain = _domain(
            None if first is None else first - shift_us, None if last is None else last - shift_us
        )
        return (
            _NO_KEY
            if domain is None
            else WholeKeys(keys, time, [Allowed(domains={tested: domain})])
        )

    return found


def _of_key(schema: StoreSchema, conditions: Sequence[Condition]) -> list[Equals] | None:
    """Return the conditions on the key columns; None if one allows NULL, or there are others."""
    by_column = {each.column: each for each in conditions if isinstance(each, Equals)}
    names = [column.name for column in schema.key]
    if len(by_column) < len(conditions) or by_column.keys() != set(names):
        return None
    found = [by_column[name] for name in names]
    return None if any(each.null for each in found) else found


def _limit(condition: Compares, shift_us: int) -> _Limit:
    """Return a condition as a limit of starts, which are whole microseconds."""
    is_low, is_strict = condition.operator[0] == ">", len(condition.operator) == 1
    beside = (1 if is_low else -1) if is_strict else 0
    return _Limit(condition.operand, is_low, shift_us + beside)


def _starts(limits: Sequence[_Limit], parameters: Row) -> _Starts | None:
    """Return the starts within all limits; None if there are no such starts."""
    first: int | None = None
    last: int | None = None
    for operand, is_low, by_us in limits:
        value = operand.value(parameters)
        if value is None:
            return None
        start = value + by_us
        if not is_low:
            last = start if last is None or start < last else last
        elif first is None or start > first:
            first = start
    return None if first is not None and last is not None and first > last else (first, last)


def _domain(low: int | None, high: int | None) -> Domain | None:
    """Return the times of a column from one to another; None if no column can have them."""
    if (low or 0) > MICROS_MAX or (high or 0) < MICROS_MIN:
        return None
    return Domain(
        low=None if low is None or low <= MICROS_MIN else (low, True),
        high=None if high is None or high >= MICROS_MAX else (high, True),
    )

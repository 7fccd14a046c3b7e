"""Values of one type as bounds on a column of another: exact, or the nearest value below.

A comparison of a column with a value of another type is rewritten to the column's type: the value
is rounded down, and the loss is remembered. For integers, `n > 2.5` is `n > 2`, and `n = 2.5` holds
for no row. If that is not possible (a real column and a double), DuckDB compares.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_FLOOR, Context, Decimal
from enum import Enum
from typing import TypeAlias

from msgspec import Struct

from stategate.planner.values.array_types import depth_of, leaf_of
from stategate.planner.values.catalog_types import is_of_catalog
from stategate.stores.spec.schema import TEXT, DataType, Kind, Value
from stategate.stores.types.kinds import SCALARS

INT_BITS = {Kind.TINYINT: 8, Kind.SMALLINT: 16, Kind.INTEGER: 32, Kind.BIGINT: 64}
_MANTISSA_BITS = {Kind.REAL: 24, Kind.DOUBLE: 53}
_FLOATS = {Kind.REAL, Kind.DOUBLE}
_NUMBERS = {*INT_BITS, *_FLOATS, Kind.DECIMAL}
_AS_FLOATS = {Kind.REAL: {Kind.REAL}, Kind.DOUBLE: _NUMBERS}
"""Types whose values a float column can hold without loss, as PostgreSQL compares them."""
_TIMES = {Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ}
_DAY_US = 86_400_000_000
_INT32_MAX, _INT64_MAX = (1 << 31) - 1, (1 << 63) - 1
"""As a date, and as a timestamp, they and their negatives stand for infinity."""
_EXACT = Context(prec=100)


class Outside(Enum):
    """A value outside the range of the column's type."""

    BELOW = -1
    ABOVE = 1


class Fitted(Struct, frozen=True):
    """The greatest value of the column's type that is not above a given value.

    A struct, since each lookup makes one for each of its values.
    """

    value: Value
    exact: bool = True


Fit: TypeAlias = Fitted | Outside
Fitter: TypeAlias = Callable[[Value], Fit]


def fitter(source: DataType, column: DataType) -> Fitter | None:
    """Return how values of `source` bound a column; None if they cannot. NULL is never fitted."""
    bits = INT_BITS.get(column.kind)
    if bits is not None and source.kind in _NUMBERS:
        # PostgreSQL compares an integer with a double as doubles, which rounds large integers.
        is_exact = bits <= _MANTISSA_BITS.get(source.kind, bits)
        return _integer_fitter(bits) if is_exact else None
    if column.kind is Kind.DECIMAL and source.kind in {*INT_BITS, Kind.DECIMAL}:
        return _decimal_fitter(column)
    if source.kind in _AS_FLOATS.get(column.kind, ()):
        return _float_fit
    if column.kind in _TIMES and source.kind in _TIMES:
        return _time_fitter(source.kind, column.kind)
    if column.kind is source.kind and column.kind.record.key is not None:
        return Fitted
    return None


LENGTHS = {Kind.INTERVAL, Kind.TIME}
"""PostgreSQL casts a time of day to an interval."""
_ALONE = {
    *(Kind.BYTEA, Kind.BOOLEAN, Kind.ARRAY),
    *(kind for kind in SCALARS if kind.record.arrow == TEXT.arrow),
}
_FAMILY_OF: dict[Kind, set[Kind]] = {
    **dict.fromkeys(_NUMBERS, _NUMBERS),
    **dict.fromkeys(_TIMES, _TIMES),
    **dict.fromkeys(LENGTHS, LENGTHS),
    **{kind: {kind} for kind in _ALONE},
}


_SMALLEST = {Kind.TINYINT: Kind.SMALLINT}
"""The type of PostgreSQL's that a kind is."""


def are_comparable(one: DataType, other: DataType) -> bool:
    """Whether PostgreSQL compares values of two types; types outside these families pass.

    Arrays are compared if their elements have one type.
    """
    if depth_of(one) and depth_of(other):
        leaves = leaf_of(one), leaf_of(other)
        kinds = {_SMALLEST.get(leaf.kind, leaf.kind) for leaf in leaves} - {Kind.NULL}
        return len(kinds) < 2 or any(map(is_of_catalog, leaves))
    family, theirs = _FAMILY_OF.get(one.kind), _FAMILY_OF.get(other.kind)
    return family is None or theirs is None or family == theirs


_NAN = Fitted(math.nan)
"""Always the same object: NaN is not equal to itself, so sets and dicts find it by identity."""


def _float_fit(value: Value) -> Fitted:
    # Keys hold zero for negative zero.
    number = float(value) + 0.0
    return _NAN if math.isnan(number) else Fitted(number)


def fitted_float(value: Value) -> Value:
    """Return the value of a float column as a bound on that column."""
    return _float_fit(value).value


def _integer_fitter(bits: int) -> Fitter:
    least, most = -(1 << (bits - 1)), (1 << (bits - 1)) - 1

    def fit(value: Value) -> Fit:
        if isinstance(value, float) and not math.isfinite(value):
            return Outside.BELOW if value == -math.inf else Outside.ABOVE
        floor = math.floor(value)
        if floor < least:
            return Outside.BELOW
        if floor > most:
            return Outside.ABOVE
        return Fitted(floor, floor == value)

    return fit


def _decimal_fitter(column: DataType) -> Fitter:
    unit = Decimal((0, (1,), -column.scale))
    limit = _EXACT.scaleb(Decimal(1), column.precision - column.scale)

    def fit(value: Value) -> Fit:
        exact = Decimal(value)
        if exact >= limit:
            return Outside.ABOVE
        if exact <= -limit:
            return Outside.BELOW
        floor = exact.quantize(unit, rounding=ROUND_FLOOR, context=_EXACT)
        if floor <= -limit:
            return Outside.BELOW
        return Fitted(floor, floor == exact)

    return fit


def _time_fitter(source: Kind, column: Kind) -> Fitter:
    if source is column or (source is not Kind.DATE and column is not Kind.DATE):
        return Fitted
    return _start_fit if source is Kind.DATE else _day_fit


def _start_fit(days: int) -> Fit:
    micros = start_of_day(days)
    if abs(micros) > _INT64_MAX:  # dates go on for longer than timestamps
        return Outside.ABOVE if micros > 0 else Outside.BELOW
    return Fitted(micros)


def _day_fit(micros: int) -> Fit:
    return Fitted(day_of(micros), is_infinite(micros) or micros % _DAY_US == 0)


def is_infinite(micros: int) -> bool:
    """Whether a timestamp is infinity, or its negative."""
    return abs(micros) >= _INT64_MAX


def start_of_day(days: int) -> int:
    """Return the timestamp at which a date begins; infinity stays infinity."""
    if abs(days) >= _INT32_MAX:
        return _INT64_MAX if days > 0 else -_INT64_MAX
    return days * _DAY_US


def day_of(micros: int) -> int:
    """Return the date of a timestamp; infinity stays infinity."""
    if is_infinite(micros):
        return _INT32_MAX if micros > 0 else -_INT32_MAX
    return micros // _DAY_US

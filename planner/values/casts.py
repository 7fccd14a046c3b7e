"""Casts of one value: those that can be left out of a comparison, and those that are done here.

A driver declares `$1` as smallint because the value is small, and the statement casts it to bigint.
That changes no value, so the parameter bounds a column as if there were no cast. A cast that may
fail, or that rounds, is applied to the value here, before rows are read. DuckDB does all others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct
from sqlglot import exp

from stategate.planner.errors import InvalidValueError
from stategate.planner.values.catalog_types import is_of_catalog
from stategate.planner.values.comparison_bounds import INT_BITS, day_of, is_infinite, start_of_day
from stategate.planner.values.sqltypes import format_type, parameter_type_of
from stategate.planner.values.type_modifiers import SECOND_DIGITS_MAX, length_of, second_digits_of
from stategate.stores.spec.schema import DATE, DataType, Kind, Value

Convert: TypeAlias = Callable[[Value], Value]
"""Casts a value that is not NULL. Raises a QueryError if it is out of range."""

_YEAR_2000_US = 946_684_800_000_000
"""PostgreSQL counts timestamps from then, and rounds away from it."""
_STAMPS = {Kind.TIMESTAMP, Kind.TIMESTAMPTZ}
_DIGITS = {Kind.TINYINT: 3, Kind.SMALLINT: 5, Kind.INTEGER: 10, Kind.BIGINT: 19}


class CastDone(Struct, frozen=True, kw_only=True):
    """A cast that is left out, or done here."""

    type: DataType
    """The type of the value afterwards."""
    convert: Convert | None = None
    """None if the value stays as it is."""


def keeps_all(source: DataType, to: DataType) -> bool:
    """Whether a cast keeps all values distinct and in their order."""
    if source == to or {source.kind, to.kind} == _STAMPS:
        return True
    bits, wider = INT_BITS.get(source.kind), INT_BITS.get(to.kind)
    if bits is not None:
        if to.kind is Kind.DECIMAL:
            return _is_unlimited(to) or to.precision - to.scale >= _DIGITS[source.kind]
        return wider is not None and wider >= bits
    if source.kind is Kind.DECIMAL and to.kind is Kind.DECIMAL:
        if _is_unlimited(source) or _is_unlimited(to):
            return _is_unlimited(to)
        whole = source.precision - source.scale <= to.precision - to.scale
        return whole and source.scale <= to.scale
    return source.kind is Kind.DATE and to.kind in _STAMPS


def _is_unlimited(data_type: DataType) -> bool:
    return data_type.precision == 0


def cast_done(source: DataType, node: exp.DataType) -> CastDone | None:
    """Return what a cast of one value becomes; None if only DuckDB does it.

    Args:
        source: the type of the value.
        node: the type it is cast to.
    """
    to = parameter_type_of(node)
    if to is None or length_of(node) is not None or is_of_catalog(to):
        return None
    if (digits := second_digits_of(node)) is not None:
        is_stamp = source.kind in _STAMPS and to.kind in _STAMPS
        return CastDone(type=to, convert=_rounded_to(digits)) if is_stamp else None
    if keeps_all(source, to):
        is_day = source.kind is Kind.DATE and to != source
        return CastDone(type=to, convert=start_of_day if is_day else None)
    convert = _conversion(source, to)
    return None if convert is None else CastDone(type=to, convert=convert)


def _conversion(source: DataType, to: DataType) -> Convert | None:
    bits = INT_BITS.get(to.kind)
    if source.kind in INT_BITS:
        if bits is not None:
            return _within(1 << (bits - 1), f"{format_type(to)} out of range")
        if to.kind is Kind.DECIMAL:
            limit = 10 ** (to.precision - to.scale)
            return _within(limit, "numeric field overflow", includes_least=False)
        return float if to.kind is Kind.DOUBLE else None
    if source.kind is Kind.REAL and to.kind is Kind.DOUBLE:
        return float
    return day_of if source.kind in _STAMPS and to == DATE else None


def _within(limit: int, message: str, *, includes_least: bool = True) -> Convert:
    """Return a cast that refuses integers from a limit on, or below its negative."""
    least = -limit if includes_least else 1 - limit

    def convert(value: Value) -> Value:
        if not least <= value < limit:
            raise InvalidValueError(message, sqlstate="22003")
        return value

    return convert


def _rounded_to(digits: int) -> Convert:
    unit: int = 10 ** (SECOND_DIGITS_MAX - digits)

    def convert(micros: int) -> int:
        if is_infinite(micros):
            return micros
        since = micros - _YEAR_2000_US
        size = (abs(since) + unit // 2) // unit * unit
        return _YEAR_2000_US + (size if since >= 0 else -size)

    return convert


def applied(cast: CastDone, value: Value) -> Value:
    """Return a value after a cast; NULL stays NULL.

    Raises:
        QueryError: the value is out of range (22003).
    """
    return value if value is None or cast.convert is None else cast.convert(value)

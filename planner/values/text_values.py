"""Turns PostgreSQL's text forms into physical values, for literals and text parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal

from stategate.planner.errors import InvalidValueError
from stategate.planner.values.array_text import Texts, check_depth, parse_array
from stategate.planner.values.array_types import depth_of, leaf_of
from stategate.planner.values.byte_text import hex_digits_of
from stategate.planner.values.catalog_types import CatalogType, is_inet
from stategate.planner.values.comparison_bounds import day_of
from stategate.planner.values.documents.json_text import canonical, checked
from stategate.planner.values.interval_text import parse_interval
from stategate.planner.values.moment_text import MalformedMomentError, parse_clock, parse_moment
from stategate.planner.values.network_text import parse_inet
from stategate.planner.values.times.time_settings import PLAIN_TIMES, TimeSettings
from stategate.stores.errors import ValueFormatError
from stategate.stores.spec.schema import DataType, Kind, Value
from stategate.stores.types.record import invalid_text

_DAY_MICROS = 86_400_000_000
_INFINITIES = {"infinity": (1 << 63) - 1, "-infinity": 1 - (1 << 63)}
"""Times before and after all others, in microseconds."""


def parse_value(text: str, data_type: DataType, times: TimeSettings = PLAIN_TIMES) -> Value:
    """Read PostgreSQL's text form of a value.

    Args:
        text: the text.
        data_type: the type of the value.
        times: the settings of the session, on which dates and moments depend.

    Raises:
        InvalidValueError: the text is not such a value (22P02, 22007), or is out of range (22003,
            22008).
    """
    special = _PARSERS.get(data_type.kind)
    if special is not None:
        return special(text, data_type, times)
    if isinstance(data_type, CatalogType) and is_inet(data_type):
        return parse_inet(text)
    parse = data_type.kind.record.parse
    assert parse is not None, "a type without a parser here has one in its record"
    try:
        value = parse(text)
    except ValueFormatError as error:
        raise InvalidValueError(error.message, sqlstate=error.sqlstate) from None
    return _checked_digits(value, data_type) if data_type.precision else value


def _checked_digits(value: Decimal, data_type: DataType) -> Decimal:
    """Return a decimal that its type can hold; refuse one with too many digits."""
    if value.adjusted() >= data_type.precision - data_type.scale and value != 0:
        raise InvalidValueError(f"numeric field overflow for type {data_type}", sqlstate="22003")
    return value


def _invalid_moment(text: str, data_type: DataType) -> InvalidValueError:
    name = (
        "timestamp with time zone" if data_type.kind is Kind.TIMESTAMPTZ else data_type.kind.value
    )
    error = invalid_text(text, name, sqlstate="22007")
    return InvalidValueError(error.message, sqlstate=error.sqlstate)


def _parse_text(text: str, data_type: DataType, times: TimeSettings) -> str:
    del data_type, times
    return text


def _parse_json(text: str, data_type: DataType, times: TimeSettings) -> str:
    del data_type, times
    return checked(text)


def _parse_jsonb(text: str, data_type: DataType, times: TimeSettings) -> str:
    del data_type, times
    return canonical(text)


def _parse_bytea(text: str, data_type: DataType, times: TimeSettings) -> bytes:
    del data_type, times
    return bytes.fromhex(hex_digits_of(text))


def _parse_time(text: str, data_type: DataType, times: TimeSettings) -> int:
    del data_type
    return parse_clock(text, times)


def _parse_date(text: str, data_type: DataType, times: TimeSettings) -> int:
    if (infinite := _INFINITIES.get(text.strip().lower())) is not None:
        return day_of(infinite)
    return _moment(text, data_type, times)[0] // _DAY_MICROS


def _parse_timestamp(text: str, data_type: DataType, times: TimeSettings) -> int:
    return _moment(text, data_type, times)[0]


def _parse_timestamptz(text: str, data_type: DataType, times: TimeSettings) -> int:
    local, ahead = _moment(text, data_type, times)
    return local - ahead


def _moment(text: str, data_type: DataType, times: TimeSettings) -> tuple[int, int]:
    """Return a local time in microseconds, and how far its zone is ahead."""
    if (infinite := _INFINITIES.get(text.strip().lower())) is not None:
        return infinite, 0
    try:
        return parse_moment(text, is_date=data_type.kind is Kind.DATE, times=times)
    except MalformedMomentError:
        raise _invalid_moment(text, data_type) from None


def _parse_interval(text: str, data_type: DataType, times: TimeSettings) -> Value:
    del data_type, times
    return parse_interval(text)


def _parse_array(text: str, data_type: DataType, times: TimeSettings) -> list[Value]:
    found, leaf = parse_array(text), leaf_of(data_type)
    check_depth(found, depth_of(data_type))

    def parsed(each: str | Texts | None) -> Value:
        if isinstance(each, list):
            return [parsed(inner) for inner in each]
        return None if each is None else parse_value(each, leaf, times)

    return [parsed(each) for each in found]


_PARSERS: Mapping[Kind, Callable[[str, DataType, TimeSettings], Value]] = {
    Kind.JSON: _parse_json,
    Kind.JSONB: _parse_jsonb,
    Kind.BYTEA: _parse_bytea,
    Kind.TIME: _parse_time,
    Kind.DATE: _parse_date,
    Kind.TIMESTAMP: _parse_timestamp,
    Kind.TIMESTAMPTZ: _parse_timestamptz,
    Kind.INTERVAL: _parse_interval,
    Kind.ARRAY: _parse_array,
    Kind.STRUCT: _parse_text,
    Kind.MAP: _parse_text,
}
"""Types that composing processes read, too, which import no store. Records read all others.

Structs and maps stay text, which DuckDB casts where they are used.
"""

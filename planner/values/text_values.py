"""Postgres's text form of a value to its physical value, for literals and text parameters."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable
from decimal import Decimal, InvalidOperation

from planner.errors import InvalidValueError
from planner.values.array_text import parse_array
from planner.values.byte_text import digits_of
from planner.values.interval_text import parse_interval
from planner.values.json_edit import checked
from planner.values.moment_text import MalformedMomentError, parse_moment
from stores.spec.schema import DataType, Kind, Value

_TRUE = {"t", "tr", "tru", "true", "y", "ye", "yes", "on", "1"}
_FALSE = {"f", "fa", "fal", "fals", "false", "n", "no", "of", "off", "0"}
"""Words may be cut short while they are of one meaning."""
_SPELLED = {
    Kind.REAL: "real",
    Kind.DOUBLE: "double precision",
    Kind.DECIMAL: "numeric",
    Kind.TIMESTAMPTZ: "timestamp with time zone",
}
"""What Postgres calls types in the errors of their values, where that is not what we call them."""
_DAY_MICROS = 86_400_000_000
_EXPONENT_MAX = 20_000
"""Some more than Postgres's: a short text could mean a number of a billion digits."""
_INT_BITS = {Kind.TINYINT: 8, Kind.SMALLINT: 16, Kind.INTEGER: 32, Kind.BIGINT: 64}
_FLOAT = re.compile(
    r"(?i)[+-]?(?:inf|infinity|nan|(?P<digits>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?))"
)
_UUID = re.compile(r"(\{)?[0-9a-fA-F]{4}(?:-?[0-9a-fA-F]{4}){7}(?(1)\})")
_FLOAT4 = struct.Struct("<f")


def parse_value(text: str, data_type: DataType) -> Value:
    """The physical value that Postgres's text form of a value means.

    Raises:
        InvalidValueError: the text is no such value (22P02, 22007), or is out of range (22003,
            22008).
        NotSupportedError: values of this type have no text form here.
    """
    if (integer_bits := _INT_BITS.get(data_type.kind)) is not None:
        return _parse_integer(text, data_type, integer_bits)
    return _PARSERS[data_type.kind](text, data_type)


def invalid_value(text: str, data_type: DataType, *, sqlstate: str = "22P02") -> InvalidValueError:
    """The error for a text that is no value of the type; long texts are cut."""
    shown = text if len(text) <= 100 else text[:100] + "…"
    spelled = _SPELLED.get(data_type.kind, data_type)
    return InvalidValueError(
        f'invalid input syntax for type {spelled}: "{shown}"', sqlstate=sqlstate
    )


def _parse_integer(text: str, data_type: DataType, bits: int) -> int:
    stripped = text.strip()
    if len(stripped) > 100 or not re.fullmatch(r"[+-]?[0-9]+", stripped):
        raise invalid_value(text, data_type)
    value = int(stripped)
    if not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
        raise InvalidValueError(
            f'value "{stripped}" is out of range for type {data_type}', sqlstate="22003"
        )
    return value


def _parse_boolean(text: str, data_type: DataType) -> bool:
    folded = text.strip().lower()
    if folded in _TRUE:
        return True
    if folded in _FALSE:
        return False
    raise invalid_value(text, data_type)


def _parse_float(text: str, data_type: DataType) -> float:
    stripped = text.strip()
    found = _FLOAT.fullmatch(stripped)
    if found is None:
        raise invalid_value(text, data_type)
    value = float(stripped)
    digits = found["digits"]
    if digits is not None and not _holds(value, digits, data_type.kind):
        raise InvalidValueError(
            f'"{stripped[:100]}" is out of range for type {_SPELLED[data_type.kind]}',
            sqlstate="22003",
        )
    return value


def _holds(value: float, digits: str, kind: Kind) -> bool:
    """Whether a number has become neither infinite nor, without being it, nothing."""
    if kind is Kind.REAL:
        try:
            (value,) = _FLOAT4.unpack(_FLOAT4.pack(value))
        except OverflowError:
            return False
    is_zero = not re.search(r"[1-9]", re.split(r"[eE]", digits)[0])
    return math.isfinite(value) and (is_zero or value != 0)


def _parse_decimal(text: str, data_type: DataType) -> Decimal:
    try:
        value = Decimal(text.strip())
    except InvalidOperation:
        raise invalid_value(text, data_type) from None
    if "_" in text or not text.isascii():  # Python reads more than Postgres does
        raise invalid_value(text, data_type)
    if not value.is_finite():
        raise InvalidValueError(
            f'value "{text.strip()}" is not held by type numeric', sqlstate="22003"
        )
    if abs(value.adjusted()) > _EXPONENT_MAX:
        raise InvalidValueError("value overflows numeric format", sqlstate="22003")
    if data_type.precision == 0:
        return value
    if value.adjusted() >= data_type.precision - data_type.scale and value != 0:
        raise InvalidValueError(f"numeric field overflow for type {data_type}", sqlstate="22003")
    return value


def _parse_text(text: str, data_type: DataType) -> str:
    del data_type
    return text


def _parse_json(text: str, data_type: DataType) -> str:
    del data_type
    return checked(text)


def _parse_uuid(text: str, data_type: DataType) -> str:
    """In lower case with its hyphens; others, behind any four digits, and braces may be there."""
    digits = text.replace("-", "").lower()
    if not _UUID.fullmatch(text):
        raise invalid_value(text, data_type)
    digits = digits.strip("{}")
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _parse_bytea(text: str, data_type: DataType) -> bytes:
    del data_type
    return bytes.fromhex(digits_of(text))


def _parse_date(text: str, data_type: DataType) -> int:
    return _moment(text, data_type)[0] // _DAY_MICROS


def _parse_timestamp(text: str, data_type: DataType) -> int:
    return _moment(text, data_type)[0]


def _parse_timestamptz(text: str, data_type: DataType) -> int:
    local, ahead = _moment(text, data_type)
    return local - ahead


def _moment(text: str, data_type: DataType) -> tuple[int, int]:
    try:
        return parse_moment(text, is_date=data_type.kind is Kind.DATE)
    except MalformedMomentError:
        raise invalid_value(text, data_type, sqlstate="22007") from None


def _parse_time(text: str, data_type: DataType) -> int:
    found = re.fullmatch(r"(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?", text.strip())
    if found is None:
        raise invalid_value(text, data_type, sqlstate="22007")
    hours, minutes, seconds = int(found[1]), int(found[2]), int(found[3] or 0)
    fraction = (found[4] or "").ljust(6, "0")
    micros = int(fraction[:6]) + (1 if fraction[6:7] >= "5" else 0)
    total = ((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + micros
    if minutes > 59 or seconds > 59 or total > _DAY_MICROS:
        raise InvalidValueError(
            f'date/time field value out of range: "{text.strip()}"', sqlstate="22008"
        )
    return total


def _parse_interval(text: str, data_type: DataType) -> Value:
    del data_type
    return parse_interval(text)


def _parse_array(text: str, data_type: DataType) -> list[Value]:
    assert data_type.element is not None, "an array has an element type"
    element = data_type.element
    return [None if each is None else parse_value(each, element) for each in parse_array(text)]


_PARSERS: dict[Kind, Callable[[str, DataType], Value]] = {
    Kind.BOOLEAN: _parse_boolean,
    Kind.REAL: _parse_float,
    Kind.DOUBLE: _parse_float,
    Kind.DECIMAL: _parse_decimal,
    Kind.TEXT: _parse_text,
    Kind.UUID: _parse_uuid,
    Kind.JSON: _parse_json,
    Kind.NULL: _parse_text,
    Kind.BYTEA: _parse_bytea,
    Kind.DATE: _parse_date,
    Kind.TIME: _parse_time,
    Kind.TIMESTAMP: _parse_timestamp,
    Kind.TIMESTAMPTZ: _parse_timestamptz,
    Kind.INTERVAL: _parse_interval,
    Kind.ARRAY: _parse_array,
    Kind.STRUCT: _parse_text,
    Kind.MAP: _parse_text,
}
"""Structs and maps stay text, which DuckDB casts where they are used."""

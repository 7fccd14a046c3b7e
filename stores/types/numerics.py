"""boolean, the integers, real and double."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable
from decimal import ROUND_UP, Context, Decimal

import pyarrow as pa
from msgspec.json import Encoder

from stategate.stores.errors import ValueFormatError
from stategate.stores.types.record import Cell, KeyForm, SqlType, fixed_decoder, invalid_text

_json_text = Encoder().encode
"""Prints a number in a tenth to half of the time that Python takes, with the same digits."""

# --- boolean and the integers --------------------------------------------------------------------

_TRUE = {"t", "tr", "tru", "true", "y", "ye", "yes", "on", "1"}
_FALSE = {"f", "fa", "fal", "fals", "false", "n", "no", "of", "off", "0"}
"""Words may be abbreviated while they are unambiguous."""
_INTEGER_CHARS_MAX = 100
_INTEGER = re.compile(r"[+-]?[0-9]+")


def _parse_boolean(text: str) -> bool:
    folded = text.strip().lower()
    if folded in _TRUE:
        return True
    if folded in _FALSE:
        return False
    raise invalid_text(text, "boolean")


def _integer_parser(name: str, bits: int) -> Callable[[str], int]:
    end = 1 << (bits - 1)

    def parse(text: str) -> int:
        stripped = text.strip()
        if len(stripped) > _INTEGER_CHARS_MAX or not _INTEGER.fullmatch(stripped):
            raise invalid_text(text, name)
        value = int(stripped)
        if not -end <= value < end:
            raise ValueFormatError(
                f'value "{stripped}" is out of range for type {name}', sqlstate="22003"
            )
        return value

    return parse


# --- real and double -----------------------------------------------------------------------------

_FLOAT = re.compile(
    r"(?i)[+-]?(?:inf|infinity|nan|(?P<digits>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?))"
)
_pack_real, _unpack_real = struct.Struct("<f").pack, struct.Struct("<f").unpack
_REAL_DIGITS, _REAL_DIGITS_MAX = 6, 9
"""The decimal digits that a real always keeps, and those needed to tell all reals apart."""
_REAL_NORMAL = 2.0**-126
"""Nearer to zero, reals have fewer digits."""
_SPECIAL = {"inf": b"Infinity", "-inf": b"-Infinity", "nan": b"NaN"}


def _rounded_to_real(value: float) -> float:
    """Return the nearest real; an OverflowError if it is too large."""
    rounded: float = _unpack_real(_pack_real(value))[0]
    return rounded


def _float_parser(name: str, rounded: Callable[[float], float]) -> Callable[[str], float]:
    def parse(text: str) -> float:
        stripped = text.strip()
        found = _FLOAT.fullmatch(stripped)
        if found is None:
            raise invalid_text(text, name)
        value = float(stripped)
        digits = found["digits"]
        if digits is not None and not _is_held(value, digits, rounded):
            raise ValueFormatError(
                f'"{stripped[:100]}" is out of range for type {name}', sqlstate="22003"
            )
        return value

    return parse


def _is_held(value: float, digits: str, rounded: Callable[[float], float]) -> bool:
    """Whether a finite number stays finite, and becomes 0 only if it was 0 before."""
    try:
        value = rounded(value)
    except OverflowError:
        return False
    is_zero = not re.search(r"[1-9]", re.split(r"[eE]", digits)[0])
    return math.isfinite(value) and (is_zero or value != 0)


def real_digits(value: float) -> str:
    """Return the fewest digits that read back as the same real, laid out as Python does."""
    if not math.isfinite(value) or value == 0:
        return repr(value)
    for count in range(_REAL_DIGITS if abs(value) >= _REAL_NORMAL else 1, _REAL_DIGITS_MAX):
        nearest = float(f"{value:.{count}g}")
        if _rounded_to_real(nearest) == value:
            return repr(nearest)
        # The reals above a power of two are twice as far apart as those below, so the numbers that
        # round to it reach further up, beyond the nearest decimal.
        if abs(math.frexp(value)[0]) == 0.5:
            upper = float(Context(prec=count, rounding=ROUND_UP).create_decimal(Decimal(value)))
            if _rounded_to_real(upper) == value:
                return repr(upper)
    return repr(float(f"{value:.{_REAL_DIGITS_MAX}g}"))


def _real_text(value: float) -> bytes:
    """Return PostgreSQL's shortest text of a real, e.g. `3.14`."""
    digits = real_digits(_rounded_to_real(value))
    # Between these limits Python and PostgreSQL differ only in ".0".
    if 1e-4 <= value < 1e5:
        return digits.removesuffix(".0").encode()
    return _float_text(digits, fixed_below=6)


def _double_text(value: float) -> bytes:
    """Return PostgreSQL's shortest text of a double, e.g. `1e+20`."""
    # Between these limits Python and PostgreSQL differ only in ".0".
    if 1e-4 <= value < 1e15:
        return _json_text(value).removesuffix(b".0")
    return _float_text(repr(value), fixed_below=15)


def _float_text(digits: str, *, fixed_below: int) -> bytes:
    """Return the shortest digits that read back as the value, laid out as PostgreSQL lays them out.

    Args:
        digits: the digits as Python prints them; it chooses the same digits as PostgreSQL.
        fixed_below: decimal exponent from which PostgreSQL writes an exponent, which is the
            number of digits that the type always holds.
    """
    if digits in _SPECIAL:
        return _SPECIAL[digits]
    sign = "-" if digits.startswith("-") else ""
    mantissa, _, exponent_text = digits.removeprefix("-").partition("e")
    whole, _, fraction = mantissa.partition(".")
    figures = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent_text or 0) - (len(whole + fraction) - len(figures))
    figures = figures.rstrip("0")
    if not figures:
        return f"{sign}0".encode()
    exponent = point - 1
    if exponent < -4 or exponent >= fixed_below:
        rest = "." + figures[1:] if len(figures) > 1 else ""
        return f"{sign}{figures[0]}{rest}e{exponent:+03d}".encode()
    if point <= 0:
        return f"{sign}0.{'0' * -point}{figures}".encode()
    if len(figures) <= point:
        return f"{sign}{figures}{'0' * (point - len(figures))}".encode()
    return f"{sign}{figures[:point]}.{figures[point:]}".encode()


def _double_cell(value: float) -> Cell:
    """Return a number, or text for NaN and the infinities, for which JSON has no number."""
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _real_cell(value: float) -> Cell:
    """Return the shortest digits that mean the same real: 0.1, not 0.10000000149011612."""
    return (
        float(real_digits(_rounded_to_real(value))) if math.isfinite(value) else _double_cell(value)
    )


# --- the records ---------------------------------------------------------------------------------

BOOLEAN = SqlType(
    name="boolean",
    aliases=("bool",),
    parsed=("BOOLEAN",),
    postgres="bool",
    spelled="boolean",
    oid=16,
    array_oid=1000,
    length=1,
    duckdb="BOOLEAN",
    arrow=pa.bool_(),
    read=(pa.bool_(),),
    slot="?",
    key=KeyForm.INTEGER,
    text=lambda value: b"t" if value else b"f",
    parse=_parse_boolean,
    encode=lambda value: b"\1" if value else b"\0",
    decode=fixed_decoder("boolean", "?"),
)
TINYINT = SqlType(
    name="tinyint",
    parsed=("TINYINT",),
    postgres="int2",  # PostgreSQL has no smaller integer
    spelled="smallint",
    oid=21,
    array_oid=1005,
    length=2,
    duckdb="TINYINT",
    arrow=pa.int8(),
    read=(pa.int8(),),
    slot="b",
    key=KeyForm.INTEGER,
    text=_json_text,
    parse=_integer_parser("tinyint", 8),
    encode=struct.Struct(">h").pack,
    decode=fixed_decoder("tinyint", "h"),
)
SMALLINT = SqlType(
    name="smallint",
    aliases=("int2",),
    parsed=("SMALLINT",),
    postgres="int2",
    spelled="smallint",
    oid=21,
    array_oid=1005,
    length=2,
    duckdb="SMALLINT",
    arrow=pa.int16(),
    read=(pa.int16(), pa.uint8()),
    slot="h",
    key=KeyForm.INTEGER,
    text=_json_text,
    parse=_integer_parser("smallint", 16),
    encode=struct.Struct(">h").pack,
    decode=fixed_decoder("smallint", "h"),
)
INTEGER = SqlType(
    name="integer",
    aliases=("int", "int4"),
    parsed=("INT",),
    postgres="int4",
    spelled="integer",
    oid=23,
    array_oid=1007,
    length=4,
    duckdb="INTEGER",
    arrow=pa.int32(),
    read=(pa.int32(), pa.uint16()),
    slot="i",
    key=KeyForm.INTEGER,
    text=_json_text,
    parse=_integer_parser("integer", 32),
    encode=struct.Struct(">i").pack,
    decode=fixed_decoder("integer", "i"),
)
BIGINT = SqlType(
    name="bigint",
    aliases=("int8", "long"),
    parsed=("BIGINT",),
    postgres="int8",
    spelled="bigint",
    oid=20,
    array_oid=1016,
    length=8,
    duckdb="BIGINT",
    arrow=pa.int64(),
    read=(pa.int64(), pa.uint32()),
    slot="q",
    key=KeyForm.INTEGER,
    text=_json_text,
    parse=_integer_parser("bigint", 64),
    encode=struct.Struct(">q").pack,
    decode=fixed_decoder("bigint", "q"),
)
REAL = SqlType(
    name="real",
    aliases=("float", "float4"),
    parsed=("FLOAT",),
    postgres="float4",
    spelled="real",
    oid=700,
    array_oid=1021,
    length=4,
    duckdb="FLOAT",
    arrow=pa.float32(),
    read=(pa.float32(),),
    slot="f",
    key=KeyForm.FLOAT,
    has_one_form=False,
    text=_real_text,
    parse=_float_parser("real", _rounded_to_real),
    encode=struct.Struct(">f").pack,
    decode=fixed_decoder("real", "f"),
    cell=_real_cell,
)
DOUBLE = SqlType(
    name="double",
    aliases=("float8", "doubleprecision"),
    parsed=("DOUBLE",),
    postgres="float8",
    spelled="double precision",
    oid=701,
    array_oid=1022,
    length=8,
    duckdb="DOUBLE",
    arrow=pa.float64(),
    read=(pa.float64(),),
    slot="d",
    key=KeyForm.FLOAT,
    has_one_form=False,
    text=_double_text,
    parse=_float_parser("double precision", float),
    encode=struct.Struct(">d").pack,
    decode=fixed_decoder("double precision", "d"),
    cell=_double_cell,
)

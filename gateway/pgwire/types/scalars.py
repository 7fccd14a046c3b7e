"""Booleans, integers, floats, text, bytea, uuid and json on the wire."""

from __future__ import annotations

import struct
from typing import Final

import numpy as np

from gateway.pgwire.types import vector_scalars
from gateway.pgwire.types.encoders import (
    Decode,
    EncodeColumn,
    WireType,
    bad_binary,
    decode_utf8,
    fixed_decoder,
    register_type,
    text_decoder,
)
from gateway.pgwire.types.fields import printed
from planner.engine import DataType, Kind, Value

INTEGERS: Final = {
    Kind.TINYINT: (21, 1005, "h"),
    Kind.SMALLINT: (21, 1005, "h"),
    Kind.INTEGER: (23, 1007, "i"),
    Kind.BIGINT: (20, 1016, "q"),
}
_INTEGER_BITS = {Kind.TINYINT: 8, Kind.SMALLINT: 16, Kind.INTEGER: 32, Kind.BIGINT: 64}


# --- booleans ------------------------------------------------------------------------------------


def _boolean(data_type: DataType) -> WireType:
    return WireType(
        oid=16,
        array_oid=1000,
        length=1,
        encode_text=lambda value: b"t" if value else b"f",
        encode_binary=lambda value: b"\1" if value else b"\0",
        decode_text=text_decoder(data_type),
        decode_binary=fixed_decoder("boolean", "?"),
        encode_column_text=vector_scalars.boolean_text,
        encode_column_binary=vector_scalars.boolean_binary,
    )


register_type(Kind.BOOLEAN, _boolean)


# --- integers ------------------------------------------------------------------------------------


def _integer(data_type: DataType) -> WireType:
    oid, array_oid, layout = INTEGERS[data_type.kind]
    packer = struct.Struct(">" + layout)
    return WireType(
        oid=oid,
        array_oid=array_oid,
        length=packer.size,
        encode_text=b"%d".__mod__,
        encode_binary=packer.pack,
        decode_text=_integer_text_decoder(data_type),
        decode_binary=fixed_decoder(str(data_type), layout),
        encode_column_text=printed,
        encode_column_binary=vector_scalars.number_binary(
            f"i{_INTEGER_BITS[data_type.kind] // 8}", f"i{packer.size}"
        ),
    )


def _integer_text_decoder(data_type: DataType) -> Decode:
    """Plain digits that must be in range need no parser; the hot path sends nothing else."""
    parse = text_decoder(data_type)
    digits_safe = len(str(1 << (_INTEGER_BITS[data_type.kind] - 1))) - 1

    def decode(raw: bytes) -> Value:
        if len(raw) <= digits_safe and raw.isdigit():
            return int(raw)
        return parse(raw)

    return decode


for _kind in INTEGERS:
    register_type(_kind, _integer)


# --- floats --------------------------------------------------------------------------------------


def _float_text(digits: str, *, fixed_below: int) -> bytes:
    """The shortest digits that read back as the value, laid out as PostgreSQL lays them out.

    Args:
        digits: what Python prints, which chooses the same digits.
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


_SPECIAL = {"inf": b"Infinity", "-inf": b"-Infinity", "nan": b"NaN"}


def encode_double_text(value: float) -> bytes:
    """PostgreSQL's shortest text of a double, e.g. `1e+20`."""
    digits = repr(value)
    # Between these Python and PostgreSQL differ only in ".0".
    if 1e-4 <= value < 1e15:
        return digits.removesuffix(".0").encode()
    return _float_text(digits, fixed_below=15)


def encode_real_text(value: float) -> bytes:
    """PostgreSQL's shortest text of a real, e.g. `3.14`."""
    return _float_text(str(np.float32(value)), fixed_below=6)


def _double(data_type: DataType) -> WireType:
    return WireType(
        oid=701,
        array_oid=1022,
        length=8,
        encode_text=encode_double_text,
        encode_binary=struct.Struct(">d").pack,
        decode_text=text_decoder(data_type),
        decode_binary=fixed_decoder("double precision", "d"),
        encode_column_text=vector_scalars.float_text(
            "f8", fixed_below=1e15, encode=encode_double_text
        ),
        encode_column_binary=vector_scalars.number_binary("f8", "f8"),
    )


def _real(data_type: DataType) -> WireType:
    return WireType(
        oid=700,
        array_oid=1021,
        length=4,
        encode_text=encode_real_text,
        encode_binary=struct.Struct(">f").pack,
        decode_text=text_decoder(data_type),
        decode_binary=fixed_decoder("real", "f"),
        encode_column_text=vector_scalars.float_text(
            "f4", fixed_below=1e6, encode=encode_real_text
        ),
        encode_column_binary=vector_scalars.number_binary("f4", "f4"),
    )


register_type(Kind.DOUBLE, _double)
register_type(Kind.REAL, _real)


# --- text, json, bytea, uuid ---------------------------------------------------------------------


def _text_like(oid: int, array_oid: int, at_once: EncodeColumn = vector_scalars.utf8) -> WireType:
    return WireType(
        oid=oid,
        array_oid=array_oid,
        length=-1,
        encode_text=str.encode,
        encode_binary=str.encode,
        decode_text=decode_utf8,
        decode_binary=decode_utf8,
        encode_column_text=at_once,
        encode_column_binary=at_once,
    )


_TEXT = _text_like(25, 1009)
_JSON = _text_like(114, 199)
_NULL = _text_like(25, 1009, vector_scalars.nulls)
register_type(Kind.TEXT, lambda _: _TEXT)
# PostgreSQL calls the type of a bare NULL text as well, once it leaves the server.
register_type(Kind.NULL, lambda _: _NULL)
register_type(Kind.JSON, lambda _: _JSON)


def _bytea(data_type: DataType) -> WireType:
    return WireType(
        oid=17,
        array_oid=1001,
        length=-1,
        encode_text=lambda value: b"\\x" + value.hex().encode(),
        encode_binary=bytes,
        decode_text=text_decoder(data_type),
        decode_binary=bytes,
        encode_column_text=vector_scalars.bytea_text,
        encode_column_binary=vector_scalars.same,
    )


register_type(Kind.BYTEA, _bytea)


def _decode_uuid(raw: bytes) -> str:
    if len(raw) != 16:
        raise bad_binary("uuid")
    digits = raw.hex()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _uuid(data_type: DataType) -> WireType:
    return WireType(
        oid=2950,
        array_oid=2951,
        length=16,
        encode_text=str.encode,
        encode_binary=lambda value: bytes.fromhex(value.replace("-", "")),
        decode_text=text_decoder(data_type),
        decode_binary=_decode_uuid,
        encode_column_text=vector_scalars.utf8,
        encode_column_binary=vector_scalars.uuid_binary,
    )


register_type(Kind.UUID, _uuid)

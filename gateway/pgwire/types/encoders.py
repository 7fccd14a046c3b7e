"""SQL types on the wire: oid, text and binary form, both ways; one registration per kind.

Values are the *physical values* of the engine's types. The families register themselves from
`type_scalars`, `type_numeric`, `type_times` and `type_nested`; a further kind is added the same
way, with `register_type`. Callers choose encoders once per statement and format, never per row.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import pyarrow as pa

from gateway.pgwire.protocol.errors import BAD_BINARY
from gateway.pgwire.types.arrow_values import as_stored, physical_values
from gateway.pgwire.types.fields import Array, Fields
from planner.engine import DataType, Kind, QueryError, Value, parse_value

Encode: TypeAlias = Callable[[Value], bytes]
"""A value, never None, to the bytes of a field."""
Decode: TypeAlias = Callable[[bytes], Value]
"""The bytes of a parameter to a value."""
EncodeColumn: TypeAlias = Callable[[Array], Fields]
"""A column of a batch, of the type's own Arrow type, to the bytes of its fields."""

_VALUES_MAX = 1024
"""Values of a column that are objects at once. To let a million go takes 200 ms, in one go and with
the interpreter kept: elements of one array can be as many."""
TEXT_FORMAT = 0
BINARY_FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class WireType:
    """How values of one SQL type travel. Law: decode(encode(v)) == v in the binary form."""

    oid: int
    """`pg_type.oid`; only ever one of PostgreSQL's own, which every client knows."""
    array_oid: int
    """Of the array of this type."""
    length: int
    """`pg_type.typlen`: bytes of a binary value, -1 where they vary."""
    modifier: int = -1
    """`pg_attribute.atttypmod`."""
    encode_text: Encode
    encode_binary: Encode
    decode_text: Decode
    decode_binary: Decode
    encode_column_text: EncodeColumn | None = None
    """The same for a whole column at once, where there is a way; else it goes value by value."""
    encode_column_binary: EncodeColumn | None = None


Factory: TypeAlias = Callable[[DataType], WireType]

_FACTORIES: dict[Kind | type[DataType], Factory] = {}


def register_type(kind: Kind | type[DataType], factory: Factory) -> None:
    """Let values of a kind, or of a class of types, travel as the factory says for their type."""
    _FACTORIES[kind] = factory


@lru_cache(maxsize=4096)
def wire_type(data_type: DataType) -> WireType:
    """How values of a type travel."""
    own = _FACTORIES.get(type(data_type))
    return (own or _FACTORIES[data_type.kind])(data_type)


def text_decoder(data_type: DataType) -> Decode:
    """The decoder of a type's text form, which is the engine's own for literals."""

    def decode(raw: bytes) -> Value:
        return parse_value(decode_utf8(raw), data_type)

    return decode


def decode_utf8(raw: bytes) -> str:
    """The text of a field.

    Raises:
        QueryError: it is not UTF-8, or has a NUL, which PostgreSQL's text cannot hold (22021).
    """
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise QueryError(
            'invalid byte sequence for encoding "UTF8"',
            detail=f"Byte {raw[error.start]:#04x} at offset {error.start}.",
            sqlstate="22021",
        ) from error
    if "\0" in text:
        raise QueryError('invalid byte sequence for encoding "UTF8": 0x00', sqlstate="22021")
    return text


def bad_binary(data_type: str) -> QueryError:
    """The error for a binary parameter that is no value of its type."""
    return QueryError(f"incorrect binary data format for type {data_type}", sqlstate=BAD_BINARY)


def fixed_decoder(name: str, layout: str, convert: Callable[..., Value] | None = None) -> Decode:
    """A decoder of a binary form of fixed layout.

    Args:
        name: the type, for the error.
        layout: as for `struct`, without the byte order.
        convert: makes the value of the unpacked numbers; None takes the only one.
    """
    unpack = struct.Struct(">" + layout).unpack

    def decode(raw: bytes) -> Value:
        try:
            numbers = unpack(raw)
        except struct.error as error:
            raise bad_binary(name) from error
        return numbers[0] if convert is None else convert(*numbers)

    return decode


def encode_column(array: Array, data_type: DataType, code: int) -> Fields:
    """The fields of a whole column in a format."""
    wire = wire_type(data_type)
    is_text = code == TEXT_FORMAT
    at_once = wire.encode_column_text if is_text else wire.encode_column_binary
    if at_once is not None and (held := as_stored(array, data_type)) is not None:
        return at_once(held)
    parts = [
        encode_values(physical_values(array.slice(at, _VALUES_MAX), data_type), data_type, code)
        for at in range(0, len(array), _VALUES_MAX)
    ]
    return pa.concat_arrays(parts) if parts else pa.nulls(0, pa.binary())


def encode_values(values: Iterable[Value], data_type: DataType, format_code: int) -> Fields:
    """The fields of values that are at hand."""
    wire = wire_type(data_type)
    encode = wire.encode_text if format_code == TEXT_FORMAT else wire.encode_binary
    fields = [None if value is None else encode(value) for value in values]
    return pa.array(fields, pa.binary())

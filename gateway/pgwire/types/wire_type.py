"""The wire form of one SQL type, and the errors of values that do not have it."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from stategate.gateway.pgwire.protocol.errors import BAD_BINARY
from stategate.gateway.pgwire.types.fields import Array, Fields
from stategate.planner.engine import (
    DataType,
    Kind,
    QueryError,
    Value,
    ValueFormatError,
    parse_value,
)

Encode: TypeAlias = Callable[[Value], bytes]
"""A value, never None, to the bytes of a field."""
EncodeMany: TypeAlias = Callable[[Sequence[Value]], list[bytes]]
"""Some values, at least one, to the bytes of their fields; a TypeError if one of them is None."""
Decode: TypeAlias = Callable[[bytes], Value]
"""The bytes of a parameter to a value."""
EncodeColumn: TypeAlias = Callable[[Array], Fields]
"""A column of a batch, of the type's own Arrow type, to the bytes of its fields."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WireType:
    """The wire form of one SQL type. Law: decode(encode(v)) == v in the binary form."""

    oid: int
    """`pg_type.oid`; always one of PostgreSQL's own, which every client knows."""
    array_oid: int
    """`pg_type.typarray`: the OID of arrays of this type."""
    length: int
    """`pg_type.typlen`: bytes of a binary value, -1 where they vary."""
    modifier: int = -1
    """`pg_attribute.atttypmod`."""
    encode_text: Encode
    encode_binary: Encode
    decode_text: Decode
    decode_binary: Decode
    encode_texts: EncodeMany | None = None
    """The same for many values, where that takes less time than one by one."""
    encode_column_text: EncodeColumn | None = None
    """The same for a whole column at once; without it, values are encoded one by one."""
    encode_column_binary: EncodeColumn | None = None


FindWireType: TypeAlias = Callable[[DataType], WireType]
"""Finds the wire form of another type, such as that of an array's elements."""
EncodeTyped: TypeAlias = Callable[[Array, DataType, int], Fields]
"""Encodes a column of another type in a format."""

_Form = TypeVar("_Form")
_pack_length = struct.Struct(">i").pack
_NULL_LENGTH = _pack_length(-1)


def with_query_errors(form: Callable[[Any], _Form]) -> Callable[[Any], _Form]:
    """Return a function of a type's record that raises QueryErrors."""

    def checked(value: Any) -> _Form:
        try:
            return form(value)
        except ValueFormatError as error:
            raise QueryError(error.message, detail=error.detail, sqlstate=error.sqlstate) from error

    return checked


_decode_utf8: Callable[[bytes], str] = with_query_errors(Kind.TEXT.record.decode)


def decode_utf8(raw: bytes) -> str:
    """Decode a text.

    Raises:
        QueryError: it is not UTF-8, or has a NUL (22021).
    """
    if 0 not in raw:
        try:
            return raw.decode()
        except UnicodeDecodeError:
            pass
    return _decode_utf8(raw)


def text_decoder(data_type: DataType) -> Decode:
    """Return the decoder of a type's text form, which is the engine's own for literals."""

    def decode(raw: bytes) -> Value:
        return parse_value(decode_utf8(raw), data_type)

    return decode


def sized(value: bytes | None) -> bytes:
    """Return a part of a binary value: its bytes after their number, or -1 for NULL."""
    return _NULL_LENGTH if value is None else _pack_length(len(value)) + value


def bad_binary(data_type: str) -> QueryError:
    """Return the error for a binary parameter that is not a value of its type."""
    return QueryError(f"incorrect binary data format for type {data_type}", sqlstate=BAD_BINARY)

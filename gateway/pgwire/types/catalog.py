"""Types of the system catalog on the wire: oids, names, vectors, and names of objects.

They are held as numbers, texts and arrays, and travel as these but for their oid and what is said
here. An oid has four bytes and no sign; a vector prints as `1 2`, and its subscripts begin at 0.
"""

from __future__ import annotations

import struct
from dataclasses import replace

from gateway.pgwire.types.nested import array_type
from gateway.pgwire.types.wire_type import (
    Decode,
    FindWireType,
    WireType,
    bad_binary,
    decode_utf8,
)
from planner.engine import CatalogType, DataType, Kind, QueryError, Value

_OID_MAX = (1 << 32) - 1
_pack_oid = struct.Struct(">I").pack
_unpack_oid = struct.Struct(">I").unpack


def catalog_wire_type(data_type: CatalogType, wire_type: FindWireType) -> WireType:
    """Return the wire form of a type that only PostgreSQL has, such as oid and varchar."""
    held = wire_type(DataType(kind=data_type.kind, element=data_type.element))
    if data_type.kind is Kind.ARRAY:
        return _array(data_type, wire_type)
    named = replace(
        held,
        oid=data_type.oid,
        array_oid=data_type.array_oid,
        length=data_type.length,
        modifier=data_type.modifier,
    )
    if data_type.kind is Kind.BIGINT and data_type.length == 4:
        return replace(
            named,
            encode_binary=_pack_oid,
            decode_text=_oid_text(held.decode_text, data_type.postgres),
            decode_binary=_oid_decoder(data_type.postgres),
            encode_column_binary=None,
        )
    return _object(data_type, named) if data_type.postgres.startswith("reg") else named


def _oid_decoder(name: str) -> Decode:
    def decode(raw: bytes) -> Value:
        if len(raw) != 4:
            raise bad_binary(name)
        return _unpack_oid(raw)[0]

    return decode


def _oid_text(decode: Decode, name: str) -> Decode:
    def checked(raw: bytes) -> Value:
        value = decode(raw)
        if not -(1 << 31) <= value <= _OID_MAX:
            raise QueryError(
                f'value "{decode_utf8(raw).strip()}" is out of range for type {name}',
                sqlstate="22003",
            )
        return value & _OID_MAX  # PostgreSQL takes -1 for the greatest

    return checked


def _object(data_type: CatalogType, held: WireType) -> WireType:
    """Return the wire form of an oid that prints as a name: it is held as this name.

    A parameter's binary form is the oid, which stands for itself where a name is asked for.
    """

    def decode(raw: bytes) -> Value:
        if len(raw) != 4:
            raise bad_binary(data_type.postgres)
        return str(_unpack_oid(raw)[0])

    def encode(value: Value) -> bytes:
        raise QueryError(
            f"no binary output function available for type {data_type.postgres}",
            hint="Ask for text, or cast the column to oid or text.",
            sqlstate="42883",
        )

    return replace(held, decode_binary=decode, encode_binary=encode, encode_column_binary=None)


def _array(data_type: CatalogType, wire_type: FindWireType) -> WireType:
    """Return the wire form of a vector, or of an array cast from one, whose first index is 0."""
    assert data_type.element is not None
    element = wire_type(data_type.element)
    counted = array_type(data_type, element, lower=data_type.lower)
    if not data_type.postgres:
        return counted

    def encode(values: Value) -> bytes:
        return b" ".join(map(element.encode_text, values))

    def decode(raw: bytes) -> Value:
        return [element.decode_text(each) for each in raw.split()]

    return replace(
        counted,
        oid=data_type.oid,
        array_oid=data_type.array_oid,
        encode_text=encode,
        decode_text=decode,
    )

"""Rows as PostgreSQL's records."""

from __future__ import annotations

import re
import struct
from dataclasses import replace

from stategate.gateway.pgwire.types.wire_type import FindWireType, WireType, sized
from stategate.planner.engine import CatalogType, DataType, Kind, QueryError, Value

_NEEDS_QUOTES = re.compile(rb'[(),"\\\s]|\A\Z')
_ESCAPED = re.compile(rb'(["\\])')


def record_wire_type(data_type: CatalogType, wire_type: FindWireType) -> WireType:
    """Return the wire form of a row, whose fields have their own forms."""
    fields = [(name, wire_type(inner)) for name, inner in data_type.fields]

    def quoted(text: bytes) -> bytes:
        needed = _NEEDS_QUOTES.search(text)
        return b'"%s"' % _ESCAPED.sub(rb"\1\1", text) if needed else text

    def encode_text(value: Value) -> bytes:
        sides = ((value[name], wire) for name, wire in fields)
        texts = [b"" if each is None else quoted(wire.encode_text(each)) for each, wire in sides]
        return b"(%s)" % b",".join(texts)

    def encode_binary(value: Value) -> bytes:
        parts = [struct.pack(">i", len(fields))]
        for name, wire in fields:
            parts.append(struct.pack(">I", wire.oid))
            each = value[name]
            parts.append(sized(None if each is None else wire.encode_binary(each)))
        return b"".join(parts)

    def decode(raw: bytes) -> Value:
        raise QueryError("input of anonymous composite types is not implemented", sqlstate="0A000")

    record = wire_type(DataType(kind=Kind.TEXT))
    return replace(
        record,
        oid=data_type.oid,
        array_oid=data_type.array_oid,
        encode_text=encode_text,
        encode_binary=encode_binary,
        decode_text=decode,
        decode_binary=decode,
        encode_texts=None,
        encode_column_text=None,
        encode_column_binary=None,
    )

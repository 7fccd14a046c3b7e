"""Structs and maps, which PostgreSQL has no builtin oid for, as jsonb."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TypeAlias

import orjson

from stategate.gateway.pgwire.types.wire_type import (
    Encode,
    FindWireType,
    WireType,
    text_decoder,
    with_query_errors,
)
from stategate.planner.engine import DataType, Kind, Value

_JSONB_VERSION = b"\1"

_ToJson: TypeAlias = Callable[[Value], object]
"""Turns a value into one that orjson prints as PostgreSQL's to_json does."""


def _json_float(value: float) -> object:
    return value if math.isfinite(value) else Kind.DOUBLE.record.text(value).decode()


def _json_text(encode: Encode, data_type: DataType) -> _ToJson:
    iso = data_type.kind in {Kind.TIMESTAMP, Kind.TIMESTAMPTZ}
    has_offset = data_type.kind is Kind.TIMESTAMPTZ

    def convert(value: Value) -> object:
        text = encode(value).decode()
        if not iso:
            return text
        # A whole offset has no minutes in PostgreSQL's texts.
        is_whole = has_offset and text[-3:-2] in {"+", "-"}
        return text.replace(" ", "T", 1) + (":00" if is_whole else "")

    return convert


def _json_value(data_type: DataType, wire_type: FindWireType) -> _ToJson:
    match data_type.kind:
        case Kind.ARRAY:
            return _json_list(data_type, wire_type)
        case Kind.STRUCT:
            return _json_struct(data_type, wire_type)
        case Kind.MAP:
            return _json_map(data_type, wire_type)
        case kind if kind in _JSON_VALUES:
            return _JSON_VALUES[kind]
        case _:
            return _json_text(wire_type(data_type).encode_text, data_type)


def _or_null(convert: _ToJson) -> _ToJson:
    return lambda value: None if value is None else convert(value)


def _json_list(data_type: DataType, wire_type: FindWireType) -> _ToJson:
    assert data_type.element is not None
    convert = _or_null(_json_value(data_type.element, wire_type))
    return lambda values: [convert(value) for value in values]


def _json_struct(data_type: DataType, wire_type: FindWireType) -> _ToJson:
    fields = {name: _or_null(_json_value(inner, wire_type)) for name, inner in data_type.fields}
    return lambda values: {name: fields[name](value) for name, value in values.items()}


def _json_map(data_type: DataType, wire_type: FindWireType) -> _ToJson:
    assert data_type.element is not None
    key = wire_type(data_type.fields[0][1]).encode_text
    convert = _or_null(_json_value(data_type.element, wire_type))
    return lambda pairs: {key(name).decode(): convert(value) for name, value in pairs}


def _same(value: Value) -> object:
    return value


_JSON_VALUES: Mapping[Kind, _ToJson] = {
    **dict.fromkeys((Kind.BOOLEAN, Kind.TEXT), _same),
    **dict.fromkeys((Kind.TINYINT, Kind.SMALLINT, Kind.INTEGER, Kind.BIGINT), _same),
    **dict.fromkeys((Kind.REAL, Kind.DOUBLE), _json_float),
    Kind.DECIMAL: lambda value: orjson.Fragment(format(value, "f")),
    **dict.fromkeys((Kind.JSON, Kind.JSONB), orjson.Fragment),
}
"""Types whose JSON is not their text; all other types without parts are texts in JSON."""


def document_wire_type(data_type: DataType, wire_type: FindWireType) -> WireType:
    """Return the wire form of a struct or a map, which is that of jsonb."""
    convert = _json_value(data_type, wire_type)

    def encode_text(value: Value) -> bytes:
        return orjson.dumps(convert(value))

    return WireType(
        oid=data_type.kind.record.oid,
        array_oid=data_type.kind.record.array_oid,
        length=-1,
        encode_text=encode_text,
        encode_binary=lambda value: _JSONB_VERSION + encode_text(value),
        decode_text=text_decoder(data_type),
        decode_binary=with_query_errors(Kind.JSONB.record.decode),
    )

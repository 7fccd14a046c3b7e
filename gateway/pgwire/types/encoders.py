"""The wire form of each SQL type: OID, text and binary, single values and whole columns.

Values are the *physical values* of the engine's types. A type without parts takes its forms from
its record, so a new type needs nothing in this folder. Callers choose encoders once per
statement and format, never per row.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import pyarrow as pa

from stategate.gateway.pgwire.types import scalar_columns, time_columns
from stategate.gateway.pgwire.types.arrays import array_type, array_wire_type
from stategate.gateway.pgwire.types.arrow_values import as_stored, physical_values
from stategate.gateway.pgwire.types.documents import document_wire_type
from stategate.gateway.pgwire.types.fields import Array, Fields, printed
from stategate.gateway.pgwire.types.records import record_wire_type
from stategate.gateway.pgwire.types.timed_types import TimedType, timed_wire_type
from stategate.gateway.pgwire.types.wire_type import (
    Decode,
    EncodeColumn,
    WireType,
    bad_binary,
    decode_utf8,
    text_decoder,
    with_query_errors,
)
from stategate.planner.engine import (
    CatalogType,
    DataType,
    Kind,
    QueryError,
    Value,
    has_any_scale,
    parse_value,
    trimmed,
)

_VALUES_MAX = 1024
"""Values of a column that are Python objects at the same time. Freeing a million of them takes 200
ms, in which no other thread runs; one array can have as many elements."""
TEXT_FORMAT = 0
BINARY_FORMAT = 1
_OID_MAX = (1 << 32) - 1
_pack_oid = struct.Struct(">I").pack
_unpack_oid = struct.Struct(">I").unpack


@lru_cache(maxsize=4096)
def wire_type(data_type: DataType) -> WireType:
    """Return the wire form of a type."""
    if isinstance(data_type, CatalogType):
        return _catalog_wire_type(data_type)
    if isinstance(data_type, TimedType):
        return timed_wire_type(data_type, wire_type(DataType(kind=data_type.kind)))
    match data_type.kind:
        case Kind.ARRAY:
            return array_wire_type(data_type, wire_type, encode_column)
        case Kind.STRUCT | Kind.MAP:
            return document_wire_type(data_type, wire_type)
        case _:
            return _scalar_wire_type(data_type)


def encode_column(array: Array, data_type: DataType, code: int) -> Fields:
    """Encode a whole column in a format."""
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
    """Encode single values in a format."""
    wire = wire_type(data_type)
    encode = wire.encode_text if format_code == TEXT_FORMAT else wire.encode_binary
    fields = [None if value is None else encode(value) for value in values]
    return pa.array(fields, pa.binary())


@dataclass(frozen=True, slots=True)
class _Columns:
    """The encoders of whole columns of a type; None means value by value."""

    text: EncodeColumn | None = None
    binary: EncodeColumn | None = None


_DOCUMENTS = frozenset({Kind.JSON, Kind.JSONB})
"""Kinds whose binary form holds their text, which is read."""
_INTEGERS = (Kind.TINYINT, Kind.SMALLINT, Kind.INTEGER, Kind.BIGINT)
_UTF8 = _Columns(scalar_columns.utf8, scalar_columns.utf8)
_COLUMNS: Mapping[Kind, _Columns] = {
    Kind.BOOLEAN: _Columns(scalar_columns.boolean_text, scalar_columns.boolean_binary),
    **{
        kind: _Columns(
            printed,
            scalar_columns.number_binary(
                f"i{DataType(kind=kind).arrow.bit_width // 8}", f"i{kind.record.length}"
            ),
        )
        for kind in _INTEGERS
    },
    Kind.REAL: _Columns(
        scalar_columns.float_text("f4", fixed_below=1e6, encode=Kind.REAL.record.text),
        scalar_columns.number_binary("f4", "f4"),
    ),
    Kind.DOUBLE: _Columns(
        scalar_columns.float_text("f8", fixed_below=1e15, encode=Kind.DOUBLE.record.text),
        scalar_columns.number_binary("f8", "f8"),
    ),
    Kind.TEXT: _UTF8,
    Kind.JSON: _UTF8,
    Kind.JSONB: _Columns(scalar_columns.utf8),
    Kind.NULL: _Columns(scalar_columns.nulls, scalar_columns.nulls),
    Kind.BYTEA: _Columns(scalar_columns.bytea_text, scalar_columns.same),
    Kind.UUID: _Columns(scalar_columns.utf8, scalar_columns.uuid_binary),
    Kind.DATE: _Columns(time_columns.date_text(Kind.DATE.record.text), time_columns.date_binary),
    Kind.TIME: _Columns(time_columns.time_text, time_columns.time_binary),
    Kind.TIMESTAMP: _Columns(
        time_columns.timestamp_text(b"", Kind.TIMESTAMP.record.text),
        time_columns.timestamp_binary,
    ),
    Kind.TIMESTAMPTZ: _Columns(
        time_columns.timestamp_text(b"+00", Kind.TIMESTAMPTZ.record.text),
        time_columns.timestamp_binary,
    ),
    Kind.INTERVAL: _Columns(
        time_columns.interval_text(Kind.INTERVAL.record.text), time_columns.interval_binary
    ),
}
"""The encoders of columns, by kind. A column of any other kind is encoded value by value."""


def _scalar_wire_type(data_type: DataType) -> WireType:
    """Return the wire form of a type without parts."""
    kind, record = data_type.kind, data_type.kind.record
    columns = _decimals(data_type) if kind is Kind.DECIMAL else _COLUMNS.get(kind, _Columns())
    return WireType(
        oid=record.oid,
        array_oid=record.array_oid,
        length=record.length,
        modifier=_modifier(data_type),
        encode_text=record.text,
        encode_texts=record.texts,
        # Only dates and times can be out of range, because the wire counts from another epoch.
        encode_binary=with_query_errors(record.encode) if record.count else record.encode,
        decode_text=_text_decoder(data_type),
        decode_binary=_binary_decoder(data_type),
        encode_column_text=columns.text,
        encode_column_binary=(
            None
            if columns.binary is None
            else with_query_errors(columns.binary)
            if record.count
            else columns.binary
        ),
    )


def _modifier(data_type: DataType) -> int:
    return (data_type.precision << 16 | data_type.scale) + 4 if data_type.precision else -1


def _decimals(data_type: DataType) -> _Columns:
    # Parameters have no precision, and columns with more digits after the point are rare.
    if not data_type.precision or data_type.scale > scalar_columns.NUMERIC_DIGITS_MAX:
        return _Columns()
    record = Kind.DECIMAL.record
    return _Columns(
        scalar_columns.numeric_text(data_type.scale, record.text),
        scalar_columns.numeric_binary(data_type.scale, record.encode),
    )


def _text_decoder(data_type: DataType) -> Decode:
    if data_type.kind in _INTEGERS:
        return _integer_decoder(data_type)
    record = data_type.kind.record
    # The text form of these types is their binary form; only that of a json must be checked.
    is_same = record.encode is record.text and data_type.kind not in _DOCUMENTS
    return decode_utf8 if is_same else text_decoder(data_type)


def _binary_decoder(data_type: DataType) -> Decode:
    decode = with_query_errors(data_type.kind.record.decode)
    if data_type.kind not in _DOCUMENTS:
        return decode
    return lambda raw: parse_value(decode(raw), data_type)


def _integer_decoder(data_type: DataType) -> Decode:
    """Return a decoder that needs no parser for few digits, as the hot path sends them."""
    parse = text_decoder(data_type)
    digits_safe = len(str(1 << (data_type.arrow.bit_width - 1))) - 1

    def decode(raw: bytes) -> Value:
        if len(raw) <= digits_safe and raw.isdigit():
            return int(raw)
        return parse(raw)

    return decode


def _catalog_wire_type(data_type: CatalogType) -> WireType:
    """Return the wire form of a type that only PostgreSQL has, such as oid and varchar.

    Values are held as numbers, texts and arrays, and are sent in that form, except for their oid
    and the rules below. An oid has four bytes and no sign; a vector prints as `1 2`, and its
    subscripts begin at 0.
    """
    if data_type.kind is Kind.STRUCT:
        return record_wire_type(data_type, wire_type)
    held = wire_type(DataType(kind=data_type.kind, element=data_type.element))
    if has_any_scale(data_type):
        return _of_any_scale(held)
    if data_type.kind is Kind.ARRAY:
        return _vector(data_type)
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
    return _named_object(data_type, named) if data_type.postgres.startswith("reg") else named


def _of_any_scale(held: WireType) -> WireType:
    """Return the wire form of numerics that are sent without the zeros at their end."""
    text, binary = held.encode_text, held.encode_binary
    return replace(
        held,
        encode_text=lambda value: text(trimmed(value)),
        encode_texts=None,
        encode_binary=lambda value: binary(trimmed(value)),
    )


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


def _named_object(data_type: CatalogType, held: WireType) -> WireType:
    """Return the wire form of an oid that prints as a name: it is held as this name.

    A parameter's binary form is the oid, which is valid where a name is expected.
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


def _vector(data_type: CatalogType) -> WireType:
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

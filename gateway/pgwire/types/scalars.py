"""The wire form of types without parts: their records, and the encoders of whole columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gateway.pgwire.types import vector_numeric, vector_scalars, vector_times
from gateway.pgwire.types.fields import printed
from gateway.pgwire.types.wire_type import (
    Decode,
    EncodeColumn,
    WireType,
    decode_utf8,
    text_decoder,
    with_query_errors,
)
from planner.engine import DataType, Kind, Value


@dataclass(frozen=True, slots=True)
class _Columns:
    """The encoders of whole columns of a type; None means value by value."""

    text: EncodeColumn | None = None
    binary: EncodeColumn | None = None


_INTEGERS = (Kind.TINYINT, Kind.SMALLINT, Kind.INTEGER, Kind.BIGINT)
_UTF8 = _Columns(vector_scalars.utf8, vector_scalars.utf8)
_COLUMNS: Mapping[Kind, _Columns] = {
    Kind.BOOLEAN: _Columns(vector_scalars.boolean_text, vector_scalars.boolean_binary),
    **{
        kind: _Columns(
            printed,
            vector_scalars.number_binary(
                f"i{DataType(kind=kind).arrow.bit_width // 8}", f"i{kind.record.length}"
            ),
        )
        for kind in _INTEGERS
    },
    Kind.REAL: _Columns(
        vector_scalars.float_text("f4", fixed_below=1e6, encode=Kind.REAL.record.text),
        vector_scalars.number_binary("f4", "f4"),
    ),
    Kind.DOUBLE: _Columns(
        vector_scalars.float_text("f8", fixed_below=1e15, encode=Kind.DOUBLE.record.text),
        vector_scalars.number_binary("f8", "f8"),
    ),
    Kind.TEXT: _UTF8,
    Kind.JSON: _UTF8,
    Kind.NULL: _Columns(vector_scalars.nulls, vector_scalars.nulls),
    Kind.BYTEA: _Columns(vector_scalars.bytea_text, vector_scalars.same),
    Kind.UUID: _Columns(vector_scalars.utf8, vector_scalars.uuid_binary),
    Kind.DATE: _Columns(vector_times.date_text(Kind.DATE.record.text), vector_times.date_binary),
    Kind.TIME: _Columns(vector_times.time_text, vector_times.time_binary),
    Kind.TIMESTAMP: _Columns(
        vector_times.timestamp_text(b"", Kind.TIMESTAMP.record.text),
        vector_times.timestamp_binary,
    ),
    Kind.TIMESTAMPTZ: _Columns(
        vector_times.timestamp_text(b"+00", Kind.TIMESTAMPTZ.record.text),
        vector_times.timestamp_binary,
    ),
    Kind.INTERVAL: _Columns(
        vector_times.interval_text(Kind.INTERVAL.record.text), vector_times.interval_binary
    ),
}
"""By kind. A column of any other kind is encoded value by value."""


def scalar_wire_type(data_type: DataType) -> WireType:
    """Return the wire form of a type without parts."""
    kind, record = data_type.kind, data_type.kind.record
    columns = _decimals(data_type) if kind is Kind.DECIMAL else _COLUMNS.get(kind, _Columns())
    return WireType(
        oid=record.oid,
        array_oid=record.array_oid,
        length=record.length,
        modifier=_modifier(data_type),
        encode_text=record.text,
        # Of all that is sent, only counts from another epoch can be out of range.
        encode_binary=with_query_errors(record.encode) if record.count else record.encode,
        decode_text=_text_decoder(data_type),
        decode_binary=with_query_errors(record.decode),
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
    # Parameters have no precision, and columns of more digits behind the point are rare.
    if not data_type.precision or data_type.scale > vector_numeric.DIGITS_MAX:
        return _Columns()
    record = Kind.DECIMAL.record
    return _Columns(
        vector_numeric.numeric_text(data_type.scale, record.text),
        vector_numeric.numeric_binary(data_type.scale, record.encode),
    )


def _text_decoder(data_type: DataType) -> Decode:
    if data_type.kind in _INTEGERS:
        return _integer_decoder(data_type)
    record = data_type.kind.record
    # A text is its own binary form, and is not looked at: json neither, as it is a parameter.
    return decode_utf8 if record.encode is record.text else text_decoder(data_type)


def _integer_decoder(data_type: DataType) -> Decode:
    """Return a decoder that needs no parser for few digits, as the hot path sends them."""
    parse = text_decoder(data_type)
    digits_safe = len(str(1 << (data_type.arrow.bit_width - 1))) - 1

    def decode(raw: bytes) -> Value:
        if len(raw) <= digits_safe and raw.isdigit():
            return int(raw)
        return parse(raw)

    return decode

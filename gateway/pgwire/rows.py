"""Rows to DataRow messages: one shape per statement and formats, one source per result.

A shape is chosen once and cached with its statement; what runs per row is the loop in it. Rows of a
stream are encoded by column, a chunk of a batch at a time; an encoder that works on Arrow's own
buffers would replace `encode_batch` and nothing else.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import pyarrow as pa

from gateway.pgwire.codec import encode
from gateway.pgwire.encoders import (
    TEXT_FORMAT,
    Encode,
    encode_column,
    wire_type,
)
from gateway.pgwire.limits import PgLimits
from gateway.pgwire.messages import BindComplete, Field, RowDescription
from gateway.pgwire.parameters import expand_formats
from planner.engine import Column, Result, Row

EncodeRow: TypeAlias = Callable[[Row], bytes]

_DATA_ROW = ord("D")
_NULL_FIELD = struct.pack(">i", -1)
_pack_length = struct.Struct(">i").pack
_pack_head = struct.Struct(">BiH").pack
_pack_single = struct.Struct(">BiHi").pack
_BIND_COMPLETE = encode(BindComplete())


class _Lengths(dict[int, bytes]):
    """Length prefixes, packed ahead for short fields: a lookup costs a third of packing."""

    def __missing__(self, length: int) -> bytes:
        return _pack_length(length)


_LENGTHS = _Lengths({length: _pack_length(length) for length in range(1024)})


class Shape:
    """How the rows of a statement go out in the formats that a client asked for.

    Args:
        columns: of the result.
        formats: as a Bind has them.

    Raises:
        QueryError: the formats do not go with the columns.
    """

    __slots__ = ("bound", "bound_described", "columns", "description", "encode_row", "formats")

    def __init__(self, columns: tuple[Column, ...], formats: Sequence[int]) -> None:
        self.columns = columns
        self.formats = expand_formats(formats, len(columns), what="result column")
        self.description = encode(_describe(self.columns, self.formats))
        self.bound = _BIND_COMPLETE
        """What precedes the rows of a round that does not describe its portal."""
        self.bound_described = _BIND_COMPLETE + self.description
        self.encode_row = _row_encoder(self.columns, self.formats)


_SHAPES_MAX = 4096
"""Shapes that are kept for statements that come again with other literals: some 2 kB each."""
_shapes: dict[tuple[int, tuple[int, ...]], Shape] = {}


def shape_of(columns: tuple[Column, ...], formats: tuple[int, ...]) -> Shape:
    """The shape of these very columns: statements that share a plan share their columns.

    To find it by the columns' values would cost as much as to make it. An identity cannot pass to
    other columns while its shape is kept, for the shape holds them.

    Raises:
        QueryError: the formats do not go with the columns.
    """
    key = (id(columns), formats)
    found = _shapes.get(key)
    if found is None:
        if len(_shapes) >= _SHAPES_MAX:
            _shapes.clear()
        # Workers get here, too; the worst that a race can do is to make a shape twice.
        found = _shapes[key] = Shape(columns, formats)
    return found


def _describe(columns: Sequence[Column], formats: Sequence[int]) -> RowDescription:
    fields = []
    for column, code in zip(columns, formats, strict=True):
        wire = wire_type(column.type)
        field = Field(
            name=column.name,
            oid=wire.oid,
            length=wire.length,
            modifier=wire.modifier,
            format=code,
        )
        fields.append(field)
    return RowDescription(fields=tuple(fields))


def _row_encoder(columns: Sequence[Column], formats: Sequence[int]) -> EncodeRow:
    """The function that encodes one row as a DataRow."""
    encoders: list[Encode] = []
    for column, code in zip(columns, formats, strict=True):
        wire = wire_type(column.type)
        encoders.append(wire.encode_text if code == TEXT_FORMAT else wire.encode_binary)
    return _single_encoder(encoders[0]) if len(encoders) == 1 else _wide_encoder(encoders)


def _single_encoder(encode_value: Encode) -> EncodeRow:
    def encode_row(row: Row) -> bytes:
        (value,) = row
        if value is None:
            return _pack_single(_DATA_ROW, 10, 1, -1)
        field = encode_value(value)
        length = len(field)
        return _pack_single(_DATA_ROW, length + 10, 1, length) + field

    return encode_row


def _wide_encoder(encoders: Sequence[Encode]) -> EncodeRow:
    count = len(encoders)

    def encode_row(row: Row) -> bytes:
        parts: list[bytes] = []
        for value, encode_value in zip(row, encoders, strict=True):
            if value is None:
                parts.append(_NULL_FIELD)
            else:
                field = encode_value(value)
                parts.append(_LENGTHS[len(field)] + field)
        body = b"".join(parts)
        return _pack_head(_DATA_ROW, len(body) + 6, count) + body

    return encode_row


def encode_rows(rows: Sequence[Row], shape: Shape) -> bytes:
    """The DataRows of rows that are at hand."""
    return b"".join(map(shape.encode_row, rows))


def encode_batch(batch: pa.RecordBatch, shape: Shape) -> bytes:
    """The DataRows of a batch."""
    count = batch.num_columns
    if count == 0:
        rows: int = batch.num_rows
        return _pack_head(_DATA_ROW, 6, 0) * rows
    columns = [
        _prefixed(encode_column(array, column.type, code))
        for array, column, code in zip(batch.columns, shape.columns, shape.formats, strict=True)
    ]
    out: list[bytes] = []
    for fields in zip(*columns, strict=True):
        body = b"".join(fields)
        out.append(_pack_head(_DATA_ROW, len(body) + 6, count))
        out.append(body)
    return b"".join(out)


def _prefixed(fields: list[bytes | None]) -> list[bytes]:
    lengths = _LENGTHS
    return [_NULL_FIELD if field is None else lengths[len(field)] + field for field in fields]


class RowSource:
    """The rows of a result, given out in as many goes as a client asks for.

    Used by one thread at a time; `close` it when it is not read to the end.
    """

    __slots__ = ("_batches", "_pending", "_result", "_rows", "_rows_at", "shape", "taken")

    def __init__(self, result: Result, shape: Shape) -> None:
        self.shape = shape
        self.taken = 0
        """Rows given out by the last `take` or `take_at_hand`."""
        self._result = result
        self._rows: Sequence[Row] | None = result.rows
        self._rows_at = 0
        self._batches: Iterator[pa.RecordBatch] = iter(result.batches or ())
        self._pending: pa.RecordBatch | None = None

    @property
    def result(self) -> Result:
        """Whose rows they are."""
        return self._result

    @property
    def at_hand(self) -> bool:
        """Whether all rows are there and few, so that taking them needs no worker."""
        return self._rows is not None

    def take_at_hand(self, rows_max: int) -> bytes:
        """The next rows, at most `rows_max` unless it is 0, of a result that is at hand."""
        assert self._rows is not None, "the rows are a stream"
        end = len(self._rows) if rows_max == 0 else self._rows_at + rows_max
        rows = self._rows[self._rows_at : end]
        self._rows_at += len(rows)
        self.taken = len(rows)
        return encode_rows(rows, self.shape)

    def take(self, rows_max: int, limits: PgLimits) -> Iterator[bytes]:
        """The next rows, at most `rows_max` unless it is 0, in chunks; blocks between them.

        Raises:
            QueryError: the stream failed or was cancelled.
        """
        self.taken = 0
        while rows_max == 0 or self.taken < rows_max:
            batch = self._next_batch()
            if batch is None:
                return
            rows = _chunk_rows(batch, limits)
            if rows_max:
                rows = min(rows, rows_max - self.taken)
            chunk = batch.slice(0, rows)
            rest = batch.num_rows - chunk.num_rows
            self._pending = batch.slice(rows) if rest else None
            self.taken += chunk.num_rows
            yield encode_batch(chunk, self.shape)

    def _next_batch(self) -> pa.RecordBatch | None:
        batch = self._pending
        while batch is None or batch.num_rows == 0:
            batch = next(self._batches, None)
            if batch is None:
                return None
        return batch

    def close(self) -> None:
        """Release what the result holds."""
        self._rows = ()
        self._pending = None
        self._batches = iter(())
        self._result.close()


def _chunk_rows(batch: pa.RecordBatch, limits: PgLimits) -> int:
    """Rows of a batch that make a chunk of the size wanted; at least one."""
    average: Any = batch.nbytes / batch.num_rows
    return max(1, min(limits.chunk_rows_max, int(limits.chunk_bytes_target / max(1.0, average))))

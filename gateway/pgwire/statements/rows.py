"""Rows to DataRow messages: one shape per statement and formats, one source per result.

A shape is chosen once and cached with its statement. The few rows of a lookup are encoded value by
value; those of a stream by column, a chunk of a batch at a time, by Arrow and numpy (`fields`).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Protocol, TypeAlias

import pyarrow as pa

from gateway.pgwire.protocol.encode import encode
from gateway.pgwire.protocol.limits import PgLimits
from gateway.pgwire.protocol.messages import BindComplete, Field, RowDescription
from gateway.pgwire.statements.row_window import ALL, Piece, Reader
from gateway.pgwire.types.encoders import (
    TEXT_FORMAT,
    encode_column,
    wire_type,
)
from gateway.pgwire.types.fields import framed_rows
from gateway.pgwire.types.parameters import expand_formats
from gateway.pgwire.types.wire_type import Encode
from planner.engine import Column, QueryError, Result, ResultColumn, Row

EncodeRow: TypeAlias = Callable[[Row], bytes]

_DATA_ROW = ord("D")
_NULL_FIELD = struct.pack(">i", -1)
_pack_length = struct.Struct(">i").pack
_pack_head = struct.Struct(">BiH").pack
_BIND_COMPLETE = encode(BindComplete())


_LENGTHS = [_pack_length(length) for length in range(1024)]
"""Length prefixes, packed ahead for short fields: to look one up costs a third of packing it."""
_SHORT = len(_LENGTHS)
_WRITTEN_OUT_MAX = 32
"""Columns of rows whose encoder is written out; it has to be compiled, in 60 µs a column."""


class RowEncoder(Protocol):
    """What makes messages of rows."""

    def encode_rows(self, rows: Sequence[Row]) -> bytes:
        """Of rows that are at hand."""

    def encode_batch(self, batch: pa.RecordBatch) -> bytes:
        """Of a batch."""


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

    def encode_rows(self, rows: Sequence[Row]) -> bytes:
        """The DataRows of rows that are at hand."""
        return b"".join(map(self.encode_row, rows))

    def encode_batch(self, batch: pa.RecordBatch) -> bytes:
        """The DataRows of a batch."""
        columns = [
            encode_column(array, column.type, code)
            for array, column, code in zip(batch.columns, self.columns, self.formats, strict=True)
        ]
        return framed_rows(_DATA_ROW, columns, batch.num_rows)


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
            table_oid=column.table_oid if isinstance(column, ResultColumn) else 0,
            column_number=column.number if isinstance(column, ResultColumn) else 0,
        )
        fields.append(field)
    return RowDescription(fields=tuple(fields))


def _row_encoder(columns: Sequence[Column], formats: Sequence[int]) -> EncodeRow:
    """The function that encodes one row as a DataRow."""
    encoders: list[Encode] = []
    for column, code in zip(columns, formats, strict=True):
        wire = wire_type(column.type)
        encoders.append(wire.encode_text if code == TEXT_FORMAT else wire.encode_binary)
    count = len(encoders)
    if 0 < count <= _WRITTEN_OUT_MAX:
        return _written_out(count)(*encoders)
    return looping_encoder(encoders)


def looping_encoder(encoders: Sequence[Encode]) -> EncodeRow:
    """An encoder of rows of any width, which goes over their columns."""
    count = len(encoders)

    def encode_row(row: Row) -> bytes:
        parts: list[bytes] = []
        add = parts.append
        # Not strict: the engine gives a value for each column, and this is the hottest of loops.
        for value, encode_value in zip(row, encoders, strict=False):
            if value is None:
                add(_NULL_FIELD)
            else:
                field = encode_value(value)
                length = len(field)
                add(_LENGTHS[length] if length < _SHORT else _pack_length(length))
                add(field)
        body = b"".join(parts)
        return _pack_head(_DATA_ROW, len(body) + 6, count) + body

    return encode_row


_COLUMN = """
        if v{0} is None:
            n{0}, f{0} = NULL_FIELD, b""
        else:
            f{0} = e{0}(v{0})
            size = len(f{0})
            n{0} = LENGTHS[size] if size < SHORT else pack_length(size)"""


@lru_cache(maxsize=_WRITTEN_OUT_MAX)
def _written_out(count: int) -> Callable[..., EncodeRow]:
    """What makes an encoder of so many columns, one after the other in one function.

    Law: it encodes as `looping_encoder` does, in two thirds of the time.
    """
    numbers = range(count)
    source = (
        f"def made({', '.join(f'e{at}' for at in numbers)}):\n"
        f"    def encode_row(row):\n"
        f"        {' '.join(f'v{at},' for at in numbers)} = row"
        f"{''.join(_COLUMN.format(at) for at in numbers)}\n"
        f"        body = b''.join(({' '.join(f'n{at}, f{at},' for at in numbers)}))\n"
        f"        return pack_head({_DATA_ROW}, len(body) + 6, {count}) + body\n"
        f"    return encode_row\n"
    )
    names: dict[str, Any] = {
        "LENGTHS": _LENGTHS,
        "NULL_FIELD": _NULL_FIELD,
        "SHORT": _SHORT,
        "pack_head": _pack_head,
        "pack_length": _pack_length,
    }
    exec(source, names)
    made: Callable[..., EncodeRow] = names["made"]
    return made


def encode_piece(piece: Piece, encoder: RowEncoder) -> bytes:
    """The messages of consecutive rows of a result."""
    if isinstance(piece, pa.RecordBatch):
        return encoder.encode_batch(piece)
    return encoder.encode_rows(piece)


def chunked(pieces: Iterator[Piece], limits: PgLimits) -> Iterator[Sequence[Piece]]:
    """Pieces in groups of the size wanted: threads take turns once a group, which is not free.

    The first piece goes out at once, for somebody waits for it, and what was read before an error
    goes out before it.
    """
    group: list[Piece] = []
    rows, size = limits.chunk_rows_max, 0
    try:
        for piece in pieces:
            group.append(piece)
            rows += len(piece)
            size += piece.nbytes if isinstance(piece, pa.RecordBatch) else 0
            if rows >= limits.chunk_rows_max or size >= limits.chunk_bytes_target:
                yield group
                group, rows, size = [], 0, 0
    except QueryError:
        if group:
            yield group
        raise
    if group:
        yield group


class RowSource:
    """The rows of a result, given out in as many goes as a client asks for.

    Used by one thread at a time; `close` it when it is not read to the end.

    Args:
        result: whose rows they are.
        encoder: what makes messages of them.
        window_bytes_max: rows kept to go back to; 0 where nobody does.
    """

    __slots__ = ("encoder", "reader", "result", "taken")

    def __init__(self, result: Result, encoder: RowEncoder, *, window_bytes_max: int = 0) -> None:
        self.encoder = encoder
        self.result = result
        self.reader = Reader(result, window_bytes_max=window_bytes_max)
        self.taken = 0
        """Rows given out by the last `take` or `take_at_hand`."""

    @property
    def at_hand(self) -> bool:
        """Whether all rows are there and few, so that taking them needs no worker."""
        return self.result.rows is not None

    def take_at_hand(self, rows_max: int) -> bytes:
        """The next rows, at most `rows_max` unless it is 0, of a result that is at hand."""
        assert self.at_hand, "the rows are a stream"
        wanted = rows_max or ALL
        piece = self.reader.forward(wanted)
        self.taken = 0 if piece is None else len(piece)
        self.reader.ended = self.taken < wanted
        return b"" if piece is None else encode_piece(piece, self.encoder)

    def take(self, rows_max: int, limits: PgLimits) -> Iterator[Sequence[Piece]]:
        """The next rows, at most `rows_max` unless it is 0, in chunks to `encode`; blocks.

        Raises:
            QueryError: the stream failed or was cancelled.
        """
        self.taken = 0
        yield from chunked(self._pieces(rows_max or ALL, limits), limits)

    def _pieces(self, wanted: int, limits: PgLimits) -> Iterator[Piece]:
        while self.taken < wanted:
            piece = self.reader.forward(wanted - self.taken, limits)
            if piece is None:
                return
            self.taken += len(piece)
            yield piece

    def encode(self, pieces: Sequence[Piece]) -> bytes:
        """The messages of a chunk; the first one alone, for it may have a head."""
        return b"".join([encode_piece(piece, self.encoder) for piece in pieces])

    def close(self) -> None:
        """Release what the result holds."""
        self.reader.close()
        self.result.close()

"""Rows to DataRow messages: `Shape` has the encoders, `RowSource` the rows of a result.

There is one shape for each combination of columns and formats, and one source for each result.
A shape is cached with its statement. Few rows are encoded value by value; a stream of more rows
is encoded by column, in chunks of a batch, with Arrow and numpy (`types.fields`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from stategate.gateway.pgwire.protocol.encode import encode
from stategate.gateway.pgwire.protocol.limits import PgLimits
from stategate.gateway.pgwire.protocol.server_messages import BindComplete, Field, RowDescription
from stategate.gateway.pgwire.statements.cursors import ALL, Piece, Reader
from stategate.gateway.pgwire.statements.row_encoders import DATA_ROW, rows_encoder
from stategate.gateway.pgwire.statements.row_memo import with_memo
from stategate.gateway.pgwire.types.arrow_values import physical_values
from stategate.gateway.pgwire.types.encoders import encode_column, wire_type
from stategate.gateway.pgwire.types.fields import framed_rows
from stategate.gateway.pgwire.types.parameters import expand_formats
from stategate.gateway.pgwire.types.timed_types import timed_columns
from stategate.planner.engine import Column, QueryError, Result, ResultColumn, Row, TimeSettings

_BIND_COMPLETE = encode(BindComplete())
_FEW_ROWS = 32
"""Rows of a batch that are encoded row by row. Ten rows take a tenth of the time that they take by
column, and with some types a hundred rows take longer."""
_FEW_BYTES = 64 << 10
"""Maximum bytes of such a batch; longer values would hold Python's lock."""


class RowEncoder(Protocol):
    """Turns rows into messages."""

    def encode_rows(self, rows: Sequence[Row]) -> bytes:
        """Return the messages of rows in memory."""

    def encode_batch(self, batch: pa.RecordBatch) -> bytes:
        """Return the messages of a batch."""


class Shape:
    """The encoders of a statement's rows in the formats that a client asked for.

    Args:
        columns: the columns of the result.
        formats: the result formats of a Bind.
        times: the session's settings of times.

    Raises:
        QueryError: the number of formats does not match the columns.
    """

    __slots__ = (
        *("bound", "bound_described", "columns", "description", "encode_rows", "formats"),
        *("_given", "_times"),
    )

    def __init__(
        self, columns: tuple[Column, ...], formats: Sequence[int], times: TimeSettings
    ) -> None:
        self._given, self._times = columns, times
        self.columns = columns = timed_columns(columns, times)
        self.formats = expand_formats(formats, len(columns), what="result column")
        self.description = encode(_describe(self.columns, self.formats))
        self.bound = _BIND_COMPLETE
        """The messages before the rows of a round without Describe."""
        self.bound_described = _BIND_COMPLETE + self.description
        encode_rows = rows_encoder(self.columns, self.formats)
        self.encode_rows = with_memo(self.columns, self.formats, encode_rows)
        """Returns the DataRow messages of rows in memory."""

    def under(self, times: TimeSettings) -> Shape:
        """Return the shape of the same columns and formats under other settings of times."""
        return self if times is self._times else shape_of(self._given, self.formats, times)

    def encode_batch(self, batch: pa.RecordBatch) -> bytes:
        """Return the DataRow messages of a batch."""
        is_few = batch.num_rows <= _FEW_ROWS and self.columns
        if is_few and batch.get_total_buffer_size() <= _FEW_BYTES:
            values = [
                physical_values(array, column.type)
                for array, column in zip(batch.columns, self.columns, strict=True)
            ]
            return self.encode_rows(list(zip(*values, strict=True)))
        return self.encode_columns(batch)

    def encode_columns(self, batch: pa.RecordBatch) -> bytes:
        """Return the DataRow messages of a batch, column by column."""
        columns = [
            encode_column(array, column.type, code)
            for array, column, code in zip(batch.columns, self.columns, self.formats, strict=True)
        ]
        return framed_rows(DATA_ROW, columns, batch.num_rows)


_SHAPES_MAX = 4096
"""Shapes that are kept for statements that return with other literals: about 2 kB each."""
_shapes: dict[tuple[int, tuple[int, ...], TimeSettings], Shape] = {}


def shape_of(columns: tuple[Column, ...], formats: tuple[int, ...], times: TimeSettings) -> Shape:
    """Return the shape of columns: statements that share a plan share their columns.

    Shapes are found by the identity of `columns`; comparing values would cost as much as making a
    new shape. The identity is not reused while the shape is kept, which holds the columns.

    Raises:
        QueryError: the number of formats does not match the columns.
    """
    key = (id(columns), formats, times)
    found = _shapes.get(key)
    if found is None:
        if len(_shapes) >= _SHAPES_MAX:
            _shapes.clear()
        # Statement threads call this, too; at worst a race makes a shape twice.
        found = _shapes[key] = Shape(columns, formats, times)
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


def encode_piece(piece: Piece, encoder: RowEncoder) -> bytes:
    """Return the messages of consecutive rows of a result."""
    if isinstance(piece, pa.RecordBatch):
        return encoder.encode_batch(piece)
    return encoder.encode_rows(piece)


def chunked(pieces: Iterator[Piece], limits: PgLimits) -> Iterator[Sequence[Piece]]:
    """Yield pieces in groups of the target size: each group costs a change of threads.

    The first piece is yielded at once, because a client waits for it. Pieces that were read before
    an error are yielded before the error is raised.
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


@dataclass(slots=True)
class Begun:
    """The first rows that an Execute or Query asked for, encoded."""

    rows: bytes = b""
    rest: Iterator[Sequence[Piece]] | None = None
    """The chunks after them, read and encoded in statement threads; None at the end of the rows."""
    error: Exception | None = None
    """The error that ended the rows; the client gets it after them."""

    def take_error(self) -> Exception:
        """Return the error to raise, and forget it: its traceback will hold this."""
        error, self.error = self.error, None
        assert error is not None, "there is one"
        return error


class RowSource:
    """The rows of a result, which a client may read in several parts.

    Only one thread may use it at a time. Close it if it is not read to the end.

    Args:
        result: has the rows.
        encoder: the encoder of the rows.
        window_bytes_max: bytes of rows to keep for reading backwards; 0 for none.
        is_short: whether its statement reads little, so that the threads of such read the rows.
    """

    __slots__ = ("encoder", "is_short", "reader", "result", "taken")

    def __init__(
        self,
        result: Result,
        encoder: RowEncoder,
        *,
        window_bytes_max: int = 0,
        is_short: bool = False,
    ) -> None:
        self.encoder = encoder
        self.is_short = is_short
        self.result = result
        self.reader = Reader(result, window_bytes_max=window_bytes_max)
        self.taken = 0
        """How many rows the last `take` or `take_at_hand` returned."""

    @property
    def at_hand(self) -> bool:
        """Whether the rows are few and in memory, so that reading them needs no thread."""
        return self.result.rows is not None

    def take_at_hand(self, rows_max: int) -> bytes:
        """Return the next rows of a result in memory, encoded: up to `rows_max`, or all for 0."""
        assert self.at_hand, "the rows are a stream"
        wanted = rows_max or ALL
        piece = self.reader.forward(wanted)
        self.taken = 0 if piece is None else len(piece)
        self.reader.ended = self.taken < wanted
        return b"" if piece is None else encode_piece(piece, self.encoder)

    def take(self, rows_max: int, limits: PgLimits) -> Iterator[Sequence[Piece]]:
        """Yield the next rows in chunks for `encode`, at most `rows_max` unless it is 0. Blocks.

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
        """Return the messages of a chunk."""
        return b"".join([encode_piece(piece, self.encoder) for piece in pieces])

    def begin(self, rows_max: int, limits: PgLimits) -> Begun:
        """Return the first rows, encoded: all of them if they are few. Blocks for the first chunk.

        The rest is left as chunks, unless reading it is known to be short: a client does not wait
        for later rows to get the first ones.
        """
        if self.at_hand:
            return Begun(self.take_at_hand(rows_max))
        chunks, encoded, size = self.take(rows_max, limits), list[bytes](), 0
        try:
            for chunk in chunks:
                encoded.append(self.encode(chunk))
                size += len(encoded[-1])
                if size >= limits.chunk_bytes_target or not self._is_short(rows_max):
                    return Begun(b"".join(encoded), rest=chunks)
        except Exception as error:  # it follows the rows, and their description
            return Begun(b"".join(encoded), error=error)
        return Begun(b"".join(encoded))

    def _is_short(self, rows_max: int) -> bool:
        return self.result.is_computed() or 0 < rows_max <= self.taken

    def close(self) -> None:
        """Release the result."""
        self.reader.close()
        self.result.close()


def read_ahead(pieces: Iterator[Piece], bytes_max: int) -> Sequence[Piece]:
    """Return the next pieces of a stream, until they have more than `bytes_max` bytes."""
    read: list[Piece] = []
    size = 0
    for piece in pieces:
        read.append(piece)
        size += piece.nbytes if isinstance(piece, pa.RecordBatch) else 0
        if size > bytes_max:
            break
    return read

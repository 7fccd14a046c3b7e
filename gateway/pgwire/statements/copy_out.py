"""Rows to the CopyData messages of COPY TO STDOUT in text, csv and binary format.

The bytes are those of PostgreSQL's `src/backend/commands/copyto.c`. DuckDB's client relies on one
row per message, and on the binary header being in the message of the first row.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from stategate.gateway.pgwire.types.encoders import (
    BINARY_FORMAT,
    TEXT_FORMAT,
    encode_column,
    encode_values,
)
from stategate.gateway.pgwire.types.fields import (
    Bools,
    Bytes,
    Fields,
    bytes_of,
    fields_of,
    framed_lines,
    framed_rows,
    join_or_null,
    lengths_of,
    offsets_of,
)
from stategate.planner.engine import Column, CopyFormat, CopyOut, Row

WriteColumn: TypeAlias = Callable[[Fields], Fields]
"""Turns the fields of a column into their text in a line."""
Look: TypeAlias = Callable[[Bytes], tuple[Bools, Bytes]]
"""Returns which of some bytes are escaped, and all bytes as they are written."""

_COPY_DATA = ord("d")
_SIGNATURE = b"PGCOPY\n\xff\r\n\0" + struct.pack(">II", 0, 0)
_TRAILER = struct.pack(">h", -1)
_pack_head = struct.Struct(">BI").pack
_SPECIAL = {0x08: b"b", 0x09: b"t", 0x0A: b"n", 0x0B: b"v", 0x0C: b"f", 0x0D: b"r"}
"""Control characters that the text format writes as a backslash and a letter."""
_BACKSLASH = ord("\\")
_PIECE_BYTES = 1 << 18
"""Bytes that are scanned at once: numpy holds the GIL while it scans, 600 ms for 32 MB."""


class CopyEncoder:
    """Makes the messages of one COPY: `head`, the rows, `tail`.

    Args:
        command: the COPY command.
        columns: the columns of the query.
    """

    __slots__ = ("_begun", "_between", "_columns", "_command", "_written", "format")

    def __init__(self, command: CopyOut, columns: Sequence[Column]) -> None:
        self.format = BINARY_FORMAT if command.format is CopyFormat.BINARY else TEXT_FORMAT
        """The format code of the CopyOutResponse."""
        self._command = command
        self._columns = columns
        self._written = [_line_field(command, column.name, len(columns)) for column in columns]
        self._between = command.delimiter.encode()
        self._begun = False

    def head(self) -> bytes:
        """Return the message with the column names; no bytes without HEADER."""
        if not self._command.header:
            return b""
        names = CopyOut(
            format=self._command.format,
            delimiter=self._command.delimiter,
            # A column name is never NULL, even if it is the text that stands for NULL.
            null=self._command.null,
            quote=self._command.quote,
            escape=self._command.escape,
        )
        fields = [
            _line_field(names, column.name, len(self._columns))(
                pa.array([column.name.encode()], pa.binary())
            )
            for column in self._columns
        ]
        return self._lines(fields, 1)

    def encode_rows(self, rows: Sequence[Row]) -> bytes:
        """Return the messages of rows in memory."""
        if not rows:
            return b""
        columns = [
            encode_values(values, column.type, self.format)
            for values, column in zip(zip(*rows, strict=True), self._columns, strict=True)
        ]
        return self._messages(columns, len(rows))

    def encode_batch(self, batch: pa.RecordBatch) -> bytes:
        """Return the messages of a batch."""
        columns = [
            encode_column(array, column.type, self.format)
            for array, column in zip(batch.columns, self._columns, strict=True)
        ]
        return self._messages(columns, batch.num_rows)

    def tail(self) -> bytes:
        """Return the trailer of the binary format, with the header if there was no row."""
        if self._command.format is not CopyFormat.BINARY:
            return b""
        body = _TRAILER if self._begun else _SIGNATURE + _TRAILER
        return _pack_head(_COPY_DATA, len(body) + 4) + body

    def _messages(self, columns: Sequence[Fields], rows: int) -> bytes:
        if self._command.format is not CopyFormat.BINARY:
            written = zip(columns, self._written, strict=True)
            return self._lines([write(fields) for fields, write in written], rows)
        messages = framed_rows(_COPY_DATA, columns, rows)
        if self._begun or not rows:
            return messages
        self._begun = True
        _, length = struct.unpack_from(">BI", messages)
        return _pack_head(_COPY_DATA, length + len(_SIGNATURE)) + _SIGNATURE + messages[5:]

    def _lines(self, columns: Sequence[Fields], rows: int) -> bytes:
        parts: list[Fields | bytes] = []
        for fields in columns:
            parts += [fields, self._between]
        return framed_lines(_COPY_DATA, [*parts[:-1], b"\n"], rows)


def _line_field(command: CopyOut, name: str, columns: int) -> WriteColumn:
    """Return the function that writes the fields of one column, NULL included."""
    null = command.null.encode()
    if command.format is not CopyFormat.CSV:
        return _text_field(command, null)
    forced = command.force_quote is None or name in command.force_quote
    return _csv_field(command, null, forced=forced, alone=columns == 1)


def _text_field(command: CopyOut, null: bytes) -> WriteColumn:
    letters = np.zeros(256, np.uint8)
    delimiter = ord(command.delimiter)
    for byte in (_BACKSLASH, delimiter):
        letters[byte] = byte
    for byte, letter in _SPECIAL.items():
        letters[byte] = letter[0]

    def look(piece: Bytes) -> tuple[Bools, Bytes]:
        instead = letters[piece]
        special = instead != 0
        return special, np.where(special, instead, piece)

    def write(fields: Fields) -> Fields:
        content = bytes_of(fields)
        if _has_any(content, (_BACKSLASH, delimiter)) or (content < 0x20).any():
            fields = _with_marks(fields, look, mark=_BACKSLASH)
        return fields.fill_null(null)

    return write


def _has_any(content: Bytes, wanted: Iterable[int]) -> bool:
    """Whether the content has one of a few bytes: a pass for each is faster than a table."""
    return any(bool((content == byte).any()) for byte in wanted)


def _with_marks(fields: Fields, look: Look, *, mark: int) -> Fields:
    """Return the fields with a mark inserted before some of their bytes.

    Args:
        fields: the fields.
        look: returns which bytes get the mark, and all bytes as they are written.
        mark: the byte to insert.
    """
    made = [np.zeros(0, np.uint8)]
    places = [np.zeros(0, np.int64)]
    for at, piece in _pieces(bytes_of(fields)):
        marked, written = look(piece)
        found = np.flatnonzero(marked)
        grown = np.repeat(written, marked.astype(np.intp) + 1)
        grown[found + np.arange(len(found))] = mark
        made.append(grown)
        places.append(found + at)
    offsets = offsets_of(fields).astype(np.int64)
    offsets += np.searchsorted(np.concatenate(places), offsets - offsets[0])
    return fields_of(np.concatenate(made), np.diff(offsets), fields)


def _pieces(content: Bytes) -> Iterator[tuple[int, Bytes]]:
    """Yield pieces of `_PIECE_BYTES` with their offsets."""
    for at in range(0, len(content), _PIECE_BYTES):
        yield at, content[at : at + _PIECE_BYTES]


def _csv_field(command: CopyOut, null: bytes, *, forced: bool, alone: bool) -> WriteColumn:
    quote, escape = command.quote.encode(), command.escape.encode()
    calling = (ord(command.delimiter), quote[0], 0x0A, 0x0D)
    calls = np.zeros(256, np.bool_)
    calls[list(calling)] = True
    escaped = np.zeros(256, np.bool_)
    escaped[[quote[0], escape[0]]] = True

    def write(fields: Fields) -> Fields:
        content = bytes_of(fields)
        quoted = np.full(len(fields), forced)
        if not forced:
            if _has_any(content, calling):
                quoted = _holding(fields, calls)
            quoted |= _equal(fields, null)
            if alone:
                # Alone on a line it would be read as the end of the data.
                quoted |= _equal(fields, b"\\.")
        if quoted.any():
            marked = fields
            if _has_any(content, {quote[0], escape[0]}):
                marked = _with_marks(fields, lambda p: (escaped[p], p), mark=escape[0])
            within = join_or_null(quote, marked, quote)
            fields = within if quoted.all() else pc.if_else(pa.array(quoted), within, fields)
        return fields.fill_null(null)

    return write


def _holding(fields: Fields, wanted: Bools) -> Bools:
    """Return which fields have one of the wanted bytes."""
    places = [np.zeros(0, np.int64)]
    for at, piece in _pieces(bytes_of(fields)):
        places.append(np.flatnonzero(wanted[piece]) + at)
    offsets = offsets_of(fields).astype(np.int64)
    found: Bools = np.diff(np.searchsorted(np.concatenate(places), offsets - offsets[0])) > 0
    return found


def _equal(fields: Fields, text: bytes) -> Bools:
    alike: Bools = lengths_of(fields) == len(text)
    if text and alike.any():
        same = pc.equal(fields, pa.scalar(text, pa.binary())).fill_null(False)
        alike = same.to_numpy(zero_copy_only=False)
    return alike

"""Rows to the CopyData messages of COPY TO STDOUT: text, csv and binary, a message a row.

Source: PostgreSQL's `src/backend/commands/copyto.c`, whose bytes these are. One row a message, and
the head of the binary form in the message of the first row: DuckDB's client counts on both.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gateway.pgwire.encoders import BINARY_FORMAT, TEXT_FORMAT, encode_column, encode_values
from gateway.pgwire.fields import (
    Bools,
    Bytes,
    Fields,
    Ints,
    bytes_of,
    fields_of,
    framed_lines,
    framed_rows,
    join_or_null,
    lengths_of,
    offsets_of,
)
from planner.engine import Column, CopyFormat, CopyOut, Row

WriteColumn: TypeAlias = Callable[[Fields], Fields]
"""Fields of a column to what stands for them in a line."""

_COPY_DATA = ord("d")
_SIGNATURE = b"PGCOPY\n\xff\r\n\0" + struct.pack(">II", 0, 0)
_TRAILER = struct.pack(">h", -1)
_pack_head = struct.Struct(">BI").pack
_SPECIAL = {0x08: b"b", 0x09: b"t", 0x0A: b"n", 0x0B: b"v", 0x0C: b"f", 0x0D: b"r"}
"""Control characters that the text form writes as a backslash and a letter."""
_BACKSLASH = ord("\\")


class CopyEncoder:
    """Messages of one COPY: `head`, those of the rows, `tail`.

    Args:
        order: what the client asked for.
        columns: of the query.
    """

    __slots__ = ("_begun", "_between", "_columns", "_order", "_written", "format")

    def __init__(self, order: CopyOut, columns: Sequence[Column]) -> None:
        self.format = BINARY_FORMAT if order.format is CopyFormat.BINARY else TEXT_FORMAT
        """That of the CopyOutResponse."""
        self._order = order
        self._columns = columns
        self._written = [_line_field(order, column.name, len(columns)) for column in columns]
        self._between = order.delimiter.encode()
        self._begun = False

    def head(self) -> bytes:
        """What precedes the rows as messages of its own: the line of names, if there is one."""
        if not self._order.header:
            return b""
        names = CopyOut(
            format=self._order.format,
            delimiter=self._order.delimiter,
            # A name is never NULL, whatever it is called.
            null=self._order.null,
            quote=self._order.quote,
            escape=self._order.escape,
        )
        fields = [
            _line_field(names, column.name, len(self._columns))(
                pa.array([column.name.encode()], pa.binary())
            )
            for column in self._columns
        ]
        return self._lines(fields, 1)

    def encode_rows(self, rows: Sequence[Row]) -> bytes:
        """The messages of rows that are at hand."""
        if not rows:
            return b""
        columns = [
            encode_values(values, column.type, self.format)
            for values, column in zip(zip(*rows, strict=True), self._columns, strict=True)
        ]
        return self._messages(columns, len(rows))

    def encode_batch(self, batch: pa.RecordBatch) -> bytes:
        """The messages of a batch."""
        columns = [
            encode_column(array, column.type, self.format)
            for array, column in zip(batch.columns, self._columns, strict=True)
        ]
        return self._messages(columns, batch.num_rows)

    def tail(self) -> bytes:
        """What follows the rows: the trailer of the binary form, with its head if no row came."""
        if self._order.format is not CopyFormat.BINARY:
            return b""
        body = _TRAILER if self._begun else _SIGNATURE + _TRAILER
        return _pack_head(_COPY_DATA, len(body) + 4) + body

    def _messages(self, columns: Sequence[Fields], rows: int) -> bytes:
        if self._order.format is not CopyFormat.BINARY:
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


def _line_field(order: CopyOut, name: str, columns: int) -> WriteColumn:
    """What stands for the fields of one column in a line, NULL included."""
    null = order.null.encode()
    if order.format is not CopyFormat.CSV:
        return _text_field(order, null)
    forced = order.force_quote is None or name in order.force_quote
    return _csv_field(order, null, forced=forced, alone=columns == 1)


def _text_field(order: CopyOut, null: bytes) -> WriteColumn:
    letters = np.zeros(256, np.uint8)
    delimiter = ord(order.delimiter)
    for byte in (_BACKSLASH, delimiter):
        letters[byte] = byte
    for byte, letter in _SPECIAL.items():
        letters[byte] = letter[0]

    def write(fields: Fields) -> Fields:
        content = bytes_of(fields)
        if _has_any(content, (_BACKSLASH, delimiter)) or (content < 0x20).any():
            special = letters[content] != 0
            written = np.where(special, letters[content], content)
            fields = _with_marks(fields, special, mark=_BACKSLASH, content=written)
        return fields.fill_null(null)

    return write


def _has_any(content: Bytes, wanted: Iterable[int]) -> bool:
    """Whether one of a few bytes is there: one pass each is quicker than a table for all."""
    return any(bool((content == byte).any()) for byte in wanted)


def _with_marks(fields: Fields, marked: Bools, *, mark: int, content: Bytes) -> Fields:
    """The fields with a byte put before each of those marked.

    Args:
        fields: of which `content` are the bytes.
        marked: which bytes get the mark.
        mark: the byte to put.
        content: the bytes as they are to be.
    """
    before = np.zeros(len(content) + 1, np.int64)
    np.cumsum(marked, out=before[1:])
    out = np.full(len(content) + int(before[-1]), mark, np.uint8)
    out[np.arange(len(content)) + before[1:]] = content
    return fields_of(out, _lengths(fields, before), fields)


def _lengths(fields: Fields, before: Ints) -> Ints:
    """The lengths of fields once each has grown by the marks in it."""
    offsets = offsets_of(fields).astype(np.int64)
    grown = offsets + before[offsets - offsets[0]]
    lengths: Ints = np.diff(grown)
    return lengths


def _csv_field(order: CopyOut, null: bytes, *, forced: bool, alone: bool) -> WriteColumn:
    quote, escape = order.quote.encode(), order.escape.encode()
    calling = (ord(order.delimiter), quote[0], 0x0A, 0x0D)
    calls = np.zeros(256, np.bool_)
    calls[list(calling)] = True
    escaped = np.zeros(256, np.bool_)
    escaped[[quote[0], escape[0]]] = True

    def write(fields: Fields) -> Fields:
        content = bytes_of(fields)
        quoted = np.full(len(fields), forced)
        if not forced:
            if _has_any(content, calling):
                quoted = _holding(fields, calls[content])
            quoted |= _equal(fields, null)
            if alone:
                # Alone in a line it would be read as the end of the data.
                quoted |= _equal(fields, b"\\.")
        if quoted.any():
            marked = fields
            if _has_any(content, {quote[0], escape[0]}):
                marked = _with_marks(fields, escaped[content], mark=escape[0], content=content)
            within = join_or_null(quote, marked, quote)
            fields = within if quoted.all() else pc.if_else(pa.array(quoted), within, fields)
        return fields.fill_null(null)

    return write


def _holding(fields: Fields, marked: Bools) -> Bools:
    """Which fields have a byte that is marked."""
    before = np.zeros(len(marked) + 1, np.int64)
    np.cumsum(marked, out=before[1:])
    offsets = offsets_of(fields).astype(np.int64)
    found: Bools = np.diff(before[offsets - offsets[0]]) > 0
    return found


def _equal(fields: Fields, text: bytes) -> Bools:
    alike: Bools = lengths_of(fields) == len(text)
    if text and alike.any():
        same = pc.equal(fields, pa.scalar(text, pa.binary())).fill_null(False)
        alike = same.to_numpy(zero_copy_only=False)
    return alike

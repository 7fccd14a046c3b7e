r"""CSV, TSV and tables for terminals.

An error after the first rows is a last line that no row can look like. In CSV it begins with an
unquoted `#`, in TSV with `\#`; rows quote or escape these. The line has more fields than the
header, and its last one is a byte that no UTF-8 has. So common readers refuse it instead of taking
it for a row, and those that skip comments or guess the number of columns refuse it, too.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, Final

import orjson
import pyarrow as pa

from stategate.gateway.http.formats.json_cells import Cell, batch_cells
from stategate.gateway.http.formats.rendering import Trailer, shape_of
from stategate.planner.engine import Column, Kind, QueryError, Row

_PIECE_CHARACTERS: Final = 1 << 16
"""Characters of a long text that are escaped by one call, in some milliseconds."""
_PADDED_MAX: Final = 60
"""Widest column of a table that is aligned: a long text would pad all other rows."""
_ESCAPES: Final = {
    **{code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160))},
    **{code: f"\\u{code:04x}" for code in (*range(0x2028, 0x202F), *range(0x2066, 0x206A))},
    ord("\n"): "↵",
    ord("\t"): "→",
}
"""Characters that could move the cursor, forge a line or turn the direction of the text."""
_TSV: Final = {
    ord(each): escape
    for each, escape in {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}.items()
}
_NUMBERS: Final = frozenset(
    {
        *(Kind.TINYINT, Kind.SMALLINT, Kind.INTEGER, Kind.BIGINT),
        *(Kind.REAL, Kind.DOUBLE, Kind.DECIMAL),
    }
)


_NO_TEXT: Final = b"\xff"
"""The last field of an error: no UTF-8 has this byte."""


class CsvRenderer:
    """RFC 4180 with a header; NULL is an empty field and the empty text is `""`, as in Postgres."""

    media_type: ClassVar[str] = "text/csv; charset=utf-8"

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._shape = shape_of(columns)

    def head(self) -> bytes:
        """Render the names of the columns."""
        return _csv_records([[column.name] for column in self._columns], 1)

    def rows(self, rows: Sequence[Row]) -> bytes:
        """Render one record per row."""
        return _csv_records(zip(*self._shape.cells(rows), strict=True), len(rows))

    def batch(self, batch: pa.RecordBatch) -> bytes:
        """Render the rows of a batch."""
        return _csv_records(batch_cells(batch, self._columns), batch.num_rows)

    def tail(self, trailer: Trailer) -> bytes:
        """Return nothing: CSV has no trailer."""
        del trailer
        return b""

    def failure(self, error: QueryError) -> bytes:
        """Render the line `#error,SQLSTATE,"message"`, which readers refuse."""
        fields = ["#error", error.sqlstate, _quoted(error.message)]
        return (",".join(_lengthened(fields, self._columns)) + ",").encode() + _NO_TEXT + b"\r\n"


class TsvRenderer:
    r"""Tab-separated values with a header, as Postgres's COPY escapes them; NULL is `\N`."""

    media_type: ClassVar[str] = "text/tab-separated-values; charset=utf-8"

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._shape = shape_of(columns)

    def head(self) -> bytes:
        """Render the names of the columns."""
        return _tsv_lines([[column.name] for column in self._columns], 1)

    def rows(self, rows: Sequence[Row]) -> bytes:
        """Render a line per row."""
        return _tsv_lines(zip(*self._shape.cells(rows), strict=True), len(rows))

    def batch(self, batch: pa.RecordBatch) -> bytes:
        """Render the rows of a batch."""
        return _tsv_lines(batch_cells(batch, self._columns), batch.num_rows)

    def tail(self, trailer: Trailer) -> bytes:
        """Return nothing: TSV has no trailer."""
        del trailer
        return b""

    def failure(self, error: QueryError) -> bytes:
        r"""Render the line `\#error`, SQLSTATE and message, which readers refuse."""
        fields = ["\\#error", error.sqlstate, error.message.translate(_TSV)]
        return ("\t".join(_lengthened(fields, self._columns)) + "\t").encode() + _NO_TEXT + b"\n"


class TableRenderer:
    """A table for people: aligned columns, numbers to the right, the number of rows at the end.

    Columns are as wide as the rows so far need, so a later chunk may be wider.
    """

    media_type: ClassVar[str] = "text/plain; charset=utf-8"

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._shape = shape_of(columns)
        self._names = [column.name.translate(_ESCAPES) for column in columns]
        self._widths = [_width(name) for name in self._names]
        self._is_right = [column.type.kind in _NUMBERS for column in columns]
        self._count = 0
        self._is_headed = False

    def head(self) -> bytes:
        """Return nothing: the first rows decide how wide the columns are."""
        return b""

    def rows(self, rows: Sequence[Row]) -> bytes:
        """Render a line per row."""
        return self._lines(zip(*self._shape.cells(rows), strict=True), len(rows))

    def batch(self, batch: pa.RecordBatch) -> bytes:
        """Render the rows of a batch."""
        return self._lines(batch_cells(batch, self._columns), batch.num_rows)

    def tail(self, trailer: Trailer) -> bytes:
        """Render the number of rows, notices, and partitions that did not answer."""
        lines = [f"({self._count} row{'' if self._count == 1 else 's'})"]
        lines += [f"NOTICE: {notice.translate(_ESCAPES)}" for notice in trailer.notices]
        lines += [
            f"FAILED: {each.store}[{each.partition}]: {each.reason}"
            for each in trailer.partitions
            if each.status == "failed"
        ]
        return self._headed() + "".join(line + "\n" for line in lines).encode()

    def failure(self, error: QueryError) -> bytes:
        """Render the error instead of the number of rows."""
        message = error.message.translate(_ESCAPES)
        return self._headed() + f"ERROR {error.sqlstate}: {message}\n".encode()

    def _lines(self, columns: Iterable[Sequence[Cell]], rows: int) -> bytes:
        texts = [[_shown(cell) for cell in column] for column in columns]
        self._count += rows
        for at, column in enumerate(texts):
            widest = max(map(_width, column), default=0)
            self._widths[at] = min(max(self._widths[at], widest), _PADDED_MAX)
        lines = zip(*texts, strict=True) if texts else [()] * rows
        return self._headed() + "".join(self._line(each) for each in lines).encode()

    def _headed(self) -> bytes:
        if self._is_headed:
            return b""
        self._is_headed = True
        rule = "  ".join("-" * width for width in self._widths)
        return (self._line(self._names) + rule + "\n").encode()

    def _line(self, texts: Iterable[str]) -> str:
        padded = [
            " " * (width - _width(text)) + text if right else text + " " * (width - _width(text))
            for text, width, right in zip(texts, self._widths, self._is_right, strict=True)
        ]
        return "  ".join(padded).rstrip() + "\n"


def _lengthened(fields: list[str], columns: Sequence[Column]) -> list[str]:
    return fields + [""] * (len(columns) - len(fields))


def _plain(cell: Cell) -> str:
    match cell:
        case str():
            return cell
        case bool():
            return "true" if cell else "false"
        case list() | dict() | tuple() | orjson.Fragment():
            return orjson.dumps(cell).decode()
        case _:
            return str(cell)


def _csv_field(cell: Cell) -> str:
    if cell is None:
        return ""
    text = _plain(cell)
    # Four searches: a regular expression takes twenty times as long on a long text.
    if text and not ('"' in text or "," in text or "\r" in text or "\n" in text):
        return text
    return _quoted(text)


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _csv_records(columns: Iterable[Sequence[Cell]], rows: int) -> bytes:
    texts = [[_csv_field(cell) for cell in column] for column in columns]
    if texts:
        texts[0] = [_quoted(each) if each[:1] == "#" else each for each in texts[0]]
    records = map(",".join, zip(*texts, strict=True)) if texts else ("",) * rows
    return "".join(record + "\r\n" for record in records).encode()


def _tsv_lines(columns: Iterable[Sequence[Cell]], rows: int) -> bytes:
    texts = [
        ["\\N" if cell is None else _escaped(_plain(cell), _TSV) for cell in column]
        for column in columns
    ]
    lines = map("\t".join, zip(*texts, strict=True)) if texts else ("",) * rows
    return "".join(line + "\n" for line in lines).encode()


def _shown(cell: Cell) -> str:
    return "NULL" if cell is None else _escaped(_plain(cell), _ESCAPES)


def _escaped(text: str, escapes: Mapping[int, str]) -> str:
    """Return a text with these characters escaped; no call holds the interpreter for long."""
    if len(text) <= _PIECE_CHARACTERS:
        return text.translate(escapes)
    starts = range(0, len(text), _PIECE_CHARACTERS)
    return "".join([text[at : at + _PIECE_CHARACTERS].translate(escapes) for at in starts])


def _width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(each) else 2 if unicodedata.east_asian_width(each) in "WF" else 1
        for each in text
    )

"""Renders results in the formats of the `Accept` header.

Each response has its own renderer. It is made with the columns and then receives rows: batches in a
thread, or the few rows of a lookup on the loop. At the end each format reports, in its own
way, the position of the rows, or the error that ended them:

| format | position | an error after the first byte |
|---|---|---|
| JSON | `position` after the rows | an `error` member after the rows, and no position |
| NDJSON | the last line, an object | the last line, `{"error": …}` |
| Arrow | metadata of a last, empty batch | the stream breaks off, without its end mark |
| CSV | none | the connection breaks off |
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import orjson
import pyarrow as pa

from gateway.errors import HttpRequestError, error_document
from gateway.http.json_cells import Cell, batch_cells, row_cells
from planner.engine import Column, Kind, PartitionAnswer, Position, QueryError, Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Trailer:
    """Facts known after the last row."""

    position: Position
    partitions: Sequence[PartitionAnswer]
    notices: Sequence[str]
    elapsed_ms: float


@dataclass(frozen=True, slots=True)
class _Shape:
    """Precomputed rendering of a statement's columns, shared by its results."""

    columns: Sequence[Column]
    json: bytes
    cells: Callable[[Sequence[Row]], Sequence[Sequence[Cell]]]


_SHAPES: dict[int, _Shape] = {}
_SHAPES_MAX = 1024


def _shape_of(columns: Sequence[Column]) -> _Shape:
    """Return the cached shape of these columns, by identity: a statement's results share a tuple.

    Hashing twenty columns by value would cost more than a lookup's read.
    """
    held = _SHAPES.get(id(columns))
    if held is not None and held.columns is columns:
        return held
    names = [{"name": each.name, "type": str(each.type)} for each in columns]
    made = _Shape(columns, orjson.dumps(names), row_cells(columns))
    if len(_SHAPES) >= _SHAPES_MAX:
        _SHAPES.clear()
    _SHAPES[id(columns)] = made
    return made


class Renderer(Protocol):
    """Renders one result as a body: the head, then rows or batches, then the tail or an error."""

    media_type: ClassVar[str]

    def head(self) -> bytes:
        """Render the part before the rows."""

    def rows(self, rows: Sequence[Row]) -> bytes:
        """Render rows of physical values."""

    def batch(self, batch: pa.RecordBatch) -> bytes:
        """Render the rows of a batch."""

    def tail(self, trailer: Trailer) -> bytes:
        """Render the part after the last row."""

    def failure(self, error: QueryError) -> bytes | None:
        """Render the error instead of a tail; None if the format cannot represent it."""


class JsonRenderer:
    """One JSON document: columns, rows, then the trailer's members."""

    media_type: ClassVar[str] = "application/json"

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._shape = _shape_of(columns)
        self._any_rows = False

    def head(self) -> bytes:
        """Render the columns and open the array of rows."""
        return b'{"columns":' + self._shape.json + b',"rows":['

    def rows(self, rows: Sequence[Row]) -> bytes:
        """Render rows, after a comma if there were earlier ones."""
        return self._join(self._shape.cells(rows))

    def batch(self, batch: pa.RecordBatch) -> bytes:
        """Render the rows of a batch."""
        return self._join(_transposed(batch, self._columns))

    def _join(self, rows: Sequence[Sequence[Cell]]) -> bytes:
        if not rows:
            return b""
        comma = b"," if self._any_rows else b""
        self._any_rows = True
        return comma + orjson.dumps(rows)[1:-1]

    def tail(self, trailer: Trailer) -> bytes:
        """Render position, partitions, elapsed time and notices."""
        return b"]," + _trailer_json(trailer)[1:]

    def failure(self, error: QueryError) -> bytes | None:
        """Render the error instead of the position."""
        return b'],"error":' + orjson.dumps(error_document(error)) + b"}"


class NdjsonRenderer:
    """JSON lines: an object with the columns, an array per row, an object with the trailer."""

    media_type: ClassVar[str] = "application/x-ndjson"

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._shape = _shape_of(columns)

    def head(self) -> bytes:
        """Render the header line."""
        return b'{"columns":' + self._shape.json + b"}\n"

    def rows(self, rows: Sequence[Row]) -> bytes:
        """Render one line per row."""
        return _lines(self._shape.cells(rows))

    def batch(self, batch: pa.RecordBatch) -> bytes:
        """Render the rows of a batch."""
        return _lines(_transposed(batch, self._columns))

    def tail(self, trailer: Trailer) -> bytes:
        """Render the trailer line."""
        return _trailer_json(trailer) + b"\n"

    def failure(self, error: QueryError) -> bytes | None:
        """Render the error as the trailer line."""
        return orjson.dumps({"error": error_document(error)}) + b"\n"


class CsvRenderer:
    """RFC 4180 with a header; NULL is an empty field and the empty text is `""`, as in Postgres."""

    media_type: ClassVar[str] = "text/csv; charset=utf-8"

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._shape = _shape_of(columns)

    def head(self) -> bytes:
        """Render the names of the columns."""
        return (",".join(_csv_field(column.name) for column in self._columns) + "\r\n").encode()

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

    def failure(self, error: QueryError) -> bytes | None:
        """Return None: CSV cannot represent an error."""
        del error
        return None


class ArrowRenderer:
    """An Arrow IPC stream; each field's metadata names its SQL type under `stategate.type`."""

    media_type: ClassVar[str] = "application/vnd.apache.arrow.stream"

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._schema = pa.schema(
            pa.field(each.name, each.type.arrow, metadata={"stategate.type": str(each.type)})
            for each in columns
        )
        self._sink = io.BytesIO()
        self._writer = pa.ipc.new_stream(self._sink, self._schema)

    def head(self) -> bytes:
        """Render the schema message."""
        return self._taken()

    def rows(self, rows: Sequence[Row]) -> bytes:
        """Render a record batch message."""
        arrays = [
            pa.array(_arrow_values(column, [row[at] for row in rows]), type=column.type.arrow)
            for at, column in enumerate(self._columns)
        ]
        self._writer.write_batch(self._batch(arrays))
        return self._taken()

    def batch(self, batch: pa.RecordBatch) -> bytes:
        """Render a batch without copying its columns."""
        self._writer.write_batch(self._batch(batch.columns))
        return self._taken()

    def _batch(self, arrays: Sequence[Any]) -> pa.RecordBatch:
        return pa.RecordBatch.from_arrays(list(arrays), schema=self._schema)

    def tail(self, trailer: Trailer) -> bytes:
        """Render an empty batch with `stategate.trailer` as metadata, and the end mark."""
        empty = self._batch([pa.array([], type=field.type) for field in self._schema])
        metadata = pa.KeyValueMetadata({b"stategate.trailer": _trailer_json(trailer)})
        self._writer.write_batch(empty, custom_metadata=metadata)
        self._writer.close()
        return self._taken()

    def failure(self, error: QueryError) -> bytes | None:
        """Return None: every reader takes a stream without its end mark as broken."""
        del error
        return None

    def _taken(self) -> bytes:
        taken = self._sink.getvalue()
        self._sink.seek(0)
        self._sink.truncate()
        return taken


RendererFactory = Callable[[Sequence[Column]], Renderer]
RENDERERS: dict[str, RendererFactory] = {
    "application/json": JsonRenderer,
    "application/x-ndjson": NdjsonRenderer,
    "application/vnd.apache.arrow.stream": ArrowRenderer,
    "text/csv": CsvRenderer,
}
"""Renderers by media type; the first is the default."""


def register_renderer(media_type: str, factory: RendererFactory) -> None:
    """Add or replace a format."""
    RENDERERS[media_type] = factory


def choose_renderer(accept: str | None) -> RendererFactory | None:
    """Return the format that an Accept header prefers; None if it accepts no format."""
    if accept is None or accept in {"", "*/*", "application/json"}:
        return RENDERERS["application/json"]
    best: tuple[float, int] | None = None
    chosen: RendererFactory | None = None
    for at, (media_type, factory) in enumerate(RENDERERS.items()):
        weight = _accept_weight(accept, media_type)
        if weight > 0 and (best is None or (weight, -at) > best):
            best, chosen = (weight, -at), factory
    return chosen


def negotiate(accept: str | None) -> RendererFactory:
    """Return the format that the client asks for.

    Raises:
        HttpRequestError: there is no such format (406).
    """
    factory = choose_renderer(accept)
    if factory is None:
        raise HttpRequestError(
            "the Accept header has no supported format",
            status=406,
            hint=f"Accept one of {', '.join(RENDERERS)}.",
        )
    return factory


def _accept_weight(accept: str, media_type: str) -> float:
    """Return an Accept header's weight for a type, by the most specific matching range."""
    found = (-1, 0.0)
    for part in accept.split(","):
        name, *options = (piece.strip() for piece in part.lower().split(";"))
        rank = _range_rank(name, media_type)
        if rank > found[0]:
            quality = next((o[2:] for o in options if o.startswith("q=")), "1")
            good = re.fullmatch(r"[01](\.[0-9]{0,3})?", quality)
            found = (rank, float(quality) if good else 1.0)
    return found[1] + found[0] * 1e-6 if found[1] else 0.0


def _range_rank(name: str, media_type: str) -> int:
    if name == media_type:
        return 2
    if name == media_type.partition("/")[0] + "/*":
        return 1
    return 0 if name == "*/*" else -1


def chunked(batch: pa.RecordBatch, *, chunk_bytes: int) -> Iterator[pa.RecordBatch]:
    """Yield the batch in slices of about `chunk_bytes`, so that rendered chunks stay small."""
    if batch.num_rows == 0:
        return
    row_bytes = max(1, batch.get_total_buffer_size() // batch.num_rows)
    rows = max(1, chunk_bytes // row_bytes)
    for start in range(0, batch.num_rows, rows):
        yield batch.slice(start, rows)


def _trailer_json(trailer: Trailer) -> bytes:
    document = {
        "position": orjson.Fragment(trailer.position.token()),
        "partitions": list(trailer.partitions),
        "elapsed_ms": round(trailer.elapsed_ms, 3),
    }
    if trailer.notices:
        document["notices"] = list(trailer.notices)
    return orjson.dumps(document)


def _transposed(batch: pa.RecordBatch, columns: Sequence[Column]) -> Sequence[Sequence[Cell]]:
    if not columns:
        return [()] * batch.num_rows
    return list(zip(*batch_cells(batch, columns), strict=True))


def _lines(rows: Sequence[Sequence[Cell]]) -> bytes:
    """Render each row on a line.

    Dumping all rows at once takes a tenth of the time of dumping each. If the row separator occurs
    once between two rows each, no text or array contains it, so it can be replaced.
    """
    if not rows:
        return b""
    body = orjson.dumps(rows)[1:-1]
    if len(rows) == 1:
        return body + b"\n"
    if body.count(b"],[") == len(rows) - 1:
        return body.replace(b"],[", b"]\n[") + b"\n"
    return b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows)


def _csv_field(cell: Cell) -> str:
    match cell:
        case None:
            return ""
        case bool():
            return "true" if cell else "false"
        case str():
            # Four searches: a regular expression takes twenty times as long on a long text.
            if cell and not ('"' in cell or "," in cell or "\r" in cell or "\n" in cell):
                return cell
            return '"' + cell.replace('"', '""') + '"'
        case list() | dict() | tuple() | orjson.Fragment():
            return _csv_field(orjson.dumps(cell).decode())
        case _:
            return str(cell)


def _csv_records(columns: Iterator[Sequence[Cell]] | list[list[Cell]], rows: int) -> bytes:
    texts = [[_csv_field(cell) for cell in column] for column in columns]
    records = map(",".join, zip(*texts, strict=True)) if texts else ("",) * rows
    return "".join(record + "\r\n" for record in records).encode()


def _arrow_values(column: Column, values: list[object]) -> list[object]:
    if column.type.kind is not Kind.INTERVAL:
        return values
    return [
        (each[0], each[1], each[2] * 1000) if isinstance(each, tuple) else None for each in values
    ]

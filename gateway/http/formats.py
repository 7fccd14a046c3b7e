"""A result as bytes, in each format that a client may ask for by `Accept`.

A renderer is made per response, told the columns, then fed rows: whole batches in a worker thread,
or the few rows of a lookup on the loop. Each format has its own way to say, at the end, which
position the rows reflect, and that an error cut them off:

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

from gateway.errors import error_document
from gateway.http.json_cells import Cell, batch_cells, row_cells
from planner.engine import Column, Kind, PartitionAnswer, Position, QueryError, Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Trailer:
    """What is known once the rows have been read to the end."""

    position: Position
    partitions: Sequence[PartitionAnswer]
    notices: Sequence[str]
    elapsed_ms: float


@dataclass(frozen=True, slots=True)
class _Shape:
    """What renderers make of columns once, and not for every lookup of a statement."""

    columns: Sequence[Column]
    json: bytes
    cells: Callable[[Sequence[Row]], Sequence[Sequence[Cell]]]


_SHAPES: dict[int, _Shape] = {}
_SHAPES_MAX = 1024


def _shape_of(columns: Sequence[Column]) -> _Shape:
    """The shape of these columns, found by identity: all results of a statement share a tuple.

    To hash them by value would cost a lookup of twenty columns more than its read does.
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
    """Turns one result into one body: head, then any number of rows or batches, then the end."""

    media_type: ClassVar[str]

    def head(self) -> bytes:
        """What stands before the rows."""

    def rows(self, rows: Sequence[Row]) -> bytes:
        """Rows of physical values."""

    def batch(self, batch: pa.RecordBatch) -> bytes:
        """Rows of a batch."""

    def tail(self, trailer: Trailer) -> bytes:
        """What stands behind the last row."""

    def failure(self, error: QueryError) -> bytes | None:
        """What stands in the tail's place; None if the format can only break off."""


class JsonRenderer:
    """One JSON document: columns, rows, then what is known at the end."""

    media_type: ClassVar[str] = "application/json"

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._shape = _shape_of(columns)
        self._any_rows = False

    def head(self) -> bytes:
        """The columns, and the opening of the rows."""
        return b'{"columns":' + self._shape.json + b',"rows":['

    def rows(self, rows: Sequence[Row]) -> bytes:
        """Rows, with the comma that parts them from earlier ones."""
        return self._join(self._shape.cells(rows))

    def batch(self, batch: pa.RecordBatch) -> bytes:
        """The same from a batch."""
        return self._join(_transposed(batch, self._columns))

    def _join(self, rows: Sequence[Sequence[Cell]]) -> bytes:
        if not rows:
            return b""
        comma = b"," if self._any_rows else b""
        self._any_rows = True
        return comma + orjson.dumps(rows)[1:-1]

    def tail(self, trailer: Trailer) -> bytes:
        """Position, partitions, elapsed time, and notices if there are any."""
        return b"]," + _trailer_json(trailer)[1:]

    def failure(self, error: QueryError) -> bytes | None:
        """The error in the place of the position."""
        return b'],"error":' + orjson.dumps(error_document(error)) + b"}"


class NdjsonRenderer:
    """JSON by lines: an object with the columns, an array per row, an object with the end."""

    media_type: ClassVar[str] = "application/x-ndjson"

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._shape = _shape_of(columns)

    def head(self) -> bytes:
        """The header line."""
        return b'{"columns":' + self._shape.json + b"}\n"

    def rows(self, rows: Sequence[Row]) -> bytes:
        """One line a row."""
        return _lines(self._shape.cells(rows))

    def batch(self, batch: pa.RecordBatch) -> bytes:
        """The same from a batch."""
        return _lines(_transposed(batch, self._columns))

    def tail(self, trailer: Trailer) -> bytes:
        """The trailer line."""
        return _trailer_json(trailer) + b"\n"

    def failure(self, error: QueryError) -> bytes | None:
        """The trailer line of a stream that was cut off."""
        return orjson.dumps({"error": error_document(error)}) + b"\n"


class CsvRenderer:
    """RFC 4180 with a header; NULL is an empty field and the empty text is `""`, as in Postgres."""

    media_type: ClassVar[str] = "text/csv; charset=utf-8"

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._shape = _shape_of(columns)

    def head(self) -> bytes:
        """The names of the columns."""
        return (",".join(_csv_field(column.name) for column in self._columns) + "\r\n").encode()

    def rows(self, rows: Sequence[Row]) -> bytes:
        """One record a row."""
        return _csv_records(zip(*self._shape.cells(rows), strict=True), len(rows))

    def batch(self, batch: pa.RecordBatch) -> bytes:
        """The same from a batch."""
        return _csv_records(batch_cells(batch, self._columns), batch.num_rows)

    def tail(self, trailer: Trailer) -> bytes:
        """CSV has no place for more."""
        del trailer
        return b""

    def failure(self, error: QueryError) -> bytes | None:
        """CSV has no place for an error."""
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
        """The schema message."""
        return self._taken()

    def rows(self, rows: Sequence[Row]) -> bytes:
        """A record batch message."""
        arrays = [
            pa.array(_arrow_values(column, [row[at] for row in rows]), type=column.type.arrow)
            for at, column in enumerate(self._columns)
        ]
        self._writer.write_batch(self._batch(arrays))
        return self._taken()

    def batch(self, batch: pa.RecordBatch) -> bytes:
        """The same from a batch, without a copy of its columns."""
        self._writer.write_batch(self._batch(batch.columns))
        return self._taken()

    def _batch(self, arrays: Sequence[Any]) -> pa.RecordBatch:
        return pa.RecordBatch.from_arrays(list(arrays), schema=self._schema)

    def tail(self, trailer: Trailer) -> bytes:
        """An empty batch with the trailer's JSON as `stategate.trailer`, then the end mark."""
        empty = self._batch([pa.array([], type=field.type) for field in self._schema])
        metadata = pa.KeyValueMetadata({b"stategate.trailer": _trailer_json(trailer)})
        self._writer.write_batch(empty, custom_metadata=metadata)
        self._writer.close()
        return self._taken()

    def failure(self, error: QueryError) -> bytes | None:
        """A stream without its end mark is broken to every reader."""
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
"""By media type; the first is what a client gets that does not ask."""


def register_renderer(media_type: str, factory: RendererFactory) -> None:
    """Offer one more format, or replace one."""
    RENDERERS[media_type] = factory


def choose_renderer(accept: str | None) -> RendererFactory | None:
    """The format that an Accept header prefers; None if it takes none of ours."""
    if accept is None or accept in {"", "*/*", "application/json"}:
        return RENDERERS["application/json"]
    best: tuple[float, int] | None = None
    chosen: RendererFactory | None = None
    for at, (media_type, factory) in enumerate(RENDERERS.items()):
        weight = _accept_weight(accept, media_type)
        if weight > 0 and (best is None or (weight, -at) > best):
            best, chosen = (weight, -at), factory
    return chosen


def _accept_weight(accept: str, media_type: str) -> float:
    """How much an Accept header wants a type: by the most specific range that names it."""
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
    """The batch in slices of about `chunk_bytes`, so that one rendered chunk stays small."""
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
    """Each row on its line.

    Rows are dumped together, which takes a tenth of the time of dumping each. If the bytes that
    part two rows occur just as often as rows meet, none of them stands inside a text or an array.
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
            # One after the other: a class of characters takes twenty times as long in a long text.
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

"""What all formats share: the renderer of one result, its trailer, and its columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, TypeAlias

import orjson
import pyarrow as pa

from stategate.gateway.http.formats.json_cells import Cell, batch_cells, row_cells
from stategate.planner.engine import Column, PartitionAnswer, Position, QueryError, Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Trailer:
    """Facts known after the last row."""

    position: Position
    partitions: Sequence[PartitionAnswer]
    notices: Sequence[str]
    elapsed_ms: float
    is_page: bool = False
    next_page: str | None = None
    """The token of the next page; None after the last one."""


@dataclass(frozen=True, slots=True)
class _Shape:
    """Precomputed rendering of a statement's columns, shared by its results."""

    columns: Sequence[Column]
    json: bytes
    cells: Callable[[Sequence[Row]], Sequence[Sequence[Cell]]]


_SHAPES: dict[int, _Shape] = {}
_SHAPES_MAX = 1024


def shape_of(columns: Sequence[Column]) -> _Shape:
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

    def failure(self, error: QueryError) -> bytes:
        """Render the error instead of a tail, so that the rows are not taken for all rows."""


RendererFactory: TypeAlias = Callable[[Sequence[Column]], Renderer]


def chunked(batch: pa.RecordBatch, *, chunk_bytes: int) -> Iterator[pa.RecordBatch]:
    """Yield the batch in slices of about `chunk_bytes`, so that rendered chunks stay small."""
    if batch.num_rows == 0:
        return
    row_bytes = max(1, batch.get_total_buffer_size() // batch.num_rows)
    rows = max(1, chunk_bytes // row_bytes)
    for start in range(0, batch.num_rows, rows):
        yield batch.slice(start, rows)


def trailer_json(trailer: Trailer) -> bytes:
    """Render a trailer as a JSON object."""
    document: dict[str, object] = {
        "position": orjson.Fragment(trailer.position.token()),
        "partitions": list(trailer.partitions),
        "elapsed_ms": round(trailer.elapsed_ms, 3),
    }
    if trailer.is_page:
        document["next"] = trailer.next_page
    if trailer.notices:
        document["notices"] = list(trailer.notices)
    return orjson.dumps(document)


def transposed(batch: pa.RecordBatch, columns: Sequence[Column]) -> Sequence[Sequence[Cell]]:
    """Return the cells of a batch, row by row."""
    if not columns:
        return [()] * batch.num_rows
    return list(zip(*batch_cells(batch, columns), strict=True))

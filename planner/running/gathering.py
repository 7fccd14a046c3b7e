"""What partitions answered, gathered: the tally of a statement, and its rows as one stream.

The rows of several reads follow one another or are merged in order, and leave in the shape that
the plan promised. Whom to ask, and what a failure means, is for `execute`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from planner.errors import QueryError, StoreFailedError
from planner.planning.access import Scatter, Top
from planner.planning.filters import Keep
from planner.planning.plan import Stream
from planner.running.consistency import Reading
from planner.running.merging import first_rows, trailing_null_held
from planner.values.cancel import Cancellation
from planner.values.partition_failures import partitions_failed
from planner.values.statement import Notice, PartitionAnswer
from stores.errors import FailureReason
from stores.spec.position import EMPTY, Position
from stores.spec.query import BatchStream
from stores.spec.result import QueryResult, Success


@dataclass(slots=True, kw_only=True)
class Tally:
    """What has been asked so far: positions and answers, which end up in the result."""

    reading: Reading
    """How it is asked."""
    position: Position = EMPTY
    answers: list[PartitionAnswer] = field(default_factory=list)
    places: dict[tuple[str, int], int] = field(default_factory=dict)
    """Where in `answers` each partition of a store is: it has one, however often it is asked."""
    scatters: dict[int, Scatter] = field(default_factory=dict)
    """What each access asks, by its identity, where that was found out before it is opened."""
    failures: list[tuple[str, int, FailureReason, str]] = field(default_factory=list)
    is_restoring: bool = False


def missing_rows(tally: Tally) -> list[Notice]:
    """What a client is told that asked for what there is, if that is not all."""
    if not tally.failures:
        return []
    missing = partitions_failed(tally.failures).detail
    return [Notice(message=f"rows are missing: {missing}")]


class Streams:
    """The rows of several partitions, one after the other; can be read again."""

    def __init__(
        self,
        opened: Sequence[tuple[int, QueryResult[BatchStream]]],
        tally: Tally,
        *,
        keep: Keep | None,
        cancellation: Cancellation,
    ) -> None:
        self._opened, self._tally = opened, tally
        self._keep, self._cancellation = keep, cancellation

    def read(self) -> Iterator[pa.RecordBatch]:
        """All rows, a read at a time."""
        for reads in self.each():
            yield from reads

    def each(self) -> list[Iterator[pa.RecordBatch]]:
        """The rows of each read apart."""
        return [self._read(at, a.value) for at, a in self._opened if isinstance(a, Success)]

    def _read(self, at: int, stream: BatchStream) -> Iterator[pa.RecordBatch]:
        answer, keep = self._tally.answers[at], self._keep
        try:
            for batch in stream:
                self._cancellation.check()
                answer.rows += batch.num_rows
                kept = batch if keep is None else keep(batch)
                if kept.num_rows:
                    yield kept
        except QueryError:
            raise
        except Exception as error:
            raise StoreFailedError(
                f'partition {answer.partition} of store "{answer.store}" failed while it was '
                f"read: {error}"
            ) from error


def top_rows(streams: Streams, top: Top, columns: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    """The first rows in the order of ORDER BY and LIMIT, merged from reads that are in it."""
    reads = streams.each()
    if top.held is not None:
        reads = [trailing_null_held(read, top.held) for read in reads]
    for batch in first_rows(reads, top.columns, top.order, rows=top.rows):
        yield batch.select(list(columns))


def counted(batches: Iterator[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """One row: how many there are."""
    rows = sum(batch.num_rows for batch in batches)
    yield pa.RecordBatch.from_arrays([pa.array([rows], pa.int64())], schema=schema)


def checked(
    batches: Iterator[pa.RecordBatch], cancellation: Cancellation
) -> Iterator[pa.RecordBatch]:
    """Batches as long as the statement may go on."""
    for batch in batches:
        cancellation.check()
        yield batch


def projected(
    batches: Iterator[pa.RecordBatch], node: Stream, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """The result's columns in their order, and no more rows than LIMIT and OFFSET leave."""
    skip, left = node.offset, node.limit
    for batch in batches:
        if left == 0:
            return
        cut = batch.slice(skip) if left is None else batch.slice(skip, left)
        skip = max(0, skip - batch.num_rows)
        if left is not None:
            left -= cut.num_rows
        if cut.num_rows:
            arrays = [cut.column(i) for i in node.projection]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def as_promised(batches: Iterator[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Batches in the Arrow types that the columns promise."""
    for batch in batches:
        arrays = [
            column if column.type == wanted.type else column.cast(wanted.type)
            for column, wanted in zip(batch.columns, schema, strict=True)
        ]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)

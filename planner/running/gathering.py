"""Gather the answers of partitions: the tally of a statement, and its rows as one stream.

The rows of several reads are concatenated or merged in order, and have the columns and types of the
plan. `execute` decides which partitions to ask, and what a failure means.
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
    """The positions and answers so far, which become part of the result."""

    reading: Reading
    """How partitions are read."""
    position: Position = EMPTY
    answers: list[PartitionAnswer] = field(default_factory=list)
    places: dict[tuple[str, int], int] = field(default_factory=dict)
    """The index in `answers` of each partition: it has one answer, however often it is asked."""
    scatters: dict[int, Scatter] = field(default_factory=dict)
    """The queries of each access, by its id, if they were made before it is opened."""
    failures: list[tuple[str, int, FailureReason, str]] = field(default_factory=list)
    is_restoring: bool = False


def missing_rows(tally: Tally) -> list[Notice]:
    """Return a notice for a client that accepts partial results and gets one."""
    if not tally.failures:
        return []
    missing = partitions_failed(tally.failures).detail
    return [Notice(message=f"rows are missing: {missing}")]


class Streams:
    """The rows of several partitions, one after another; they can be read again."""

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
        """Return all rows, one read after another."""
        for reads in self.each():
            yield from reads

    def each(self) -> list[Iterator[pa.RecordBatch]]:
        """Return the rows of each read separately."""
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
    """Return the first rows in the order of ORDER BY, merged from ordered reads."""
    reads = streams.each()
    if top.held is not None:
        reads = [trailing_null_held(read, top.held) for read in reads]
    for batch in first_rows(reads, top.columns, top.order, rows=top.rows):
        yield batch.select(list(columns))


def counted(batches: Iterator[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Return one row with the number of rows."""
    rows = sum(batch.num_rows for batch in batches)
    yield pa.RecordBatch.from_arrays([pa.array([rows], pa.int64())], schema=schema)


def checked(
    batches: Iterator[pa.RecordBatch], cancellation: Cancellation
) -> Iterator[pa.RecordBatch]:
    """Return the batches, and check between them whether the statement was cancelled."""
    for batch in batches:
        cancellation.check()
        yield batch


def projected(
    batches: Iterator[pa.RecordBatch], node: Stream, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """Return the result columns in order, and only the rows that LIMIT and OFFSET leave."""
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
    """Return the batches cast to the Arrow types of the result columns."""
    for batch in batches:
        arrays = [
            column if column.type == wanted.type else column.cast(wanted.type)
            for column, wanted in zip(batch.columns, schema, strict=True)
        ]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)

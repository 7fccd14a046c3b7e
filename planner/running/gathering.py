"""Gather the answers of partitions: the rows of a statement as one stream.

The rows of several reads are concatenated or merged in order, and have the columns and types of the
plan. `execute` decides which partitions to ask.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import pyarrow as pa

from stategate.planner.composing.compose import Composed
from stategate.planner.errors import QueryError, out_of_memory
from stategate.planner.planning.access import Top
from stategate.planner.planning.plan import QueryPlan, Stream
from stategate.planner.planning.row_path import RowPath
from stategate.planner.planning.scatter import Scatter
from stategate.planner.running.consistency import Reading
from stategate.planner.running.few_reads import LateError, slice_end, thread_slice_end
from stategate.planner.running.few_rows import few_rows_of, first_rows_in, read_few, rows_in_memory
from stategate.planner.running.ordered_reads import first_rows, trailing_null_held
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.partition_failures import RESTORING, partitions_failed, read_failed
from stategate.planner.values.statement import Notice, PartitionAnswer, Result, StatementKind
from stategate.stores.errors import FailureReason, StoreError
from stategate.stores.spec.position import EMPTY, Position
from stategate.stores.spec.query import BatchStream
from stategate.stores.spec.result import QueryResult, Success
from stategate.stores.spec.schema import Row

ReadTimes: TypeAlias = dict[tuple[str, int], tuple[int, int]]
"""When each partition was asked and when its last row was read; see `Result.read_ns`."""


@dataclass(slots=True, kw_only=True)
class Tally:
    """The positions and answers so far, which become part of the result."""

    reading: Reading
    """How partitions are read."""
    node: str
    """This node's name, as answers show it."""
    position: Position = EMPTY
    answers: list[PartitionAnswer] = field(default_factory=list)
    places: dict[tuple[str, int], int] = field(default_factory=dict)
    """The index in `answers` of each partition, which has one answer however often it is asked."""
    scatters: dict[int, Scatter] = field(default_factory=dict)
    """The queries of each access, by its id, if they were made before it is opened. They hold the
    access, so that no other one gets the same id."""
    opened: dict[int, Streams] = field(default_factory=dict)
    """The streams of each access, by its id, if they were opened before it is read. They hold the
    access, too, which may have been made for one step of a join. They do not hold the tally: each
    keeps an epoch of a database, and only the garbage collector would free such a ring."""
    failures: dict[tuple[str, int], tuple[str, int, FailureReason, str]] = field(
        default_factory=dict
    )
    """The last failure of each partition that has failed."""
    is_restoring: bool = False
    read_ns: ReadTimes | None = None
    """The times of `Result.read_ns`, if reads are timed."""

    def note(self, store: str, partition: int, answer: QueryResult[Any]) -> None:
        """Add a partition's answer; its last failure counts.

        The position is a bound for the next read: with the greatest offsets that were read, no read
        goes back. That of a partition that has failed is left out, since nothing was read there.
        """
        if isinstance(answer, Success):
            self.position = self.position.merge(answer.position)
        else:
            failure = store, partition, answer.reason, answer.message
            self.failures[store, partition] = failure
            self.is_restoring = self.is_restoring or answer.restoring
        noted = _answer(answer.node or self.node, store, partition, answer)
        at = self.places.setdefault((store, partition), len(self.answers))
        if at == len(self.answers):
            self.answers.append(noted)
        elif noted.status == "failed" or noted.info:
            held = self.answers[at]
            # A partition that has failed once has failed, whatever it answers later.
            kept = held if held.status == "failed" and noted.status != "failed" else noted
            self.answers[at] = replace(kept, rows=held.rows, info=(*held.info, *noted.info))

    def note_time(self, store: str, partition: int, began_ns: int) -> None:
        """Note that a partition has answered, or its last row was read, just now."""
        note_time(self.read_ns, store, partition, began_ns)

    def rows_read(self) -> int:
        """Return how many rows have been read so far."""
        return rows_in(self.answers)

    def settle(self) -> None:
        """Raise for failed partitions, unless the statement accepts partial results.

        Raises:
            QueryError: a partition has failed.
        """
        if not self.failures or self.reading.options.partial:
            return
        counts = self.reading.counts
        behind = FailureReason.NOT_UP_TO_BOUND
        if counts is not None and any(f[2] is behind for f in self.failures.values()):
            counts.refuse(self.reading.options)
        raise self._failed()

    def _failed(self) -> QueryError:
        error = partitions_failed([*self.failures.values()])
        if self.is_restoring and error.retryable:
            error.sqlstate = RESTORING
        return error


def rows_in(answers: Sequence[PartitionAnswer]) -> int:
    """Return how many rows of these partitions have been read so far."""
    return sum([answer.rows for answer in answers])


def note_time(read_ns: ReadTimes | None, store: str, partition: int, began_ns: int) -> None:
    """Note the time at which a partition was read, if reads are timed; see `Tally.note_time`."""
    if read_ns is not None:
        began_ns, _ = read_ns.get((store, partition), (began_ns, 0))
        read_ns[store, partition] = began_ns, time.time_ns()


def _answer(node: str, store: str, partition: int, answer: QueryResult[Any]) -> PartitionAnswer:
    noted = PartitionAnswer(
        store=store,
        partition=partition,
        node=node,
        status="ok",
        epoch=answer.epoch,
        info=answer.info,
    )
    if isinstance(answer, Success):
        return noted
    return replace(noted, status="failed", reason=answer.reason.value, message=answer.message)


def missing_rows(tally: Tally) -> list[Notice]:
    """Return the notice for a client that accepts partial results and gets one."""
    if not tally.failures:
        return []
    missing = partitions_failed([*tally.failures.values()]).detail
    return [Notice(message=f"rows are missing: {missing}")]


def result_of(plan: QueryPlan, tally: Tally, **rows: Any) -> Result:
    """Return a result with these rows, and what the tally has noted of their partitions."""
    return Result(
        kind=StatementKind.SELECT,
        columns=plan.columns,
        position=tally.position,
        partitions=tally.answers,
        notices=missing_rows(tally),
        read_ns=tally.read_ns,
        **rows,
    )


class Streams:
    """The rows of several partitions, one after another; they can be read again.

    Args:
        opened: for each read, the index of its partition in `answers`, and its rows.
        answers: the answers of the statement's partitions, to which the rows are added.
        read_ns: the times of its reads, if these are timed.
        scatter: the queries.
        cancellation: ends the reads.
    """

    def __init__(
        self,
        opened: Sequence[tuple[int, QueryResult[BatchStream]]],
        *,
        answers: Sequence[PartitionAnswer],
        read_ns: ReadTimes | None,
        scatter: Scatter,
        cancellation: Cancellation,
    ) -> None:
        self._opened, self._answers, self._read_ns = opened, answers, read_ns
        self.scatter, self.cancellation = scatter, cancellation
        self._keep = scatter.batch_filter()
        self.enough = scatter.enough

    @property
    def answered(self) -> list[tuple[PartitionAnswer, BatchStream]]:
        """The answer of each read that has not failed, and its rows."""
        answers = self._answers
        return [(answers[at], each.value) for at, each in self._opened if isinstance(each, Success)]

    def few_rows(self, path: RowPath, parameters: Row) -> list[Row] | None:
        """Return the result if few rows are read for it; see `read_few`."""
        answered = self.answered
        streams = [stream for _, stream in answered]
        until_s = slice_end() if self.cancellation.holds_loop else thread_slice_end()
        try:
            found = read_few(path, self.scatter, streams, parameters, until_s=until_s)
        except LateError:
            path.note(missed=True)
            return None
        except StoreError:  # the batches will raise it again, and name the partition
            return None
        if found is None:
            return None
        for (answer, _), count in zip(answered, found[1], strict=True):
            answer.rows += count
        return found[0]

    def take(self, rows_max: int) -> tuple[list[Row], int] | None:
        """Return all rows as tuples, and how many were read; None if there are too many to read.

        If the first ones in an order are wanted, these are all. The columns of the access come
        first; others of the predicate may follow.
        """
        answered = self.answered
        streams = [stream for _, stream in answered]
        try:
            read = first_rows_in(streams, thread_slice_end())
            found = few_rows_of(self.scatter, read, rows_max)
        except (LateError, StoreError):  # as in `few_rows`
            return None
        if found is None:
            return None
        for (answer, _), count in zip(answered, found[1], strict=True):
            answer.rows += count
        return found[0], sum(found[1])

    @property
    def are_in_memory(self) -> bool:
        """Whether all rows are columns in memory, of which batches are made in microseconds."""
        return rows_in_memory([stream for _, stream in self.answered]) is not None

    def read(self) -> Iterator[pa.RecordBatch]:
        """Return all rows, one read after another."""
        for reads in self.each():
            yield from reads

    def each(self) -> list[Iterator[pa.RecordBatch]]:
        """Return the rows of each read separately."""
        return [self._read(at, a.value) for at, a in self._opened if isinstance(a, Success)]

    def _read(self, at: int, stream: BatchStream) -> Iterator[pa.RecordBatch]:
        answer, keep = self._answers[at], self._keep
        try:
            for batch in _timed(stream, answer) if answer.info else stream:
                self.cancellation.check()
                answer.rows += batch.num_rows
                kept = batch if keep is None else keep(batch)
                if kept.num_rows:
                    yield kept
            note_time(self._read_ns, answer.store, answer.partition, 0)
        except QueryError:
            raise
        except MemoryError as error:
            raise out_of_memory(str(error) or None) from error
        except Exception as error:
            raise read_failed(answer.store, answer.partition, error) from error


def _timed(stream: BatchStream, answer: PartitionAnswer) -> Iterator[pa.RecordBatch]:
    """Yield the batches; at the end the info of the answer has the time to read them."""
    batches, rows, spent_ns = iter(stream), 0, 0
    while True:
        began_ns = time.perf_counter_ns()
        batch = next(batches, None)
        spent_ns += time.perf_counter_ns() - began_ns
        if batch is None:
            break
        rows += batch.num_rows
        yield batch
    answer.info = (*answer.info, f"read {rows} rows of the stream: {spent_ns} ns")


def top_rows(streams: Streams, top: Top, columns: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    """Return the first rows in the order of ORDER BY, merged from ordered reads.

    All rows are in order, if no number limits them.
    """
    reads = streams.each()
    if top.held is not None:
        reads = [trailing_null_held(read, top.held) for read in reads]
    for batch in first_rows(reads, top.columns, top.order, rows=streams.enough):
        yield batch.select(list(columns))


def counted(batches: Iterator[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Return one row with the number of rows."""
    rows = sum(batch.num_rows for batch in batches)
    yield pa.RecordBatch.from_arrays([pa.array([rows], pa.int64())], schema=schema)


def projected(
    batches: Iterator[pa.RecordBatch],
    node: Stream,
    schema: pa.Schema,
    window: tuple[int, int | None],
) -> Iterator[pa.RecordBatch]:
    """Return the result columns in order, and only the rows that LIMIT and OFFSET select.

    Args:
        batches: rows with the columns of the access.
        node: the plan.
        schema: the schema of the result.
        window: how many rows to skip, then how many to return.
    """
    skip, left = window
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


class AsPromised:
    """The batches of DuckDB, cast to the Arrow types of the result columns.

    It is a class, because closing a generator that has not begun would not end the statement.

    Args:
        composed: the batches; closed with it.
        schema: the schema of the result.
    """

    def __init__(self, composed: Composed, schema: pa.Schema) -> None:
        self._composed, self._schema = composed, schema

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        return self

    def __next__(self) -> pa.RecordBatch:
        batch, schema = next(self._composed), self._schema
        if batch.schema.equals(schema):
            return batch
        arrays = [
            column if column.type == wanted.type else column.cast(wanted.type)
            for column, wanted in zip(batch.columns, schema, strict=True)
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=schema)

    def close(self) -> None:
        """End the statement."""
        self._composed.close()

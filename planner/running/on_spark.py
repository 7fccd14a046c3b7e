"""Run a statement on Spark: partitions are asked as always, and their epochs are read there.

The partitions check the bounds, and say at which epoch and position they answer; none of their rows
is read here. All partitions of a pipeline are asked at one epoch, because Spark reads a store as of
an epoch.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial

import pyarrow as pa

from stategate.planner.composing.compose import Composer
from stategate.planner.errors import (
    InvalidValueError,
    LimitExceededError,
    NotSupportedError,
    QueryCancelledError,
    QueryError,
    StoreFailedError,
    UnavailableError,
)
from stategate.planner.planning.access import Access
from stategate.planner.planning.plan import QueryPlan
from stategate.planner.running.consistency import Reading
from stategate.planner.running.gathering import Tally, missing_rows, rows_in
from stategate.planner.running.read_counts import ReadCounts, RowStream
from stategate.planner.running.snapshot import Snapshot
from stategate.planner.running.store_reads import StoreReads
from stategate.planner.running.values_first import values_of
from stategate.planner.spark.query import SparkQuery
from stategate.planner.spark.refusal import refused
from stategate.planner.spark.row_filters import row_filters
from stategate.planner.syntax.options import ReadOptions
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.statement import Result, StatementKind
from stategate.stores.errors import EngineError, EngineInterruptedError
from stategate.stores.hosting.blocking import lent
from stategate.stores.spec.query_engine import (
    EngineRelation,
    EngineRun,
    EngineStatement,
    QueryEngine,
)
from stategate.stores.spec.schema import Row

_CLASSES: tuple[tuple[str, type[QueryError]], ...] = (
    ("22", InvalidValueError),
    ("21", InvalidValueError),
    ("0A", NotSupportedError),
    ("53", LimitExceededError),
    ("57", UnavailableError),
)
"""The first characters of a code, and the class of its errors."""


class SparkRunner:
    """Runs statements by an engine.

    Args:
        engine: the engine.
        reads: asks the partitions.
        composer: computes the values that a run needs before it reads.
        node: this node's name, as answers show it.
        counts: counts the statements.
    """

    def __init__(
        self,
        engine: QueryEngine,
        reads: StoreReads,
        composer: Composer,
        *,
        node: str,
        counts: ReadCounts,
    ) -> None:
        self._engine, self._reads, self._composer = engine, reads, composer
        self._node, self._counts = node, counts

    def run(
        self,
        plan: QueryPlan,
        query: SparkQuery,
        parameters: Row,
        options: ReadOptions,
        cancellation: Cancellation,
        *,
        snapshot: Snapshot | None,
    ) -> Result:
        """Run a statement; the rows are a stream that the caller's thread reads.

        Args:
            plan: the plan of the statement, which has its columns.
            query: the statement for Spark.
            parameters: the client's parameters.
            options: how to read.
            cancellation: ends it early.
            snapshot: the epochs of the transaction, if it repeats its reads.

        Raises:
            QueryError: a partition failed, a bound is not met, or the engine takes no statement.
        """
        query, parameters = self._completed(query, parameters, cancellation)
        values = query.values(parameters)
        at_one_epoch = options if snapshot is not None else replace(options, snapshot=True)
        reading = Reading(
            options=at_one_epoch,
            cancellation=cancellation,
            snapshot=snapshot,
            counts=self._counts,
        )
        tally = Tally(reading=reading, node=self._node)
        try:
            accesses = [access for _, access in query.accesses]
            self._reads.make_ready(accesses, parameters, tally)
            for access in accesses:
                self._reads.streams(access, parameters, cancellation, tally)
                tally.settle()
        finally:
            reading.release()
        relations = {name: _relation(access, tally, parameters) for name, access in query.accesses}
        statement = EngineStatement(sql=query.sql, relations=relations, values=values)
        try:
            run = self._engine.run(statement)
        except EngineError as error:
            raise _query_error(error) from error
        stream = RowStream(
            _rows(run, plan.arrow_schema, cancellation),
            cancellation,
            counts=self._counts,
            path=self._counts.spark,
            rows_read=partial(rows_in, tally.answers),  # the tally holds open streams
        )

        def close() -> None:
            stream.close()
            run.close()  # also if no row was read

        return Result(
            kind=StatementKind.SELECT,
            columns=plan.columns,
            batches=stream,
            position=tally.position,
            partitions=tally.answers,
            notices=missing_rows(tally),
            on_close=close,
        )

    def _completed(
        self, query: SparkQuery, parameters: Row, cancellation: Cancellation
    ) -> tuple[SparkQuery, Row]:
        """Return a statement and its parameters with the computed values; see `completed`."""
        if query.computed is None or query.without_values is None:
            return query, parameters
        try:
            found = values_of(query.computed, parameters, self._composer, cancellation)
        except QueryCancelledError:
            raise
        except QueryError:
            return query.without_values, parameters
        return query, query.computed.with_values(parameters, found)


def _next(run: EngineRun) -> pa.RecordBatch | None:
    """Return the next rows; None at the end."""
    with lent():
        return next(run, None)


def _relation(access: Access, tally: Tally, parameters: Row) -> EngineRelation:
    """Return a store at the epoch at which its partitions have answered."""
    schema = access.schema
    answers = [each for each in tally.answers if each.store == schema.name and each.status == "ok"]
    epochs = {each.epoch for each in answers}
    if len(epochs) > 1:
        raise UnavailableError(
            f'the partitions of store "{schema.name}" have no epoch in common',
            detail=f"They are at epochs {min(epochs)} to {max(epochs)}.",
            hint="Retry, or wait with WAIT.",
        )
    known = {column.name for column in schema.columns}
    columns = tuple(name for name in access.columns if name in known)
    if any("," in name or name != name.strip() for name in columns):
        raise refused("columns with a comma, or spaces at the ends, in their names")
    return EngineRelation(
        store=schema.name,
        epoch=epochs.pop() if epochs else -1,
        partitions=tuple(sorted({each.partition for each in answers})),
        columns=columns or (schema.columns[0].name,),
        filters=row_filters(schema, access.predicate, parameters),
    )


def _rows(
    run: EngineRun, schema: pa.Schema, cancellation: Cancellation
) -> Iterator[pa.RecordBatch]:
    """Return the rows in the types of the result columns."""
    with closing(run), cancellation.interrupting(run.interrupt):
        try:
            while (batch := _next(run)) is not None:
                yield _promised(batch, schema)
        except EngineInterruptedError as error:
            cancellation.check()
            raise StoreFailedError("Spark has ended the statement", hint="Retry.") from error
        except EngineError as error:
            raise _query_error(error) from error


def _promised(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    try:
        arrays = [
            column if column.type == field.type else column.cast(field.type)
            for column, field in zip(batch.columns, schema, strict=True)
        ]
    except pa.ArrowInvalid as error:
        raise InvalidValueError(
            "value out of range", detail=str(error), sqlstate="22003"
        ) from error
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _query_error(error: EngineError) -> QueryError:
    kind = next((kind for start, kind in _CLASSES if error.sqlstate.startswith(start)), None)
    return (kind or StoreFailedError)(
        error.message, detail=error.detail, hint=error.hint, sqlstate=error.sqlstate
    )

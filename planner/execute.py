"""Plans against stores: scatter typed queries, gather answers, hold bounds and deadlines.

Every partition that is asked leaves an answer in the result. By default one that fails fails the
statement, before its first row.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import pyarrow as pa

from planner.access import Access
from planner.cancel import Cancellation
from planner.compose import ArrowRelation, Composer
from planner.errors import (
    RESTORING,
    QueryError,
    StoreFailed,
    TypeProblem,
    Unavailable,
    ValueProblem,
    partitions_failed,
)
from planner.fit import Fitted
from planner.options import ReadOptions
from planner.plan import Compose, Lookup, QueryPlan, Stream, SystemScan
from planner.predicates import fitted
from planner.relations import SYSTEM_RELATIONS, system_table
from planner.session import Session
from planner.statement import PartitionAnswer, Result, StatementKind
from stores.errors import CodecError, FailureReason, LogError
from stores.partitioner import partitioner
from stores.position import EMPTY, Position, PositionBound
from stores.query import BatchStream, KeyQuery, Query
from stores.result import Failure, QueryResult, Success
from stores.schema import Key, Row, StoreSchema
from stores.store import DEFAULT_CONFIG, QueryConfig, Store, StoreCatalog

R = TypeVar("R")

WAIT_STEP_S = 0.1
"""How long a wait goes on before it looks whether the statement was cancelled."""


@dataclass(slots=True, kw_only=True)
class _Tally:
    """What has been asked so far: positions and answers, which end up in the result."""

    position: Position = EMPTY
    answers: list[PartitionAnswer] = field(default_factory=list)
    places: dict[tuple[str, int], int] = field(default_factory=dict)
    """Where in `answers` each partition of a store is: it has one, however often it is asked."""
    failures: list[tuple[str, int, FailureReason, str]] = field(default_factory=list)
    is_restoring: bool = False


class Executor:
    """Runs plans.

    Args:
        catalog: the stores.
        composer: runs what needs DuckDB.
        node: this node's name, as answers show it.
        clock: wall clock in epoch milliseconds.
    """

    def __init__(
        self, catalog: StoreCatalog, composer: Composer, *, node: str, clock: Callable[[], int]
    ) -> None:
        self._catalog, self._composer = catalog, composer
        self._node, self._clock = node, clock
        self._routes: dict[str, tuple[StoreSchema, Callable[[Key], int]]] = {}

    def store(self, schema: StoreSchema) -> Store:
        """The store that a plan was made for.

        Raises:
            Unavailable: it has gone, or was defined anew; the statement can be planned again.
        """
        store = self._catalog.stores.get(schema.name)
        if store is None or (store.schema is not schema and store.schema != schema):
            raise Unavailable(
                f'store "{schema.name}" has changed since the statement was prepared',
                hint="Prepare it again.",
                sqlstate="55000",
            )
        return store

    def route(self, schema: StoreSchema) -> Callable[[Key], int]:
        """The partitioner of a store; made once."""
        held = self._routes.get(schema.name)
        if held is None or held[0] is not schema:
            held = (schema, partitioner(schema.key, schema.partitions))
            self._routes[schema.name] = held
        return held[1]

    def look_up(self, node: Lookup, parameters: Row, session: Session) -> Sequence[Row] | None:
        """One key as its partition has it now; None where `lookup` has more to say about it."""
        schema = node.access.schema
        key = _key(node, parameters)
        if key is None:
            return ()
        try:
            partition = self.route(schema)(key)
        except CodecError:
            return None
        answer = self.store(schema).query_partition(partition, KeyQuery(key=key))
        if type(answer) is not Success:
            return None
        session.note(answer.position)
        return () if answer.value is None else (node.project(key + answer.value),)

    def lookup(
        self, plan: QueryPlan, node: Lookup, parameters: Row, options: ReadOptions
    ) -> Result:
        """One key: the caller's thread, no DuckDB."""
        schema = node.access.schema
        store = self.store(schema)
        key = _key(node, parameters)
        result = Result(kind=StatementKind.SELECT, columns=plan.columns, rows=())
        if key is None:
            return result
        try:
            partition = self.route(schema)(key)
        except CodecError as error:
            raise TypeProblem(str(error)) from error
        query = KeyQuery(key=key)
        if options.partitions is not None:
            _check_partitions(options.partitions, schema)
            if partition not in options.partitions:
                return result
        tally = _Tally()
        config = self._config(options, store)
        answer = self._ask(
            store,
            partition,
            query,
            config,
            wait_ms=options.wait_ms,
            cancellation=None,
            tally=tally,
        )
        self._settle(tally, options)
        if isinstance(answer, Success) and answer.value is not None:
            result.rows = (node.project(key + answer.value),)
            tally.answers[0].rows = 1
        result.position, result.partitions = tally.position, tally.answers
        return result

    def run(
        self,
        plan: QueryPlan,
        parameters: Row,
        options: ReadOptions,
        cancellation: Cancellation,
    ) -> Result:
        """Any plan: rows come as a stream that is read in the caller's thread."""
        node = plan.node
        if isinstance(node, Lookup):
            return self.lookup(plan, node, parameters, options)
        tally = _Tally()
        if isinstance(node, Stream):
            read = self._open(node.access, parameters, options, cancellation, tally)
            self._settle(tally, options)
            batches = _project(read(), node, plan.arrow_schema)
        else:
            batches = self._compose(
                plan, node, parameters, options=options, cancellation=cancellation, tally=tally
            )
        return Result(
            kind=StatementKind.SELECT,
            columns=plan.columns,
            batches=_checked(batches, cancellation),
            position=tally.position,
            partitions=tally.answers,
            on_close=batches.close if hasattr(batches, "close") else None,
        )

    def _compose(
        self,
        plan: QueryPlan,
        node: Compose,
        parameters: Row,
        *,
        options: ReadOptions,
        cancellation: Cancellation,
        tally: _Tally,
    ) -> Iterator[pa.RecordBatch]:
        relations: dict[str, ArrowRelation] = {}
        for name, planned in node.inputs:
            if isinstance(planned, SystemScan):
                relations[name] = self._system(planned)
                continue
            read = self._open(planned, parameters, options, cancellation, tally)
            schema = planned.schema.arrow_schema(planned.columns)
            relations[name] = ArrowRelation(schema, read)
        self._settle(tally, options)
        batches = self._composer.run(
            node.sql,
            relations,
            {n: (parameters[n - 1], plan.parameters[n - 1]) for n in node.numbers},
            cancellation=cancellation,
            tree=node.tree,
        )
        return _cast(batches, plan.arrow_schema)

    def _system(self, scan: SystemScan) -> ArrowRelation:
        table = system_table(scan.name, self._catalog, node=self._node, clock=self._clock)
        columns = SYSTEM_RELATIONS[scan.name]
        schema = pa.schema([(c.name, c.type.arrow) for c in columns])
        return ArrowRelation(schema, lambda: iter(table.to_batches()))

    def _open(
        self,
        access: Access,
        parameters: Row,
        options: ReadOptions,
        cancellation: Cancellation,
        tally: _Tally,
    ) -> Callable[[], Iterator[pa.RecordBatch]]:
        """Ask all partitions now, so that all views are of now; the rows are read when wanted.

        What is returned can be called again: it asks the same views once more.
        """
        store = self.store(access.schema)
        config = self._config(options, store)
        targets = access.targets(parameters, self.route(access.schema))
        if options.partitions is not None:
            _check_partitions(options.partitions, access.schema)
            targets = [target for target in targets if target[0] in options.partitions]
        opened: list[tuple[int, QueryResult[BatchStream]]] = []
        for target in targets:
            cancellation.check()
            partition, query = target
            answer = self._ask(
                store,
                partition,
                query,
                config,
                wait_ms=options.wait_ms,
                cancellation=cancellation,
                tally=tally,
            )
            opened.append((tally.places[access.schema.name, partition], answer))
        return _Streams(opened, tally).read

    def _config(self, options: ReadOptions, store: Store) -> QueryConfig:
        bound = options.bound
        if options.latest:
            try:
                bound = replace(bound, epoch=store.committed_epoch())
            except LogError as error:
                raise Unavailable(
                    f'the log of store "{store.schema.name}" cannot be read',
                    detail=str(error),
                    hint="Retry, or read without LATEST.",
                ) from error
        if bound.is_unbounded and not options.active and not options.info:
            return DEFAULT_CONFIG
        return QueryConfig(bound=bound, active=options.active, info=options.info)

    def _ask(
        self,
        store: Store,
        partition: int,
        query: Query[R],
        config: QueryConfig,
        *,
        wait_ms: int,
        cancellation: Cancellation | None,
        tally: _Tally,
    ) -> QueryResult[R]:
        answer = store.query_partition(partition, query, config)
        is_behind = isinstance(answer, Failure) and answer.reason is FailureReason.NOT_UP_TO_BOUND
        if is_behind and _await(store, partition, config.bound, wait_ms, cancellation):
            answer = store.query_partition(partition, query, config)
        self._note(store.schema.name, partition, answer, tally)
        return answer

    def _note(
        self, store: str, partition: int, answer: Success[Any] | Failure, tally: _Tally
    ) -> None:
        tally.position = tally.position.merge(answer.position)
        if isinstance(answer, Failure):
            tally.failures.append((store, partition, answer.reason, answer.message))
            tally.is_restoring = tally.is_restoring or answer.restoring
            noted = PartitionAnswer(
                store=store,
                partition=partition,
                node=self._node,
                status="failed",
                reason=answer.reason.value,
                message=answer.message,
                epoch=answer.epoch,
                info=answer.info,
            )
        else:
            noted = self._answered(store, partition, answer)
        at = tally.places.setdefault((store, partition), len(tally.answers))
        if at == len(tally.answers):
            tally.answers.append(noted)
        elif noted.status == "failed" or noted.info:
            held = tally.answers[at]
            tally.answers[at] = replace(noted, rows=held.rows, info=(*held.info, *noted.info))

    def _answered(self, store: str, partition: int, answer: Success[Any]) -> PartitionAnswer:
        return PartitionAnswer(
            store=store,
            partition=partition,
            node=self._node,
            status="ok",
            epoch=answer.epoch,
            info=answer.info,
        )

    @staticmethod
    def _settle(tally: _Tally, options: ReadOptions) -> None:
        """Fail the statement for its failed partitions, unless it wants what there is."""
        if not tally.failures or options.partial:
            return
        error = partitions_failed(tally.failures)
        if tally.is_restoring and error.retryable:
            error.sqlstate = RESTORING
        raise error


class _Streams:
    """The rows of several partitions, one after the other; can be read again."""

    def __init__(
        self, opened: Sequence[tuple[int, QueryResult[BatchStream]]], tally: _Tally
    ) -> None:
        self._opened, self._tally = opened, tally

    def read(self) -> Iterator[pa.RecordBatch]:
        for at, answer in self._opened:
            if isinstance(answer, Failure):
                continue
            try:
                for batch in answer.value:
                    self._tally.answers[at].rows += batch.num_rows
                    yield batch
            except QueryError:
                raise
            except Exception as error:
                asked = self._tally.answers[at]
                raise StoreFailed(
                    f'partition {asked.partition} of store "{asked.store}" failed while it was '
                    f"read: {error}"
                ) from error


def _key(node: Lookup, parameters: Row) -> Key | None:
    """The key that is looked up; None if no row can have it."""
    values = []
    for operand in node.operands:
        if operand.fit is Fitted:
            value = operand.value(parameters)
            if value is None:
                return None
        else:
            found = fitted(operand, parameters)
            if not isinstance(found, Fitted) or not found.exact:
                return None
            value = found.value
        values.append(value)
    return tuple(values)


def _check_partitions(partitions: frozenset[int], schema: StoreSchema) -> None:
    for partition in partitions:
        if partition >= schema.partitions:
            raise ValueProblem(
                f'partition {partition} of store "{schema.name}" does not exist',
                hint=f"It has partitions 0 to {schema.partitions - 1}.",
            )


def _await(
    store: Store,
    partition: int,
    bound: PositionBound,
    wait_ms: int,
    cancellation: Cancellation | None,
) -> bool:
    """Wait for a bound, in steps between which a cancel is seen."""
    deadline = time.monotonic() + wait_ms / 1000
    while True:
        if cancellation is not None:
            cancellation.check()
        left_s = deadline - time.monotonic()
        if left_s <= 0:
            return False
        if store.wait(partition, bound, timeout_s=min(left_s, WAIT_STEP_S)):
            return True


def _checked(
    batches: Iterator[pa.RecordBatch], cancellation: Cancellation
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        cancellation.check()
        yield batch


def _project(
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


def _cast(batches: Iterator[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Batches in the Arrow types that the columns promise."""
    for batch in batches:
        arrays = [
            column if column.type == wanted.type else column.cast(wanted.type)
            for column, wanted in zip(batch.columns, schema, strict=True)
        ]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)

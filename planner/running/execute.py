"""Run plans: send typed queries to the partitions of stores, and gather the answers.

The result has an answer of every partition that was asked. Unless the client accepts partial
results, one failed partition fails the statement before its first row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import pyarrow as pa
from msgspec import structs

from planner.binding.relations import SYSTEM_RELATIONS, Surroundings, system_table
from planner.binding.running_statements import RunningQueries
from planner.composing.compose import Composed, Composer
from planner.composing.database import ArrowRelation
from planner.errors import InvalidValueError, MismatchedTypeError, UnavailableError
from planner.planning.access import Access, Scatter
from planner.planning.plan import Compose, Count, Lookup, QueryPlan, Stream, SystemScan
from planner.planning.row_joins import RowJoin
from planner.planning.row_path import RowPath
from planner.running.consistency import Asked, Reading
from planner.running.fast_join import fast_join
from planner.running.fast_lookup import fast_lookup, fast_rows, key_of
from planner.running.gathering import (
    Streams,
    Tally,
    as_promised,
    checked,
    counted,
    missing_rows,
    projected,
    top_rows,
)
from planner.running.join_inputs import JoinInputs, Read
from planner.running.joined_rows import joined_rows
from planner.running.snapshot import Snapshot
from planner.syntax.options import ReadOptions
from planner.values.cancel import Cancellation
from planner.values.session import Session
from planner.values.statement import LookUp, Result, StatementKind
from stores.codec.partitioner import partitioner
from stores.errors import CodecError
from stores.spec.query import BatchStream, KeyQuery, Query
from stores.spec.result import Failure, QueryResult, Success
from stores.spec.scans import ApproximateCountQuery
from stores.spec.schema import Key, Row, StoreSchema
from stores.spec.store import Store, StoreCatalog

R = TypeVar("R")


class Executor:
    """Runs plans over the stores of a catalog.

    Args:
        catalog: the stores.
        composer: runs SQL in DuckDB.
        queries: the statements that run now.
        node: this node's name, as answers show it.
        clock: wall clock in epoch milliseconds.
        few_rows: whether to take the row path where a plan has one.
    """

    def __init__(
        self,
        catalog: StoreCatalog,
        composer: Composer,
        *,
        queries: RunningQueries,
        node: str,
        clock: Callable[[], int],
        few_rows: bool = True,
    ) -> None:
        self._catalog, self._composer, self._queries = catalog, composer, queries
        self._node, self._clock, self._takes_few = node, clock, few_rows
        self._routes: dict[str, tuple[StoreSchema, Callable[[Key], int]]] = {}

    def store(self, schema: StoreSchema) -> Store:
        """Return the store that a plan was made for.

        Raises:
            UnavailableError: the store is gone or has a new definition; plan the statement again.
        """
        store = self._catalog.stores.get(schema.name)
        if store is None or (store.schema is not schema and store.schema != schema):
            raise UnavailableError(
                f'store "{schema.name}" has changed since the statement was prepared',
                hint="Prepare it again.",
                sqlstate="55000",
            )
        return store

    def route(self, schema: StoreSchema) -> Callable[[Key], int]:
        """Return the partitioner of a store; it is made once."""
        held = self._routes.get(schema.name)
        if held is None or held[0] is not schema:
            held = (schema, partitioner(schema.key, schema.partitions))
            self._routes[schema.name] = held
        return held[1]

    def look_up(self, plan: QueryPlan) -> LookUp | None:
        """Return what answers a plan of few rows at once; see `planner.running.fast_lookup`."""
        node = plan.node
        if plan.catalog_values is not None:
            return None
        if isinstance(node, Lookup):
            return fast_lookup(plan, node, self._catalog, self.route(node.access.schema))
        if plan.rows is None or not self._takes_few:
            return None
        if plan.join is not None:
            routes = [self.route(step.access.schema) for step in plan.join.steps]
            return fast_join(plan, plan.rows, plan.join, self._catalog, routes)
        (access,) = accesses_of(node)
        return fast_rows(plan, plan.rows, access, self._catalog, self.route(access.schema))

    def lookup(self, plan: QueryPlan, node: Lookup, parameters: Row, reading: Reading) -> Result:
        """Look up one key in the caller's thread."""
        schema, options = node.access.schema, reading.options
        store = reading.store(self.store(schema))
        reading.check_topics([store], self._catalog)
        key = key_of(node.operands, parameters)
        result = Result(kind=StatementKind.SELECT, columns=plan.columns, rows=())
        if key is None:
            return result
        try:
            partition = self.route(schema)(key)
        except CodecError as error:
            raise MismatchedTypeError(str(error)) from error
        query = KeyQuery(key=key)
        if options.partitions is not None:
            _check_partitions(options.partitions, schema)
            if partition not in options.partitions:
                return result
        tally = Tally(reading=reading, node=self._node)
        if not reading.is_plain:
            asked = [Asked(store=store, partitions={partition})]
            reading.make_ready(asked, others=self._catalog.stores.values())
        answer = self._ask(store, partition, query, tally)
        tally.settle()
        if isinstance(answer, Success) and answer.value is not None:
            result.rows = (node.project(key + answer.value),)
            tally.answers[0].rows = 1
        result.position, result.partitions = tally.position, tally.answers
        result.notices += missing_rows(tally)
        return result

    def run(
        self,
        plan: QueryPlan,
        parameters: Row,
        options: ReadOptions,
        cancellation: Cancellation,
        *,
        session: Session,
        snapshot: Snapshot | None = None,
    ) -> Result:
        """Run any plan; the rows are a stream that the caller's thread reads.

        Args:
            plan: what to run.
            parameters: its parameters.
            options: how to read.
            cancellation: ends it early.
            session: the session that runs it.
            snapshot: the epochs of the transaction, if it repeats its reads.
        """
        node = plan.node
        reading = Reading(options=options, cancellation=cancellation, snapshot=snapshot)
        try:
            if isinstance(node, Lookup):
                return self.lookup(plan, node, parameters, reading)
            return self._run(
                plan,
                node,
                parameters,
                reading=reading,
                cancellation=cancellation,
                session=session,
            )
        finally:
            # Open streams have their views and keep them.
            reading.release()

    def _run(
        self,
        plan: QueryPlan,
        node: Stream | Count | Compose,
        parameters: Row,
        *,
        reading: Reading,
        cancellation: Cancellation,
        session: Session,
    ) -> Result:
        tally = Tally(reading=reading, node=self._node)
        self._make_ready(accesses_of(node), parameters, tally)
        if plan.rows is not None and self._takes_few:
            # A join that declines leaves no trace: its reads are not those of the node.
            noted = tally if plan.join is None else Tally(reading=reading, node=self._node)
            if plan.join is None:
                rows = self._few_rows(plan.rows, node, parameters, cancellation, noted)
            else:
                rows = self._few_joined(plan.rows, plan.join, parameters, cancellation, noted)
            if rows is not None:
                return Result(
                    kind=StatementKind.SELECT,
                    columns=plan.columns,
                    rows=rows,
                    position=noted.position,
                    partitions=noted.answers,
                    notices=missing_rows(noted),
                )
        composed: Composed | None = None
        batches: Iterator[pa.RecordBatch]
        if isinstance(node, Stream):
            window = node.limits.window(parameters)
            read = self._open(node.access, parameters, cancellation, tally)
            tally.settle()
            batches = projected(read(), node, plan.arrow_schema, window)
        elif isinstance(node, Count):
            read = self._open(node.access, parameters, cancellation, tally)
            tally.settle()
            batches = counted(read(), plan.arrow_schema)
        else:
            composed = self._compose(
                plan,
                node,
                parameters,
                cancellation=cancellation,
                tally=tally,
                session=session,
            )
            batches = as_promised(composed, plan.arrow_schema)
        result = Result(
            kind=StatementKind.SELECT,
            columns=plan.columns,
            batches=checked(batches, cancellation),
            position=tally.position,
            partitions=tally.answers,
            notices=missing_rows(tally),
            on_close=batches.close if hasattr(batches, "close") else None,
        )
        if composed is not None:
            result.is_computed = lambda: composed.is_computed
        return result

    def _few_rows(
        self,
        path: RowPath,
        node: Stream | Count | Compose,
        parameters: Row,
        cancellation: Cancellation,
        tally: Tally,
    ) -> list[Row] | None:
        """Return the result if few rows are read; otherwise the opened streams are left."""
        (access,) = accesses_of(node)
        streams = self._streams(access, parameters, cancellation, tally)
        tally.settle()
        return streams.few_rows(path, parameters)

    def _few_joined(
        self,
        path: RowPath,
        join: RowJoin,
        parameters: Row,
        cancellation: Cancellation,
        tally: Tally,
    ) -> list[Row] | None:
        """Return the result of a join if few rows are read, all partitions answer, none waits."""
        reading = tally.reading
        if not reading.is_plain or not path.is_worth_it():
            return None

        def read(number: int, access: Access, rows_max: int) -> tuple[list[Row], int] | None:
            streams = self._streams(access, parameters, cancellation, tally)
            return None if tally.failures else streams.take(rows_max)

        rows = joined_rows(join, read)
        path.note(missed=rows is None)
        return None if rows is None else path.finish(rows, parameters)

    def _compose(
        self,
        plan: QueryPlan,
        node: Compose,
        parameters: Row,
        *,
        cancellation: Cancellation,
        tally: Tally,
        session: Session,
    ) -> Composed:
        accesses = {n: planned for n, planned in node.inputs if isinstance(planned, Access)}

        def open_access(access: Access) -> Read:
            read = self._open(access, parameters, cancellation, tally)
            tally.settle()
            return read

        inputs = JoinInputs(links=node.links, open_access=open_access, rows_of=self.rows_of)
        relations = {
            name: ArrowRelation(accesses[name].schema.arrow_schema(accesses[name].columns), read)
            for name, read in inputs.open_all(accesses).items()
        }
        for name, planned in node.inputs:
            if isinstance(planned, SystemScan):
                relations[name] = self._system(planned, session)
        return self._composer.run(
            node.sql,
            relations,
            {n: (parameters[n - 1], plan.parameters[n - 1]) for n in node.numbers},
            cancellation=cancellation,
            outline=node.outline,
        )

    def rows_of(self, access: Access) -> int | None:
        """Return about how many rows a store holds here; None if a partition does not know."""
        store, rows = self.store(access.schema), 0
        for partition in range(access.schema.partitions):
            answer = store.query_partition(partition, ApproximateCountQuery())
            if isinstance(answer, Failure):
                return None
            rows += answer.value
        return rows

    def _system(self, scan: SystemScan, session: Session) -> ArrowRelation:
        around = Surroundings(
            catalog=self._catalog,
            queries=self._queries,
            session=session,
            node=self._node,
            now_ms=self._clock(),
        )
        table = system_table(scan.name, around)
        columns = SYSTEM_RELATIONS[scan.name]
        schema = pa.schema([(c.name, c.type.arrow) for c in columns])
        return ArrowRelation(schema, lambda: iter(table.to_batches()))

    def _open(
        self,
        access: Access,
        parameters: Row,
        cancellation: Cancellation,
        tally: Tally,
    ) -> Callable[[], Iterator[pa.RecordBatch]]:
        """Ask all partitions now, so that their views are of one moment; rows are read later.

        The returned function can be called again, and reads the same views.
        """
        streams = self._streams(access, parameters, cancellation, tally)
        if (top := access.top) is not None:
            return lambda: top_rows(streams, top, access.columns)
        return streams.read

    def _streams(
        self,
        access: Access,
        parameters: Row,
        cancellation: Cancellation,
        tally: Tally,
    ) -> Streams:
        """Return the answers of all partitions, which are asked if they have not been."""
        held = tally.opened.get(id(access))
        if held is not None:
            return held
        store = tally.reading.store(self.store(access.schema))
        scatter = tally.scatters.pop(id(access), None)
        if scatter is None:
            scatter = self._scatter(access, parameters, tally.reading.options.partitions)
        if len({partition for partition, _ in scatter.targets}) < len(scatter.targets):
            tally.reading.keep_epochs()
        opened: list[tuple[int, QueryResult[BatchStream]]] = []
        for partition, query in scatter.targets:
            cancellation.check()
            answer = self._ask(store, partition, query, tally)
            opened.append((tally.places[access.schema.name, partition], answer))
        streams = Streams(opened, tally, scatter=scatter, cancellation=cancellation)
        tally.opened[id(access)] = streams
        return streams

    def _make_ready(self, accesses: Sequence[Access], parameters: Row, tally: Tally) -> None:
        """Wait for the bounds, and choose the epochs, of all partitions that will be asked."""
        reading = tally.reading
        reading.check_topics(
            (reading.store(self.store(access.schema)) for access in accesses), self._catalog
        )
        names = [access.schema.name for access in accesses]
        if len(set(names)) < len(names):
            reading.keep_epochs()
        if reading.is_plain:
            return
        asked: list[Asked] = []
        for access in accesses:
            scatter = self._scatter(access, parameters, reading.options.partitions)
            tally.scatters[id(access)] = scatter
            store = reading.store(self.store(access.schema))
            asked.append(Asked(store=store, partitions={number for number, _ in scatter.targets}))
        reading.make_ready(asked, others=self._catalog.stores.values())

    def _scatter(self, access: Access, parameters: Row, only: frozenset[int] | None) -> Scatter:
        try:
            scatter = access.scatter(parameters, self.route(access.schema))
        except CodecError as error:
            raise MismatchedTypeError(str(error)) from error
        if only is None:
            return scatter
        _check_partitions(only, access.schema)
        targets = [target for target in scatter.targets if target[0] in only]
        return structs.replace(scatter, targets=targets)

    def _ask(self, store: Store, partition: int, query: Query[R], tally: Tally) -> QueryResult[R]:
        config = tally.reading.config(store, partition)
        answer = store.query_partition(partition, query, config)
        tally.note(store.schema.name, partition, answer)
        return answer


def _check_partitions(partitions: frozenset[int], schema: StoreSchema) -> None:
    for partition in partitions:
        if partition >= schema.partitions:
            raise InvalidValueError(
                f'partition {partition} of store "{schema.name}" does not exist',
                hint=f"It has partitions 0 to {schema.partitions - 1}.",
            )


def accesses_of(node: Stream | Count | Compose) -> list[Access]:
    """Return the reads of stores."""
    if isinstance(node, Stream | Count):
        return [node.access]
    return [planned for _, planned in node.inputs if not isinstance(planned, SystemScan)]

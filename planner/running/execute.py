"""Run plans: send typed queries to the partitions of stores, and gather the answers.

The result has an answer from every partition that was asked. Unless the client accepts partial
results, one failed partition fails the statement before its first row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import pyarrow as pa

from stategate.planner.binding.running_statements import RunningQueries
from stategate.planner.binding.system_rows import Surroundings, system_table
from stategate.planner.composing.compose import Composed, Composer
from stategate.planner.composing.database import ArrowRelation
from stategate.planner.errors import MismatchedTypeError
from stategate.planner.planning.access import Access
from stategate.planner.planning.plan import (
    Compose,
    Count,
    Lookup,
    QueryPlan,
    Stream,
    SystemScan,
    accesses_of,
)
from stategate.planner.planning.row_joins import RowJoin
from stategate.planner.planning.row_path import RowPath
from stategate.planner.running.consistency import Asked, Reading
from stategate.planner.running.fast_join import fast_join
from stategate.planner.running.fast_lookup import Admissions, fast_lookup, fast_rows, key_of
from stategate.planner.running.few_inputs import Read, few_first
from stategate.planner.running.gathering import (
    AsPromised,
    Tally,
    counted,
    missing_rows,
    projected,
    result_of,
    rows_in,
)
from stategate.planner.running.groups_elsewhere import groups_elsewhere, merged_batches
from stategate.planner.running.join_inputs import JoinInputs
from stategate.planner.running.joined_rows import joined_rows
from stategate.planner.running.kept_answers import BYTES_MAX, KeptAnswers, NeverKept
from stategate.planner.running.many_lookups import look_up_each
from stategate.planner.running.read_counts import ReadCounts, RowStream
from stategate.planner.running.snapshot import Snapshot
from stategate.planner.running.store_reads import StoreReads, check_partitions
from stategate.planner.running.values_first import completed, with_values
from stategate.planner.syntax.options import ReadOptions
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.rights import Rights
from stategate.planner.values.session import Session
from stategate.planner.values.statement import EachLookedUp, LookUp, Result, StatementKind
from stategate.stores.errors import CodecError
from stategate.stores.spec.catalog import StoreCatalog
from stategate.stores.spec.position import Position
from stategate.stores.spec.query import KeyQuery
from stategate.stores.spec.result import Success
from stategate.stores.spec.schema import Row


class Executor:
    """Runs plans over the stores of a catalog.

    Args:
        catalog: the stores.
        composer: runs SQL in DuckDB.
        queries: the statements that run now.
        node: this node's name, as answers show it.
        clock: wall clock in epoch milliseconds.
        few_rows: whether to take the row path where a plan has one.
        answers_bytes: memory for answers of few rows that are given again; or 0.
        times_reads: whether results say when each partition was read.
        rights: the stores that each user may read; whoever calls `run` has checked them.
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
        answers_bytes: int = BYTES_MAX,
        times_reads: bool = False,
        rights: Rights,
    ) -> None:
        self._catalog, self._composer, self._admit = catalog, composer, Admissions(catalog, rights)
        self._surroundings = partial(
            Surroundings, catalog=catalog, rights=rights, queries=queries, node=node
        )
        self._node, self._clock, self._takes_few = node, clock, few_rows
        self._times_reads = times_reads
        self._kept_answers = KeptAnswers(answers_bytes) if answers_bytes else NeverKept()
        self.counts = ReadCounts()
        """What statements have read, returned and waited for."""
        self.reads = StoreReads(catalog)
        """Asks the partitions."""

    def _tally(self, reading: Reading) -> Tally:
        made = Tally(reading=reading, node=self._node)
        if self._times_reads:
            made.read_ns = {}
        return made

    def look_up(self, plan: QueryPlan) -> LookUp | None:
        """Return the function that answers a plan; see `stategate.planner.running.fast_lookup`."""
        if plan.catalog_values is not None:
            return None
        return with_values(plan.values, self._look_up(plan))

    def _look_up(self, plan: QueryPlan) -> LookUp | None:
        node = plan.node
        if isinstance(node, Lookup):
            route = self.reads.route(node.access.schema)
            return fast_lookup(plan, node, self._admit, route, self._kept_answers)
        if plan.rows is None or not self._takes_few:
            return None
        kept, count = self._kept_answers, self.counts.rows
        if (join := plan.join) is not None:
            routes = [self.reads.route(step.access.schema) for step in join.steps]
            return fast_join(plan, plan.rows, join, self._admit, routes, answers=kept, count=count)
        (access,) = accesses_of(node)
        route = self.reads.route(access.schema)
        return fast_rows(plan, plan.rows, access, self._admit, route, answers=kept, count=count)

    @property
    def kept_answers_given(self) -> int:
        """How many answers were given again without a read."""
        return self._kept_answers.given

    def look_up_each(
        self,
        plan: QueryPlan,
        parameters: Sequence[Row],
        session: Session,
        *,
        bound: Position,
        cancellation: Cancellation,
    ) -> EachLookedUp | None:
        """Look up a key for each of many parameters, as `many_lookups` describes."""
        node = plan.node
        if plan.catalog_values is not None or not isinstance(node, Lookup):
            return None
        return look_up_each(
            plan,
            node,
            parameters,
            session,
            admissions=self._admit,
            route=self.reads.route(node.access.schema),
            bound=bound,
            cancellation=cancellation,
        )

    def lookup(self, plan: QueryPlan, node: Lookup, parameters: Row, reading: Reading) -> Result:
        """Look up one key in the caller's thread."""
        schema, options = node.access.schema, reading.options
        store = reading.store(self.reads.store(schema))
        reading.check_topics([store], self._catalog)
        key = key_of(node.operands, parameters)
        result = Result(kind=StatementKind.SELECT, columns=plan.columns, rows=())
        if key is None:
            return result
        try:
            partition = self.reads.route(schema)(key)
        except CodecError as error:
            raise MismatchedTypeError(str(error)) from error
        query = KeyQuery(key=key)
        if options.partitions is not None:
            check_partitions(options.partitions, schema)
            if partition not in options.partitions:
                return result
        tally = self._tally(reading)
        if not reading.is_plain:
            asked = [Asked(store=store, partitions={partition})]
            reading.make_ready(asked, others=self._catalog.stores.values())
        ((_, answer),) = self.reads.ask_each(store, [(partition, query)], tally)
        tally.settle()
        if isinstance(answer, Success) and answer.value is not None:
            result.rows = (node.project(key + answer.value),)
            tally.answers[0].rows = 1
        result.position, result.partitions = tally.position, tally.answers
        result.read_ns = tally.read_ns
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
            plan: the plan to run.
            parameters: its parameters.
            options: how to read.
            cancellation: ends it early.
            session: the session that runs it.
            snapshot: the epochs of the transaction, if it repeats its reads.
        """
        plan, parameters, computed = completed(plan, parameters, self._composer, cancellation)
        node = plan.node
        reading = Reading(
            options=options, cancellation=cancellation, snapshot=snapshot, counts=self.counts
        )
        try:
            if isinstance(node, Lookup):
                result = self.lookup(plan, node, parameters, reading)
            else:
                result = self._run(
                    plan, node, parameters, reading, cancellation=cancellation, session=session
                )
            result.computed = computed
            return result
        finally:
            # Open streams keep the views that they have.
            reading.release()

    def _run(
        self,
        plan: QueryPlan,
        node: Stream | Count | Compose,
        parameters: Row,
        reading: Reading,
        *,
        cancellation: Cancellation,
        session: Session,
    ) -> Result:
        tally = self._tally(reading)
        self.reads.make_ready(accesses_of(node), parameters, tally)
        if plan.rows is not None and self._takes_few:
            plan.rows.count_statement()
            # A join that declines leaves no trace: the node makes reads of its own.
            noted = tally if plan.join is None else self._tally(reading)
            if plan.join is None:
                rows = self._few_rows(plan.rows, node, parameters, cancellation, noted)
            else:
                rows = self._few_joined(plan.rows, plan.join, parameters, cancellation, noted)
            if rows is not None:
                self.counts.rows.add(read=noted.rows_read(), returned=len(rows))
                return result_of(plan, noted, rows=rows)
        composed: Composed | None = None
        batches: Iterator[pa.RecordBatch]
        path = self.counts.composed
        if isinstance(node, Stream):
            path = self.counts.stream
            window = node.limits.window(parameters)
            read = self.reads.open(node.access, parameters, cancellation, tally)
            tally.settle()
            batches = projected(read(), node, plan.arrow_schema, window)
        elif isinstance(node, Count):
            path = self.counts.count
            read = self.reads.open(node.access, parameters, cancellation, tally)
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
            batches = AsPromised(composed, plan.arrow_schema)
        count = partial(rows_in, tally.answers)  # the tally holds the streams
        stream = RowStream(batches, cancellation, counts=self.counts, path=path, rows_read=count)
        result = result_of(plan, tally, batches=stream, on_close=stream.close)
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
        """Return the result if few rows are read, or travel; None otherwise.

        Then the streams remain open.
        """
        (access,) = accesses_of(node)
        streams = self.reads.streams(access, parameters, cancellation, tally)
        tally.settle()
        grouped = groups_elsewhere(streams, path, parameters)
        return streams.few_rows(path, parameters) if grouped is None else grouped

    def _few_joined(
        self,
        path: RowPath,
        join: RowJoin,
        parameters: Row,
        cancellation: Cancellation,
        tally: Tally,
    ) -> list[Row] | None:
        """Return the result of a join if few rows are read and all partitions answer at once."""
        reading = tally.reading
        if not reading.is_plain or path.is_skipped:
            return None

        if any(step.times for step in join.steps):
            reading.keep_epochs()  # one partition may answer several reads

        def read(number: int, values: Row, rows_max: int) -> tuple[list[Row], int] | None:
            access = join.steps[number].narrowed(len(parameters))
            streams = self.reads.streams(access, parameters + values, cancellation, tally)
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
        merged = self._merge(plan, node, parameters, cancellation=cancellation, tally=tally)
        if merged is not None:
            return merged
        accesses = {n: planned for n, planned in node.inputs if isinstance(planned, Access)}
        node.trials.count_statement()

        def open_access(access: Access) -> Read:
            read = self.reads.open(access, parameters, cancellation, tally)
            tally.settle()
            if plan.rows is not None or not self._takes_few:
                return read  # the row path has tried
            streams = self.reads.streams(access, parameters, cancellation, tally)
            return few_first(access, streams, read, node.trials)

        inputs = JoinInputs(links=node.links, open_access=open_access, rows_of=self.reads.rows_of)
        relations = {
            name: ArrowRelation(accesses[name].arrow_schema, read)
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

    def _merge(
        self,
        plan: QueryPlan,
        node: Compose,
        parameters: Row,
        *,
        cancellation: Cancellation,
        tally: Tally,
    ) -> Composed | None:
        """Return what DuckDB makes of the states of groups of several nodes; None if of rows."""
        groups, path = node.groups, plan.rows if self._takes_few else None
        if groups is None or (path is not None and path.groups is not None):
            return None  # the row path has tried
        ((name, access),) = node.inputs
        assert isinstance(access, Access)
        streams = self.reads.streams(access, parameters, cancellation, tally)
        tally.settle()
        batches = merged_batches(streams, groups)
        if batches is None:
            return None
        return self._composer.run(
            groups.sql,
            {name: ArrowRelation(groups.schema, lambda: iter(batches))},
            {n: (parameters[n - 1], plan.parameters[n - 1]) for n in groups.numbers},
            cancellation=cancellation,
            outline=node.outline,
        )

    def _system(self, scan: SystemScan, session: Session) -> ArrowRelation:
        around = self._surroundings(session=session, now_ms=self._clock())
        table = system_table(scan.name, around)
        return ArrowRelation(table.schema, lambda: iter(table.to_batches()))

"""The engine: text to statements to results, over the stores of a catalog."""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
from msgspec import structs
from sqlglot import exp

from planner.binding.bind import bind
from planner.binding.column_origins import with_origins
from planner.binding.relations import identifier
from planner.binding.running_statements import Queries
from planner.binding.vocabulary import of_stores
from planner.commands.describe import DESCRIBE_COLUMNS, described_rows
from planner.commands.row_commands import HANDOVERS, plan_handover, run_unserved
from planner.commands.settings import Commands
from planner.commands.transaction import (
    TransactionCommand,
    aborted,
    default_isolation,
    read_transaction,
    run_transaction,
)
from planner.composing.compose import Composer, composing_definition
from planner.composing.processes import Processes
from planner.composing.remote import RemoteDatabase
from planner.errors import (
    InvalidValueError,
    LimitExceededError,
    NotSupportedError,
    QueryError,
)
from planner.pg_catalog import CatalogStatement, PgCatalog
from planner.pg_catalog.settings_rows import postgres_settings
from planner.planning.estimate import estimate
from planner.planning.explain import explain
from planner.planning.explain_json import explain_json
from planner.planning.plan import Lookup, QueryPlan
from planner.planning.plan_query import plan_query
from planner.planning.shapes import Shapes, is_lookup_of, lift
from planner.running.execute import Executor
from planner.running.snapshot import takes_snapshot, transaction_snapshot
from planner.syntax.options import (
    PLAIN_SESSION,
    ReadOptions,
    read_options,
    session_options,
)
from planner.syntax.parse import Parsed, parse, split
from planner.syntax.with_clause import NO_CLAUSE, Clause
from planner.values.cancel import Cancellation
from planner.values.session import DEFAULT_ISOLATION, Session, TransactionStatus
from planner.values.statement import Result, Statement, StatementKind
from stores.spec.schema import TEXT, Column, DataType, Kind, Row
from stores.spec.store import StoreCatalog

SERVER_VERSION = "15.18"
"""The Postgres version whose catalog and wire behaviour clients may count on."""

SHAPE_LENGTH_MAX = 2_000
"""Longer texts are no lookups that come again and again with another key."""

_PLAN_COLUMNS = (Column(name="QUERY PLAN", type=TEXT),)
_JSON_PLAN_COLUMNS = (Column(name="QUERY PLAN", type=DataType(kind=Kind.JSON)),)
_FIRST_STATEMENTS = ("SELECT 1", "SELECT relname FROM pg_class LIMIT 1")
_ENDS_TRANSACTION = {StatementKind.COMMIT, StatementKind.ROLLBACK}
_SHOW_STORES = (
    "SELECT name, kind, key, columns, partitions, inputs FROM stategate.stores ORDER BY name"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineLimits:
    """What the engine may use."""

    statements_max: int = 2_000
    """Plans kept by text: some 20 kB each, and no application has more statements in use."""
    memory_bytes_max: int = 1 << 30
    """DuckDB's memory for all statements together; one that needs more fails with 53200."""
    compose_processes: int = 1
    """Processes that run DuckDB; memory and threads are shared out among them."""
    composer_threads: int = max(1, (os.cpu_count() or 2) - 1)
    """DuckDB's threads: one core is left for lookups."""


class SqlEngine:
    """An `Engine` over a catalog of stores. Safe to use from many threads.

    Args:
        catalog: the stores.
        limits: what it may use.
        node: this node's name, as answers show it.
        clock: wall clock in epoch milliseconds.
    """

    def __init__(
        self,
        catalog: StoreCatalog,
        *,
        limits: EngineLimits | None = None,
        node: str = "local",
        clock: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        self._limits = limits or EngineLimits()
        self._catalog = catalog
        definition = composing_definition(
            memory_bytes_max=self._limits.memory_bytes_max // self._limits.compose_processes,
            threads=max(1, self._limits.composer_threads // self._limits.compose_processes),
        )
        self._processes = Processes(
            count=self._limits.compose_processes, memory_bytes_max=self._limits.memory_bytes_max
        )
        self._composer = Composer(RemoteDatabase(self._processes, definition))
        self._vocabulary = of_stores(catalog)
        self._queries = Queries(clock)
        self._executor = Executor(
            catalog, self._composer, queries=self._queries, node=node, clock=clock
        )
        self._commands = Commands(server_version=SERVER_VERSION, postgres=postgres_settings())
        self._pg_catalog = PgCatalog(
            catalog,
            server_version=SERVER_VERSION,
            processes=self._processes,
            queries=self._queries,
        )
        self._statements: OrderedDict[tuple[str, tuple[DataType | None, ...], int], Statement] = (
            OrderedDict()
        )
        self._shapes = Shapes(self._limits.statements_max)
        self._lock = threading.Lock()

    def warm_up(self) -> None:
        """Do what the first statements would wait for: they build the catalog, in some 300 ms."""
        for sql in _FIRST_STATEMENTS:
            session, cancellation = Session(), Cancellation()
            result = self.execute(
                self.prepare(sql, session), (), session, cancellation=cancellation
            )
            deque(result.batches or (), maxlen=0)
            result.close()

    def close(self) -> None:
        """End the processes of DuckDB; running statements fail."""
        self._composer.close()
        self._processes.close()

    def split(self, sql: str) -> tuple[str, ...]:
        """The statements of a text, each of which parses."""
        return split(sql)

    def prepare(
        self,
        sql: str,
        session: Session,
        *,
        parameter_types: Sequence[DataType | None] = (),
        cancellation: Cancellation | None = None,
    ) -> Statement:
        """Plan one statement, or find its plan by its text."""
        held = self._held(sql, tuple(parameter_types))
        if held is None:
            version = self._catalog.version
            held = self._prepare(sql, session, parameter_types, cancellation or Cancellation())
            with self._lock:
                self._statements[sql, tuple(parameter_types), version] = held
                while len(self._statements) > self._limits.statements_max:
                    self._statements.popitem(last=False)
            if not held.parameters:
                self._learn_shape(sql, held, session)
        if session.transaction is TransactionStatus.FAILED and held.kind not in _ENDS_TRANSACTION:
            raise aborted()
        return held

    def recall(
        self, sql: str, session: Session, *, parameter_types: Sequence[DataType | None] = ()
    ) -> Statement | None:
        """The plan held for a text; None if there is none, or the transaction has failed."""
        if session.transaction is TransactionStatus.FAILED:
            return None
        return self._held(sql, tuple(parameter_types))

    def _held(self, sql: str, parameter_types: tuple[DataType | None, ...]) -> Statement | None:
        """The plan of a text, by the text itself or by its shape; None if it must be planned."""
        version = self._catalog.version
        key = (sql, parameter_types, version)
        with self._lock:
            held = self._statements.get(key)
            if held is not None:
                self._statements.move_to_end(key)
                return held
        if parameter_types or len(sql) > SHAPE_LENGTH_MAX:
            return None
        lifted = lift(sql)
        if lifted is None:
            return None
        with self._lock:
            return self._shapes.find(sql, lifted, version)

    def _learn_shape(self, sql: str, planned: Statement, session: Session) -> None:
        """At the second lookup of a shape: plan the shape, so that the next need not be planned."""
        plan = planned.plan
        is_lookup = isinstance(plan, QueryPlan) and isinstance(plan.node, Lookup)
        if not is_lookup or planned.kind is not StatementKind.SELECT:
            return
        version, lifted = self._catalog.version, lift(sql)
        if lifted is None or len(sql) > SHAPE_LENGTH_MAX:
            return
        with self._lock:
            if not self._shapes.is_second(lifted, version):
                return
        try:
            shape = self._prepare(lifted.shape, session, lifted.types, Cancellation())
        except QueryError:
            shape = None  # a literal stood where no parameter can, as in `date '2020-01-01'`
        if shape is not None and not is_lookup_of(shape, lifted):
            shape = None
        with self._lock:
            self._shapes.add(lifted, shape, version)

    def is_inline(
        self, statement: Statement, session: Session, parameters: Row | None = None
    ) -> bool:
        """Whether it is one key's lookup without a wait, or a command of the session."""
        plan = statement.plan
        if isinstance(plan, QueryPlan):
            if statement.kind is StatementKind.EXPLAIN:
                return True
            if not isinstance(plan.node, Lookup) or plan.asked is not None:
                return False
            clause, mine = plan.clause, session_options(session)
            if clause.latest or clause.wait_ms is not None or takes_snapshot(session):
                return False
            return (
                mine.wait_ms == 0
                and mine.consistency != "latest"
                and (
                    (clause is NO_CLAUSE and mine is PLAIN_SESSION)
                    or self._knows_topics(
                        plan.node, clause, session, statement.literals or parameters
                    )
                )
            )
        return not isinstance(plan, CatalogStatement | _Analyze)

    def _knows_topics(
        self, node: Lookup, clause: Clause, session: Session, parameters: Row | None
    ) -> bool:
        """Whether a bound is on inputs that are known: for others the log would have to be read."""
        if parameters is None and clause.parameters:
            return False
        try:
            position = read_options(clause, session, parameters or ()).bound.position
        except QueryError:
            return True
        known = {each.topic for each in node.access.schema.inputs}
        return all(topic in known for topic, _ in position.components)

    def execute(
        self,
        statement: Statement,
        parameters: Row,
        session: Session,
        *,
        cancellation: Cancellation,
    ) -> Result:
        """Run a statement."""
        kind, plan = statement.kind, statement.plan
        if session.transaction is TransactionStatus.FAILED and kind not in _ENDS_TRANSACTION:
            raise aborted()
        explains = kind is StatementKind.EXPLAIN
        if len(parameters) != len(statement.parameters) and (parameters or not explains):
            raise InvalidValueError(
                f"statement takes {len(statement.parameters)} parameters, "
                f"{len(parameters)} were given",
                sqlstate="08P01",
            )
        if type(plan) is QueryPlan:
            if plan.catalog_version != self._catalog.version:
                statement = self._replan(statement, session, cancellation)
                plan = statement.plan
            if statement.literals:
                parameters = statement.literals
            if isinstance(plan, QueryPlan) and not explains:
                result = self._query(plan, statement.sql, parameters, session, cancellation)
                result.kind = kind
                return result
        if isinstance(plan, _Analyze):
            return self._analyze(plan, statement, parameters, session, cancellation)
        return self._run_other(statement, parameters, session, cancellation)

    def _run_other(
        self,
        statement: Statement,
        parameters: Row,
        session: Session,
        cancellation: Cancellation,
    ) -> Result:
        """Run what reads no store."""
        plan = statement.plan
        if statement.handover is not None:
            return run_unserved(statement)
        explains = statement.kind is StatementKind.EXPLAIN
        if isinstance(plan, CatalogStatement) and not explains:
            return self._query_catalog(plan, statement, parameters, session, cancellation)
        if isinstance(plan, QueryPlan | CatalogStatement):
            as_json = statement.columns == _JSON_PLAN_COLUMNS
            lines = [explain_json(plan)] if as_json else self._explained(plan)
            rows = [(line,) for line in lines]
            return Result(kind=statement.kind, columns=statement.columns, rows=rows)
        if isinstance(plan, _Described):
            return Result(kind=statement.kind, columns=DESCRIBE_COLUMNS, rows=plan.rows)
        if isinstance(plan, TransactionCommand | Parsed):
            return self._run_command(plan, statement.kind, session)
        return Result(kind=StatementKind.EMPTY)

    def _explained(self, plan: QueryPlan | CatalogStatement) -> list[str]:
        """The lines of EXPLAIN; the first has the costs, where postgres_fdw looks for them."""
        first, *rest = explain(plan)
        if plan.costs:
            first = f"{first}  {estimate(plan, self._executor.rows_of)}"
        return [first, *rest]

    def _query_catalog(
        self,
        plan: CatalogStatement,
        statement: Statement,
        parameters: Row,
        session: Session,
        cancellation: Cancellation,
    ) -> Result:
        def run() -> Result:
            table = self._pg_catalog.execute(
                plan, parameters, session=session, cancellation=cancellation
            )
            batches = iter(table.to_batches())
            return Result(kind=statement.kind, columns=statement.columns, batches=batches)

        return self._queries.watch(statement.sql, session, run)

    def _run_command(
        self, plan: TransactionCommand | Parsed, kind: StatementKind, session: Session
    ) -> Result:
        if isinstance(plan, Parsed):
            return self._commands.run(kind, plan.tokens, session)
        return run_transaction(plan, session)

    # Planning

    def _prepare(
        self,
        sql: str,
        session: Session,
        parameter_types: Sequence[DataType | None],
        cancellation: Cancellation,
    ) -> Statement:
        parsed = parse(sql, parameter_types)
        kind = parsed.kind
        if kind is StatementKind.EMPTY:
            return Statement(sql=sql, kind=kind)
        if parsed.tree is not None:
            return self._prepare_query(parsed, parameter_types, cancellation)
        if kind is StatementKind.SHOW:
            return self._prepare_show(parsed, session, cancellation)
        if kind in HANDOVERS:
            return plan_handover(
                parsed,
                lambda text, types: self.prepare(
                    text, session, parameter_types=types, cancellation=cancellation
                ),
                parameter_types,
            )
        if (command := read_transaction(parsed)) is not None:
            return Statement(sql=sql, kind=kind, plan=command)
        self._commands.check(kind, parsed.tokens)
        return Statement(sql=sql, kind=kind, plan=parsed)

    def _prepare_query(
        self,
        parsed: Parsed,
        parameter_types: Sequence[DataType | None],
        cancellation: Cancellation,
    ) -> Statement:
        tree = parsed.tree
        assert tree is not None
        explained = parsed.kind is StatementKind.EXPLAIN
        if not self._reads_store(tree) and self._pg_catalog.accepts(tree):
            found = self._pg_catalog.prepare(
                parsed.sql, tree, parameter_types, cancellation=cancellation
            )
            shown = replace(found, costs=parsed.costs) if explained else found
            return Statement(
                sql=parsed.sql,
                kind=parsed.kind,
                columns=_plan_columns(parsed) if explained else found.columns,
                parameters=found.parameters,
                returns_rows=True,
                plan=_Analyze(shown) if parsed.analyze else shown,
            )
        plan = self._plan(parsed, tree, parameter_types, cancellation)
        is_lookup = parsed.kind is StatementKind.SELECT and isinstance(plan.node, Lookup)
        return Statement(
            sql=parsed.sql,
            kind=parsed.kind,
            columns=_plan_columns(parsed) if explained else plan.columns,
            parameters=plan.taken,
            returns_rows=True,
            plan=_Analyze(plan) if parsed.analyze else plan,
            look_up=self._executor.short_way(plan) if is_lookup and plan.asked is None else None,
        )

    def _reads_store(self, tree: exp.Query) -> bool:
        """Whether it is plain to see that a query is no catalog's: its FROM begins with a store."""
        from_ = tree.args.get("from_")
        table = None if from_ is None else from_.this
        if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier):
            return False
        has_names = bool(tree.args.get("with_") or table.args.get("db"))
        return not has_names and identifier(table.this) in self._catalog.stores

    def _plan(
        self,
        parsed: Parsed,
        tree: exp.Query,
        parameter_types: Sequence[DataType | None],
        cancellation: Cancellation,
    ) -> QueryPlan:
        clause = parsed.clause
        version = self._catalog.version
        try:
            asked, types = self._pg_catalog.prepare_calls(
                parsed.sql, tree, clause, parameter_types, cancellation=cancellation
            )
            bound = bind(tree, clause, self._vocabulary, types)
            plan = plan_query(
                bound, clause, self._composer, version=version, cancellation=cancellation
            )
        except RecursionError as error:
            raise LimitExceededError("statement is nested too deep") from error
        columns = with_origins(plan.columns, plan.origins, self._pg_catalog.oid_of)
        return structs.replace(plan, columns=columns, asked=asked, costs=parsed.costs)

    def _prepare_show(
        self, parsed: Parsed, session: Session, cancellation: Cancellation
    ) -> Statement:
        words = [token.text.upper() for token in parsed.tokens]
        if words[0] == "SHOW" and words[1:] in (["STORES"], ["TABLES"]):
            planned = self._prepare(_SHOW_STORES, session, (), cancellation)
            return structs.replace(planned, sql=parsed.sql, kind=StatementKind.SHOW)
        if words[0] in {"DESCRIBE", "DESC"}:
            rows = described_rows(parsed, self._catalog)
            return Statement(
                sql=parsed.sql,
                kind=StatementKind.SHOW,
                columns=DESCRIBE_COLUMNS,
                returns_rows=True,
                plan=_Described(tuple(rows)),
            )
        self._commands.check(StatementKind.SHOW, parsed.tokens)
        return Statement(
            sql=parsed.sql,
            kind=StatementKind.SHOW,
            columns=self._commands.columns(parsed.tokens),
            returns_rows=True,
            plan=parsed,
        )

    def _replan(
        self, statement: Statement, session: Session, cancellation: Cancellation
    ) -> Statement:
        """Plan anew after a definition changed.

        Raises:
            NotSupportedError: the statement would now give other columns than the client was told.
        """
        fresh = self.prepare(
            statement.sql,
            session,
            parameter_types=statement.parameters,
            cancellation=cancellation,
        )
        if fresh.columns != statement.columns or fresh.parameters != statement.parameters:
            raise NotSupportedError(
                "cached plan must not change result type", hint="Prepare the statement again."
            )
        return fresh

    # Running

    def _query(
        self,
        plan: QueryPlan,
        sql: str,
        parameters: Row,
        session: Session,
        cancellation: Cancellation,
    ) -> Result:
        if plan.asked is not None:
            asked = self._pg_catalog.values(plan.asked, session=session, cancellation=cancellation)
            parameters = (*parameters, *asked)
        options = read_options(plan.clause, session, parameters)
        snapshot = transaction_snapshot(session)
        if snapshot is None and DEFAULT_ISOLATION in session.settings:
            options = _isolated(options, session)

        def run() -> Result:
            return self._executor.run(
                plan, parameters, options, cancellation, session=session, snapshot=snapshot
            )

        is_lookup = isinstance(plan.node, Lookup)
        result = run() if is_lookup else self._queries.watch(sql, session, run)
        session.note(result.position)
        return result

    def _analyze(
        self,
        analyze: _Analyze,
        statement: Statement,
        parameters: Row,
        session: Session,
        cancellation: Cancellation,
    ) -> Result:
        began, plan = time.perf_counter(), analyze.plan
        if isinstance(plan, CatalogStatement):
            result = self._query_catalog(plan, statement, parameters, session, cancellation)
        else:
            result = self._query(plan, statement.sql, parameters, session, cancellation)
        returned = len(result.rows or ())
        batches: Iterator[pa.RecordBatch] = result.batches or iter(())
        for batch in batches:
            returned += batch.num_rows
        elapsed_ms = (time.perf_counter() - began) * 1000
        lines = self._explained(plan)
        lines += [
            f"partition {a.store}[{a.partition}] on {a.node}: {a.status}, epoch {a.epoch}, "
            f"{a.rows} rows read" + (f", {a.reason}: {a.message}" if a.reason else "")
            for a in result.partitions
        ]
        lines.append(f"returned {returned} rows in {elapsed_ms:.2f} ms")
        lines.append(f"position {result.position.token()}")
        if statement.columns == _JSON_PLAN_COLUMNS:
            measured = {"rows_returned": returned, "execution_time": round(elapsed_ms, 3)}
            lines = [explain_json(plan, result, **measured)]
        return Result(
            kind=statement.kind,
            columns=statement.columns,
            rows=[(line,) for line in lines],
            position=result.position,
            partitions=result.partitions,
        )


def _plan_columns(parsed: Parsed) -> tuple[Column, ...]:
    return _JSON_PLAN_COLUMNS if parsed.as_json else _PLAN_COLUMNS


def _isolated(options: ReadOptions, session: Session) -> ReadOptions:
    """A statement outside of a transaction is one of its own, of the default isolation."""
    if session.transaction is TransactionStatus.IDLE and default_isolation(session).repeats_reads:
        return replace(options, snapshot=True)
    return options


@dataclass(frozen=True, slots=True)
class _Analyze:
    """EXPLAIN ANALYZE of a plan."""

    plan: QueryPlan | CatalogStatement


@dataclass(frozen=True, slots=True)
class _Described:
    """The rows of DESCRIBE."""

    rows: tuple[Row, ...]

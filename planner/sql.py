"""The engine: text to statements to results, over the stores of a catalog."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence

from stategate.planner.binding.running_statements import RunningQueries
from stategate.planner.commands.transaction import aborted
from stategate.planner.composing.process_pool import SharedProcesses
from stategate.planner.errors import InvalidSyntaxError, NotSupportedError, QueryError
from stategate.planner.live.limits import LiveLimits
from stategate.planner.live.live_queries import LiveQueries
from stategate.planner.live.subscription import LiveSubscription
from stategate.planner.planning.plan import QueryPlan
from stategate.planner.running.fast_lookup import covers
from stategate.planner.running.key_elsewhere import KeyElsewhere, KeyLookUp
from stategate.planner.running.node_answers import ElsewhereLookUp, begin_look_up
from stategate.planner.running.read_counts import ReadCounts
from stategate.planner.running.values_first import ValuesFirst
from stategate.planner.statements.answer_version import answer_version
from stategate.planner.statements.engine_parts import (
    SERVER_VERSION,
    EngineLimits,
    WatchLookUp,
    open_parts,
)
from stategate.planner.statements.paging import paged
from stategate.planner.statements.plan_cache import ParameterTypes, PlanCache
from stategate.planner.statements.prepare import Preparer, is_shared
from stategate.planner.statements.run import (
    ENDS_TRANSACTION,
    WITHOUT_SNAPSHOT,
    Runner,
    is_inline,
    is_short,
    made_for,
)
from stategate.planner.syntax.parse import split
from stategate.planner.syntax.tags import without_tags
from stategate.planner.typed import TypedQueries
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.rights import Rights
from stategate.planner.values.session import Session, TransactionStatus
from stategate.planner.values.statement import (
    EachLookedUp,
    LookedUp,
    LookUp,
    Paged,
    Result,
    Statement,
)
from stategate.planner.values.times.time_settings import TimeSettings, with_literals_of
from stategate.planner.values.typed import Ask
from stategate.stores.spec.catalog import StoreCatalog
from stategate.stores.spec.past import PastStores
from stategate.stores.spec.position import Position
from stategate.stores.spec.query_engine import QueryEngine
from stategate.stores.spec.schema import DataType, Row
from stategate.stores.spec.traces import Trace

__all__ = ["SERVER_VERSION", "EngineLimits", "LiveLimits", "SharedProcesses", "SqlEngine"]

_PAGED_MAX, _PAGED_TEXT_MAX = 512, 10_000
"""Texts with pages that are remembered, and the characters of the longest one."""
_JOIN_S = 5.0
"""How long closing waits for a thread that reads the log, which then removes its files."""
_FIRST_STATEMENTS = ("SELECT 1", "SELECT relname FROM pg_class LIMIT 1")


class SqlEngine:
    """An `Engine` over a catalog of stores. Safe to use from many threads.

    Args:
        catalog: the stores.
        limits: its limits.
        live: the limits of its live queries.
        node: this node's name, as answers show it.
        clock: wall clock in epoch milliseconds.
        queries: lists the running statements; given if it shows those of other engines, too.
        spark: runs statements on Spark; None if there is no such engine.
        watch_look_up: wraps the fast way of each statement, for traces.
        started_ms: when the server was started, in epoch milliseconds; None for now.
        past: the stores as of earlier epochs, for live queries. Without it, clients that come back
            after a longer time start over.
        rights: the stores that each user may read; None for all stores.
    """

    def __init__(
        self,
        catalog: StoreCatalog,
        *,
        limits: EngineLimits | None = None,
        live: LiveLimits | None = None,
        node: str = "local",
        clock: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        queries: RunningQueries | None = None,
        spark: QueryEngine | None = None,
        watch_look_up: WatchLookUp | None = None,
        started_ms: int | None = None,
        past: PastStores | None = None,
        rights: Rights | None = None,
    ) -> None:
        limits, rights = limits or EngineLimits(), rights or Rights()
        self._catalog, self._rights, self._node = catalog, rights, node
        self._parts = open_parts(
            catalog,
            limits,
            node=node,
            clock=clock,
            queries=queries or RunningQueries(clock),
            rights=rights,
            spark=spark,
            watch_look_up=watch_look_up,
            started_ms=started_ms,
        )
        self._plans = PlanCache(limits.statements_max)
        self._paged: dict[tuple[str, int], Paged] = {}
        """By text, and by the version of the catalog: planning takes longer than most pages."""
        self._preparer = Preparer(self._parts)
        self._runner = Runner(self._parts, self._replan)
        self._live = LiveQueries(
            self._parts.executor,
            catalog,
            self._parts.queries,
            rights,
            replan=self._replan,
            limits=live or LiveLimits(),
            past=past,
            executor_over=self._parts.executor_over,
        )
        self.live_counts = self._live.counts
        """Returns what the live queries do, and have done."""
        self.end_live = self._live.close
        """Ends all live queries, and refuses new ones."""

    def warm_up(self) -> None:
        """Build the catalog, for which the first statements would wait some 300 ms."""
        for sql in _FIRST_STATEMENTS:
            session, cancellation = Session(), Cancellation()
            result = self.execute(
                self.prepare(sql, session), (), session, cancellation=cancellation
            )
            deque(result.batches or (), maxlen=0)
            result.close()

    def typed(self, watch_ask: Callable[[Ask], Ask] | None = None) -> TypedQueries:
        """Return the queries by name of its stores, listed and counted with its statements.

        Args:
            watch_ask: wraps what asks the partitions, for traces.
        """
        return TypedQueries(
            self._catalog,
            node=self._node,
            rights=self._rights,
            queries=self._parts.queries,
            counts=self.counts,
            watch_ask=watch_ask,
        )

    def close(self) -> None:
        """End live queries and the processes of DuckDB; running statements fail."""
        self._live.close()
        self._parts.close()
        self._live.join(timeout_s=_JOIN_S)

    def split(self, sql: str) -> tuple[str, ...]:
        """Return the statements of a text, each of which parses."""
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
        has_failed = session.transaction is TransactionStatus.FAILED
        try:
            held = self._planned(
                sql, session, session.times, tuple(parameter_types), cancellation or Cancellation()
            )
        except QueryError as error:
            if has_failed and error.sqlstate != InvalidSyntaxError.sqlstate:
                raise aborted() from None
            raise
        if has_failed and held.kind not in ENDS_TRANSACTION:
            raise aborted()
        if held.kind not in WITHOUT_SNAPSHOT:
            session.has_queried = True
        return held

    def _planned(
        self,
        sql: str,
        session: Session,
        times: TimeSettings,
        types: ParameterTypes,
        cancellation: Cancellation,
    ) -> Statement:
        """Return the plan of a text under settings of times; it is kept by both."""
        made = self._catalog.version, times
        held = self._plans.find(sql, types, made)
        if held is not None:
            return held
        sql = without_tags(sql)
        held = self._prepare(sql, session, times, types, cancellation)
        if is_shared(held):
            self._plans.add(sql, types, made, held)
        if not held.parameters:
            self._plans.learn_shape(
                sql,
                held,
                (self._catalog.version, times),
                lambda text, given: self._prepare(text, session, times, given, cancellation),
            )
        return held

    def _prepare(
        self,
        sql: str,
        session: Session,
        times: TimeSettings,
        parameter_types: Sequence[DataType | None],
        cancellation: Cancellation,
    ) -> Statement:
        return self._preparer.prepare(
            sql,
            session,
            parameter_types,
            cancellation,
            lambda inner, types: self.prepare(
                inner, session, parameter_types=types, cancellation=cancellation
            ),
            times=times,
        )

    def recall(
        self, sql: str, session: Session, *, parameter_types: Sequence[DataType | None] = ()
    ) -> Statement | None:
        """Return the plan held for a text; None without one, or in a failed transaction."""
        if session.transaction is TransactionStatus.FAILED:
            return None
        made = self._catalog.version, session.times
        held = self._plans.find(sql, tuple(parameter_types), made)
        if held is not None and held.kind not in WITHOUT_SNAPSHOT:
            session.has_queried = True
        return held

    def is_short(self, statement: Statement) -> bool:
        """Whether a statement reads no rows of a store, or a few that it names."""
        return is_short(statement)

    def is_inline(
        self, statement: Statement, session: Session, parameters: Row | None = None
    ) -> bool:
        """Whether a statement looks up one key without a wait, or is a command of the session."""
        if self.asks_nodes and isinstance(statement.plan, QueryPlan):
            return False
        return is_inline(statement, session, parameters)

    def kept_answers_given(self) -> int:
        """Return how many lookups got an answer that was kept, so that no partition was read."""
        return self._parts.executor.kept_answers_given

    @property
    def counts(self) -> ReadCounts:
        """What statements have read, returned and waited for."""
        return self._parts.executor.counts

    @property
    def asks_nodes(self) -> bool:
        """Whether rows may be on other nodes; see `Engine`."""
        return self._catalog.nodes is not None

    def begin_look_up(
        self,
        look_up: LookUp,
        parameters: Row,
        session: Session,
        on_found: Callable[[LookedUp | None], object],
        trace: Trace | None = None,
    ) -> LookedUp | ElsewhereLookUp | KeyElsewhere | None:
        """Look up few rows wherever they are, without waiting; see `Engine`."""
        nodes = self._catalog.nodes
        if nodes is None:
            return look_up(parameters, session)
        if type(look_up) is ValuesFirst:
            known = look_up.complete(parameters)
            if known is None:
                return None
            look_up, parameters = look_up.look_up, known
        if type(look_up) is KeyLookUp:
            return look_up.begin(nodes, parameters, session, on_found, trace)
        return begin_look_up(nodes, look_up, parameters, session, on_found, trace=trace)

    def answer_version(self, statement: Statement, parameters: Row, session: Session) -> str | None:
        """Return a text that changes whenever the answer may change; see `Engine`."""
        return answer_version(statement, parameters, session, self._catalog, self._rights)

    def subscribe(
        self,
        statement: Statement,
        parameters: Row,
        session: Session,
        *,
        token: str | None,
        on_ready: Callable[[], None],
        cancellation: Cancellation,
        may_start_over: bool = True,
    ) -> LiveSubscription:
        """Subscribe to the rows of a statement and their changes; see `Engine`."""
        return self._live.subscribe(
            statement,
            parameters,
            session,
            token=token,
            on_ready=on_ready,
            cancellation=cancellation,
            may_start_over=may_start_over,
        )

    def paged(self, sql: str, session: Session, *, cancellation: Cancellation) -> Paged:
        """Return how to read the rows of a statement page by page; see `Engine`."""
        key = sql, self._catalog.version
        found = self._paged.get(key)
        if found is None:
            found = paged(self._prepare(sql, session, session.times, (), cancellation))
            if len(self._paged) >= _PAGED_MAX:
                self._paged.clear()
            if len(sql) <= _PAGED_TEXT_MAX:
                self._paged[key] = found
        return found

    def recall_paged(self, sql: str) -> Paged | None:
        """Return what `paged` returned for a text, if it is kept; see `Engine`."""
        return self._paged.get((sql, self._catalog.version))

    def covers(self, found: LookedUp, bound: Position) -> bool:
        """Whether each partition of an answer covered a position; see `Engine`."""
        return covers(found, bound, self._catalog)

    def look_up_each(
        self,
        statement: Statement,
        parameters: Sequence[Row],
        session: Session,
        *,
        bound: Position,
        cancellation: Cancellation,
    ) -> EachLookedUp | None:
        """Look up one key for each of many parameters; see `Engine`."""
        if not isinstance(statement.plan, QueryPlan):
            return None
        return self._parts.executor.look_up_each(
            statement.plan, parameters, session, bound=bound, cancellation=cancellation
        )

    def require_rights(self, statement: Statement, session: Session) -> None:
        """Check the rights of a statement that goes on; see `Engine`."""
        self._runner.require_rights(statement, session)

    def execute(
        self,
        statement: Statement,
        parameters: Row,
        session: Session,
        *,
        cancellation: Cancellation,
    ) -> Result:
        """Run a statement."""
        return self._runner.run(statement, parameters, session, cancellation)

    def _replan(
        self, statement: Statement, session: Session, cancellation: Cancellation
    ) -> Statement:
        """Plan anew after a definition changed, or the session's settings of times.

        Literals keep the meaning that they had when the statement was prepared.

        Raises:
            NotSupportedError: the statement would now give other columns than those reported to the
            client.
        """
        times = with_literals_of(session.times, made_for(statement) or session.times)
        fresh = self._planned(statement.sql, session, times, statement.parameters, cancellation)
        if fresh.columns != statement.columns or fresh.parameters != statement.parameters:
            raise NotSupportedError(
                "cached plan must not change result type", hint="Prepare the statement again."
            )
        return fresh

"""All live queries of an engine: who shares one, which threads keep them up to date, and limits."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from stategate.planner.binding.running_statements import RunningQueries
from stategate.planner.errors import InternalError, LimitExceededError, QueryError, UnavailableError
from stategate.planner.live.bounds import await_bounds, await_token
from stategate.planner.live.catching_up import CatchingUp, ExecutorOver
from stategate.planner.live.cuts import are_elsewhere, seen_of
from stategate.planner.live.kept_results import kept_result
from stategate.planner.live.limits import LiveLimits
from stategate.planner.live.live_query import LiveQuery
from stategate.planner.live.results import Replan, ResultReader
from stategate.planner.live.subscribable import (
    difference_of,
    require_live_options,
    require_subscribable,
)
from stategate.planner.live.subscribers import Subscribers
from stategate.planner.live.subscription import LiveSubscription
from stategate.planner.live.tokens import Mark, digest_of
from stategate.planner.running.execute import Executor
from stategate.planner.statements.run import current
from stategate.planner.syntax.options import ReadOptions, read_options
from stategate.planner.values.cancel import ALARMS, Cancellation
from stategate.planner.values.live import LiveCounts
from stategate.planner.values.rights import Rights
from stategate.planner.values.session import Session
from stategate.planner.values.statement import Statement
from stategate.stores.spec.catalog import StoreCatalog
from stategate.stores.spec.past import PastStores
from stategate.stores.spec.schema import Row

_THREADS = 2
"""Threads that keep live queries up to date: one more than are busy while a result is composed."""
_LINGERING_MAX = 64
"""Queries without subscribers that are kept; the one that lingers longest goes first."""
_SETTLE_S = 0.5
"""How often it is looked whether nodes wait to be rid of epochs that they keep."""
_Key: TypeAlias = tuple[object, ...]


class LiveQueries:
    """The live queries of an engine. Safe to use from many threads.

    Args:
        executor: runs their statements.
        catalog: the stores.
        queries: lists their subscribers as running statements.
        rights: the stores that each user may read.
        replan: plans a statement again.
        limits: the limits.
        past: the stores as of earlier epochs; without it, clients that come back late start over.
        executor_over: makes what runs statements over them.
    """

    def __init__(
        self,
        executor: Executor,
        catalog: StoreCatalog,
        queries: RunningQueries,
        rights: Rights,
        *,
        replan: Replan,
        limits: LiveLimits,
        past: PastStores | None,
        executor_over: ExecutorOver,
    ) -> None:
        self._executor, self._catalog = executor, catalog
        self._queries, self._replan = queries, replan
        self._rights = rights
        self._limits = limits
        self._catching_up = CatchingUp(
            past, executor_over, timeout_s=limits.timeout_s, linger_s=limits.linger_s
        )
        self._lock = threading.Lock()
        self._live: dict[_Key, LiveQuery] = {}
        self._keys: dict[LiveQuery, _Key] = {}
        self._sizes: dict[LiveQuery, int] = {}
        self._bytes = 0
        self._subscribers = Subscribers(limits.subscribers_max, rights)
        self._events_given = 0
        self._slow_ended = self._caught_up = self._started_over = 0
        self._whole_reads = 0
        """Those of queries that have ended."""
        self._closed: QueryError | None = None
        self._waiting: queue.SimpleQueue[LiveQuery | None] = queue.SimpleQueue()
        self._scheduled: set[LiveQuery] = set()
        self._threads: list[threading.Thread] = []
        self._is_settling = False

    # --- called by the engine --------------------------------------------------------------------

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
        """Subscribe to a statement; it may block. See `Engine.subscribe`.

        Raises:
            NotSupportedError: the statement cannot be kept up to date (0A000).
            PermissionDeniedError: the user may not read a store of it (42501).
            QueryError: the token is not one of this statement, a bound is not met, the statement
                fails, or there are too many subscribers.
        """
        statement = current(statement, session, self._replan, cancellation)
        plan = require_subscribable(statement, parameters, session)
        # Subscribers share a query, whoever they are: each is checked, now and with each event.
        require_rights = partial(self._rights.require, session.user, plan.reads)
        require_rights()
        options = read_options(plan.clause, session, parameters)
        require_live_options(options)
        digest = digest_of(statement.sql, parameters, plan.times)
        reader = self._reader(statement, parameters, options, session)
        stores = reader.stores()
        seen, problem = seen_of(token, digest, stores)
        after = None if seen is None or problem is not None else seen.mark
        subscription = LiveSubscription(
            self, on_ready, require_rights, may_start_over=may_start_over, user=session.user
        )
        self._admit(session.user)
        try:
            least = await_bounds(stores, options, self._catalog, cancellation)
            values = repr((parameters, statement.parameters))
            key = (statement.sql, values, plan.times, options.partitions, options.active)
            query, is_current = self._joined(key, reader, digest, subscription)
            subscription.open(query, self._queries.begin(statement.sql, session))
            if seen is not None and not (is_current or may_start_over):
                problem = problem or self._catching_up.problem(seen, stores, cancellation)
                if problem is not None:
                    subscription.go_on(seen, problem)
                    return subscription
            if not is_current:
                self._begin(query, after)
            if after is not None:
                await_token(query, stores, after.epochs, cancellation)
            if are_elsewhere(stores):
                self._settle_later()
            if not query.reached(least):
                raise UnavailableError(
                    "the partitions share no epoch at the bound", hint="Retry.", sqlstate="55S01"
                )
            if problem is not None:
                subscription.go_on(seen, problem)
            elif not subscription.start(seen):
                assert seen is not None, "without a token there are first rows"
                # The query may use the reader above, in other threads.
                own = self._reader(statement, parameters, options, session)
                self._catching_up.enlist(subscription, query, seen, own)
        except BaseException:
            subscription.close()
            raise
        return subscription

    def counts(self) -> LiveCounts:
        """Return what the live queries do now, and have done."""
        with self._lock:
            live = list(self._live.values())
        return LiveCounts(
            subscribers=len(self._subscribers),
            queries=len(live),
            held_rows=sum(each.kept.held_rows for each in live),
            held_bytes=self._bytes,
            events_given=self._events_given,
            slow_ended=self._slow_ended,
            caught_up=self._caught_up,
            started_over=self._started_over,
            whole_reads=self._whole_reads + sum(each.kept.whole_reads for each in live),
        )

    def close(self) -> None:
        """End all live queries, because the gateway ends; new subscriptions are refused."""
        with self._lock:
            self._closed = UnavailableError("the gateway is shutting down", sqlstate="57P01")
            live, threads = list(self._live.values()), self._threads
        for each in live:
            each.end(self._closed)
        for _ in threads:
            self._waiting.put(None)
        self._catching_up.close()

    def join(self, *, timeout_s: float) -> None:
        """Wait until nothing reads the log for a client any more, after `close`."""
        self._catching_up.join(timeout_s=timeout_s)

    # --- called by queries and subscriptions -----------------------------------------------------

    def schedule(self, query: LiveQuery) -> None:
        """Bring a query up to date soon, in another thread."""
        with self._lock:
            if self._closed is not None or query in self._scheduled:
                return
            self._scheduled.add(query)
            if not self._threads:
                self._threads = [
                    threading.Thread(target=self._work, name=f"live-{at}", daemon=True)
                    for at in range(_THREADS)
                ]
                for each in self._threads:
                    each.start()
        self._waiting.put(query)

    def changed(self, query: LiveQuery) -> None:
        """Forget a query that has ended; otherwise keep the memory of all within its limit."""
        if query.error is not None:
            with self._lock:
                self._remove(query)
            return
        size = query.held_bytes
        with self._lock:
            if query not in self._keys:
                return
            self._bytes += size - self._sizes.get(query, 0)
            self._sizes[query] = size
            if self._bytes <= self._limits.bytes_max or self._make_room():
                return
        query.end(
            LimitExceededError(
                "live queries need more memory than they may use",
                hint="Subscribe to fewer rows, or raise live_bytes_max.",
                sqlstate="53200",
            )
        )

    def given(self) -> None:
        """Count an event that a subscriber has taken."""
        self._events_given += 1

    def came_back(self, *, starts_over: bool) -> None:
        """Count a client that came back after its events were gone."""
        with self._lock:
            self._started_over += starts_over
            self._caught_up += not starts_over

    def left(self, subscription: LiveSubscription, query: LiveQuery | None, *, slow: bool) -> None:
        """Note that a subscriber has left."""
        self._catching_up.leave(subscription)
        self._subscribers.leave(subscription.user)
        with self._lock:
            self._slow_ended += slow
            if query is None:
                return
            query.readers.discard(subscription)
            if query.readers:
                return
            query.idle_since_s = time.monotonic()
        self._tidy()
        if query.error is None:
            ALARMS.after(self._limits.linger_s, self._tidy)

    # --- inside ----------------------------------------------------------------------------------

    def _admit(self, user: str) -> None:
        with self._lock:
            if self._closed is not None:
                raise UnavailableError("the gateway is shutting down", sqlstate="57P01")
        self._subscribers.enter(user)

    def _reader(
        self, statement: Statement, parameters: Row, options: ReadOptions, session: Session
    ) -> ResultReader:
        return ResultReader(
            statement,
            parameters,
            options,
            Session(settings=session.settings, user=session.user),
            executor=self._executor,
            catalog=self._catalog,
            replan=self._replan,
            timeout_s=self._limits.timeout_s,
            rows_max=self._limits.rows_max,
        )

    def _joined(
        self, key: _Key, reader: ResultReader, digest: str, subscription: LiveSubscription
    ) -> tuple[LiveQuery, bool]:
        """Return the query of a key, which goes on while the subscription reads it.

        Returns:
            The query, and whether it is up to date.
        """
        with self._lock:
            query = self._live.get(key)
        is_current = query is not None and query.has_begun
        if query is not None:
            query.advance()  # it ends if a store was made anew meanwhile
            query = None if query.error is not None else query
        made = self._made(reader, digest) if query is None else None
        with self._lock:
            query = self._live.get(key, made)
            if query is None:  # it has ended meanwhile
                raise UnavailableError("the live query has just ended", hint="Retry.")
            if query is made:
                self._live[key], self._keys[query] = query, key
            query.readers.add(subscription)
            return query, is_current and query is not made

    def _made(self, reader: ResultReader, digest: str) -> LiveQuery:
        kept = kept_result(reader, difference_of(reader.statement))
        return LiveQuery(reader, kept, digest=digest, keeper=self)

    def _begin(self, query: LiveQuery, after: Mark | None) -> None:
        """Bring a query to the newest epochs; at first to those from which a subscriber goes on."""
        try:
            query.begin(after)
        except QueryError as error:
            query.end(error)
            raise
        except BaseException:
            query.end(InternalError("the live query failed"))
            raise
        query.advance()

    def _settle_later(self) -> None:
        """Begin to look for epochs that are kept where they should not be."""
        with self._lock:
            was_settling, self._is_settling = self._is_settling, True
        if not was_settling:
            ALARMS.after(_SETTLE_S, self._settle)

    def _settle(self) -> None:
        with self._lock:
            live = list(self._live.values())
            self._is_settling = bool(live) and self._closed is None
            goes_on = self._is_settling
        if goes_on:
            for each in live:
                each.settle()
            ALARMS.after(_SETTLE_S, self._settle)

    def _tidy(self) -> None:
        """End queries that no one has subscribed to for some time."""
        now_s = time.monotonic()
        with self._lock:
            idle = [each for each in self._live.values() if not each.readers]
            idle.sort(key=lambda each: each.idle_since_s)
            gone = idle[: max(0, len(idle) - _LINGERING_MAX)]
            linger_s = self._limits.linger_s
            gone += [q for q in idle[len(gone) :] if now_s - q.idle_since_s >= linger_s]
            for each in gone:
                self._remove(each)
        for each in gone:
            each.end(UnavailableError("there are no subscribers"))

    def _make_room(self) -> bool:
        """Drop old events of the largest queries; return whether that is enough."""
        left = set(self._sizes)
        while left:
            largest = max(left, key=self._sizes.__getitem__)
            if not largest.trim():
                left.remove(largest)
                continue
            size = largest.held_bytes
            self._bytes += size - self._sizes[largest]
            self._sizes[largest] = size
            if self._bytes <= self._limits.bytes_max:
                return True
        return False

    def _remove(self, query: LiveQuery) -> None:
        key = self._keys.pop(query, None)
        if key is not None:
            self._live.pop(key, None)
            self._whole_reads += query.kept.whole_reads
        self._bytes -= self._sizes.pop(query, 0)

    def _work(self) -> None:
        """Bring queries up to date, one after the other, until the end."""
        while self._advance_next():
            pass  # a call of its own: while it waits, it holds no query

    def _advance_next(self) -> bool:
        query = self._waiting.get()
        if query is None:
            return False
        with self._lock:
            self._scheduled.discard(query)
        query.advance()
        return True

"""The statements that run now, and slow ones that have ended.

`stategate.queries` and `stategate.slow_queries` show them.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import pyarrow as pa

from stategate.planner.errors import QueryError
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.planner.values.statement import Result

SLOW_MS = 500
"""A statement that took as long is slow."""
SLOW_KEPT_MAX = 200
"""How many slow statements are kept: as many as a reader looks through, of some megabytes."""
SLOW_SQL_MAX = 10_000
"""Characters that are kept of the text of a slow statement."""
_BUG = "XX000"
WAITING, PLANNING, RUNNING, SUBSCRIBED = "waiting", "planning", "running", "subscribed"
"""The states of a listed statement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningQuery:
    """A statement, from its start until its last row is read or its result is closed."""

    number: int
    """A number that increases in the order in which statements start."""
    sql: str
    user: str
    started_ms: int
    pid: int = 0
    """The `pid` of the session; that of a request over HTTP is the number of its first statement,
    negated."""
    state: str = RUNNING
    """`waiting` for a thread, `planning`, `running` or `subscribed`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowQuery:
    """A statement that has ended, and took long."""

    query: RunningQuery
    elapsed_ms: int
    """The time until its last row was read, so it includes the time of a slow reader."""
    rows: int
    """The rows that were read of its result."""
    sqlstate: str | None
    """The code of the error that ended it, if any."""


class SlowQueries:
    """The latest statements that took long. Safe to share between threads.

    Args:
        least_ms: the shortest time that counts as long; 0 keeps every statement.
        kept_max: how many are kept; the oldest goes first.
        elsewhere: returns the slow statements of other engines that are shown with these.
    """

    def __init__(
        self,
        least_ms: int,
        *,
        kept_max: int = SLOW_KEPT_MAX,
        elsewhere: Callable[[], Sequence[SlowQuery]] = tuple,
    ) -> None:
        self._least_ms = least_ms
        self._elsewhere = elsewhere
        self._lock = threading.Lock()
        self._kept = deque[SlowQuery](maxlen=kept_max)

    def add(self, query: RunningQuery, elapsed_s: float, rows: int, sqlstate: str | None) -> None:
        """Keep a statement that has ended, if it took long."""
        elapsed_ms = round(elapsed_s * 1000)
        if elapsed_ms < self._least_ms:
            return
        if len(query.sql) > SLOW_SQL_MAX:
            query = replace(query, sql=f"{query.sql[:SLOW_SQL_MAX]} …")
        slow = SlowQuery(query=query, elapsed_ms=elapsed_ms, rows=rows, sqlstate=sqlstate)
        with self._lock:
            self._kept.append(slow)

    def own(self) -> list[SlowQuery]:
        """Return those of this engine, the first that ended first."""
        with self._lock:
            return list(self._kept)

    def all(self) -> list[SlowQuery]:
        """Return those of all engines.

        Raises:
            Exception: the error of `elsewhere`.
        """
        return [*self.own(), *self._elsewhere()]


class RunningQueries:
    """The running statements of an engine. Safe to share between threads.

    Lookups on an event loop are not listed, as listing one would take as long as running it. Those
    that may wait, for a bound or another node, have a thread, and are.

    Args:
        clock: wall clock in epoch milliseconds.
        numbers: yields the number of each statement; by default 1, 2, ….
        elsewhere: returns the running statements of other engines that are shown with these.
        cancel_elsewhere: cancels the statements of a session of another engine, by its `pid`;
            returns whether there are any.
        slow: keeps those that took long; by default those of half a second.
    """

    def __init__(
        self,
        clock: Callable[[], int],
        *,
        numbers: Iterator[int] | None = None,
        elsewhere: Callable[[], Sequence[RunningQuery]] = tuple,
        cancel_elsewhere: Callable[[int], bool] = lambda _: False,
        slow: SlowQueries | None = None,
    ) -> None:
        self._cancel_elsewhere = cancel_elsewhere
        self._clock = clock
        self._numbers = itertools.count(1) if numbers is None else numbers
        self._elsewhere = elsewhere
        self.slow = slow or SlowQueries(SLOW_MS)
        """The slow ones that have ended."""
        self._lock = threading.Lock()
        self._running: dict[int, tuple[RunningQuery, Cancellation | None]] = {}

    def running(self) -> list[RunningQuery]:
        """Return the statements that run now, engine by engine, the oldest first.

        Raises:
            Exception: the error of `elsewhere`.
        """
        return [*self.own(), *self._elsewhere()]

    def own(self) -> list[RunningQuery]:
        """Return the statements that this engine runs now, the oldest first."""
        with self._lock:
            return [query for query, _ in self._running.values()]

    def cancel(self, pid: int) -> bool:
        """Cancel what a session of any engine runs, by its `pid`; return whether it runs anything.

        Raises:
            Exception: the error of `cancel_elsewhere`.
        """
        return self.cancel_own(pid) or self._cancel_elsewhere(pid)

    def cancel_own(self, pid: int) -> bool:
        """Cancel what a session of this engine runs; return whether it runs anything."""
        with self._lock:
            found = [end for query, end in self._running.values() if query.pid == pid and end]
        for cancellation in found:
            cancellation.cancel()
        return bool(found)

    def begin(self, sql: str, session: Session) -> Callable[[], None]:
        """List a subscription from now on; return the function that ends that."""
        return self._until_called(self._listed(sql, session, SUBSCRIBED))

    def wait(self, sql: str, session: Session, cancellation: Cancellation) -> Callable[[], None]:
        """List a statement that waits for a thread; return the function that ends that."""
        return self._until_called(self._listed(sql, session, WAITING, cancellation))

    def _until_called(self, query: RunningQuery) -> Callable[[], None]:
        def end() -> None:
            self.forget(query)

        return end

    @contextmanager
    def planning(self, sql: str, session: Session, cancellation: Cancellation) -> Iterator[None]:
        """List a statement while it is planned; it counts as slow only if planning ends it."""
        watched = _Watched(self, self._listed(sql, session, PLANNING, cancellation))
        try:
            yield
        except BaseException as error:
            watched.end(error)
            raise
        watched.forget()

    @contextmanager
    def asking(self, text: str, session: Session, cancellation: Cancellation) -> Iterator[None]:
        """List a request that is not SQL while it runs; `text` is shown as its statement."""
        watched = _Watched(self, self._listed(text, session, RUNNING, cancellation))
        try:
            yield
        except BaseException as error:
            watched.end(error)
            raise
        watched.end()

    def watch(
        self, sql: str, session: Session, run: Callable[[], Result], cancellation: Cancellation
    ) -> Result:
        """Run a statement and list it until its result has been read or closed.

        Raises:
            Exception: the error of `run`; the statement is no longer listed.
        """
        watched = _Watched(self, self._listed(sql, session, RUNNING, cancellation))
        try:
            result = run()
        except BaseException as error:
            watched.end(error)
            raise
        if result.batches is None:
            watched.rows = len(result.rows or ())
            watched.end()
            return result
        close = result.on_close

        def on_close() -> None:
            watched.end()
            if close is not None:
                close()

        result.batches, result.on_close = watched.read(result.batches), on_close
        return result

    def _listed(
        self, sql: str, session: Session, state: str, cancellation: Cancellation | None = None
    ) -> RunningQuery:
        with self._lock:
            number = next(self._numbers)
            session.listed_as = session.listed_as or number
            query = RunningQuery(
                number=number,
                sql=sql,
                user=session.user,
                started_ms=self._clock(),
                pid=session.pid or -session.listed_as,
                state=state,
            )
            self._running[number] = query, cancellation
        return query

    def forget(self, query: RunningQuery) -> bool:
        """List a statement no longer; return whether it was listed."""
        with self._lock:
            return self._running.pop(query.number, None) is not None


class _Watched:
    """A statement while it runs."""

    __slots__ = ("_began_s", "_list", "_query", "rows")

    def __init__(self, listed: RunningQueries, query: RunningQuery) -> None:
        self._list, self._query = listed, query
        self._began_s = time.perf_counter()
        self.rows = 0
        """The rows that were read so far."""

    def read(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the batches; the statement has ended after the last one."""
        try:
            for batch in batches:
                self.rows += batch.num_rows
                yield batch
        except BaseException as error:
            self.end(None if isinstance(error, GeneratorExit) else error)
            raise
        finally:
            if isinstance(batches, Generator):
                batches.close()
        self.end()

    def forget(self) -> None:
        """List it no longer, because it goes on as another."""
        self._list.forget(self._query)

    def end(self, error: BaseException | None = None) -> None:
        """Note that it has ended; repeated calls do nothing."""
        if not self._list.forget(self._query):
            return
        sqlstate = None
        if error is not None:
            sqlstate = error.sqlstate if isinstance(error, QueryError) else _BUG
        elapsed_s = time.perf_counter() - self._began_s
        self._list.slow.add(self._query, elapsed_s, self.rows, sqlstate)

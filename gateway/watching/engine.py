"""An engine that has its statements watched, around one that runs them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import Final

import pyarrow as pa

from stategate.gateway.watching.statements import Read, Watched, Watcher, reads_of
from stategate.gateway.watching.subscription import open_watched
from stategate.planner.engine import (
    Asked,
    Cancellation,
    DataType,
    EachLookedUp,
    Engine,
    LookedUp,
    LookUp,
    Position,
    Result,
    Row,
    Session,
    Statement,
    StatementKind,
    Subscription,
    Trace,
)

_SELECT: Final = StatementKind.SELECT.value
_SUBSCRIBE: Final = StatementKind.SUBSCRIBE.value


class WatchedLookUp:
    """The fast way of a statement, each run of which is watched.

    Args:
        watcher: watches.
        inner: the lookup.
        sql: the text of the statement.
    """

    __slots__ = ("inner", "sql", "watcher")

    def __init__(self, watcher: Watcher, inner: LookUp, sql: str) -> None:
        self.watcher, self.inner, self.sql = watcher, inner, sql

    def __call__(self, parameters: Row, session: Session) -> LookedUp | None:
        """Look up; a lookup that needs the usual way is watched there."""
        trace = session.trace
        span = self.watcher.begin(_SELECT, session)
        found = None
        try:
            found = self.inner(parameters, session)
        finally:
            if found is None:
                session.trace = trace
        if found is not None and span.is_recording:
            span.end(self.sql, rows=len(found.rows), reads=_looked_up(found))
        return found


class WatchedAsked:
    """What other nodes are asked for; if no one waits for it any more, it has ended.

    Args:
        inner: the question.
        on_cancel: called if it is cancelled before it is over, with whether it is overdue.
    """

    __slots__ = ("_inner", "_on_cancel", "is_over", "overdue_s")

    def __init__(self, inner: Asked, on_cancel: Callable[[bool], object]) -> None:
        self._inner, self._on_cancel = inner, on_cancel
        self.overdue_s = inner.overdue_s
        self.is_over = False
        """Whether it has been answered or cancelled."""

    def cancel(self, *, is_overdue: bool = False) -> None:
        """Take no answer; see `Asked`."""
        self._inner.cancel(is_overdue=is_overdue)
        if not self.is_over:
            self.is_over = True
            self._on_cancel(is_overdue)


def _looked_up(found: LookedUp | EachLookedUp) -> list[Read]:
    return [Read(*read, node=node) for read, node in zip_longest(found.reads, found.nodes)]


class WatchedRows:
    """The rows of a statement, which is watched until their end.

    Args:
        result: has the rows.
        sql: the text of the statement.
        span: watches it.
    """

    __slots__ = ("_batches", "_closing", "_lock", "_result", "_returned", "_span", "_sql")

    def __init__(self, result: Result, sql: str, span: Watched) -> None:
        assert result.batches is not None, "it is a stream"
        self._batches: Iterator[pa.RecordBatch] = result.batches
        self._closing = result.on_close
        self._result, self._sql, self._span = result, sql, span
        self._returned = 0
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        return self

    def __next__(self) -> pa.RecordBatch:
        """Return the next batch.

        Raises:
            QueryError: the stream has failed.
        """
        try:
            batch = next(self._batches)
        except StopIteration:
            self._end()
            raise
        except BaseException as error:
            result = self._result
            self._span.fail(
                self._sql, error, reads=reads_of(result.partitions), times=result.read_ns
            )
            raise
        self._returned += batch.num_rows
        return batch

    def close(self) -> None:
        """Release the rows; the statement has returned those that were read."""
        try:
            if self._closing is not None:
                self._closing()
        finally:
            self._end()

    def _end(self) -> None:
        result = self._result
        with self._lock:
            self._span.end(
                self._sql,
                rows=self._returned,
                reads=reads_of(result.partitions),
                times=result.read_ns,
            )


class WatchedEngine:
    """An `Engine` whose statements are watched. Safe to use from many threads.

    Args:
        inner: runs the statements; its fast lookups are `WatchedLookUp`s.
        watcher: watches.
    """

    def __init__(self, inner: Engine, watcher: Watcher) -> None:
        self._inner, self._watcher = inner, watcher
        self.split, self.is_inline = inner.split, inner.is_inline
        self.answer_version, self.covers = inner.answer_version, inner.covers
        self.paged, self.recall_paged = inner.paged, inner.recall_paged
        self.require_rights, self.is_short = inner.require_rights, inner.is_short

    @property
    def asks_nodes(self) -> bool:
        """Whether rows may be on other nodes; see `Engine`."""
        return self._inner.asks_nodes

    def prepare(
        self,
        sql: str,
        session: Session,
        *,
        parameter_types: Sequence[DataType | None] = (),
        cancellation: Cancellation | None = None,
    ) -> Statement:
        """Plan one statement; one that cannot be planned is watched, too."""
        self._watcher.read_tags(sql, session)
        try:
            return self._inner.prepare(
                sql, session, parameter_types=parameter_types, cancellation=cancellation
            )
        except Exception as error:
            words = sql.split(None, 1)
            kind = words[0].upper() if words and words[0].upper() in _KINDS else _STATEMENT
            span = self._watcher.begin(kind, session)
            span.fail(sql, error)
            raise

    def recall(
        self, sql: str, session: Session, *, parameter_types: Sequence[DataType | None] = ()
    ) -> Statement | None:
        """Return the result of `prepare` if it is cached; see `Engine`."""
        found = self._inner.recall(sql, session, parameter_types=parameter_types)
        if found is not None:
            self._watcher.read_tags(sql, session)
        return found

    def begin_look_up(
        self,
        look_up: LookUp,
        parameters: Row,
        session: Session,
        on_found: Callable[[LookedUp | None], object],
        trace: Trace | None = None,
    ) -> LookedUp | Asked | None:
        """Look up few rows wherever they are, watched once; see `Engine`.

        If nodes are asked and do not answer in time, the statement is run anew, and watched again.
        """
        if not isinstance(look_up, WatchedLookUp) or not self.asks_nodes:
            return self._inner.begin_look_up(look_up, parameters, session, on_found, trace)
        traced = look_up
        before = session.trace
        span = self._watcher.begin(_SELECT, session)
        asked: WatchedAsked | None = None

        def note(found: LookedUp | None) -> LookedUp | None:
            if found is None:
                session.trace = before
            elif span.is_recording:
                span.end(traced.sql, rows=len(found.rows), reads=_looked_up(found))
            return found

        def give_up(is_overdue: bool) -> None:
            span.give_up(traced.sql, is_overdue=is_overdue)
            note(None)

        def take(found: LookedUp | None) -> None:
            if asked is not None:
                asked.is_over = True
            if found is None:
                give_up(False)
            else:
                note(found)
            on_found(found)

        begun = self._inner.begin_look_up(traced.inner, parameters, session, take, span.trace)
        if begun is None or isinstance(begun, LookedUp):
            return note(begun)
        asked = WatchedAsked(begun, give_up)
        return asked

    def look_up_each(
        self,
        statement: Statement,
        parameters: Sequence[Row],
        session: Session,
        *,
        bound: Position,
        cancellation: Cancellation,
    ) -> EachLookedUp | None:
        """Look up one key for each of many parameters, watched once; see `Engine`.

        If it returns None or fails, each is run by itself, and watched then.
        """
        trace, found = session.trace, None
        span = self._watcher.begin(_SELECT, session)
        cancellation.trace = span.trace if self.asks_nodes else None
        try:
            found = self._inner.look_up_each(
                statement, parameters, session, bound=bound, cancellation=cancellation
            )
        finally:
            if found is None:
                session.trace = trace
        if found is not None and span.is_recording:
            rows = len(found.rows) - list(found.rows).count(None)
            span.end(statement.sql, rows=rows, reads=_looked_up(found), batch=len(parameters))
        return found

    def execute(
        self,
        statement: Statement,
        parameters: Row,
        session: Session,
        *,
        cancellation: Cancellation,
    ) -> Result:
        """Run a statement, and watch it until its last row."""
        span = self._watcher.begin(statement.kind.value or _STATEMENT, session)
        cancellation.trace = span.trace if self.asks_nodes else None
        try:
            result = self._inner.execute(statement, parameters, session, cancellation=cancellation)
        except BaseException as error:
            span.fail(statement.sql, error)
            raise
        if not span.is_recording:
            return result
        if result.batches is None:
            span.end(
                statement.sql,
                rows=len(result.rows or ()),
                reads=reads_of(result.partitions),
                times=result.read_ns,
            )
            return result
        rows = WatchedRows(result, statement.sql, span)
        result.batches, result.on_close = rows, rows.close
        return result

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
    ) -> Subscription:
        """Subscribe to a statement; it is watched until it has begun: it may last for days."""
        span = self._watcher.begin(_SUBSCRIBE, session)

        def subscribe(on_ready: Callable[[], None]) -> Subscription:
            return self._inner.subscribe(
                statement,
                parameters,
                session,
                token=token,
                on_ready=on_ready,
                cancellation=cancellation,
                may_start_over=may_start_over,
            )

        return open_watched(subscribe, span, statement.sql, on_ready)


_STATEMENT: Final = "STATEMENT"
_KINDS: Final = frozenset({kind.value.partition(" ")[0] for kind in StatementKind})
"""The first words of statements; other words of a text might be values."""

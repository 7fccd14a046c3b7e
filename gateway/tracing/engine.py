"""An engine that makes a span of each statement, around one that runs them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import Final

import pyarrow as pa
from opentelemetry.trace import Tracer

from gateway.tracing.contexts import read_tags, take_context
from gateway.tracing.spans import Read, StatementSpan, reads_of
from gateway.tracing.subscription import open_traced
from planner.engine import (
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


class TracedLookUp:
    """The fast way of a statement, with a span for each lookup.

    Args:
        tracer: makes the spans.
        inner: the lookup.
        sql: the text of the statement.
    """

    __slots__ = ("inner", "sql", "tracer")

    def __init__(self, tracer: Tracer, inner: LookUp, sql: str) -> None:
        self.tracer, self.inner, self.sql = tracer, inner, sql

    def __call__(self, parameters: Row, session: Session) -> LookedUp | None:
        """Look up; a lookup that needs the usual way is a statement there, and has no span here."""
        trace, context = session.trace, take_context(session)
        span = StatementSpan(self.tracer, _SELECT, context)
        found = None
        try:
            found = self.inner(parameters, session)
        finally:
            if found is None:
                session.trace = trace
        if found is not None and span.is_recording:
            span.end(self.sql, rows=len(found.rows), reads=_looked_up(found))
        return found


class TracedAsked:
    """What other nodes are asked for; if no one waits for it any more, its span ends.

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


class TracedRows:
    """The rows of a statement; its span ends with them.

    Args:
        result: has the rows.
        sql: the text of the statement.
        span: its span.
    """

    __slots__ = ("_batches", "_closing", "_lock", "_result", "_returned", "_span", "_sql")

    def __init__(self, result: Result, sql: str, span: StatementSpan) -> None:
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


class TracedEngine:
    """An `Engine` that makes spans. Safe to use from many threads.

    The parent of a statement's span is in the tags at the end of its text, or else in the session.

    Args:
        inner: runs the statements; its fast lookups are `TracedLookUp`s.
        tracer: makes the spans.
    """

    def __init__(self, inner: Engine, tracer: Tracer) -> None:
        self._inner, self._tracer = inner, tracer
        self.split, self.is_inline = inner.split, inner.is_inline
        self.answer_version, self.covers = inner.answer_version, inner.covers
        self.paged, self.recall_paged = inner.paged, inner.recall_paged
        self.require_rights = inner.require_rights

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
        """Plan one statement; one that cannot be planned has a span, too."""
        read_tags(sql, session)
        try:
            return self._inner.prepare(
                sql, session, parameter_types=parameter_types, cancellation=cancellation
            )
        except Exception as error:
            words = sql.split(None, 1)
            kind = words[0].upper() if words and words[0].upper() in _KINDS else _STATEMENT
            span = StatementSpan(self._tracer, kind, take_context(session))
            span.fail(sql, error)
            raise

    def recall(
        self, sql: str, session: Session, *, parameter_types: Sequence[DataType | None] = ()
    ) -> Statement | None:
        """Return the result of `prepare` if it is cached; see `Engine`."""
        found = self._inner.recall(sql, session, parameter_types=parameter_types)
        if found is not None:
            read_tags(sql, session)
        return found

    def begin_look_up(
        self,
        look_up: LookUp,
        parameters: Row,
        session: Session,
        on_found: Callable[[LookedUp | None], object],
        trace: Trace | None = None,
    ) -> LookedUp | Asked | None:
        """Look up few rows wherever they are, with one span; see `Engine`.

        If nodes are asked and do not answer in time, the statement is run anew, with another span.
        """
        if not isinstance(look_up, TracedLookUp) or not self.asks_nodes:
            return self._inner.begin_look_up(look_up, parameters, session, on_found, trace)
        traced = look_up
        before, context = session.trace, take_context(session)
        span = StatementSpan(self._tracer, _SELECT, context)
        asked: TracedAsked | None = None

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
        asked = TracedAsked(begun, give_up)
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
        """Look up one key for each of many parameters, with one span; see `Engine`.

        If it returns None or fails, each is run by itself, and has a span then.
        """
        trace, context = session.trace, take_context(session)
        span, found = StatementSpan(self._tracer, _SELECT, context), None
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
        """Run a statement; its span ends with its last row."""
        span = StatementSpan(
            self._tracer, statement.kind.value or _STATEMENT, take_context(session)
        )
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
        rows = TracedRows(result, statement.sql, span)
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
        """Subscribe to a statement; its span ends when it has begun, since it may last for days."""
        span = StatementSpan(self._tracer, _SUBSCRIBE, take_context(session))

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

        return open_traced(subscribe, span, statement.sql, on_ready)


_STATEMENT: Final = "STATEMENT"
_KINDS: Final = frozenset({kind.value.partition(" ")[0] for kind in StatementKind})
"""The first words of statements; other words of a text might be values."""

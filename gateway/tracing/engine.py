"""An engine that makes a span of each statement, around one that runs them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import Final

import pyarrow as pa
from opentelemetry.context import Context
from opentelemetry.trace import Tracer

from gateway.tracing.spans import Read, StatementSpan, context_of
from planner.engine import (
    Asked,
    Cancellation,
    DataType,
    EachLookedUp,
    Engine,
    LookedUp,
    LookUp,
    PartitionAnswer,
    Position,
    Result,
    Row,
    Session,
    Statement,
    StatementKind,
    tags_of,
)

_SELECT: Final = StatementKind.SELECT.value


class _TextContext:
    """A context that a text has brought: the next statement that runs has it, and no other."""

    __slots__ = ("before", "context")

    def __init__(self, context: Context, before: object | None) -> None:
        self.context, self.before = context, before


def _take_context(session: Session) -> Context | None:
    trace = session.trace
    if isinstance(trace, _TextContext):
        session.trace = trace.before
        return trace.context
    # The headers of a request hold for all its statements.
    return trace if isinstance(trace, Context) else None


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
        trace, context = session.trace, _take_context(session)
        span = StatementSpan(self.tracer, _SELECT, context)
        found = None
        try:
            found = self.inner(parameters, session)
        finally:
            if found is None:
                session.trace = trace
        if found is not None and span.is_recording:
            span.end(self.sql, rows=len(found.rows), reads=_reads_of(found))
        return found


def _reads_of(found: LookedUp | EachLookedUp) -> list[Read]:
    return [Read(*read, node=node) for read, node in zip_longest(found.reads, found.nodes)]


def _reads(partitions: Sequence[PartitionAnswer]) -> list[Read]:
    return [
        Read(
            each.store,
            each.partition,
            each.epoch,
            each.rows,
            node=each.node,
            reason=each.reason,
        )
        for each in partitions
    ]


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
            self._span.fail(self._sql, error, reads=_reads(result.partitions), times=result.read_ns)
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
                reads=_reads(result.partitions),
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
        # A subscription is not over after a statement's time, so it has no span.
        self.subscribe = inner.subscribe

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
        _read_tags(sql, session)
        try:
            return self._inner.prepare(
                sql, session, parameter_types=parameter_types, cancellation=cancellation
            )
        except Exception as error:
            words = sql.split(None, 1)
            kind = words[0].upper() if words and words[0].upper() in _KINDS else _STATEMENT
            span = StatementSpan(self._tracer, kind, _take_context(session))
            span.fail(sql, error)
            raise

    def recall(
        self, sql: str, session: Session, *, parameter_types: Sequence[DataType | None] = ()
    ) -> Statement | None:
        """Return the result of `prepare` if it is cached; see `Engine`."""
        found = self._inner.recall(sql, session, parameter_types=parameter_types)
        if found is not None:
            _read_tags(sql, session)
        return found

    def begin_look_up(
        self,
        look_up: LookUp,
        parameters: Row,
        session: Session,
        on_found: Callable[[LookedUp | None], object],
    ) -> LookedUp | Asked | None:
        """Look up few rows wherever they are, with one span; see `Engine`."""
        if not isinstance(look_up, TracedLookUp) or not self.asks_nodes:
            return self._inner.begin_look_up(look_up, parameters, session, on_found)
        traced = look_up
        trace, context = session.trace, _take_context(session)
        span = StatementSpan(self._tracer, _SELECT, context)

        def note(found: LookedUp | None) -> LookedUp | None:
            if found is None:
                session.trace = trace
            elif span.is_recording:
                span.end(traced.sql, rows=len(found.rows), reads=_reads_of(found))
            return found

        begun = self._inner.begin_look_up(
            traced.inner, parameters, session, lambda found: on_found(note(found))
        )
        return note(begun) if begun is None or isinstance(begun, LookedUp) else begun

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
        trace, context = session.trace, _take_context(session)
        span, found = StatementSpan(self._tracer, _SELECT, context), None
        try:
            found = self._inner.look_up_each(
                statement, parameters, session, bound=bound, cancellation=cancellation
            )
        finally:
            if found is None:
                session.trace = trace
        if found is not None and span.is_recording:
            rows = len(found.rows) - list(found.rows).count(None)
            span.end(statement.sql, rows=rows, reads=_reads_of(found), batch=len(parameters))
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
            self._tracer, statement.kind.value or _STATEMENT, _take_context(session)
        )
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
                reads=_reads(result.partitions),
                times=result.read_ns,
            )
            return result
        rows = TracedRows(result, statement.sql, span)
        result.batches, result.on_close = rows, rows.close
        return result


_STATEMENT: Final = "STATEMENT"
_KINDS: Final = frozenset({kind.value.partition(" ")[0] for kind in StatementKind})
"""The first words of statements; other words of a text might be values."""


def _read_tags(sql: str, session: Session) -> None:
    """Give the session the context of a text, or take away that of the text before."""
    if isinstance(session.trace, _TextContext):
        session.trace = session.trace.before
    tags = tags_of(sql)
    context = context_of(tags) if tags else None
    if context is not None:
        session.trace = _TextContext(context, session.trace)

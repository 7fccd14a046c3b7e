"""Runs one statement over HTTP and sends its answer.

The synchronous half (`begin_answer`, `render_stream`) plans, runs and renders: on the event loop
for statements that take microseconds, in a thread for all others. The asynchronous half
(`send_result`) only sends bytes, at the client's pace.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Generator
from contextlib import aclosing
from dataclasses import dataclass

from stategate.gateway.failures import RequestContext, to_query_error
from stategate.gateway.http.answers import Answer, ClientGoneError
from stategate.gateway.http.formats.content_codings import BYTES_MIN, Coder, coder_for
from stategate.gateway.http.formats.rendering import Renderer, RendererFactory, Trailer, chunked
from stategate.gateway.http.requests.parameters import convert_parameters
from stategate.gateway.http.requests.parsing import QueryRequest
from stategate.gateway.statement_threads import StatementThreads
from stategate.planner.engine import Cancellation, Engine, QueryError, Result, Session, Statement
from stategate.planner.engine import StatementKind as SK
from stategate.planner.errors import InvalidSyntaxError, NotSupportedError

logger = logging.getLogger(__name__)


_OF_A_SESSION = {
    *(SK.SET, SK.RESET, SK.BEGIN, SK.COMMIT, SK.ROLLBACK),
    *(SK.DISCARD, SK.DEALLOCATE, SK.CLOSE, SK.LISTEN, SK.UNLISTEN),
}


_VERSIONED_MAX, _VERSIONED_TEXT_MAX = 256, 2_000
_versioned: dict[str, None] = {}
"""Texts of statements that have had a version: the next one needs no parsing. A thread has found
the first one, since it parses the text."""


class NotModifiedError(Exception):
    """The client has the answer already."""

    def __init__(self, tag: str) -> None:
        super().__init__(tag)
        self.tag = tag


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """The state of one request."""

    request: QueryRequest
    session: Session
    cancellation: Cancellation
    factory: RendererFactory
    started_s: float
    """`time.perf_counter()` when the request arrived."""
    context: RequestContext
    """The statement and the client, for the log entry of an error."""
    coding: str | None = None
    """How the body may be compressed; None leaves it as it is."""
    is_head: bool = False
    """Whether the client wants no body."""
    known_tags: frozenset[str] | None = None
    """The versions of the answer that the client has; None if it cannot keep answers."""
    version: str | None = None
    """The version of the answer, if it was found before; the client has another one."""

    @property
    def elapsed_ms(self) -> float:
        """Milliseconds since the request arrived."""
        return (time.perf_counter() - self.started_s) * 1000


def plan(engine: Engine, exchange: Exchange) -> Statement:
    """Plan the only statement of the request.

    Raises:
        QueryError: it cannot be planned, is not a single statement, or only changes the session.
    """
    return _require_servable(
        engine.prepare(
            only_statement(engine, exchange.request.sql),
            exchange.session,
            cancellation=exchange.cancellation,
        )
    )


def recall(engine: Engine, sql: str, session: Session) -> Statement | None:
    """Return the cached plan of a request's text, if any, within microseconds.

    Raises:
        QueryError: the statement only changes the session.
    """
    text = sql.rstrip().rstrip(";")
    found = None if ";" in text else engine.recall(text, session)
    return None if found is None else _require_servable(found)


def _require_servable(statement: Statement) -> Statement:
    if statement.kind is SK.EMPTY:
        raise InvalidSyntaxError("the statement is empty", hint='Send {"sql": "SELECT …"}.')
    if statement.kind in _OF_A_SESSION:
        raise NotSupportedError(
            f"{statement.kind.value} has no effect over HTTP",
            detail="Each request is a session of its own.",
            hint='Use the fields "bound", "wait_ms", "consistency", "unknown_topics", "partial", '
            '"info" and "engine".',
        )
    return statement


def only_statement(engine: Engine, sql: str) -> str:
    """Return the text of the single statement, with its original character offsets.

    Raises:
        InvalidSyntaxError: there are several statements.
    """
    text = sql.rstrip().rstrip(";")
    if ";" not in text:
        return text
    statements = engine.split(sql)
    if len(statements) > 1:
        raise InvalidSyntaxError(
            f"a request runs one statement, not {len(statements)}",
            hint="Send each statement in a request of its own.",
        )
    if not statements:
        return ""
    return " " * max(0, sql.find(statements[0])) + statements[0]


def open_result(engine: Engine, exchange: Exchange, statement: Statement | None = None) -> Result:
    """Run the request's statement, and plan it first unless a plan is given.

    Raises:
        QueryError: the statement failed before its first row.
    """
    planned = statement if statement is not None else plan(engine, exchange)
    parameters = convert_parameters(
        exchange.request.params, planned.parameters, exchange.request.names
    )
    return engine.execute(planned, parameters, exchange.session, cancellation=exchange.cancellation)


def render_whole(exchange: Exchange, result: Result, renderer: Renderer) -> bytes:
    """Return the whole body of a result whose rows are in memory."""
    rows = renderer.rows(result.rows or ())
    return renderer.head() + rows + renderer.tail(_trailer(exchange, result))


def render_stream(
    exchange: Exchange,
    result: Result,
    renderer: Renderer,
    *,
    chunk_bytes: int,
    coder: Coder | None = None,
) -> Generator[bytes, None, None]:
    """Yield the body of a streamed result in chunks; the last one contains the tail.

    Raises:
        QueryError: the stream failed, was cancelled or passed its deadline.
    """
    held = renderer.head()
    for batch in result.batches or ():
        for part in chunked(batch, chunk_bytes=chunk_bytes):
            exchange.cancellation.check()
            held += renderer.batch(part)
            if held:
                yield held if coder is None else coder.code(held)
            held = b""
    held += renderer.tail(_trailer(exchange, result))
    yield held if coder is None else coder.code(held) + coder.end()


@dataclass(frozen=True, slots=True)
class Begun:
    """A result whose rows are in memory, or whose first chunk is rendered."""

    result: Result
    renderer: Renderer
    chunk: bytes | None = None
    """The first chunk; None if the rows in memory are yet to be rendered."""
    rest: Generator[bytes, None, None] | None = None
    """The chunks after the first one; None at the end of the rows."""
    coder: Coder | None = None
    """What compresses the chunks."""
    tag: str | None = None
    """The version of the answer; None if it may change at any time."""

    def close(self) -> None:
        """Release the result."""
        self.result.close()


def begin_answer(
    engine: Engine, exchange: Exchange, statement: Statement | None, *, chunk_bytes: int
) -> Begun:
    """Run the request's statement and render its first chunk, with all rows if they are few.

    A client does not wait for later rows to get the first ones, unless reading them is known to be
    short.

    Raises:
        QueryError: the statement failed before its first chunk.
        NotModifiedError: the client has this version of the answer.
    """
    tag = exchange.version
    if tag is None and exchange.known_tags is not None:
        statement = statement if statement is not None else plan(engine, exchange)
        tag = _tag(engine, exchange, statement)
    result = open_result(engine, exchange, statement)
    renderer = exchange.factory(result.columns)
    coder = coder_for(exchange.coding, renderer.media_type)
    if result.batches is None:
        return _whole(result, renderer, render_whole(exchange, result, renderer), coder, tag)
    chunks = render_stream(exchange, result, renderer, chunk_bytes=chunk_bytes, coder=coder)
    parts, size = list[bytes](), 0
    try:
        for part in chunks:
            parts.append(part)
            size += len(part)
            if size >= chunk_bytes or not result.is_computed():
                return Begun(result, renderer, b"".join(parts), chunks, coder, tag)
    except BaseException:
        result.close()
        raise
    result.close()
    return Begun(result, renderer, b"".join(parts), coder=coder, tag=tag)


def _tag(engine: Engine, exchange: Exchange, statement: Statement) -> str | None:
    """Return the version of the answer, from before its rows are read.

    Rows of a later epoch may be read, and then the version differs the next time, too.

    Raises:
        NotModifiedError: the client has it.
    """
    tag = _version(engine, exchange.request, exchange.factory, exchange.session, statement)
    if tag is not None and len(statement.sql) <= _VERSIONED_TEXT_MAX:
        if len(_versioned) >= _VERSIONED_MAX:
            _versioned.clear()
        _versioned[statement.sql] = None
    if tag is not None and is_known(tag, exchange.known_tags or frozenset()):
        raise NotModifiedError(tag)
    return tag


def is_known(tag: str, known: frozenset[str]) -> bool:
    """Whether a client has a version of an answer, whose versions it has named."""
    return tag in known or "*" in known


def version_at_once(
    engine: Engine, request: QueryRequest, factory: RendererFactory, session: Session
) -> str | None:
    """Return the version of the answer; None if that takes a thread to say.

    Args:
        engine: has planned the statement before.
        request: the statement.
        factory: makes the renderer that the client asks for.
        session: its session.

    Raises:
        QueryError: a parameter is wrong.
    """
    statement = None if request.page is not None else recall(engine, request.sql, session)
    if statement is None or statement.sql not in _versioned:
        return None
    return _version(engine, request, factory, session, statement)


def _version(
    engine: Engine,
    request: QueryRequest,
    factory: RendererFactory,
    session: Session,
    statement: Statement,
) -> str | None:
    parameters = convert_parameters(request.params, statement.parameters, request.names)
    version = engine.answer_version(statement, parameters, session)
    return None if version is None else f'"{version}-{getattr(factory, "__name__", "")}"'


def _whole(
    result: Result, renderer: Renderer, body: bytes, coder: Coder | None, tag: str | None
) -> Begun:
    if coder is None or len(body) < BYTES_MIN:
        return Begun(result, renderer, body, tag=tag)
    return Begun(result, renderer, coder.code(body) + coder.end(), coder=coder, tag=tag)


def begin_later(exchange: Exchange, result: Result, *, chunk_bytes: int) -> Begun:
    """Return a result whose batches, if it has any, are all rendered in statement threads."""
    renderer = exchange.factory(result.columns)
    if result.batches is None:
        return Begun(result, renderer)
    coder = coder_for(exchange.coding, renderer.media_type)
    rest = render_stream(exchange, result, renderer, chunk_bytes=chunk_bytes, coder=coder)
    return Begun(result, renderer, b"", rest, coder)


def _trailer(exchange: Exchange, result: Result) -> Trailer:
    return Trailer(
        position=result.position,
        partitions=result.partitions,
        notices=[notice.message for notice in result.notices],
        elapsed_ms=exchange.elapsed_ms,
    )


async def send_result(
    exchange: Exchange, begun: Begun, answer: Answer, *, threads: StatementThreads
) -> QueryError | None:
    """Send the answer at the client's pace, and release the result.

    Returns:
        The error of a result that failed before its first byte; nothing was sent then. A later
        error is part of the answer, as its format allows.

    Raises:
        ClientGoneError: the client has read nothing for too long.
    """
    result, renderer = begun.result, begun.renderer
    try:
        answer.coding = None if begun.coder is None else begun.coder.name
        answer.tag = begun.tag
        if begun.chunk is None:
            await answer.whole(renderer.media_type, render_whole(exchange, result, renderer))
            return None
        if begun.rest is None:
            await answer.whole(renderer.media_type, begun.chunk)
            return None
        if exchange.is_head:
            await answer.only_head(renderer.media_type)
            await threads.release(begun.rest.close)
            return None
        return await _send_stream(exchange, answer, begun, begun.rest, threads)
    finally:
        if result.on_close is not None:
            await threads.release(result.close)


async def _send_stream(
    exchange: Exchange,
    answer: Answer,
    begun: Begun,
    rest: Generator[bytes, None, None],
    threads: StatementThreads,
) -> QueryError | None:
    renderer = begun.renderer
    try:
        if begun.chunk:
            await answer.part(renderer.media_type, begun.chunk)
        async with aclosing(threads.stream(rest, exchange.cancellation)) as stream:
            async for chunk in stream:
                await answer.part(renderer.media_type, chunk)
    except ClientGoneError:
        raise
    except Exception as caught:  # the answer may have begun: its end says that it broke off
        error = to_query_error(caught, exchange.context)
        if not answer.begun:
            return error
        logger.info("result broke off sqlstate=%s %s", error.sqlstate, exchange.context)
        last = renderer.failure(error)
        if begun.coder is not None:
            last = begun.coder.code(last) + begun.coder.end()
        await answer.part(renderer.media_type, last)
    await answer.end()
    return None

"""One statement over HTTP, from its text to the last byte of its answer.

The synchronous half (`open_result`, `render_stream`) plans, runs and renders; it is called on the
event loop for statements that take microseconds, and in a worker for all others. The asynchronous
half (`send_result`) only moves bytes, at the pace of the client.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import dataclass

from starlette.types import Send

from gateway.failures import RequestContext, to_query_error
from gateway.http.formats import Renderer, RendererFactory, Trailer, chunked
from gateway.http.requests import QueryRequest, convert_parameters
from gateway.workers import Workers
from planner.engine import Cancellation, Engine, QueryError, Result, Session, Statement
from planner.engine import StatementKind as SK
from planner.errors import InvalidSyntaxError, NotSupportedError

logger = logging.getLogger(__name__)

_OF_A_SESSION = {
    *(SK.SET, SK.RESET, SK.BEGIN, SK.COMMIT, SK.ROLLBACK),
    *(SK.DISCARD, SK.DEALLOCATE, SK.CLOSE, SK.UNLISTEN),
}


class ClientGoneError(Exception):
    """The client has closed the connection or reads nothing: nobody is left to answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """What one request carries through the gateway."""

    request: QueryRequest
    session: Session
    cancellation: Cancellation
    factory: RendererFactory
    started_s: float
    """`time.perf_counter()` at which the request came."""
    context: RequestContext
    """What the log is told if it fails."""

    @property
    def elapsed_ms(self) -> float:
        """How long the request has taken so far."""
        return (time.perf_counter() - self.started_s) * 1000


def plan(engine: Engine, exchange: Exchange) -> Statement:
    """Plan the only statement of the request.

    Raises:
        QueryError: it does not plan, is not one, or would change a session that ends with it.
    """
    return _servable(
        engine.prepare(
            _only_statement(engine, exchange.request.sql),
            exchange.session,
            cancellation=exchange.cancellation,
        )
    )


def recall(engine: Engine, exchange: Exchange) -> Statement | None:
    """The request's statement if it is planned already; a matter of microseconds.

    Raises:
        QueryError: it would change a session that ends with it.
    """
    text = exchange.request.sql.rstrip().rstrip(";")
    found = None if ";" in text else engine.recall(text, exchange.session)
    return None if found is None else _servable(found)


def _servable(statement: Statement) -> Statement:
    if statement.kind is SK.EMPTY:
        raise InvalidSyntaxError("the statement is empty", hint='Send {"sql": "SELECT …"}.')
    if statement.kind in _OF_A_SESSION:
        raise NotSupportedError(
            f"{statement.kind.value} has no effect over HTTP",
            detail="Each request is a session of its own.",
            hint='Use the fields "bound", "wait_ms", "consistency", "unknown_topics", "partial" '
            'and "info".',
        )
    return statement


def _only_statement(engine: Engine, sql: str) -> str:
    """The text of the one statement, its characters at the offsets that they had."""
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
    """Run the request's statement, planning it first where that has not been done.

    Raises:
        QueryError: before the first row.
    """
    planned = statement if statement is not None else plan(engine, exchange)
    parameters = convert_parameters(exchange.request.params, planned.parameters)
    return engine.execute(planned, parameters, exchange.session, cancellation=exchange.cancellation)


def render_whole(exchange: Exchange, result: Result, renderer: Renderer) -> bytes:
    """The whole body of a result whose rows are at hand."""
    rows = renderer.rows(result.rows or ())
    return renderer.head() + rows + renderer.tail(_trailer(exchange, result))


def render_stream(
    exchange: Exchange, result: Result, renderer: Renderer, *, chunk_bytes: int
) -> Iterator[bytes]:
    """The body of a streamed result, chunk by chunk; the last one holds the tail.

    Raises:
        QueryError: the stream failed, was cancelled or ran into its deadline.
    """
    held = renderer.head()
    for batch in result.batches or ():
        for part in chunked(batch, chunk_bytes=chunk_bytes):
            exchange.cancellation.check()
            yield held + renderer.batch(part)
            held = b""
    yield held + renderer.tail(_trailer(exchange, result))


def _trailer(exchange: Exchange, result: Result) -> Trailer:
    return Trailer(
        position=result.position,
        partitions=result.partitions,
        notices=[notice.message for notice in result.notices],
        elapsed_ms=exchange.elapsed_ms,
    )


class Answer:
    """The response of one exchange as it is being sent.

    Args:
        send: the connection.
        exchange: what is answered; cancelled when the client leaves too much unread.
        stall_s: how long the client may do so.
    """

    def __init__(self, send: Send, exchange: Exchange, *, stall_s: float) -> None:
        self._send = send
        self._exchange = exchange
        self._stall_s = stall_s
        self.begun = False
        self.ended = False
        """Whether all of it has been given to the server, which then reports the client as gone."""

    async def whole(self, media_type: str, body: bytes) -> None:
        """Send a body that is at hand, with its length."""
        await self._begin(media_type, (b"content-length", str(len(body)).encode()))
        self.ended = True
        await self._send({"type": "http.response.body", "body": body})

    async def part(self, media_type: str, body: bytes) -> None:
        """Send more of a body; returns when the client has room for the next part.

        Raises:
            ClientGoneError: the client has read nothing for too long.
        """
        try:
            async with asyncio.timeout(self._stall_s):
                if not self.begun:
                    await self._begin(media_type)
                await self._send({"type": "http.response.body", "body": body, "more_body": True})
        except TimeoutError as error:
            self._exchange.cancellation.cancel()
            raise ClientGoneError("the client reads nothing") from error

    async def end(self) -> None:
        """Close a body that was sent in parts."""
        self.ended = True
        await self._send({"type": "http.response.body", "body": b""})

    async def _begin(self, media_type: str, *more: tuple[bytes, bytes]) -> None:
        self.begun = True
        headers = [(b"content-type", media_type.encode()), (b"cache-control", b"no-store"), *more]
        await self._send({"type": "http.response.start", "status": 200, "headers": headers})


async def send_result(
    exchange: Exchange, result: Result, answer: Answer, *, workers: Workers, chunk_bytes: int
) -> QueryError | None:
    """Send the answer, at the client's pace, and release the result.

    Returns:
        The error of a result that failed before its first byte: nothing has been sent. One that
        fails later has been told in the format's own way.

    Raises:
        ClientGoneError: the client has read nothing for too long.
    """
    try:
        renderer = exchange.factory(result.columns)
        if result.batches is None:
            await answer.whole(renderer.media_type, render_whole(exchange, result, renderer))
            return None
        chunks = render_stream(exchange, result, renderer, chunk_bytes=chunk_bytes)
        return await _send_stream(exchange, answer, renderer, chunks, workers)
    finally:
        if result.on_close is not None:
            await workers.release(result.close)


async def _send_stream(
    exchange: Exchange,
    answer: Answer,
    renderer: Renderer,
    chunks: Iterator[bytes],
    workers: Workers,
) -> QueryError | None:
    try:
        async with aclosing(workers.stream(chunks)) as stream:
            async for chunk in stream:
                await answer.part(renderer.media_type, chunk)
    except ClientGoneError:
        raise
    except Exception as caught:
        error = to_query_error(caught, exchange.context)
        if not answer.begun:
            return error
        logger.info("result broke off sqlstate=%s %s", error.sqlstate, exchange.context)
        last = renderer.failure(error)
        if last is None:
            raise ClientGoneError("the format has no place for an error") from error
        await answer.part(renderer.media_type, last)
    await answer.end()
    return None

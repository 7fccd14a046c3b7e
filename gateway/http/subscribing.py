"""`GET /v1/subscribe`: the rows of a statement and their changes, as server-sent events.

A client that reconnects sends the id of the last event, and goes on after it. A stream ends after
its lifetime, so that rights are checked again; clients then reconnect by themselves.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.types import Scope

from gateway.access.rules import USER
from gateway.failures import RequestContext, to_query_error
from gateway.http.answers import Answer, ClientGoneError
from gateway.http.endpoint import (
    ANONYMOUS,
    Call,
    QueryingEndpoint,
    Services,
    request_context,
    unless_disconnected,
)
from gateway.http.exchange import only_statement
from gateway.http.live_events import ROWS_MAX, SERVER_SENT, JsonMessages, framed, server_sent
from gateway.http.parameters import convert_parameters
from gateway.http.requests import SubscribeRequest, read_subscribe_request
from gateway.live import LiveReader, open_live
from planner.engine import Cancellation, FirstRows, LiveEvent, QueryError, Row, Session, Statement

logger = logging.getLogger(__name__)

MEDIA_TYPE = "text/event-stream"
_LAST_ID = "last-event-id"
_SILENCE_S = 15.0
"""Time without an event after which a comment is sent, so that proxies and clients do not give up.
"""
_COMMENT = b": \n\n"
_FEW_CHANGES = 1_000
"""Changes that are rendered on the event loop; more would hold it for too long."""


class SubscribeEndpoint(QueryingEndpoint):
    """Answers with the events of one live query.

    Args:
        services: its dependencies.
    """

    def __init__(self, services: Services) -> None:
        self._engine, self._threads = services.engine, services.threads
        self._settings = services.settings

    async def _answer(self, call: Call) -> QueryError | None:
        scope = call.scope
        request = self._read(scope)
        call.sql = request.sql
        session = Session(settings=request.settings, user=scope[USER] or ANONYMOUS)
        cancellation = Cancellation()
        answer = Answer(
            call.send,
            cancellation,
            stall_s=self._settings.stall_timeout_ms / 1000,
            is_head=scope["method"] == "HEAD",
        )
        answer.headers.append((b"x-accel-buffering", b"no"))
        work = self._run(request, session, answer, request_context(scope, request.sql))
        return await unless_disconnected(
            work, cancellation, call.receive, is_ended=lambda: answer.ended
        )

    def _read(self, scope: Scope) -> SubscribeRequest:
        request = read_subscribe_request(
            scope["query_string"], parameters_max=self._settings.parameters_max
        )
        last = Headers(scope=scope).get(_LAST_ID)
        return request if last is None else request.after(last)

    async def _run(
        self, request: SubscribeRequest, session: Session, answer: Answer, context: RequestContext
    ) -> QueryError | None:
        cancellation = answer.cancellation
        reader = await self._open(request, session, cancellation)
        try:
            if answer.is_head:
                await answer.only_head(MEDIA_TYPE)
                return None
            await self._send(reader, answer)
        except ClientGoneError:
            raise
        except Exception as caught:  # the answer has begun: its last event says why it ends
            error = to_query_error(caught, context)
            if not answer.begun:
                return error
            logger.info("subscription ended sqlstate=%s %s", error.sqlstate, context)
            await answer.part(MEDIA_TYPE, framed("error", JsonMessages(()).error(error)))
        finally:
            reader.close()
        await answer.end()
        return None

    async def _open(
        self, request: SubscribeRequest, session: Session, cancellation: Cancellation
    ) -> LiveReader:
        def plan() -> tuple[Statement, Row]:
            statement = self._engine.prepare(
                only_statement(self._engine, request.sql), session, cancellation=cancellation
            )
            types = statement.parameters
            return statement, convert_parameters(request.params, types, request.names)

        statement, parameters = await self._threads.run(plan)
        return await open_live(
            self._engine,
            self._threads,
            statement,
            parameters,
            session,
            token=request.token,
            cancellation=cancellation,
        )

    async def _send(self, reader: LiveReader, answer: Answer) -> None:
        """Send the first rows, and then events until the end of the lifetime."""
        end_s = asyncio.get_running_loop().time() + self._settings.live_lifetime_ms / 1000
        messages = JsonMessages(reader.subscription.columns)
        head = b""
        if (reason := reader.subscription.start_over) is not None:
            head += framed("start_over", messages.start_over(reason))
        head += framed("columns", messages.columns())
        await answer.part(MEDIA_TYPE, head)
        if (first := reader.subscription.first) is not None:
            await self._send_first(first, reader, answer, messages)
            del first
        while (left_s := end_s - asyncio.get_running_loop().time()) > 0:
            wait_s = min(left_s, _SILENCE_S)
            events = await reader.events(answer.cancellation, timeout_s=wait_s)
            await answer.part(MEDIA_TYPE, await self._rendered(messages, events) or _COMMENT)

    async def _send_first(
        self, first: FirstRows, reader: LiveReader, answer: Answer, messages: JsonMessages
    ) -> None:
        for at in range(0, len(first.rows), ROWS_MAX):
            reader.subscription.check()
            rows = first.rows[at : at + ROWS_MAX]
            await answer.part(MEDIA_TYPE, framed("rows", messages.rows(rows)))
        last = framed("progress", messages.progress(first.moment), first.moment)
        await answer.part(MEDIA_TYPE, last)

    async def _rendered(self, messages: JsonMessages, events: Sequence[LiveEvent]) -> bytes:
        """Return events as text: most have been rendered for another subscriber."""
        parts = []
        for event in events:
            if len(event.changes) > _FEW_CHANGES and not event.is_encoded(SERVER_SENT):
                parts.append(await self._threads.run(server_sent, messages, event))
            else:
                parts.append(server_sent(messages, event))
        return b"".join(parts)

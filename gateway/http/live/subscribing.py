"""`GET /v1/subscribe`: the rows of a statement and their changes, as server-sent events.

A client that reconnects sends the id of the last event, and goes on after it. A stream ends after
its lifetime, so that rights are checked again; clients then reconnect by themselves.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from starlette.types import Scope

from stategate.gateway.failures import to_query_error
from stategate.gateway.http.answers import Answer, ClientGoneError
from stategate.gateway.http.endpoint import (
    Call,
    QueryingEndpoint,
    Services,
    request_context,
    threads_of,
    unless_disconnected,
)
from stategate.gateway.http.live.events import JsonMessages, framed
from stategate.gateway.http.live.streams import (
    Outlet,
    ending_with_user,
    open_subscription,
    read_subscription,
    send_live,
)
from stategate.gateway.http.requests.parsing import SubscribeRequest
from stategate.planner.engine import Cancellation, QueryError

logger = logging.getLogger(__name__)

MEDIA_TYPE = "text/event-stream"
_COMMENT = b": \n\n"


class _ServerSent(Outlet):
    """Sends messages as parts of an answer."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    async def put(self, name: str, data: bytes, token: str | None = None) -> None:
        await self._answer.part(MEDIA_TYPE, framed(name, data, token))

    async def put_events(self, events: Sequence[bytes]) -> None:
        await self._answer.part(MEDIA_TYPE, b"".join(events) or _COMMENT)


class SubscribeEndpoint(QueryingEndpoint):
    """Answers with the events of one live query.

    Args:
        services: its dependencies.
    """

    def __init__(self, services: Services) -> None:
        self._services, self._settings = services, services.settings

    async def _answer(self, call: Call) -> QueryError | None:
        scope = call.scope
        request = read_subscription(scope, self._settings)
        call.sql = request.sql
        cancellation = Cancellation()
        answer = Answer(
            call.send,
            cancellation,
            stall_s=self._settings.stall_timeout_ms / 1000,
            is_head=scope["method"] == "HEAD",
        )
        answer.headers.append((b"x-accel-buffering", b"no"))
        work = self._run(scope, request, answer)
        with ending_with_user(scope, cancellation):
            return await unless_disconnected(
                work, cancellation, call.receive, is_ended=lambda: answer.ended
            )

    async def _run(
        self, scope: Scope, request: SubscribeRequest, answer: Answer
    ) -> QueryError | None:
        cancellation = answer.cancellation
        reader = await open_subscription(self._services, scope, request, cancellation)
        outlet = _ServerSent(answer)
        try:
            if answer.is_head:
                await answer.only_head(MEDIA_TYPE)
                return None
            await send_live(
                reader,
                outlet,
                threads=threads_of(self._services, scope),
                cancellation=cancellation,
                lifetime_s=self._settings.live_lifetime_ms / 1000,
            )
        except ClientGoneError:
            raise
        except Exception as caught:  # the answer has begun: its last event says why it ends
            context = request_context(scope, request.sql)
            error = to_query_error(caught, context)
            if not answer.begun:
                return error
            logger.info("subscription ended sqlstate=%s %s", error.sqlstate, context)
            await outlet.put("error", JsonMessages(()).error(error))
        finally:
            reader.close()
        await answer.end()
        return None

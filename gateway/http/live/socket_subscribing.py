"""`GET /v1/subscribe` as a WebSocket: each message of the live query is one text frame of JSON.

Clients send no messages. Once the connection is accepted, an error is the last message, because
pages of a browser cannot read the answer to a refused one. The close code says what to do next:

| code | meaning |
|---|---|
| 1000 | the lifetime is over: go on after the last token |
| 1001 | the gateway ends: the same, with another node |
| 1003, 1008, 1009 | the client sent a binary message, a text, or one that is too long |
| 1008 | the request is wrong or not permitted, and would be again |
| 1011 | reading failed, or the client does not answer pings |
| 1013 | try again later: too slow, too much work, a partition is behind |
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Final, NamedTuple

from starlette.types import Message, Receive, Scope, Send

from stategate.gateway.errors import response_status
from stategate.gateway.failures import to_query_error
from stategate.gateway.http.answers import ClientGoneError, ClientStalledError
from stategate.gateway.http.endpoint import Services, request_context, threads_of, unless_left
from stategate.gateway.http.live.events import JsonMessages, json_of
from stategate.gateway.http.live.handshakes import chosen_protocol
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


class Ending(NamedTuple):
    """How a connection is closed."""

    code: int
    reason: str
    """At most 123 bytes."""


_LIFETIME: Final = Ending(1000, "go on after the last token")
_SPOKE_BINARY: Final = Ending(1003, "clients send no messages")
_SPOKE_TEXT: Final = Ending(1008, "clients send no messages")


def ending_of(error: QueryError) -> Ending:
    """Return how a connection is closed after an error; the reason is its SQLSTATE."""
    status = response_status(error)
    if error.sqlstate == "57P01":
        code = 1001
    elif status == 503:
        code = 1013
    elif status < 500 or status == 501:
        code = 1008
    else:
        code = 1011
    return Ending(code, error.sqlstate)


class _Socket(Outlet):
    """Sends messages as frames.

    Args:
        receive: receives what the client sends.
        send: sends to the client.
        stall_s: how long the client may leave data unread.
    """

    def __init__(self, receive: Receive, send: Send, *, stall_s: float) -> None:
        self._receive, self._send, self._stall_s = receive, send, stall_s
        self.cancellation = Cancellation()
        self.broken: Ending | None = None
        """How to close a connection whose client has sent a message."""

    async def accept(self, protocol: str | None) -> None:
        """Accept the connection."""
        await self._receive()  # that it connects
        await self._put({"type": "websocket.accept", "subprotocol": protocol, "headers": []})

    async def put(self, name: str, data: bytes, token: str | None = None) -> None:
        del name, token  # the data has them
        await self._put({"type": "websocket.send", "text": data.decode()})

    async def put_events(self, events: Sequence[bytes]) -> None:
        # The connection itself gives signs of life.
        for each in events:
            await self._put({"type": "websocket.send", "text": json_of(each).decode()})

    async def close(self, ending: Ending) -> None:
        """Close the connection."""
        code, reason = ending
        await self._put({"type": "websocket.close", "code": code, "reason": reason})

    async def left(self) -> None:
        """Return once the client has left, or sent a message."""
        message = await self._receive()
        if message["type"] == "websocket.receive":
            self.broken = _SPOKE_TEXT if message.get("text") is not None else _SPOKE_BINARY

    async def _put(self, message: Message) -> None:
        try:
            async with asyncio.timeout(self._stall_s):
                await self._send(message)
        except TimeoutError as error:
            self.cancellation.cancel()
            raise ClientStalledError("the client has stopped reading") from error
        except OSError as error:
            raise ClientGoneError("the client has closed the connection") from error


class SocketEndpoint:
    """Answers a WebSocket with the messages of one live query.

    Args:
        services: its dependencies.
    """

    def __init__(self, services: Services) -> None:
        self._services, self._settings = services, services.settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection until its end."""
        socket = _Socket(receive, send, stall_s=self._settings.stall_timeout_ms / 1000)
        try:
            await socket.accept(chosen_protocol(scope))
            await socket.close(await self._served(scope, socket))
        except ClientGoneError as gone:
            logger.info("client disconnected: %s", gone)
        except asyncio.CancelledError:
            # The grace period is over. This is the outermost call of its task, so the cancellation
            # ends here. A client that reads has been told before.
            logger.warning("subscription cut off by shutdown")

    async def _served(self, scope: Scope, socket: _Socket) -> Ending:
        sql: str | None = None
        try:
            request = read_subscription(scope, self._settings)
            sql = request.sql
            work = self._run(scope, request, socket)
            with ending_with_user(scope, socket.cancellation):
                await unless_left(work, socket.cancellation, socket.left(), is_ended=lambda: False)
            return _LIFETIME
        except ClientGoneError:
            if socket.broken is None:
                raise
            return socket.broken
        except Exception as caught:  # the outermost call: unplanned errors are logged
            error = to_query_error(caught, request_context(scope, sql))
        logger.info(
            "subscription ended sqlstate=%s %s", error.sqlstate, request_context(scope, sql)
        )
        await socket.put("error", JsonMessages(()).error(error))
        return ending_of(error)

    async def _run(self, scope: Scope, request: SubscribeRequest, socket: _Socket) -> None:
        reader = await open_subscription(self._services, scope, request, socket.cancellation)
        try:
            await send_live(
                reader,
                socket,
                threads=threads_of(self._services, scope),
                cancellation=socket.cancellation,
                lifetime_s=self._settings.live_lifetime_ms / 1000,
            )
        finally:
            reader.close()

"""One WebSocket, with limits that uvicorn leaves to a proxy.

uvicorn alone keeps what a client sends without a limit on its pieces, answers pings that no one
reads, waits forever for the end of a connection that is not read, and ends connections at a
shutdown before the application can say why. Clients of ours send no messages at all.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from uvicorn.config import Config
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.frames import Frame
from websockets.http11 import Request

from stategate.gateway.access.rules import ON_AUTHENTICATED, OnAuthenticated
from stategate.gateway.http.refusals import NO_SNIFFING

if TYPE_CHECKING:
    from uvicorn._types import ASGIReceiveEvent, ASGISendEvent

SOCKET_PATH: Final = b"/v1/subscribe"
"""The only path of WebSockets; others answer as if no upgrade had been asked for."""
MESSAGE_BYTES_MAX: Final = 1_024
"""Longest message of a client, which is then told that it may not send any."""
PING_INTERVAL_S: Final = 15.0
"""Time between two pings, so that neither clients nor proxies give up: as with other streams."""
PING_TIMEOUT_S: Final = 30.0
"""How long a client may take to answer a ping."""

_CLOSE_S: Final = 5.0
"""How long a client may take to answer the end of a connection, and to read what is before it."""
_SHUTDOWN_CLOSE_S: Final = 1.0
"""The same when the gateway ends."""
_VERSION: Final = b"sec-websocket-version"
_OF_HANDSHAKE: Final = frozenset({b"connection", b"upgrade", b"sec-websocket-key", _VERSION})
_PROTOCOLS: Final = b"sec-websocket-protocol"
_BAD_HANDSHAKE: Final = (
    b"HTTP/1.1 400 Bad Request\r\n%b: %b\r\n"
    b"content-length: 0\r\nconnection: close\r\n\r\n" % NO_SNIFFING
)
_BAD_VERSION: Final = (
    b"HTTP/1.1 426 Upgrade Required\r\nsec-websocket-version: 13\r\n%b: %b\r\n"
    b"content-length: 0\r\nconnection: close\r\n\r\n" % NO_SNIFFING
)


class WebSocketConnection(WebSocketsSansIOProtocol):
    """One connection, from its upgrade on.

    Args:
        config: the configuration of uvicorn.
        server_state: the state of uvicorn's server, which holds all connections.
        app_state: the state of uvicorn's application.
        loop: the event loop.
        query: the query of the request's URL.
        headers: the headers of the request, with names in lower case.
        on_authenticated: called once the client is authenticated; None if it is already.
        on_closed: called when the connection has ended.
    """

    def __init__(
        self,
        *,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        loop: asyncio.AbstractEventLoop,
        query: bytes,
        headers: Sequence[tuple[bytes, bytes]],
        on_authenticated: OnAuthenticated | None,
        on_closed: Callable[[], None],
    ) -> None:
        super().__init__(config, server_state, app_state, loop)
        self._query, self._headers = query, headers
        self._on_authenticated, self._on_closed = on_authenticated, on_closed
        self._has_spoken = False
        """Whether the client has sent a message, or a part of one."""
        self._cut_off: asyncio.TimerHandle | None = None
        self.close_timeout = _CLOSE_S

    def begin(self) -> None:
        """Check the handshake, and let the application decide about it.

        The library gets the headers that concern it only: it allows short lines, and few of them.
        """
        lines = [b"GET ", SOCKET_PATH, b" HTTP/1.1\r\n"]
        for name, value in self._headers:
            if name in _OF_HANDSHAKE:
                lines += [name, b": ", value, b"\r\n"]
        head = b"".join((*lines, b"\r\n"))
        if [value for name, value in self._headers if name == _VERSION] != [b"13"]:
            self._refuse(_BAD_VERSION)
            return
        if head.isascii():  # the library logs a traceback of others
            self.data_received(head)
        if not self.handshake_initiated:
            self._refuse(_BAD_HANDSHAKE)

    def _refuse(self, answer: bytes) -> None:
        self.handshake_complete = self.close_sent = True
        self.transport.write(answer)
        self.transport.close()

    def handle_connect(self, event: Request) -> None:
        """Begin the application, with the request as the client has sent it."""
        super().handle_connect(event)
        if self.handshake_complete:
            return  # it is refused
        offered = [value for name, value in self._headers if name == _PROTOCOLS]
        protocols = [each.strip() for each in b",".join(offered).decode("latin-1").split(",")]
        self.scope["headers"] = self._headers
        self.scope["query_string"] = self._query
        self.scope["subprotocols"] = [each for each in protocols if each]
        if self._on_authenticated is not None:
            # A scope may have keys beyond those of ASGI.
            self.scope[ON_AUTHENTICATED] = self._on_authenticated  # type: ignore[literal-required]

    # --- frames of the client --------------------------------------------------------------------

    def handle_text(self, event: Frame) -> None:
        """Report a message by its first piece; what it says is of no interest."""
        self._report({"type": "websocket.receive", "text": ""})

    def handle_bytes(self, event: Frame) -> None:
        """Report a message by its first piece; what it says is of no interest."""
        self._report({"type": "websocket.receive", "bytes": b""})

    def handle_cont(self, event: Frame) -> None:
        """Drop a further piece, which would be kept otherwise."""

    def _report(self, message: ASGIReceiveEvent) -> None:
        if not self._has_spoken:
            self._has_spoken = True
            self.queue.put_nowait(message)

    def handle_ping(self) -> None:
        """Answer a ping, unless the client does not read."""
        output = self.conn.data_to_send()
        if self.writable.is_set():
            self.transport.write(b"".join(output))

    # --- the other direction ---------------------------------------------------------------------

    async def send(self, message: ASGISendEvent) -> None:
        """Send a message of the application.

        Raises:
            ClientDisconnected: the connection is ending.
        """
        await self.writable.wait()
        is_over = self.close_sent or self.transport.is_closing()
        if not is_over:
            await super().send(message)
        if is_over or self.close_sent:
            # A handshake that is refused is complete, too; uvicorn would log an error.
            self.handshake_complete = True
        if is_over:
            raise ClientDisconnected

    def send_keepalive_ping(self) -> None:
        """Ping the client, unless there is data that it has not read: that has its own limit."""
        if self.writable.is_set():
            super().send_keepalive_ping()
        else:
            self.schedule_ping()

    def keepalive_timeout(self) -> None:
        """End the connection, and tell the application."""
        super().keepalive_timeout()
        self.queue.put_nowait({"type": "websocket.disconnect", "code": 1011})

    # --- the end ---------------------------------------------------------------------------------

    def shutdown(self) -> None:
        """Close the connection soon. The application says why: its live query has ended."""
        self.stop_keepalive()
        self.close_timeout = _SHUTDOWN_CLOSE_S
        if self.close_sent:
            super().shutdown()

    def on_task_complete(self, task: asyncio.Task[None]) -> None:
        """Cut the connection off soon, though the client has not read all of it."""
        super().on_task_complete(task)
        if not self.disconnected:
            self._cut_off = self.loop.call_later(self.close_timeout, self.transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop counting the connection."""
        if self._cut_off is not None:
            self._cut_off.cancel()
        super().connection_lost(exc)
        self._on_closed()

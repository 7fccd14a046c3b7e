"""One HTTP connection, with the limits that uvicorn leaves to a proxy: time, head, peer.

uvicorn waits for ever for a head that does not end, holds as much of it as is sent, and lets one
address have all connections. What a request means is decided in the application, which tells here
that its client was let in.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from gateway.access.rules import ON_AUTHENTICATED
from gateway.access.unauthenticated import UnauthenticatedConnections
from gateway.busy_poll import BusyPoll

if TYPE_CHECKING:
    from uvicorn._types import ASGI3Application

_TOO_LARGE: Final = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"content-length: 0\r\nconnection: close\r\n\r\n"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpLimits:
    """What one connection may take."""

    head_timeout_s: float = 10.0
    """From the connection, or the first byte of a further request, to the end of its head; and
    from an early answer to the end of the body that it did not wait for."""
    head_bytes_max: int = 64 << 10
    """Longest head, give or take what one read brings: h11's limit, and four times Apache's."""
    unauthenticated_keep_alive_s: int = 5
    """How long a connection stays open on which nobody has been let in yet."""


class HttpConnection(HttpToolsProtocol):
    """One connection.

    Args:
        config: of uvicorn.
        server_state: of uvicorn; it holds all connections.
        app_state: of uvicorn.
        loop: the event loop.
        unauthenticated: the connections on which nobody was let in yet.
        limits: of this one.
        busy_poll: keeps the loop awake between requests.
    """

    def __init__(
        self,
        *,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        loop: asyncio.AbstractEventLoop,
        unauthenticated: UnauthenticatedConnections,
        limits: HttpLimits,
        busy_poll: BusyPoll,
    ) -> None:
        super().__init__(config, server_state, app_state, loop)
        self._unauthenticated = unauthenticated
        self._limits = limits
        self._busy_poll = busy_poll
        self._deadline: asyncio.TimerHandle | None = None
        self._head_bytes = 0
        self._begun = False
        """Whether a request has begun to arrive, and not yet ended."""
        self._headed = False
        """Whether its head is whole."""
        self._is_known = False
        self._answering: RequestResponseCycle | None = None
        """The request that is answered, or was last: others may have come behind it."""
        self.timeout_keep_alive = min(
            config.timeout_keep_alive, limits.unauthenticated_keep_alive_s
        )

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection, or cut it off."""
        super().connection_made(transport)
        address = self.client[0] if self.client else None
        if self._unauthenticated.enter(self, address):
            self._start_deadline()
        else:
            transport.abort()

    def abort(self) -> None:
        """End the connection without a word."""
        self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Count it no longer."""
        self._stop_deadline()
        self._unset_keepalive_if_required()
        self._unauthenticated.leave(self)
        # uvicorn tells only the last request that came, and what is answered writes on.
        for cycle in (self._answering, *(waiting for waiting, _ in self.pipeline)):
            if cycle is not None and not cycle.response_complete:
                cycle.disconnected = True
                cycle.message_event.set()
        self.pipeline.clear()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take bytes, and see that a head ends in time and in its bounds."""
        if self.transport.is_closing():
            return  # what TLS still has of a connection that was closed
        super().data_received(data)
        if self._begun and not self._headed:
            self._check_head(len(data))
            return
        self._head_bytes = 0
        # Nothing is left to wait for but the client, whose idle time these bytes have ended.
        if self._deadline is None and not self._busy and not self.transport.is_closing():
            self._start_deadline()

    def _check_head(self, more_bytes: int) -> None:
        if self.transport.is_closing():
            return
        self._head_bytes += more_bytes
        if self._head_bytes > self._limits.head_bytes_max:
            self.transport.write(_TOO_LARGE)
            self.transport.close()
        elif self._deadline is None:
            self._start_deadline()

    # --- called by the parser --------------------------------------------------------------------

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self._begun, self._headed = True, False
        if not self._is_known:
            # An application may put more into a scope than ASGI names.
            self.scope[ON_AUTHENTICATED] = self._on_authenticated  # type: ignore[literal-required]

    def on_headers_complete(self) -> None:
        """Its head is whole."""
        self._headed = True
        if self._deadline is not None:
            self._stop_deadline()
        most = self.config.limit_concurrency
        if most is not None:
            # uvicorn counts all connections, but those that are not let in have places of their
            # own; and the last place is not refused to whom it was given.
            self.limit_concurrency = most + len(self._unauthenticated) + self._is_known
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Its body is whole, too."""
        self._begun = self._headed = False
        if self._deadline is not None:
            self._stop_deadline()
        super().on_message_complete()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._answering = cycle
        super()._start_asgi_task(cycle, app)

    # --- called by the answer --------------------------------------------------------------------

    def on_response_complete(self) -> None:
        """It was answered, perhaps before its body was whole."""
        super().on_response_complete()
        self._busy_poll.answered()
        if self._headed and self._deadline is None:
            self._start_deadline()

    def _on_authenticated(self) -> None:
        if not self._is_known:
            self._is_known = True
            self._unauthenticated.leave(self)
            self.timeout_keep_alive = self.config.timeout_keep_alive

    # --- time ------------------------------------------------------------------------------------

    @property
    def _busy(self) -> bool:
        cycle = self.cycle
        return (cycle is not None and not cycle.response_complete) or bool(self.pipeline)

    def _start_deadline(self) -> None:
        self._deadline = self.loop.call_later(self._limits.head_timeout_s, self._expire)

    def _stop_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _expire(self) -> None:
        self._deadline = None
        if self._busy:
            # It is answered, and may be read no further meanwhile: that is not the client's doing.
            self._start_deadline()
        else:
            self.transport.abort()

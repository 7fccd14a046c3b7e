"""One HTTP connection, with limits that uvicorn leaves to a proxy.

uvicorn alone waits forever for an unfinished head, buffers it without a limit, and lets one
address take all connections. The application reports here that a client is authenticated.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import httptools
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from stategate.gateway.access.address_limits import UnauthenticatedConnections
from stategate.gateway.access.peers import Peer
from stategate.gateway.access.places import Places
from stategate.gateway.access.proxy_header import Source
from stategate.gateway.access.rules import ON_AUTHENTICATED
from stategate.gateway.busy_poll import BusyPoll
from stategate.gateway.http.answers import ON_STALLED
from stategate.gateway.http.refusals import MALFORMED, NO_SNIFFING, REFUSED_HOST, lacks_host
from stategate.gateway.http.web_socket import SOCKET_PATH, WebSocketConnection

if TYPE_CHECKING:
    from uvicorn._types import ASGI3Application

_TOO_LARGE: Final = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n%b: %b\r\n"
    b"content-length: 0\r\nconnection: close\r\n\r\n" % NO_SNIFFING
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpLimits:
    """Limits of one connection."""

    head_timeout_s: float = 10.0
    """Time from the connection, or the first byte of a further request, to the end of its head;
    also from an early answer to the end of the unread body.
    """
    head_bytes_max: int = 64 << 10
    """Longest head, plus or minus one read: as in h11, and four times Apache's limit."""
    unauthenticated_keep_alive_s: int = 5
    """How long an idle connection stays open before its client is authenticated."""


class HttpConnection(HttpToolsProtocol):
    """One connection.

    Args:
        config: the configuration of uvicorn.
        server_state: the state of uvicorn's server, which holds all connections.
        app_state: the state of uvicorn's application.
        loop: the event loop.
        unauthenticated: counts the unauthenticated connections.
        places: counts the others.
        limits: the limits of this connection.
        busy_poll: is notified of each answer.
        on_closed: called when the connection has ended.
    """

    def __init__(
        self,
        *,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        loop: asyncio.AbstractEventLoop,
        unauthenticated: UnauthenticatedConnections,
        places: Places,
        limits: HttpLimits,
        busy_poll: BusyPoll,
        on_closed: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, loop)
        self._unauthenticated, self._places = unauthenticated, places
        self.source: Source | None = None
        """The client, as a proxy names it; None if the other end is the client."""
        self._limits = limits
        self._busy_poll = busy_poll
        self._on_closed = on_closed
        self._deadline: asyncio.TimerHandle | None = None
        self._head_bytes = 0
        self._begun = False
        """Whether a request is arriving."""
        self._headed = False
        """Whether the head of that request is complete."""
        self._upgrades = False
        """Whether that request becomes a WebSocket."""
        self._is_handed_over = False
        """Whether the connection is a WebSocket now."""
        self._is_known = False
        self._is_broken = False
        """Whether a request was malformed, so that no further one can be read."""
        self._answering: RequestResponseCycle | None = None
        """The current or last answered request; others may be queued after it."""
        self.timeout_keep_alive = min(
            config.timeout_keep_alive, limits.unauthenticated_keep_alive_s
        )

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept the connection, or abort it if there are too many."""
        super().connection_made(transport)
        if self.source is not None:
            named, port = self.source
            self.client = None if named is None else (named, port or 0)
        address = self.client[0] if self.client else None
        if self._unauthenticated.enter(self, address):
            self._start_deadline()
        else:
            transport.abort()

    def abort(self) -> None:
        """Close the connection without an answer."""
        self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop counting the connection, and cancel its requests."""
        self._stop_deadline()
        self._unset_keepalive_if_required()
        # uvicorn notifies only the last request, and the one being answered would write on.
        for cycle in (self._answering, *(waiting for waiting, _ in self.pipeline)):
            if cycle is not None and not cycle.response_complete:
                cycle.disconnected = True
                cycle.message_event.set()
        self.pipeline.clear()
        super().connection_lost(exc)
        self._leave()

    def _leave(self) -> None:
        """Stop counting the connection, which has ended."""
        self._unauthenticated.leave(self)
        self._places.leave(self)
        if self._on_closed is not None:
            self._on_closed()

    def data_received(self, data: bytes) -> None:
        """Parse bytes, and limit the time and size of a head."""
        if self.transport.is_closing() or self._is_broken:
            return  # bytes that TLS still delivers after the close, or after a malformed request
        self._feed(data)
        if self._is_handed_over:
            return
        if self._begun and not self._headed:
            self._check_head(len(data))
            return
        self._head_bytes = 0
        # The connection is idle, but these bytes have cancelled uvicorn's idle timeout.
        has_timer = self._deadline is not None or self.timeout_keep_alive_task is not None
        if not has_timer and not self._busy and not self.transport.is_closing():
            self._start_deadline()

    def _feed(self, data: bytes) -> None:
        """Parse bytes; the parser calls back."""
        super().data_received(data)

    def _check_head(self, more_bytes: int) -> None:
        if self.transport.is_closing():
            return
        self._head_bytes += more_bytes
        if self._head_bytes > self._limits.head_bytes_max:
            self.transport.write(_TOO_LARGE)
            self.transport.close()
        elif self._deadline is None:
            self._start_deadline()

    # --- callbacks of the parser -----------------------------------------------------------------

    def on_message_begin(self) -> None:
        """Note that a request begins."""
        super().on_message_begin()
        self._begun, self._headed = True, False
        self.scope[ON_STALLED] = self._cut_off  # type: ignore[literal-required]
        if not self._is_known:
            # A scope may have keys beyond those of ASGI.
            self.scope[ON_AUTHENTICATED] = self._on_authenticated  # type: ignore[literal-required]

    def on_headers_complete(self) -> None:
        """Note that the head is complete."""
        self._headed = True
        if self._deadline is not None:
            self._stop_deadline()
        self._upgrades = self._may_upgrade()
        app = self.app
        if self._lacks_host():
            self.app = REFUSED_HOST
        super().on_headers_complete()
        self.app = app

    def _lacks_host(self) -> bool:
        return lacks_host(self.parser.get_http_version(), self.headers)

    def send_400_response(self, msg: str) -> None:
        """Refuse a malformed request in its turn, and read no further one."""
        self._is_broken = True
        broken = self.cycle if self._headed else None
        if broken is not None and broken is self._answering:
            # Its body is malformed, and its answer may have begun.
            broken.disconnected = True
            broken.message_event.set()
            if broken.response_started:
                self.transport.close()
                return
        elif broken is not None:
            self.pipeline.popleft()
        waits = self._busy and broken is not self._answering
        self.cycle = self._refusal()
        if waits:
            self.pipeline.appendleft((self.cycle, MALFORMED))  # type: ignore[arg-type]
        else:
            self._start_asgi_task(self.cycle, MALFORMED)  # type: ignore[arg-type]

    def _refusal(self) -> RequestResponseCycle:
        """Return the answer to a request that could not be read."""
        return RequestResponseCycle(
            scope={"type": "http", "method": "GET"},  # type: ignore[typeddict-item]
            transport=self.transport,
            flow=self.flow,
            logger=self.logger,
            access_logger=self.access_logger,
            access_log=False,
            default_headers=self.server_state.default_headers,
            message_event=asyncio.Event(),
            expect_100_continue=False,
            keep_alive=False,
            on_response=self.on_response_complete,
        )

    def on_message_complete(self) -> None:
        """Note that the body is complete."""
        self._begun = self._headed = False
        if self._deadline is not None:
            self._stop_deadline()
        super().on_message_complete()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._answering = cycle
        super()._start_asgi_task(cycle, app)

    # --- WebSockets ------------------------------------------------------------------------------

    def _may_upgrade(self) -> bool:
        """Whether the request becomes a WebSocket; otherwise it is answered without the upgrade."""
        parser = self.parser
        return (
            self._should_upgrade_to_ws()
            and parser.should_upgrade()
            and parser.get_method() == b"GET"
            and parser.get_http_version() == "1.1"
            and self._get_upgrade() == b"websocket"
            and httptools.parse_url(self.url).path == SOCKET_PATH
            and not any(_has_body(*header) for header in self.headers)
            and not self._busy
            and not self._lacks_host()
        )

    def _should_upgrade(self) -> bool:
        # uvicorn asks several times, and what happens meanwhile must not change the answer.
        return self._upgrades

    def _unsupported_upgrade_warning(self) -> None:
        """Say nothing: any client can ask for an upgrade."""

    def handle_websocket_upgrade(self) -> None:
        """Hand the connection over. Until the application knows the client, it counts as before."""
        self._is_handed_over = True
        self._stop_deadline()
        self._unset_keepalive_if_required()
        self.connections.discard(self)
        connection = WebSocketConnection(
            config=self.config,
            server_state=self.server_state,
            app_state=self.app_state,
            loop=self.loop,
            query=httptools.parse_url(self.url).query or b"",
            headers=self.headers,
            on_authenticated=None if self._is_known else self._on_authenticated,
            on_closed=self._leave,
        )
        connection.connection_made(self.transport)
        connection.client = self.client
        if self.flow.write_paused:
            connection.pause_writing()
        self.transport.set_protocol(connection)
        connection.begin()

    # --- callbacks of the answer -----------------------------------------------------------------

    def on_response_complete(self) -> None:
        """Note that a request is answered, perhaps before its body was complete."""
        super().on_response_complete()
        self._busy_poll.answered(self)
        if self._headed and self._deadline is None:
            self._start_deadline()

    def _cut_off(self) -> None:
        """Close the connection during an answer that its client does not read.

        uvicorn would close it only once everything is read, and report an unfinished answer.
        """
        if self._answering is not None:
            self._answering.disconnected = True
        self.transport.abort()

    def _on_authenticated(self, user: str, peer: Peer) -> None:
        """Take a place for the client, which has just authenticated itself.

        Raises:
            QueryError: no place is free (53300).
        """
        if self._is_known:
            return
        source = self.client[0] if self.client else None
        of_proxy = peer.forwarded and peer.address != source
        self._places.enter(self, user=user, address=source, of_proxy=of_proxy)
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
            # While a request is answered, reading may pause, which is not the client's fault.
            self._start_deadline()
        else:
            self.transport.abort()


def _has_body(name: bytes, value: bytes) -> bool:
    """Whether a header says that the request has a body."""
    return name == b"transfer-encoding" or (name == b"content-length" and value != b"0")

"""The HTTP server: uvicorn, with our connections and limits."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from stategate.gateway.accepting.adopting import adopt
from stategate.gateway.accepting.listening import BACKLOG
from stategate.gateway.accepting.proxied import ProxiedConnections, proxies_with_header
from stategate.gateway.access.address_limits import UnauthenticatedConnections
from stategate.gateway.access.places import PlaceLimits, Places
from stategate.gateway.access.tls import Tls
from stategate.gateway.busy_poll import BusyPoll
from stategate.gateway.http.at_once import AtOnce
from stategate.gateway.http.connection import HttpConnection, HttpLimits
from stategate.gateway.http.refusals import NO_SNIFFING
from stategate.gateway.http.shortcut import ShortcutConnection
from stategate.gateway.http.web_socket import (
    MESSAGE_BYTES_MAX,
    PING_INTERVAL_S,
    PING_TIMEOUT_S,
    WebSocketConnection,
)
from stategate.gateway.settings import Settings
from stategate.planner.engine import Rights


class HttpServer(uvicorn.Server):
    """uvicorn with our connections, without its sockets and signal handlers.

    Args:
        config: the configuration of uvicorn.
        settings: the settings of the gateway, with the limits of connections.
        busy_poll: is notified of each answer.
        at_once: answers lookups without the application; None leaves them to the application.
        places: the places of authenticated connections; None for as many as the settings say.
        on_started: called once connections can be adopted.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        settings: Settings,
        busy_poll: BusyPoll,
        at_once: AtOnce | None,
        *,
        places: Places | None = None,
        on_started: Callable[[], None],
    ) -> None:
        super().__init__(config)
        self._proxies = proxies_with_header(settings, "http")
        self._proxied: ProxiedConnections | None = None
        self._busy_poll, self._at_once, self._on_started = busy_poll, at_once, on_started
        if places is None:
            places = Places(PlaceLimits(settings.http_connections_max), Rights())
        self._places = places
        self._unauthenticated = UnauthenticatedConnections(
            of_one_max=settings.unauthenticated_of_address_max,
            total_max=settings.unauthenticated_max,
            evict=HttpConnection.abort,
        )
        self._limits = HttpLimits(head_timeout_s=settings.body_timeout_ms / 1000)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept connections."""
        await self.lifespan.startup()
        loop = asyncio.get_running_loop()
        make_connection: Callable[..., HttpConnection] = (
            HttpConnection
            if self._at_once is None
            else partial(ShortcutConnection, at_once=self._at_once)
        )

        self._connect = partial(
            make_connection,
            config=self.config,
            server_state=self.server_state,
            app_state=self.lifespan.state,
            loop=loop,
            unauthenticated=self._unauthenticated,
            places=self._places,
            limits=self._limits,
            busy_poll=self._busy_poll,
        )
        if self._proxies is not None:
            self._proxied = ProxiedConnections(
                self._proxies, timeout_s=self._limits.head_timeout_s, tls=self.config.ssl
            )
        self.servers = [
            await loop.create_server(
                self._begun, sock=each, backlog=self.config.backlog, **self._tls_at_once
            )
            for each in sockets or ()
        ]
        self.started = True
        self._on_started()

    @property
    def _tls_at_once(self) -> dict[str, Any]:
        """The arguments of the loop for TLS from the first byte on."""
        if self.config.ssl is None or self._proxied is not None:
            return {}
        # Connections in a TLS handshake are not counted yet, so time limits them.
        return {
            "ssl": self.config.ssl,
            "ssl_handshake_timeout": self._limits.head_timeout_s,
        }

    def _begun(self, on_closed: Callable[[], None] = lambda: None) -> asyncio.Protocol:
        """Return the protocol of a new connection."""
        connection = self._connect(on_closed=on_closed)
        return connection if self._proxied is None else self._proxied.before(connection, on_closed)

    def adopt(self, connection: socket.socket, on_closed: Callable[[], None]) -> None:
        """Serve an accepted connection.

        Args:
            connection: the socket.
            on_closed: called once it is closed.
        """
        adopt(
            connection,
            partial(self._begun, on_closed),
            on_failed=on_closed,
            **self._tls_at_once,
        )

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close all connections, also those that have not begun."""
        if self._proxied is not None:
            self._proxied.close()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals alone."""
        yield


def uvicorn_config(
    app: ASGIApp, settings: Settings, *, tls: Tls | None, drain_s: float
) -> uvicorn.Config:
    """Return uvicorn's configuration.

    Args:
        app: answers the requests.
        settings: the settings of the gateway.
        tls: the certificate; None serves without TLS.
        drain_s: how long answers may take after a signal.
    """
    return uvicorn.Config(
        app,
        http="httptools",
        ws=WebSocketConnection,
        ws_max_size=MESSAGE_BYTES_MAX,
        ws_ping_interval=PING_INTERVAL_S,
        ws_ping_timeout=PING_TIMEOUT_S,
        # Events of one connection are small, and memory to compress each would add up.
        ws_per_message_deflate=False,
        loop="none",
        lifespan="off",
        interface="asgi3",
        # `stategate.gateway.access.peers` decides which proxies to trust.
        proxy_headers=False,
        access_log=False,
        log_config=None,
        server_header=False,
        headers=[(NO_SNIFFING[0].decode(), NO_SNIFFING[1].decode())],
        backlog=BACKLOG,
        ssl_context_factory=None if tls is None else lambda *_: tls.http_context(),
        timeout_keep_alive=max(1, settings.keep_alive_ms // 1000),
        timeout_graceful_shutdown=max(1, int(drain_s)),
    )

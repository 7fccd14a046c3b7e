"""Connections that proxies make for clients: each begins with a header of the PROXY protocol.

The header is read, then the connection is given to the protocol that serves it, with the client
that the header names. Connections from elsewhere are given to it at once.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Callable
from typing import Protocol, cast

from stategate.gateway.accepting.start_tls import start_tls
from stategate.gateway.access.peers import Proxies
from stategate.gateway.access.proxy_header import ProxyHeaderError, Source, read_header
from stategate.gateway.settings import Settings

logger = logging.getLogger(__name__)

_WAITING_MAX = 1_000
"""Connections whose header has not arrived. A proxy sends it with the first bytes."""


def proxies_with_header(settings: Settings, listener: str) -> Proxies | None:
    """Return the proxies whose connections to `pg` or `http` begin with a header, if any."""
    if settings.proxy_protocol not in {listener, "both"}:
        return None
    return Proxies(settings.proxies.split(","))


class Served(Protocol):
    """The protocol that serves a connection. Its `source` is set before `connection_made`."""

    source: Source | None
    """The client, as the proxy names it; None if the other end is the client."""

    def connection_made(self, transport: asyncio.Transport, /) -> None:
        """Begin to serve."""

    def data_received(self, data: bytes, /) -> None:
        """Take bytes."""


class ProxiedConnections:
    """The connections of one listener whose header or handshake is not complete.

    Args:
        proxies: their connections begin with a header. A client could write one, too, so it is
            required from them and means nothing from others.
        timeout_s: how long the header may take, and the TLS handshake after it.
        tls: the certificate, for a protocol that is in TLS from its first byte; None for others.
    """

    def __init__(
        self, proxies: Proxies, *, timeout_s: float, tls: ssl.SSLContext | None = None
    ) -> None:
        self.proxies, self.timeout_s, self.tls = proxies, timeout_s, tls
        self._waiting: dict[_Beginning, None] = {}
        self._securing: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        """Return the number of connections that have not begun."""
        return len(self._waiting)

    def before(
        self, served: Served, on_failed: Callable[[], None] = lambda: None
    ) -> asyncio.Protocol:
        """Return the protocol of a new connection, which is replaced by the one that serves it.

        Args:
            served: serves the connection.
            on_failed: called if the connection ends before.
        """
        return _Beginning(self, served, on_failed)

    def close(self) -> None:
        """Close the connections that have not begun."""
        for each in tuple(self._waiting):
            each.abort()

    def enter(self, connection: _Beginning) -> None:
        """Count a connection; the oldest has to go if there are too many."""
        self._waiting[connection] = None
        if len(self._waiting) > _WAITING_MAX:
            next(iter(self._waiting)).abort()

    def leave(self, connection: _Beginning) -> None:
        """Stop counting a connection."""
        self._waiting.pop(connection, None)

    def secure(self, connection: _Beginning) -> None:
        """Do the TLS handshake of a connection."""
        task = asyncio.get_running_loop().create_task(connection.secure())
        self._securing.add(task)
        task.add_done_callback(self._securing.discard)


def source_of(transport: asyncio.BaseTransport) -> Source:
    """Return the other end of a connection."""
    name = transport.get_extra_info("peername")
    return Source(name[0], name[1]) if name else Source(None, None)


class _Beginning(asyncio.Protocol):
    """A connection until its header is complete, and its TLS handshake done."""

    def __init__(
        self, all_: ProxiedConnections, served: Served, on_failed: Callable[[], None]
    ) -> None:
        self._all, self._served, self._on_failed = all_, served, on_failed
        self._transport: asyncio.Transport | None = None
        self._timeout: asyncio.TimerHandle | None = None
        self._name: str | None = None
        self._read = b""
        self._is_headed = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the header of a proxy, or begin."""
        # uvloop's transports do not inherit from asyncio's, so this cannot be asserted.
        self._transport = cast("asyncio.Transport", transport)
        self._name, _ = source_of(transport)
        self._all.enter(self)
        if not self._all.proxies.trusts(self._name):
            self._go_on(None, b"")
            return
        loop = asyncio.get_running_loop()
        self._timeout = loop.call_later(self._all.timeout_s, self._refuse, "it did not come")

    def data_received(self, data: bytes) -> None:
        """Read the header; keep what arrives as the handshake begins or ends."""
        self._read += data
        if self._is_headed or self._transport is None or self._transport.is_closing():
            return
        try:
            header = read_header(self._read)
        except ProxyHeaderError as error:
            self._refuse(str(error))
            return
        if header is not None:
            rest, self._read = self._read[header.length :], b""
            self._go_on(header.source, rest)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop counting the connection, which has ended before it was served."""
        self._leave()
        self._transport = None
        on_failed, self._on_failed = self._on_failed, lambda: None
        on_failed()

    def abort(self) -> None:
        """End the connection."""
        if self._transport is not None:
            self._transport.abort()

    def _refuse(self, reason: str) -> None:
        logger.warning("no PROXY header, closing, proxy=%s reason=%s", self._name, reason)
        self.abort()

    def _leave(self) -> None:
        self._all.leave(self)
        self._stop_timeout()

    def _stop_timeout(self) -> None:
        if self._timeout is not None:
            self._timeout.cancel()
            self._timeout = None

    def _go_on(self, source: Source | None, rest: bytes) -> None:
        assert self._transport is not None, "its bytes have arrived"
        self._is_headed = True
        self._stop_timeout()
        self._served.source = source
        if self._all.tls is None:
            self._serve(self._transport, rest)
        else:
            self._read = rest
            self._all.secure(self)

    async def secure(self) -> None:
        """Do the handshake, then begin."""
        bare, tls = self._transport, self._all.tls
        if bare is None or tls is None or bare.is_closing():
            return  # it has been lost meanwhile, or will be
        # Only now can reading be paused: a loop begins to read after `connection_made`.
        bare.pause_reading()
        early, self._read = self._read, b""
        secured = await start_tls(bare, self, tls, early=early, timeout_s=self._all.timeout_s)
        if secured is None or self._transport is None:
            bare.abort()
            self.connection_lost(None)
        else:
            self._serve(secured, self._read)

    def _serve(self, transport: asyncio.Transport, rest: bytes) -> None:
        self._leave()
        self._transport = None
        transport.set_protocol(cast("asyncio.Protocol", self._served))
        self._served.connection_made(transport)
        if rest and not transport.is_closing():
            self._served.data_received(rest)

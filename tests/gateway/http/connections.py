"""Connections over a transport in memory, which records the written bytes, and when."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.server import ServerState

from stategate.gateway.access.address_limits import UnauthenticatedConnections
from stategate.gateway.access.places import PlaceLimits, Places
from stategate.gateway.busy_poll import BusyPoll
from stategate.gateway.http.at_once import AtOnce
from stategate.gateway.http.connection import HttpConnection, HttpLimits
from stategate.gateway.http.shortcut import ShortcutConnection
from stategate.gateway.http.web_socket import MESSAGE_BYTES_MAX, WebSocketConnection
from stategate.planner.engine import Rights
from tests.support.waiting import WAIT_S

DATE = b"Thu, 01 Jan 1970 00:00:00 GMT"


def body_of(answer: bytes) -> bytes:
    """Return the body of one answer, its chunks joined.

    An answer has chunks when its first rows were ready earlier than the others, which depends on
    how busy the machine is.
    """
    head, _, body = answer.partition(b"\r\n\r\n")
    if b"\r\ntransfer-encoding: chunked" not in head.lower():
        return body
    chunks = []
    while body:
        size, _, body = body.partition(b"\r\n")
        chunks.append(body[: int(size, 16)])
        body = body[int(size, 16) + 2 :]
    return b"".join(chunks)


class MemoryTransport(asyncio.Transport):
    """Keeps the written bytes."""

    def __init__(self, client: str, *, secured: bool) -> None:
        super().__init__()
        self._client, self._secured = client, secured
        self.writes: list[bytes] = []
        self.closing = False
        self.aborted = False
        self._protocol: asyncio.BaseProtocol | None = None
        self.reads = asyncio.Event()
        """Set while the connection reads."""
        self.reads.set()

    @property
    def written(self) -> bytes:
        """Everything that was written."""
        return b"".join(self.writes)

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return the addresses, and whether the connection is TLS."""
        found = {"peername": (self._client, 50_000), "sockname": ("127.0.0.1", 7420)}
        if self._secured:
            found["sslcontext"] = ("", 0)
        return found.get(name, default)

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Hand the connection over."""
        self._protocol = protocol

    def get_protocol(self) -> asyncio.BaseProtocol:
        """Return what it was handed over to."""
        assert self._protocol is not None
        return self._protocol

    def write(self, data: Any) -> None:
        """Keep data."""
        if not self.closing:
            self.writes.append(bytes(data))

    def is_closing(self) -> bool:
        """Whether either end has closed it."""
        return self.closing

    def close(self) -> None:
        """Close it."""
        self.closing = True
        self.reads.set()

    def abort(self) -> None:
        """Close it, whatever is not sent."""
        self.closing = self.aborted = True
        self.reads.set()

    def pause_reading(self) -> None:
        """Deliver nothing."""
        self.reads.clear()

    def resume_reading(self) -> None:
        """Deliver again."""
        self.reads.set()


class Connected:
    """One connection.

    Args:
        app: the application.
        at_once: None for a connection without the shortcut.
        client: the client's address.
        secured: whether the connection is TLS.
        connections_max: the server's limit.
        limits: the connection's limits.
        keep_alive_s: how long an idle connection stays open.
    """

    def __init__(
        self,
        app: ASGIApp,
        at_once: AtOnce | None,
        *,
        client: str = "127.0.0.1",
        secured: bool = False,
        connections_max: int = 100,
        limits: HttpLimits | None = None,
        keep_alive_s: int = 5,
    ) -> None:
        self.state = ServerState()
        self.state.default_headers = [(b"date", DATE)]
        self.transport = MemoryTransport(client, secured=secured)
        config = uvicorn.Config(
            app,
            http="httptools",
            ws=WebSocketConnection,
            ws_max_size=MESSAGE_BYTES_MAX,
            lifespan="off",
            interface="asgi3",
            proxy_headers=False,
            access_log=False,
            log_config=None,
            server_header=False,
            timeout_keep_alive=keep_alive_s,
        )
        config.load()
        self.ends = 0
        """How often the server was told that the connection has ended."""
        self.unauthenticated = UnauthenticatedConnections(
            of_one_max=10, total_max=100, evict=HttpConnection.abort
        )
        given: dict[str, Any] = {
            "config": config,
            "server_state": self.state,
            "app_state": {},
            "loop": asyncio.get_running_loop(),
            "unauthenticated": self.unauthenticated,
            "places": Places(PlaceLimits(connections_max), Rights()),
            "limits": limits or HttpLimits(),
            "busy_poll": BusyPoll(0),
            "on_closed": self._end,
        }
        self.connection: HttpConnection = (
            HttpConnection(**given)
            if at_once is None
            else ShortcutConnection(at_once=at_once, **given)
        )
        self.connection.connection_made(self.transport)

    def _end(self) -> None:
        self.ends += 1

    async def receive(
        self, pieces: Sequence[bytes], *, pauses: bool = False, whole: bool = True
    ) -> None:
        """Deliver bytes, as the connection reads them, and wait until all is answered.

        Args:
            pieces: each is one read.
            pauses: whether tasks run between two pieces.
            whole: whether the last request is whole; else there is no wait for its answer.
        """
        for piece in pieces:
            await self.transport.reads.wait()
            self.connection.data_received(piece)
            for _ in range(20 if pauses else 0):
                await asyncio.sleep(0)
        if whole:
            await self.settle()

    async def settle(self) -> None:
        """Wait until no request is being answered."""
        while self.state.tasks:
            done, _ = await asyncio.wait(set(self.state.tasks), timeout=WAIT_S)
            assert done, "a request is not answered"
            await asyncio.sleep(0)

    def lose(self) -> None:
        """End the connection from the other side."""
        self.transport.closing = True
        self.connection.connection_lost(None)

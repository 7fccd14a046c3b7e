"""A TCP relay: a network link whose two directions can be slow, narrow, stalled or cut."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

_CHUNK_BYTES = 1 << 14
_UNDERWAY_MAX = 1 << 10
"""Chunks that are on their way at a time, 16 MiB; then the sender has to wait."""
_CLOSE_S = 1.0
_LOOK_S = 0.002
"""How often a direction that is stalled looks whether it goes on."""

_Underway: TypeAlias = "asyncio.Queue[tuple[float, bytes]]"


@dataclass(slots=True)
class Direction:
    """One direction of a link. Change it at any time, from any thread."""

    delay_s: float = 0.0
    """How long each byte is on its way."""
    bytes_per_s: float | None = None
    """How many bytes arrive in a second; None for all."""
    is_stalled: bool = False
    """Whether no more bytes arrive, though they are taken."""
    bytes_left: int | None = None
    """After how many more bytes it stalls; None for never."""
    passed: int = 0
    """How many bytes have arrived."""

    async def carry(self, underway: _Underway, writer: asyncio.StreamWriter) -> None:
        """Deliver what is underway, in order, as long as there is a connection."""
        loop = asyncio.get_running_loop()
        while True:
            at_s, data = await underway.get()
            wait_s = at_s + self.delay_s - loop.time()
            if self.bytes_per_s is not None:
                wait_s = max(wait_s, len(data) / self.bytes_per_s)
            if wait_s > 0:
                await asyncio.sleep(wait_s)
            while self.is_stalled:  # noqa: ASYNC110 (other threads change it, which set no event)
                await asyncio.sleep(_LOOK_S)
            if not data:
                writer.write_eof()
                return
            writer.write(data)
            await writer.drain()
            self._passed(len(data))

    def _passed(self, count: int) -> None:
        self.passed += count
        if self.bytes_left is not None:
            self.bytes_left -= count
            if self.bytes_left <= 0:
                self.is_stalled, self.bytes_left = True, None

    def heal(self) -> None:
        """Be fast again, and deliver what was kept."""
        self.delay_s, self.bytes_per_s, self.bytes_left = 0.0, None, None
        self.is_stalled = False


class Relay:
    """Takes connections to a port of this machine, and hands on what they carry, in its own thread.

    Args:
        port: the port of the server.
    """

    def __init__(self, port: int) -> None:
        self.there, self.back = Direction(), Direction()
        """The directions to the server, and back to the client."""
        self._target = port
        self._is_cut = False
        self._links: set[asyncio.Task[Any]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = self._run(self._listen())
        self.port: int = self._server.sockets[0].getsockname()[1]

    @property
    def is_cut(self) -> bool:
        """Whether it takes no connections."""
        return self._is_cut

    def cut(self) -> None:
        """End all connections, and take no new ones."""
        self._run(self._cut())

    def heal(self) -> None:
        """Take connections again, and be fast."""
        self._is_cut = False
        self.there.heal()
        self.back.heal()

    def close(self) -> None:
        """End all of it."""
        self._run(self._cut())
        self._run(self._unlisten())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=20)
        self._loop.close()

    def _run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(timeout=20)

    async def _listen(self) -> asyncio.Server:
        return await asyncio.start_server(self._accept, "127.0.0.1", 0)

    async def _unlisten(self) -> None:
        self._server.close()
        await self._server.wait_closed()

    async def _cut(self) -> None:
        self._is_cut = True
        for link in tuple(self._links):
            link.cancel()
        await asyncio.gather(*self._links, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._links.add(task)
        try:
            if not self._is_cut:
                with suppress(OSError):
                    await self._join(reader, writer)
        except asyncio.CancelledError:
            writer.transport.abort()
        finally:
            await _close(writer)
            self._links.discard(task)

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        onward, other = await asyncio.open_connection("127.0.0.1", self._target)
        carried = [
            asyncio.ensure_future(each)
            for each in (
                _carried(self.there, reader, other),
                _carried(self.back, onward, writer),
            )
        ]
        try:
            # Nodes close both ways at once, so the end of one direction is that of the link.
            await asyncio.wait(carried, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in carried:
                each.cancel()
            # First, since the relay may be closed while this waits, and cancel it.
            other.transport.abort()
            await asyncio.gather(*carried, return_exceptions=True)
            await _close(other)


async def _close(writer: asyncio.StreamWriter) -> None:
    """Close a stream; what its reader does not take within a second is lost."""
    writer.close()
    try:
        async with asyncio.timeout(_CLOSE_S):
            await writer.wait_closed()
    except OSError:  # as when it was reset; a time-out is one, too
        writer.transport.abort()


async def _carried(
    direction: Direction, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    """Carry all bytes of one direction of a connection."""
    loop = asyncio.get_running_loop()
    underway: _Underway = asyncio.Queue(_UNDERWAY_MAX)
    carrying = asyncio.ensure_future(direction.carry(underway, writer))
    try:
        data = b"begin"
        while data:
            data = await reader.read(_CHUNK_BYTES)
            await underway.put((loop.time(), data))
        await carrying
    finally:
        carrying.cancel()
        await asyncio.gather(carrying, return_exceptions=True)

"""The output of one client: joined into few writes, and held while the client does not read."""

from __future__ import annotations

import asyncio


class Output:
    """Writes to one client.

    Args:
        loop: the event loop, which is also the clock.
        bytes_high: bytes that may wait for the client before it counts as not reading.
    """

    __slots__ = (
        "_bytes_high",
        "_loop",
        "_pending",
        "_pending_bytes",
        "_transport",
        "blocked",
        "blocked_since_s",
        "closed",
    )

    def __init__(self, loop: asyncio.AbstractEventLoop, *, bytes_high: int) -> None:
        self.blocked: asyncio.Future[None] | None = None
        """Done when the client reads again; None while it keeps up."""
        self.blocked_since_s = 0.0
        self.closed = False
        """Whether the client is gone."""
        self._loop = loop
        self._bytes_high = bytes_high
        self._transport: asyncio.Transport | None = None
        self._pending: list[bytes] = []
        self._pending_bytes = 0

    def attach(self, transport: asyncio.Transport) -> None:
        """Write to this transport from now on."""
        self._transport = transport
        transport.set_write_buffer_limits(high=self._bytes_high)

    def write(self, encoded: bytes) -> None:
        """Send bytes together with those that follow."""
        self._pending.append(encoded)
        self._pending_bytes += len(encoded)
        if self._pending_bytes > self._bytes_high:
            self.flush()

    def flush(self) -> None:
        """Hand all pending bytes to the transport in one write."""
        if self._pending:
            encoded = self._pending[0] if len(self._pending) == 1 else b"".join(self._pending)
            self._pending.clear()
            self._pending_bytes = 0
            if not self.closed and self._transport is not None:
                self._transport.write(encoded)

    async def drained(self) -> None:
        """Wait until the client has read most of what was written.

        Raises:
            ConnectionError: the client is gone.
        """
        self.flush()
        if self.blocked is not None:
            # Bounded: the sweep ends a connection that is blocked for too long.
            await self.blocked
        if self.closed:
            raise ConnectionResetError("the client is gone")

    def block(self) -> None:
        """Note that the client does not keep up."""
        if self.blocked is None:
            self.blocked = self._loop.create_future()
            self.blocked_since_s = self._loop.time()

    def unblock(self) -> None:
        """Note that the client has caught up, or is gone."""
        blocked, self.blocked = self.blocked, None
        if blocked is not None and not blocked.done():
            blocked.set_result(None)

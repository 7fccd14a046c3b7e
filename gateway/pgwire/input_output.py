"""The input and output of one client: messages handled one at a time, and few writes.

Output is held while the client does not read. Input is kept while a message is worked on or the
output is blocked; beyond a limit the socket is not read.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from stategate.gateway.pgwire.protocol.client_messages import FrontendMessage
from stategate.gateway.pgwire.protocol.connection import Connection, State
from stategate.gateway.pgwire.protocol.limits import PgLimits
from stategate.gateway.pgwire.statements.dialog import Work
from stategate.gateway.turns import Turns

logger = logging.getLogger(__name__)


class Input:
    """Handles the messages of one client.

    Args:
        loop: the event loop.
        connection: the state of the protocol.
        output: writes to the client.
        limits: the limits of the server.
        handle: answers a message, or returns a coroutine that does.
        fail: reports an error of `handle` or its coroutine to the client.
        on_worked: called after each coroutine.
    """

    __slots__ = (
        "_connection",
        "_fail",
        "_handle",
        "_limits",
        "_loop",
        "_on_worked",
        "_output",
        "_pump_is_due",
        "_reading",
        "_transport",
        "handled",
        "held",
        "task",
    )

    def __init__(
        self,
        *,
        loop: asyncio.AbstractEventLoop,
        connection: Connection,
        output: Output,
        limits: PgLimits,
        handle: Callable[[FrontendMessage], Work | None],
        fail: Callable[[Exception], None],
        on_worked: Callable[[], None],
    ) -> None:
        self.handled = 0
        """Messages so far, without rounds that were read whole."""
        self.task: asyncio.Task[None] | None = None
        """The task that works on the last message; None once that is answered."""
        self.held: list[bytes] | None = None
        """Bytes that are being answered before they became messages, and those after them."""
        self._loop = loop
        self._connection = connection
        self._output = output
        self._limits = limits
        self._handle = handle
        self._fail = fail
        self._on_worked = on_worked
        self._transport: asyncio.Transport | None = None
        self._reading = True
        self._pump_is_due = False

    def attach(self, transport: asyncio.Transport) -> None:
        """Pause and resume this transport from now on."""
        self._transport = transport

    @property
    def is_busy(self) -> bool:
        """Whether the last message is being answered."""
        return self.task is not None or self.held is not None

    def hold(self, data: bytes) -> None:
        """Let what follows these bytes wait until `release`."""
        self.held = [data]

    def keep(self, data: bytes) -> None:
        """Keep bytes that follow those on hold, and read no more."""
        assert self.held is not None, "only then must they be kept"
        self.held.append(data)
        if self._reading and self._transport is not None:
            self._reading = False
            self._transport.pause_reading()

    def release(self) -> list[bytes]:
        """Return the bytes on hold, and those that have arrived since, to be handled now."""
        held, self.held = self.held or [], None
        return held

    def begin(self, work: Work) -> None:
        """Run a coroutine before the next message."""
        self.task = self._loop.create_task(self._work(work))

    def pump(self) -> None:
        """Handle messages until one has to wait, then send the output."""
        for _ in range(self._limits.events_max):
            if self._waits or not self._handle_next():
                break
        else:
            self._pump_later()
        self._output.flush()
        self._regulate()
        if self._connection.state is State.CLOSED and self._transport is not None:
            self._transport.close()

    @property
    def _waits(self) -> bool:
        return self.is_busy or self._output.blocked is not None

    def _pump_later(self) -> None:
        """Let other connections take their turn."""
        if not self._pump_is_due:
            self._pump_is_due = True
            self._loop.call_soon(self._pump_due)

    def _pump_due(self) -> None:
        self._pump_is_due = False
        self.pump()

    def _handle_next(self) -> bool:
        """Handle the next message, or begin to; return whether there was one."""
        if self._output.closed or self._connection.state is State.CLOSED:
            return False
        try:
            message = self._connection.next_event()
            if message is None:
                return False
            self.handled += 1
            work = self._handle(message)
        except Exception as error:  # the outermost loop: `_fail` logs unplanned errors
            self._fail(error)
            return True
        if work is not None:
            self.begin(work)
        return True

    async def _work(self, work: Work) -> None:
        try:
            await work
        except ConnectionError as error:
            logger.debug("client left while it was answered: %s", error)
        except Exception as error:  # the outermost loop: `_fail` logs unplanned errors
            self._fail(error)
        finally:
            self.task = None
            self._on_worked()
        self.pump()

    def _regulate(self) -> None:
        """Read from the socket only while the input that waits is within its limit."""
        waits = self._waits or self._pump_is_due
        wanted = not waits or self._connection.buffered_bytes <= self._limits.input_bytes_max
        if wanted == self._reading or self._transport is None or self._transport.is_closing():
            return
        self._reading = wanted
        if wanted:
            self._transport.resume_reading()
        else:
            self._transport.pause_reading()


class Output:
    """Writes to one client.

    Args:
        loop: the event loop, which is also the clock.
        turns: when short answers are sent.
        bytes_high: bytes that may wait for the client before it counts as not reading.
    """

    __slots__ = (
        "_bytes_high",
        "_loop",
        "_pending",
        "_pending_bytes",
        "_transport",
        "_turns",
        "blocked",
        "blocked_since_s",
        "closed",
    )

    def __init__(self, loop: asyncio.AbstractEventLoop, turns: Turns, *, bytes_high: int) -> None:
        self.blocked: asyncio.Future[None] | None = None
        """Done when the client reads again; None while it keeps up."""
        self.blocked_since_s = 0.0
        self.closed = False
        """Whether the client is gone."""
        self._loop, self._turns = loop, turns
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

    def answer(self, encoded: bytes) -> None:
        """Send a short answer, now or with those to others; see `stategate.gateway.turns`."""
        turns = self._turns
        if turns.to_skip and not self._pending and self._transport is not None:
            turns.to_skip -= 1
            self._transport.write(encoded)
            return
        self.write(encoded)
        turns.hold(self.flush)

    def flush(self) -> None:
        """Hand all pending bytes to the transport in one write."""
        if self._pending:
            encoded = self._pending[0] if len(self._pending) == 1 else b"".join(self._pending)
            self._pending.clear()
            self._pending_bytes = 0
            if not self.closed and self._transport is not None:
                self._transport.write(encoded)

    async def drained(self) -> None:
        """Wait until the client has read most of the output.

        Raises:
            ConnectionError: the client is gone.
        """
        self.flush()
        if self.blocked is not None:
            # The wait is bounded: the sweep ends a connection that is blocked for too long.
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

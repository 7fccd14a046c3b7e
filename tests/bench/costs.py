"""The cost of a statement in numbers that are the same on any machine: function calls and memory.

Times differ from run to run, but one more call of a function shows here at once.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import uvloop

from stategate.gateway.pgwire import PgLimits, PgServer
from stategate.gateway.pgwire.client import Client
from stategate.gateway.statement_threads import StatementThreads
from stategate.planner.sql import SERVER_VERSION, SqlEngine
from tests.gateway.pgwire import wire

BACKGROUND = frozenset({"follow-log", "engine-maintenance", "alarms", "starting"})
"""Threads that work for no statement; their calls are not counted."""
ROUNDS = 5
"""Runs of a statement. The cheapest counts, because the others fill caches."""
_READY = b"Z\0\0\0\x05I"


class CallCounter:
    """Counts calls of Python functions in this thread and in those that start inside the block."""

    def __init__(self) -> None:
        self._counts = False
        self._calls = 0

    def __enter__(self) -> CallCounter:
        threading.setprofile(self._begin_thread)
        return self

    def __exit__(self, *_: object) -> None:
        threading.setprofile(None)

    def count(self, run: Callable[[], object]) -> int:
        """Return the least number of calls in some runs, without the call of `run` itself."""
        return min(self._count_once(run) for _ in range(ROUNDS)) - 1

    def _count_once(self, run: Callable[[], object]) -> int:
        self._calls, self._counts = 0, True
        sys.setprofile(self._note)
        try:
            run()
        finally:
            sys.setprofile(None)
            self._counts = False
        return self._calls

    def _begin_thread(self, frame: FrameType, event: str, argument: object) -> None:
        name = threading.current_thread().name
        sys.setprofile(None if name in BACKGROUND else self._note)

    def _note(self, frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and self._counts:
            self._calls += 1


def peak_bytes(run: Callable[[], object]) -> int:
    """Return the most memory of Python objects and numpy arrays that a run adds, in bytes."""
    gc.collect()
    # What there is takes half a second to look through each time. It stays frozen for later calls.
    gc.freeze()
    tracemalloc.start()
    try:
        return min(_peak_bytes_once(run) for _ in range(ROUNDS))
    finally:
        tracemalloc.stop()


def _peak_bytes_once(run: Callable[[], object]) -> int:
    gc.collect()  # memory freed by an earlier run must not make room in this one
    tracemalloc.reset_peak()
    before, _ = tracemalloc.get_traced_memory()
    run()
    _, most = tracemalloc.get_traced_memory()
    return most - before


class WireSession:
    """A session of the Postgres wire without a socket: bytes in, bytes out."""

    def __init__(self, client: Client, transport: _Transport, loop: asyncio.AbstractEventLoop):
        self._client, self._transport, self.loop = client, transport, loop

    def ask(self, sent: bytes) -> bytes:
        """Return all that the server answers, up to ReadyForQuery.

        Raises:
            Exception: the error of a callback, which a gateway would log.
        """
        answered = self._transport.expect(self.loop.create_future())

        def fail(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
            error = context.get("exception") or RuntimeError(context["message"])
            if not answered.done():
                answered.set_exception(error)

        self.loop.set_exception_handler(fail)
        self.loop.call_soon(self._client.data_received, sent)
        return self.loop.run_until_complete(answered)


@contextmanager
def wire_session(engine: SqlEngine) -> Iterator[WireSession]:
    """Serve one client of an engine with the threads of a gateway."""
    loop = uvloop.new_event_loop()
    threads = StatementThreads(count=2, queue_max=8)
    server = PgServer(
        engine=engine, threads=threads, limits=PgLimits(), server_version=SERVER_VERSION
    )
    client, transport = Client(server, loop), _Transport()
    try:
        client.connection_made(transport)
        session = WireSession(client, transport, loop)
        session.ask(wire.startup(user="stategate", database="stategate"))
        yield session
    finally:
        client.connection_lost(None)
        threads.close()
        loop.close()


class _Transport(asyncio.Transport):
    """Collects written bytes, and notices when the server is ready for the next statement."""

    def __init__(self) -> None:
        super().__init__({"peername": ("127.0.0.1", 1)})
        self._written: list[bytes] = []
        self._answered: asyncio.Future[bytes] | None = None

    def expect(self, answered: asyncio.Future[bytes]) -> asyncio.Future[bytes]:
        """Set this future to the next answer."""
        self._answered = answered
        return answered

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self._written.append(bytes(data))
        if self._written[-1].endswith(_READY) and self._answered is not None:
            self._answered.set_result(b"".join(self._written))
            self._written, self._answered = [], None

    def pause_reading(self) -> None:
        """Do nothing, because the next bytes are sent after the answer."""

    def resume_reading(self) -> None:
        """Do nothing; see `pause_reading`."""

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Do nothing, because no bytes wait to be written."""

    def is_closing(self) -> bool:
        return False

    def close(self) -> None:
        """There is no socket."""

    def abort(self) -> None:
        """There is no socket."""

"""A Postgres wire server over the fake engine, in a thread of the test's own process."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import uvloop

from stategate.gateway.access.peers import Proxies
from stategate.gateway.access.rules import Access
from stategate.gateway.access.tls import Tls
from stategate.gateway.advisory_locks import AdvisoryLocks
from stategate.gateway.pgwire import PgLimits, PgServer
from stategate.gateway.statement_threads import StatementThreads
from stategate.planner.engine import Engine
from tests.gateway.pgwire.wire import RawClient
from tests.support.fake_engine import FakeEngine
from tests.support.waiting import WAIT_S

T = TypeVar("T")

HOST = "127.0.0.1"
SERVER_VERSION = "15.18"


@dataclass(slots=True, kw_only=True)
class Serving:
    """A running server."""

    server: PgServer
    engine: FakeEngine
    port: int
    loop: asyncio.AbstractEventLoop

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the server's loop."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(WAIT_S)

    def connect(self, *, source: str = HOST) -> RawClient:
        """Return a connection that has sent nothing yet."""
        return RawClient(HOST, self.port, source=source)

    def login(self, **parameters: str) -> RawClient:
        """Return a connection with a session."""
        client = self.connect()
        client.login(**parameters)
        return client

    def eventually(self, holds: Callable[[], bool]) -> bool:
        """Wait until a condition holds."""
        ticks = threading.Event()
        for _ in range(int(WAIT_S / 0.005)):
            if holds():
                return True
            ticks.wait(0.005)
        return False


@contextmanager
def serving(
    *,
    limits: PgLimits | None = None,
    access: Access | None = None,
    tls: Tls | None = None,
    recalls: bool = True,
    engine: FakeEngine | None = None,
    other: Engine | None = None,
    proxies: Proxies | None = None,
) -> Iterator[Serving]:
    """Serve until the end of the block; all results must have been closed by then.

    Args:
        limits: the limits of the server.
        access: which authentication clients need.
        tls: its certificate.
        recalls: whether the fake engine keeps plans.
        engine: the fake engine.
        other: an engine to serve in its place.
        proxies: their connections begin with a PROXY header.
    """
    loop = uvloop.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="server", daemon=True)
    thread.start()
    engine = FakeEngine(recalls=recalls) if engine is None else engine
    threads = StatementThreads(count=4, queue_max=64)
    server = PgServer(
        engine=engine if other is None else other,
        threads=threads,
        limits=limits or PgLimits(),
        server_version=SERVER_VERSION,
        access=access,
        tls=tls,
        locks=AdvisoryLocks(),
        proxies=proxies,
    )
    port = asyncio.run_coroutine_threadsafe(server.start(HOST, 0), loop).result(WAIT_S)
    running = Serving(server=server, engine=engine, port=port, loop=loop)
    try:
        yield running
    finally:
        running.run(server.stop(grace_s=0.2))
        threads.close()
        loop.call_soon_threadsafe(loop.stop)
        thread.join(WAIT_S)
        loop.close()
    assert engine.open == 0, "a result was left open"

"""Live queries: from an applied epoch to its event in the hands of the server, for subscribers."""

from __future__ import annotations

import asyncio
import gc
import shutil
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlencode

import pyarrow as pa
from starlette.applications import Starlette
from starlette.types import Message, Scope

from stategate.gateway.http.app import create_app
from stategate.gateway.http.endpoint import Services
from stategate.gateway.settings import Settings
from stategate.gateway.statement_threads import StatementThreads
from stategate.planner.sql import SqlEngine
from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.replica import Replica
from stategate.stores.spec.position import Position, Progress
from tests.bench import data
from tests.bench.epochs import log_batches
from tests.bench.harness import BenchError, Better, Line, Measured
from tests.bench.setting import Setting
from tests.support.stores import FixedCatalog

SUBSCRIBERS, MANY = 100, 1_000
EPOCHS = 30
CHANGED_ROWS = 20
SENT_MS_MOST = 20.0
WAIT_S = 30.0
SCHEMA = replace(data.SCHEMA, partitions=1)
ROWS = "SELECT id, visits FROM users WHERE visits >= 0"
TOTAL = "SELECT count(*), sum(visits) FROM users"


class Subscribers:
    """Clients of `/v1/subscribe` on one event loop, which note when they get an event.

    Args:
        app: the application.
        sql: the statement.
        count: how many.
    """

    def __init__(self, app: Starlette, sql: str, count: int) -> None:
        self._app, self._count = app, count
        self._query = urlencode({"sql": sql}).encode()
        self._seen: dict[bytes, int] = {}
        self._all_have = threading.Event()
        self._refused = False
        self.last_s = 0.0
        """When the last of them got the newest event."""

    async def run(self) -> None:
        """Subscribe until the live queries end."""
        await asyncio.gather(*(self._subscribe() for _ in range(self._count)))

    async def _subscribe(self) -> None:
        scope: Scope = {
            "type": "http",
            "method": "GET",
            "path": "/v1/subscribe",
            "raw_path": b"/v1/subscribe",
            "root_path": "",
            "query_string": self._query,
            "http_version": "1.1",
            "scheme": "http",
            "client": ("127.0.0.1", 50_000),
            "headers": [],
        }

        async def receive() -> Message:
            await asyncio.Event().wait()
            raise AssertionError("the client never leaves")

        await self._app(scope, receive, self._take)

    async def _take(self, message: Message) -> None:
        if message.get("status", 200) != 200:
            self._refused = True
        for line in message.get("body", b"").split(b"\n"):
            if line.startswith(b"id: "):
                self._seen[line] = self._seen.get(line, 0) + 1
                if self._seen[line] == self._count:
                    self.last_s = time.perf_counter()
                    self._all_have.set()

    def wait(self) -> None:
        """Block until all of them have the next event."""
        if not self._all_have.wait(WAIT_S) or self._refused:
            raise BenchError("a subscriber was refused" if self._refused else "no event came")
        self._all_have.clear()


@contextmanager
def subscribed(store: LocalStore, sql: str, count: int) -> Iterator[Subscribers]:
    """Subscribe to a statement over a store, in a loop of its own."""
    engine = SqlEngine(FixedCatalog(store))
    threads = StatementThreads(count=8, queue_max=2 * MANY)
    services = Services(
        engine=engine,
        threads=threads,
        settings=Settings(),
        describe_stores=list,
        not_ready=list,
    )
    subscribers = Subscribers(create_app(services), sql, count)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    running = asyncio.run_coroutine_threadsafe(subscribers.run(), loop)
    try:
        subscribers.wait()  # the end of the first rows
        yield subscribers
    finally:
        engine.end_live()
        running.result(WAIT_S)
        engine.close()
        threads.close()
        loop.call_soon_threadsafe(loop.stop)
        thread.join(WAIT_S)


def _store(setting: Setting, path: Path, rows: int) -> tuple[LocalStore, list[pa.RecordBatch]]:
    """Return a store with some rows, and the rows of its later epochs."""
    engine = RocksPartition(path, schema=SCHEMA, partition=0)
    replica = Replica(engine, schema=SCHEMA, partition=0)
    replica.apply(_progress(0), log_batches(setting.table.slice(0, rows)))
    return LocalStore(SCHEMA, {0: replica}), log_batches(
        setting.table.slice(0, min(CHANGED_ROWS, rows))
    )


def _measured(setting: Setting, sql: str, rows: int, count: int) -> tuple[float, float]:
    """Return the median time to the last subscriber's event, and CPU time of an epoch, in ms."""
    path = setting.directory / "live"
    shutil.rmtree(path, ignore_errors=True)
    gc.collect()  # streams of the last measurement hold its views
    store, changed = _store(setting, path, rows)
    sent_ms, busy_ms = list[float](), list[float]()
    with subscribed(store, sql, count) as subscribers:
        for epoch in range(1, EPOCHS + 1):
            time.sleep(0.01)
            store.replicas[0].apply(_progress(epoch), changed)
            applied_s, began_s = time.perf_counter(), time.process_time()
            subscribers.wait()
            sent_ms.append((subscribers.last_s - applied_s) * 1000)
            busy_ms.append((time.process_time() - began_s) * 1000)
    store.close()
    shutil.rmtree(path)
    return statistics.median(sent_ms), statistics.median(busy_ms)


def _progress(epoch: int) -> Progress:
    position = Position.of({topic.topic: {0: epoch} for topic in SCHEMA.inputs})
    return Progress(epoch=epoch, position=position, committed_ms=1)


def applied(setting: Setting) -> Line:
    """Milliseconds from an applied epoch until its event is sent to the last of 100 subscribers.

    The statement selects rows of 10,000, of which an epoch brings 20.
    """
    rows = min(10_000, setting.keys)
    one, _ = _measured(setting, ROWS, rows, 1)
    many, _ = _measured(setting, ROWS, rows, SUBSCRIBERS)
    return Measured(
        work=f"applied epoch to event sent, {SUBSCRIBERS} subscribers",
        unit="ms",
        ours=many,
        rival=one,
        rival_name="1 subscriber",
        better=Better.LOWER,
        ours_most=SENT_MS_MOST,
    )


def shared(setting: Setting) -> Line:
    """CPU time of an epoch for 1,000 subscribers to one aggregate, against 1,000 times one's."""
    rows = min(10_000, setting.keys)
    _, one = _measured(setting, TOTAL, rows, 1)
    _, many = _measured(setting, TOTAL, rows, MANY)
    return Measured(
        work=f"CPU time of an epoch, {MANY:,} subscribers to one statement",
        unit="ms",
        ours=many,
        rival=one * MANY,
        rival_name="each alone",
        better=Better.LOWER,
        ratio_least=5.0,
    )

"""A gateway in this process, over a log of three stores, for a browser: HTTP only."""

from __future__ import annotations

import asyncio
import datetime as dt
import math
import random
import shutil
import socket
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from stategate.gateway.access.rules import Access
from stategate.gateway.http.app import create_app
from stategate.gateway.http.endpoint import Services
from stategate.gateway.http.metrics.exposition import Metrics
from stategate.gateway.http.stores_document import describe_stores, reasons_not_ready
from stategate.gateway.settings import Settings
from stategate.gateway.statement_threads import StatementThreads
from stategate.planner.engine import Cancellation, RunningQueries, Session, SlowQueries
from stategate.planner.sql import LiveLimits, SqlEngine
from stategate.planner.typed import TypedQueries
from stategate.stores.hosting.host import Host
from stategate.stores.hosting.replica import wall_clock_ms
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from stategate.stores.spec.schema import StoreSchema
from tests.support.stores import keyvalue, window
from tests.support.waiting import WAIT_S, until

CARRIERS = keyvalue(
    "carrier_delays",
    {"carrier": "text"},
    {"flights": "bigint", "cancelled": "bigint", "mean_delay": "double"},
    partitions=4,
)
AIRCRAFT = keyvalue(
    "aircraft",
    {"tailnum": "text"},
    {"flights": "bigint", "last_origin": "text", "last_seen": "timestamptz"},
    partitions=16,
)
HOURLY = window(
    "airport_hourly",
    {"origin": "text"},
    {"departures": "bigint", "mean_delay": "double"},
    partitions=8,
)
LIVE_ROWS_MAX = 11_000
"""Fewer than `aircraft` has."""
_BEGIN = dt.datetime(2013, 7, 4, tzinfo=dt.UTC)
_HOURS = 96
_NAMES = ("UA", "B6", "EV", "DL", "AA", "MQ", "US", "9E", "WN", "VX", "FL", "AS", "F9", "YV", "HA")


def hourly() -> pa.Table:
    """Return four days of three airports."""
    chance = random.Random(1)
    rows = []
    for origin, size in (("EWR", 19), ("JFK", 17), ("LGA", 15)):
        for hour in range(_HOURS):
            start = _BEGIN + dt.timedelta(hours=hour)
            day = max(0.0, math.sin((start.hour - 4) / 20 * math.pi)) if start.hour > 4 else 0.0
            departures = round(size * day * chance.uniform(0.8, 1.2))
            delay = round(day * chance.uniform(2, 26), 1)
            row = (origin, start, start + dt.timedelta(hours=1), departures, delay)
            rows.append(dict(zip(HOURLY.arrow_schema().names, row, strict=True)))
    return pa.Table.from_pylist(rows, schema=HOURLY.arrow_schema())


def _carriers(flights: int) -> pa.Table:
    rows = [
        {
            "carrier": name,
            "flights": flights * (len(_NAMES) - at) ** 2,
            "cancelled": at * 7 + 3,
            "mean_delay": round(4 + at * 1.7 % 13, 2),
        }
        for at, name in enumerate(_NAMES)
    ]
    return pa.Table.from_pylist(rows, schema=CARRIERS.arrow_schema())


def aircraft(rows: int) -> pa.Table:
    """Return some aircraft, always the same first ones."""
    chance = random.Random(2)
    seen = [_BEGIN + dt.timedelta(minutes=chance.randrange(5_000)) for _ in range(rows)]
    return pa.table(
        {
            "tailnum": [f"N{10_000 + at * 7}" for at in range(rows)],
            "flights": pa.array([chance.randrange(1, 900) for _ in range(rows)], pa.int64()),
            "last_origin": [chance.choice(("EWR", "JFK", "LGA")) for _ in range(rows)],
            "last_seen": pa.array(seen, pa.timestamp("us", "UTC")),
        }
    )


class _Server:
    """An application on a port of its own, in a thread."""

    def __init__(self, app: ASGIApp) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/"
        config = uvicorn.Config(
            app,
            lifespan="off",
            log_config=None,
            access_log=False,
            ws="none",
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._serve, name="console")
        self._thread.start()
        until(lambda: self._server.started)

    def _serve(self) -> None:
        asyncio.run(self._server.serve(sockets=[self._socket]))

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join(WAIT_S)
        self._socket.close()


class _Streams:
    """An application whose streams of events can be cut, as a network does it.

    Args:
        app: the application.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._streams = set[asyncio.Task[object]]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        task = asyncio.current_task()
        assert task is not None
        if scope["path"] == "/v1/subscribe":
            self._streams.add(task)
        try:
            await self._app(scope, receive, send)
        finally:
            self._streams.discard(task)

    def cut(self) -> None:
        """Close their connections in the middle of the answer."""
        for task in tuple(self._streams):
            task.get_loop().call_soon_threadsafe(task.cancel)


class Console:
    """The gateway, and the pipeline that feeds it.

    Args:
        directory: an empty one.
    """

    def __init__(self, directory: Path) -> None:
        self.root = directory / "log"
        self._directory = directory
        self._epochs = 0
        self._writers = {
            each.name: StoreWriter(str(self.root), each) for each in (CARRIERS, AIRCRAFT, HOURLY)
        }
        self.write("airport_hourly", hourly())
        self.write("aircraft", aircraft(12_000))
        self.commit()
        self.host = Host(str(self.root))
        queries = RunningQueries(wall_clock_ms, slow=SlowQueries(0, kept_max=20))
        limits = LiveLimits(rows_max=LIVE_ROWS_MAX)
        self.engine = SqlEngine(self.host, queries=queries, live=limits)
        self._threads = StatementThreads(count=4, queue_max=64)
        self.wire_address: str | None = None
        """Where it says that its Postgres wire listens."""
        self._metrics = Metrics(self.host, threads=self._threads)
        self._services = Services(
            engine=self.engine,
            threads=self._threads,
            settings=Settings(),
            describe_stores=lambda: describe_stores(self.host),
            not_ready=lambda: reasons_not_ready(self.host),
            typed=TypedQueries(self.host),
            metrics=self._metrics,
            wire_address=lambda: self.wire_address,
        )
        self._servers = list[_Server]()
        self._streams = list[_Streams]()

    def start(self) -> None:
        """Open the stores."""
        self.host.start()
        self.engine.warm_up()
        until(lambda: self.host.is_ready)
        self.url = self.serve(None)

    def serve(self, access: Access | None) -> str:
        """Listen on another port, for these users; return the URL."""
        self._streams.append(_Streams(create_app(self._services, access=access)))
        self._servers.append(_Server(self._streams[-1]))
        return self._servers[-1].url

    def cut_streams(self) -> None:
        """Close the connections of all live queries."""
        for each in self._streams:
            each.cut()

    def close(self) -> None:
        """End all that was started."""
        for each in self._servers:
            each.close()
        self.engine.close()
        self._threads.close()
        self._metrics.close()
        self.host.close()

    def ask(self, sql: str) -> None:
        """Run a statement, and read its rows."""
        session, cancellation = Session(), Cancellation()
        statement = self.engine.prepare(sql, session)
        result = self.engine.execute(statement, (), session, cancellation=cancellation)
        deque(result.batches or (), maxlen=0)
        result.close()

    def commit(self) -> int:
        """Commit an epoch of `carrier_delays`; return its number of flights of the carrier HA."""
        self.write("carrier_delays", _carriers(100 + self._epochs))
        return (100 + self._epochs - 1) * 4

    def set_flights(self, carrier: str, flights: int) -> None:
        """Commit an epoch of `carrier_delays` that has one carrier only."""
        row = {"carrier": carrier, "flights": flights, "cancelled": 0, "mean_delay": 1.0}
        self.write("carrier_delays", pa.Table.from_pylist([row], schema=CARRIERS.arrow_schema()))

    def write(self, store: str, rows: pa.Table) -> None:
        """Commit an epoch of a store."""
        self._epochs += 1
        self._writers[store].write(
            rows,
            position=Position.of({"events": {0: self._epochs}}),
            watermark_ms=wall_clock_ms() - 1_500,
        )

    def lose_an_epoch(self, store: StoreSchema) -> None:
        """Commit an epoch one of whose files is missing, as if the storage had lost it."""
        staged = self._directory / "staged"
        shutil.copytree(self.root / store.name, staged / store.name)
        before = {each for each in staged.rglob("*") if "data" in each.parts}
        StoreWriter(str(staged), store).write(
            aircraft(400), position=Position.of({"events": {0: self._epochs + 1}})
        )
        data = [each for each in staged.rglob("*.*") if "data" in each.parts and each not in before]
        min(data).unlink()
        # The commit comes after the files that it names, as a writer orders them.
        for part in (f"{store.name}/data", store.name, "_heads"):
            shutil.copytree(staged / part, self.root / part, dirs_exist_ok=True)


@contextmanager
def running_console(directory: Path) -> Iterator[Console]:
    """Run one."""
    console = Console(directory)
    try:
        console.start()
        yield console
    finally:
        console.close()


class Readers:
    """Clients that ask all the time, so that there are rates to show.

    Args:
        console: the gateway that they ask.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._ended = threading.Event()
        self._threads = [
            threading.Thread(target=self._ask, name="reader"),
            threading.Thread(target=self._commit, name="pipeline"),
        ]

    def __enter__(self) -> Readers:
        for each in self._threads:
            each.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._ended.set()
        for each in self._threads:
            each.join()

    def _ask(self) -> None:
        chance = random.Random(3)
        while not self._ended.wait(0.004 + 0.002 * math.sin(time.monotonic() * 2)):
            numbers = [10_000 + 7 * chance.randrange(12_000) for _ in range(3)]
            names = ", ".join(f"'N{number}'" for number in numbers)
            for sql in (
                f"SELECT flights FROM aircraft WHERE tailnum IN ({names})",
                "SELECT * FROM carrier_delays WHERE flights > 9000",
                "SELECT departures FROM airport_hourly WHERE origin = 'JFK'",
            ):
                self._console.ask(sql)

    def _commit(self) -> None:
        while not self._ended.wait(0.7):
            self._console.commit()
            self._console.write("aircraft", aircraft(400))
            self._console.write("airport_hourly", hourly())

"""A wire server in the test's process that records its statements."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from stategate.gateway.access.rules import Access
from stategate.gateway.access.tls import Tls
from stategate.gateway.pgwire import PgLimits, PgServer
from stategate.gateway.statement_threads import StatementThreads
from stategate.planner.sql import SERVER_VERSION, SqlEngine
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.planner.values.statement import Statement
from stategate.stores.spec.schema import DataType, Row
from stategate.stores.spec.store import Store
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store, window

WAIT_S = 10.0
_COPY = re.compile(r"COPY \((.*)\) TO STDOUT \(FORMAT \"?binary\"?\);?", re.DOTALL)


class RecordingEngine(SqlEngine):
    """An engine that records the text of each statement that it plans or finds in its cache."""

    def __init__(self, catalog: FixedCatalog) -> None:
        super().__init__(catalog)
        self.texts: list[str] = []

    def prepare(
        self,
        sql: str,
        session: Session,
        *,
        parameter_types: Sequence[DataType | None] = (),
        cancellation: Cancellation | None = None,
    ) -> Statement:
        """Recall a statement and record its text."""
        self.texts.append(sql)
        return super().prepare(
            sql, session, parameter_types=parameter_types, cancellation=cancellation
        )

    def copied(self) -> list[str]:
        """Return the queries inside the COPY statements since the last call."""
        texts, self.texts = self.texts, []
        return [found[1].strip() for text in texts if (found := _COPY.fullmatch(text.strip()))]

    def plan_of(self, sql: str) -> list[str]:
        """Return the lines of EXPLAIN."""
        session = Session()
        statement = self.prepare(f"EXPLAIN {sql}", session)
        result = self.execute(statement, (), session, cancellation=Cancellation(WAIT_S))
        return [str(row[0]).strip() for row in result.rows or ()]


NOON_US = 1_709_208_000_000_000
"""2024-02-29 12:00 UTC in microseconds."""
HOUR_US = 3_600_000_000

CLICKS_ROWS: list[Row] = [
    ("bob", 1, NOON_US),
    ("x", 3, NOON_US + HOUR_US),
    ("alice", None, None),
    ("al", -5, NOON_US - 1),
    ("Al", 7, NOON_US),
    ("it's -- a; key", 9, NOON_US),
    ("ä", 11, NOON_US),
    *((f"user {number}", number, NOON_US) for number in range(100, 200)),
]
"""user_id, n, ts."""
HOURLY_ROWS: list[Row] = [
    (page, NOON_US + hour * HOUR_US, NOON_US + (hour + 1) * HOUR_US, hour)
    for page in ("/", "/buy")
    for hour in range(5)
]
"""page, window_start, window_end, n."""


def recorded_stores() -> list[Store]:
    """Return `clicks` and `hourly`, in memory."""
    clicks = open_store(
        keyvalue("clicks", {"user_id": "text"}, {"n": "bigint", "ts": "timestamptz"})
    )
    fill(clicks, CLICKS_ROWS)
    hourly = open_store(window("hourly", {"page": "text"}, {"n": "bigint"}))
    fill(hourly, HOURLY_ROWS)
    return [clicks, hourly]


@contextmanager
def recording_server(
    *, access: Access | None = None, tls: Tls | None = None
) -> Iterator[tuple[RecordingEngine, int]]:
    """Run a server over the recorded stores until the end of the block; yield engine and port."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    engine = RecordingEngine(FixedCatalog(*recorded_stores()))
    threads = StatementThreads(count=4, queue_max=64)
    server = PgServer(
        engine=engine,
        threads=threads,
        limits=PgLimits(),
        server_version=SERVER_VERSION,
        access=access,
        tls=tls,
    )
    port = asyncio.run_coroutine_threadsafe(server.start("127.0.0.1", 0), loop).result(WAIT_S)
    try:
        yield engine, port
    finally:
        asyncio.run_coroutine_threadsafe(server.stop(grace_s=0.2), loop).result(WAIT_S)
        threads.close()
        engine.close()
        loop.call_soon_threadsafe(loop.stop)
        thread.join(WAIT_S)
        loop.close()

"""A real psql over the wire server: what its backslash commands print."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import threading
from collections.abc import Iterator

import pytest

from gateway.pgwire import PgLimits, PgServer
from gateway.workers import Workers
from planner.sql import SqlEngine
from tests.planner.pg_catalog.replay import SERVER_VERSION
from tests.planner.pg_catalog.stores import CLICKS, DELAYS, defined_stores

HOST = "127.0.0.1"
WAIT_S = 10.0
PSQL = shutil.which("psql")

pytestmark = [
    pytest.mark.server,
    pytest.mark.skipif(PSQL is None, reason="psql is not installed"),
]


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """The port of a gateway that has two stores."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    engine = SqlEngine(defined_stores(CLICKS, DELAYS))
    workers = Workers(threads=2, queue_max=16)
    server = PgServer(
        engine=engine,
        workers=workers,
        limits=PgLimits(),
        server_version=SERVER_VERSION,
        ssl=None,
    )
    yield asyncio.run_coroutine_threadsafe(server.start(HOST, 0), loop).result(WAIT_S)
    asyncio.run_coroutine_threadsafe(server.stop(grace_s=0.2), loop).result(WAIT_S)
    workers.close()
    engine.close()
    loop.call_soon_threadsafe(loop.stop)
    thread.join(WAIT_S)
    loop.close()


def psql(port: int, command: str) -> str:
    """What psql prints for one command, without the blanks that pad it."""
    assert PSQL is not None
    target = ["-h", HOST, "-p", str(port), "-U", "bob", "-d", "stategate"]
    done = subprocess.run(
        [PSQL, "-X", *target, "-c", command], check=True, capture_output=True, text=True, timeout=30
    )
    assert done.stderr == ""
    return "\n".join(line.rstrip() for line in done.stdout.strip("\n").splitlines())


def test_table(port: int) -> None:
    assert psql(port, r"\d delays") == "\n".join(
        (
            '                          Table "public.delays"',
            "    Column    |           Type           | Collation | Nullable | Default",
            "--------------+--------------------------+-----------+----------+---------",
            " carrier      | text                     |           | not null |",
            " window_start | timestamp with time zone |           | not null |",
            " window_end   | timestamp with time zone |           |          |",
            " total        | real                     |           |          |",
            "Indexes:",
            '    "delays_pkey" PRIMARY KEY, btree (carrier, window_start)',
        )
    )


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        (r"\d", "public | clicks | table | bob"),
        (r"\dt", "public | delays | table | bob"),
        (r"\dt+", "window store, 8 partitions, windows of 1 hour, kept for 1 day, from flights"),
        (r"\d+ clicks", '"clicks_pkey" PRIMARY KEY, btree (user_id)'),
        (r"\d clicks_pkey", 'primary key, btree, for table "public.clicks"'),
        (r"\l", "stategate | bob   | UTF8"),
        (r"\dn", "stategate | bob"),
        (r"\du", "bob"),
        (r"\df", "(0 rows)"),
        (r"\dv stategate.*", "stategate | stores     | view | bob"),
        (r"\d+ stategate.stores", "FROM stategate.stores;"),
        (r"\di", "public | delays_pkey | index | bob   | delays"),
        (r"\dconfig timezone", "TimeZone  | UTC"),
        (r"\sv stategate.nodes", "CREATE OR REPLACE VIEW stategate.nodes AS"),
    ],
)
def test_command(port: int, command: str, printed: str) -> None:
    assert printed in psql(port, command)

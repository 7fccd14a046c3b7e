"""Statements that compute or allocate without end are contained."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import psycopg
import pytest

from tests.gateway.real_gateway import RealGateway, Watcher, is_gone
from tests.support.waiting import WAIT_S

pytestmark = [
    pytest.mark.server,
    pytest.mark.skipif(sys.platform != "linux", reason="memory is limited and seen on Linux"),
]

MEMORY_BYTES = 64 << 20
PROCESS_BYTES = MEMORY_BYTES + (640 << 20)
TIMEOUT_MS = 300
ENDED_S = TIMEOUT_MS / 1000 + 1
"""No statement may take longer; this leaves some time for a machine that runs other tests, too."""
JARO = "jaro_similarity(repeat('a', 3000000), repeat('b', 3000000))"
BOMBS = [
    f"SELECT {JARO}",
    "SELECT levenshtein(repeat('a', 200000), repeat('b', 200000))",
    "SELECT damerau_levenshtein(repeat('a', 20000), repeat('b', 20000))",
    "SELECT editdist3(repeat('a', 200000), repeat('b', 200000))",
    "SELECT sum(jaccard(repeat('a', 9000000 + g), repeat('b', 9000000))) FROM"
    " generate_series(1, 10000) t(g)",
    "SELECT list_resize(ARRAY[1], 500000000, 1)",
    "SELECT array_resize(ARRAY[1], 500000000, 1)",
    "SELECT printf('%1000000000d', 1)",
    "SELECT max(repeat('ab', 30000000 + g)) FROM generate_series(1, 1000000) t(g)",
    "SELECT string_agg(lpad('a', 30000000), ',') FROM generate_series(1, 1000000) t(g)",
    "SELECT len(range(100000000)) FROM pg_class",
    "SELECT sum(a * b) FROM generate_series(1, 1000000) x(a), generate_series(1, 1000000) y(b)",
    "SELECT to_char(seen, repeat('YYYY ', 100000)) FROM people",
    f"SELECT * FROM generate_series(1, {JARO}::bigint)",
    f"SELECT age FROM people ORDER BY age LIMIT {JARO}::bigint",
    "SELECT * FROM unnest(list_resize(ARRAY[1], 500000000, 1)) LIMIT 1",
    "SELECT count(*) FROM pg_attribute a, pg_attribute b, pg_attribute c, pg_attribute d",
]
CONTAINED = {"57014", "53200", "54000", "42883", "22023"}
"""A timeout or a limit has ended it, or the function does not exist with such arguments."""


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealGateway]:
    made = RealGateway(
        tmp_path_factory.mktemp("bombs"),
        f"memory_bytes_max={MEMORY_BYTES}",
    )
    made.wait_until_ready()
    yield made
    assert made.process.poll() is None
    made.end()


def outcome(
    gateway: RealGateway, sql: str, timeout_ms: int = TIMEOUT_MS
) -> tuple[str | None, float]:
    """Return SQLSTATE and seconds of a statement; no SQLSTATE if it returned its rows."""
    with gateway.connect() as session:
        session.execute(f"SET statement_timeout = {timeout_ms}")
        begun = time.monotonic()
        try:
            session.execute(sql)
        except psycopg.Error as error:
            return error.sqlstate, time.monotonic() - begun
        return None, time.monotonic() - begun


@pytest.mark.parametrize("sql", BOMBS)
def test_a_bomb_is_contained(gateway: RealGateway, sql: str) -> None:
    with Watcher(gateway) as watcher:
        sqlstate, seconds = outcome(gateway, sql)
    assert sqlstate in {None, *CONTAINED}
    assert seconds < ENDED_S + WAIT_S / 2
    assert watcher.memory_bytes_max < PROCESS_BYTES
    assert outcome(gateway, "SELECT sum(age + 1) FROM people", 60_000)[0] is None


def test_lookups_are_answered_while_eight_run(gateway: RealGateway) -> None:
    with Watcher(gateway) as watcher, ThreadPoolExecutor(8) as threads:
        ended = [threads.submit(outcome, gateway, BOMBS[0]) for _ in range(8)]
        assert {each.result()[0] for each in ended} <= {"57014", "53200"}
    assert len(watcher.lookups.delayed_s) > 20


def test_a_cancel_ends_it(gateway: RealGateway) -> None:
    with gateway.connect() as session:
        session.execute("SET statement_timeout = 0")
        begun = time.monotonic()
        cancelling = threading.Timer(0.05, session.cancel)
        cancelling.start()
        with pytest.raises(psycopg.errors.QueryCanceled):
            session.execute(BOMBS[0])
        assert time.monotonic() - begun < ENDED_S + WAIT_S / 2
        cancelling.join()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_the_gateway_ends_while_bombs_run(
    tmp_path_factory: pytest.TempPathFactory, number: signal.Signals
) -> None:
    bombs = [BOMBS[0], f"SELECT * FROM generate_series(1, {JARO}::bigint)", BOMBS[12]]
    with (
        RealGateway(tmp_path_factory.mktemp("ended"), "grace_ms=200") as gateway,
        ThreadPoolExecutor(len(bombs)) as threads,
    ):
        ended = [threads.submit(outcome, gateway, sql, 60_000) for sql in bombs]
        with gateway.connect() as session:
            while session.execute("SELECT count(*) > 1 FROM stategate.queries").fetchone() != (
                True,
            ):
                pass
        family = gateway.family()
        assert len(family) >= 3
        assert gateway.end(number) < WAIT_S
        for each in ended:
            with suppress(psycopg.OperationalError):  # it had connected, but not begun
                each.result(WAIT_S)
    assert all(map(is_gone, family[1:]))


def test_a_user_sees_and_ends_what_takes_long(gateway: RealGateway) -> None:
    running = "SELECT pid FROM stategate.queries WHERE sql LIKE 'SELECT jaro%'"
    with ThreadPoolExecutor(1) as threads, gateway.connect() as session:
        ended = threads.submit(outcome, gateway, BOMBS[0], 60_000)
        while not (found := session.execute(running).fetchall()):
            pass
        for (pid,) in found:
            assert session.execute("SELECT pg_cancel_backend(%s)", [pid]).fetchone() == (True,)
        assert ended.result(WAIT_S)[0] == "57014"

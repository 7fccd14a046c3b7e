"""Lookups while others scan, compute and plan: they must not wait for it."""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import Iterable, Iterator
from dataclasses import replace

import psycopg

from tests.bench.clients import PgTarget, pgbench_logged
from tests.bench.crowd import crowd
from tests.bench.harness import BenchError, Better, Line, Measured, by_turns, percentile
from tests.bench.lookups_pg import PREPARED, script_text
from tests.bench.scans import GROUP_BY
from tests.bench.setting import Setting

CLIENTS = 4
RATE = 500
"""Lookups per second, far below capacity: this measures waiting, not load."""
P99_MS_MOST = 20.0
FRIENDS, CROWD = 20, 400
"""Clients of one user that look up, and of another that scan."""
SCAN_END_TIMEOUT_S = 60.0


LONG_VALUES = (
    "SELECT repeat('ab', 8000000)",
    "SELECT string_to_array(repeat('a,', 200000), ',')",
    "SELECT array_agg(a) FROM generate_series(1, 1000000) t(a)",
    "SELECT array_agg(ROW(a, a::text)) FROM generate_series(1, 100000) t(a)",
)
"""Statements for long values that clients really request: no one call may hold the interpreter."""


def p99_during_scan(setting: Setting) -> Line:
    """99th percentile of lookups while one client scans without a pause."""
    return _p99_beside(setting, (GROUP_BY,), f"a scan of {setting.keys:,} rows runs")


def p99_during_long_values(setting: Setting) -> Line:
    """99th percentile of lookups while one client asks for long values."""
    return _p99_beside(setting, LONG_VALUES, "values of 16 MB are made")


def p99_during_new_statements(setting: Setting) -> Line:
    """99th percentile of lookups while one client sends statements that are not planned yet."""
    numbers = itertools.count()
    new = (
        f"SELECT city AS c{n}, count(*) FROM users WHERE visits = {n} GROUP BY 1" for n in numbers
    )
    return _p99_beside(setting, new, "new statements are planned")


def _p99_beside(setting: Setting, statements: Iterable[str], beside: str) -> Line:
    script = setting.script("mixed.pgbench", script_text(PREPARED, setting.keys))

    def p99(target: PgTarget) -> float:
        with running(target, statements):
            result = pgbench_logged(
                target,
                script,
                clients=CLIENTS,
                protocol="prepared",
                seconds=setting.seconds,
                rate=RATE,
            )
        return percentile(result.latencies_ms, 0.99)

    ours, rival = setting.pair
    mine, theirs = by_turns(lambda: p99(ours), lambda: p99(rival), rounds=setting.rounds)
    return Measured(
        work=f"lookup p99 while {beside}",
        unit="ms",
        ours=mine,
        rival=theirs,
        rival_name="PostgreSQL",
        better=Better.LOWER,
        ours_most=P99_MS_MOST,
    )


def p99_beside_a_crowd(setting: Setting) -> Line:
    """99th percentile of one user's lookups while many clients of another scan, and alone."""
    return _beside_a_crowd(setting, rate=None, ratio_least=1 / 3)


def p99_beside_a_crowd_at_a_rate(setting: Setting) -> Line:
    """The same for clients that pause, so that nearly every lookup has to wake the server."""
    return _beside_a_crowd(setting, rate=RATE)


def _beside_a_crowd(
    setting: Setting, *, rate: int | None, ratio_least: float | None = None
) -> Line:
    script = setting.script("crowd.pgbench", script_text(PREPARED, setting.keys))
    service = replace(setting.ours, user="service")

    def p99() -> float:
        result = pgbench_logged(
            service,
            script,
            clients=FRIENDS,
            protocol="prepared",
            seconds=setting.seconds,
            rate=rate,
        )
        return percentile(result.latencies_ms, 0.99)

    def beside() -> float:
        with crowd(replace(setting.ours, user="analyst").dsn, CROWD):
            return p99()

    often = "" if rate is None else f", {rate}/s"
    loaded, alone = by_turns(beside, p99, rounds=setting.rounds)
    return Measured(
        work=f"lookup p99, {FRIENDS} clients{often}, while {CROWD} of another user scan",
        unit="ms",
        ours=loaded,
        rival=alone,
        rival_name="without them",
        better=Better.LOWER,
        ratio_least=ratio_least,
    )


@contextlib.contextmanager
def running(target: PgTarget, statements: Iterable[str]) -> Iterator[None]:
    """One client runs statements, again and again, while the block runs.

    Raises:
        BenchError: one failed, or none ran during the block.
    """
    stop, began = threading.Event(), threading.Event()
    failures: list[psycopg.Error] = []

    def run() -> None:
        try:
            with psycopg.connect(target.dsn, connect_timeout=10, autocommit=True) as connection:
                for sql in itertools.cycle(statements):
                    if stop.is_set():
                        break
                    began.set()
                    connection.execute(sql.encode()).fetchall()
        except psycopg.Error as error:
            failures.append(error)

    thread = threading.Thread(target=run, name="statements", daemon=True)
    thread.start()
    try:
        began.wait(timeout=10)
        yield
    finally:
        stop.set()
        thread.join(timeout=SCAN_END_TIMEOUT_S)
    if failures or not began.is_set() or thread.is_alive():
        raise BenchError(
            f"the statements beside the lookups failed: {failures or 'it did not end'}"
        )

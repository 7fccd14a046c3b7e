"""Lookups while a scan of all rows runs: they must not wait for it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
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


def p99_during_scan(setting: Setting) -> Line:
    """99th percentile of lookups while one client scans without a pause."""
    script = setting.script("mixed.pgbench", script_text(PREPARED, setting.keys))

    def p99(target: PgTarget) -> float:
        with scanning(target):
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
        work=f"lookup p99 while a scan of {setting.keys:,} rows runs",
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
def scanning(target: PgTarget) -> Iterator[None]:
    """One client scans again and again while the block runs.

    Raises:
        BenchError: a scan failed, or none ran during the block.
    """
    stop, began = threading.Event(), threading.Event()
    failures: list[psycopg.Error] = []

    def scan() -> None:
        try:
            with psycopg.connect(target.dsn, connect_timeout=10, autocommit=True) as connection:
                while not stop.is_set():
                    began.set()
                    connection.execute(GROUP_BY).fetchall()
        except psycopg.Error as error:
            failures.append(error)

    thread = threading.Thread(target=scan, name="scan", daemon=True)
    thread.start()
    try:
        began.wait(timeout=10)
        yield
    finally:
        stop.set()
        thread.join(timeout=SCAN_END_TIMEOUT_S)
    if failures or not began.is_set() or thread.is_alive():
        raise BenchError(f"the scan beside the lookups failed: {failures or 'it did not end'}")

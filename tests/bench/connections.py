"""Cost of a connection: time to the first answer, and memory while idle."""

from __future__ import annotations

import contextlib
import socket
import statistics
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import psycopg

from tests.bench import data
from tests.bench.bulk import drain, open_wire, say
from tests.bench.clients import PgTarget
from tests.bench.harness import BenchError, Better, Line, Measured, by_turns
from tests.bench.setting import Setting
from tests.support.gateway import running_gateway

FIRST_QUERY = f"SELECT id, visits FROM {data.STORE} WHERE id = '{data.FIRST_KEY}'"
CONNECTS = 50
FIRST_ANSWER_MS_MOST = 5.0
IDLE = 500
IDLE_MB_MOST = 50.0
FEW_ROWS = 100


def connect_and_query(setting: Setting) -> Line:
    """Median milliseconds to connect and look up one key, by psycopg."""
    ours, rival = setting.pair
    ours_ms, rival_ms = by_turns(
        lambda: _first_answer_ms(ours), lambda: _first_answer_ms(rival), rounds=setting.rounds
    )
    return Measured(
        work="connect and first lookup, median",
        unit="ms",
        ours=ours_ms,
        rival=rival_ms,
        rival_name="PostgreSQL",
        better=Better.LOWER,
        ours_most=FIRST_ANSWER_MS_MOST,
    )


def idle_memory(setting: Setting) -> Line:
    """Memory that idle connections add to an unused server, after one statement each.

    The gateway has few rows: one that has just restored a million would fit all connections into
    memory that it had freed, and would seem to need none.
    """
    ours_mb = max(_gateway_growth_mb(setting, turn) for turn in range(setting.rounds))
    rival = setting.postgres
    with _idle(rival, IDLE - 1):
        rival_mb = private_mb(_backends(rival))
    return Measured(
        work=f"memory of {IDLE} idle connections",
        unit="MB",
        ours=ours_mb,
        rival=rival_mb,
        rival_name="PostgreSQL",
        better=Better.LOWER,
        ours_most=IDLE_MB_MOST,
    )


def _gateway_growth_mb(setting: Setting, turn: int) -> float:
    directory = setting.directory / f"idle-{turn}"
    directory.mkdir()
    data.write_log(directory / "log", data.rows(FEW_ROWS))
    with running_gateway(directory / "log", directory) as gateway:
        target = PgTarget(port=gateway.pg_port, user="stategate", database="stategate")
        pids = [gateway.process.pid]
        with _idle(target, 1):  # the first connection loads code, which is not counted
            before = private_mb(pids)
            with _idle(target, IDLE - 1):
                return private_mb(pids) - before


def _first_answer_ms(target: PgTarget) -> float:
    taken = []
    for _ in range(CONNECTS):
        start = time.perf_counter()
        with psycopg.connect(target.dsn, connect_timeout=10) as connection:
            found = connection.execute(FIRST_QUERY).fetchone()
            taken.append((time.perf_counter() - start) * 1000)
        if found is None:
            raise BenchError("the first key is not there")
    return statistics.median(taken)


@contextlib.contextmanager
def _idle(target: PgTarget, count: int) -> Iterator[Sequence[socket.socket]]:
    """Open connections that have each looked up a row."""
    with contextlib.ExitStack() as stack:
        connections = []
        for _ in range(count):
            connection = stack.enter_context(open_wire(target))
            say(connection, b"Q", FIRST_QUERY.encode() + b"\0")
            drain(connection)
            connections.append(connection)
        yield connections


def _backends(target: PgTarget) -> list[int]:
    """Return the processes that serve PostgreSQL's connections, except the one asked."""
    sql = (
        "SELECT pid FROM pg_stat_activity"
        " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
    )
    with psycopg.connect(target.dsn, connect_timeout=10) as connection:
        return [pid for (pid,) in connection.execute(sql)]


def private_mb(pids: Sequence[int]) -> float:
    """Return the memory of processes in megabytes; shared pages count in parts (PSS)."""
    kilobytes = 0
    for pid in pids:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                kilobytes += int(line.split()[1])
    return kilobytes / 1024

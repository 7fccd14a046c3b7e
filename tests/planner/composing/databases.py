"""Databases in processes, and statements for them."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from stategate.planner.composing.database import ArrowRelation, Definition
from stategate.planner.composing.process_pool import ProcessPool
from stategate.planner.composing.remote import RemoteDatabase
from stategate.planner.values.cancel import Cancellation
from stategate.stores.spec.schema import Row
from tests.support.waiting import until

MEMORY_BYTES = 64 << 20
SCHEMA = pa.schema([("n", pa.int64())])
SUM = "SELECT count(*), sum(n) FROM r"
LONG = 100_000
"""Rows of a relation that is too long to be sent with its statement."""
BOMB = "SELECT jaro_similarity(repeat('a', 3000000), repeat('b', 3000000))"
"""A statement that spends half a minute inside one function, which ignores interrupts."""
INSIDE_S = 2.0
"""When it is inside, even if the machine is busy."""
WAIT_S = 30.0


def database_in(processes: ProcessPool) -> RemoteDatabase:
    config = {"memory_limit": f"{MEMORY_BYTES >> 10}KiB", "temp_directory": ""}
    return RemoteDatabase(processes, Definition(config=config, threads=1))


def numbers(count: int, *, rows: int = 8192) -> list[pa.RecordBatch]:
    """Return 0 to `count` - 1 in batches."""
    return [
        pa.record_batch([pa.array(range(at, min(at + rows, count)))], schema=SCHEMA)
        for at in range(0, count, rows)
    ]


def relation(batches: Sequence[pa.RecordBatch]) -> ArrowRelation:
    return ArrowRelation(SCHEMA, lambda: iter(batches))


def rows(batches: Iterator[pa.RecordBatch]) -> list[Row]:
    return [row for batch in batches for row in zip(*map(pa.Array.to_pylist, batch), strict=True)]


def rows_of(
    database: RemoteDatabase,
    sql: str,
    cancellation: Cancellation | None = None,
    **relations: ArrowRelation,
) -> list[Row]:
    """Return all rows of a statement."""
    cancellation = cancellation or Cancellation(WAIT_S)
    return rows(iter(database.run(sql, relations=relations, cancellation=cancellation)))


def gated(gate: threading.Event, entered: threading.Event) -> ArrowRelation:
    """Return a long relation whose first scan waits after the first batches."""

    def open_stream() -> Iterator[pa.RecordBatch]:
        batches = iter(numbers(LONG))
        for _ in range(6):
            yield next(batches)
        entered.set()
        assert gate.wait(WAIT_S)
        yield from batches

    return ArrowRelation(SCHEMA, open_stream)


def kill(pids: Sequence[int]) -> None:
    """Kill processes, as the system does when it is out of memory."""
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


def stop(pid: int) -> None:
    """Stop a process, and wait until it has: a signal is only delivered soon."""
    os.kill(pid, signal.SIGSTOP)
    state = Path(f"/proc/{pid}/stat")
    until(lambda: not state.exists() or state.read_text().rpartition(") ")[2].startswith("T"))


def is_gone(pid: int) -> bool:
    """Wait for the end of a process that is not a child; return False if it does not end."""
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        # The file can go between any two looks at it; some systems have none.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].startswith("Z"):
                return True
        time.sleep(0.01)  # there is no event for a process that is not our child
    return False

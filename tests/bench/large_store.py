"""A lookup of one key in a large store, against the same lookup in a small one."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np

from stategate.gateway.serve import reduce_garbage_collection
from stategate.planner.sql import SqlEngine
from stategate.planner.values.session import Session
from stategate.stores.hosting.host import Host
from stategate.stores.upkeep.compaction import write_snapshot
from tests.bench import data
from tests.bench.harness import BenchError, Better, Line, Measured, by_turns
from tests.bench.setting import RESTORE_TIMEOUT_S, Setting

LARGER = 10
"""How many times as many keys the large store has as the other measurements."""
SMALL_KEYS = 10_000
LOOKUPS = 20_000
"""Lookups of one round; each round has other keys."""
SQL = f"SELECT visits, score, seen, city FROM {data.STORE} WHERE id = $1"
SLOWER_MOST, SLOWER_GOAL = 1.3, 1.1


def lookups(setting: Setting) -> Sequence[Line]:
    """Microseconds of a prepared lookup of a random key, with and without kept rows."""
    keys = LARGER * setting.keys
    few = min(SMALL_KEYS, setting.keys)
    directory = setting.directory / "large-store"
    large, small = directory / "large", directory / "small"
    for root, count in ((large, keys), (small, few)):
        data.write_log(root, data.rows(count))
        # A host restores a snapshot faster than an epoch.
        write_snapshot(root, data.STORE)
    return [
        _line(setting, work, large, small, keys=keys, few=few, rows_bytes=rows_bytes)
        for work, rows_bytes in (("lookup", 256 << 20), ("lookup without kept rows", 0))
    ]


def _line(
    setting: Setting, work: str, large: Path, small: Path, *, keys: int, few: int, rows_bytes: int
) -> Line:
    with ExitStack() as stack:
        ours, rival = (
            _timed(stack.enter_context(_engine(root, rows_bytes)), count)
            for root, count in ((large, keys), (small, few))
        )
        ours_us, rival_us = by_turns(ours, rival, rounds=max(7, setting.rounds))
    return Measured(
        work=f"{work}, {keys:,} keys",
        unit="µs",
        ours=ours_us,
        rival=rival_us,
        rival_name=f"{few:,} keys",
        better=Better.LOWER,
        ratio_least=1 / SLOWER_MOST,
        ratio_goal=1 / SLOWER_GOAL,
    )


def _timed(engine: SqlEngine, keys: int) -> Callable[[], float]:
    """Return a function that looks up random keys, and returns the mean time in microseconds."""
    session = Session()
    look_up = engine.prepare(SQL, session).look_up
    if look_up is None:
        raise BenchError("the statement is not a lookup of one key")
    random = np.random.default_rng(keys)
    count = min(LOOKUPS, keys)

    def run() -> float:
        numbers = random.integers(data.FIRST_KEY, data.FIRST_KEY + keys, count)
        asked = [(str(number),) for number in numbers.tolist()]
        start = time.perf_counter()
        found = [look_up(key, session) for key in asked]
        took_s = time.perf_counter() - start
        if any(each is None or not each.rows for each in found):
            raise BenchError("a key that was written is missing")
        return took_s / count * 1_000_000

    return run


@contextmanager
def _engine(root: Path, rows_bytes: int) -> Iterator[SqlEngine]:
    """Return an engine over a host of a log, which restores its replicas anew."""
    replicas = root.with_name(f"{root.name}-replicas-{rows_bytes}")
    host = Host(str(root), replicas, rows_bytes=rows_bytes)
    host.start()
    try:
        deadline_s = time.monotonic() + RESTORE_TIMEOUT_S
        while not host.is_ready:
            if time.monotonic() > deadline_s:
                raise BenchError(f"the host is not ready: {host.error}")
            time.sleep(0.01)
        engine = SqlEngine(host)
        thresholds = gc.get_threshold()
        reduce_garbage_collection()  # as in a gateway
        try:
            yield engine
        finally:
            gc.set_threshold(*thresholds)
            engine.close()
    finally:
        host.close()

"""Applying epochs while thousands of callers wait for a bound, against nobody waiting."""

from __future__ import annotations

import itertools
import shutil
import time
from pathlib import Path

import pyarrow as pa

from stores.position import Position, PositionBound, Progress
from stores.replica import Replica
from stores.rocksdb import RocksPartition
from tests.bench import data
from tests.bench.epochs import log_batches
from tests.bench.harness import BenchError, Line, Measured, by_turns
from tests.bench.setting import Setting

WAITERS = 10_000
EPOCHS = 100
EPOCH_ROWS = 2_000


def apply_while_waited_for(setting: Setting) -> Line:
    """Rows a second into a replica that 10,000 callers wait for, most of them for later epochs.

    Each epoch meets the bounds of a few of them. To wake a caller costs some 2 µs, as any callback
    does; the bar is on the others, who must cost nothing.
    """
    rows = min(EPOCH_ROWS, setting.keys)
    batches = log_batches(setting.table.slice(0, rows))
    counter = itertools.count()

    def run(waiters: int) -> float:
        path = setting.directory / "waiters" / str(next(counter))
        return rows * EPOCHS / _apply_s(path, batches, waiters)

    ours, rival = by_turns(lambda: run(WAITERS), lambda: run(0), rounds=max(9, setting.rounds))
    return Measured(
        work=f"apply while {WAITERS:,} wait for a bound",
        unit="rows/s",
        ours=ours,
        rival=rival,
        rival_name="nobody waiting",
        ratio_least=0.95,
    )


def _apply_s(path: Path, batches: list[pa.RecordBatch], waiters: int) -> float:
    engine = RocksPartition(path, schema=data.SCHEMA, partition=0)
    replica = Replica(engine, schema=data.SCHEMA, partition=0)
    told: list[bool] = []
    # A fifth of them share a bound, as those who wait for the latest epoch do; all others differ.
    for number in range(waiters):
        offset = WAITERS if number % 5 == 0 else number
        replica.when(PositionBound.at(_at(1 + offset)), told.append)
    start = time.perf_counter()
    for epoch in range(EPOCHS):
        position = _at(epoch * 5)
        progress = Progress(epoch=epoch, position=position, committed_ms=1)
        replica.apply(progress, batches)
    elapsed_s = time.perf_counter() - start
    if waiters and not told:
        raise BenchError("nobody who waited was told")
    replica.close()
    shutil.rmtree(path)
    return elapsed_s


def _at(offset: int) -> Position:
    return Position.of({topic.topic: {0: offset} for topic in data.SCHEMA.inputs})

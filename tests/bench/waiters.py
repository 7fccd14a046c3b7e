"""Apply epochs while thousands of callers wait for a bound, compared with no callers."""

from __future__ import annotations

import shutil
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.hosting.replica import Replica
from stategate.stores.spec.position import Position, PositionBound, Progress
from tests.bench import data
from tests.bench.epochs import log_batches
from tests.bench.harness import BenchError, Line, Measured
from tests.bench.setting import Setting

WAITERS = 10_000
EPOCHS = 100
EPOCH_ROWS = 2_000


def apply_while_waited_for(setting: Setting) -> Line:
    """Rows per second into a replica with 10,000 waiters, most of them for later epochs.

    Each epoch meets the bounds of a few. Waking one costs some 2 µs, like any callback. The
    measurement is about the others, which must cost nothing.
    """
    rows = min(EPOCH_ROWS, setting.keys)
    batches = log_batches(setting.table.slice(0, rows))
    rounds = [
        _apply_s(setting.directory / "waiters" / str(number), batches)
        for number in range(max(9, setting.rounds))
    ]
    ours, rival = (rows * EPOCHS / _typical_s(times) for times in zip(*rounds, strict=True))
    return Measured(
        work=f"apply while {WAITERS:,} wait for a bound",
        unit="rows/s",
        ours=ours,
        rival=rival,
        rival_name="no waiters",
        ratio_least=0.95,
    )


def _typical_s(rounds: Sequence[Sequence[float]]) -> float:
    """Return the sum over all epochs of each epoch's median time."""
    epochs: list[tuple[float, ...]] = list(zip(*rounds, strict=True))
    return sum(statistics.median(times) for times in epochs)


def _apply_s(path: Path, batches: list[pa.RecordBatch]) -> tuple[list[float], list[float]]:
    """Return the seconds of each epoch, with waiters and without.

    Each epoch goes to one replica, then to the other: over a hundred epochs the machine's speed
    changes by more than the effect.
    """
    waited, alone = _replica(path / "waited"), _replica(path / "alone")
    told: list[bool] = []
    # A fifth of them share one bound, like waiters for the latest epoch; all others differ.
    for number in range(WAITERS):
        offset = WAITERS if number % 5 == 0 else number
        waited.when(PositionBound.at(_at(1 + offset)), told.append)
    elapsed_s: dict[Replica, list[float]] = {waited: [], alone: []}
    for epoch in range(EPOCHS):
        progress = Progress(epoch=epoch, position=_at(epoch * 5), committed_ms=1)
        for replica in (waited, alone) if epoch % 2 else (alone, waited):
            start = time.perf_counter()
            replica.apply(progress, batches)
            elapsed_s[replica].append(time.perf_counter() - start)
    if not told:
        raise BenchError("no waiter was woken")
    for replica in elapsed_s:
        replica.close()
    shutil.rmtree(path)
    return elapsed_s[waited], elapsed_s[alone]


def _replica(path: Path) -> Replica:
    engine = RocksPartition(path, schema=data.SCHEMA, partition=0)
    return Replica(engine, schema=data.SCHEMA, partition=0)


def _at(offset: int) -> Position:
    return Position.of({topic.topic: {0: offset} for topic in data.SCHEMA.inputs})

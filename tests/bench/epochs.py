"""Applying an epoch to a replica, against the barest loop that writes the same bytes."""

from __future__ import annotations

import itertools
import shutil
import time
from pathlib import Path
from typing import cast

import pyarrow as pa
from rocksdict import Options, Rdict, WriteBatch

from stores.position import Position, Progress
from stores.rocksdb import RocksPartition
from tests.bench import data
from tests.bench.harness import BenchError, Line, Measured, by_turns
from tests.bench.setting import Setting

EPOCH_ROWS = 100_000
BATCH_ROWS = 8192


def apply_epoch(setting: Setting) -> Line:
    """Rows a second of one epoch into an empty replica, from Arrow batches as a log gives them.

    The rival is handed keys and rows as finished bytes and puts them into one write batch: what
    ours spends beyond it is encoding.
    """
    rows = min(EPOCH_ROWS, setting.keys)
    batches = log_batches(setting.table.slice(0, rows))
    directory = setting.directory / "epochs"
    entries = _entries_written(directory / "first", batches)
    if len(entries) < rows:
        raise BenchError(f"{len(entries)} entries were written for {rows} rows")
    counter = itertools.count()
    ours, rival = by_turns(
        lambda: rows / _apply_s(directory / f"ours-{next(counter)}", batches),
        lambda: len(entries) / _write_s(directory / f"bare-{next(counter)}", entries),
        rounds=max(5, setting.rounds),
    )
    return Measured(
        work=f"apply an epoch of {rows:,} rows",
        unit="rows/s",
        ours=ours,
        rival=rival,
        rival_name="bare write batch",
        ratio_least=0.7,
    )


def log_batches(table: pa.Table) -> list[pa.RecordBatch]:
    """Rows as a log gives them to an engine."""
    times = pa.nulls(len(table), pa.timestamp("us", tz="UTC"))
    full = table.append_column("_timestamp", times)
    full = full.append_column("_deleted", pa.repeat(pa.scalar(False), len(table)))
    batches: list[pa.RecordBatch] = full.combine_chunks().to_batches(max_chunksize=BATCH_ROWS)
    return batches


def progress() -> Progress:
    """That of the one epoch."""
    return Progress(epoch=0, position=Position.of({"visits": {0: 0}}), committed_ms=1)


def _entries_written(path: Path, batches: list[pa.RecordBatch]) -> list[tuple[bytes, bytes]]:
    """What an epoch leaves in the database, as bytes."""
    partition = RocksPartition(path, schema=data.SCHEMA, partition=0)
    partition.apply(progress(), batches)
    partition.close()
    database = Rdict(str(path), Options(raw_mode=True))
    # Raw mode: both sides are bytes, whatever else rocksdict can store.
    entries = cast(list[tuple[bytes, bytes]], list(database.items()))
    database.close()
    return entries


def _apply_s(path: Path, batches: list[pa.RecordBatch]) -> float:
    partition = RocksPartition(path, schema=data.SCHEMA, partition=0)
    start = time.perf_counter()
    partition.apply(progress(), batches)
    elapsed_s = time.perf_counter() - start
    partition.close()
    shutil.rmtree(path)
    return elapsed_s


def _write_s(path: Path, entries: list[tuple[bytes, bytes]]) -> float:
    path.mkdir(parents=True)
    database = Rdict(str(path), Options(raw_mode=True))
    start = time.perf_counter()
    batch = WriteBatch(raw_mode=True)
    put = batch.put
    for key, value in entries:
        put(key, value)
    database.write(batch)
    elapsed_s = time.perf_counter() - start
    database.close()
    shutil.rmtree(path)
    return elapsed_s

"""Apply an epoch to a replica, against the barest loop that writes the same bytes.

The rival gets keys and rows as bytes and puts them into one write batch. By default it has a
write-ahead log; replicas have none, since the state log is one. The second line turns the rival's
off. The difference is then the encoding, and for versions the search for those that they replace.
"""

from __future__ import annotations

import itertools
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from rocksdict import Options, Rdict, WriteBatch, WriteOptions

from stategate.stores.codec.layout import Layout
from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.engines.rocksdb.writes import VersionWriter
from stategate.stores.spec.position import Position, Progress
from stategate.stores.spec.schema import StoreKind, StoreSchema
from tests.bench import data
from tests.bench.harness import BenchError, Line, Measured, by_turns
from tests.bench.setting import Setting

EPOCH_ROWS = 100_000
BATCH_ROWS = 8192
EPOCH_US = 1_000_000
"""Time between two epochs, in event time."""
RIVAL = "bare write batch"
VERSIONS = replace(data.SCHEMA, name="versions", kind=StoreKind.VERSIONED)

_Change: TypeAlias = tuple[bytes, bytes | None]
"""A key and its row; None deletes the entry."""
_Epoch: TypeAlias = list[pa.RecordBatch]


def apply_epoch(setting: Setting) -> Line:
    """Rows per second of one epoch into an empty replica, from a log's Arrow batches."""
    return _apply_epoch(setting, RIVAL, has_wal=True, least=0.7)


def apply_epoch_unlogged(setting: Setting) -> Line:
    """The same, against a rival without a write-ahead log."""
    return _apply_epoch(setting, f"{RIVAL}, no WAL", has_wal=False)


def _apply_epoch(
    setting: Setting, rival_name: str, *, has_wal: bool, least: float | None = None
) -> Line:
    rows = min(EPOCH_ROWS, setting.keys)
    epochs = [log_batches(setting.table.slice(0, rows))]
    directory = setting.directory / f"epochs-{has_wal}"
    entries: list[_Change] = list(_entries_written(directory / "first", epochs[0]))
    if len(entries) < rows:
        raise BenchError(f"{len(entries)} entries were written for {rows} rows")
    counter = itertools.count()
    ours, rival = by_turns(
        lambda: rows / _apply_last_s(directory / f"ours-{next(counter)}", data.SCHEMA, epochs),
        lambda: (
            len(entries)
            / _write_last_s(directory / f"bare-{next(counter)}", [entries], has_wal=has_wal)
        ),
        rounds=max(15, setting.rounds),
    )
    return Measured(
        work=f"apply an epoch of {rows:,} rows",
        unit="rows/s",
        ours=ours,
        rival=rival,
        rival_name=rival_name,
        ratio_least=least,
    )


def apply_first_versions(setting: Setting) -> Line:
    """Versions per second into an empty replica of a versioned store."""
    return _apply_versions(setting, epochs=1, keys="new")


def apply_next_versions(setting: Setting) -> Line:
    """Versions per second of keys that already have a version."""
    return _apply_versions(setting, epochs=2, keys="known")


def _apply_versions(setting: Setting, *, epochs: int, keys: str) -> Line:
    """Return the last of some epochs, each with one version of every key, unordered."""
    rows = min(EPOCH_ROWS, setting.keys)
    shuffled = np.random.default_rng(20130101).permutation(rows)
    table = setting.table.slice(0, rows).take(shuffled)
    ours_epochs = [log_batches(table, time_us=epoch * EPOCH_US) for epoch in range(epochs)]
    directory = setting.directory / f"versions-{keys}"
    bare_epochs = _changes(directory / "first", ours_epochs)
    counter = itertools.count()

    def run(last_s: Callable[[Path], float]) -> float:
        return rows / last_s(directory / str(next(counter)))

    ours, rival = by_turns(
        lambda: run(lambda path: _apply_last_s(path, VERSIONS, ours_epochs)),
        lambda: run(lambda path: _write_last_s(path, bare_epochs)),
        rounds=max(7, setting.rounds),
    )
    return Measured(
        work=f"apply {rows:,} versions of {keys} keys",
        unit="rows/s",
        ours=ours,
        rival=rival,
        rival_name=RIVAL,
    )


def bare_database(path: Path) -> Rdict:
    """Open a database with rocksdict's own defaults.

    The options are given per column family: otherwise rocksdict opens an existing database with a
    cache of 8 MB, less than the rows of any measurement, and unpacks a block for nearly every row.
    """
    options = Options(raw_mode=True)
    return Rdict(str(path), options, column_families={"default": options})


def log_batches(table: pa.Table, *, time_us: int | None = None) -> _Epoch:
    """Return rows as a log gives them to an engine, with one event time for all, or with none."""
    times: pa.Array = pa.nulls(len(table), pa.timestamp("us", tz="UTC"))
    if time_us is not None:
        times = pa.array(np.full(len(table), time_us)).cast(times.type)
    full = table.append_column("_timestamp", times)
    full = full.append_column("_deleted", pa.repeat(pa.scalar(False), len(table)))
    batches: _Epoch = full.combine_chunks().to_batches(max_chunksize=BATCH_ROWS)
    return batches


def progress(epoch: int = 0) -> Progress:
    """Return the progress of an epoch."""
    return Progress(epoch=epoch, position=Position.of({"visits": {0: epoch}}), committed_ms=1)


def _entries_written(path: Path, batches: _Epoch) -> list[tuple[bytes, bytes]]:
    """Return the entries that an epoch leaves in the database, as bytes."""
    partition = RocksPartition(path, schema=data.SCHEMA, partition=0)
    partition.apply(progress(), batches)
    partition.close()
    database = bare_database(path)
    # The stub does not know that all are bytes in raw mode.
    entries: list[tuple[bytes, bytes]] = list(database.items())  # type: ignore[arg-type]
    database.close()
    return entries


class _Recorded:
    """A write batch that keeps its changes."""

    def __init__(self) -> None:
        self.changes: list[_Change] = []

    def put(self, key: bytes, value: bytes, /) -> None:
        """Add or replace an entry."""
        self.changes.append((key, value))

    def delete(self, key: bytes, /) -> None:
        """Remove an entry."""
        self.changes.append((key, None))


def _changes(path: Path, epochs: list[_Epoch]) -> list[list[_Change]]:
    """Return what each epoch of a versioned store puts and deletes, as bytes."""
    layout = Layout(VERSIONS, 0)
    partition = RocksPartition(path, schema=VERSIONS, partition=0)
    found = []
    for epoch, batches in enumerate(epochs):
        recorded = _Recorded()
        writer = VersionWriter(layout, partition.view.data, progress(epoch), recorded)
        for batch in batches:
            writer.add(batch)
        writer.finish()
        found.append(recorded.changes)
        partition.apply(progress(epoch), batches)
    partition.close()
    return found


def _apply_last_s(path: Path, schema: StoreSchema, epochs: list[_Epoch]) -> float:
    """Return the seconds that the last epoch takes."""
    partition = RocksPartition(path, schema=schema, partition=0)
    elapsed_s = 0.0
    for epoch, batches in enumerate(epochs):
        start = time.perf_counter()
        partition.apply(progress(epoch), batches)
        elapsed_s = time.perf_counter() - start
    partition.close()
    shutil.rmtree(path)
    return elapsed_s


def _write_last_s(path: Path, epochs: list[list[_Change]], *, has_wal: bool = True) -> float:
    """Return the seconds that the changes of the last epoch take."""
    path.mkdir(parents=True)
    database = bare_database(path)
    writing = WriteOptions()
    writing.disable_wal = not has_wal  # type: ignore[assignment] # its stub is wrong
    database.set_write_options(writing)
    elapsed_s = 0.0
    for changes in epochs:
        start = time.perf_counter()
        batch = WriteBatch(raw_mode=True)
        put, delete = batch.put, batch.delete
        for key, value in changes:
            if value is None:
                delete(key)
            else:
                put(key, value)
        database.write(batch)
        elapsed_s = time.perf_counter() - start
    database.close()
    shutil.rmtree(path)
    return elapsed_s

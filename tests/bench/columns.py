"""Kept columns of a partition, against the same partition decoding its entries each time."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa

from stategate.stores.engines.rocksdb.column_budget import ColumnBudget
from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.spec.query import BatchStream, Query, RangeQuery
from stategate.stores.spec.schema import StoreKind, StoreSchema
from stategate.stores.spec.windows import TimeRange, WindowRangeQuery
from tests.bench.epochs import log_batches, progress
from tests.bench.harness import BenchError, Better, Line, Measured, by_turns
from tests.bench.setting import Setting
from tests.bench.stores import SCHEMA

ROUNDS_MIN = 7
RIVAL = "decoding the entries"
CHANGED_SHARE = 100
"""Each epoch changes one row in this many."""
WINDOWS = 2_000
NEWEST = 10
_MINUTE_MS = 60_000
WINDOW_SCHEMA = StoreSchema(
    name="windows",
    kind=StoreKind.WINDOW,
    key=SCHEMA.key,
    value=SCHEMA.value[:2],
    partitions=1,
    inputs=SCHEMA.inputs,
    window_size_ms=_MINUTE_MS,
)

_Read = Callable[[RocksPartition], float]


def scan_after_epoch(setting: Setting) -> Line:
    """Milliseconds to read all rows of a partition after an epoch changed some."""
    table = setting.table.slice(0, setting.keys // 8)
    random = np.random.default_rng(20130101)
    epochs = itertools.count(1)

    def read(engine: RocksPartition) -> float:
        chosen = random.choice(len(table), max(1, len(table) // CHANGED_SHARE), replace=False)
        engine.apply(progress(next(epochs)), log_batches(table.take(pa.array(np.sort(chosen)))))
        return _read_ms(engine, RangeQuery(), len(table))

    work = f"scan of {len(table):,} rows after an epoch of {100 // CHANGED_SHARE} %"
    return _compared(setting, work, SCHEMA, table, read)


def newest_windows(setting: Setting) -> Line:
    """Milliseconds to read the newest windows of all keys."""
    windows = min(WINDOWS, setting.keys)
    each = setting.keys // windows
    start = np.repeat(np.arange(windows), each) * _MINUTE_MS * 1000
    times = {
        name: pa.array(start + more).cast(pa.timestamp("us", tz="UTC"))
        for name, more in (("window_start", 0), ("window_end", _MINUTE_MS * 1000))
    }
    rows = setting.table.slice(0, each).select(["id", "visits", "score"])
    several = pa.concat_tables([rows] * windows)
    names = [column.name for column in WINDOW_SCHEMA.logged_columns]
    columns = {**dict(zip(several.column_names, several.columns, strict=True)), **times}
    table = pa.table({name: columns[name] for name in names})
    since = TimeRange(start_ms=(windows - NEWEST) * _MINUTE_MS)
    query = WindowRangeQuery(time=since)

    def read(engine: RocksPartition) -> float:
        return _read_ms(engine, query, min(NEWEST, windows) * each)

    work = f"newest {NEWEST} windows of {windows:,}, of {len(table):,} rows"
    return _compared(setting, work, WINDOW_SCHEMA, table, read)


def _compared(
    setting: Setting, work: str, schema: StoreSchema, table: pa.Table, read: _Read
) -> Line:
    directory = setting.directory / schema.name
    with (
        _filled(directory / "kept", schema, table, ColumnBudget(1 << 30)) as ours,
        _filled(directory / "decoded", schema, table, None) as rival,
    ):
        ours_ms, rival_ms = by_turns(
            lambda: read(ours), lambda: read(rival), rounds=max(ROUNDS_MIN, setting.rounds)
        )
    return Measured(
        work=work,
        unit="ms",
        ours=ours_ms,
        rival=rival_ms,
        rival_name=RIVAL,
        better=Better.LOWER,
    )


@contextmanager
def _filled(
    path: Path, schema: StoreSchema, table: pa.Table, columns: ColumnBudget | None
) -> Iterator[RocksPartition]:
    engine = RocksPartition(path, schema=schema, partition=0, columns=columns)
    try:
        engine.apply(progress(), log_batches(table))
        engine.maintain(lambda: False)
        yield engine
    finally:
        engine.close()


def _read_ms(engine: RocksPartition, query: Query[BatchStream], rows: int) -> float:
    start = time.perf_counter()
    stream: BatchStream = engine.handlers[type(query)](engine.view, query)
    found = sum(batch.num_rows for batch in stream)
    took_ms = (time.perf_counter() - start) * 1000
    if found != rows:
        raise BenchError(f"{found} rows of {rows} were read")
    return took_ms

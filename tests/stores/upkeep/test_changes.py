"""The contents and the changes that are read from a log agree with replicas, at every epoch."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from stategate.stores.errors import LogError
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.log.data.scanning import Wanted
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.query import BatchStream, Query, RangeQuery
from stategate.stores.spec.result import Success
from stategate.stores.spec.schema import Row, StoreKind, StoreSchema
from stategate.stores.spec.versions import VersionedRangeQuery
from stategate.stores.spec.windows import SessionRangeQuery, WindowRangeQuery
from stategate.stores.upkeep.changes import EMPTY, changes, changes_schema, span
from stategate.stores.upkeep.compaction import write_snapshot
from stategate.stores.upkeep.retention import Retention, compact
from tests.stores.test_kinds import AT, MICROS, followed
from tests.support.logs import contents_of
from tests.support.seeds import seeds
from tests.support.stores import keyvalue, timed, window
from tests.support.values import rows_of

EPOCHS = 7
HOUR_US = 3_600_000_000
KEYS = {"k": "text", "x": "double"}
STORES = {
    "keyvalue": keyvalue("s", KEYS, {"n": "bigint", "t": "text[]"}, partitions=2),
    "latest": replace(keyvalue("s", KEYS, {"n": "bigint"}, partitions=2), by_event_time=True),
    "window": window("s", KEYS, {"n": "bigint"}, partitions=2, retention_ms=7_200_000),
    "session": timed(
        StoreKind.SESSION, "s", KEYS, {"n": "bigint"}, partitions=2, retention_ms=7_200_000
    ),
    "versioned": timed(
        StoreKind.VERSIONED, "s", KEYS, {"n": "bigint"}, partitions=2, retention_ms=7_200_000
    ),
}
QUERIES: dict[StoreKind, Query[BatchStream]] = {
    StoreKind.WINDOW: WindowRangeQuery(),
    StoreKind.SESSION: SessionRangeQuery(),
    StoreKind.VERSIONED: VersionedRangeQuery(),
}


def rows(schema: StoreSchema, draw: random.Random, epoch: int) -> pa.Table:
    """Return random rows of few keys, with NULLs, NaNs, tombstones and times around an hour."""
    count = draw.randint(0, 12)
    hours = [draw.randint(max(0, epoch - 3), epoch) for _ in range(count)]
    starts = pa.array([hour * HOUR_US for hour in hours], MICROS)
    columns = {
        "k": pa.array([draw.choice(["a", "b", None]) for _ in hours], pa.string()),
        "x": pa.array([draw.choice([0.0, -0.0, float("nan"), None]) for _ in hours], pa.float64()),
        "n": pa.array([draw.choice([1, 2, 3, None]) for _ in hours], pa.int64()),
        "_deleted": pa.array([draw.random() < 0.3 for _ in hours], pa.bool_()),
    }
    if "t" in schema.column_by_name:
        columns["t"] = pa.array([draw.choice([["u"], None]) for _ in hours], pa.list_(pa.string()))
    if schema.kind in {StoreKind.WINDOW, StoreKind.SESSION}:
        columns["window_start"] = starts
        columns["window_end"] = pc.add(starts, pa.scalar(HOUR_US, pa.duration("us")))
    else:
        columns["_timestamp"] = starts
    return pa.table(columns)


def written(root: Path, schema: StoreSchema, seed: int) -> list[list[Row]]:
    """Write some epochs, one of which may replace the store; return a replica's rows after each."""
    draw = random.Random(seed)
    writer = StoreWriter(root, schema)
    found = []
    for epoch in range(EPOCHS):
        writer.write(
            rows(schema, draw, epoch),
            position=AT,
            watermark_ms=epoch * HOUR_US // 1000,
            replace=draw.random() < 0.15,
        )
        if draw.random() < 0.3:
            write_snapshot(root, schema.name)
        store = followed(root, schema, None)
        found.append(keyed(shown_rows(store, schema)))
    return found


def shown_rows(store: LocalStore, schema: StoreSchema) -> list[Row]:
    query = QUERIES.get(schema.kind, RangeQuery())
    results = [store.query_partition(p, query) for p in range(schema.partitions)]
    found: list[Row] = []
    for result in results:
        assert isinstance(result, Success)
        found += rows_of(result.value)
    return found


def keyed(found: list[Row]) -> list[Row]:
    return sorted(found, key=repr)


def read_changes(root: Path, schema: StoreSchema, start: int, end: int) -> list[Row]:
    log = StoreLog.open(root, schema.name)
    asked = span(log, start, end)
    wanted = Wanted(columns=tuple(changes_schema(schema).names))
    parts = range(schema.partitions)
    return list(rows_of([b for p in parts for b in changes(log, asked, p, wanted)]))


def applied(schema: StoreSchema, before: list[Row], changed: list[Row]) -> list[Row]:
    """Return the rows after changes, each of which replaces the row with its key and times."""
    times = {StoreKind.WINDOW: 2, StoreKind.SESSION: 2, StoreKind.VERSIONED: 1}
    width = len(schema.key) + times.get(schema.kind, 0)
    found = {repr(row[:width]): row for row in before}
    for row in changed:
        *values, epoch, deleted = row
        assert 0 <= epoch < EPOCHS
        if deleted:
            found.pop(repr(tuple(values[:width])), None)
        else:
            found[repr(tuple(values[:width]))] = tuple(values)
    return keyed(list(found.values()))


@pytest.mark.hypothesis
@pytest.mark.parametrize("seed", seeds(3))
@pytest.mark.parametrize("name", STORES)
def test_contents_and_changes_agree_with_replicas(tmp_path: Path, name: str, seed: int) -> None:
    schema = STORES[name]
    states = written(tmp_path, schema, seed)
    for end, state in enumerate(states):
        assert keyed(contents_of(tmp_path, schema, end)) == state
        some = Wanted(columns=("n", "k"), where=pc.field("n") >= 2, tested=("n",))
        names = [column.name for column in schema.columns]
        n, k = names.index("n"), names.index("k")
        expected = keyed([(row[n], row[k]) for row in state if row[n] is not None and row[n] >= 2])
        assert keyed(contents_of(tmp_path, schema, end, some)) == expected
        for start in range(EMPTY, end + 1):
            before = states[start] if start >= 0 else []
            changed = read_changes(tmp_path, schema, start, end)
            assert applied(schema, before, changed) == state, (start, end)


def test_epochs_that_are_gone_or_not_there_are_named(tmp_path: Path) -> None:
    schema = STORES["keyvalue"]
    states = written(tmp_path, schema, 1)
    compact(tmp_path, "s", retention=Retention(epochs=2))
    log = StoreLog.open(tmp_path, "s")
    assert span(log, 5, 6).commits
    with pytest.raises(LogError, match=r"since epoch 1 need epoch 4, .*any more.* --keep"):
        span(log, 1, 6)
    with pytest.raises(LogError, match="since epoch 4 need epoch 4"):
        span(log, 4, 6)
    with pytest.raises(LogError, match="no changes from epoch 9 to 6: its newest epoch is 6"):
        span(log, 9, 6)
    with pytest.raises(LogError, match="no changes from epoch 5 to 9"):
        span(log, 5, 9)
    assert applied(schema, [], read_changes(tmp_path, schema, EMPTY, 6)) == states[6]

"""Sessions and versions in the log: the rows that a writer takes, and those of a replica."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from stategate.stores.errors import SchemaError
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.replica import Replica
from stategate.stores.log.data.deduplication import latest_rows, linked_versions
from stategate.stores.log.data.shaping import shaped
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from stategate.stores.spec.query import Query
from stategate.stores.spec.result import Failure
from stategate.stores.spec.schema import Row, StoreKind, StoreSchema
from stategate.stores.spec.versions import VersionedRangeQuery
from stategate.stores.spec.windows import SessionRangeQuery
from tests.support.conformance import open_engine
from tests.support.stores import timed
from tests.support.values import rows_of

SESSIONS = timed(
    StoreKind.SESSION, "sessions", {"k": "text"}, {"n": "bigint"}, partitions=2, retention_ms=1000
)
VERSIONS = timed(
    StoreKind.VERSIONED, "versions", {"k": "text"}, {"n": "bigint"}, partitions=2, retention_ms=1000
)
MICROS = pa.timestamp("us", tz="UTC")
AT = Position.of({"events": {0: 1}})


def table(schema: StoreSchema, rows: list[Row], *times: str, **more: Any) -> pa.Table:
    """Return rows of the key, the named time columns, and the value."""
    names = [*(c.name for c in schema.key), *times, *(c.name for c in schema.value)]
    arrays: dict[str, Any] = {}
    for i, name in enumerate(names):
        values = [row[i] for row in rows]
        arrays[name] = pa.array(values, MICROS) if name in times else values
    return pa.table({**arrays, **more})


def followed(root: Path, schema: StoreSchema, directory: Path | None) -> LocalStore:
    """Return the store after all epochs of the log."""
    replicas = {
        p: Replica(open_engine(schema, directory, p), schema=schema, partition=p)
        for p in range(schema.partitions)
    }
    store = LocalStore(schema, replicas, log=StoreLog.open(root, schema.name))
    while store.follow():
        pass
    return store


def shown(store: LocalStore, query: Query[Any]) -> list[Row]:
    results = [store.query_partition(p, query) for p in range(store.schema.partitions)]
    assert not any(isinstance(result, Failure) for result in results)
    return sorted(row for result in results for row in rows_of(result.value))


def test_sessions_through_the_log(tmp_path: Path, directory: Path | None) -> None:
    writer = StoreWriter(tmp_path / "log", SESSIONS)
    times = ("window_start", "window_end")
    writer.write(
        table(SESSIONS, [("a", 0, 1_000_007, 1), ("b", 0, 5_000_000, 2)], *times), position=AT
    )
    # Spark merges two sessions: both are deleted, and one that covers them is added.
    merged = [("b", 0, 5_000_000, None), ("b", 0, 9_000_000, 3)]
    writer.write(
        table(SESSIONS, merged, *times, _deleted=[True, False]), position=AT, watermark_ms=2000
    )
    store = followed(tmp_path / "log", writer.schema, directory)
    assert shown(store, SessionRangeQuery()) == [("a", 0, 1_000_007, 1), ("b", 0, 9_000_000, 3)]
    store.close()


@pytest.mark.parametrize("ends", [(None, 1), (1, None), (2, 1)])
def test_a_session_needs_both_ends(tmp_path: Path, ends: tuple[int | None, int | None]) -> None:
    writer = StoreWriter(tmp_path, SESSIONS)
    rows = table(SESSIONS, [("a", *ends, 1)], "window_start", "window_end")
    with pytest.raises(SchemaError, match="session"):
        writer.write(rows, position=AT)


@pytest.mark.parametrize("name", ["_timestamp", "valid_from"])
def test_versions_through_the_log(tmp_path: Path, directory: Path | None, name: str) -> None:
    writer = StoreWriter(tmp_path / "log", VERSIONS)
    writer.write(
        table(VERSIONS, [("a", 20, 2), ("a", 10, 1), ("b", 5, 9), ("a", 10, 7)], name), position=AT
    )
    gone = table(VERSIONS, [("a", 30, None)], name, _deleted=[True])
    writer.write(gone, position=AT, watermark_ms=0)
    late = [("b", -1_000_001, 0), ("b", -1_000_000, 1)]
    writer.write(table(VERSIONS, late, name), position=AT, watermark_ms=0)
    store = followed(tmp_path / "log", writer.schema, directory)
    assert shown(store, VersionedRangeQuery()) == [
        ("a", 10, 20, 7),
        ("a", 20, 30, 2),
        ("b", -1_000_000, 5, 1),
        ("b", 5, None, 9),
    ]
    store.close()


def test_a_version_needs_a_time(tmp_path: Path) -> None:
    writer = StoreWriter(tmp_path, VERSIONS)
    with pytest.raises(SchemaError, match="no event time"):
        writer.write(table(VERSIONS, [("a", None, 1)], "valid_from"), position=AT)
    with pytest.raises(SchemaError, match="no event time"):
        writer.write(table(VERSIONS, [("a", 1)]), position=AT)


def test_versions_are_linked_by_key() -> None:
    """`read_store` returns them so, without a replica."""
    rows = [("b", 5, 9), ("a", 20, 2), (None, 7, 3), ("a", 10, 1), (None, 8, 4)]
    logged = latest_rows(shaped(table(VERSIONS, rows, "valid_from"), VERSIONS), VERSIONS)
    linked = linked_versions(logged, VERSIONS).select(["k", "valid_from", "valid_to", "n"])
    assert sorted(rows_of(linked.to_batches()), key=str) == sorted(
        [
            ("a", 10, 20, 1),
            ("a", 20, None, 2),
            ("b", 5, None, 9),
            (None, 7, 8, 3),
            (None, 8, None, 4),
        ],
        key=str,
    )
    assert linked_versions(logged.slice(0, 0), VERSIONS).num_rows == 0

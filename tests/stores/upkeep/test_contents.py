"""The contents read from a log are the rows that a replica shows."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.schema import Row, StoreSchema
from stategate.stores.spec.versions import VersionedRangeQuery
from stategate.stores.spec.windows import SessionRangeQuery, WindowRangeQuery
from stategate.stores.upkeep.recipes import recipe
from stategate.stores.upkeep.retention import Retention, compact
from tests.stores.test_kinds import AT, SESSIONS, VERSIONS, followed, shown, table
from tests.support.logs import contents_of
from tests.support.stores import window

HOUR_US = 3_600_000_000


def read_all(root: Path, schema: StoreSchema, epoch: int | None = None) -> list[Row]:
    return sorted(contents_of(root, schema, epoch))


def test_versions(tmp_path: Path) -> None:
    writer = StoreWriter(tmp_path, VERSIONS)
    first = [("a", 10, 1), ("a", 2_000_000, 2), ("b", 5, 9), ("c", 7, 3), ("d", 1, 1)]
    writer.write(table(VERSIONS, first, "valid_from"), position=AT)
    gone = table(VERSIONS, [("c", 1_000_000, None)], "valid_from", _deleted=[True])
    writer.write(gone, position=AT, watermark_ms=1_500)
    late = [("b", 499_999, 0), ("b", 500_000, 1), ("d", 499_999, 2)]
    writer.write(table(VERSIONS, late, "valid_from"), position=AT, watermark_ms=1_500)
    for watermark_ms in (1_500, 2_000, 2_001, 9_000):
        later = table(VERSIONS, [("e", watermark_ms * 1000, 4)], "valid_from")
        writer.write(later, position=AT, watermark_ms=watermark_ms)
        expected = shown(followed(tmp_path, writer.schema, None), VersionedRangeQuery())
        assert read_all(tmp_path, writer.schema) == expected


def test_sessions(tmp_path: Path) -> None:
    writer = StoreWriter(tmp_path, SESSIONS)
    times = ("window_start", "window_end")
    rows = [("a", 0, 1_000_000, 1), ("b", 0, 1_000_001, 2), ("c", 0, 5_000_000, 3)]
    writer.write(table(SESSIONS, rows, *times), position=AT, watermark_ms=2_000)
    expected = shown(followed(tmp_path, writer.schema, None), SessionRangeQuery())
    assert [row[0] for row in expected] == ["b", "c"]
    assert read_all(tmp_path, writer.schema) == expected


def windows_log(root: Path, *, epochs: int) -> StoreSchema:
    """Write counts by key and hour; the watermark is two hours behind, and missing once."""
    hours = window(
        "hours", {"k": "text"}, {"n": "bigint"}, partitions=2, retention_ms=3 * HOUR_US // 1000
    )
    writer = StoreWriter(root, hours)
    for epoch in range(epochs):
        starts = pa.array([epoch * HOUR_US] * 5, pa.timestamp("us", tz="UTC"))
        rows = pa.table({"k": list("abcde"), "window_start": starts, "n": [epoch] * 5})
        writer.write(
            rows,
            position=AT,
            watermark_ms=None if epoch == epochs - 1 else (epoch - 2) * HOUR_US // 1000,
        )
    return hours


def test_windows_as_replicas_show_them_with_and_without_a_snapshot(tmp_path: Path) -> None:
    """This holds for every compaction of the log; the watermark does not go back either."""
    schema = windows_log(tmp_path, epochs=8)
    expected = shown(followed(tmp_path, schema, None), WindowRangeQuery())
    assert {row[3] for row in expected} == {2, 3, 4, 5, 6, 7}
    assert recipe(StoreLog.open(tmp_path, "hours")).base is None
    assert read_all(tmp_path, schema) == expected
    before = read_all(tmp_path, schema, 6)
    for keep in (99, 2, 0):
        compact(tmp_path, "hours", retention=Retention(epochs=keep))
        assert recipe(StoreLog.open(tmp_path, "hours")).base is not None
        assert read_all(tmp_path, schema) == expected
        if keep == 99:
            assert read_all(tmp_path, schema, 6) == before


def test_versions_from_a_snapshot_and_the_epochs_since(tmp_path: Path) -> None:
    writer = StoreWriter(tmp_path, VERSIONS)
    for epoch in range(6):
        rows = [("a", epoch * 1_000_000, epoch), ("b", epoch, epoch)]
        writer.write(table(VERSIONS, rows, "valid_from"), position=AT, watermark_ms=epoch * 500)
        if epoch == 3:
            compact(tmp_path, VERSIONS.name, retention=Retention(epochs=0))
    found = recipe(StoreLog.open(tmp_path, VERSIONS.name))
    assert (found.base and found.base.epoch, len(found.commits)) == (3, 2)
    data = tmp_path / "data"
    expected = shown(followed(tmp_path, writer.schema, data), VersionedRangeQuery())
    assert len(expected) > 2
    assert read_all(tmp_path, writer.schema) == expected


def test_no_version_begins_at_the_end_of_time(tmp_path: Path) -> None:
    writer = StoreWriter(tmp_path, VERSIONS)
    end = 2**63 - 1
    rows = [("a", 10, 1), ("a", end, 2), ("b", end, 3), ("c", end - 1, 4)]
    writer.write(table(VERSIONS, rows, "valid_from"), position=AT)
    expected = shown(followed(tmp_path, writer.schema, None), VersionedRangeQuery())
    assert [row[:3] for row in expected] == [("a", 10, None), ("c", end - 1, None)]
    assert read_all(tmp_path, writer.schema) == expected


def test_expired_rows_stay_expired_in_an_epoch_that_is_the_whole_store(tmp_path: Path) -> None:
    """Epochs before it are not read, so it must have the watermark itself."""
    times = ("window_start", "window_end")
    first = [("a", 0, 1_000_000, 1), ("b", 0, 5_000_000, 2)]
    for watermark_ms in (None, 1_500):
        writer = StoreWriter(tmp_path, SESSIONS)
        writer.write(table(SESSIONS, first, *times), position=AT, watermark_ms=2_000)
        again = table(SESSIONS, [*first, ("c", 0, 9_000_000, 3)], *times)
        commit = writer.write(again, position=AT, watermark_ms=watermark_ms, replace=True)
        assert commit.watermark_ms == 2_000
    expected = shown(followed(tmp_path, SESSIONS, None), SessionRangeQuery())
    assert [row[0] for row in expected] == ["b", "c"]
    assert read_all(tmp_path, SESSIONS) == expected

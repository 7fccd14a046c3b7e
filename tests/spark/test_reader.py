"""What a task of `read_store` reads, without a JVM: the same rows as a replica shows."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from stores.log import StoreLog, StoreWriter
from stores.schema import Row, StoreSchema
from stores.sessions import SessionRangeQuery
from stores.spark.reader import _expired_ms, _late_ms, part_reader
from stores.versions import VersionedRangeQuery
from tests.stores.test_kinds import AT, SESSIONS, VERSIONS, followed, shown, table
from tests.stores.values import rows_of

pytestmark = pytest.mark.spark


def read_all(root: Path, schema: StoreSchema) -> list[Row]:
    """The rows of all partitions, as the tasks of one job read them."""
    log = StoreLog.open(root, schema.name)
    commits = [commit for epoch in log.epochs() if (commit := log.commit(epoch)) is not None]
    files = {
        p: tuple(file for commit in commits for file in commit.files_of(p))
        for p in range(schema.partitions)
    }
    read = part_reader(
        str(root), schema, files, _expired_ms(schema, commits), _late_ms(schema, commits)
    )
    numbers = pa.record_batch({"id": list(range(schema.partitions))})
    return sorted(rows_of(read(iter([numbers]))))


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

"""Kept columns of windows and sessions: without expired ones, and searched by time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stategate.stores.engines.rocksdb.column_arrays import KeptColumns
from stategate.stores.engines.rocksdb.column_budget import ColumnBudget
from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.spec.query import Batch, BatchStream, Interval, Order, Query
from stategate.stores.spec.scans import CountQuery
from stategate.stores.spec.schema import Row, StoreKind
from stategate.stores.spec.windows import (
    SessionRangeQuery,
    SessionTime,
    TimeRange,
    WindowRangeQuery,
)
from tests.support.stores import batch, progress, timed, window
from tests.support.values import rows_of

MINUTE_MS = 60_000
PER_MINUTE = 200
"""Number of windows in each minute: more than fit into the first chunk of entries."""
WINDOWS = window(
    "windows",
    {"k": "bigint"},
    {"v": "bigint"},
    partitions=1,
    size_ms=MINUTE_MS,
    retention_ms=4 * MINUTE_MS,
)
SESSIONS = timed(
    StoreKind.SESSION,
    "sessions",
    {"k": "bigint"},
    {"v": "bigint"},
    partitions=1,
    retention_ms=4 * MINUTE_MS,
)
"""Segments of both kinds last two minutes."""
SCAN = WindowRangeQuery()


@pytest.fixture
def budget() -> ColumnBudget:
    return ColumnBudget(1 << 26)


@pytest.fixture
def engine(tmp_path: Path, budget: ColumnBudget) -> Iterator[RocksPartition]:
    opened = RocksPartition(tmp_path, schema=WINDOWS, partition=0, columns=budget)
    yield opened
    opened.close()
    assert budget.used_bytes == 0


def put(
    engine: RocksPartition,
    epoch: int,
    minutes: range,
    *,
    v: int = 0,
    watermark: int | None = None,
    deleted: bool = False,
) -> None:
    """Apply windows, or sessions of one minute, that begin with these minutes."""
    times = [(m * MINUTE_MS * 1000, (m + 1) * MINUTE_MS * 1000) for m in minutes]
    rows: list[Row] = [(k, *each, v) for each in times for k in range(PER_MINUTE)]
    marks = {} if watermark is None else {"watermark_ms": watermark * MINUTE_MS}
    flags = [deleted] * len(rows)
    engine.apply(progress(epoch, **marks), [batch(engine.schema, rows, deleted=flags)])


def read(engine: RocksPartition, query: Query[BatchStream] = SCAN) -> list[Batch]:
    return list(engine.handlers[type(query)](engine.view, query))


def minutes_of(engine: RocksPartition, query: Query[BatchStream] = SCAN) -> dict[int, int]:
    """Return how many windows each minute has."""
    found: dict[int, int] = {}
    for row in rows_of(read(engine, query)):
        assert isinstance(row[1], int)
        minute = row[1] // (MINUTE_MS * 1000)
        found[minute] = found.get(minute, 0) + 1
    return found


def whole(*minutes: int) -> dict[int, int]:
    return dict.fromkeys(minutes, PER_MINUTE)


def is_kept(engine: RocksPartition, query: Query[BatchStream] = SCAN) -> bool:
    """Return whether the rows come in one batch; the first chunk of entries has 64."""
    return len(read(engine, query)) == 1


def count(engine: RocksPartition) -> object:
    return engine.handlers[CountQuery](engine.view, CountQuery())


def maintain(engine: RocksPartition) -> None:
    engine.maintain(lambda: False)


def within(first: int | None, last: int | None) -> WindowRangeQuery:
    start_ms = None if first is None else first * MINUTE_MS
    return WindowRangeQuery(
        time=TimeRange(start_ms=start_ms, end_ms=None if last is None else last * MINUTE_MS)
    )


def test_expired_windows_are_left_out(engine: RocksPartition) -> None:
    """This holds also in the middle of a segment, which still has their entries."""
    put(engine, 0, range(8))
    maintain(engine)
    assert is_kept(engine)
    assert minutes_of(engine) == whole(*range(8))
    for watermark, live in ((5, range(2, 8)), (6, range(3, 8)), (7, range(4, 8)), (8, range(5, 8))):
        put(engine, watermark, range(7, 8), v=watermark, watermark=watermark)
        assert minutes_of(engine) == whole(*live)
        assert is_kept(engine)
        assert count(engine) == len(live) * PER_MINUTE
    assert {row[3] for row in rows_of(read(engine))} == {0, 8}


def test_expired_windows_leave_with_the_next_changes(
    engine: RocksPartition, budget: ColumnBudget
) -> None:
    put(engine, 0, range(8))
    maintain(engine)
    before = budget.used_bytes
    put(engine, 1, range(8, 9), watermark=8)
    assert minutes_of(engine) == whole(*range(5, 9))
    assert budget.used_bytes < 0.6 * before


def test_columns_are_searched_by_time(engine: RocksPartition) -> None:
    put(engine, 0, range(-4, 9))
    maintain(engine)
    for first, last in ((None, None), (2, 5), (3, 4), (-3, 0), (3, None), (None, 2), (5, 5)):
        asked = range(-4 if first is None else first, 9 if last is None else last + 1)
        assert minutes_of(engine, within(first, last)) == whole(*asked)
        assert is_kept(engine, within(first, last))
    assert read(engine, within(5, 4)) == []
    assert read(engine, within(20, 30)) == []
    none = WindowRangeQuery(columns=(), time=TimeRange(start_ms=0, end_ms=MINUTE_MS))
    assert [found.num_rows for found in read(engine, none)] == [2 * PER_MINUTE]


def test_a_small_part_is_not_worth_merging_all(
    engine: RocksPartition, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(engine, 0, range(40))
    maintain(engine)
    put(engine, 1, range(20, 21), v=1)

    def merged(*_: object) -> None:
        raise AssertionError("all was merged")

    with monkeypatch.context() as patched:
        patched.setattr(KeptColumns, "merged", merged)
        assert {row[3] for row in rows_of(read(engine, within(20, 20)))} == {1}
        assert not is_kept(engine, within(20, 20))
    assert minutes_of(engine, within(20, 30)) == whole(*range(20, 31))
    assert is_kept(engine, within(20, 20)), "columns merged for another scan are as good as new"


def test_a_small_part_is_read_from_columns_after_an_empty_epoch(engine: RocksPartition) -> None:
    put(engine, 0, range(40))
    maintain(engine)
    put(engine, 1, range(0))
    assert is_kept(engine, within(20, 20))


def test_scans_of_a_part_alone_do_not_keep_columns(
    engine: RocksPartition, budget: ColumnBudget
) -> None:
    put(engine, 0, range(40))
    maintain(engine)
    put(engine, 1, range(40), v=1)
    assert budget.used_bytes == 0, "too much has changed"
    assert minutes_of(engine, within(0, 30)) == whole(*range(31))
    maintain(engine)
    assert budget.used_bytes == 0
    assert count(engine) == 40 * PER_MINUTE
    maintain(engine)
    assert budget.used_bytes > 0


def test_descending_limited_and_keyed_reads_do_not_use_columns(engine: RocksPartition) -> None:
    put(engine, 0, range(8))
    maintain(engine)
    assert rows_of(read(engine, WindowRangeQuery(order=Order.DESCENDING)))[0][1] == 7 * 60_000_000
    assert sum(b.num_rows for b in read(engine, WindowRangeQuery(limit=70))) == 70
    of_some = WindowRangeQuery(interval=Interval(lower=(0,), upper=(1,)))
    assert minutes_of(engine, of_some) == dict.fromkeys(range(8), 2)


def test_sessions_are_searched_by_end_and_start(tmp_path: Path, budget: ColumnBudget) -> None:
    """Segments are ordered by end; a query may give limits for either."""
    engine = RocksPartition(tmp_path / "sessions", schema=SESSIONS, partition=0, columns=budget)
    scan = SessionRangeQuery()
    put(engine, 0, range(8))
    maintain(engine)
    assert minutes_of(engine, scan) == whole(*range(8))
    assert is_kept(engine, scan)
    put(engine, 1, range(7, 8), watermark=6)
    assert minutes_of(engine, scan) == whole(*range(2, 8)), "the first ends are of minute 3"
    assert is_kept(engine, scan)
    assert count(engine) == 6 * PER_MINUTE
    starts = SessionRangeQuery(
        time=SessionTime(earliest_start_ms=4 * MINUTE_MS, latest_start_ms=5 * MINUTE_MS)
    )
    assert minutes_of(engine, starts) == whole(4, 5)
    assert is_kept(engine, starts)
    both = SessionRangeQuery(
        time=SessionTime(earliest_end_ms=5 * MINUTE_MS, latest_start_ms=5 * MINUTE_MS)
    )
    assert minutes_of(engine, both) == whole(4, 5)
    put(engine, 2, range(4, 5), deleted=True)
    assert minutes_of(engine, scan) == whole(2, 3, 5, 6, 7)
    engine.close()

"""The first rows by time of kept columns: all that are needed, or None."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from stategate.stores.codec.layout import Layout
from stategate.stores.codec.segments import MICROS_MAX, MICROS_MIN
from stategate.stores.engines.rocksdb.column_budget import ColumnBudget, ColumnDemand
from stategate.stores.engines.rocksdb.column_ends import END_ROWS, TimeEnd
from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.spec.query import BatchStream, FirstRowsQuery, Order
from stategate.stores.spec.schema import TIMESTAMPTZ, Row
from stategate.stores.spec.windows import TimeRange, WindowRangeQuery
from tests.support.stores import batch, progress, window
from tests.support.values import rows_of

WINDOWS = window("windows", {"k": "bigint"}, {"v": "text"}, partitions=1, size_ms=60_000)
MINUTE_US = 60_000_000
LAST_START = MICROS_MAX - MINUTE_US
ORDERS = st.sampled_from(Order)
ENDS = st.one_of(st.none(), st.integers(-2, 30))


def class_of(start: int) -> int:
    """Return a start, or the first one of those whose windows end together at the last time."""
    return min(start, LAST_START)


def needed(rows: list[Row], count: int, order: Order) -> set[Row]:
    """Return the first rows by the end of their window, with those equal to the last of them."""
    times = sorted((class_of(row[1]) for row in rows), reverse=order is Order.DESCENDING)
    return {row for row in rows if class_of(row[1]) in times[:count]}


@given(
    rows=st.integers(0, 3 * END_ROWS),
    times=st.integers(1, 400),
    seed=st.integers(0, 100),
    count=st.integers(1, END_ROWS + 10),
    order=ORDERS,
    first=ENDS,
    last=ENDS,
    shift=st.sampled_from([0, LAST_START - 20]),
)
def test_the_end_gives_the_needed_rows(
    rows: int,
    times: int,
    seed: int,
    count: int,
    order: Order,
    first: int | None,
    last: int | None,
    shift: int,
) -> None:
    starts = np.random.default_rng(seed).integers(0, times, rows) + shift
    columns = {
        "k": pa.array(range(rows), pa.int64()),
        "window_start": pa.array(starts, pa.int64()).cast(TIMESTAMPTZ.arrow),
    }
    end = TimeEnd(Layout(WINDOWS, 0), columns, 0, starts, order, is_all=True)
    within = (
        MICROS_MIN if first is None else shift + first,
        MICROS_MAX if last is None else shift + last,
    )
    names = ("k", "window_start", "_partition")
    found, listed = (take(names, within, count) for take in (end.stream, end.rows))
    asked: list[Row] = [
        (number, start, 0)
        for number, start in enumerate(starts.tolist())
        if within[0] <= start <= within[1]
    ]
    if not isinstance(found, BatchStream):
        assert rows > END_ROWS
        assert found is listed is None
        return
    given_ = rows_of(found)
    assert needed(asked, count, order) <= set(given_) <= set(asked)
    assert found.rows_in_memory == len(given_) == len(set(given_))
    assert found.first_rows(rows) == given_ == listed


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[RocksPartition]:
    opened = RocksPartition(tmp_path, schema=WINDOWS, partition=0, columns=ColumnBudget(1 << 26))
    yield opened
    opened.close()


def put(engine: RocksPartition, epoch: int, minutes: range, *, text: str = "") -> None:
    rows: list[Row] = [
        (k, minute * MINUTE_US, (minute + 1) * MINUTE_US, text)
        for minute in minutes
        for k in range(3)
    ]
    engine.apply(progress(epoch), [batch(WINDOWS, rows)])


def read(engine: RocksPartition, query: WindowRangeQuery) -> BatchStream:
    stream = engine.handlers[WindowRangeQuery](engine.view, query)
    assert isinstance(stream, BatchStream)
    return stream


def first_rows(engine: RocksPartition, query: WindowRangeQuery, count: int) -> list[Row] | None:
    handler = engine.handlers[FirstRowsQuery]
    found: list[Row] | None = handler(engine.view, FirstRowsQuery(query, count))
    return found


NEWEST = WindowRangeQuery(columns=("k", "window_start"), first_by_time=5, order=Order.DESCENDING)


def test_entries_are_read_up_to_the_segment_with_enough(engine: RocksPartition) -> None:
    """A segment of these windows has 1,024 of each key."""
    put(engine, 0, range(3000))
    found = rows_of(read(engine, NEWEST))
    assert min(row[1] for row in found) == 2048 * MINUTE_US
    oldest = rows_of(read(engine, replace(NEWEST, order=Order.ASCENDING)))
    assert max(row[1] for row in oldest) == 1023 * MINUTE_US
    assert rows_of(read(engine, replace(NEWEST, first_by_time=0))) == []


def test_kept_columns_give_the_rows_needed_only(engine: RocksPartition) -> None:
    put(engine, 0, range(3000))
    engine.maintain(lambda: False)
    newest = {(k, minute * MINUTE_US) for minute in (2998, 2999) for k in range(3)}
    oldest = {(k, minute * MINUTE_US) for minute in (0, 1) for k in range(3)}
    assert set(rows_of(read(engine, NEWEST))) == newest
    assert set(rows_of(read(engine, replace(NEWEST, order=Order.ASCENDING)))) == oldest
    assert read(engine, NEWEST).rows_in_memory == 6
    # Beyond the newest rows: all are read.
    before = TimeRange(end_ms=1000 * 60_000)
    assert len(rows_of(read(engine, replace(NEWEST, time=before)))) == 3003


def test_the_first_rows_are_given_without_a_stream(
    engine: RocksPartition, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(engine, 0, range(3000))
    engine.maintain(lambda: False)
    wanted = read(engine, NEWEST).first_rows(9)
    monkeypatch.delattr(BatchStream, "first_rows")
    assert first_rows(engine, NEWEST, 9) == wanted
    assert first_rows(engine, NEWEST, 4) == (wanted or [])[:4]
    assert first_rows(engine, replace(NEWEST, time=TimeRange(start_ms=1 << 40)), 4) == []


def test_one_scan_is_noted_however_the_first_rows_are_read(
    engine: RocksPartition, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Partitions keep their columns by the order of their scans."""
    noted: list[int] = []
    note_scan = ColumnDemand.note_scan

    def counted(demand: ColumnDemand, number: int, columns: Sequence[str]) -> None:
        noted.append(number)
        note_scan(demand, number, columns)

    monkeypatch.setattr(ColumnDemand, "note_scan", counted)
    put(engine, 0, range(60))
    assert len(first_rows(engine, NEWEST, 200) or ()) == 180  # entries
    assert noted == [1]
    engine.maintain(lambda: False)
    assert len(first_rows(engine, NEWEST, 200) or ()) == 6
    assert noted == [1, 2]
    put(engine, 1, range(60, 61))
    assert len(first_rows(engine, NEWEST, 200) or ()) == 183
    assert noted == [1, 2, 3]


def test_changes_count_from_their_epoch_on(engine: RocksPartition) -> None:
    put(engine, 0, range(3000))
    engine.maintain(lambda: False)
    held = read(engine, NEWEST)
    before = rows_of(held)
    put(engine, 1, range(3000, 3002))
    changed = read(engine, NEWEST)
    assert changed.rows_in_memory is None  # they are yet to be merged
    assert {row[1] for row in rows_of(changed)} == {3000 * MINUTE_US, 3001 * MINUTE_US}
    assert read(engine, NEWEST).rows_in_memory == 6
    assert rows_of(held) == before


def test_large_rows_are_not_kept_twice(engine: RocksPartition) -> None:
    put(engine, 0, range(100), text="x" * 10_000)
    engine.maintain(lambda: False)
    stream = read(engine, replace(NEWEST, columns=("k", "window_start", "v")))
    assert stream.rows_in_memory == 6
    assert not stream.has_rows
    assert len(rows_of(stream)) == 6

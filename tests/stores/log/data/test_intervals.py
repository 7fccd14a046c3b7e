"""Intervals round-trip through Parquet exactly, at any depth, and other readers can read them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.stores.errors import SchemaError, TornRecordError
from stategate.stores.log.data.datafiles import file_schema, row_schema
from stategate.stores.log.data.intervals import file_type, from_file, to_file
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.arrow import physical_array, physical_list
from stategate.stores.spec.position import Position
from stategate.stores.spec.query import RangeQuery
from stategate.stores.spec.schema import DataType, Value
from stategate.stores.upkeep.compaction import write_snapshot
from tests.stores.log.test_snapshots import followed
from tests.support.stores import keyvalue
from tests.support.values import rows_of

INTERVAL = DataType.parse("interval")
NESTED = DataType.parse("struct(a interval[], b map(text, interval), n bigint)")
PAUSES = keyvalue("pauses", {"k": "bigint"}, {"pause": "interval", "all": str(NESTED)})
MICROS_MAX = (2**63 - 1) // 1000

int32s = st.integers(-(2**31), 2**31 - 1)
intervals = st.tuples(int32s, int32s, st.integers(-MICROS_MAX, MICROS_MAX))
maybe = st.none() | intervals
nested = st.none() | st.fixed_dictionaries(
    {
        "a": st.none() | st.lists(maybe, max_size=3),
        "b": st.none() | st.lists(st.tuples(st.text(max_size=2), maybe), max_size=2),
        "n": st.none() | int32s,
    }
)


@given(st.lists(maybe, max_size=5), st.lists(nested, max_size=5), st.integers(0, 2))
def test_intervals_round_trip(plain: list[Value], inside: list[Value], skipped: int) -> None:
    for values, data_type in ((plain, INTERVAL), (inside, NESTED)):
        column = physical_array(values, data_type).slice(skipped)
        stored = to_file(column, data_type)
        stored.validate(full=True)
        assert stored.type == file_type(data_type)
        assert to_file(stored, data_type) is stored
        found = from_file(stored, data_type)
        found.validate(full=True)
        assert found.type == data_type.arrow
        assert physical_list(found, data_type) == values[skipped:]


@given(st.lists(st.none() | st.integers(-(2**63), 2**63 - 1), max_size=5))
def test_durations_become_days_and_microseconds(micros: list[int | None]) -> None:
    """Spark's day-time intervals: both parts have the sign of the whole."""
    durations = pa.array(micros, pa.int64()).cast(pa.duration("us"))
    back = physical_list(from_file(to_file(durations, INTERVAL), INTERVAL), INTERVAL)
    day_us = 86_400_000_000
    for whole, found in zip(micros, back, strict=True):
        if whole is None:
            assert found is None
            continue
        months, days, rest = found
        assert (months, days * day_us + rest) == (0, whole)
        assert abs(rest) < day_us
        assert days * whole >= 0
        assert rest * whole >= 0


def test_a_store_keeps_intervals_through_epochs_and_snapshots(tmp_path: Path) -> None:
    values: list[Value] = [(1, -2, 3), None, (-14, 0, -MICROS_MAX), (0, 0, 0)]
    inside: list[Value] = [
        {"a": [(0, 1, 0), None], "b": [("x", (1, 2, 3)), ("y", None)], "n": 1},
        None,
        {"a": [], "b": None, "n": None},
        {"a": None, "b": [], "n": 2},
    ]
    table = pa.table(
        {
            "k": range(4),
            "pause": physical_array(values, INTERVAL),
            "all": physical_array(inside, NESTED),
        }
    )
    writer = StoreWriter(tmp_path / "log", PAUSES)
    writer.write(table, position=Position.of({"events": {0: 1}}))
    expected = list(zip(range(4), values, inside, strict=True))
    for snapshot in (False, True):
        if snapshot:
            write_snapshot(tmp_path / "log", "pauses")
        store = followed(tmp_path / "log", tmp_path / f"data-{snapshot}", PAUSES)
        while store.follow():
            pass
        found: list[Any] = []
        for partition in range(3):
            result = store.query_partition(partition, RangeQuery())
            found += rows_of(result.value)
        assert sorted(found, key=lambda row: row[0]) == expected
        store.close()


def test_the_field_of_an_interval_is_marked(tmp_path: Path) -> None:
    writer = StoreWriter(tmp_path, PAUSES)
    table = pa.table({"k": [7], "pause": physical_array([(1, 2, 3)], INTERVAL), "all": [None]})
    writer.write(table, position=Position.of({"events": {0: 1}}))
    (path,) = tmp_path.rglob("*.parquet")
    read = pq.read_table(path)
    assert read.column("pause").to_pylist() == [{"months": 1, "days": 2, "microseconds": 3}]
    assert read.schema.field("pause").metadata[b"stategate.type"] == b"interval"
    inside = read.schema.field("all").type.field("a").type.value_field
    assert inside.metadata[b"stategate.type"] == b"interval"
    assert read.schema.equals(file_schema(PAUSES))
    assert row_schema(PAUSES).field("pause").type == pa.month_day_nano_interval()


def test_an_interval_finer_than_a_microsecond_is_refused(tmp_path: Path) -> None:
    fine = pa.array([pa.MonthDayNano((0, 0, 1))], pa.month_day_nano_interval())
    writer = StoreWriter(tmp_path, PAUSES)
    table = pa.table({"k": [7], "pause": fine, "all": [None]})
    with pytest.raises(SchemaError, match=r'column "pause".*finer'):
        writer.write(table, position=Position.of({"events": {0: 1}}))
    for wrong in (pa.array([1]), pa.array(["1 day"])):
        with pytest.raises(SchemaError, match='column "pause"'):
            writer.write(table.set_column(1, "pause", wrong), position=Position.of({}))
    table = table.set_column(1, "pause", pa.nulls(1))
    with pytest.raises(SchemaError, match='column "all"'):
        writer.write(table.set_column(2, "all", pa.array([1])), position=Position.of({}))


@pytest.mark.parametrize(
    "wrong",
    [
        {"months": None, "days": 0, "microseconds": 0},
        {"months": 0, "days": 0, "microseconds": MICROS_MAX + 1},
        {"months": 0, "days": 0, "microseconds": -(2**63)},
    ],
)
def test_an_invalid_foreign_interval_is_named(tmp_path: Path, wrong: dict[str, int | None]) -> None:
    writer = StoreWriter(tmp_path, PAUSES)
    foreign = pa.array([wrong], file_type(INTERVAL))
    table = pa.table({"k": [7], "pause": foreign, "all": [None]})
    commit = writer.write(table, position=Position.of({"events": {0: 1}}))
    (file,) = commit.files
    with pytest.raises(TornRecordError, match="an interval has"):
        list(StoreLog.open(tmp_path, "pauses").read(commit, file.partition))

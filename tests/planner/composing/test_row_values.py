"""Few rows that are written into a statement: it has the rows that it has over the relations."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stategate.planner.composing import row_values
from stategate.planner.composing.database import Definition
from stategate.planner.composing.local import LocalDatabase
from stategate.planner.composing.local_relation import LocalRelation
from stategate.planner.composing.row_values import RowValues

US = pa.timestamp("us")
UTC = pa.timestamp("us", "UTC")
DAYS = st.integers(-1_000_000, 4_000_000)
TIMES = st.one_of(
    st.integers(-(1 << 63) + 1, (1 << 63) - 1),
    st.integers(-62_135_596_800_000_000 - 1, -62_135_596_800_000_000 + 1),
    st.integers(253_402_300_799_999_999 - 1, 253_402_300_799_999_999 + 1),
)
SPECIAL = [
    *("'", "\\", "$1", "ä\n", "a\0b", '"', '\\"', "\\\\'", "", " ", " a ", "a, b", "a,b]"),
    *("NULL", "null", '"NULL"', "[", "{a: 1}", "(1, 2)", "\t", "\r\n", "x" * 30, "\u2028"),
]
VALUES: dict[pa.DataType, st.SearchStrategy[Any]] = {
    pa.string(): st.one_of(st.text(max_size=5), st.sampled_from(SPECIAL)),
    pa.bool_(): st.booleans(),
    pa.int8(): st.integers(-128, 127),
    pa.int16(): st.integers(-(1 << 15), (1 << 15) - 1),
    pa.int32(): st.integers(-(1 << 31), (1 << 31) - 1),
    pa.int64(): st.integers(-(1 << 63), (1 << 63) - 1),
    pa.float32(): st.floats(width=32),
    pa.float64(): st.floats(),
    pa.date32(): DAYS,
    US: TIMES,
    UTC: TIMES,
    pa.binary(): st.binary(max_size=3),
    pa.decimal128(4, 2): st.decimals(-9, 9, places=2),
}
TYPES = st.sampled_from(sorted(VALUES, key=str))


@st.composite
def batches(draw: st.DrawFn) -> pa.RecordBatch:
    """Draw a batch of up to four columns with any names, and few or many rows."""
    names = draw(
        st.lists(st.text(min_size=1, max_size=3), min_size=1, max_size=4, unique_by=str.lower)
    )
    assume(not any("\0" in name for name in names))
    most = row_values.VALUES_MAX // len(names)
    count = draw(st.sampled_from([0, 1, 2, 10, most, most + 1]))
    columns = []
    for _ in names:
        kind = draw(TYPES)
        values = draw(st.lists(st.one_of(st.none(), VALUES[kind]), min_size=count, max_size=count))
        physical = {US: pa.int64(), UTC: pa.int64(), pa.date32(): pa.int32()}.get(kind, kind)
        columns.append(pa.array(values, physical).cast(kind))
    return pa.RecordBatch.from_arrays(columns, names=names)


@pytest.fixture(scope="module", params=[1, 2], ids=["one thread", "two threads"])
def database(request: pytest.FixtureRequest) -> Iterator[LocalDatabase]:
    found = LocalDatabase(Definition(threads=request.param))
    yield found
    found.close()


def rows_of(database: LocalDatabase, sql: str, batch: pa.RecordBatch) -> pa.Table:
    halves = [batch.slice(0, len(batch) // 2), batch.slice(len(batch) // 2)]
    relation = LocalRelation(batch.schema, lambda: iter(halves), is_whole=True)
    statement = database.statement(sql)
    schema = statement.begin("", {"r0": relation}, {}, 100)
    found = list(iter(statement.next, None))
    statement.close()
    return pa.Table.from_batches(found, schema)


def bits(table: pa.Table) -> list[object]:
    """Return all values, so that NaN equals NaN and 0.0 does not equal -0.0."""
    return [repr(value) for column in table.columns for value in physical(column).to_pylist()]


def physical(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return times as numbers: Python's have fewer years."""
    if pa.types.is_timestamp(column.type):
        return column.cast(pa.int64())
    return column.cast(pa.int32()) if pa.types.is_date(column.type) else column


@given(batches())
def test_written_rows_are_the_rows(database: LocalDatabase, batch: pa.RecordBatch) -> None:
    sql = "SELECT *, (SELECT count(*) FROM r0) AS zz_count FROM r0"
    first, *others = (rows_of(database, sql, batch) for _ in range(3))
    for other in others:
        assert other.schema == first.schema
        assert bits(other) == bits(first)


def test_rows_are_written_from_the_second_run_on(
    database: LocalDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[list[str] | None] = []
    write = RowValues.arguments

    def recorded(self: RowValues, relations: Any) -> list[str] | None:
        made.append(write(self, relations))
        return made[-1]

    monkeypatch.setattr(RowValues, "arguments", recorded)
    sql = "SELECT max(a) AS a FROM r0"
    for number in range(3):
        batch = pa.record_batch({"a": [number, None]})
        assert rows_of(database, sql, batch).to_pylist() == [{"a": number}]
    many = pa.record_batch({"a": list(range(row_values.VALUES_MAX + 1))})
    assert rows_of(database, sql, many).to_pylist() == [{"a": row_values.VALUES_MAX}]
    assert made == [
        ["zz_r0_0 := CAST('[1, NULL]' AS BIGINT[])"],
        ["zz_r0_0 := CAST('[2, NULL]' AS BIGINT[])"],
        None,
    ]


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (US, dt.datetime.max),
        (US, dt.datetime.min),
        (UTC, dt.datetime(1969, 12, 31, 23, 59, 59, 999_999, dt.UTC)),
        (pa.float64(), -0.0),
        (pa.float64(), math.inf),
        (pa.float32(), 0.1),
    ],
)
def test_such_a_value_is_written(database: LocalDatabase, kind: pa.DataType, value: object) -> None:
    batch = pa.RecordBatch.from_arrays([pa.array([value], kind)], names=["a"])
    rows = row_values.row_values({"r0": batch.schema})
    assert rows is not None
    assert rows.arguments({"r0": [batch]}) is not None
    first, *others = (rows_of(database, "SELECT a FROM r0", batch) for _ in range(3))
    assert all(bits(first) == bits(other) for other in others)


@pytest.mark.parametrize(
    "schema",
    [
        pa.schema([]),
        pa.schema([("a", pa.binary())]),
        pa.schema([("a", pa.list_(pa.int64()))]),
        pa.schema([("a", pa.dictionary(pa.int32(), pa.string()))]),
        pa.schema([pa.field("a", pa.string(), metadata={"ARROW:extension:name": "arrow.json"})]),
        pa.schema([(name, pa.int8()) for name in "abcdefghi"]),
    ],
)
def test_other_relations_are_scanned(schema: pa.Schema) -> None:
    assert row_values.row_values({"r0": schema}) is None

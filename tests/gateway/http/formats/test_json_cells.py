"""The cells of each type; columns and rows give the same cells."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import orjson
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.gateway.http.formats.json_cells import batch_cells, cell_of, column_cells, row_cells
from stategate.planner.engine import Column, DataType, Kind
from stategate.stores.spec.schema import decimal_type


def scalar(kind: Kind) -> DataType:
    return DataType(kind=kind)


MICROS_DAY = 86_400_000_000


@pytest.mark.parametrize(
    ("kind", "value", "cell"),
    [
        (Kind.DOUBLE, math.nan, "NaN"),
        (Kind.DOUBLE, math.inf, "Infinity"),
        (Kind.DOUBLE, -math.inf, "-Infinity"),
        (Kind.DOUBLE, 0.1, 0.1),
        (Kind.REAL, 0.10000000149011612, 0.1),
        (Kind.BYTEA, b"\x00\xff", "\\x00ff"),
        (Kind.DATE, 0, "1970-01-01"),
        (Kind.DATE, -1, "1969-12-31"),
        (Kind.DATE, 3_000_000, "10183-09-21"),
        (Kind.TIME, 0, "00:00:00"),
        (Kind.TIME, MICROS_DAY - 1, "23:59:59.999999"),
        (Kind.TIMESTAMP, 0, "1970-01-01T00:00:00"),
        (Kind.TIMESTAMP, -1, "1969-12-31T23:59:59.999999"),
        (Kind.TIMESTAMPTZ, 1_500_000, "1970-01-01T00:00:01.500000Z"),
        (Kind.TIMESTAMPTZ, 10**18, "33658-09-27T01:46:40Z"),
        (Kind.INTERVAL, (0, 0, 0), "PT0S"),
        (Kind.INTERVAL, (14, 3, 3_661_500_000), "P1Y2M3DT1H1M1.5S"),
        (Kind.INTERVAL, (-14, -3, -1), "P-1Y-2M-3DT-0.000001S"),
        (Kind.JSON, '{"a":1}', '{"a":1}'),
    ],
)
def test_a_value_becomes_its_cell(kind: Kind, value: object, cell: object) -> None:
    to_cell = cell_of(scalar(kind))
    assert (to_cell(value) if to_cell else value) == cell


def test_a_decimal_keeps_its_scale_and_all_digits() -> None:
    to_cell = cell_of(decimal_type(38, 10))
    assert to_cell is not None
    assert to_cell(Decimal("0.0000000001")) == "0.0000000001"
    assert to_cell(Decimal("12345678901234567890.5")) == "12345678901234567890.5"


FIRST_US, LAST_US = -62_135_596_800_000_000, 253_402_300_799_999_999
INT64 = st.integers(-(2**63), 2**63 - 1)
SCALARS: list[tuple[DataType, st.SearchStrategy[Any]]] = [
    (scalar(Kind.BOOLEAN), st.booleans()),
    (scalar(Kind.BIGINT), INT64),
    (scalar(Kind.DOUBLE), st.floats()),
    (scalar(Kind.REAL), st.floats(width=32)),
    (decimal_type(20, 4), st.decimals(-(10**15), 10**15, places=4)),
    (scalar(Kind.TEXT), st.text(st.characters(codec="utf-8"))),
    (scalar(Kind.BYTEA), st.binary()),
    (scalar(Kind.DATE), st.integers(-1_000_000, 4_000_000)),
    (scalar(Kind.TIME), st.integers(0, MICROS_DAY - 1)),
    (scalar(Kind.TIMESTAMP), st.integers(FIRST_US * 2, LAST_US * 2)),
    (scalar(Kind.TIMESTAMPTZ), st.integers(FIRST_US, LAST_US)),
    (scalar(Kind.TIMESTAMPTZ), st.integers(-(10**9), 10**9).map(lambda n: n * 1_000_000)),
]
types_and_values = st.recursive(
    st.sampled_from(SCALARS),
    lambda inner: st.one_of(
        inner.map(
            lambda pair: (
                DataType(kind=Kind.ARRAY, element=pair[0]),
                st.lists(st.none() | pair[1], max_size=4),
            )
        ),
        inner.map(
            lambda pair: (
                DataType(kind=Kind.STRUCT, fields=(("a", pair[0]), ("b", scalar(Kind.TEXT)))),
                st.fixed_dictionaries({"a": st.none() | pair[1], "b": st.sampled_from(["", "x"])}),
            )
        ),
        inner.map(
            lambda pair: (
                DataType(kind=Kind.MAP, fields=(("key", scalar(Kind.TEXT)),), element=pair[0]),
                st.lists(st.tuples(st.sampled_from("xyz"), st.none() | pair[1]), max_size=3),
            )
        ),
    ),
    max_leaves=3,
)


@given(data=st.data())
def test_columns_and_rows_give_the_same_cells(data: st.DataObject) -> None:
    data_type, values = data.draw(types_and_values)
    column = Column(name="c", type=data_type)
    physical = data.draw(st.lists(st.none() | values, max_size=8))
    start = data.draw(st.integers(0, len(physical)))
    array = pa.array(physical, type=data_type.arrow).slice(start)
    by_column = column_cells(array, data_type)
    by_row = [row[0] for row in row_cells((column,))([(value,) for value in physical[start:]])]
    assert orjson.dumps(by_column) == orjson.dumps(by_row)


def test_rows_without_conversions_are_not_copied() -> None:
    rows = [(1, "a")]
    columns = (
        Column(name="n", type=scalar(Kind.BIGINT)),
        Column(name="t", type=scalar(Kind.TEXT)),
    )
    assert row_cells(columns)(rows) is rows


def test_an_interval_column_may_be_a_duration() -> None:
    array = pa.array([1_500_000, None], type=pa.duration("us"))
    assert column_cells(array, scalar(Kind.INTERVAL)) == ["PT1.5S", None]
    months = pa.array([(1, 2, 3_000_000)], type=pa.month_day_nano_interval())
    assert column_cells(months, scalar(Kind.INTERVAL)) == ["P1M2DT0.003S"]


def test_a_batch_becomes_a_list_per_column() -> None:
    batch = pa.RecordBatch.from_pydict({"a": pa.array([1, None]), "b": pa.array(["x", "y"])})
    columns = (
        Column(name="a", type=scalar(Kind.BIGINT)),
        Column(name="b", type=scalar(Kind.TEXT)),
    )
    assert batch_cells(batch, columns) == [[1, None], ["x", "y"]]

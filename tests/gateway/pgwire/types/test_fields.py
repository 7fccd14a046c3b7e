"""Whole columns give the same fields as value by value, whatever is in them."""

from __future__ import annotations

import math
import struct
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stategate.gateway.pgwire.statements.rows import Shape
from stategate.gateway.pgwire.types.encoders import encode_column, wire_type
from stategate.gateway.pgwire.types.fields import (
    content,
    framed_lines,
    framed_rows,
    lengths_of,
    offsets_of,
)
from stategate.planner.engine import PLAIN_TIMES, Column, DataType, Kind, QueryError, Value
from tests.gateway.pgwire.types.test_encoders import SCALARS

DAY = 86_400_000_000
INT4, INT8 = (1 << 31) - 1, (1 << 63) - 1
EDGES: dict[Kind, list[Value]] = {
    Kind.REAL: [0.0, -0.0, 1e6, 999_999.0, 1234567.0, 16777216.0, 1e-4, 1e-5, 1e10, 1e-45, 3.4e38],
    Kind.DOUBLE: [
        *(0.0, -0.0, 0.1, 1e-4, 1e-5, 9.5e-7, 1e-9, 1e-10, 1e9, 1e10, 12345678901.5, 1.7e12),
        *(999999999999999.0, 1e15, 1e16, 1e22, 5e-324, 1.7e308, math.inf, -math.inf, -1e14),
    ],
    Kind.DATE: [0, -719_162, -719_163, 2_932_896, 2_932_897, INT4, -INT4],
    Kind.TIME: [0, 1, DAY - 1, DAY, 3_600_000_000, 100, 120_000],
    Kind.TIMESTAMP: [0, -1, 1, DAY, 253_402_300_799_999_999, 253_402_300_800_000_000, INT8, -INT8],
    Kind.TIMESTAMPTZ: [0, -62_135_596_800_000_000, -62_135_596_800_000_001, 10, 100_000],
    Kind.INTERVAL: [(0, 0, 0), (-1, 1, -1), (14, -3, 14_706_000_007)],
    Kind.TEXT: ["", "ö", "\t"],
    Kind.BYTEA: [b"", bytes(range(256))],
}
FLAT = (*SCALARS, Kind.NULL)
FEWER = settings(max_examples=settings().max_examples // 2)
"""Each example is a list of values."""


def values_of(kind: Kind) -> st.SearchStrategy[Value]:
    if kind is Kind.NULL:
        return st.none()
    edges = EDGES.get(kind)
    return SCALARS[kind] if edges is None else SCALARS[kind] | st.sampled_from(edges)


def decimal_types() -> st.SearchStrategy[DataType]:
    return st.integers(1, 38).flatmap(
        lambda precision: st.integers(0, precision).map(
            lambda scale: DataType(kind=Kind.DECIMAL, precision=precision, scale=scale)
        )
    )


def decimals(data_type: DataType) -> st.SearchStrategy[Decimal]:
    most = 10**data_type.precision - 1
    small = st.integers(-min(most, 10_000), min(most, 10_000))
    edges = st.sampled_from([most, -most, min(most, 10**18), min(most, 10**18 - 1)])
    scale = data_type.scale
    return (small | st.integers(-most, most) | edges).map(
        lambda number: Decimal((int(number < 0), tuple(map(int, str(abs(number)))), -scale))
    )


def arrow(values: list[Value], data_type: DataType) -> pa.Array[Any]:
    return pa.array([stored(value, data_type) for value in values], data_type.arrow)


def stored(value: Value, data_type: DataType) -> Value:
    if value is None:
        return None
    if data_type.element is not None:
        return [stored(each, data_type.element) for each in value]
    if data_type.kind is Kind.INTERVAL:
        return pa.MonthDayNano((value[0], value[1], value[2] * 1000))
    return value


def one_by_one(values: list[Value], data_type: DataType, code: int) -> list[bytes | None]:
    wire = wire_type(data_type)
    encode = wire.encode_binary if code else wire.encode_text
    return [None if value is None else encode(value) for value in values]


def check(values: list[Value], data_type: DataType, code: int, first: int) -> None:
    """Check that a slice of the column gives the fields that its values give."""
    array = arrow(values, data_type).slice(first)
    expected = one_by_one(values[first:], data_type, code)
    fields = encode_column(array, data_type, code)
    assert fields.to_pylist() == expected
    shape = Shape(
        (Column(name="a", type=data_type), Column(name="b", type=data_type)), (code,), PLAIN_TIMES
    )
    batch = pa.RecordBatch.from_arrays([array, array], names=["a", "b"])
    rows = [(value, value) for value in values[first:]]
    messages = shape.encode_rows(rows)
    assert shape.encode_columns(batch) == messages
    assert shape.encode_batch(batch) == messages  # which may go row by row


@pytest.mark.parametrize("code", [0, 1], ids=["text", "binary"])
@pytest.mark.parametrize("kind", [kind for kind in FLAT if kind is not Kind.DECIMAL])
@FEWER
@given(st.data())
def test_columns_give_the_fields_of_their_values(
    kind: Kind, code: int, data: st.DataObject
) -> None:
    values = data.draw(st.lists(st.none() | values_of(kind), max_size=12))
    data_type = DataType(kind=kind)
    if code and kind in {Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ}:
        lowest = {Kind.DATE: -INT4 + 20_000}.get(kind, -INT8 + 10**15)
        values = [value for value in values if value is None or value > lowest]
    check(values, data_type, code, data.draw(st.integers(0, len(values))))


@pytest.mark.parametrize("code", [0, 1], ids=["text", "binary"])
@FEWER
@given(st.data())
def test_decimal_columns_give_the_fields_of_their_values(code: int, data: st.DataObject) -> None:
    data_type = data.draw(decimal_types())
    values = data.draw(st.lists(st.none() | decimals(data_type), max_size=12))
    check(values, data_type, code, data.draw(st.integers(0, len(values))))


@pytest.mark.parametrize("code", [0, 1], ids=["text", "binary"])
@pytest.mark.parametrize("kind", [kind for kind in SCALARS if kind is not Kind.DECIMAL])
@FEWER
@given(st.data())
def test_array_columns_give_the_fields_of_their_values(
    kind: Kind, code: int, data: st.DataObject
) -> None:
    scalars = st.none() | (SCALARS[kind] if code else values_of(kind))
    if kind is Kind.TEXT:
        scalars |= st.sampled_from(["null", "NULL", "nulls", "{", '"', "\\", "a b", "\v", "\x85"])
    lists: st.SearchStrategy[Value] = st.lists(scalars, max_size=4)
    data_type = DataType(kind=Kind.ARRAY, element=DataType(kind=kind))
    if data.draw(st.booleans()):
        width = data.draw(st.integers(0, 3))
        lists = st.lists(st.lists(scalars, min_size=width, max_size=width), max_size=3)
        data_type = DataType(kind=Kind.ARRAY, element=data_type)
    values = data.draw(st.lists(st.none() | lists, max_size=5))
    check(values, data_type, code, data.draw(st.integers(0, len(values))))


@pytest.mark.parametrize("code", [0, 1])
def test_nan(code: int) -> None:
    for kind in (Kind.REAL, Kind.DOUBLE):
        check([math.nan, None, 1.5, math.nan], DataType(kind=kind), code, 0)


@pytest.mark.parametrize("kind", [Kind.DATE, Kind.TIMESTAMP])
def test_values_out_of_the_wires_range_are_refused(kind: Kind) -> None:
    lowest = -INT4 + 5 if kind is Kind.DATE else -INT8 + 5
    data_type = DataType(kind=kind)
    with pytest.raises(QueryError) as caught:
        encode_column(arrow([0, lowest], data_type), data_type, 1)
    assert caught.value.sqlstate == "22008"


def test_other_arrow_types_of_one_sql_type() -> None:
    """DuckDB's columns need not have the Arrow types that the stores have."""
    text, stamp = DataType(kind=Kind.TEXT), DataType(kind=Kind.TIMESTAMPTZ)
    for arrow_type in (pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())):
        fields = encode_column(pa.array(["a", None, "bc"], arrow_type), text, 0)
        assert fields.to_pylist() == [b"a", None, b"bc"]
    seconds = pa.array([1, None], pa.timestamp("s", tz="Europe/Vienna"))
    assert encode_column(seconds, stamp, 0).to_pylist() == [b"1970-01-01 00:00:01+00", None]


def test_a_column_that_is_not_a_uuid() -> None:
    with pytest.raises(ValueError, match="36 characters"):
        encode_column(pa.array(["x"]), DataType(kind=Kind.UUID), 1)


def test_an_empty_column() -> None:
    empty = pa.array([], pa.binary())
    assert framed_rows(ord("D"), [empty], 0) == b""
    assert framed_lines(ord("d"), [empty, b"\n"], 0) == b""
    assert framed_rows(ord("D"), [], 2) == (b"D" + struct.pack(">IH", 6, 0)) * 2
    assert list(offsets_of(empty)) == [0]
    assert content(empty) == b""
    assert list(lengths_of(pa.array([None, b"ab"], pa.binary()))) == [-1, 2]

"""A comparison with a fitted value holds for the same rows as with the value itself."""

from __future__ import annotations

import math
import operator
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.values.comparison_bounds import Fitted, Outside, are_comparable, fitter
from stategate.stores.spec.schema import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    TEXT,
    TIMESTAMP,
    TIMESTAMPTZ,
    DataType,
    Value,
)

DECIMAL = DataType.parse("decimal(5,2)")
WIDE = DataType.parse("decimal(38,10)")
REAL = DataType.parse("real")
DAY_US = 86_400_000_000
integers = st.integers(-(1 << 31), (1 << 31) - 1)


def agree(column: DataType, source: DataType, held: Value, value: Value) -> None:
    """Check that four comparisons give the same results with a fitted value as with the value."""
    fit = fitter(source, column)
    assert fit is not None
    found = fit(value)
    if isinstance(found, Outside):
        assert (held < value) is (found is Outside.ABOVE)
        assert held != value
        return
    assert (held == found.value and found.exact) is (held == value)
    assert (held <= found.value) is (held <= value)
    assert (held > found.value) is (held > value)
    for compare in (operator.lt, operator.ge):
        if found.exact:
            assert compare(held, found.value) is compare(held, value)


@given(integers, st.one_of(integers, st.integers()))
def test_integers_by_integers(held: int, value: int) -> None:
    agree(INTEGER, BIGINT, held, value)


@given(integers, st.one_of(integers.map(float), st.floats(allow_nan=False)))
def test_integers_by_doubles(held: int, value: float) -> None:
    agree(INTEGER, DOUBLE, held, value)


@given(integers, st.decimals(allow_nan=False, allow_infinity=False, places=3))
def test_integers_by_decimals(held: int, value: Decimal) -> None:
    agree(INTEGER, WIDE, held, value)


@given(
    st.decimals(-999, 999, places=2),
    st.one_of(st.decimals(-2000, 2000, places=4), st.integers(-2000, 2000)),
)
def test_decimals(held: Decimal, value: Decimal | int) -> None:
    agree(DECIMAL, WIDE, held, value)


@given(st.integers(-1000, 1000), st.integers(-1000 * DAY_US, 1000 * DAY_US))
def test_dates_by_times(day: int, micros: int) -> None:
    fit = fitter(TIMESTAMPTZ, DATE)
    assert fit is not None
    found = fit(micros)
    assert isinstance(found, Fitted)
    assert (day == found.value and found.exact) is (day * DAY_US == micros)
    assert (day <= found.value) is (day * DAY_US <= micros)


def test_times_by_dates() -> None:
    for column in (TIMESTAMP, TIMESTAMPTZ):
        fit = fitter(DATE, column)
        assert fit is not None
        assert fit(2) == Fitted(2 * DAY_US)


def test_nan_is_above_all_integers() -> None:
    fit = fitter(DOUBLE, INTEGER)
    assert fit is not None
    assert fit(math.nan) is Outside.ABOVE


@pytest.mark.parametrize("column", [DOUBLE, REAL])
def test_nan_and_zero_are_one_value_each(column: DataType) -> None:
    fit = fitter(column, column)
    assert fit is not None
    fits = [fit(value) for value in (math.nan, float("nan"), -math.nan, 0.0, -0.0)]
    values = dict.fromkeys(each.value for each in fits if isinstance(each, Fitted))
    assert str([*values]) == "[nan, 0.0]"


@pytest.mark.parametrize(
    ("source", "column"),
    [
        (DOUBLE, BIGINT),  # DuckDB and Postgres compare as doubles, which round
        (REAL, INTEGER),
        (DOUBLE, REAL),
        (DOUBLE, DECIMAL),
        (TEXT, INTEGER),
        (INTEGER, TEXT),
        (BOOLEAN, INTEGER),
    ],
)
def test_other_types_have_no_fitter(source: DataType, column: DataType) -> None:
    assert fitter(source, column) is None


@pytest.mark.parametrize(
    ("one", "other", "comparable"),
    [
        (INTEGER, DECIMAL, True),
        (INTEGER, DOUBLE, True),
        (DATE, TIMESTAMPTZ, True),
        (TEXT, TEXT, True),
        (TEXT, INTEGER, False),
        (BOOLEAN, INTEGER, False),
        (TEXT, DATE, False),
        (DataType.parse("json"), TEXT, False),
        (DataType.parse("uuid"), TEXT, False),
        (DataType.parse("uuid"), DataType.parse("json"), False),
        (DataType.parse("time"), DataType.parse("interval"), True),
        (DataType.parse("bigint[]"), TEXT, False),
    ],
)
def test_comparable_types(one: DataType, other: DataType, *, comparable: bool) -> None:
    assert are_comparable(one, other) is comparable
    assert are_comparable(other, one) is comparable

"""Arrow columns and physical values: each type round-trips, with slices and with NULLs."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.stores.spec.arrow import (
    array_of_ints,
    decimal_array,
    decimal_of,
    fixed_array,
    int64_values,
    joined_bytes,
    physical_array,
    physical_list,
    unscaled_ints,
)
from stategate.stores.spec.schema import Column, DataType, Row
from stategate.stores.types.record import KeyForm
from tests.support.values import KEY_VALUES, VALUES, arrays_of, same, tables

INTEGERS = [name for name in KEY_VALUES if DataType.parse(name).kind.record.key is KeyForm.INTEGER]
DECIMAL = DataType.parse("decimal(38,10)")


@given(tables(VALUES), st.integers(0, 2))
def test_values_round_trip(table: tuple[tuple[Column, ...], list[Row]], pad: int) -> None:
    columns, rows = table
    for i, array in enumerate(arrays_of(columns, rows, pad=pad)):
        assert array.type == columns[i].type.arrow
        expected = [same(row[i]) for row in rows]
        assert list(map(same, physical_list(array, columns[i].type))) == expected
        chunked = pa.chunked_array([array, array])
        assert list(map(same, physical_list(chunked, columns[i].type))) == expected * 2


@pytest.mark.parametrize("name", INTEGERS)
@given(data=st.data())
def test_integers_of_a_column(name: str, data: st.DataObject) -> None:
    kind = DataType.parse(name)
    values = data.draw(st.lists(st.one_of(st.none(), KEY_VALUES[name])))
    array = physical_array(values, kind)
    ints = int64_values(array)
    assert ints.tolist() == [0 if value is None else int(value) for value in values]
    nulls = np.array([value is None for value in values], dtype=np.bool_)
    assert array_of_ints(ints, kind, nulls).equals(array)


@given(
    st.lists(st.one_of(st.none(), st.integers(1 - 10**38, 10**38 - 1)), max_size=6),
    st.integers(0, 2),
)
def test_unscaled_integers(numbers: list[int | None], start: int) -> None:
    values = [None if number is None else decimal_of(number, 10) for number in numbers]
    array = physical_array(values, DECIMAL)
    plain = [number or 0 for number in numbers]
    assert unscaled_ints(array) == plain
    assert unscaled_ints(array.slice(start)) == plain[start:]
    nulls = np.array([number is None for number in numbers], dtype=np.bool_)
    assert decimal_array(plain, DECIMAL, nulls).equals(array)


def test_empty_and_null_columns_of_decimals() -> None:
    assert unscaled_ints(pa.array([], DECIMAL.arrow)) == []
    assert unscaled_ints(pa.nulls(0, DECIMAL.arrow)) == []
    assert unscaled_ints(pa.nulls(3, DECIMAL.arrow)) == [0, 0, 0]
    assert len(fixed_array(b"", DECIMAL, 0)) == 0


def test_decimals_are_exact_beyond_the_default_context() -> None:
    most = 10**38 - 1
    assert str(decimal_of(most, 38)) == "0." + "9" * 38
    assert decimal_of(-most, 0) == Decimal(-most)
    assert str(decimal_of(0, 2)) == "0.00"


@given(
    rows=st.lists(st.tuples(st.binary(max_size=4), st.binary(max_size=4)), max_size=6),
    singles=st.lists(st.binary(max_size=2), min_size=4, max_size=4),
    start=st.integers(0, 2),
)
def test_pieces_are_joined_by_row(
    rows: list[tuple[bytes, bytes]], singles: list[bytes], start: int
) -> None:
    """Constants may stand before, between and after the columns; columns may be slices."""
    columns = [pa.array([row[i] for row in rows], pa.binary()).slice(start) for i in range(2)]
    before, left, right, behind = singles
    assert joined_bytes([before, columns[0], left, right, columns[1], behind]) == [
        before + first + left + right + second + behind for first, second in rows[start:]
    ]
    assert joined_bytes([columns[0]]) == [first for first, _ in rows[start:]]

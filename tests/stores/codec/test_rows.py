"""Row bytes round-trip, row by row and in batches."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.stores.codec.rows import RowCodec
from stategate.stores.errors import CodecError, SchemaError
from stategate.stores.spec.arrow import physical_array, physical_list
from stategate.stores.spec.schema import BIGINT, TEXT, TIMESTAMPTZ, Column, DataType, Kind, Row
from tests.support.values import VALUES, arrays_of, column, same, tables

Table = tuple[tuple[Column, ...], list[Row]]
WIDE_TABLES = tables(VALUES, columns_min=0, columns_max=10)


def encode(table: Table, *, epoch: int = 7, pad: int = 0) -> list[bytes]:
    columns, rows = table
    times = physical_array([None] * len(rows), TIMESTAMPTZ)
    return RowCodec(columns).encode_columns(
        arrays_of(columns, rows, pad=pad), epoch=epoch, times=times
    )


@given(WIDE_TABLES, st.integers(0, 2))
def test_rows_round_trip_one_by_one(table: Table, pad: int) -> None:
    columns, rows = table
    codec = RowCodec(columns)
    found = [codec.decode(encoded) for encoded in encode(table, pad=pad)]
    assert [tuple(map(same, row)) for row in found] == [tuple(map(same, row)) for row in rows]
    for row, put in zip(found, rows, strict=True):
        assert list(map(type, row)) == list(map(type, put))


@given(WIDE_TABLES, st.lists(st.booleans(), min_size=10, max_size=10))
def test_any_columns_round_trip_together(table: Table, flags: list[bool]) -> None:
    columns, rows = table
    wanted = flags[: len(columns)]
    found = RowCodec(columns).decode_columns(encode(table), wanted)
    assert [array is not None for array in found] == wanted
    for i, array in enumerate(found):
        if array is None:
            continue
        assert array.type == columns[i].type.arrow
        array.validate(full=True)
        values = physical_list(array, columns[i].type)
        assert list(map(same, values)) == [same(row[i]) for row in rows]


@given(
    st.lists(st.one_of(st.none(), st.integers(-(2**62), 2**62)), max_size=5),
    st.integers(0, 2**62),
)
def test_headers_hold_epoch_and_whole_milliseconds(times: list[int | None], epoch: int) -> None:
    columns = (column("v", "text"),)
    codec = RowCodec(columns)
    values = physical_array(["x"] * len(times), TEXT)
    encoded = codec.encode_columns([values], epoch=epoch, times=physical_array(times, TIMESTAMPTZ))
    whole = [None if time is None else time // 1000 for time in times]
    assert [codec.header(row) for row in encoded] == [(epoch, time_ms) for time_ms in whole]
    epochs, found = codec.decode_headers(encoded)
    assert epochs.to_pylist() == [epoch] * len(times)
    expected = [None if time_ms is None else time_ms * 1000 for time_ms in whole]
    assert physical_list(found, TIMESTAMPTZ) == expected


def test_rows_without_times() -> None:
    codec = RowCodec((column("v", "bigint"),))
    (row,) = codec.encode_columns([physical_array([1], BIGINT)], epoch=3, times=None)
    assert codec.header(row) == (3, None)
    assert codec.decode(row) == (1,)


def test_bytes_under_a_null_are_not_kept() -> None:
    """Arrow allows any bytes under a NULL; if kept, they would become part of the next column."""
    offsets, data = pa.py_buffer(bytes.fromhex("000000000300000004000000")), pa.py_buffer(b"junk")
    garbled = pa.Array.from_buffers(pa.string(), 2, [pa.py_buffer(b"\x02"), offsets, data])
    columns = (column("a", "text"), column("b", "text"))
    codec = RowCodec(columns)
    other = physical_array(["x", "y"], TEXT)
    encoded = codec.encode_columns([garbled, other], epoch=0, times=None)
    assert list(map(codec.decode, encoded)) == [(None, "x"), ("k", "y")]


def test_a_short_row_is_refused() -> None:
    codec = RowCodec((column("v", "bigint"),))
    (row,) = codec.encode_columns([physical_array([1], BIGINT)], epoch=3, times=None)
    with pytest.raises(CodecError, match="too short"):
        codec.decode(row[:-1])
    with pytest.raises(CodecError, match="too short"):
        codec.decode_columns([row[:-1]], [True])


@pytest.mark.parametrize("wrap", [lambda t: t, lambda t: DataType(kind=Kind.ARRAY, element=t)])
def test_a_type_that_rows_cannot_hold_is_refused(wrap: Callable[[DataType], DataType]) -> None:
    with pytest.raises(SchemaError, match="cannot be of type null"):
        RowCodec([Column(name="v", type=wrap(DataType(kind=Kind.NULL)))])


@pytest.mark.parametrize(
    ("data_type", "value", "encoded"),
    [
        ("boolean", True, "00 01"),
        ("bigint", -2, "00 feffffffffffffff"),
        ("decimal(9,2)", Decimal("1.50"), "00 9600000000000000"),
        ("decimal(20,0)", Decimal(-1), "00 " + "ff" * 16),
        ("text", "ab", "00 02000000 6162"),
        ("text", None, "01 00000000"),
        ("interval", (1, 2, 3), "00 01000000 02000000 0300000000000000"),
        ("smallint[]", [1, 2], "00 0a000000 00 02000000 00 0100 0200"),
        ("smallint[]", None, "01 00000000"),
    ],
)
def test_the_layout_is_kept(data_type: str, value: Any, encoded: str) -> None:
    """Databases outlive the code that writes them."""
    each = column("v", data_type)
    (row,) = RowCodec([each]).encode_columns(
        [physical_array([value], each.type)],
        epoch=5,
        times=physical_array([-1_000], TIMESTAMPTZ),
    )
    assert row == bytes.fromhex("0500000000000000 ffffffffffffffff" + encoded)

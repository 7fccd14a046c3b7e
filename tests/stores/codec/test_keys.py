"""Key bytes round-trip and sort as SQL sorts; columns and single keys have the same bytes."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stategate.stores.codec.keys import KeyCodec
from stategate.stores.engines.memory.keys import sort_key
from stategate.stores.errors import CodecError
from stategate.stores.spec.arrow import physical_list
from stategate.stores.spec.query import Interval
from stategate.stores.spec.schema import Column, Key, Row
from tests.support.values import KEY_VALUES, arrays_of, column, stored, tables

Table = tuple[tuple[Column, ...], list[Row]]


def comparable(key: Key) -> Key:
    return tuple(map(stored, key))


@given(tables(KEY_VALUES))
def test_keys_round_trip(table: Table) -> None:
    columns, rows = table
    codec = KeyCodec(columns)
    for row in rows:
        encoded = codec.encode(row)
        found, end = codec.decode(b"junk" + encoded + b"\x80more", 4)
        assert comparable(found) == comparable(row)
        assert [type(v) for v in found] == [type(v) for v in row]
        assert end == 4 + len(encoded)
        again = codec.values(b"junk" + encoded + b"\x80more", 4)
        assert comparable(again) == comparable(row)
        assert codec.encode_whole(row) == encoded
    assert codec.encode_all(rows, prefix=b"p") == [b"p" + codec.encode(row) for row in rows]


@given(tables(KEY_VALUES, rows_max=12))
def test_bytes_sort_as_keys_do(table: Table) -> None:
    columns, rows = table
    codec = KeyCodec(columns)
    by_bytes = sorted((codec.encode(row), sort_key(row)) for row in rows)
    assert [key for _, key in by_bytes] == sorted(map(sort_key, rows))
    assert len({encoded for encoded, _ in by_bytes}) == len(set(map(sort_key, rows)))


@pytest.mark.parametrize("name", KEY_VALUES)
@given(data=st.data())
def test_every_type_sorts_by_itself(name: str, data: st.DataObject) -> None:
    codec = KeyCodec([column("k", name)])
    a, b = data.draw(KEY_VALUES[name]), data.draw(st.one_of(st.none(), KEY_VALUES[name]))
    assert (codec.encode((a,)) < codec.encode((b,))) == (sort_key((a,)) < sort_key((b,)))
    assert (codec.encode((a,)) == codec.encode((b,))) == (sort_key((a,)) == sort_key((b,)))


@given(tables(KEY_VALUES), st.integers(0, 2))
def test_columns_and_single_keys_encode_alike(table: Table, pad: int) -> None:
    columns, rows = table
    codec = KeyCodec(columns)
    assert codec.encode_columns(arrays_of(columns, rows, pad=pad)) == list(map(codec.encode, rows))


@given(tables(KEY_VALUES), st.lists(st.booleans(), min_size=4, max_size=4))
@example(
    # The first NUL lies where the terminator would be if the bigint were not NULL.
    ((column("a", "text"), column("b", "bigint")), [("X\0abcdef", None)]),
    [True] * 4,
)
@example(
    ((column("a", "bigint"), column("b", "text"), column("c", "bigint")), [(None, "xxxxx", None)]),
    [True] * 4,
)
def test_columns_and_single_keys_decode_alike(table: Table, flags: list[bool]) -> None:
    columns, rows = table
    codec = KeyCodec(columns)
    wanted = flags[: len(columns)]
    found = codec.decode_columns([codec.encode(row) for row in rows], wanted)
    for i, (array, want) in enumerate(zip(found, wanted, strict=True)):
        if not want:
            assert array is None
            continue
        assert array is not None
        assert array.type == columns[i].type.arrow
        array.validate(full=True)
        values = physical_list(array, columns[i].type)
        assert list(map(stored, values)) == [stored(row[i]) for row in rows]


@st.composite
def tables_and_intervals(draw: st.DrawFn) -> tuple[Table, Interval]:
    columns, rows = draw(tables(KEY_VALUES, columns_max=3))
    ends: list[Key | None] = []
    for _ in range(2):
        # Existing keys, whole or cut short, are the ends worth testing.
        fresh = st.tuples(*[KEY_VALUES[str(each.type)] for each in columns])
        whole = draw(st.one_of(st.none(), fresh, *([st.sampled_from(rows)] * 2 if rows else [])))
        length = draw(st.integers(1, len(columns)))
        ends.append(None if whole is None else whole[:length])
    interval = Interval(
        lower=ends[0],
        upper=ends[1],
        lower_inclusive=draw(st.booleans()),
        upper_inclusive=draw(st.booleans()),
    )
    return (columns, rows), interval


def is_within(key: Key, interval: Interval) -> bool:
    """Whether an interval has a key, by comparing as many columns as its ends have."""
    if interval.lower is not None:
        head, end = sort_key(key[: len(interval.lower)]), sort_key(interval.lower)
        if head < end or (head == end and not interval.lower_inclusive):
            return False
    if interval.upper is not None:
        head, end = sort_key(key[: len(interval.upper)]), sort_key(interval.upper)
        if head > end or (head == end and not interval.upper_inclusive):
            return False
    return True


@given(tables_and_intervals(), st.sampled_from([b"", b"\x80" + b"\0" * 7, b"\x7f" + b"\xff" * 7]))
def test_an_interval_selects_its_keys(case: tuple[Table, Interval], window_start: bytes) -> None:
    (columns, rows), interval = case
    codec = KeyCodec(columns)
    start, end = codec.range_of(interval)
    for row in rows:
        encoded = codec.encode(row) + window_start
        selected = (start is None or start <= encoded) and (end is None or encoded < end)
        assert selected == is_within(row, interval), (row, interval)


@given(tables(KEY_VALUES, rows_max=2))
def test_a_cut_key_is_refused_or_is_another_key(table: Table) -> None:
    columns, rows = table
    codec = KeyCodec(columns)
    for row in rows:
        encoded = codec.encode(row)
        for length in range(len(encoded)):
            try:
                found, end = codec.decode(encoded[:length])
            except CodecError:
                continue
            assert codec.encode(found) == encoded[:end]


@pytest.mark.parametrize(
    ("data_type", "value"),
    [
        ("boolean", "true"),
        ("boolean", 2),
        ("tinyint", 128),
        ("smallint", -32_769),
        ("integer", 1 << 31),
        ("bigint", 1 << 63),
        ("bigint", -(1 << 63) - 1),
        ("bigint", 1.0),
        ("bigint", "1"),
        ("real", 1e300),
        ("double", "1"),
        ("double", 10**400),
        ("double", Decimal(1)),
        ("decimal(4,2)", Decimal("100")),
        ("decimal(4,2)", Decimal("0.001")),
        ("decimal(4,2)", Decimal("NaN")),
        ("decimal(4,2)", Decimal("-Infinity")),
        ("decimal(4,2)", 1.5),
        ("decimal(4,2)", "x"),
        ("decimal(4,2)", "1.10"),
        ("text", b"a"),
        ("text", 1),
        ("text", "\ud800"),
        ("bytea", "a"),
        ("bytea", 3),
        ("bytea", [3]),
        ("date", "2024-01-01"),
        ("timestamptz", 1 << 63),
    ],
)
def test_a_value_that_does_not_fit_is_refused(data_type: str, value: Any) -> None:
    with pytest.raises(CodecError, match=rf'does not fit key column "k" of type {data_type[:4]}'):
        KeyCodec([column("k", data_type)]).encode((value,))
    with pytest.raises(CodecError, match='"b"'):
        KeyCodec([column("a", "text"), column("b", data_type)]).encode(("a", value))


def test_a_key_has_one_value_per_column() -> None:
    codec = KeyCodec([column("a", "text"), column("b", "bigint")])
    for key in [(), ("a", 1, 2)]:
        with pytest.raises(CodecError, match=f"number of key columns is 2, not {len(key)}"):
            codec.encode(key)
    with pytest.raises(CodecError, match="number of key columns is 2, not 1"):
        codec.encode_whole(("a",))
    with pytest.raises(CodecError, match="number of key columns is 1, not 2"):
        KeyCodec([column("a", "text")]).encode(("a", 1))


def test_the_prefix_of_a_key_begins_its_bytes() -> None:
    codec = KeyCodec([column("a", "text"), column("b", "bigint")])
    assert codec.encode(("a", 1)).startswith(codec.encode(("a",)))


@pytest.mark.parametrize(
    ("data_type", "value", "encoded"),
    [
        ("bigint", None, "00"),
        ("boolean", True, "0181"),
        ("smallint", -1, "017fff"),
        ("bigint", 1, "018000000000000001"),
        ("double", -0.0, "018000000000000000"),
        ("double", -1.0, "01400fffffffffffff"),
        ("decimal(9,2)", Decimal("1.50"), "018000000000000096"),
        ("text", "a\0b", "016100ff6200"),
        ("bytea", b"", "0100"),
        ("date", 1, "0180000001"),
    ],
)
def test_the_layout_is_kept(data_type: str, value: Any, encoded: str) -> None:
    """Databases outlive the code that writes them."""
    assert KeyCodec([column("k", data_type)]).encode((value,)).hex() == encoded

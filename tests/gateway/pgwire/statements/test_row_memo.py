from __future__ import annotations

import random
import threading
import tracemalloc
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.gateway.pgwire.statements import row_memo
from stategate.gateway.pgwire.statements.row_encoders import EncodeRows, looping_encoder
from stategate.gateway.pgwire.statements.row_memo import (
    BYTES_MAX,
    MEMOS_MAX,
    MESSAGE_BYTES_MAX,
    PAUSE_ROWS,
    ROWS_MIN,
    TRIED_ROWS,
    RowMemo,
    with_memo,
)
from stategate.gateway.pgwire.statements.rows import Shape
from stategate.gateway.pgwire.types.encoders import wire_type
from stategate.planner.engine import PLAIN_TIMES, Column, DataType, Kind, Row
from tests.support.sample_rows import TYPE_COLUMNS, TYPE_ROWS


class Encoder:
    """Counts the rows that it encodes."""

    def __init__(self) -> None:
        self.rows = 0

    def __call__(self, rows: Sequence[Row]) -> bytes:
        self.rows += len(rows)
        return b"".join(repr(row).encode() for row in rows)


def columns(*types: str) -> tuple[Column, ...]:
    return tuple(Column(name=f"c{at}", type=DataType.parse(name)) for at, name in enumerate(types))


VALUES = {
    "text": st.sampled_from(["", "a", "b"]),
    "bigint": st.integers(-1, 1),
    "boolean": st.booleans(),
    "double": st.sampled_from([0.0, -0.0, 1.0, float("nan"), float("inf"), 1e-300]),
    "real": st.sampled_from([0.0, -0.0, 0.5]),
    "timestamptz": st.sampled_from([0, 1, 10**15]),
}


@given(st.data(), st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=4))
@pytest.mark.parametrize("code", [0, 1])
def test_messages_are_those_of_the_encoder(
    code: int, data: st.DataObject, types: list[str]
) -> None:
    found = columns(*types, "timestamptz")
    rows = st.tuples(*(st.one_of(st.none(), VALUES[name]) for name in (*types, "timestamptz")))
    plain, shape = plain_encoder(found, code), Shape(found, (code,), PLAIN_TIMES)
    for _ in range(3):
        some = data.draw(st.lists(rows, max_size=8))
        assert shape.encode_rows(some) == plain(some)
        assert shape.encode_rows(some) == plain(some)


@pytest.mark.parametrize("code", [0, 1])
@pytest.mark.parametrize("place", range(len(TYPE_COLUMNS)))
def test_messages_of_each_type_are_those_of_the_encoder(place: int, code: int) -> None:
    column = TYPE_COLUMNS[place]
    rows = [(row[place], number) for row in TYPE_ROWS for number in (0, 1)] * 2
    found = (column, Column(name="at", type=DataType.parse("timestamptz")))
    assert has_memo(Shape(found, (code, 0), PLAIN_TIMES)) == (
        column.type.kind.record.has_one_form or column.type.kind in {Kind.REAL, Kind.DOUBLE}
    )
    shape, plain = Shape(found, (code, 0), PLAIN_TIMES), plain_encoder(found, code, 0)
    for _ in range(2):
        assert shape.encode_rows(rows) == plain(rows)


def plain_encoder(found: Sequence[Column], *codes: int) -> EncodeRows:
    all_codes = codes if len(codes) == len(found) else codes * len(found)
    return looping_encoder(
        [
            wire_type(column.type).encode_binary if code else wire_type(column.type).encode_text
            for column, code in zip(found, all_codes, strict=True)
        ]
    )


def has_memo(shape: Shape) -> bool:
    return getattr(shape.encode_rows, "__func__", None) is RowMemo.encode_rows


def test_rows_that_come_again_are_not_encoded_again() -> None:
    encoder = Encoder()
    memo = RowMemo(encoder)
    rows: list[Row] = [(number, "x") for number in range(10)]
    first = memo.encode_rows(rows)
    assert encoder.rows == 10
    assert memo.encode_rows([(number, "x") for number in range(10)]) == first
    assert memo.encode_rows(rows[3:8]) == Encoder()(rows[3:8])
    assert encoder.rows == 10
    memo.encode_rows([(10, "x"), *rows])
    assert encoder.rows == 11


def test_few_rows_are_just_encoded() -> None:
    encoder = Encoder()
    memo = RowMemo(encoder)
    for _ in range(2):
        memo.encode_rows([(number,) for number in range(ROWS_MIN - 1)])
    assert encoder.rows == 2 * (ROWS_MIN - 1)
    assert not memo._recent


def test_zeros_of_both_signs_are_not_kept() -> None:
    memo = RowMemo(Encoder(), zeros=[1])
    for zero in (0.0, -0.0, None):
        rows: list[Row] = [("a", zero)] * ROWS_MIN
        assert memo.encode_rows(rows) == f"('a', {zero})".encode() * ROWS_MIN


def test_only_rows_that_look_the_same_if_they_are_equal_have_a_memo() -> None:
    for name in ("decimal(4, 2)", "text[]", "struct(a bigint)"):
        assert not has_memo(Shape(columns("timestamptz", name), (), PLAIN_TIMES))
    assert has_memo(Shape(columns("text", "double", "timestamptz"), (), PLAIN_TIMES))
    assert {kind for kind in Kind if not kind.record.has_one_form} == {
        *(Kind.REAL, Kind.DOUBLE, Kind.DECIMAL, Kind.ARRAY, Kind.STRUCT, Kind.MAP, Kind.JSONB)
    }


def test_cheap_rows_have_no_memo() -> None:
    assert not has_memo(Shape(columns("text", "bigint", "boolean"), (), PLAIN_TIMES))
    assert not has_memo(Shape(columns("text", "timestamptz"), (1,), PLAIN_TIMES))
    assert has_memo(Shape(columns("text", "timestamptz"), (1, 0), PLAIN_TIMES))


def test_long_messages_are_not_kept_and_soon_not_looked_for() -> None:
    encoder = Encoder()
    memo = RowMemo(encoder)
    long: list[Row] = [("x" * MESSAGE_BYTES_MAX,)] * ROWS_MIN
    for _ in range(2):
        memo.encode_rows(long)
    assert encoder.rows == 2 * ROWS_MIN
    for _ in range(TRIED_ROWS // 4 // 64 // ROWS_MIN):
        memo.encode_rows(long)
    assert memo._pause > 0


def test_the_memory_is_limited_and_what_is_asked_for_stays() -> None:
    encoder = Encoder()
    memo = RowMemo(encoder, row_bytes=400)
    hot: list[Row] = [("hot", number) for number in range(100)]
    memo.encode_rows(hot)
    for number in range(0, 20_000, 10):
        memo.encode_rows(hot)
        memo.encode_rows([("cold", each) for each in range(number, number + 10)])
        assert memo._used <= BYTES_MAX // 2 + 10_000
    assert encoder.rows == 20_100
    rows = len(memo._recent) + len(memo._older)
    assert 5_000 < rows < 15_000


@pytest.mark.parametrize("columns_of_row", [3, 60])
def test_the_charged_size_is_the_real_one(columns_of_row: int) -> None:
    found = columns("timestamptz", *["bigint"] * (columns_of_row - 1))
    memo = with_memo(
        found, (0,) * columns_of_row, Shape(found, (), PLAIN_TIMES).encode_rows
    ).__self__  # type: ignore[attr-defined]
    tracemalloc.start()
    try:
        for number in range(1000, 1300, 10):
            memo.encode_rows(
                [
                    tuple((at << 32) + place for place in range(columns_of_row))
                    for at in range(number, number + 10)
                ]
            )
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 0.6 < memo._used / taken < 1.6


def encode_all(memo: RowMemo, numbers: Sequence[int]) -> None:
    for at in range(0, len(numbers), 64):
        memo.encode_rows([(number,) for number in numbers[at : at + 64]])


def test_a_memo_that_finds_nothing_soon_pauses() -> None:
    encoder = Encoder()
    memo = RowMemo(encoder)
    encode_all(memo, range(TRIED_ROWS // 4))
    assert memo._pause == PAUSE_ROWS
    assert not memo._recent
    encoder.rows = 0
    encode_all(memo, [1] * PAUSE_ROWS)
    assert encoder.rows == PAUSE_ROWS
    encode_all(memo, [1] * 640)
    assert encoder.rows == PAUSE_ROWS + 64


@pytest.mark.parametrize(("different", "pays"), [(5_000, True), (20_000, False)])
def test_a_memo_goes_on_if_it_finds_most_rows_in_the_end(different: int, pays: bool) -> None:
    memo = RowMemo(Encoder())
    rows = random.Random(1).choices(range(different), k=TRIED_ROWS)
    encode_all(memo, rows)
    assert (memo._pause == 0) == pays


def test_few_memos_have_rows() -> None:
    memos = [RowMemo(Encoder()) for _ in range(MEMOS_MAX + 3)]
    rows: list[Row] = [(number,) for number in range(ROWS_MIN)]
    for memo in memos:
        memo.encode_rows(rows)
    assert [bool(memo._recent) for memo in memos] == [False] * 3 + [True] * MEMOS_MAX
    memos[0].encode_rows(rows)
    assert bool(memos[0]._recent)
    assert not memos[3]._recent
    assert len(row_memo._with_rows) == MEMOS_MAX


def test_threads_may_share_a_memo() -> None:
    memo = RowMemo(Encoder())
    wrong: list[object] = []

    def encode(seed: int) -> None:
        for number in range(3000):
            rows: list[Row] = [("x" * 900, (seed + number * each) % 5000) for each in range(5)]
            if memo.encode_rows(rows) != Encoder()(rows):
                wrong.append(number)

    threads = [threading.Thread(target=encode, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong

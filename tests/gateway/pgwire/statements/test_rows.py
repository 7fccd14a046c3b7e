from __future__ import annotations

import struct
from collections.abc import Iterator

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.gateway.pgwire.protocol.limits import PgLimits
from stategate.gateway.pgwire.statements.row_encoders import PRINTED_ROWS, looping_encoder
from stategate.gateway.pgwire.statements.rows import RowSource, Shape
from stategate.gateway.pgwire.types.encoders import wire_type
from stategate.planner.engine import (
    PLAIN_TIMES,
    Cancellation,
    Column,
    DataType,
    QueryError,
    Result,
    Row,
    StatementKind,
)
from stategate.planner.values.catalog_types import CATALOG_TYPES
from stategate.stores.spec.schema import TEXT
from tests.gateway.pgwire import wire
from tests.support.sample_rows import (
    SERIES_COLUMNS,
    TYPE_COLUMNS,
    TYPE_ROWS,
    series_batches,
    type_batches,
)

LIMITS = PgLimits(chunk_rows_max=7)


@pytest.mark.parametrize("format_code", [0, 1])
def test_rows_and_batches_give_the_same_messages(format_code: int) -> None:
    shape = Shape(TYPE_COLUMNS, (format_code,), PLAIN_TIMES)
    from_batches = b"".join(shape.encode_batch(batch) for batch in type_batches())
    assert shape.encode_rows(TYPE_ROWS) == from_batches
    rows = [wire.row_fields(body) for _, body in wire.split_messages(from_batches)]
    assert rows[1] == [None] * len(TYPE_COLUMNS)


def test_one_column_and_long_fields() -> None:
    shape = Shape(SERIES_COLUMNS[1:2], (), PLAIN_TIMES)
    rows = [(None,), ("",), ("x" * 5000,)]
    fields = [wire.row_fields(body) for _, body in wire.split_messages(shape.encode_rows(rows))]
    assert fields == [[None], [b""], [b"x" * 5000]]
    batch = pa.RecordBatch.from_arrays([pa.array([row[0] for row in rows])], names=["name"])
    assert shape.encode_batch(batch) == shape.encode_rows(rows)


def test_a_column_may_be_described_as_another_type() -> None:
    columns = (Column(name="done", type=TEXT), Column(name="note", type=TEXT))
    void = Shape((Column(name="done", type=CATALOG_TYPES["void"]), columns[1]), (), PLAIN_TIMES)
    row = ("", "x")
    assert void.encode_rows([row]) == Shape(columns, (), PLAIN_TIMES).encode_rows([row])
    ((_, body),) = wire.split_messages(void.description)
    described = [(oid, length) for _, oid, length, *_ in wire.columns_of(body)]
    assert described == [(2278, 4), (25, -1)]


def test_no_columns() -> None:
    shape = Shape((), (), PLAIN_TIMES)
    empty_row = b"D" + struct.pack(">IH", 6, 0)
    assert shape.encode_rows([(), ()]) == empty_row * 2
    assert shape.description == b"T" + struct.pack(">IH", 6, 0)


def source_of(count: int, closed: list[bool], *, at_hand: bool = False) -> RowSource:
    shape = Shape(SERIES_COLUMNS, (), PLAIN_TIMES)
    batches = series_batches(count, Cancellation(), 5)
    if at_hand:
        return RowSource(
            Result(kind=StatementKind.SELECT, rows=[(n, "a", 0.5, 0) for n in range(count)]), shape
        )
    result = Result(
        kind=StatementKind.SELECT, batches=batches, on_close=lambda: closed.append(True)
    )
    return RowSource(result, shape)


def take(source: RowSource, rows_max: int) -> bytes:
    if source.at_hand:
        return source.take_at_hand(rows_max)
    return b"".join(map(source.encode, source.take(rows_max, LIMITS)))


@given(st.integers(0, 40), st.lists(st.integers(0, 12), max_size=10), st.booleans())
def test_any_row_limits_give_all_rows_once_in_order(
    count: int, goes: list[int], at_hand: bool
) -> None:
    source = source_of(count, [], at_hand=at_hand)
    numbers: list[int] = []
    for rows_max in [*goes, 0]:
        taken = [
            int(wire.row_fields(body)[0] or b"")
            for _, body in wire.split_messages(take(source, rows_max))
        ]
        assert len(taken) == source.taken
        assert rows_max == 0 or len(taken) <= rows_max
        numbers += taken
    assert numbers == list(range(count))


def test_chunks_are_small() -> None:
    source = source_of(40, [])
    chunks = list(source.take(0, LIMITS))
    assert sum(map(len, chunks[0])) == 5, "the first piece is sent at once"
    assert all(7 <= sum(map(len, chunk)) < 14 for chunk in chunks[1:-1])
    assert len(list(wire.split_messages(source.encode(chunks[0])))) == sum(map(len, chunks[0]))
    wide = source_of(40, [])
    assert len(list(wide.take(0, PgLimits(chunk_bytes_target=1)))) == 40


def test_a_source_that_is_closed_gives_nothing_and_closes_once() -> None:
    closed: list[bool] = []
    source = source_of(20, closed)
    assert len(take(source, 3)) > 0
    source.close()
    source.close()
    assert closed == [True]
    assert take(source, 0) == b""


def test_an_error_in_the_stream_passes() -> None:
    def broken() -> Iterator[pa.RecordBatch]:
        yield from series_batches(5, Cancellation(), 5)
        raise QueryError("broken", sqlstate="58030")

    source = RowSource(
        Result(kind=StatementKind.SELECT, batches=broken()), Shape(SERIES_COLUMNS, (), PLAIN_TIMES)
    )
    chunks = source.take(0, LIMITS)
    assert list(map(len, next(chunks))) == [5]
    with pytest.raises(QueryError, match="broken"):
        next(chunks)


@given(
    st.lists(st.one_of(st.none(), st.text(max_size=2000)), min_size=1, max_size=40),
    st.lists(st.integers(0, 2000), max_size=3),
)
def test_a_generated_encoder_encodes_as_one_that_loops(
    values: list[str | None], lengths: list[int]
) -> None:
    columns = tuple(Column(name=f"c{at}", type=DataType.parse("text")) for at in range(len(values)))
    rows = [tuple(values), *(("x" * length, *values[1:]) for length in lengths)]
    looping = looping_encoder([str.encode] * len(values))
    assert Shape(columns, (), PLAIN_TIMES).encode_rows(rows) == looping(rows)


MOMENT, NAME = DataType.parse("timestamptz"), DataType.parse("text")


@given(
    st.lists(
        st.tuples(
            st.none() | st.text(max_size=3) | st.just("x" * 1100),
            st.none() | st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(0, 1 << 50),
        ),
        min_size=1,
    ).map(lambda rows: rows * (1 + PRINTED_ROWS // len(rows))),
    st.sampled_from([(0, 0), (0, 1)]),
)
def test_many_rows_are_encoded_as_one_by_one(rows: list[Row], formats: tuple[int, int]) -> None:
    columns = (Column(name="name", type=NAME), Column(name="at", type=MOMENT))
    moment = wire_type(MOMENT)
    encode = moment.encode_binary if formats[1] else moment.encode_text
    looping = looping_encoder([str.encode, encode])
    if formats[1]:
        rows = [(name, None if at is None else min(at, 1 << 60)) for name, at in rows]
        rows = [(name, None if at is None else max(at, -(1 << 60))) for name, at in rows]
    assert Shape(columns, formats, PLAIN_TIMES).encode_rows(rows) == looping(rows)


def rows_in(encoded: bytes) -> int:
    return sum(kind == "D" for kind, _ in wire.split_messages(encoded))


def test_the_first_rows_do_not_wait_for_later_ones() -> None:
    begun = source_of(20, []).begin(0, LIMITS)
    assert rows_in(begun.rows) == 5
    assert begun.rest is not None
    assert sum(len(piece) for chunk in begun.rest for piece in chunk) == 15


def test_rows_in_memory_are_read_to_the_end() -> None:
    source = source_of(20, [])
    source.result.is_computed = lambda: True
    begun = source.begin(0, LIMITS)
    assert (rows_in(begun.rows), begun.rest, begun.error) == (20, None, None)
    few = source_of(20, [], at_hand=True).begin(3, LIMITS)
    assert (rows_in(few.rows), few.rest) == (3, None)


def test_rows_up_to_a_limit_need_no_second_read() -> None:
    source = source_of(20, [])
    begun = source.begin(5, LIMITS)
    assert (rows_in(begun.rows), begun.rest, source.taken) == (5, None, 5)


def test_rows_in_memory_are_encoded_up_to_a_size() -> None:
    source = source_of(2_000, [])
    source.result.is_computed = lambda: True
    limits = PgLimits(chunk_rows_max=7, chunk_bytes_target=1_000)
    begun = source.begin(0, limits)
    assert begun.rest is not None
    assert 1_000 <= len(begun.rows) < 3_000


def test_an_error_comes_with_the_rows_before_it() -> None:
    def broken() -> Iterator[pa.RecordBatch]:
        yield from series_batches(5, Cancellation(), 5)
        raise QueryError("broken")

    result = Result(kind=StatementKind.SELECT, batches=broken(), is_computed=lambda: True)
    begun = RowSource(result, Shape(SERIES_COLUMNS, (), PLAIN_TIMES)).begin(0, LIMITS)
    assert rows_in(begun.rows) == 5
    assert isinstance(begun.error, QueryError)
    assert begun.rest is None

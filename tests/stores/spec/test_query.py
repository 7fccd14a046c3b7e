"""Queries: the values that their builders return, and the arguments that they refuse."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa
import pytest

from stategate.stores.spec.query import (
    EVERYTHING,
    BatchStream,
    Interval,
    KeyQuery,
    KeysQuery,
    Order,
    QueryArgumentError,
    RangeQuery,
)
from stategate.stores.spec.scans import RawKeyQuery, RawScanQuery
from stategate.stores.spec.schema import Row
from stategate.stores.spec.windows import TimeRange, WindowKeyQuery, WindowRangeQuery


def test_builders_set_the_fields() -> None:
    assert KeyQuery.with_key("a", 1) == KeyQuery(key=("a", 1))
    assert KeysQuery.with_keys([("b",), ("a",), ("b",)]) == KeysQuery(keys=(("b",), ("a",)))
    assert RangeQuery.with_no_bounds() == RangeQuery(interval=EVERYTHING)
    assert RangeQuery.with_range((1,), (2,)).interval == Interval(lower=(1,), upper=(2,))
    assert RangeQuery.with_range(None, (2,)) == RangeQuery.with_upper_bound((2,))
    assert RangeQuery.with_range((1,), None) == RangeQuery.with_lower_bound((1,))
    assert RangeQuery.with_range(None, None) == RangeQuery.with_no_bounds()
    whole = WindowKeyQuery.with_key_and_window_start_range(("a",), start_ms=1, end_ms=2)
    assert whole == WindowKeyQuery(key=("a",), time=TimeRange(start_ms=1, end_ms=2))
    ranged = WindowRangeQuery.with_window_start_range(start_ms=1, end_ms=2)
    assert ranged == WindowRangeQuery(interval=EVERYTHING, time=TimeRange(start_ms=1, end_ms=2))


def test_an_option_returns_a_new_query() -> None:
    query = RangeQuery.with_lower_bound((1,))
    assert query.with_descending_keys().order is Order.DESCENDING
    assert query.with_descending_keys().with_ascending_keys() == query
    assert query.order is Order.ASCENDING
    with pytest.raises(AttributeError, match="immutable"):
        query.limit = 1  # type: ignore[misc]


@pytest.mark.parametrize(
    "build",
    [
        KeyQuery.with_key,
        lambda: RangeQuery.with_lower_bound(()),
        lambda: RangeQuery.with_upper_bound(()),
        lambda: RangeQuery.with_lower_bound(None),  # type: ignore[arg-type]
        lambda: RangeQuery.with_range((), None),
        lambda: Interval(upper=()),
        lambda: RangeQuery(limit=-1),
        lambda: WindowKeyQuery(key=(), time=TimeRange()),
        lambda: WindowKeyQuery(key=("a",), time=TimeRange(), limit=-1),
        lambda: WindowRangeQuery(limit=-1),
        lambda: RawKeyQuery.with_key("a"),  # type: ignore[arg-type]
        lambda: RawScanQuery(start="a"),  # type: ignore[arg-type]
        lambda: RawScanQuery(end=1),  # type: ignore[arg-type]
    ],
)
def test_invalid_arguments_are_refused(build: Callable[[], object]) -> None:
    with pytest.raises(QueryArgumentError):
        build()


def test_a_stream_is_read_from_its_start_each_time() -> None:
    batch = pa.RecordBatch.from_pydict({"a": [1]})
    starts = iter([[batch], [batch, batch]])
    stream = BatchStream(lambda: iter(next(starts)))
    assert [len(list(stream)), len(list(stream))] == [1, 2]


def test_a_slow_read_of_few_rows_ends_with_the_chunk_it_has_begun() -> None:
    chunks = [[(1,), (2,)], [(3,)], [(4,)]]
    stream = BatchStream(lambda: iter(()), lambda first_rows: iter(chunks))
    assert stream.first_rows(9) == [(1,), (2,), (3,), (4,)]
    assert stream.first_rows(9, until_s=0.0) is None
    alone = BatchStream(lambda: iter(()), lambda first_rows: iter([*chunks[:1], []]))
    assert alone.first_rows(9, until_s=0.0) == [(1,), (2,)]
    assert alone.first_rows(1) == [(1,)]
    assert BatchStream(lambda: iter(())).first_rows(9) is None


def test_a_slow_read_of_few_rows_ends_although_its_chunks_are_empty() -> None:
    left = [list[Row]()] * 9

    def rows(first_rows: int) -> Iterator[list[Row]]:
        while left:
            yield left.pop()

    assert BatchStream(lambda: iter(()), rows).first_rows(9, until_s=0.0) is None
    assert len(left) == 6


def test_the_rows_that_are_read_of_a_stream_are_counted() -> None:
    batch = pa.RecordBatch.from_pydict({"a": [1, 2, 3]})
    stream = BatchStream(lambda: iter([batch]), lambda first_rows: iter([[(1,), (2,)], [(3,)]]))
    counted: list[int] = []
    for _ in range(2):
        stream.count_with(counted.append)
    assert len(list(stream)) == 1
    assert list(stream.rows()) == [[(1,), (2,)], [(3,)]]
    assert stream.first_rows(3) == [(1,), (2,), (3,)]
    assert stream.first_rows(1) == [(1,)]
    assert counted == [3, 2, 1, 3, 2]

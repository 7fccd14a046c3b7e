"""Merged ordered reads: the first rows of all, without reading more than needed."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.binding.domains import sortable
from stategate.planner.running.ordered_reads import first_rows, trailing_null_held
from stategate.stores.spec.query import Order
from stategate.stores.spec.schema import Row

SCHEMA = pa.schema([("a", pa.int64()), ("b", pa.int64())])
ROWS = st.lists(
    st.tuples(st.one_of(st.none(), st.integers(0, 5)), st.one_of(st.none(), st.integers(0, 5))),
    unique=True,
    max_size=40,
)


def batches(rows: list[Row], size: int, taken: list[int]) -> Iterator[pa.RecordBatch]:
    for at in range(0, len(rows), size):
        part = rows[at : at + size]
        taken.append(len(part))
        yield pa.RecordBatch.from_pylist(
            [dict(zip("ab", row, strict=True)) for row in part], schema=SCHEMA
        )


def rows_of(found: Iterator[pa.RecordBatch]) -> list[Row]:
    return [tuple(row.values()) for batch in found for row in batch.to_pylist()]


def key_order(row: Row) -> list[tuple[int, object]]:
    return [sortable(value) for value in row]


@given(
    rows=ROWS,
    parts=st.integers(1, 4),
    size=st.integers(1, 5),
    limit=st.integers(1, 50),
    order=st.sampled_from(Order),
)
def test_first_rows_in_key_order(
    rows: list[Row], parts: int, size: int, limit: int, order: Order
) -> None:
    descending = order is Order.DESCENDING
    ordered = sorted(rows, key=key_order, reverse=descending)
    taken: list[int] = []
    reads = [batches(ordered[i::parts], size, taken) for i in range(parts)]
    columns = [("a", not descending), ("b", not descending)]
    assert rows_of(first_rows(reads, columns, order, rows=limit)) == ordered[:limit]


@given(rows=ROWS, parts=st.integers(1, 4), size=st.integers(1, 5), limit=st.integers(1, 50))
def test_nulls_of_the_last_column_after_their_group(
    rows: list[Row], parts: int, size: int, limit: int
) -> None:
    stored = sorted((row for row in rows if row[0] is not None), key=key_order)
    reads = [trailing_null_held(batches(stored[i::parts], size, []), "b") for i in range(parts)]
    expected = sorted(stored, key=lambda row: (row[0], row[1] is None, row[1] or 0))
    found = first_rows(reads, [("a", False), ("b", False)], Order.ASCENDING, rows=limit)
    assert rows_of(found) == expected[:limit]


def test_no_more_is_read_than_the_first_rows_need() -> None:
    rows: list[Row] = [(number, 0) for number in range(1000)]
    taken: list[int] = []
    reads = [batches(rows[i::4], 10, taken) for i in range(4)]
    assert len(rows_of(first_rows(reads, [("a", False)], Order.ASCENDING, rows=20))) == 20
    assert sum(taken) <= 80


@pytest.mark.parametrize("parts", [0, 1, 3])
def test_no_reads_give_no_rows(parts: int) -> None:
    reads = [batches([], 1, []) for _ in range(parts)]
    assert rows_of(first_rows(reads, [("a", False)], Order.ASCENDING, rows=5)) == []

"""Rows of all partitions in one order, whatever partition they come from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.stores import in_store, merged_rows
from stategate.stores.spec.query import Order, RangeQuery
from stategate.stores.spec.result import ResultError
from stategate.stores.spec.store import ReplicaState
from tests.support.stores import fill, keyvalue, open_store

PAIRS = keyvalue("pairs", {"a": "bigint", "b": "text"}, {"v": "timestamptz"}, partitions=3)
KEYS = st.tuples(st.none() | st.integers(-3, 3), st.none() | st.sampled_from(["", "a", "a\0", "é"]))


@given(keys=st.sets(KEYS, max_size=30), order=st.sampled_from(Order))
def test_rows_come_in_the_order_of_the_key(
    keys: set[tuple[int | None, str | None]], order: Order
) -> None:
    store = open_store(PAIRS)
    fill(store, [(a, b, 1_000_000) for a, b in keys])
    query = RangeQuery(order=order)
    result = store.query(in_store("pairs").with_query(query))
    merged = list(merged_rows(result, PAIRS, order=order))
    expected = sorted(keys, key=_sortable, reverse=order is Order.DESCENDING)
    assert merged == [(a, b, 1_000_000) for a, b in expected]


def _sortable(key: tuple[int | None, str | None]) -> tuple[bool, int, bool, bytes]:
    a, b = key
    return a is not None, a or 0, b is not None, (b or "").encode()


def test_a_failed_partition_is_not_left_out() -> None:
    store = open_store(PAIRS)
    fill(store, [(1, "a", 0)])
    store.replicas[1].state = ReplicaState.RESTORING
    result = store.query(in_store("pairs").with_query(RangeQuery()))
    with pytest.raises(ResultError, match="partition 1 failed"):
        merged_rows(result, PAIRS)

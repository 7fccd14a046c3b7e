"""The reference engine gives answers written by hand; other engines are compared with it."""

from __future__ import annotations

import math
from typing import Any

import pytest

from stategate.stores.engines.memory.keys import sort_key
from stategate.stores.engines.memory.partition import MemoryPartition
from stategate.stores.spec.query import (
    BATCH_ROWS,
    Interval,
    KeyQuery,
    KeysQuery,
    Order,
    Query,
    RangeQuery,
)
from stategate.stores.spec.schema import Row
from stategate.stores.spec.windows import TimeRange, WindowKeyQuery, WindowRangeQuery
from tests.support.stores import batch, keyvalue, progress, window
from tests.support.values import rows_of

PAIRS = keyvalue("pairs", {"a": "text", "n": "bigint"}, {"v": "text"}, partitions=1)
TICKS = window(
    "ticks", {"k": "text"}, {"n": "bigint"}, partitions=1, size_ms=1_000, retention_ms=120_000
)
KEYS: list[tuple[Any, ...]] = [(None, None), (None, 1), ("", 0), ("a", -1), ("a", 1), ("a\0", 0)]


def pairs() -> MemoryPartition:
    engine = MemoryPartition(PAIRS, 0)
    rows = [(*key, str(i)) for i, key in enumerate(KEYS)]
    engine.apply(progress(4), [batch(PAIRS, rows[::-1], times_us=[1_999] * len(rows))])
    return engine


def ask(engine: MemoryPartition, query: Query[Any]) -> list[Row]:
    return rows_of(engine.handlers[type(query)](engine.view, query))


@pytest.mark.parametrize(
    ("interval", "found"),
    [
        (Interval(), "012345"),
        (Interval(lower=("a",)), "345"),
        (Interval(lower=("a",), lower_inclusive=False), "5"),
        (Interval(upper=("a",)), "01234"),
        (Interval(upper=("a",), upper_inclusive=False), "012"),
        (Interval(lower=("a",), upper=("a",)), "34"),
        (Interval(lower=("a", -1), upper=("a", 1), lower_inclusive=False), "4"),
        (Interval(lower=(None,), upper=(None,)), "01"),
        (Interval(lower=("b",), upper=("a",)), ""),
        (Interval(lower=("a", 0), upper=("a", 0)), ""),
    ],
)
def test_intervals(interval: Interval, found: str) -> None:
    assert "".join(row[2] for row in ask(pairs(), RangeQuery(interval=interval))) == found
    backwards = RangeQuery(interval=interval, order=Order.DESCENDING)
    assert "".join(row[2] for row in ask(pairs(), backwards)) == found[::-1]
    limited = RangeQuery(interval=interval, limit=2)
    assert "".join(row[2] for row in ask(pairs(), limited)) == found[:2]


def test_keys_and_columns() -> None:
    engine = pairs()
    assert engine.handlers[KeyQuery](engine.view, KeyQuery.with_key("a", 1)) == ("4",)
    assert engine.handlers[KeyQuery](engine.view, KeyQuery.with_key("a", 2)) is None
    keys = KeysQuery.with_keys([("a", 1), ("x", 1), (None, None)])
    assert [row[2] for row in ask(engine, keys)] == ["0", "4"]
    chosen = RangeQuery(columns=("_epoch", "v", "_partition", "_timestamp"), limit=1)
    assert ask(engine, chosen) == [(4, "0", 0, 1_000)]
    assert ask(engine, RangeQuery(columns=(), limit=3)) == [(), (), ()]


def test_epochs_change_and_replace() -> None:
    engine = pairs()
    before = engine.handlers[RangeQuery](engine.view, RangeQuery())
    changed = batch(PAIRS, [("a", 1, "new"), ("", 0, None)], deleted=[False, True])
    engine.apply(progress(5), [changed])
    assert [row[2] for row in ask(engine, RangeQuery())] == ["0", "1", "3", "new", "5"]
    engine.apply(progress(6), [batch(PAIRS, [("z", 1, "only")])], replace=True)
    assert ask(engine, RangeQuery()) == [("z", 1, "only")]
    assert len(rows_of(before)) == len(KEYS)


def test_windows_are_ordered_by_segment_then_key_and_expire_at_the_edge() -> None:
    engine = MemoryPartition(TICKS, 0)
    starts = [("b", 0), ("a", 1), ("b", 59), ("a", 60), ("a", 119)]
    rows = [(k, s * 10**6, (s + 1) * 10**6, s) for k, s in starts]
    engine.apply(progress(0), [batch(TICKS, rows)])
    assert [row[3] for row in ask(engine, WindowRangeQuery())] == [1, 0, 59, 60, 119]
    down = WindowRangeQuery(order=Order.DESCENDING, limit=3)
    assert [row[3] for row in ask(engine, down)] == [119, 60, 59]
    middle = TimeRange(start_ms=1_000, end_ms=60_000)
    assert [row[3] for row in ask(engine, WindowRangeQuery(time=middle))] == [1, 59, 60]
    one = WindowKeyQuery(key=("a",), time=middle)
    assert [row[3] for row in ask(engine, one)] == [1, 60]
    only_b = WindowRangeQuery(interval=Interval(lower=("b",)))
    assert [row[3] for row in ask(engine, only_b)] == [0, 59]
    # Retention is 120 s: at second 120 the window that starts at 0 is gone, that at 1 is not.
    engine.apply(progress(1, watermark_ms=120_000), [])
    assert [row[3] for row in ask(engine, WindowRangeQuery())] == [1, 59, 60, 119]


def test_order_of_keys() -> None:
    values = [None, -math.inf, -1.0, 0.0, 1.0, math.inf, math.nan]
    assert sorted(((v,) for v in reversed(values)), key=sort_key)[:-1] == [
        (v,) for v in values[:-1]
    ]
    assert sort_key((-0.0,)) == sort_key((0.0,))
    assert sort_key((math.nan,)) == sort_key((-math.nan,)) > sort_key((math.inf,))


def test_batches_have_a_size() -> None:
    engine = MemoryPartition(PAIRS, 0)
    engine.apply(progress(0), [batch(PAIRS, [("a", n, "") for n in range(BATCH_ROWS + 1)])])
    stream = engine.handlers[RangeQuery](engine.view, RangeQuery())
    assert [found.num_rows for found in stream] == [BATCH_ROWS, 1]

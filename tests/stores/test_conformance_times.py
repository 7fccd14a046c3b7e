"""Kafka's own cases for stores with times: windows, sessions and versions.

See `test_conformance` for the ids of cases, and for "ours".
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from stategate.stores.errors import FailureReason
from stategate.stores.spec.position import Position
from stategate.stores.spec.query import KeyQuery, Order, Query, QueryArgumentError
from stategate.stores.spec.versions import (
    MultiVersionedKeyQuery,
    VersionedRangeQuery,
)
from stategate.stores.spec.windows import SessionKeyQuery, WindowKeyQuery, WindowRangeQuery
from tests.support.conformance import (
    DAY,
    FA_LAST,
    FA_PT,
    FA_SUM,
    FV,
    IN,
    MINUTE,
    TOPIC,
    UNKNOWN,
    B,
    Filled,
    W,
    as_of,
    bounded,
    fa_sessions,
    fa_windows,
    micros,
    reasons,
    values,
)
from tests.support.values import rows_of

# 5.4 Windows of FA


def descending(query: WindowKeyQuery | WindowRangeQuery) -> Query[Any]:
    return structs.replace(query, order=Order.DESCENDING)


def starts(key: int | None, first: int, last: int) -> WindowKeyQuery | WindowRangeQuery:
    low, high = W + first * MINUTE, W + last * MINUTE
    if key is None:
        return WindowRangeQuery.with_window_start_range(start_ms=low, end_ms=high)
    return WindowKeyQuery.with_key_and_window_start_range((key,), start_ms=low, end_ms=high)


@pytest.mark.parametrize(
    ("case", "key", "first", "last", "summed", "latest"),
    [
        ("W01", 0, 0, 0, [1], [1]),
        ("W02", 0, -1, -1, [], []),
        ("W03", 2, 0, 0, [], []),
        ("W04", 999, 0, 0, [], []),
        ("W05", 1, 0, 5, [2, 3], [2, 3]),
        ("W11", None, -1, -1, [], []),
        ("W12", None, 0, 0, [1, 2], [1, 2]),
        ("W13", None, 0, 5, [1, 2, 3, 4], [1, 2, 3, 4]),
        ("W14", None, 5, 10, [3, 4, 5, 13], [3, 4, 5, 7]),
        ("W15", None, 10, 15, [5, 13, 17], [5, 7, 9]),
        ("W16", None, 15, 20, [17], [9]),
        ("W17", None, 20, 25, [], []),
        ("W18", None, 5, 15, [3, 4, 5, 13, 17], [3, 4, 5, 7, 9]),
        ("W19", None, 0, 15, [1, 2, 3, 4, 5, 13, 17], [1, 2, 3, 4, 5, 7, 9]),
        ("W20", None, 15, 0, [], []),
    ],
)
def test_windows(
    directory: Path | None,
    case: str,
    key: int | None,
    first: int,
    last: int,
    summed: list[int],
    latest: list[int],
) -> None:
    query = starts(key, first, last)
    for rows, found in ((FA_SUM, summed), (FA_LAST, latest)):
        store = fa_windows(directory, rows)
        assert sorted(values(store, query)) == sorted(found), case
        backward = descending(query)
        assert sorted(values(store, backward)) == sorted(found), case


def test_w21_event_times_of_windows(directory: Path | None) -> None:
    """Ours: a value stays a value; the event time is a column of its own."""
    query = structs.replace(WindowRangeQuery(), columns=("v", "_timestamp", "window_end"))
    result = fa_windows(directory).query(bounded(query))
    assert rows_of(result.partitions[0].value)[0] == (1, *micros(W, W + 5 * MINUTE))


def test_w22_windows_refuse_queries_of_other_kinds(directory: Path | None) -> None:
    store = fa_windows(directory)
    assert reasons(store, KeyQuery.with_key(1)) == [UNKNOWN, UNKNOWN]
    half = WindowKeyQuery(key=(1, 2), time=WindowRangeQuery().time)
    assert reasons(store, half) == [FailureReason.STORE_EXCEPTION] * 2


# 5.5 Sessions of FA


@pytest.mark.parametrize(("key", "value"), [(0, 1), (1, 5), (2, 9), (3, 13), (4, 17), (999, None)])
def test_s01_to_s06_sessions_of_a_key(directory: Path | None, key: int, value: int | None) -> None:
    store = fa_sessions(directory)
    result = store.query(bounded(WindowRangeQuery.with_key(key)))
    rows = [row for r in result.partitions.values() for row in rows_of(r.value)]
    first = W + 4 * key * MINUTE
    assert rows == ([] if value is None else [(key, *micros(first, first + 2 * MINUTE), value)])
    assert result.position == IN


@pytest.mark.parametrize("key", range(5))
def test_s07_sessions_of_one_record(directory: Path | None, key: int) -> None:
    store = fa_sessions(directory, FA_PT)
    query = SessionKeyQuery.with_key(key)
    assert values(store, query) == [2 * key, 2 * key + 1]
    assert values(store, query.with_descending_ends()) == [2 * key + 1, 2 * key]


# 5.6 Versions of FV


def fv(directory: Path | None) -> Filled:
    store = Filled.open(FV, directory)
    for n, value in enumerate((2, 20, 200, 2000)):
        store.watermark_ms = B + 10 * n
        store.put((2, value), at=B + 10 * n)
    return store


def test_v01_to_v06_versions(directory: Path | None) -> None:
    store = fv(directory)
    newest = (2000, B + 30, None)
    assert as_of(store, 2) == newest  # V01
    assert as_of(store, 2, B + DAY) == newest  # V02
    assert as_of(store, 2, B + 30) == newest  # V03
    assert as_of(store, 2, B) == (2, B, B + 10)  # V04
    assert as_of(store, 2, B + 9) == (2, B, B + 10)
    assert as_of(store, 2, B + 10) == (20, B + 10, B + 20)
    assert as_of(store, 2, B - 50) is None  # V05
    assert as_of(store, 3, B + DAY) is None  # V06
    assert store.engine.view.progress.position == Position.of({TOPIC: {0: 3}})


@pytest.mark.parametrize(
    ("case", "key", "first", "last", "found"),
    [
        ("V07", 2, None, None, [2000, 200, 20, 2]),
        ("V08", 2, B + 10, B + 10, [20]),
        ("V09", 2, B + 15, B + DAY, [2000, 200, 20]),
        ("V10", 2, B - 100, B - 50, []),
        ("V11", 3, None, None, []),
        ("valid-to is exclusive", 2, B + 20, B + 25, [200]),
        ("both ends are inclusive", 2, B + 9, B + 10, [20, 2]),
    ],
)
def test_v07_to_v11_many_versions(
    directory: Path | None,
    case: str,
    key: int,
    first: int | None,
    last: int | None,
    found: list[int],
) -> None:
    query = MultiVersionedKeyQuery.with_key(key).from_time(first).to_time(last)
    store = fv(directory)

    def values_of(asked: MultiVersionedKeyQuery) -> list[int]:
        return [row[-1] for row in store.ask(asked)]

    assert values_of(query) == found, case
    assert values_of(query.with_descending_timestamps()) == found, case
    assert values_of(query.with_ascending_timestamps()) == found[::-1], case
    assert values_of(query.with_limit(2)) == found[:2], case


def test_v12_an_open_stream_is_a_snapshot(directory: Path | None) -> None:
    store = fv(directory)
    query = MultiVersionedKeyQuery.with_key(2)
    stream = store.engine.handlers[type(query)](store.engine.view, query)
    store.put((2, 999_999), at=B)
    assert [row[-1] for row in rows_of(stream)] == [2000, 200, 20, 2]
    assert [row[-1] for row in store.ask(query)] == [2000, 200, 20, 999_999]


def test_v14_a_time_that_ends_before_it_begins() -> None:
    """Ours: refused when the query is built, where Kafka raises out of the call."""
    with pytest.raises(QueryArgumentError, match="cannot end at"):
        MultiVersionedKeyQuery.with_key(2).from_time(2).to_time(1)
    with pytest.raises(QueryArgumentError):
        VersionedRangeQuery(from_ms=2, to_ms=1)
    assert MultiVersionedKeyQuery.with_key(2).from_time(1).to_time(1).to_ms == 1

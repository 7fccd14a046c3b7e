"""Kafka's own cases of Interactive Query v2, over memory and RocksDB, by the names of its fixtures.

The id of a case is its name in the table of cases it was taken from: K key-value, W windows, S
sessions, V versions, E engine rules of versions, X of windows, Y of sessions, Q requests, P
positions, C execution info. Where a test says "ours", Kafka does otherwise, and it says why.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stores.errors import FailureReason
from stores.local import LocalStore
from stores.position import Position, PositionBound
from stores.query import (
    Interval,
    KeyQuery,
    KeysQuery,
    Order,
    Query,
    QueryArgumentError,
    RangeQuery,
    SessionKeyQuery,
    WindowKeyQuery,
    WindowRangeQuery,
)
from stores.result import Failure, ResultError
from stores.scans import (
    ApproximateCountQuery,
    CountQuery,
    PrefixQuery,
    RawKeyQuery,
    RawScanQuery,
)
from stores.schema import Row, StoreKind, StoreSchema
from stores.sessions import SessionQuery, SessionRangeQuery
from stores.store import StateQueryRequest, in_store
from stores.timestamped import TimestampedKeyQuery, TimestampedRangeQuery
from stores.versions import (
    MultiVersionedKeyQuery,
    VersionedKeyQuery,
    VersionedRangeQuery,
)
from tests.stores.fixtures import (
    DAY,
    FA_KV,
    FA_KV_ROWS,
    FA_KV_TIMES,
    FA_LAST,
    FA_PT,
    FA_SESS,
    FA_SESSION,
    FA_SUM,
    FA_WINDOW,
    FS,
    FV,
    FW,
    FX,
    MINUTE,
    POSITION,
    TOPIC,
    B,
    Filled,
    W,
    as_of,
    fw,
    micros,
    partitioned,
)
from tests.stores.values import rows_of
from tests.support.stores import keyvalue

IN = Position.of(POSITION)
UNKNOWN = FailureReason.UNKNOWN_QUERY_TYPE


# Requests over the whole of FA


def fa_kv(directory: Path | None) -> LocalStore:
    return partitioned(FA_KV, directory, FA_KV_ROWS, FA_KV_TIMES)


def fa_windows(directory: Path | None, rows: Sequence[Row] = FA_SUM) -> LocalStore:
    return partitioned(FA_WINDOW, directory, rows, [row[1] // 1000 for row in rows])


def fa_sessions(directory: Path | None, rows: Sequence[Row] = FA_SESS) -> LocalStore:
    return partitioned(FA_SESSION, directory, rows, [row[2] // 1000 for row in rows])


def bounded(query: Query[Any]) -> StateQueryRequest[Any]:
    """As all requests of FA are made: of both partitions, with the bound IN."""
    request = in_store("fa").with_query(query).with_partitions({0, 1})
    return request.with_position_bound(PositionBound.at(IN))


def values(store: LocalStore, query: Query[Any]) -> list[Any]:
    """The last column of all rows, in the order of the partitions; checks the position."""
    result = store.query(bounded(query))
    assert result.position == IN
    return [row[-1] for _, r in sorted(result.partitions.items()) for row in rows_of(r.value)]


def reasons(store: LocalStore, query: Query[Any]) -> list[FailureReason | None]:
    result = store.query(bounded(query))
    return [
        r.reason if isinstance(r, Failure) else None for _, r in sorted(result.partitions.items())
    ]


# 5.1 Requests


def test_q01_requests_do_not_change() -> None:
    request = in_store("s").with_query(KeyQuery.with_key(1))
    partitions = {0}
    narrowed = request.with_partitions(partitions)
    partitions.add(1)
    assert narrowed.partitions == frozenset({0})
    assert request == in_store("s").with_query(KeyQuery.with_key(1))


@pytest.mark.parametrize(
    "build",
    [
        KeyQuery.with_key,
        TimestampedKeyQuery.with_key,
        VersionedKeyQuery.with_key,
        MultiVersionedKeyQuery.with_key,
        SessionKeyQuery.with_key,
        WindowRangeQuery.with_key,
        PrefixQuery.with_prefix,
        lambda: RangeQuery.with_lower_bound(()),
        lambda: RangeQuery.with_upper_bound(()),
        lambda: TimestampedRangeQuery.with_lower_bound(()),
        lambda: TimestampedRangeQuery.with_upper_bound(()),
        lambda: WindowKeyQuery.with_key_and_window_start_range((), start_ms=0, end_ms=1),
        lambda: SessionQuery.with_session((), start_ms=0, end_ms=1),
    ],
)
def test_q03_a_key_is_needed(build: Callable[[], object]) -> None:
    """Ours: NULL is a key that Spark groups by, so what is refused is that there is none."""
    with pytest.raises(QueryArgumentError):
        build()


@pytest.mark.parametrize(
    "query",
    [
        RangeQuery(),
        TimestampedRangeQuery(),
        PrefixQuery.with_prefix(1),
        WindowKeyQuery.with_key_and_window_start_range((1,), start_ms=0, end_ms=1),
        WindowRangeQuery(),
        SessionKeyQuery.with_key(1),
        SessionRangeQuery(),
        MultiVersionedKeyQuery.with_key(1),
        VersionedRangeQuery(),
    ],
)
def test_every_stream_takes_a_limit(query: Any) -> None:
    assert query.with_limit(3).limit == 3
    assert query.limit is None
    with pytest.raises(QueryArgumentError):
        query.with_limit(-1)
    with pytest.raises(QueryArgumentError):
        replace(RawScanQuery.scan(), limit=-1)


def test_q09_q10_q13_partitions(directory: Path | None) -> None:
    store = fa_kv(directory)
    request = in_store("fa").with_query(KeyQuery.with_key(1))
    assert set(store.query(request.with_partitions({1})).partitions) == {1}
    assert set(store.query(request).partitions) == {0, 1}
    nothing = store.query(request.with_partitions(set()))
    assert nothing.partitions == {}
    assert nothing.only_partition_result() is None
    assert nothing.position == Position.of({})


def test_q15_an_active_replica_keeps_the_bound(directory: Path | None) -> None:
    """Ours: Kafka drops the bound of a request for an active replica, and answers."""
    bound = PositionBound.at(Position.of({TOPIC: {0: 999}}))
    request = in_store("fa").with_query(KeyQuery.with_key(0)).with_partitions({0})
    result = fa_kv(directory).query(request.with_position_bound(bound).require_active())
    assert list(result.failures) == [0]
    assert result.failures[0].reason is FailureReason.NOT_UP_TO_BOUND


# 1.2 Which store answers which query


KINDS = {
    "keyvalue": FA_KV,
    "global": replace(FA_KV, kind=StoreKind.GLOBAL, partitions=1),
    "window": FW,
    "session": replace(FS, key=FA_KV.key),
    "versioned": FV,
}
KEYVALUE, TIMELESS = {"keyvalue", "global"}, set(KINDS)
ANSWERED: list[tuple[Query[Any], set[str]]] = [
    (KeyQuery.with_key(1), KEYVALUE),
    (KeysQuery.with_keys([(1,)]), KEYVALUE),
    (RangeQuery.with_no_bounds(), KEYVALUE),
    (TimestampedKeyQuery.with_key(1), KEYVALUE),
    (TimestampedRangeQuery.with_no_bounds(), KEYVALUE),
    (WindowKeyQuery.with_key_and_window_start_range((1,), start_ms=0, end_ms=1), {"window"}),
    (WindowRangeQuery.with_window_start_range(start_ms=0, end_ms=1), {"window"}),
    (WindowRangeQuery.with_key(1), {"session"}),
    (SessionQuery.with_session((1,), start_ms=0, end_ms=1), {"session"}),
    (SessionKeyQuery.with_key(1), {"session"}),
    (SessionRangeQuery.with_no_bounds(), {"session"}),
    (VersionedKeyQuery.with_key(1), {"versioned"}),
    (MultiVersionedKeyQuery.with_key(1), {"versioned"}),
    (VersionedRangeQuery.with_no_bounds(), {"versioned"}),
    (PrefixQuery.with_prefix(1), TIMELESS),
    (CountQuery.count(), TIMELESS),
    (ApproximateCountQuery(), TIMELESS),
    (RawKeyQuery.with_key(b"\x01"), TIMELESS),
    (RawScanQuery.scan(), TIMELESS),
]


class Custom(Query[None]):
    """A query that no store knows (K26)."""


@pytest.mark.parametrize("kind", KINDS)
def test_which_store_answers_which_query(directory: Path | None, kind: str) -> None:
    """K05, K26, W22: and ours: global stores answer, and plain ones know no event times."""
    schema = replace(KINDS[kind], partitions=1)
    filled = Filled.open(schema, directory)
    handlers = filled.engine.handlers
    for query, kinds in ANSWERED:
        assert (type(query) in handlers) == (kind in kinds), type(query)
        if kind in kinds:
            filled.ask(query)
    assert Custom not in handlers
    assert len(ANSWERED) == len({type(query) for query, _ in ANSWERED}) + 1  # WindowRangeQuery


def test_k26_c02_an_unknown_query_fails_in_every_partition(directory: Path | None) -> None:
    store = fa_kv(directory)
    assert reasons(store, Custom()) == [UNKNOWN, UNKNOWN]
    with pytest.raises(ResultError):
        _ = store.query(bounded(Custom())).partitions[0].value
    assert reasons(store, VersionedKeyQuery.with_key(1)) == [UNKNOWN, UNKNOWN]
    assert reasons(fa_windows(directory), WindowRangeQuery.with_key(1)) == [UNKNOWN, UNKNOWN]
    by_time = WindowRangeQuery.with_window_start_range(start_ms=0, end_ms=1)
    assert reasons(fa_sessions(directory), by_time) == [UNKNOWN, UNKNOWN]


def test_p13_an_unknown_type_is_seen_before_the_bound(directory: Path | None) -> None:
    """Ours: always. In Kafka it depends on the layer that knows the type."""
    far = PositionBound.at(Position.of({TOPIC: {0: 999, 1: 999}}))
    for store in (fa_windows(directory), fa_kv(directory)):
        request = in_store("fa").with_query(VersionedKeyQuery.with_key(1))
        result = store.query(request.with_position_bound(far))
        assert {f.reason for f in result.failures.values()} == {UNKNOWN}
        assert result.position == IN


# 5.3 Key-value


def test_k01_k02_points(directory: Path | None) -> None:
    store = fa_kv(directory)
    found = store.query(bounded(KeyQuery.with_key(2))).only_partition_result()
    assert found is not None
    assert (found.value, found.position) == ((5,), Position.of({TOPIC: {0: 5}}))
    absent = store.query(bounded(KeyQuery.with_key(99)))
    assert [r.value for r in absent.partitions.values()] == [None, None]
    assert absent.only_partition_result() is None
    assert absent.position == IN


def test_k04_timestamped(directory: Path | None) -> None:
    """Ours: the event time is the row's own, where Kafka has -1 or the cache's."""
    store = fa_kv(directory)
    found = store.query(bounded(TimestampedKeyQuery.with_key(2))).only_partition_result()
    assert found is not None
    assert (found.value.row, found.value.timestamp_us) == ((5,), (W + 10 * MINUTE) * 1000)
    times = values(store, TimestampedRangeQuery.with_range((1,), (3,)))
    assert times == micros(W + 10 * MINUTE, W + 6 * MINUTE, W + 14 * MINUTE)
    plain = Filled.open(replace(FA_KV, name="plain", partitions=1), directory).put((1, 1))
    assert plain.ask(TimestampedKeyQuery.with_key(1)).timestamp_us is None
    assert plain.ask(TimestampedRangeQuery.with_no_bounds()) == [(1, 1, None)]
    assert plain.ask(TimestampedKeyQuery.with_key(2)) is None


ASC, DESC = "with_ascending_keys", "with_descending_keys"


@pytest.mark.parametrize(
    ("case", "lower", "upper", "order", "found"),
    [
        ("K07", 1, 3, ASC, [5, 3, 7]),
        ("K08", 3, None, ASC, [9, 7]),
        ("K09", None, 3, ASC, [1, 5, 3, 7]),
        ("K10", None, None, ASC, [1, 5, 9, 3, 7]),
        ("K11", 0, 4, DESC, [9, 5, 1, 7, 3]),
        ("K12", 1, 3, DESC, [5, 7, 3]),
        ("K13", 3, None, DESC, [9, 7]),
        ("K14", None, 3, DESC, [5, 1, 7, 3]),
        ("K15", None, None, DESC, [9, 5, 1, 7, 3]),
        ("K18", 2, 2, ASC, [5]),
        ("K18", 2, 2, DESC, [5]),
        ("K20", 3, 1, ASC, []),
        ("K20", 3, 1, DESC, []),
        # Ours: key order is SQL's, so a range from a negative number is not inverted.
        ("K20", -1, 1, ASC, [1, 3]),
        ("N02", 4, 200, ASC, [9]),
        ("N02", 5, 200, ASC, []),
    ],
)
def test_ranges(
    directory: Path | None,
    case: str,
    lower: int | None,
    upper: int | None,
    order: str,
    found: list[int],
) -> None:
    low, high = None if lower is None else (lower,), None if upper is None else (upper,)
    store = fa_kv(directory)
    assert values(store, getattr(RangeQuery.with_range(low, high), order)()) == found, case
    timestamped = getattr(TimestampedRangeQuery.with_range(low, high), order)()
    result = store.query(bounded(timestamped))
    rows = [r for _, part in sorted(result.partitions.items()) for r in rows_of(part.value)]
    assert [row[1] for row in rows] == found, case
    count = sum(
        r.value for r in store.query(bounded(CountQuery.with_range(low, high))).partitions.values()
    )
    assert count == len(found), case


TEXTS = keyvalue("texts", {"k": "text"}, {"v": "text"}, partitions=1)


@pytest.mark.parametrize(
    ("lower", "upper", "found"),
    [
        ("key-2", "key-6", "246"),
        (None, "key-4", "024"),
        ("key-4", None, "468"),
        (None, "key-7", "0246"),
        ("key-1", None, "2468"),
    ],
)
def test_k21_bounds_that_are_no_keys(
    directory: Path | None, lower: str | None, upper: str | None, found: str
) -> None:
    store = Filled.open(TEXTS, directory)
    for n in "86420":
        store.put((f"key-{n}", n))
    low, high = None if lower is None else (lower,), None if upper is None else (upper,)
    query = RangeQuery.with_range(low, high)
    assert "".join(row[1] for row in store.ask(query)) == found
    assert "".join(row[1] for row in store.ask(query.with_descending_keys())) == found[::-1]


def test_k23_a_stream_is_a_snapshot(directory: Path | None) -> None:
    """Ours: what is written later never shows; in Kafka it depends on the engine."""
    store = Filled.open(replace(FA_KV, partitions=1), directory).put((0, 0))
    stream = store.engine.handlers[RangeQuery](store.engine.view, RangeQuery())
    store.put((1, 1)).put((0, 9)).put((0, None), deleted=True)
    assert rows_of(stream) == [(0, 0)]
    assert rows_of(stream) == [(0, 0)]


@pytest.mark.parametrize(
    ("pairs", "text", "found"),
    [
        (["k1a", "prefix_3b", "k2c", "prefix_2d", "k3e", "prefix_1f"], "prefix", "fdb"),
        (["abc1", "abcd2", "abce3"], "abcd", "2"),
        (["a1", "b2", "c3"], "d", ""),
        (["a1", "b2"], "", "12"),
        (["a1", "a\0b2", "a\x013", "b4"], "a\0", "2"),
        (["\U0010ffff1", "\U0010ffffx2", "a3"], "\U0010ffff", "12"),
    ],
)
def test_k24_text_prefixes(directory: Path | None, pairs: list[str], text: str, found: str) -> None:
    store = Filled.open(TEXTS, directory).put((None, "null"))
    for pair in pairs:
        store.put((pair[:-1], pair[-1]))
    query = PrefixQuery.with_text_prefix(text=text)
    assert "".join(row[1] for row in store.ask(query)) == found
    assert "".join(row[1] for row in store.ask(query.with_descending_keys())) == found[::-1]
    assert "".join(row[1] for row in store.ask(query.with_limit(1))) == found[:1]


def test_prefixes_of_composite_keys(directory: Path | None) -> None:
    schema = keyvalue(
        "pairs", {"a": "bigint", "b": "bytea", "c": "text"}, {"v": "text"}, partitions=1
    )
    store = Filled.open(schema, directory)
    for i, key in enumerate(
        [
            (1, b"\xff", "x"),
            (1, b"\xff\xff", "y"),
            (1, b"\xfe", "z"),
            (2, b"\xff", "x"),
            (1, None, "n"),
        ]
    ):
        store.put((*key, str(i)))

    def found(query: PrefixQuery) -> str:
        return "".join(row[-1] for row in store.ask(query))

    assert found(PrefixQuery.with_prefix(1)) == "4201"
    assert found(PrefixQuery.with_prefix(1, b"\xff")) == "0"
    assert found(PrefixQuery.with_text_prefix(1, text=b"\xff")) == "01"
    assert found(PrefixQuery.with_text_prefix(1, b"\xff", text="")) == "0"
    assert found(PrefixQuery.with_prefix(3)) == ""


# Raw queries and counts, of every kind


@pytest.mark.parametrize("kind", KINDS)
def test_stored_bytes_and_counts(directory: Path | None, kind: str) -> None:
    schema = replace(KINDS[kind], partitions=1, value=FA_KV.value)
    store = Filled.open(schema, directory)
    times = {"window": micros(0, 3), "session": micros(0, 5)}.get(kind, [])
    for k in (-1, 0, 1):
        store.put((k, *times, k), at=5)
    stored = list(store.ask(RawScanQuery.scan()))
    keys = [key for key, _ in stored]
    assert len(keys) == 3
    assert keys == sorted(keys)
    assert store.ask(RawKeyQuery.with_key(keys[1])) == stored[1][1]
    assert store.ask(RawKeyQuery.with_key(keys[1][:-1])) is None
    assert store.ask(RawKeyQuery.with_key(b"\0progress")) is None
    between = RawScanQuery(start=keys[1], end=keys[2])
    assert list(store.ask(between)) == stored[1:2]
    backward = RawScanQuery(order=Order.DESCENDING, limit=2)
    assert list(store.ask(backward)) == stored[:0:-1]
    assert list(store.ask(RawScanQuery(limit=1 << 80))) == stored
    assert store.ask(CountQuery.count()) == 3
    assert store.ask(CountQuery.with_range((0,), None)) == 2
    # RocksDB also counts what was written over and is still there: here progress, three times.
    assert 3 <= store.ask(ApproximateCountQuery()) <= 6


# 5.4 Windows of FA


def descending(query: WindowKeyQuery | WindowRangeQuery) -> Query[Any]:
    return replace(query, order=Order.DESCENDING)


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
    """Ours: a value stays a value; whoever wants the event time asks for the column."""
    query = replace(WindowRangeQuery(), columns=("v", "_timestamp", "window_end"))
    result = fa_windows(directory).query(bounded(query))
    assert rows_of(result.partitions[0].value)[0] == (1, *micros(W, W + 5 * MINUTE))


def test_w22_windows_refuse_what_is_not_theirs(directory: Path | None) -> None:
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


# 5.10 Execution info


@pytest.mark.parametrize("query", [KeyQuery.with_key(2), Custom()])
def test_c01_c02_execution_info(directory: Path | None, query: Query[Any]) -> None:
    store = fa_kv(directory)
    told = store.query(bounded(query).enable_execution_info())
    assert all("handled in" in r.info[0] for r in told.partitions.values())
    assert all(r.info == () for r in store.query(bounded(query)).partitions.values())


# 5.11 What every kind keeps over a restart


@pytest.mark.parametrize("schema", [FA_KV, FW, FS, FX], ids=lambda schema: schema.name)
def test_p15_positions_and_rows_survive(tmp_path: Path, schema: StoreSchema) -> None:
    whole = replace(schema, partitions=1, key=FA_KV.key, value=FA_KV.value)
    times = {"fw": micros(0, 3), "fs": micros(0, 5)}.get(schema.name, [])
    store = Filled.open(whole, tmp_path)
    for k in (1, 2, 3):
        store.put((k, *times, k), at=k)
    before = list(store.ask(RawScanQuery.scan()))
    store.engine.close()
    again = Filled.open(whole, tmp_path)
    assert again.engine.view.progress.position == Position.of({TOPIC: {0: 2}})
    assert list(again.ask(RawScanQuery.scan())) == before
    again.offset = 2
    again.put((1, *times, None), at=4, deleted=True)
    assert again.ask(CountQuery.count()) == (3 if schema is FX else 2)


def test_intervals_with_open_ends(directory: Path | None) -> None:
    """Ends that are out, in every kind that takes an interval."""
    out = Interval(lower=(0,), upper=(2,), lower_inclusive=False, upper_inclusive=False)
    store = fw(directory)
    assert [row[-1] for row in store.ask(WindowRangeQuery(interval=out))] == ["one"]
    assert store.ask(CountQuery(interval=out)) == 1

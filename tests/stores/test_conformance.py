"""Kafka's own cases of Interactive Query v2, in memory and RocksDB, with the names of its fixtures.

This module has the cases of all kinds of stores. `test_conformance_keys` and
`test_conformance_times` have those of one kind, `test_rules` and `test_rules_of_versions` those of
engines.

The id of a case is its name in the table that it was taken from: K key-value, W windows, S
sessions, V versions, E engine rules of versions, X of windows, Y of sessions, Q requests, P
positions, C execution info. Where a test says "ours", Kafka differs, and the test says why.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from stategate.stores.errors import FailureReason
from stategate.stores.spec.position import Position, PositionBound
from stategate.stores.spec.query import (
    FewKeysQuery,
    Interval,
    KeyQuery,
    KeysQuery,
    Order,
    Query,
    QueryArgumentError,
    RangeQuery,
    TimestampedKeyQuery,
    TimestampedRangeQuery,
)
from stategate.stores.spec.result import ResultError
from stategate.stores.spec.scans import (
    ApproximateCountQuery,
    CountQuery,
    PrefixQuery,
    RawKeyQuery,
    RawScanQuery,
)
from stategate.stores.spec.schema import StoreKind, StoreSchema
from stategate.stores.spec.store import in_store
from stategate.stores.spec.versions import (
    MultiVersionedKeyQuery,
    VersionedKeyQuery,
    VersionedRangeQuery,
)
from stategate.stores.spec.windows import (
    SessionKeyQuery,
    SessionQuery,
    SessionRangeQuery,
    WindowKeyQuery,
    WindowRangeQuery,
)
from tests.support.conformance import (
    FA_KV,
    FS,
    FV,
    FW,
    FX,
    IN,
    TOPIC,
    UNKNOWN,
    Filled,
    bounded,
    fa_kv,
    fa_sessions,
    fa_windows,
    fw,
    micros,
    reasons,
)

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
    """Ours: NULL is a key that Spark groups by, so only a missing key is refused."""
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
        structs.replace(RawScanQuery.scan(), limit=-1)


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
    (FewKeysQuery.with_keys([(1,)]), KEYVALUE),
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
    """K05, K26 and W22. Ours: global stores answer, and plain ones know no event times."""
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
    # RocksDB also counts overwritten entries that still exist: here three of the progress.
    assert 3 <= store.ask(ApproximateCountQuery()) <= 6


# 5.10 Execution info


@pytest.mark.parametrize("query", [KeyQuery.with_key(2), Custom()])
def test_c01_c02_execution_info(directory: Path | None, query: Query[Any]) -> None:
    store = fa_kv(directory)
    told = store.query(bounded(query).enable_execution_info())
    assert all("handled in" in r.info[0] for r in told.partitions.values())
    assert all(r.info == () for r in store.query(bounded(query)).partitions.values())


# 5.11 Every kind keeps its rows and position over a restart


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
    """Ends may be exclusive in every kind that takes an interval."""
    out = Interval(lower=(0,), upper=(2,), lower_inclusive=False, upper_inclusive=False)
    store = fw(directory)
    assert [row[-1] for row in store.ask(WindowRangeQuery(interval=out))] == ["one"]
    assert store.ask(CountQuery(interval=out)) == 1

"""A metered store counts queries, passes other results on, and reports its time."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

from stategate.stores.errors import FailureReason
from stategate.stores.hosting.metrics import (
    BUCKETS,
    QUERY_TYPES_MAX,
    MeteredStore,
    Metrics,
    MetricsReading,
)
from stategate.stores.spec.position import EMPTY, PositionBound
from stategate.stores.spec.query import FewKeysQuery, KeyQuery, Query, RangeQuery
from stategate.stores.spec.registry import register_query
from stategate.stores.spec.result import Failure, Success
from stategate.stores.spec.schema import StoreKind
from stategate.stores.spec.store import QueryConfig, Store, StorePartition, View, in_store
from stategate.stores.spec.windows import WindowRangeQuery
from tests.support.stores import fill, keyvalue, open_store
from tests.support.values import rows_of

CLICKS = keyvalue("clicks", {"k": "text"}, {"n": "bigint"}, partitions=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class EpochQuery(Query[list[int]]):
    """A third party's query, whose result has its own shape."""


def epoch_of(engine: StorePartition, view: View, query: EpochQuery) -> list[int]:
    return [view.progress.epoch]


register_query(StoreKind.KEYVALUE, EpochQuery, epoch_of)

NO_ROW = Success(value=None, position=EMPTY, epoch=0)
REFUSED = Failure(reason=FailureReason.NOT_ACTIVE, message="standby")


def metered() -> MeteredStore:
    inner = open_store(CLICKS)
    fill(inner, [(f"k{i}", i) for i in range(20)])
    return MeteredStore(inner, Metrics())


def test_queries_failures_and_rows_are_counted() -> None:
    store = metered()
    as_store: Store = store
    result = as_store.query(in_store("clicks").with_query(RangeQuery()))
    assert store.metrics.read().rows == 0
    rows = [row for answer in result.partitions.values() for row in rows_of(answer.value)]
    assert len(rows) == 20
    for key in ("k1", "nobody"):
        as_store.query(in_store("clicks").with_query(KeyQuery.with_key(key)))
    few = FewKeysQuery.with_keys([("k1",), ("nobody",), ("k2",)])
    as_store.query(in_store("clicks").with_query(few))
    as_store.query_partition(0, WindowRangeQuery())
    as_store.query_partition(7, RangeQuery())
    reading = store.metrics.read()
    assert reading.queries == {
        "RangeQuery": 3,
        "KeyQuery": 4,
        "FewKeysQuery": 2,
        "WindowRangeQuery": 1,
    }
    assert {reason: n for reason, n in reading.failures.items() if n} == {
        FailureReason.UNKNOWN_QUERY_TYPE: 1,
        FailureReason.DOES_NOT_EXIST: 1,
    }
    assert reading.rows == 23
    assert sum(reading.time_counts) == 10
    assert reading.time_ns > 0


def test_results_of_other_shapes_pass_unchanged() -> None:
    store = metered()
    answer = store.query_partition(0, EpochQuery())
    assert isinstance(answer, Success)
    assert answer.value == [0]
    assert store.metrics.read().queries == {"EpochQuery": 1}


def test_execution_info_is_innermost_first() -> None:
    queries: list[Query[Any]] = [KeyQuery.with_key("k1"), WindowRangeQuery(), RangeQuery()]
    for query in queries:
        inner, outer = metered().query_partition(0, query, QueryConfig(info=True)).info
        assert inner.startswith("handled in MemoryPartition: ")
        assert outer.startswith("handled in MeteredStore: ")
        times = [int(line.split(": ")[1].removesuffix(" ns")) for line in (inner, outer)]
        assert times[0] <= times[1]
    assert metered().query_partition(0, RangeQuery()).info == ()


def test_other_calls_go_to_the_store() -> None:
    store = metered()
    assert store.schema is CLICKS
    assert store.statuses() == store.inner.statuses()
    assert store.committed_epoch() == 0
    assert store.wait(0, PositionBound(epoch=0), timeout_s=1)
    told: list[bool] = []
    store.when(1, PositionBound(epoch=0), told.append)
    assert told == [True]


def test_buckets_are_powers_of_two() -> None:
    metrics = Metrics()
    for elapsed_ns, bucket in ((0, 0), (1023, 0), (1024, 1), (2047, 1), (2048, 2), (1 << 60, -1)):
        metrics.count_query(KeyQuery, elapsed_ns, NO_ROW)
        before = metrics.read().time_counts[bucket]
        metrics.count_query(KeyQuery, elapsed_ns, NO_ROW)
        assert metrics.read().time_counts[bucket] == before + 1
    assert len(metrics.read().time_counts) == BUCKETS
    assert MetricsReading.bucket_ns(1) == 2048


def test_types_of_queries_are_limited() -> None:
    metrics = Metrics()
    for number in range(QUERY_TYPES_MAX + 3):
        metrics.count_query(type(f"Query{number}", (Query,), {}), 0, NO_ROW)
    queries = metrics.read().queries
    assert len(queries) == QUERY_TYPES_MAX + 1
    assert queries["other"] == 3


def test_no_count_is_lost_between_threads() -> None:
    metrics = Metrics()

    def count() -> None:
        for _ in range(5000):
            metrics.count_query(KeyQuery, 1, REFUSED)
            metrics.count_rows(1)

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    reading = metrics.read()
    assert (reading.queries["KeyQuery"], reading.rows) == (20_000, 20_000)
    assert reading.failures[FailureReason.NOT_ACTIVE] == 20_000

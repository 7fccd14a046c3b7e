"""Counters of a store's queries: a store that wraps another one, and counts.

No such wrapper caches: only an engine knows whether a row is still the same. So it has the caches,
`cached_rows` and `column_cache` in `stategate.stores.engines.rocksdb`.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from stategate.stores.errors import FailureReason
from stategate.stores.spec.key_log import KeyLog
from stategate.stores.spec.position import Position, PositionBound
from stategate.stores.spec.query import BatchStream, FirstRowsQuery, Query
from stategate.stores.spec.result import QueryResult, StateQueryResult, add_info
from stategate.stores.spec.store import (
    DEFAULT_CONFIG,
    Hold,
    OnBound,
    PartitionStatus,
    QueryConfig,
    StateQueryRequest,
    Stop,
    Store,
    Target,
    Waiting,
)

R = TypeVar("R")

BUCKETS = 24
"""Buckets of the histogram: number i counts queries below `1024 << i` ns, the last all others."""
_BITS = 64
"""Counters of times by their bits in nanoseconds; reading merges them into the buckets."""
_clock_ns = time.perf_counter_ns
QUERY_TYPES_MAX = 256
"""Maximum number of query types with their own counter: third parties may define any number."""
OTHER_TYPES = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsReading:
    """The counters of a store at one moment; none of them ever falls."""

    queries: Mapping[str, int]
    """Number of partitions asked, by type of query."""
    failures: Mapping[FailureReason, int]
    """Number of partitions that did not answer, by reason; every reason has an entry."""
    rows: int
    """Number of rows given to readers; a stream counts the rows that were read from it."""
    time_ns: int
    """Total time of all queries, excluding the time to read their streams."""
    time_counts: tuple[int, ...]
    """Number of queries in each bucket of their duration."""

    @staticmethod
    def bucket_ns(bucket: int) -> int:
        """Return the upper limit of a bucket."""
        return 1024 << bucket


class Metrics:
    """The counters of one store. Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._queries: defaultdict[type[Query[Any]], int] = defaultdict(int)
        self._failures = dict.fromkeys(FailureReason, 0)
        self._rows = 0
        self._time_ns = 0
        self._time_counts = [0] * _BITS

    def count_query(
        self, query_type: type[Query[Any]], elapsed_ns: int, result: QueryResult[Any]
    ) -> None:
        """Count one partition that was asked, and the rows that it returned or that are read."""
        with self._lock:
            if query_type not in self._queries and len(self._queries) >= QUERY_TYPES_MAX:
                query_type = Query
            self._queries[query_type] += 1
            self._time_counts[(elapsed_ns >> 10).bit_length()] += 1
            self._time_ns += elapsed_ns
            if not result.is_success:
                self._failures[result.reason] += 1
                return
            if type(result.value) is tuple:
                self._rows += 1
            elif type(result.value) is list:
                self._rows += len(result.value)
        if type(result.value) is BatchStream:
            result.value.count_with(self.count_rows)

    def count_rows(self, rows: int) -> None:
        """Count rows that were read from a stream."""
        with self._lock:
            self._rows += rows

    def read(self) -> MetricsReading:
        """Return all counters at one moment."""
        with self._lock:
            return MetricsReading(
                queries=self._by_name(),
                failures=dict(self._failures),
                rows=self._rows,
                time_ns=self._time_ns,
                time_counts=(
                    *self._time_counts[: BUCKETS - 1],
                    sum(self._time_counts[BUCKETS - 1 :]),
                ),
            )

    def _by_name(self) -> dict[str, int]:
        counts: Counter[str] = Counter()
        for query_type, count in self._queries.items():
            counts[OTHER_TYPES if query_type is Query else query_type.__name__] += count
        return dict(counts)


class MeteredStore:
    """A store whose queries are counted and timed.

    Rows are counted in the shapes of result that ship with the package: a row, a list of rows, and
    a stream of batches. A result of any other shape passes unchanged.

    Args:
        inner: the store.
        metrics: the counters; they outlive the store if it is opened anew.
    """

    def __init__(self, inner: Store, metrics: Metrics) -> None:
        self.inner, self.metrics, self.here = inner, metrics, inner.here
        self.schema = inner.schema
        self._ask, self._ask_all = inner.query_partition, inner.query
        self.standing = inner.standing
        self._count = metrics.count_query

    def query_partition(
        self, partition: int, query: Query[R], config: QueryConfig = DEFAULT_CONFIG
    ) -> QueryResult[R]:
        """Ask one partition."""
        began = _clock_ns()
        result = self._ask(partition, query, config)
        elapsed_ns = _clock_ns() - began
        asked = query.of if type(query) is FirstRowsQuery else query
        self._count(type(asked), elapsed_ns, result)
        return _informed(result, elapsed_ns) if config.info else result

    def query_each(
        self, targets: Sequence[Target], *, stop: Stop | None = None
    ) -> Iterator[QueryResult[Any]]:
        """Ask several partitions, one after another."""
        del stop  # nothing waits
        for number, query, config in targets:
            yield self.query_partition(number, query, config)

    def query(self, request: StateQueryRequest[R]) -> StateQueryResult[R]:
        """Ask several partitions; each counts with an equal part of the time."""
        began = _clock_ns()
        result = self._ask_all(request)
        elapsed_ns = _clock_ns() - began
        query_type, answers = type(request.query), result.partitions
        if len(answers) > 1:
            elapsed_ns //= len(answers)
        for answer in answers.values():
            self._count(query_type, elapsed_ns, answer)
        if not request.config.info:
            return result
        informed = {number: _informed(answer, elapsed_ns) for number, answer in answers.items()}
        return StateQueryResult(partitions=informed, is_global=result.is_global)

    @property
    def is_closed(self) -> bool:
        """Whether this node has closed it."""
        return self.inner.is_closed

    def statuses(self) -> Mapping[int, PartitionStatus]:
        """Return the status of each partition on this host."""
        return self.inner.statuses()

    def committed_epoch(self) -> int:
        """Return the newest epoch that the pipeline has committed."""
        return self.inner.committed_epoch()

    def unread_topics(self, position: Position, *, renew: bool = True) -> frozenset[str]:
        """Return the topics of a position that do not feed the store."""
        return self.inner.unread_topics(position, renew=renew)

    def wait(self, partition: int, bound: PositionBound, *, timeout_s: float) -> bool:
        """Block until a partition meets the bound."""
        return self.inner.wait(partition, bound, timeout_s=timeout_s)

    def when(self, partition: int, bound: PositionBound, callback: OnBound) -> Waiting:
        """Call back once a partition meets the bound."""
        return self.inner.when(partition, bound, callback)

    def hold(self, partition: int, epoch: int | None = None) -> Hold | None:
        """Keep a partition from forgetting an epoch."""
        return self.inner.hold(partition, epoch)

    def follow_keys(self, partition: int) -> KeyLog | None:
        """Record the keys that epochs change."""
        return self.inner.follow_keys(partition)


def _informed(result: QueryResult[R], elapsed_ns: int) -> QueryResult[R]:
    return add_info(result, f"handled in MeteredStore: {elapsed_ns} ns")

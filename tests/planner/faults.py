"""A store that fails, waits or is cancelled where a test says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar, cast

from stategate.stores.errors import FailureReason
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.spec.position import PositionBound
from stategate.stores.spec.query import Batch, BatchStream, Query
from stategate.stores.spec.result import Failure, QueryResult, Success
from stategate.stores.spec.store import DEFAULT_CONFIG, OnBound, QueryConfig, Waiting

R = TypeVar("R")


def failure(reason: FailureReason, message: str = "out of order") -> Failure:
    return Failure(reason=reason, message=message)


class FaultyStore(LocalStore):
    """The replicas of another store, with changed behaviour.

    Args:
        store: the store whose replicas answer.
        failures: the failures that these partitions answer instead.
        on_wait: called when someone begins to wait.
        on_batch: called before each batch of a stream is returned.
        committed: returns the newest committed epoch.
    """

    def __init__(
        self,
        store: LocalStore,
        *,
        failures: Mapping[int, Failure] | None = None,
        on_wait: Callable[[], None] = lambda: None,
        on_batch: Callable[[], None] = lambda: None,
        committed: Callable[[], int] | None = None,
    ) -> None:
        super().__init__(store.schema, store.replicas)
        self._failures = dict(failures or {})
        self._on_wait, self._on_batch, self._committed = on_wait, on_batch, committed

    def query_partition(
        self, partition: int, query: Query[R], config: QueryConfig = DEFAULT_CONFIG
    ) -> QueryResult[R]:
        """Fail as configured, or else ask the replica."""
        failed = self._failures.get(partition)
        if failed is not None:
            return failed
        answer = super().query_partition(partition, query, config)
        if isinstance(answer, Success) and isinstance(answer.value, BatchStream):
            stream = answer.value
            return cast("Success[R]", answer.swap(BatchStream(lambda: self._batches(stream))))
        return answer

    def committed_epoch(self) -> int:
        """Return the newest committed epoch."""
        return super().committed_epoch() if self._committed is None else self._committed()

    def wait(self, partition: int, bound: PositionBound, *, timeout_s: float) -> bool:
        """Wait for a bound."""
        self._on_wait()
        return super().wait(partition, bound, timeout_s=timeout_s)

    def when(self, partition: int, bound: PositionBound, callback: OnBound) -> Waiting:
        """Wait for a bound."""
        waiting = super().when(partition, bound, callback)
        self._on_wait()
        return waiting

    def _batches(self, stream: BatchStream) -> Iterator[Batch]:
        for batch in stream:
            self._on_batch()
            yield batch

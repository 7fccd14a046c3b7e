"""The reads of a node for traced statements of other nodes, until they have ended."""

from __future__ import annotations

import threading
import time
from typing import Any

from stategate.stores.nodes.messages import Opened
from stategate.stores.spec.query import FewKeysQuery, FirstRowsQuery, Query
from stategate.stores.spec.result import Failure, QueryResult
from stategate.stores.spec.traces import OnRead, Trace, TracedRead


class OpenRead:
    """A read that has begun. It ends once, from any thread.

    Args:
        on_read: takes it once it has ended.
        trace: the statement that it is for.
        store: the name of the store.
        partition: the number of the partition.
        query: what is asked.
    """

    __slots__ = (
        "_began_ns",
        "_ending",
        "_epoch",
        "_on_read",
        "_partition",
        "_query",
        "_store",
        "_trace",
        "rows",
    )

    def __init__(
        self, on_read: OnRead, trace: Trace, store: str, partition: int, query: Query[Any]
    ) -> None:
        self._on_read, self._trace = on_read, trace
        self._store, self._partition, self._query = store, partition, query
        self._ending, self._epoch = threading.Lock(), -1
        self.rows = 0
        """The rows that were read so far."""
        self._began_ns = time.time_ns()

    def note(self, result: QueryResult[Any]) -> None:
        """Take the answer. If its rows are a stream, the read goes on until that ends."""
        self._epoch = result.epoch
        if isinstance(result, Failure):
            self.end(reason=result.reason.value)
        elif not isinstance(result.value, Opened):
            self.rows = _rows(self._query, result.value)
            self.end()

    def end(self, *, reason: str | None = None) -> None:
        """End it; repeated calls do nothing."""
        if not self._ending.acquire(blocking=False):
            return
        self._on_read(
            TracedRead(
                trace=self._trace,
                store=self._store,
                partition=self._partition,
                epoch=self._epoch,
                rows=self.rows,
                reason=reason,
                began_ns=self._began_ns,
                ended_ns=time.time_ns(),
            )
        )


def _rows(query: Query[Any], value: object) -> int:
    """Return how many rows an answer without a stream has; a number is no row."""
    if type(query) in {FewKeysQuery, FirstRowsQuery} and isinstance(value, list | tuple):
        return len(value)
    return 0 if value is None or isinstance(value, int) else 1

"""Counts of what statements read, return and wait for, for the metrics of an engine.

A statement of few rows is counted by additions to plain numbers, without a lock. Threads may add at
the same moment, so such a count may lack one of a million. A lookup of one key is not counted here:
one addition would be a hundredth of its time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import pyarrow as pa

from stategate.planner.syntax.options import ReadOptions
from stategate.planner.values.cancel import Cancellation

_WAITED_S = 0.001
"""A bound that was met sooner did not have to be waited for."""
BOUNDS = ("latest", "snapshot", "lag", "position", "seen", "none")
"""What a statement may wait for; see `bound_of`."""


class PathCount:
    """The statements of one access path, and their rows."""

    __slots__ = ("read", "returned", "statements")

    def __init__(self) -> None:
        self.statements = self.read = self.returned = 0

    def add(self, *, read: int, returned: int) -> None:
        """Count one statement."""
        self.statements += 1
        self.read += read
        self.returned += returned


class BoundCount:
    """The statements with one kind of bound that waited for it, or were refused."""

    __slots__ = ("refused", "waited", "waited_s", "waiting")

    def __init__(self) -> None:
        self.waited = self.refused = self.waiting = 0
        self.waited_s = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenStreams:
    """The streams of rows that are open at one moment."""

    count: int
    oldest_s: float
    """The age of the oldest one, in seconds; 0 without any."""


class ReadCounts:
    """The counts of an engine. Safe to share between threads.

    Args:
        clock: monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.rows, self.stream = PathCount(), PathCount()
        self.count, self.composed, self.spark = PathCount(), PathCount(), PathCount()
        self._bounds = {name: BoundCount() for name in BOUNDS}
        self._lock = threading.Lock()
        # One entry is set or removed at a time, which needs no lock; see `RowStream.__del__`.
        self._opened: dict[int, float] = {}

    @property
    def paths(self) -> Mapping[str, PathCount]:
        """The counts by access path.

        `rows` reads few rows and computes here; `stream` passes rows on; `count` only counts them;
        `composed` computes in DuckDB; `spark` computes in Spark, which reads the rows itself.
        Lookups of one key have no path: they return what they read, and the stores count them.
        """
        return {
            "rows": self.rows,
            "stream": self.stream,
            "count": self.count,
            "composed": self.composed,
            "spark": self.spark,
        }

    @property
    def bounds(self) -> Mapping[str, BoundCount]:
        """The waits and refusals by kind of bound."""
        return self._bounds

    def open_streams(self) -> OpenStreams:
        """Return how many streams are open: each keeps the epochs that it reads."""
        opened = list(self._opened.values())
        oldest_s = max(0.0, self._clock() - min(opened)) if opened else 0.0
        return OpenStreams(count=len(opened), oldest_s=oldest_s)

    def note_opened(self, stream: object) -> None:
        """Note that a stream is open."""
        self._opened[id(stream)] = self._clock()

    def note_closed(self, stream: object) -> None:
        """Note that a stream is no longer open."""
        self._opened.pop(id(stream), None)

    def finish(self, path: PathCount, *, read: int, returned: int) -> None:
        """Count a statement whose rows were a stream."""
        with self._lock:
            path.add(read=read, returned=returned)

    @contextmanager
    def waiting(self, options: ReadOptions) -> Iterator[None]:
        """Count the wait of the block, unless there is nothing to wait for."""
        bound, began_s = self._bounds[bound_of(options)], self._clock()
        with self._lock:
            bound.waiting += 1
        try:
            yield
        finally:
            waited_s = self._clock() - began_s
            with self._lock:
                bound.waiting -= 1
                if waited_s >= _WAITED_S:
                    bound.waited += 1
                    bound.waited_s += waited_s

    def refuse(self, options: ReadOptions) -> None:
        """Count a statement that failed because a partition had not reached the bound."""
        with self._lock:
            self._bounds[bound_of(options)].refused += 1


def bound_of(options: ReadOptions) -> str:
    """Return the kind of a statement's bound, the strictest if it has several; `none` without."""
    bound = options.bound
    if options.latest or bound.latest:
        return "latest"
    if options.snapshot or bound.snapshot:
        return "snapshot"
    if bound.lag_ms_max is not None:
        return "lag"
    if not bound.position.is_empty or bound.epoch is not None:
        return "position"
    return "none" if options.seen.is_empty else "seen"


class RowStream:
    """The rows of a statement as batches, which are counted once it ends.

    Between batches it checks whether the statement was cancelled.

    Args:
        batches: the rows.
        cancellation: ends them early.
        counts: the counts of the engine.
        path: the access path.
        rows_read: returns how many rows have been read from the stores.
    """

    __slots__ = ("_batches", "_cancellation", "_counts", "_path", "_returned", "_rows_read")

    def __init__(
        self,
        batches: Iterator[pa.RecordBatch],
        cancellation: Cancellation,
        *,
        counts: ReadCounts,
        path: PathCount,
        rows_read: Callable[[], int],
    ) -> None:
        self._batches: Iterator[pa.RecordBatch] | None = batches
        self._cancellation, self._counts, self._path = cancellation, counts, path
        self._rows_read, self._returned = rows_read, 0
        counts.note_opened(self)

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        return self

    def __next__(self) -> pa.RecordBatch:
        """Return the next batch.

        Raises:
            QueryCancelledError: the statement was cancelled, or its deadline has passed.
        """
        if self._batches is None:
            raise StopIteration
        try:
            batch = next(self._batches)
            self._cancellation.check()
        except BaseException:
            self.close()
            raise
        self._returned += batch.num_rows
        return batch

    def close(self) -> None:
        """Release the rows and count them; repeated calls do nothing."""
        batches, self._batches = self._batches, None
        if batches is None:
            return
        self._counts.note_closed(self)
        self._counts.finish(self._path, read=self._rows_read(), returned=self._returned)
        if hasattr(batches, "close"):
            batches.close()

    def __del__(self) -> None:
        # The collector may run this anywhere, so it takes no lock.
        self._counts.note_closed(self)

"""What a crash makes the replicas of a node apply again, and which databases are flushed for it.

Without a write-ahead log, a start applies all that was not flushed. A write buffer holds hundreds
of thousands of rows, or thousands of small epochs, and a node has many of them. Yet each flush adds
a file, which is merged with others later. So databases are flushed when all of them together have
much, those with the most, and none of them often.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

ROWS_MAX: Final = 500_000
"""Rows of a node that may be applied again: half a second of work."""
EPOCH_ROWS: Final = 2_500
"""The rows that cost as much as one more epoch of a partition: it is 3 ms to read and write."""
PAUSE_S: Final = 5.0
"""The least time between two flushes of a database. While a node catches up with a long log, it
writes more than half a second's worth in that time, and more flushes would only slow it."""


class Unflushed:
    """Counts what the databases of a node hold that is not on the disk. Safe from any thread.

    It knows them by their directories: it must not hold them.

    Args:
        rows_max: how many rows there may be; each epoch counts as `EPOCH_ROWS` more.
        pause_s: the least time between two flushes of a database.
        clock: seconds.
    """

    def __init__(
        self,
        rows_max: int = ROWS_MAX,
        *,
        pause_s: float = PAUSE_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._rows_max, self._pause_s, self._clock = rows_max, pause_s, clock
        self._lock = threading.Lock()
        self._own: dict[Path, int] = {}
        self.rows = 0
        """The rows of all databases, with those that epochs count as."""
        self._flushed_s: dict[Path, float] = {}
        """When the databases were flushed that are written now."""

    def written(self, database: Path, rows: int) -> None:
        """Note that an epoch was written."""
        with self._lock:
            self._own[database] = self._own.get(database, 0) + rows + EPOCH_ROWS
            self.rows += rows + EPOCH_ROWS

    def take_due(self, database: Path) -> bool:
        """Return whether a database is to be flushed now; if so, it counts as flushed.

        What is written meanwhile counts again, whether the flush has it or not.
        """
        with self._lock:
            own = self._own.get(database, 0)
            if self.rows <= self._rows_max or own * len(self._own) < self.rows:
                return False
            now = self._clock()
            if now - self._flushed_s.get(database, float("-inf")) < self._pause_s:
                return False
            self._flushed_s[database] = now
            self.rows -= self._own.pop(database)
            return True

    def forget(self, database: Path) -> None:
        """Note that a database was flushed for another reason, or closed."""
        with self._lock:
            self.rows -= self._own.pop(database, 0)
            self._flushed_s.pop(database, None)

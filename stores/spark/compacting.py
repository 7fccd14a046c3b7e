"""Keeps the log of a store short from within its pipeline: `stategate compact` beside the query.

It runs in a thread of the driver after a commit, so that no epoch waits for it. Whatever happens
to it harms nothing: it is made to be killed at any step, and what it did not do the next one does.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from pyspark.sql.streaming.query import StreamingQuery

from stores.upkeep.compaction import CompactionStoppedError
from stores.upkeep.retention import WEEK, Compacted, Retention, compact

logger = logging.getLogger(__name__)


class PipelineCompactor:
    """Compacts one store every so many epochs, one run at a time, until its query stops.

    Args:
        root: of the state log.
        store: its name.
        every: epochs from one snapshot to the next.
        retention: which epochs stay readable one by one.
        run: what compacts.
    """

    def __init__(
        self,
        root: str,
        store: str,
        *,
        every: int,
        retention: Retention = WEEK,
        run: Callable[..., Compacted] = compact,
    ) -> None:
        self._root, self._store = root, store
        self._every, self._retention, self._compact = every, retention, run
        self._thread: threading.Thread | None = None
        self._query: StreamingQuery | None = None
        # The first run finds out from the log what is due.
        self._due = 0
        self.runs = self.failures = 0

    def stop_with(self, query: StreamingQuery) -> None:
        """Name the query whose end is the end of a run, too."""
        self._query = query

    def committed(self, epoch: int) -> None:
        """Begin a run if one is due and none is under way; called by one thread, which goes on."""
        if epoch < self._due or self.is_running:
            return
        # It keeps a process that has nothing else to do, until it is done or the query stops:
        # RocksDB does not survive that the interpreter goes away below it.
        self._thread = threading.Thread(target=self._run, args=(epoch,), name=f"{self._store}-log")
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether a run is under way."""
        return self._thread is not None and self._thread.is_alive()

    def join(self, timeout_s: float) -> bool:
        """Wait for the run that is under way; False if it still is by then."""
        if self._thread is not None:
            self._thread.join(timeout_s)
        return not self.is_running

    def _run(self, epoch: int) -> None:
        self._due = epoch + self._every
        try:
            done = self._compact(
                self._root,
                self._store,
                retention=self._retention,
                every=self._every,
                is_stopped=self._is_stopped,
            )
        except CompactionStoppedError:
            logger.info("compaction stopped with its query store=%s", self._store)
        except Exception:  # the outermost function of this thread
            self.failures += 1
            logger.exception(
                "log not compacted, tried again later store=%s epoch=%d failures=%d",
                self._store,
                self._due,
                self.failures,
            )
        else:
            self.runs += 1
            if done.snapshot is not None:
                self._due = done.snapshot.epoch + self._every

    def _is_stopped(self) -> bool:
        if self._query is None:
            return False
        try:
            return not self._query.isActive
        except Exception:  # one of py4j's, which nobody else imports
            logger.info("spark has gone, and the query with it store=%s", self._store)
            return True

"""Compacts the log of a store from within its pipeline, as `stategate compact` does.

It runs in a thread of the driver after a commit, so no epoch waits for it. It can be killed at any
step: the next run does the rest.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from pyspark.sql.streaming.query import StreamingQuery

from stategate.stores.upkeep.compaction import CompactionStoppedError, Runner
from stategate.stores.upkeep.retention import WEEK, Compacted, Retention, compact

logger = logging.getLogger(__name__)


class PipelineCompactor:
    """Compacts one store after a number of epochs, one run at a time, until its query stops.

    Args:
        root: path or URI of the state log.
        store: the name of the store.
        every: epochs from one snapshot to the next.
        retention: which epochs are kept.
        run: the function that compacts.
        snapshots: writes the files of a snapshot; None to write them here, in turn.
    """

    def __init__(
        self,
        root: str,
        store: str,
        *,
        every: int,
        retention: Retention = WEEK,
        run: Callable[..., Compacted] = compact,
        snapshots: Runner | None = None,
    ) -> None:
        self._root, self._store = root, store
        self._every, self._retention, self._compact = every, retention, run
        self._snapshots = snapshots
        self._thread: threading.Thread | None = None
        self._query: StreamingQuery | None = None
        # The first run reads from the log whether a snapshot is due.
        self._due = 0
        self.runs = self.failures = 0

    def stop_with(self, query: StreamingQuery) -> None:
        """Set the query whose end also ends a run."""
        self._query = query

    def committed(self, epoch: int) -> None:
        """Start a run if one is due and none is running; returns at once."""
        if epoch < self._due or self.is_running:
            return
        # The thread is not a daemon, so the process waits for it: RocksDB crashes if the
        # interpreter ends before it.
        self._thread = threading.Thread(target=self._run, args=(epoch,), name=f"{self._store}-log")
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether a run is running."""
        return self._thread is not None and self._thread.is_alive()

    def join(self, timeout_s: float) -> bool:
        """Wait for the current run; False if it has not ended within the time."""
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
                run=self._snapshots,
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
        except Exception:  # an error of py4j, which only this line would import
            logger.info("compaction stopped because spark has ended store=%s", self._store)
            return True

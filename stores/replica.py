"""One partition of one store on this host: an engine, its role and state, and who waits for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable

import pyarrow as pa

from stores.errors import StoreError
from stores.position import PositionBound, Progress, unmet_bound
from stores.schema import StoreSchema
from stores.store import PartitionStatus, ReplicaState, Role, StorePartition


def wall_clock_ms() -> int:
    """Now, in epoch milliseconds."""
    return time.time_ns() // 1_000_000


class Replica:
    """One partition as this host holds it. Queried from any thread, written by one.

    Args:
        engine: holds the rows.
        schema: the store.
        partition: its number.
        role: whether it answers requests for an active replica.
        restore_to: the epoch that it must reach before it answers.
    """

    def __init__(
        self,
        engine: StorePartition,
        *,
        schema: StoreSchema,
        partition: int,
        role: Role = Role.ACTIVE,
        restore_to: int = -1,
    ) -> None:
        self.engine = engine
        self.schema = schema
        self.partition = partition
        self.role = role
        self.state = ReplicaState.RESTORING
        self.error: str | None = None
        self._restore_to = restore_to
        self._changed = threading.Condition()
        self._settle()

    @property
    def progress(self) -> Progress:
        """What has been applied."""
        return self.engine.view.progress

    @property
    def status(self) -> PartitionStatus:
        """The replica as it stands now."""
        state = self.state
        try:
            progress = self.progress
        except StoreError:
            # Closed, maybe since the line above.
            state, progress = ReplicaState.CLOSED, Progress()
        return PartitionStatus(
            partition=self.partition,
            role=self.role,
            state=state,
            progress=progress,
            error=self.error,
        )

    def apply(
        self, progress: Progress, batches: Iterable[pa.RecordBatch], *, replace: bool = False
    ) -> None:
        """Take one epoch and wake who waits for it."""
        self.engine.apply(progress, batches, replace=replace)
        self.error = None
        self._settle()

    def wait(self, bound: PositionBound, *, timeout_s: float) -> bool:
        """Block until the bound is met; False if it is not by then, or the replica closes."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_done_for(bound), timeout=timeout_s)
            return self.state is ReplicaState.RUNNING and self._meets(bound)

    def close(self) -> None:
        """Stop answering, and wake who waits."""
        with self._changed:
            self.state = ReplicaState.CLOSED
            self._changed.notify_all()
        self.engine.close()

    def _settle(self) -> None:
        with self._changed:
            restored = self.progress.epoch >= self._restore_to
            if self.state is ReplicaState.RESTORING and restored:
                self.state = ReplicaState.RUNNING
            self._changed.notify_all()

    def _is_done_for(self, bound: PositionBound) -> bool:
        if self.state is ReplicaState.RESTORING:
            return False
        return self.state is ReplicaState.CLOSED or self._meets(bound)

    def _meets(self, bound: PositionBound) -> bool:
        unmet = unmet_bound(
            bound,
            self.progress,
            inputs=self.schema.inputs,
            partition=self.partition,
            now_ms=wall_clock_ms(),
        )
        return unmet is None

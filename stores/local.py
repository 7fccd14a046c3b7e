"""A store whose replicas are on this host: answers queries, and follows the state log."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Mapping
from typing import TypeVar

from stores.dispatch import Clock, query_partition
from stores.errors import FailureReason, LogError, StoreError
from stores.log import Commit, StoreLog
from stores.position import PositionBound, Progress
from stores.query import Query
from stores.replica import Replica, wall_clock_ms
from stores.result import Failure, QueryResult, StateQueryResult
from stores.schema import StoreSchema
from stores.store import DEFAULT_CONFIG, PartitionStatus, QueryConfig, StateQueryRequest

R = TypeVar("R")
_logger = logging.getLogger(__name__)


class LocalStore:
    """A `Store` over the replicas of this host.

    Args:
        schema: the definition.
        replicas: by partition number; a host need not hold all.
        log: what they follow; None for a store that is filled by hand.
        clock: wall clock, for bounds on lag.
    """

    def __init__(
        self,
        schema: StoreSchema,
        replicas: Mapping[int, Replica],
        *,
        log: StoreLog | None = None,
        clock: Clock = wall_clock_ms,
    ) -> None:
        self.schema = schema
        self.replicas = dict(replicas)
        self.log = log
        self._clock = clock

    def query_partition(
        self, partition: int, query: Query[R], config: QueryConfig = DEFAULT_CONFIG
    ) -> QueryResult[R]:
        """Ask one partition."""
        replica = self.replicas.get(partition)
        if replica is None:
            return self._absent(partition)
        return query_partition(replica, query, config, self._clock)

    def query(self, request: StateQueryRequest[R]) -> StateQueryResult[R]:
        """Ask several partitions; one that is not here is in the result as a failure."""
        wanted = request.partitions
        numbers = range(self.schema.partitions) if wanted is None else sorted(wanted)
        return StateQueryResult(
            partitions={
                number: self.query_partition(number, request.query, request.config)
                for number in numbers
            }
        )

    def statuses(self) -> dict[int, PartitionStatus]:
        """The partitions that are held here."""
        return {number: replica.status for number, replica in self.replicas.items()}

    def committed_epoch(self) -> int:
        """The newest epoch in the log; of a store without a log, the newest applied.

        Raises:
            LogError: the log cannot be read now.
        """
        if self.log is not None:
            return self.log.latest_epoch()
        return max((r.progress.epoch for r in self.replicas.values()), default=-1)

    def wait(self, partition: int, bound: PositionBound, *, timeout_s: float) -> bool:
        """Block until a partition meets the bound."""
        replica = self.replicas.get(partition)
        return replica is not None and replica.wait(bound, timeout_s=timeout_s)

    def follow(self) -> bool:
        """Apply the next epoch to every replica that has one waiting; True if any was applied.

        A torn or missing file stops only the replicas that need it: they keep serving their last
        good epoch, and try again at the next call.
        """
        assert self.log is not None
        by_epoch: dict[int, list[Replica]] = defaultdict(list)
        for replica in self.replicas.values():
            by_epoch[replica.progress.epoch].append(replica)
        applied = 0
        for epoch, replicas in by_epoch.items():
            try:
                commit = self.log.next_commit(epoch)
                if commit is not None and not is_same_log(self.log, replicas[0].progress):
                    raise LogError(f"the log is not the one that epoch {epoch} came from")
            except LogError as error:
                for replica in replicas:
                    self._stuck(replica, error)
                continue
            for replica in replicas:
                if commit is None:
                    replica.error = None
                elif self._apply(replica, commit):
                    applied += 1
        return applied > 0

    def with_inputs(self, schema: StoreSchema) -> LocalStore:
        """The same replicas under a definition that differs in its inputs alone."""
        for replica in self.replicas.values():
            replica.schema = schema
        return LocalStore(schema, self.replicas, log=self.log, clock=self._clock)

    def close(self) -> None:
        """Close all replicas."""
        for replica in self.replicas.values():
            replica.close()

    def _apply(self, replica: Replica, commit: Commit) -> bool:
        assert self.log is not None
        progress = Progress(
            epoch=commit.epoch,
            position=commit.position,
            watermark_ms=_later(commit.watermark_ms, replica.progress.watermark_ms),
            committed_ms=commit.committed_ms,
        )
        try:
            batches = self.log.read(commit, replica.partition)
            replica.apply(progress, batches, replace=commit.replace)
        except StoreError as error:
            self._stuck(replica, error)
            return False
        return True

    def _stuck(self, replica: Replica, error: StoreError) -> None:
        if replica.error != str(error):
            _logger.warning(
                "replica cannot follow the log store=%s partition=%d epoch=%d error=%s",
                self.schema.name,
                replica.partition,
                replica.progress.epoch,
                error,
            )
        replica.error = str(error)

    def _absent(self, partition: int) -> Failure:
        if not 0 <= partition < self.schema.partitions:
            return Failure(
                reason=FailureReason.DOES_NOT_EXIST,
                message=f'store "{self.schema.name}" has partitions 0 to '
                f"{self.schema.partitions - 1}, not {partition}",
            )
        return Failure(
            reason=FailureReason.NOT_PRESENT,
            message=f'partition {partition} of store "{self.schema.name}" is not on this node',
        )


def is_same_log(log: StoreLog, progress: Progress) -> bool:
    """Whether the log still is the one that this progress was made by.

    Raises:
        LogError: the log cannot be read now.
    """
    if progress.epoch < 0:
        return True
    commit = log.commit(progress.epoch)
    if commit is None:
        # Gone from a log that went on: removed as old. Gone from one that ends before: another log.
        return log.latest_epoch() > progress.epoch
    return commit.committed_ms == progress.committed_ms and commit.position == progress.position


def _later(watermark_ms: int | None, before_ms: int | None) -> int | None:
    """Watermarks never go back: a window that has expired stays so."""
    known = [mark for mark in (watermark_ms, before_ms) if mark is not None]
    return max(known, default=None)

"""Take the replicas of one store from epoch to epoch of its log, or to a snapshot in it."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from contextlib import suppress

from stategate.stores.errors import LogError, StoreError, TornRecordError
from stategate.stores.hosting.replica import Replica
from stategate.stores.log.inputs import Inputs
from stategate.stores.log.metadata.records import Commit
from stategate.stores.log.snapshots import SnapshotReader
from stategate.stores.log.state_log import StoreLog
from stategate.stores.spec.position import Progress
from stategate.stores.spec.store import ReplicaState

_logger = logging.getLogger(__name__)


class LogFollower:
    """Applies the epochs of one store's log to its replicas. Used by one thread.

    Args:
        log: the log of the store.
        inputs: the inputs of the store; looked up again before each epoch.
    """

    def __init__(self, log: StoreLog, inputs: Inputs) -> None:
        self._log, self._inputs = log, inputs
        self._snapshots = SnapshotReader(log)

    def follow(self, replicas: Iterable[Replica]) -> bool:
        """Apply the next epoch to every replica that has one waiting; True if any was applied.

        A torn or missing file stops only the replicas that need it: they go on serving their last
        good epoch, and try again at the next call.
        """
        by_epoch = _by_epoch(replicas)
        if not by_epoch:
            self._look_for_move()
        applied = 0
        for reached, members in by_epoch.values():
            try:
                commit, is_known = self._next(reached)
            except LogError as error:
                if isinstance(error, TornRecordError):
                    _withhold_empty(members)
                applied += sum(self._recover(replica, error) for replica in members)
                continue
            if commit is not None:
                _withhold_empty(members)
            for replica in members:
                if commit is None:
                    replica.error = None
                elif self._apply(replica, commit, is_known=is_known):
                    applied += 1
        return applied > 0

    def _look_for_move(self) -> None:
        """Look whether the store was rebuilt, which others notice as they look for an epoch.

        A node without a replica asks others, by the definition that it knows.
        """
        with suppress(LogError):  # those with a replica say what is wrong
            self._log.latest_epoch()

    def _next(self, reached: Progress) -> tuple[Commit | None, bool]:
        """Return the commit after the epoch that was reached.

        Returns:
            The commit, and whether the log still has the commit of the epoch that was reached.

        Raises:
            LogError: the log cannot be read now, or is another one than that epoch came from.
        """
        epoch = reached.epoch
        commit, own = self._log.following(epoch)
        if commit is not None:
            # Renew the inputs before the commit is applied, so that a bound on a topic that begins
            # with it is not ignored.
            self._inputs.renew()
        if commit is None or epoch < 0:
            return commit, False
        if not _is_made_by(own, reached, self._log):
            raise LogError(f"the log is not the one that epoch {epoch} came from")
        return commit, own is not None

    def _apply(self, replica: Replica, commit: Commit, *, is_known: bool) -> bool:
        """Apply an epoch, or take a snapshot in its place; return whether it did.

        A snapshot is less work for an empty replica. If the log no longer has the epoch that a
        replica is at, the replica cannot tell whether the log is the same; a snapshot is of this
        log in any case.
        """
        progress = commit.progress_after(replica.status.progress)
        try:
            replica.pipeline = commit.writer
            if not is_known and self._restore(replica):
                return True
            batches = self._log.read(commit, replica.partition)
            replica.apply(progress, batches, replace=commit.replace)
        except StoreError as error:
            return self._recover(replica, error)
        except Exception as error:  # a bug of an engine, which must not stop the other partitions
            self._note_error(replica, error)
            return False
        return True

    def _restore(self, replica: Replica) -> bool:
        """Restore a replica from the newest snapshot; False without a usable one."""
        try:
            self._inputs.renew()
        except LogError:
            return False
        return self._snapshots.restore(replica)

    def _recover(self, replica: Replica, error: StoreError) -> bool:
        """Go on from a snapshot if the next epoch is damaged; otherwise stay, and record why."""
        if isinstance(error, TornRecordError):
            if self._restore(replica):
                return True
            if (unusable := self._snapshots.error(replica.partition)) is not None:
                error = TornRecordError(f"{error}; {unusable}")
        self._note_error(replica, error)
        return False

    def _note_error(self, replica: Replica, error: Exception) -> None:
        """Record why a replica does not go on. A torn record ends restoring: nothing follows it."""
        if replica.state is ReplicaState.CLOSED:
            return
        is_planned = isinstance(error, StoreError)
        message = str(error) if is_planned else f"{type(error).__name__}: {error}"
        if replica.error != message:
            _logger.warning(
                "replica cannot follow the log store=%s partition=%d epoch=%d error=%s",
                replica.schema.name,
                replica.partition,
                replica.status.progress.epoch,
                message,
                exc_info=None if is_planned else error,
            )
        replica.error = message
        if isinstance(error, TornRecordError):
            replica.serve_as_is()


def _by_epoch(replicas: Iterable[Replica]) -> dict[int, tuple[Progress, list[Replica]]]:
    """Return the replicas that are open, and how far they are, by their epochs."""
    found: dict[int, tuple[Progress, list[Replica]]] = {}
    for replica in replicas:
        status = replica.status
        if status.state is not ReplicaState.CLOSED:
            progress = status.progress
            found.setdefault(progress.epoch, (progress, []))[1].append(replica)
    return found


def _withhold_empty(replicas: Iterable[Replica]) -> None:
    """Let replicas without an epoch refuse queries, because the log has one."""
    for replica in replicas:
        if replica.status.progress.epoch < 0:
            replica.withhold()


def is_same_log(log: StoreLog, progress: Progress) -> bool:
    """Return whether this progress was made from this log.

    Raises:
        LogError: the log cannot be read now.
    """
    return progress.epoch < 0 or _is_made_by(log.commit(progress.epoch), progress, log)


def _is_made_by(commit: Commit | None, progress: Progress, log: StoreLog) -> bool:
    if commit is None:
        # A log that goes on has removed it because it is old. A log that ends before it is another
        # log.
        return log.latest_epoch() > progress.epoch
    return commit.committed_ms == progress.committed_ms and commit.position == progress.position

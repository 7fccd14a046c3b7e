"""The epochs of a live query: of each pipeline, the next one that all partitions have.

Stores of one pipeline are always read at the same epoch. A query that falls behind skips epochs
that the replicas have forgotten; its next event then has the changes of several epochs together.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from typing import TypeAlias

from planner.errors import LimitExceededError, SnapshotTooOldError
from planner.live.tokens import Mark
from planner.running.snapshot import Snapshot
from stores.errors import TooManyWaitersError
from stores.hosting.held_epochs import standstill
from stores.spec.position import PositionBound
from stores.spec.snapshots import pipeline_of
from stores.spec.store import OnBound, PartitionStatus, ReplicaState, Store, Waiting

Epochs: TypeAlias = Mapping[str, int]
"""The epoch of each store, by name."""
Stores: TypeAlias = Mapping[str, Store]


def take_next(stores: Stores, after: Epochs | None, *, to_newest: bool = False) -> Snapshot | None:
    """Hold the stores at the epochs that follow others; None if no pipeline has got further.

    Args:
        stores: the stores, all of whose partitions are here.
        after: the epochs before; None for the newest ones.
        to_newest: whether to skip what lies between.

    Raises:
        SnapshotTooOldError: a store is older than it was, as after it was made anew.
    """
    with standstill():
        epochs = _next_epochs(stores, after, to_newest=to_newest)
        return None if epochs is None else take_at(stores, epochs)


def take_at(stores: Stores, epochs: Epochs) -> Snapshot | None:
    """Hold the stores at these epochs; None if a partition has forgotten its epoch."""
    turn: AbstractContextManager[object] = standstill()
    with turn:
        if stores.keys() != epochs.keys() or not _agree(stores, epochs):
            return None
        taken = Snapshot(of_transaction=True)
        return taken if taken.hold_at(stores.values(), epochs) else None


def mark_of(snapshot: Snapshot, stores: Stores) -> Mark:
    """Return the epoch at which each store is held."""
    found = {name: snapshot.chosen(store) for name, store in stores.items()}
    return Mark(
        epochs={name: epoch for name, epoch in found.items() if epoch is not None},
        committed_ms={name: snapshot.committed_ms(store) for name, store in stores.items()},
    )


def take_again(stores: Stores, mark: Mark) -> Snapshot | None:
    """Hold the stores at epochs as they were; None if one is forgotten, or is another one now."""
    snapshot = take_at(stores, mark.epochs)
    if snapshot is not None and mark_of(snapshot, stores) != mark:
        snapshot.release()
        return None
    return snapshot


def require_same(stores: Stores, mark: Mark) -> None:
    """Refuse a store that was made anew and has come to the same epoch, which is another one now.

    One that has gone further is read as it is: the next event leads from the old rows to its rows.

    Raises:
        SnapshotTooOldError: there is one.
    """
    for name, store in stores.items():
        for status in store.statuses().values():
            progress = status.progress
            if (
                status.state is ReplicaState.RUNNING
                and progress.epoch == mark.epochs[name]
                and progress.committed_ms != mark.committed_ms[name]
            ):
                raise SnapshotTooOldError(
                    f'store "{name}" was made anew',
                    detail=f"It is at epoch {progress.epoch} again, with other rows.",
                    hint="Subscribe again, from the beginning.",
                )


def _agree(stores: Stores, epochs: Epochs) -> bool:
    """Whether the epochs are not in the future, and the same for all stores of a pipeline."""
    for members in _by_pipeline(stores):
        if len({epochs[name] for name in members}) > 1:
            return False
        statuses = _running(members.values())
        if statuses is None or any(s.progress.epoch < epochs[n] for n, s in statuses):
            return False
    return True


def _next_epochs(stores: Stores, after: Epochs | None, *, to_newest: bool) -> dict[str, int] | None:
    found: dict[str, int] = {}
    moves = after is None
    for members in _by_pipeline(stores):
        before = None if after is None else max(after[name] for name in members)
        epoch = _next_epoch(members, before, to_newest=to_newest)
        if epoch is None:
            if before is None:
                return None
            epoch = before
        moves = moves or epoch != before
        found.update(dict.fromkeys(members, epoch))
    return found if moves else None


def _next_epoch(members: Stores, before: int | None, *, to_newest: bool) -> int | None:
    """Return the next epoch that all partitions of a pipeline have; None without one."""
    statuses = _running(members.values())
    if statuses is None:
        return None
    newest = min(status.progress.epoch for _, status in statuses)
    oldest = max(status.epoch_oldest for _, status in statuses)
    if before is not None and newest < before:
        raise SnapshotTooOldError(
            f'store "{min(members)}" is older than it was',
            detail=f"It is at epoch {newest}, and was at epoch {before}.",
            hint="Subscribe again, from the beginning.",
        )
    if newest < oldest or newest == before:
        return None
    return newest if before is None or to_newest else max(before + 1, oldest)


def _running(stores: Iterable[Store]) -> list[tuple[str, PartitionStatus]] | None:
    """Return the status of each partition; None unless all of them answer here."""
    found: list[tuple[str, PartitionStatus]] = []
    for store in stores:
        statuses = store.statuses()
        if len(statuses) < store.schema.partitions:
            return None
        found += [(store.schema.name, status) for status in statuses.values()]
    running = all(status.state is ReplicaState.RUNNING for _, status in found)
    return found if running else None


def _by_pipeline(stores: Stores) -> list[dict[str, Store]]:
    found: dict[str, dict[str, Store]] = {}
    for name, store in stores.items():
        pipeline = pipeline_of(name, store.statuses().values())
        found.setdefault(pipeline, {})[name] = store
    return list(found.values())


class EpochWatch:
    """Calls back once, as soon as all partitions of a pipeline have an epoch after the given one.

    Args:
        stores: the stores.
        after: their epochs.
        callback: gets whether there is such an epoch; False if a replica has closed. It runs in
            the thread that applies epochs, or before this returns.

    Raises:
        LimitExceededError: a partition has too many waiters (53300).
    """

    def __init__(self, stores: Stores, after: Epochs, callback: OnBound) -> None:
        self._waiting: list[Waiting] = []
        self._callback = callback
        self._lock = threading.Lock()
        self._is_over = False
        try:
            for members in _by_pipeline(stores):
                report = self._counted(sum(s.schema.partitions for s in members.values()))
                bound = PositionBound(epoch=max(after[name] for name in members) + 1)
                for store in members.values():
                    for partition in range(store.schema.partitions):
                        self._waiting.append(store.when(partition, bound, report))
        except TooManyWaitersError as error:
            self.cancel()
            raise LimitExceededError(str(error), hint="Retry later.", sqlstate="53300") from error

    def cancel(self) -> None:
        """Do not call back any more."""
        with self._lock:
            self._is_over = True
        for each in self._waiting:
            each.cancel()

    def _counted(self, partitions: int) -> Callable[[bool], None]:
        left = partitions

        def report(met: bool) -> None:
            nonlocal left
            with self._lock:
                left -= 1
                is_first = not self._is_over and (left == 0 or not met)
                self._is_over = self._is_over or is_first
            if is_first:
                self._callback(met)

        return report

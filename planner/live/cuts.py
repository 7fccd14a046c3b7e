"""The epochs of a live query: of each pipeline, the next one that all partitions have.

Stores of one pipeline are always read at the same epoch. A query that falls behind skips epochs
that the replicas have forgotten; its next event then has the changes of several epochs together.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple, TypeAlias

from stategate.planner.errors import SnapshotTooOldError, UnavailableError
from stategate.planner.live.tokens import Mark, Seen, seen_in
from stategate.planner.running.snapshot import Snapshot
from stategate.planner.values.live import FIRST_ROWS
from stategate.stores.errors import TooManyWaitersError
from stategate.stores.hosting.held_epochs import standstill
from stategate.stores.spec.position import PositionBound
from stategate.stores.spec.snapshots import pipeline_of
from stategate.stores.spec.store import OnBound, PartitionStatus, ReplicaState, Store, Waiting

Epochs: TypeAlias = Mapping[str, int]
"""The epoch of each store, by name."""
Stores: TypeAlias = Mapping[str, Store]

_CUTS_MAX = 3
"""Tries to hold epochs at other nodes; each is in vain only if one forgets them meanwhile."""


class Taken(NamedTuple):
    """Stores that are held."""

    snapshot: Snapshot
    is_newest: bool
    """Whether no pipeline had got further when its epochs were chosen."""


def take_next(stores: Stores, after: Mark | None, *, to_newest: bool = False) -> Taken | None:
    """Hold the stores at the epochs that follow others; None if no pipeline has got further.

    Args:
        stores: the stores.
        after: the epochs before; None for the newest ones.
        to_newest: whether to skip what lies between.

    Raises:
        SnapshotTooOldError: a store is another incarnation than it was, older than it was, or at
            the same epoch with other rows, as after its log was put back from a copy.
        UnavailableError: a partition is on no node (55S03).
    """
    if after is not None and (problem := remade(stores, after)) is not None:
        raise SnapshotTooOldError(problem, hint="Subscribe again, from the beginning.")
    with _standstill(stores):
        look = _Look(stores)
        if after is not None:
            look.require_all()
            look.require_same(after)
        epochs = look.next_epochs(after, to_newest=to_newest)
        snapshot = None if epochs is None else _hold(stores, epochs, look)
    if epochs is None or snapshot is None:
        return None
    return Taken(snapshot, look.are_newest(epochs))


def take_newest(stores: Stores) -> Snapshot:
    """Hold the stores at the newest epochs that all partitions have.

    Raises:
        UnavailableError: they share no epoch (55S01).
    """
    for _ in range(_CUTS_MAX if are_elsewhere(stores) else 1):
        taken = take_next(stores, None)
        if taken is not None:
            return taken.snapshot
    raise UnavailableError(
        "the partitions share no epoch",
        detail="A partition is on no node that answers, restores, or is far behind.",
        hint="Retry.",
        sqlstate="55S01",
    )


def take_again(stores: Stores, mark: Mark) -> Snapshot | None:
    """Hold the stores at epochs as they were; None if one is forgotten, or is another one now."""
    with _standstill(stores):
        look = _Look(stores)
        if stores.keys() != mark.epochs.keys() or not look.has(mark.epochs):
            return None
        snapshot = _hold(stores, mark.epochs, look)
    if snapshot is not None and mark_of(snapshot, stores) != mark:
        snapshot.release()
        return None
    return snapshot


def is_held(mark: Mark, stores: Stores) -> bool:
    """Whether the stores still have these epochs."""
    snapshot = take_again(stores, mark)
    if snapshot is not None:
        snapshot.release()
    return snapshot is not None


def is_ahead(mark: Mark, stores: Stores) -> bool:
    """Whether a partition has not come to these epochs."""
    return any(
        status.progress.epoch < mark.epochs.get(name, -1)
        for name, store in stores.items()
        for status in store.statuses().values()
    )


def mark_of(snapshot: Snapshot, stores: Stores) -> Mark:
    """Return the epoch at which each store is held."""
    found = {name: snapshot.chosen(store) for name, store in stores.items()}
    times = {name: snapshot.committed_ms(store) for name, store in stores.items()}
    return Mark(
        epochs={name: epoch for name, epoch in found.items() if epoch is not None},
        committed_ms={name: max(each, default=None) for name, each in times.items()},
        incarnations=_incarnations(stores),
    )


def remade(stores: Stores, mark: Mark) -> str | None:
    """Return in words which store was rebuilt or created again since a mark; None if none was."""
    for name, incarnation in _incarnations(stores).items():
        if mark.incarnations.get(name) != incarnation:
            return f'store "{name}" was rebuilt or created again'
    return None


def seen_of(token: str | None, digest: str, stores: Stores) -> tuple[Seen | None, str | None]:
    """Return what a client has seen, and in words why it cannot go on from there, if so.

    Raises:
        InvalidValueError: the token is malformed, or of another statement (22023).
    """
    if token is None:
        return None, None
    if token == FIRST_ROWS:
        return None, "its first rows were not complete"
    seen = seen_in(token, digest)
    return seen, remade(stores, seen.mark)


def _incarnations(stores: Stores) -> dict[str, str]:
    return {name: store.schema.incarnation for name, store in stores.items()}


def are_elsewhere(stores: Stores) -> bool:
    """Whether other nodes hold a part of the stores, too."""
    return any(store.here is not None for store in stores.values())


def _standstill(stores: Stores) -> AbstractContextManager[object]:
    # Other nodes do not stand still. An epoch that one of them forgets meanwhile is not found, and
    # the next one is taken instead.
    return nullcontext() if are_elsewhere(stores) else standstill()


def _hold(stores: Stores, epochs: Epochs, look: _Look) -> Snapshot | None:
    taken = Snapshot(of_transaction=True)
    if not taken.hold_at(stores.values(), epochs, look.pipelines):
        return None
    if are_elsewhere(stores) and any(len(taken.committed_ms(s)) > 1 for s in stores.values()):
        # A node has yet to see that the log was put back from a copy, and another one has seen it.
        taken.release()
        return None
    return taken


class _Look:
    """The replicas of some stores, as they are in one moment.

    Args:
        stores: the stores.
    """

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._statuses = {name: store.statuses() for name, store in stores.items()}
        self.pipelines = {
            name: pipeline_of(name, statuses.values()) for name, statuses in self._statuses.items()
        }
        """The pipeline of each store."""

    def require_all(self) -> None:
        """Refuse stores of which no node has a partition.

        Raises:
            UnavailableError: there is one.
        """
        for name, store in self._stores.items():
            missing = set(range(store.schema.partitions)) - self._statuses[name].keys()
            if missing:
                raise UnavailableError(
                    f'partition {min(missing)} of store "{name}" is on no node that answers',
                    hint="Retry.",
                    sqlstate="55S03",
                )

    def require_same(self, mark: Mark) -> None:
        """Refuse a store whose log was put back from a copy, and has come to the same epoch.

        Raises:
            SnapshotTooOldError: there is one.
        """
        for name, statuses in self._statuses.items():
            committed_ms = mark.committed_ms[name]
            for status in statuses.values():
                progress = status.progress
                if (
                    status.state is ReplicaState.RUNNING
                    and progress.epoch == mark.epochs[name]
                    and committed_ms not in {None, progress.committed_ms}
                ):
                    raise SnapshotTooOldError(
                        f'the log of store "{name}" was put back',
                        detail=f"It is at epoch {progress.epoch} again, with other rows.",
                        hint="Subscribe again, from the beginning.",
                    )

    def has(self, epochs: Epochs) -> bool:
        """Whether the epochs are not in the future, and the same for all stores of a pipeline."""
        for members in self._by_pipeline():
            if len({epochs[name] for name in members}) > 1:
                return False
            statuses = self._running(members)
            if statuses is None or any(s.progress.epoch < epochs[n] for n, s in statuses):
                return False
        return True

    def next_epochs(self, after: Mark | None, *, to_newest: bool) -> dict[str, int] | None:
        """Return the epochs that follow others; None if no pipeline has got further."""
        found: dict[str, int] = {}
        moves = after is None
        for members in self._by_pipeline():
            before = None if after is None else max(after.epochs[name] for name in members)
            statuses = self._running(members)
            if statuses is not None and after is not None:
                self._require_no_older(statuses, after)
            epoch = _next_epoch(statuses or [], before, to_newest=to_newest)
            if epoch is None:
                if before is None:
                    return None
                epoch = before
            moves = moves or epoch != before
            found.update(dict.fromkeys(members, epoch))
        return found if moves else None

    def are_newest(self, epochs: Epochs) -> bool:
        """Whether no pipeline has got further than these epochs."""
        for members in self._by_pipeline():
            statuses, epoch = self._running(members), epochs[members[0]]
            if _next_epoch(statuses or [], epoch, to_newest=True) is not None:
                return False
        return True

    def _require_no_older(self, statuses: list[tuple[str, PartitionStatus]], mark: Mark) -> None:
        """Refuse stores whose logs were put back from copies, and have not come as far yet.

        With several nodes, a copy may only be behind one that was lost: then it is waited for.

        Raises:
            SnapshotTooOldError: there is one.
        """
        if are_elsewhere(self._stores):
            return
        for name, status in statuses:
            progress = status.progress
            if progress.epoch < mark.epochs[name]:
                raise SnapshotTooOldError(
                    f'store "{name}" is older than it was',
                    detail=f"It is at epoch {progress.epoch}, and was at epoch "
                    f"{mark.epochs[name]}.",
                    hint="Subscribe again, from the beginning.",
                )

    def _running(self, members: Iterable[str]) -> list[tuple[str, PartitionStatus]] | None:
        """Return the status of each partition; None unless all of them answer."""
        found: list[tuple[str, PartitionStatus]] = []
        for name in members:
            statuses = self._statuses[name]
            if len(statuses) < self._stores[name].schema.partitions:
                return None
            found += [(name, status) for status in statuses.values()]
        running = all(status.state is ReplicaState.RUNNING for _, status in found)
        return found if running else None

    def _by_pipeline(self) -> list[list[str]]:
        return members_of(self.pipelines)


def _next_epoch(
    statuses: list[tuple[str, PartitionStatus]], before: int | None, *, to_newest: bool
) -> int | None:
    """Return the next epoch that all partitions of a pipeline have; None without one."""
    if not statuses:
        return None
    newest = min(status.progress.epoch for _, status in statuses)
    oldest = max(status.epoch_oldest for _, status in statuses)
    if newest < oldest or (before is not None and newest <= before):
        return None
    return newest if before is None or to_newest else max(before + 1, oldest)


def members_of(pipelines: Mapping[str, str]) -> list[list[str]]:
    """Return the stores of each pipeline.

    Args:
        pipelines: the pipeline of each store.
    """
    found: dict[str, list[str]] = {}
    for name, pipeline in pipelines.items():
        found.setdefault(pipeline, []).append(name)
    return list(found.values())


class EpochWatch:
    """Calls back once, as soon as all partitions of a pipeline have an epoch after the given one.

    Args:
        stores: the stores.
        after: their epochs.
        pipelines: the pipeline of each store.
        callback: gets whether there is such an epoch; False if a replica has closed. It runs in
            the thread that applies epochs, or before this returns.

    Raises:
        UnavailableError: a partition has too many waiters now (53300).
    """

    def __init__(
        self, stores: Stores, after: Epochs, pipelines: Mapping[str, str], callback: OnBound
    ) -> None:
        self._stores, self._after = dict(stores), dict(after)
        self._waiting: list[Waiting] = []
        self._callback = callback
        self._lock = threading.Lock()
        self._is_over = False
        try:
            for members in members_of(pipelines):
                report = self._counted(sum(stores[name].schema.partitions for name in members))
                bound = PositionBound(epoch=max(after[name] for name in members) + 1)
                for store in [stores[name] for name in members]:
                    for partition in range(store.schema.partitions):
                        self._waiting.append(store.when(partition, bound, report))
        except TooManyWaitersError as error:
            self.cancel()
            raise UnavailableError(str(error), hint="Retry later.", sqlstate="53300") from error

    def is_waiting_for(self, stores: Stores, after: Epochs) -> bool:
        """Whether it waits for what comes after these epochs of stores, and has not called back."""
        same = [stores.get(name) is store for name, store in self._stores.items()]
        return not self._is_over and self._after == after and all(same)

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

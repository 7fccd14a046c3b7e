"""Epochs that a replica keeps for readers, although it would otherwise have forgotten them.

There are no threads and no I/O here; `stategate.stores.hosting.replica` calls it. A held view costs
nothing while it is among the newest. An older one keeps old rows from being compacted away, and its
files from being removed. Views become older only when an epoch is applied; then those that were
held too long, or are too many, are released. A held view never keeps an epoch from being applied.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager

from stategate.stores.spec.snapshots import snapshot_epochs
from stategate.stores.spec.store import Store, View

HOLDS_MAX = 64
"""Held epochs of one replica that are older than its newest; with more, the oldest is released.

Each may keep a write buffer of 16 MB from being freed, though most share theirs.
"""
HOLD_S = 300.0
"""The minimum time for which a view is held: enough for a report of many statements, not for a
forgotten transaction.
"""


_turn = threading.RLock()


def standstill() -> AbstractContextManager[object]:
    """Return a context in which no replica of this process shows a new epoch, or forgets one.

    This is the only way to find and hold an epoch that several replicas have: between two checks a
    follower may run ahead by more epochs than a replica keeps. Epochs are still written, and
    readers read; only showing a new epoch waits. So do nothing else inside: finding and holding
    epochs takes some microseconds a replica.
    """
    return _turn


class _Held:
    __slots__ = ("count", "is_lost", "is_missed", "since_s", "until_s", "view")

    def __init__(self, view: View | None, now_s: float) -> None:
        self.view = view
        """None while the epoch is yet to come."""
        self.count = 0
        self.since_s = self.until_s = now_s
        self.is_lost = self.is_missed = False

    def lose(self) -> None:
        """Release the view, even if readers still hold it."""
        self.is_lost, self.view = True, None


class EpochHold:
    """The hold of one reader on one epoch; see `stategate.stores.spec.store.Hold`."""

    __slots__ = ("_held", "_holds", "_released", "epoch")

    is_misplaced = False

    def __init__(self, holds: HeldEpochs, held: _Held, epoch: int) -> None:
        self._holds, self._held = holds, held
        self._released = False
        self.epoch = epoch

    @property
    def is_held(self) -> bool:
        """Whether the replica can still be asked at the epoch."""
        return not (self._released or self._held.is_lost)

    @property
    def is_missed(self) -> bool:
        """Whether the epoch was yet to come, and the replica skipped it with a snapshot."""
        return self._held.is_missed

    @property
    def committed_ms(self) -> int | None:
        """When the epoch was committed; None if it is not kept, or yet to come."""
        view = self._held.view
        return None if view is None else view.progress.committed_ms

    def release(self) -> None:
        """Let the epoch be forgotten; repeated calls do nothing."""
        if not self._released:
            self._released = True
            self._holds.release(self.epoch, self._held)


class HeldEpochs:
    """The held epochs of one replica. Safe to share between threads.

    Args:
        holds_max: how many epochs older than the newest are kept.
        hold_s: the minimum time for which an epoch is kept.
        clock: monotonic seconds.
    """

    def __init__(
        self,
        *,
        holds_max: int = HOLDS_MAX,
        hold_s: float = HOLD_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._holds_max, self._hold_s, self._clock = holds_max, hold_s, clock
        self._lock = threading.Lock()
        self._held: dict[int, _Held] = {}
        self._closed = False

    def __len__(self) -> int:
        """Return how many epochs are held."""
        return len(self._held)

    def oldest_s(self) -> float:
        """Return for how many seconds the oldest epoch has been held; 0 without any."""
        with self._lock:
            since_s = min((held.since_s for held in self._held.values()), default=None)
        return 0.0 if since_s is None else max(0.0, self._clock() - since_s)

    def take(self, epoch: int, view: View | None, *, is_future: bool) -> EpochHold | None:
        """Hold an epoch.

        Args:
            epoch: the number to ask at; the view may be of an older epoch, if none lies
                between them.
            view: the view of the epoch; None if it is yet to come, or only another reader holds it.
            is_future: whether the replica has yet to reach it; `tidy` takes its view then.

        Returns:
            None if the epoch is forgotten, or the replica is closed.
        """
        with self._lock:
            held, now_s = self._held.get(epoch), self._clock()
            if held is None:
                if self._closed or (view is None and not is_future):
                    return None
                held = self._held[epoch] = _Held(view, now_s)
            held.count += 1
            held.until_s = now_s + self._hold_s
            return EpochHold(self, held, epoch)

    def view_at(self, epoch: int) -> View | None:
        """Return the held view of an epoch; None if the epoch is not held."""
        held = self._held.get(epoch)
        return None if held is None else held.view

    def release(self, epoch: int, held: _Held) -> None:
        """Remove the hold of one reader."""
        with self._lock:
            held.count -= 1
            if not held.count and self._held.get(epoch) is held:
                del self._held[epoch]

    def tidy(self, views: Sequence[View]) -> None:
        """Update the held epochs after the replica's views have changed.

        Epochs that were yet to come get their view. Views that were held too long are released, and
        the oldest ones if there are too many.

        Args:
            views: the views that the replica keeps anyway, oldest first.
        """
        if not self._held:
            return
        now_s = self._clock()
        with self._lock:
            older: list[int] = []
            for epoch, held in sorted(self._held.items()):
                if held.view is None and epoch <= views[-1].progress.epoch:
                    held.view = _view_at(views, epoch)
                    held.is_lost = held.is_missed = held.view is None
                if held.view is None or held.view.progress.epoch >= views[0].progress.epoch:
                    continue
                if held.until_s <= now_s:
                    held.lose()
                else:
                    older.append(epoch)
            for epoch in older[: max(0, len(older) - self._holds_max)]:
                self._held[epoch].lose()
            self._held = {epoch: held for epoch, held in self._held.items() if not held.is_lost}

    def close(self) -> None:
        """Release all epochs: a database closes with its last view."""
        with self._lock:
            self._closed = True
            for held in self._held.values():
                held.lose()
            self._held.clear()


def _view_at(views: Sequence[View], epoch: int) -> View | None:
    return next((view for view in reversed(views) if view.progress.epoch <= epoch), None)


@contextmanager
def held_snapshot(stores: Iterable[Store]) -> Iterator[Mapping[str, int | None]]:
    """Hold several stores at the newest epoch that all stores of a pipeline have.

    Applying goes on meanwhile, and `QueryConfig(at_epoch=…)` finds the epoch for as long as a hold
    lasts (see `Store.hold`). Streams that were opened meanwhile can still be read afterwards.
    `stategate.stores.spec.store.snapshot_epochs` only finds the epochs, which may be forgotten
    before they are asked for.

    Args:
        stores: the stores of this process; each pipeline has an epoch of its own.

    Returns:
        The epoch to ask each store at, by name; None if the partitions of its pipeline share no
        epoch.
    """
    members = list(stores)
    with ExitStack() as held:
        with standstill():
            epochs = snapshot_epochs(members)
            for store in members:
                epoch = epochs[store.schema.name]
                for partition in store.statuses() if epoch is not None else ():
                    hold = store.hold(partition, epoch)
                    if hold is not None:
                        held.callback(hold.release)
        yield epochs

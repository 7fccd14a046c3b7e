"""Epochs of one replica that are kept for readers, although it would have forgotten them.

No threads, no I/O: `stores.hosting.replica` asks. A view that is held costs nothing while it is
among the newest; behind them it keeps old rows from being compacted away, and the files that it
reads from being removed. So an apply, which alone pushes views behind, is what looks for those that
have been held too long, or that are too many. Nobody who holds a view ever keeps an epoch from
being applied.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager

from stores.spec.store import Store, View, snapshot_epochs

HOLDS_MAX = 64
"""Epochs held of one replica behind its newest; of more, the oldest goes: who came last is served.

Each may keep a write buffer of 16 MB from being freed, though most share theirs.
"""
HOLD_S = 300.0
"""How long a view is surely held: a report of many statements takes that long, a client that
forgot its transaction longer."""


_turn = threading.RLock()


def standstill() -> AbstractContextManager[object]:
    """While no replica of this process comes to another epoch, or forgets one.

    What several replicas have in common can be looked for, and held, only so: between two looks a
    follower may have run ahead by more epochs than a replica keeps. Epochs are written all the
    same, and readers read; only the moment waits in which a new epoch is shown. So nothing may be
    done here but to look and to hold, which takes some microseconds a replica.
    """
    return _turn


class _Held:
    __slots__ = ("count", "is_lost", "is_missed", "until_s", "view")

    def __init__(self, view: View | None) -> None:
        self.view = view
        """None while the epoch is yet to come."""
        self.count = 0
        self.until_s = 0.0
        self.is_lost = self.is_missed = False

    def lose(self) -> None:
        """Let go of the view, whoever still has a hold on it."""
        self.is_lost, self.view = True, None


class HeldEpoch:
    """One epoch that is held for one reader; see `stores.spec.store.Hold`."""

    __slots__ = ("_held", "_holds", "_released", "epoch")

    def __init__(self, holds: Holds, held: _Held, epoch: int) -> None:
        self._holds, self._held = holds, held
        self._released = False
        self.epoch = epoch

    @property
    def is_held(self) -> bool:
        """Whether the replica can still be asked at it."""
        return not (self._released or self._held.is_lost)

    @property
    def is_missed(self) -> bool:
        """Whether the epoch was to come, and the replica went past it with a snapshot."""
        return self._held.is_missed

    def release(self) -> None:
        """Let it be forgotten; once is enough."""
        if not self._released:
            self._released = True
            self._holds.release(self.epoch, self._held)


class Holds:
    """The epochs held of one replica. Safe to share between threads.

    Args:
        holds_max: how many are kept behind the newest.
        hold_s: how long one is kept for sure.
        clock: seconds that only go forward.
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
        """How many epochs are held."""
        return len(self._held)

    def take(self, epoch: int, view: View | None, *, is_to_come: bool) -> HeldEpoch | None:
        """Hold an epoch.

        Args:
            epoch: what it is asked at; the view may be of an older one, if nothing changed since.
            view: what is true then; None if it is yet to come, or only another reader holds it.
            is_to_come: the replica has not come to it yet; `tidy` finds its view when it has.

        Returns:
            None if it is forgotten, or the replica is closed.
        """
        with self._lock:
            held = self._held.get(epoch)
            if held is None:
                if self._closed or (view is None and not is_to_come):
                    return None
                held = self._held[epoch] = _Held(view)
            held.count += 1
            held.until_s = self._clock() + self._hold_s
            return HeldEpoch(self, held, epoch)

    def view_at(self, epoch: int) -> View | None:
        """The view that is held of an epoch, if one is."""
        held = self._held.get(epoch)
        return None if held is None else held.view

    def release(self, epoch: int, held: _Held) -> None:
        """One reader less."""
        with self._lock:
            held.count -= 1
            if not held.count and self._held.get(epoch) is held:
                del self._held[epoch]

    def tidy(self, views: Sequence[View]) -> None:
        """See to what is held after a change of the replica's views.

        Epochs that were to come get their view; what was held too long is let go, and the oldest
        where there are too many.

        Args:
            views: what the replica keeps anyway, which costs nothing to hold; oldest first.
        """
        if not self._held:
            return
        now_s = self._clock()
        with self._lock:
            behind: list[int] = []
            for epoch, held in sorted(self._held.items()):
                if held.view is None and epoch <= views[-1].progress.epoch:
                    held.view = _view_at(views, epoch)
                    held.is_lost = held.is_missed = held.view is None
                if held.view is None or held.view.progress.epoch >= views[0].progress.epoch:
                    continue
                if held.until_s <= now_s:
                    held.lose()
                else:
                    behind.append(epoch)
            for epoch in behind[: max(0, len(behind) - self._holds_max)]:
                self._held[epoch].lose()
            self._held = {epoch: held for epoch, held in self._held.items() if not held.is_lost}

    def close(self) -> None:
        """Let go of all: a database closes with its last view."""
        with self._lock:
            self._closed = True
            for held in self._held.values():
                held.lose()
            self._held.clear()


def _view_at(views: Sequence[View], epoch: int) -> View | None:
    return next((view for view in reversed(views) if view.progress.epoch <= epoch), None)


@contextmanager
def held_snapshot(stores: Iterable[Store]) -> Iterator[Mapping[str, int | None]]:
    """Keep all partitions of several stores at the newest epoch that those of a pipeline share.

    Meanwhile applying goes on, and `QueryConfig(at_epoch=…)` finds the epoch, for as long as a hold
    lasts (see `Store.hold`). A stream that was taken may be read afterwards, too.

    Args:
        stores: of this process; those of other pipelines have epochs of their own.

    Returns:
        The epoch to ask each store at, by name; None if its pipeline has none that all its
        partitions still know.
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

"""Callbacks that wait for a replica to meet a bound; an epoch checks only those it may have met.

No clock, no threads, no I/O: `stategate.stores.hosting.replica` decides when to check. Waiters with
the same bound form one group. A group is in the queue of the first measure of its bound that is not
met, ordered by the value that it needs. Applying an epoch looks at the head of each queue, and
moves a group whose measure is met to the queue of the next measure. So waiters whose bound cannot
be met yet cost nothing, however many there are.
"""

from __future__ import annotations

import heapq
import itertools
import logging
import threading
from collections.abc import Callable
from typing import TypeAlias

from stategate.stores.errors import TooManyWaitersError
from stategate.stores.spec.position import AGE, COMMITTED, EPOCH, Measure, PositionBound, Unmet
from stategate.stores.spec.store import OnBound

_logger = logging.getLogger(__name__)

WAITERS_MAX = 100_000
"""Maximum number of waiters of one replica, some 20 MB: more than a node has connections."""

Look: TypeAlias = Callable[[PositionBound], Unmet | None]
"""Returns the first measure of a bound that is not met now; None if all are."""


class Waiter:
    """One callback that waits; see `Waiting`."""

    __slots__ = ("_callback", "_group", "_waiters")

    def __init__(self, waiters: Waiters | None, callback: OnBound) -> None:
        self._waiters, self._callback = waiters, callback
        self._group: _Group | None = None

    def cancel(self) -> bool:
        """Stop waiting; False if it was called, or is about to be."""
        return self._waiters is not None and self._waiters.remove(self)

    def call(self, met: bool) -> None:
        """Call it, and log its exceptions: the epoch is applied, and other waiters must be called.

        Only for a caller that has taken it from the `Waiters`.
        """
        try:
            self._callback(met)
        except Exception:
            _logger.exception("a callback that waited for a bound failed")


class _Group:
    __slots__ = ("bound", "members", "only")

    def __init__(self, bound: PositionBound) -> None:
        self.bound = bound
        self.members: dict[Waiter, None] = {}
        self.only = _only_measure(bound)
        """The only measure of the bound, if it has just one: once it is met, nothing is left to
        check.
        """


_Queued: TypeAlias = tuple[int, int, _Group]


class Waiters:
    """The waiters of one replica. Safe to share between threads.

    Args:
        waiters_max: how many may wait at once.
    """

    def __init__(self, *, waiters_max: int = WAITERS_MAX) -> None:
        self._lock = threading.Lock()
        self._waiters_max = waiters_max
        self._count = 0
        self._groups: dict[PositionBound, _Group] = {}
        self._queues: dict[Measure, list[_Queued]] = {}
        self._abandoned = 0
        """Groups without members that are still in a queue; they leave it when they are met."""
        self._numbers = itertools.count()

    def __len__(self) -> int:
        """Return how many wait."""
        return self._count

    def add(self, bound: PositionBound, callback: OnBound, look: Look) -> Waiter | None:
        """Wait for a bound; None if it is met now.

        `look` is called with the lock held. So a thread that changes what `look` sees, and calls
        `take_met` after that, finds this waiter.

        Raises:
            TooManyWaitersError: there are too many waiters.
        """
        with self._lock:
            # Counted before it looks, because `take_met` reads the count without the lock.
            self._count += 1
            unmet = look(bound)
            if unmet is None or self._count > self._waiters_max:
                self._count -= 1
                if unmet is None:
                    return None
                raise TooManyWaitersError(f"{self._waiters_max} callers wait for this partition")
            group = self._groups.get(bound)
            if group is None:
                group = self._groups[bound] = _Group(bound)
                self._enqueue(group, unmet)
            waiter = Waiter(self, callback)
            waiter._group = group
            group.members[waiter] = None
            return waiter

    def remove(self, waiter: Waiter) -> bool:
        """Forget a waiter; False if it has been taken."""
        with self._lock:
            group = waiter._group
            if group is None:
                return False
            waiter._group = None
            del group.members[waiter]
            self._count -= 1
            if not group.members:
                del self._groups[group.bound]
                self._abandoned += 1
                self._tidy()
            return True

    def take_met(self, reached: Callable[[Measure], int | None], look: Look) -> list[Waiter]:
        """Take out the waiters whose bound is met now, for the caller to call.

        Args:
            reached: the value that a measure has reached.
            look: the first measure of a bound that is not met.
        """
        if not self._count and not self._queues:
            return []
        taken: list[Waiter] = []
        with self._lock:
            for measure, group in self._past(reached):
                unmet = None if measure == group.only else look(group.bound)
                if unmet is not None:
                    self._enqueue(group, unmet)
                    continue
                del self._groups[group.bound]
                taken += self._taken(group)
        return taken

    def take_all(self) -> list[Waiter]:
        """Take out all waiters, because no bound will be met any more."""
        with self._lock:
            taken = [waiter for group in self._groups.values() for waiter in self._taken(group)]
            self._groups.clear()
            self._queues.clear()
            self._abandoned = 0
        return taken

    def _taken(self, group: _Group) -> list[Waiter]:
        waiters = list(group.members)
        for waiter in waiters:
            waiter._group = None
        self._count -= len(waiters)
        return waiters

    def _enqueue(self, group: _Group, unmet: Unmet) -> None:
        queue = self._queues.setdefault(unmet.measure, [])
        heapq.heappush(queue, (unmet.least, next(self._numbers), group))

    def _past(self, reached: Callable[[Measure], int | None]) -> list[tuple[Measure, _Group]]:
        """Take out the groups that got past the measure of their queue, with that measure."""
        found: list[tuple[Measure, _Group]] = []
        for measure in list(self._queues):
            now, queue = reached(measure), self._queues[measure]
            while queue and now is not None and queue[0][0] <= now:
                group = heapq.heappop(queue)[2]
                if group.members:
                    found.append((measure, group))
                else:
                    self._abandoned -= 1
            if not queue:
                del self._queues[measure]
        return found

    def _tidy(self) -> None:
        """Drop abandoned groups once they are many, and most of the groups in queues."""
        if self._abandoned < 64 or self._abandoned < len(self._groups):
            return
        for measure, queue in list(self._queues.items()):
            kept = [queued for queued in queue if queued[2].members]
            if kept:
                heapq.heapify(kept)
                self._queues[measure] = kept
            else:
                del self._queues[measure]
        self._abandoned = 0


def _only_measure(bound: PositionBound) -> Measure | None:
    components = [(topic, p) for topic, offsets in bound.position.components for p, _ in offsets]
    measures: list[Measure] = [*components]
    if bound.epoch is not None:
        measures.append(EPOCH)
    if bound.lag_ms_max is not None:
        measures.append(AGE)
    if bound.committed_ms is not None:
        measures.append(COMMITTED)
    return measures[0] if len(measures) == 1 else None

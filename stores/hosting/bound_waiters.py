"""Who waits for a replica to meet a bound, so that an apply looks only at those that can be met.

No clock, no threads, no I/O: `stores.hosting.replica` decides when to look. Waiters with one bound
are one group. A group is filed under the first part of its bound that is not met, ordered by what
that part needs; an apply looks at the head of each file, and files a group that got past one part
under the next. So waiters who cannot be met yet cost an apply nothing, however many they are.
"""

from __future__ import annotations

import heapq
import itertools
import logging
import threading
from collections.abc import Callable
from typing import TypeAlias

from stores.errors import TooManyWaitersError
from stores.spec.position import AGE, EPOCH, Measure, PositionBound, Unmet
from stores.spec.store import OnBound

_logger = logging.getLogger(__name__)

WAITERS_MAX = 100_000
"""Of one replica: some 20 MB. More than that many connections no node holds."""

Look: TypeAlias = Callable[[PositionBound], Unmet | None]
"""The first part of a bound that is not met now."""


class Waiter:
    """One callback that waits; see `Waiting`."""

    __slots__ = ("_callback", "_group", "_waiters")

    def __init__(self, waiters: Waiters | None, callback: OnBound) -> None:
        self._waiters, self._callback = waiters, callback
        self._group: _Group | None = None

    def cancel(self) -> bool:
        """Wait no longer; False if it was called, or is about to be."""
        return self._waiters is not None and self._waiters.remove(self)

    def call(self, met: bool) -> None:
        """Tell it. What a callback raises is its own affair: others wait too, and an epoch is in.

        Only for who has taken it from the `Waiters`.
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
        """What the bound is about, if that is one thing: past it, nothing is left to check."""


_Filed: TypeAlias = tuple[int, int, _Group]


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
        self._files: dict[Measure, list[_Filed]] = {}
        self._abandoned = 0
        """Groups in a file that nobody waits in any more; they leave it when they are met."""
        self._numbers = itertools.count()

    def __len__(self) -> int:
        """How many wait."""
        return self._count

    def add(self, bound: PositionBound, callback: OnBound, look: Look) -> Waiter | None:
        """Wait for a bound; None if it is met now.

        `look` is called with the lock held: who then changes what it sees, and calls `take_met`
        after that, finds this waiter.

        Raises:
            TooManyWaitersError: there are as many as there may be.
        """
        with self._lock:
            unmet = look(bound)
            if unmet is None:
                return None
            if self._count >= self._waiters_max:
                raise TooManyWaitersError(f"{self._waiters_max} callers wait for this partition")
            group = self._groups.get(bound)
            if group is None:
                group = self._groups[bound] = _Group(bound)
                self._file(group, unmet)
            waiter = Waiter(self, callback)
            waiter._group = group
            group.members[waiter] = None
            self._count += 1
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
        """Take out the waiters whose bound is met now; whoever calls this calls them.

        Args:
            reached: how far a measure has come.
            look: what is left of a bound.
        """
        if not self._count and not self._files:
            return []
        taken: list[Waiter] = []
        with self._lock:
            for measure, group in self._past(reached):
                unmet = None if measure == group.only else look(group.bound)
                if unmet is not None:
                    self._file(group, unmet)
                    continue
                del self._groups[group.bound]
                taken += self._taken(group)
        return taken

    def take_all(self) -> list[Waiter]:
        """Take out all waiters, since nothing will be met any more."""
        with self._lock:
            taken = [waiter for group in self._groups.values() for waiter in self._taken(group)]
            self._groups.clear()
            self._files.clear()
            self._abandoned = 0
        return taken

    def _taken(self, group: _Group) -> list[Waiter]:
        waiters = list(group.members)
        for waiter in waiters:
            waiter._group = None
        self._count -= len(waiters)
        return waiters

    def _file(self, group: _Group, unmet: Unmet) -> None:
        file = self._files.setdefault(unmet.measure, [])
        heapq.heappush(file, (unmet.least, next(self._numbers), group))

    def _past(self, reached: Callable[[Measure], int | None]) -> list[tuple[Measure, _Group]]:
        """The groups that got past the part they were filed under, and what that part was of."""
        found: list[tuple[Measure, _Group]] = []
        for measure in list(self._files):
            now, file = reached(measure), self._files[measure]
            while file and now is not None and file[0][0] <= now:
                group = heapq.heappop(file)[2]
                if group.members:
                    found.append((measure, group))
                else:
                    self._abandoned -= 1
            if not file:
                del self._files[measure]
        return found

    def _tidy(self) -> None:
        """Drop abandoned groups once they are most of what is filed, and not few."""
        if self._abandoned < 64 or self._abandoned < len(self._groups):
            return
        for measure, file in list(self._files.items()):
            kept = [filed for filed in file if filed[2].members]
            if kept:
                heapq.heapify(kept)
                self._files[measure] = kept
            else:
                del self._files[measure]
        self._abandoned = 0


def _only_measure(bound: PositionBound) -> Measure | None:
    components = [(topic, p) for topic, offsets in bound.position.components for p, _ in offsets]
    measures: list[Measure] = [*components]
    if bound.epoch is not None:
        measures.append(EPOCH)
    if bound.lag_ms_max is not None:
        measures.append(AGE)
    return measures[0] if len(measures) == 1 else None

"""The memory that kept columns share, and who makes room for whom."""

from __future__ import annotations

import threading
from operator import itemgetter
from typing import NamedTuple, Protocol


class Owner(Protocol):
    """What keeps columns; by itself, not by what it equals."""

    def evict(self) -> None:
        """Keep nothing, since the memory is needed elsewhere; the budget knows."""


class Scans(NamedTuple):
    """Which scans of the node's, counted from 1, were the last two of an owner's."""

    before: int = -1
    last: int = 0


class ColumnBudget:
    """The memory that the kept columns of a node share.

    What was not scanned since the last scan but one of a partition makes room for it; what was,
    stays: of a store that is too large, the same partitions are kept, rather than each in turn for
    nothing. What was never scanned makes room for nobody's but what was.

    Args:
        capacity_bytes: of all of them together; 0 keeps none.
    """

    def __init__(self, capacity_bytes: int) -> None:
        self.capacity_bytes = capacity_bytes
        self._lock = threading.Lock()
        self._scans = 0
        self._held: dict[Owner, tuple[int, int]] = {}
        """By owner, its last scan, and its bytes."""

    @property
    def used_bytes(self) -> int:
        """How much is kept now."""
        with self._lock:
            return self._used_bytes()

    def _used_bytes(self) -> int:
        return sum(size_bytes for _, size_bytes in self._held.values())

    def scan(self, owner: Owner) -> int:
        """Number a scan of an owner's."""
        with self._lock:
            self._scans += 1
            if (held := self._held.get(owner)) is not None:
                self._held[owner] = (self._scans, held[1])
            return self._scans

    def room_bytes(self, owner: Owner, scans: Scans) -> int:
        """How much `take` would grant an owner now."""
        with self._lock:
            stays = (
                size_bytes
                for other, (last, size_bytes) in self._held.items()
                if last > scans.before and other is not owner
            )
            return self.capacity_bytes - sum(stays)

    def take(self, owner: Owner, size_bytes: int, scans: Scans) -> bool:
        """Make room for what an owner wants to keep from now on.

        Args:
            owner: what it has kept up to now counts as given back.
            size_bytes: how much it wants.
            scans: the owner's.

        Returns:
            False if there is not so much; then it has what it had.
        """
        with self._lock:
            _, own_bytes = self._held.get(owner, (0, 0))
            free_bytes = self.capacity_bytes - self._used_bytes() + own_bytes
            evicted = []
            for other, (last, other_bytes) in sorted(self._held.items(), key=itemgetter(1)):
                if free_bytes >= size_bytes or last > scans.before:
                    break
                if other is owner:
                    continue
                evicted.append(other)
                free_bytes += other_bytes
            if free_bytes < size_bytes:
                return False
            for other in evicted:
                del self._held[other]
            self._held[owner] = (scans.last, size_bytes)
        for other in evicted:
            other.evict()
        return True

    def give_back(self, owner: Owner) -> None:
        """Note that an owner keeps nothing any more."""
        with self._lock:
            self._held.pop(owner, None)

"""The memory that kept columns share, and which partition makes room for another."""

from __future__ import annotations

import threading
from operator import itemgetter
from typing import NamedTuple, Protocol


class Owner(Protocol):
    """A partition that keeps columns; identified by identity, not by equality."""

    def evict(self) -> None:
        """Keep nothing, because the memory is needed elsewhere; the budget knows."""


class Scans(NamedTuple):
    """The last two scans of an owner, by their numbers on the node, which begin with 1."""

    before: int = -1
    last: int = 0


class ColumnBudget:
    """The memory that the kept columns of a node share.

    A partition makes room for another one unless it was scanned after that one's last scan but one.
    So if a store is too large, the same partitions are kept all the time, rather than each in turn
    for nothing. Partitions that were never scanned take no room from others.

    Args:
        capacity_bytes: of all columns together; 0 keeps none.
    """

    def __init__(self, capacity_bytes: int) -> None:
        self.capacity_bytes = capacity_bytes
        self._lock = threading.Lock()
        self._scans = 0
        self._held: dict[Owner, tuple[int, int]] = {}
        """The last scan and the bytes of each owner."""

    @property
    def used_bytes(self) -> int:
        """The memory that is used now."""
        with self._lock:
            return self._used_bytes()

    def _used_bytes(self) -> int:
        return sum(size_bytes for _, size_bytes in self._held.values())

    def scan(self, owner: Owner) -> int:
        """Note a scan of an owner, and return its number."""
        with self._lock:
            self._scans += 1
            if (held := self._held.get(owner)) is not None:
                self._held[owner] = (self._scans, held[1])
            return self._scans

    def room_bytes(self, owner: Owner, scans: Scans) -> int:
        """Return how much `take` would grant an owner now."""
        with self._lock:
            stays = (
                size_bytes
                for other, (last, size_bytes) in self._held.items()
                if last > scans.before and other is not owner
            )
            return self.capacity_bytes - sum(stays)

    def take(self, owner: Owner, size_bytes: int, scans: Scans) -> bool:
        """Make room for the columns that an owner wants to keep from now on.

        Args:
            owner: gives back the memory that it has had up to now.
            size_bytes: how much it wants.
            scans: the owner's last two scans.

        Returns:
            False if there is not enough; then the owner keeps the memory that it had.
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

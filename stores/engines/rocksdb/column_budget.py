"""Decides which columns are kept: those that scans need, in memory that partitions share."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Sequence
from operator import itemgetter
from typing import NamedTuple, Protocol

from stategate.stores.engines.rocksdb.column_arrays import COMPUTED


class Owner(Protocol):
    """A partition that keeps columns; identified by identity, not by equality."""

    def evict(self) -> None:
        """Drop the columns, whose memory the budget has already given to others."""


class Scans(NamedTuple):
    """The last two scans of an owner, by their numbers on the node, which begin with 1."""

    before: int = -1
    last: int = 0


class ColumnBudget:
    """The memory that the kept columns of a node share.

    A partition gives up its memory only for one that was scanned twice since its own last scan. So
    if a store is too large, the same partitions stay kept; otherwise each would push out the next,
    in vain. Partitions that were never scanned take no room from others.

    Args:
        capacity_bytes: the memory of all columns together; 0 keeps none.
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
            owner: releases the memory that it has had so far.
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


PAUSE_S, PAUSE_S_MAX = 1.0, 3600.0
"""Seconds before lost columns that no one scans are read again: at first, and at most."""
_clock_s = time.monotonic


class ColumnDemand:
    """The scans of one partition. Not synchronised: its owner holds a lock."""

    def __init__(self) -> None:
        self.scans = Scans()
        """The last two scans."""
        self._columns: dict[str, None] = {}
        self._is_due = True
        self._due_s, self._pause_s = math.inf, PAUSE_S
        self._refused_bytes: dict[tuple[str, ...], int] = {}

    @property
    def is_due(self) -> bool:
        """Whether work in the background can make the next scan faster.

        It can at first, after each scan, and when the pause is over after columns were lost.
        """
        return self._is_due or _clock_s() >= self._due_s

    @property
    def was_scanned(self) -> bool:
        """Whether there has been a scan; before the first one, reading ahead is a guess."""
        return self.scans.last > 0

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that scans have wanted."""
        return tuple(self._columns)

    def note_scan(self, number: int, columns: Sequence[str]) -> None:
        """Note a scan, by its number on the node, and the columns that it reads."""
        self.scans = Scans(self.scans.last, number)
        self._is_due, self._pause_s = True, PAUSE_S
        for name in columns:
            if name not in self._columns and name not in COMPUTED:
                self._columns[name] = None

    def settle(self) -> None:
        """Note that the work is done, or has begun: it is due again after the next scan."""
        self._is_due, self._due_s = False, math.inf

    def postpone(self) -> None:
        """Note that the columns were lost: read them again, each time after a longer pause.

        Otherwise a store that changes all the time would be read more often than scanned.
        """
        self._due_s = _clock_s() + self._pause_s
        self._pause_s = min(2 * self._pause_s, PAUSE_S_MAX)

    def choices(self, all_columns: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the sets of columns to try to keep, the best first: all, then the scanned ones."""
        scanned = self.columns
        everything = tuple(dict.fromkeys((*all_columns, *scanned)))
        if not self.was_scanned or scanned == everything:
            return [everything]
        return [everything, scanned]

    def refuse(self, names: tuple[str, ...], size_bytes: int) -> None:
        """Record that there was no room for columns of this size, if a scan needed them."""
        if self.was_scanned:
            self._refused_bytes[names] = size_bytes

    def least_bytes(self, names: tuple[str, ...]) -> int:
        """Return how much room there must be before it pays to try these columns."""
        return self._refused_bytes.get(names, 1)

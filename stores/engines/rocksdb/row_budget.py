"""The memory for cached rows of a host, which the caches of all partitions share.

A cache grows as long as there is memory that no other one takes. Each is sure of a fair share: to
have it, others give up what they have beyond theirs, bit by bit. So the memory is of use wherever
rows are asked for, and no store takes all of it for good.
"""

from __future__ import annotations

import threading
from typing import Protocol

_UNTOLD = 16
"""A cache tells of a change once it is more than one part in this many of a fair share."""
_LOOKED_AT = 16
"""How often rows are added, at least, before the largest cache is looked for again."""


class Shrinking(Protocol):
    """A cache that may have more than it should for a while."""

    def shrink(self) -> None:
        """Free some of what is beyond the limit."""


class RowBudget:
    """The memory of all caches together.

    Law: they take hardly more than this, whichever of them grows: each that adds rows has the
    largest one free as many, while there is too much.

    Args:
        capacity_bytes: the memory; 0 keeps no rows.
    """

    def __init__(self, capacity_bytes: int) -> None:
        self.capacity_bytes = capacity_bytes
        self.share_bytes = capacity_bytes
        """The fair share of each cache that has rows."""
        self.used_bytes = 0
        """What all caches take, as far as they have told."""
        self._members: dict[Shrinking, int] = {}
        """The caches that have rows, and what they have told that they take."""
        self._largest: Shrinking | None = None
        """The one that took most when that was last looked at."""
        self._left = 0
        """After how many calls the largest one is looked for again."""
        self._lock = threading.Lock()

    def account(self, cache: Shrinking) -> Account:
        """Return the account of a cache that has no rows yet."""
        return Account(self, cache)

    @property
    def has_room(self) -> bool:
        """Whether an eighth of the memory is free; it never is once rows make room for others."""
        return self.used_bytes < self.capacity_bytes - self.capacity_bytes // 8

    def relieve(self, besides: Shrinking) -> None:
        """Have the largest cache free some, if all together take too much.

        Call it after rows were added, without the lock of a cache. The largest one may not be used
        itself; it has more than its limit then, since it has more than a fair share.

        Args:
            besides: the cache that calls, which has made room itself.
        """
        if self.used_bytes <= self.capacity_bytes:
            return
        with self._lock:
            if not self._left:
                # There may be thousands, so they are looked through once in so many calls.
                self._left = max(_LOOKED_AT, len(self._members))
                self._largest = max(self._members, key=self._members.__getitem__, default=None)
            self._left -= 1
            largest = self._largest
        if largest is not None and largest is not besides:
            largest.shrink()

    def tell(self, cache: Shrinking, before_bytes: int, now_bytes: int) -> None:
        """Take note of what a cache takes.

        Args:
            cache: the cache.
            before_bytes: what it told last; 0 for a cache without rows.
            now_bytes: what it takes now.
        """
        with self._lock:
            self.used_bytes += now_bytes - before_bytes
            if now_bytes:
                self._members[cache] = now_bytes
            else:
                del self._members[cache]
                if self._largest is cache:
                    self._largest, self._left = None, 0
            self.share_bytes = self.capacity_bytes // max(1, len(self._members))


class Account:
    """The memory that one cache takes; whoever changes it holds the lock of the cache.

    Args:
        budget: the memory of all caches.
        cache: the cache.
    """

    __slots__ = ("_budget", "_cache", "_told_bytes", "used_bytes")

    def __init__(self, budget: RowBudget, cache: Shrinking) -> None:
        self._budget, self._cache = budget, cache
        self.used_bytes = self._told_bytes = 0

    @property
    def limit_bytes(self) -> int:
        """What the cache may take now: what the others leave, and at least its fair share."""
        budget = self._budget
        others_bytes = budget.used_bytes - self._told_bytes
        return max(budget.share_bytes, budget.capacity_bytes - others_bytes)

    def add(self, change_bytes: int) -> None:
        """Add to what the cache takes, or subtract from it."""
        used = self.used_bytes = self.used_bytes + change_bytes
        told = self._told_bytes
        is_due = abs(used - told) * _UNTOLD > self._budget.share_bytes
        if is_due or not (used and told):
            if used != told:
                self._budget.tell(self._cache, told, used)
            self._told_bytes = used

"""When to look at each store of a log: often after an epoch, and less often the longer it is quiet.

A store whose last news is t seconds old is looked at again after t on a local disk, and after 4t on
an object store, between the host's `poll_ms` and a longest pause. The longest pause grows with the
number of stores, so that a thousand quiet stores cost a node little. It begins as soon as a store
has settled: from then on its head announces the next epoch, and looks are only for heads that were
lost. Stores that became quiet together are looked at one after the other. News are an epoch, a
change of the store's head (see `stategate.stores.log.metadata.heads`), or a reader that waits for
an epoch.
"""

from __future__ import annotations

import heapq
import zlib
from collections.abc import Set
from dataclasses import dataclass
from enum import Enum

SETTLED_S = 5.0
"""Time without news after which a head that is reached is believed; within half of it a file may
change without another stamp."""
_LOCAL_MAX_S = 1.0
"""On a local disk: the longest pause of a single store, and between two listings of the log."""


class Head(Enum):
    """The state of a store's head, compared with the epoch that was applied."""

    MISSING = "missing"
    """The store has no head, so that only a look shows the next epoch."""
    AHEAD = "ahead"
    """An epoch was announced that has not been applied, or the store is not open yet."""
    REACHED = "reached"
    """The head will change before the next epoch comes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How often to look; times in seconds."""

    pause_min_s: float
    """Right after news."""
    quiet_share: float
    """The pause as a share of the time without news."""
    longest_s: dict[Head, float]
    """The longest pause."""
    looks_per_s: float
    """At stores whose heads are reached, all together."""
    search_s: float
    """Pause between two listings of the log, which show stores without heads and lost ones."""


def local_pace(poll_s: float) -> Pace:
    """Return the pace for a local disk: a look costs some 0.1 ms."""
    return Pace(
        pause_min_s=poll_s,
        quiet_share=1,
        longest_s={Head.MISSING: poll_s, Head.AHEAD: _LOCAL_MAX_S, Head.REACHED: _LOCAL_MAX_S},
        looks_per_s=50.0,
        search_s=_LOCAL_MAX_S,
    )


def remote_pace(poll_s: float) -> Pace:
    """Return the pace for an object store, where a look is about four requests that cost money.

    With the listings of the heads, a quiet log takes less than one request a second.
    """
    return Pace(
        pause_min_s=max(poll_s, 0.1),
        quiet_share=4,
        longest_s={Head.MISSING: 1.0, Head.AHEAD: 1.0, Head.REACHED: 60.0},
        looks_per_s=1 / 60,
        search_s=60.0,
    )


def _spread(store: str) -> float:
    """Return a number from 0.5 to 1.5, another one for each store."""
    return 0.5 + zlib.crc32(store.encode()) / 2**32


class Schedule:
    """The times of the next looks. Used by one thread.

    Args:
        pace: how often to look.
    """

    def __init__(self, pace: Pace) -> None:
        self.pace = pace
        self._news_s: dict[str, float] = {}
        self._next_s: dict[str, float] = {}
        self._queue: list[tuple[float, str]] = []
        """A heap of looks. One whose time is not that of `_next_s` is out of date."""

    @property
    def stores(self) -> Set[str]:
        """The stores that it knows."""
        return self._next_s.keys()

    def wake(self, store: str, now: float) -> None:
        """Look at a store at once, and often from now on."""
        self._news_s[store] = now
        self._set(store, now)

    def keep(self, stores: Set[str]) -> None:
        """Forget all other stores."""
        for name in self._next_s.keys() - stores:
            del self._next_s[name], self._news_s[name]

    def due(self, now: float) -> list[str]:
        """Return the stores to look at now; `looked` is to be called for each of them."""
        found: dict[str, None] = {}
        while self._queue and self._queue[0][0] <= now:
            at, name = heapq.heappop(self._queue)
            if self._next_s.get(name) == at:
                found[name] = None
        return list(found)

    def looked(self, store: str, now: float, *, has_news: bool, head: Head) -> None:
        """Note a look.

        Args:
            store: its name.
            now: monotonic seconds.
            has_news: whether an epoch was applied; then it is looked at again at once.
            head: what its head says.
        """
        if has_news:
            self.wake(store, now)
            return
        pace = self.pace
        longest_s = pace.longest_s[head]
        quiet_s = now - self._news_s.setdefault(store, now)
        pause_s = min(quiet_s * pace.quiet_share, longest_s)
        if head is Head.REACHED:
            if quiet_s >= SETTLED_S:
                pause_s = max(longest_s, len(self._next_s) / pace.looks_per_s)
            pause_s *= _spread(store)
        self._set(store, now + max(pause_s, pace.pause_min_s))

    def _set(self, store: str, at: float) -> None:
        if self._next_s.get(store) != at:
            self._next_s[store] = at
            heapq.heappush(self._queue, (at, store))

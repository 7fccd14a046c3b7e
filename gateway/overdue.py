"""What is overdue, with one timer of the event loop for all that is awaited.

Nearly everything that is awaited comes in time. A timer of the event loop for each of them costs
several microseconds, with its cancellation; an entry here costs less than one. Entries that are
over are left, and dropped when they would have been due; what they refer to stays until then.
"""

from __future__ import annotations

import asyncio
import threading
from heapq import heappop, heappush
from itertools import count
from typing import Protocol


class Awaited(Protocol):
    """What may be overdue."""

    is_over: bool
    """Whether it has come, or is awaited no more."""

    def on_overdue(self) -> None:
        """Do what is to be done about it, unless it has just come; called at most once."""


class Overdue:
    """Tells those that are awaited in one event loop when they are overdue.

    Law: each that is not over when it is due is told then, in the order of these times, and none
    before.

    Args:
        loop: the event loop.
    """

    __slots__ = ("_entries", "_numbers", "_timer", "_timer_s", "loop")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._entries: list[tuple[float, int, Awaited]] = []
        self._numbers = count()
        self._timer: asyncio.TimerHandle | None = None
        self._timer_s = 0.0

    def add(self, awaited: Awaited, due_s: float) -> None:
        """Tell someone at a time of the event loop."""
        heappush(self._entries, (due_s, next(self._numbers), awaited))
        if self._timer is None:
            self._start(due_s)
        elif due_s < self._timer_s:
            self._timer.cancel()
            self._start(due_s)

    def _start(self, due_s: float) -> None:
        self._timer_s = due_s
        self._timer = self.loop.call_at(due_s, self._tell)

    def _tell(self) -> None:
        entries, now_s = self._entries, self._timer_s
        self._timer = None
        while entries and (entries[0][0] <= now_s or entries[0][2].is_over):
            awaited = heappop(entries)[2]
            if not awaited.is_over:
                self.loop.call_soon(awaited.on_overdue)
        if entries:
            self._start(entries[0][0])


class _OfThread(threading.local):
    overdue: Overdue | None = None


_of_thread = _OfThread()


def overdue() -> Overdue:
    """Return that of the running event loop."""
    loop, found = asyncio.get_running_loop(), _of_thread.overdue
    if found is None or found.loop is not loop:
        found = _of_thread.overdue = Overdue(loop)
    return found

"""Time that passes only while something waits for it: the events of a test run in their order."""

from __future__ import annotations

import heapq
import itertools
from collections import deque
from collections.abc import Callable
from typing import TypeVar

from stategate.stores.nodes.links import Inbox, Timing

T = TypeVar("T")


class VirtualTime:
    """A clock, and what is to happen at which time. Not for several threads."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self._due: list[tuple[float, int, Callable[[], object]]] = []
        self._numbers = itertools.count()
        self.timing = Timing(
            clock=lambda: self.now_s, inbox=lambda: VirtualInbox(self), after=self.after
        )
        """For what waits for other nodes."""

    def after(self, delay_s: float, action: Callable[[], object]) -> None:
        """Run an action after some time; those of one moment run in the order of their calls."""
        heapq.heappush(self._due, (self.now_s + delay_s, next(self._numbers), action))

    def pass_until(self, until_s: float, is_enough: Callable[[], object] = bool) -> None:
        """Let time pass, until a moment or until a condition is met."""
        due = self._due
        while not is_enough():
            if not due or due[0][0] > until_s:
                self.now_s = max(self.now_s, until_s)
                return
            self.now_s, _, action = heapq.heappop(due)
            action()


class VirtualInbox(Inbox[T]):
    """An inbox; to wait for it lets time pass."""

    def __init__(self, time: VirtualTime) -> None:
        self._time = time
        self._arrived: deque[T] = deque()

    def put(self, each: T) -> None:
        self._arrived.append(each)

    def get(self, timeout_s: float) -> T | None:
        arrived = self._arrived
        if not arrived:
            self._time.pass_until(self._time.now_s + max(0.0, timeout_s), lambda: arrived)
        return arrived.popleft() if arrived else None

"""Whether a user has the gateway to himself."""

from __future__ import annotations

import time
from collections.abc import Callable

_RECENT_S = 1.0
"""How long a user who reads no more still counts: a second between two lookups is a pause, and not
the end of a service."""


class RecentUsers:
    """Remembers the last two users who read, however many there are.

    One thread notes; any may ask.

    Args:
        clock: returns seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.last: str | None = None
        """Who read last."""
        self._others_s = float("-inf")
        """When another user was the last one."""

    def note(self, user: str) -> None:
        """Note that a user reads."""
        if user != self.last:
            if self.last is not None:
                self._others_s = self._clock()
            self.last = user

    def is_alone(self, user: str) -> bool:
        """Whether no other user has read lately."""
        return self.last == user and self._clock() - self._others_s > _RECENT_S

"""Waiting for another thread or process."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from stategate.stores.hosting.blocking import LENDING, Interrupting

WAIT_S = 30.0
"""Seconds, longer than anything takes on a busy machine, so a timeout is a failure."""


def until(condition: Callable[[], object], timeout_s: float = WAIT_S) -> None:
    """Wait for another thread or process to make a condition true."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "the condition did not become true in time"
        time.sleep(0.002)


class Place:
    """Notes when the place of this thread is lent."""

    def __init__(self) -> None:
        self.is_lent = False
        self.times = 0
        """How often it was lent."""

    def lend(self) -> Callable[[bool, Interrupting], None]:
        """Note that it is lent from now on."""
        self.is_lent = True
        self.times += 1
        return self._take_back

    def _take_back(self, in_turn: bool, interrupting: Interrupting) -> None:
        self.is_lent = False


@contextmanager
def lending() -> Iterator[Place]:
    """Give this thread a place inside the block."""
    made = Place()
    LENDING.lend = made.lend
    try:
        yield made
    finally:
        LENDING.lend = None

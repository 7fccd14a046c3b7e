"""Waiting for another thread or process."""

from __future__ import annotations

import time
from collections.abc import Callable

WAIT_S = 30.0
"""Seconds, longer than anything takes on a busy machine, so a timeout is a failure."""


def until(condition: Callable[[], object], timeout_s: float = WAIT_S) -> None:
    """Wait for another thread or process to make a condition true."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "the condition did not become true in time"
        time.sleep(0.002)

"""A moment in which the event loop looks for the next message instead of going to sleep.

A client that asks for one thing after another sends its next message some 20 µs after the answer.
To put a core to sleep and to wake it costs as much as a lookup, on a virtual machine more than
that. Looking on costs at most the core that is used anyhow while messages come in a row.
"""

from __future__ import annotations

import asyncio
import os
import time

_PASSED_OVER = 100
"""Answers until it is tried again whether there is one client or many."""
_clock_ns = time.perf_counter_ns


class BusyPoll:
    """Keeps one event loop awake; used in its thread alone.

    Args:
        linger_us: how long after the last answer; 0 lets it sleep at once.
        cores: that the process may use. On a single one the client could not run meanwhile.
    """

    __slots__ = ("_answers", "_is_looking", "_linger_ns", "_loop", "_passed_over", "_until_ns")

    def __init__(self, linger_us: int, *, cores: int | None = None) -> None:
        self._linger_ns = linger_us * 1000 if (cores or usable_cores()) > 1 else 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._until_ns = 0
        self._is_looking = False
        self._answers = 0
        """Since the loop last looked."""
        self._passed_over = 0
        """Answers that it is not to look on after."""

    def answered(self) -> None:
        """Somebody was given an answer, who may be about to ask for more."""
        if not self._linger_ns:
            return
        if self._passed_over:
            self._passed_over -= 1
            return
        self._answers += 1
        self._until_ns = _clock_ns() + self._linger_ns
        if not self._is_looking:
            self._is_looking = True
            self._loop = asyncio.get_running_loop()
            self._loop.call_soon(self._look)

    def _look(self) -> None:
        """A loop with something to call does not wait for its sockets, but looks at them."""
        answers, self._answers = self._answers, 0
        if answers > 1:
            # So many clients ask that it hardly sleeps: to look on would only keep them waiting.
            self._passed_over = _PASSED_OVER
        if self._loop is not None and answers <= 1 and _clock_ns() < self._until_ns:
            self._loop.call_soon(self._look)
        else:
            self._is_looking = False


def usable_cores() -> int:
    """The cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

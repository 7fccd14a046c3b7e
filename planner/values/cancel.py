"""Cancellation of one statement, by a client or a deadline; all parts that work on it see it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from planner.errors import QueryCancelledError
from planner.values.alarms import ALARMS


class Cancellation:
    """Set from any thread; `check` raises in the thread that works.

    Args:
        timeout_s: seconds from now after which `check` raises; None for no deadline.
    """

    def __init__(self, timeout_s: float | None = None) -> None:
        self._deadline = None if timeout_s is None else time.monotonic() + timeout_s
        self._cancelled = False
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], None]] = []

    def cancel(self) -> None:
        """Stop the statement: `check` raises from now on, and callbacks run once."""
        with self._lock:
            if self._cancelled:
                return
            self._cancelled = True
            for callback in self._callbacks:
                callback()

    def on_cancel(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Run `callback` on cancel, or at once if the statement is cancelled already.

        The callback runs at most once, and must not block.

        Returns:
            A function that removes the callback.
        """
        with self._lock:
            self._callbacks.append(callback)
            if self._cancelled:
                callback()

        def forget() -> None:
            with self._lock:
                if callback in self._callbacks:
                    self._callbacks.remove(callback)

        return forget

    @contextmanager
    def interrupting(self, interrupt: Callable[[], None]) -> Iterator[None]:
        """Call `interrupt` on cancel or at the deadline, inside the block only.

        For work that cannot call `check`, such as a statement inside DuckDB.
        """
        forget = self.on_cancel(interrupt)
        remaining_s = self.remaining_s
        alarm = None if remaining_s is None else ALARMS.after(remaining_s, self._expire)
        try:
            yield
        finally:
            if alarm is not None:
                alarm.cancel()
            forget()

    def _expire(self) -> None:
        with self._lock:
            for callback in self._callbacks:
                callback()

    @property
    def remaining_s(self) -> float | None:
        """Seconds until the deadline, never negative; None without a deadline."""
        if self._deadline is None:
            return None
        return max(0.0, self._deadline - time.monotonic())

    def check(self) -> None:
        """Return if the statement may go on.

        Raises:
            QueryCancelledError: it was cancelled, or its deadline has passed.
        """
        if self._cancelled:
            raise QueryCancelledError("canceling statement due to user request")
        if self._deadline is not None and time.monotonic() >= self._deadline:
            raise QueryCancelledError("canceling statement due to statement timeout")

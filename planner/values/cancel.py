"""Cancellation of one statement, by a client or a deadline; all parts that work on it see it.

Deadlines are alarms: calls at a given time, all from one thread, since a thread for each would cost
more than the call.
"""

from __future__ import annotations

import heapq
import itertools
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from stategate.planner.errors import QueryCancelledError, QueryError

logger = logging.getLogger(__name__)


class Alarm:
    """A call at a later time.

    Args:
        callback: the function; it must not block.
    """

    __slots__ = ("callback",)

    def __init__(self, callback: Callable[[], None]) -> None:
        self.callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        """Do not call; a call that has begun goes on."""
        self.callback = None


_CANCELLED_MAX = 10_000
"""Cancelled alarms that are kept until their time; most statements end long before it."""


class Alarms:
    """A thread that calls functions at given times."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._heap: list[tuple[float, int, Alarm]] = []
        self._numbers = itertools.count()
        self._thread: threading.Thread | None = None

    def after(self, seconds: float, callback: Callable[[], None]) -> Alarm:
        """Call `callback` after this many seconds, in the thread of the alarms."""
        alarm, when = Alarm(callback), time.monotonic() + seconds
        with self._changed:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="alarms", daemon=True)
                self._thread.start()
            if len(self._heap) > _CANCELLED_MAX:
                self._heap = [each for each in self._heap if each[2].callback is not None]
                heapq.heapify(self._heap)
            is_next = not self._heap or when < self._heap[0][0]
            heapq.heappush(self._heap, (when, next(self._numbers), alarm))
            if is_next:
                self._changed.notify()
        return alarm

    def _run(self) -> None:
        while True:
            # A call of its own: while it waits, nothing of the last alarm is held.
            self._call_next()

    def _call_next(self) -> None:
        with self._changed:
            while not self._heap or self._heap[0][0] > time.monotonic():
                self._changed.wait(self._wait_s())
            _, _, alarm = heapq.heappop(self._heap)
        callback, alarm.callback = alarm.callback, None
        if callback is not None:
            try:
                callback()
            except Exception:  # all deadlines need this thread, so its loop goes on
                logger.exception("an alarm failed")

    def _wait_s(self) -> float | None:
        if not self._heap:
            return None
        return min(threading.TIMEOUT_MAX, max(0.0, self._heap[0][0] - time.monotonic()))


ALARMS = Alarms()
"""The alarms of this process."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=ALARMS.__init__)  # type: ignore[misc]


def _by_request() -> QueryError:
    return QueryCancelledError("canceling statement due to user request")


class Cancellation:
    """Set from any thread; `check` raises in the thread that works.

    Args:
        timeout_s: seconds from now after which `check` raises; None for no deadline.
        holds_loop: whether an event loop waits for the statement to begin its rows.
    """

    def __init__(self, timeout_s: float | None = None, *, holds_loop: bool = False) -> None:
        self.holds_loop = holds_loop
        self._deadline = None if timeout_s is None else time.monotonic() + timeout_s
        self.trace: tuple[str, str] | None = None
        """The trace of the statement, for other nodes; see `stategate.stores.spec.store.Stop`."""
        self._cancelled: Callable[[], QueryError] | None = None
        """Makes the error of whoever goes on; None until it is cancelled."""
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], None]] = []

    def cancel(self, why: Callable[[], QueryError] | None = None) -> None:
        """Stop the statement: `check` raises from now on, and callbacks run once.

        Args:
            why: makes the error that `check` raises; None for that of a user's request.
        """
        with self._lock:
            if self._cancelled is not None:
                return
            self._cancelled = why or _by_request
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
            if self._cancelled is not None:
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
        """Return normally if the statement may go on.

        Raises:
            QueryError: it was cancelled, or its deadline has passed (57014).
        """
        if self._cancelled is not None:
            raise self._cancelled()
        if self._deadline is not None and time.monotonic() >= self._deadline:
            raise QueryCancelledError("canceling statement due to statement timeout")

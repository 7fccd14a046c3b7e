"""Threads that work in turn: one at a time, and another one goes on when it is held up.

A file system that hangs holds its reader up for as long as it likes: a thread cannot be
interrupted. So a thread says which piece of work it begins. If that takes long, the thread steps
aside with it, and another one goes on with the rest. Usually there is one thread, since all of them
compete for one interpreter, and nothing is handed from thread to thread.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Protocol

_logger = logging.getLogger(__name__)

ASIDE_S = 0.25
"""How long a piece of work may take before its thread steps aside. It doubles with each one aside
that is busy, and does not stand still: they slow each other, and the readers, down."""
ASIDE_MAX_S = 8.0
THREADS_MAX = 64
"""Threads at a time. With as many that are held up, all work waits."""
AT_ONCE_MAX = 4
"""Busy threads aside up to which work that is known to take long is begun aside."""
END_S = 5.0
"""How long a thread may stand still at the end before it is left alone."""
_WATCH_S = 0.25
_BUSY_S = 0.6
"""A thread counts as busy until it has stood still for two looks at it."""
_CPU_LEAST_S = 0.001
"""The time on a core between two looks at a thread from which it counts as busy."""
_UNKNOWN_FACTOR = 12
"""Where a thread's time on a core is unknown, it may take so many times as long as one that stands
still."""


class Turn:
    """The turn of one thread. Its fields are those of the relay."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.work: str | None = None
        """What it is doing; None between two pieces of work."""
        self.began_s = self.moved_s = 0.0
        self.cpu_s: float | None = None
        self.is_active = True
        self.is_told = False
        """Whether it is known to stand still."""
        self.thread: threading.Thread | None = None

    def look(self, now: float) -> float:
        """Return for how many seconds the thread has stood still with its work."""
        cpu_s = _cpu_s(self.thread)
        if cpu_s is None:
            return (now - self.began_s) / _UNKNOWN_FACTOR
        if self.cpu_s is None or cpu_s - self.cpu_s >= _CPU_LEAST_S:
            self.cpu_s, self.moved_s = cpu_s, now
        return now - self.moved_s


class Told(Protocol):
    """Is told that a thread stands still."""

    def __call__(self, work: str, for_s: float) -> None:
        """Note that a piece of work stands still.

        Args:
            work: its name.
            for_s: for how long, in seconds.
        """


class Relay:
    """Runs a loop, in one thread after another. Its methods are called by these threads.

    Args:
        loop: goes on with the work, until its turn is not active any more, or `is_stopping`.
        failed: called with an error of the loop, which ends it.
        stands_still: called once about a piece of work whose thread has not been on a core.
        still_s: for how many seconds; some file systems are slow.
    """

    def __init__(
        self,
        loop: Callable[[Turn], None],
        *,
        failed: Callable[[Exception], None],
        stands_still: Told,
        still_s: float,
    ) -> None:
        self._loop, self._failed, self._stands_still = loop, failed, stands_still
        self._still_s = still_s
        self._changed = threading.Condition()
        """Guards the turns, and is notified of each end."""
        self._turns: list[Turn] = []
        self._aside: dict[str, Turn] = {}
        self._count = 0
        self._stopping = threading.Event()
        self._watch = threading.Thread(target=self._run_watch, name="follow-watch", daemon=True)

    @property
    def is_stopping(self) -> bool:
        """Whether the loop is to end."""
        return self._stopping.is_set()

    def start(self) -> None:
        """Start the first thread, and the one that watches."""
        with self._changed:
            self._begin_turn()
        self._watch.start()

    def has_aside(self, work: str) -> bool:
        """Whether a thread is aside with a piece of work."""
        return work in self._aside

    def begin(self, turn: Turn, work: str, *, aside: bool = False) -> None:
        """Begin a piece of work.

        Args:
            turn: the turn of this thread.
            work: its name; no other thread is aside with it.
            aside: whether it is known to take long, so that others need not wait for it first.
        """
        with self._changed:
            turn.began_s = turn.moved_s = time.monotonic()
            turn.work, turn.cpu_s, turn.is_told = work, None, False
            if aside and self._busy_aside(turn.began_s) < AT_ONCE_MAX:
                self._step_aside(turn)

    def end(self, turn: Turn) -> bool:
        """End a piece of work; False if another thread goes on with the loop meanwhile."""
        with self._changed:
            work, turn.work = turn.work, None
            if turn.is_active:
                return True
            assert work is not None, "it was begun"
            del self._aside[work]
            return False

    def took_s(self, turn: Turn) -> float:
        """Return how long a piece of work has taken so far, in seconds."""
        return time.monotonic() - turn.began_s

    def begin_to_stop(self) -> None:
        """Let the loop end; `stop` waits for it."""
        self._stopping.set()

    def stop(self, *, timeout_s: float) -> frozenset[str]:
        """End the loop; return the work that stands still, or has not ended in time.

        Its threads are left alone, and end when they can.
        """
        self.begin_to_stop()
        now = time.monotonic()
        deadline = now + timeout_s
        with self._changed:
            before = list(self._turns)
            for turn in before:
                if not turn.is_told:
                    turn.moved_s = now
            while now < deadline and not all(t.look(now) >= END_S for t in self._turns):
                self._changed.wait(min(_WATCH_S, deadline - now))
                now = time.monotonic()
            left = list(self._turns)
        for turn in before:
            if turn not in left and turn.thread is not None:
                turn.thread.join()
        if self._watch.ident is not None:
            self._watch.join()
        return frozenset(turn.work for turn in left if turn.work is not None)

    def _begin_turn(self) -> None:
        """Start a thread; a RuntimeError if the system has no more."""
        self._count += 1
        turn = Turn(self._count)
        thread = threading.Thread(
            target=self._run, args=[turn], name=f"follow-log-{turn.number}", daemon=True
        )
        turn.thread = thread
        thread.start()  # it waits for the lock before it touches a turn
        self._turns.append(turn)

    def _run(self, turn: Turn) -> None:
        try:
            self._loop(turn)
        except Exception as error:  # the outermost loop of this thread
            if turn.is_active:
                self._stopping.set()
                self._failed(error)
            else:
                _logger.exception("work that was held up has failed")
        finally:
            with self._changed:
                self._turns.remove(turn)
                if turn.work is not None:
                    self._aside.pop(turn.work, None)
                self._changed.notify_all()

    def _run_watch(self) -> None:
        while not self._stopping.wait(_WATCH_S):
            still = []
            with self._changed:
                now = time.monotonic()
                for turn in list(self._turns):
                    if turn.work is None:
                        continue
                    for_s = turn.look(now)
                    if turn.is_active and now - turn.began_s >= self._patience_s(now):
                        self._step_aside(turn)
                    if for_s >= self._still_s and not turn.is_told:
                        turn.is_told = True
                        still.append((turn.work, for_s))
            for work, seconds in still:
                self._stands_still(work, seconds)

    def _patience_s(self, now: float) -> float:
        return float(min(ASIDE_MAX_S, ASIDE_S * 2 ** self._busy_aside(now)))

    def _busy_aside(self, now: float) -> int:
        """Return how many threads are aside and do not stand still."""
        return sum(now - turn.moved_s < _BUSY_S for turn in self._aside.values())

    def _step_aside(self, turn: Turn) -> None:
        """Let another thread go on with the loop."""
        if len(self._turns) >= THREADS_MAX or self._stopping.is_set():
            return
        assert turn.work is not None, "it is held up with something"
        try:
            self._begin_turn()
        except RuntimeError as error:
            _logger.warning("no thread can take over error=%s", error)
            return
        turn.is_active = False
        self._aside[turn.work] = turn


def _cpu_s(thread: threading.Thread | None) -> float | None:
    """Return the time that a living thread has been on a core; None if the system does not say."""
    clock = getattr(time, "pthread_getcpuclockid", None)
    if clock is None or thread is None or thread.ident is None:
        return None
    try:
        return time.clock_gettime(clock(thread.ident))
    except OSError:
        return None

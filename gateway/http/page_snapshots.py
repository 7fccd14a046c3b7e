"""The snapshots that HTTP clients read page by page, each held for a while after its last page."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, Protocol

from stategate.planner.engine import Session
from stategate.planner.errors import SnapshotTooOldError

SNAPSHOTS_MAX: Final = 64
"""Snapshots that are held at once; with more, the one not used for longest is released. As many as
the epochs that a replica holds."""
SNAPSHOT_S: Final = 120.0
"""How long a snapshot is held after its last page. Replicas keep an epoch for 300 s at least."""


class HeldPages:
    """A snapshot that is held; its session is used by one thread at a time."""

    __slots__ = ("_is_dropped", "_lock", "opened_s", "session", "until_s", "user")

    def __init__(self, session: Session) -> None:
        self.session, self.user = session, session.user
        self.opened_s = self.until_s = 0.0
        self._lock = threading.Lock()
        self._is_dropped = False

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Lend the session for one page."""
        with self._lock:
            try:
                yield self.session
            finally:
                if self._is_dropped:
                    self.session.close()

    def drop(self) -> None:
        """Release the epochs, now or when the page that is being read is finished."""
        self._is_dropped = True
        if self._lock.acquire(blocking=False):
            try:
                self.session.close()
            finally:
                self._lock.release()


class Alarm(Protocol):
    """A call that is yet to come."""

    def cancel(self) -> None:
        """Do not call any more."""


def _alarm(delay_s: float, call: Callable[[], None]) -> Alarm:
    timer = threading.Timer(delay_s, call)
    timer.name, timer.daemon = "page-snapshots", True
    timer.start()
    return timer


class PageSnapshots:
    """The snapshots whose pages are read. Safe to share between threads.

    A snapshot is released when its time is over, whether or not anything else is asked for. The
    thread that does so exists only while snapshots are held.

    Args:
        clock: monotonic seconds.
        alarm: calls a function after some seconds.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        alarm: Callable[[float, Callable[[], None]], Alarm] = _alarm,
    ) -> None:
        self._clock, self._set_alarm = clock, alarm
        self._held: OrderedDict[str, HeldPages] = OrderedDict()
        """By name; the one that is released first comes first."""
        self._alarm: Alarm | None = None
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Return how many snapshots are held."""
        return len(self._held)

    def open(self, session: Session) -> tuple[str, HeldPages]:
        """Hold the snapshot of a session's transaction; return it with its name."""
        name = secrets.token_urlsafe(12)
        held = HeldPages(session)
        held.opened_s = self._clock()
        held.until_s = held.opened_s + SNAPSHOT_S
        with self._lock:
            self._held[name] = held
            released = self._tidied()
        _drop(released)
        return name, held

    def oldest_age_s(self) -> float:
        """Return for how long the oldest snapshot has been held; 0 without any."""
        with self._lock:
            opened_s = min((held.opened_s for held in self._held.values()), default=None)
        return 0.0 if opened_s is None else max(0.0, self._clock() - opened_s)

    def take(self, name: str, user: str) -> HeldPages:
        """Return a snapshot that is held.

        Raises:
            SnapshotTooOldError: it is no longer held, or is another user's (72000).
        """
        with self._lock:
            released = self._tidied()
            held = self._held.get(name)
            if held is not None and held.user == user:
                held.until_s = self._clock() + SNAPSHOT_S
                self._held.move_to_end(name)
        _drop(released)
        if held is None or held.user != user:
            raise SnapshotTooOldError(
                "the snapshot of these pages is no longer held here",
                detail=f"It is held for {SNAPSHOT_S:.0f} s after a page, by the process that "
                "answered it.",
                hint="Begin with the first page, and read on over the same connection.",
            )
        return held

    def release(self, name: str) -> None:
        """Release a snapshot."""
        with self._lock:
            held = self._held.pop(name, None)
            released = self._tidied()
        _drop(released if held is None else [held, *released])

    def close(self) -> None:
        """Release all snapshots."""
        with self._lock:
            released = list(self._held.values())
            self._held.clear()
            self._tidied()
        _drop(released)

    def _expire(self) -> None:
        with self._lock:
            self._alarm = None
            released = self._tidied()
        _drop(released)

    def _tidied(self) -> list[HeldPages]:
        """Remove snapshots that were not used for long, and the oldest if there are too many.

        See that the next one is released in time; there is one alarm at most.
        """
        now_s, removed = self._clock(), list[HeldPages]()
        while self._held:
            name, held = next(iter(self._held.items()))
            if held.until_s > now_s and len(self._held) <= SNAPSHOTS_MAX:
                if self._alarm is None:
                    self._alarm = self._set_alarm(held.until_s - now_s, self._expire)
                break
            removed.append(self._held.pop(name))
        if self._alarm is not None and not self._held:
            self._alarm.cancel()
            self._alarm = None
        return removed


def _drop(released: Sequence[HeldPages]) -> None:
    for held in released:
        held.drop()

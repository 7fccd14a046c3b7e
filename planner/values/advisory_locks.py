"""Advisory locks: their keys, and those that one session holds.

The server of the clients has the `LockTable`, in which all sessions meet. It knows whether a
session holds a lock, or waits for one; how often it holds it, and until when, is known here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, Protocol

from stategate.planner.errors import LimitExceededError

LOCKS_OF_SESSION_MAX = 1000
"""Locks of one session, so that none takes all that there are; programs hold a handful."""
_OF_SESSION = -1
"""In place of a number of savepoints: the lock is held until it is unlocked."""


class Mode(Enum):
    """The mode of a lock; the value is PostgreSQL's name for it."""

    __hash__ = object.__hash__

    EXCLUSIVE = "ExclusiveLock"
    SHARED = "ShareLock"

    def conflicts(self, other: Mode) -> bool:
        """Whether two sessions cannot hold the same lock in these modes."""
        return Mode.EXCLUSIVE in (self, other)


class LockKey(NamedTuple):
    """What is locked, as `pg_locks` shows it."""

    classid: int
    """The high half of a bigint, or the first of two integers."""
    objid: int
    objsubid: int
    """1 for a bigint, 2 for two integers."""


def lock_key(numbers: Sequence[int]) -> LockKey:
    """Return the key of a bigint, or of two integers."""
    if len(numbers) == 1:
        return LockKey((numbers[0] >> 32) & 0xFFFFFFFF, numbers[0] & 0xFFFFFFFF, 1)
    return LockKey(numbers[0] & 0xFFFFFFFF, numbers[1] & 0xFFFFFFFF, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedLock:
    """A row of `pg_locks`: a lock that a session holds or waits for."""

    pid: int
    classid: int
    objid: int
    objsubid: int
    mode: str
    granted: bool
    blockers: tuple[int, ...] = ()
    """The sessions that it waits for."""


class LockTable(Protocol):
    """The locks of all sessions; safe to use from many threads, and never waits itself."""

    def request(self, pid: int, key: LockKey, mode: Mode, *, waits: bool) -> Future[bool]:
        """Ask for a lock that the session does not hold in this mode.

        Args:
            pid: the session; it asks for one lock at a time.
            key: the lock.
            mode: how it is held.
            waits: whether to wait until it is free.

        Returns:
            Whether the lock was given; a QueryError if waiting would never end (40P01), or if there
            are too many locks (53200).
        """

    def withdraw(self, pid: int) -> None:
        """End the wait of a session, if it waits: its lock is not given."""

    def release(self, pid: int, key: LockKey, mode: Mode) -> None:
        """Release a lock."""

    def release_all(self, pid: int) -> None:
        """Release all locks of a session."""

    def listed(self) -> Sequence[ListedLock]:
        """Return the locks that are held or waited for; it may block."""


class SessionLocks:
    """The advisory locks of one session.

    Args:
        table: the locks of all sessions.
        pid: the number of the session.
    """

    def __init__(self, table: LockTable, pid: int) -> None:
        self._table, self._pid = table, pid
        self._held: dict[tuple[LockKey, Mode], Counter[int]] = {}
        """How often each lock is held: by the session, and by its transaction at each number of
        savepoints that had been made."""

    def request(self, key: LockKey, mode: Mode, *, waits: bool) -> Future[bool]:
        """Ask for a lock; call `hold` once it is given.

        Raises:
            LimitExceededError: the session has too many (53200).
        """
        if (key, mode) in self._held:
            given: Future[bool] = Future()
            given.set_result(True)
            return given
        if len(self._held) >= LOCKS_OF_SESSION_MAX:
            raise LimitExceededError(
                f"a session can hold at most {LOCKS_OF_SESSION_MAX} advisory locks",
                hint="Unlock those that are no longer needed.",
                sqlstate="53200",
            )
        return self._table.request(self._pid, key, mode, waits=waits)

    def withdraw(self) -> None:
        """Wait no more."""
        self._table.withdraw(self._pid)

    def give_back(self, key: LockKey, mode: Mode) -> None:
        """Release a lock that was given, but is not held: `hold` was not called."""
        self._table.release(self._pid, key, mode)

    def hold(self, key: LockKey, mode: Mode, savepoints_made: int | None) -> None:
        """Count a lock that was given.

        Args:
            key: the lock.
            mode: how it is held.
            savepoints_made: how many savepoints the transaction has made so far, if the lock ends
                with it; None for a lock that is held until it is unlocked.
        """
        level = _OF_SESSION if savepoints_made is None else savepoints_made
        self._held.setdefault((key, mode), Counter())[level] += 1

    def unlock(self, key: LockKey, mode: Mode) -> bool:
        """Unlock a lock once; return whether the session held it."""
        counts = self._held.get((key, mode))
        if counts is None or not counts[_OF_SESSION]:
            return False
        counts[_OF_SESSION] -= 1
        self._drop_free()
        return True

    def unlock_all(self) -> None:
        """Unlock all that is not held by the transaction."""
        for counts in self._held.values():
            counts[_OF_SESSION] = 0
        self._drop_free()

    def end_transaction(self, since: int = 0) -> None:
        """Release what the transaction holds.

        Args:
            since: the number of the savepoint to which it returns; 0 for all of it.
        """
        for counts in self._held.values():
            for level in [level for level in counts if level >= since]:
                del counts[level]
        self._drop_free()

    def close(self) -> None:
        """Release everything, because the session ends."""
        self._held.clear()
        self._table.release_all(self._pid)

    def _drop_free(self) -> None:
        for key, mode in [lock for lock, counts in self._held.items() if not counts.total()]:
            del self._held[key, mode]
            self._table.release(self._pid, key, mode)

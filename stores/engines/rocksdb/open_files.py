"""The files that the open databases of a node use together, and which of them come to rest."""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from typing import Final, Protocol

UNLIMITED: Final = 1 << 62
"""A capacity that is never reached."""
FILES_MIN: Final = 7
"""Files of an open database without rows: log, lock, write-ahead log, manifest, its directory
twice, and the epoch that it has answered at."""
_TRIES_MAX: Final = 16
"""Databases that are tried to make room for one. If all are in use, too many files are open."""


def files_of_process() -> int:
    """Return how many files the process may open; `UNLIMITED` if that is not known."""
    if sys.platform == "win32":
        return UNLIMITED
    import resource  # noqa: PLC0415 - not there on Windows

    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return UNLIMITED if limit == resource.RLIM_INFINITY else limit


class Rests(Protocol):
    """An open database; identified by identity, not by equality."""

    def take_is_read(self) -> bool:
        """Return whether it was read since the last call."""

    def count_files(self) -> int:
        """Return how many files it has open."""

    def rest_if_unused(self) -> bool:
        """Close it until it is read or written; False if it is in use now."""


class OpenFiles:
    """Counts the files of open databases; if they are too many, the least used ones come to rest.

    The oldest goes first. One that was read since its last turn is spared once, so a database that
    is read often stays open. Databases in use never rest, so they may exceed the capacity.

    Args:
        capacity: how many files may be open; by default as many as there are.
    """

    def __init__(self, capacity: int = UNLIMITED) -> None:
        self.capacity = capacity
        self._lock = threading.Lock()
        self._files: OrderedDict[Rests, int] = OrderedDict()
        """The files of each open database, the one that was opened or written longest ago first."""
        self._used = 0

    @property
    def used(self) -> int:
        """How many files are open."""
        return self._used

    @property
    def databases(self) -> int:
        """How many databases are open."""
        return len(self._files)

    @property
    def is_half_full(self) -> bool:
        """Whether databases that no one has asked for should stay closed."""
        return self._used * 2 >= self.capacity

    def opening(self, database: Rests) -> None:
        """Make room for a database that is about to be opened.

        Others come to rest for it, so the caller holds no lock of a database.
        """
        self._count(database, FILES_MIN)
        self.make_room()

    def opened(self, database: Rests) -> None:
        """Note that a database was opened or written, with as many files as it has now."""
        self._count(database, database.count_files())

    def closed(self, database: Rests) -> None:
        """Note that a database was closed, or could not be opened."""
        with self._lock:
            self._used -= self._files.pop(database, 0)

    def make_room(self) -> None:
        """Let databases come to rest until there are no more open files than there may be."""
        for _ in range(_TRIES_MAX):
            database = self._next()
            if database is None:
                return
            database.rest_if_unused()

    def _count(self, database: Rests, files: int) -> None:
        with self._lock:
            self._used += files - self._files.pop(database, 0)
            self._files[database] = files

    def _next(self) -> Rests | None:
        """Return the database to try next, and move it to the end; None if there is room."""
        with self._lock:
            if self._used <= self.capacity:
                return None
            for _ in range(len(self._files)):
                database = next(iter(self._files))
                self._files.move_to_end(database)
                if not database.take_is_read():
                    return database
            return next(iter(self._files), None)

"""The pool of composing processes, which can be killed.

Inside a function DuckDB does not look at its interrupt and does not count all memory, and a Python
function holds the GIL. So DuckDB runs in separate processes. A statement that must end is
interrupted; if it does not end soon, its process is killed. Other statements in that process start
again in another process. Clients do not notice if they have no rows yet, because the snapshots that
statements read do not change.
"""

from __future__ import annotations

import itertools
import logging
import threading
import time
import weakref
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from stategate.planner.composing.database import DatabaseClosedError, DatabaseError
from stategate.planner.composing.feeds import FEED_THREADS_MAX
from stategate.planner.composing.forkserver import FORK_SERVER, ForkServer
from stategate.planner.composing.messages import ProcessLimits
from stategate.planner.composing.process import ComposingProcess, ProcessEndedError
from stategate.planner.composing.shared_batches import SharedBatches
from stategate.planner.composing.socket_pool import SocketPool
from stategate.planner.errors import UnavailableError, is_out_of_files, out_of_files
from stategate.planner.values.cancel import Cancellation

logger = logging.getLogger(__name__)

OVERHEAD_BYTES = 640 << 20
"""Memory of a process besides DuckDB's for composing: the catalog's database (256 MB), rows in
transit, Python, and the stacks of threads."""
SHARED_SHARE = 4
"""Batches in shared memory take as much as this part of one process's memory for composing."""
_LOOK_S = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedProcesses:
    """Composing processes that the gateway processes of one machine share."""

    forks: Path
    """The socket of their fork server."""
    first: int
    """The place of the process that this gateway process uses first."""
    count: int
    """How many there are."""


class ProcessPool:
    """The composing processes of one engine. Safe to use from many threads.

    Args:
        count: how many processes; each is started when it is first needed.
        memory_bytes_max: memory of DuckDB in all processes together, also those of other engines.
        shared: the processes are some of these; None for processes of its own.
    """

    def __init__(
        self,
        *,
        count: int = 1,
        memory_bytes_max: int = 1 << 30,
        shared: SharedProcesses | None = None,
    ) -> None:
        self.feed_pool = SocketPool("feed", threads_max=FEED_THREADS_MAX)
        self._count = count
        among = count if shared is None else shared.count
        self.shared_batches = SharedBatches(memory_bytes_max // among // SHARED_SHARE)
        self._limits = ProcessLimits(memory_bytes=memory_bytes_max // among + OVERHEAD_BYTES)
        self._shared = shared
        self._forks = FORK_SERVER if shared is None else ForkServer(shared.forks)
        self._lock = threading.RLock()  # garbage collection may take it again
        self._starting = threading.Lock()
        self._alone = threading.Lock()
        self._numbers = itertools.count(1)
        self._dropped: deque[int] = deque()
        self._held: list[ComposingProcess] = []
        """The processes that get statements, and those that still run some."""
        self._closed = threading.Event()
        own = self._forks if self._forks.is_shared else None
        self._finalizer = weakref.finalize(self, _end_all, self._held, self._closed, own)

    @property
    def is_closed(self) -> bool:
        """Whether the pool is closed."""
        return self._closed.is_set()

    @property
    def pids(self) -> tuple[int, ...]:
        """The process ids."""
        with self._lock:
            return tuple(process.pid for process in self._held)

    def number(self) -> int:
        """Return a number for a database."""
        return next(self._numbers)

    def drop(self, number: int) -> None:
        """Drop a database soon. May be called during garbage collection."""
        self._dropped.append(number)

    @contextmanager
    def alone(self, cancellation: Cancellation) -> Iterator[None]:
        """Wait for the right to run a statement alone in a process.

        One thread at a time has it, of all gateway processes that share their processes.
        """
        while not self._alone.acquire(timeout=_LOOK_S):
            cancellation.check()
        try:
            while not self._forks.take_alone():
                cancellation.check()
                time.sleep(_LOOK_S)
            try:
                yield
            finally:
                self._forks.give_alone()
        finally:
            self._alone.release()

    def take(self, *, fresh: bool = False) -> ComposingProcess:
        """Return a process for one statement, to be given back.

        Args:
            fresh: start a new process, which no other statement gets.

        Raises:
            DatabaseClosedError: the pool is closed.
            UnavailableError: a process cannot be started.
        """
        self._forget_dropped()
        if fresh:
            process = self._start(None)
            process.is_spent, process.load = True, 1
            return process
        with self._lock:
            found = self._least_loaded()
            if found is not None:
                found.load += 1
                return found
        with self._starting:
            with self._lock:
                found = self._least_loaded()
                if found is not None:  # another thread has started one
                    found.load += 1
                    return found
            process = self._start(self._free_place())
            with self._lock:
                process.load += 1
            return process

    def replace(self, process: ComposingProcess) -> None:
        """Start a process in place of a killed one, before a statement has to wait for it."""

        def start() -> None:
            with suppress(DatabaseClosedError, DatabaseError, ProcessEndedError, UnavailableError):
                fresh = self.take()
                try:
                    fresh.open_as(process)
                finally:
                    self.give(fresh)

        threading.Thread(target=start, name="starting", daemon=True).start()

    def give(self, process: ComposingProcess) -> None:
        """Take back a process from a statement."""
        with self._lock:
            process.load -= 1
            is_over = process.is_ended or (process.is_spent and process.load <= 0)
            if is_over and process in self._held:
                self._held.remove(process)
        if is_over:
            process.leave()

    def close(self) -> None:
        """End all processes at once, or leave them to others; running statements fail."""
        self._finalizer()
        if self._forks.is_shared:
            self._forks.close()  # a call that was under way may have connected again

    def _least_loaded(self) -> ComposingProcess | None:
        """Return the process with the fewest statements; None if another should be started."""
        usable = [each for each in self._held if not each.is_spent and not each.is_ended]
        least = min(usable, key=lambda each: each.load, default=None)
        if least is None or (least.load and len(usable) < self._count):
            return None
        return least

    def _free_place(self) -> int | None:
        """Return the place of a shared process to join; None if processes are not shared."""
        if self._shared is None:
            return None
        with self._lock:
            taken = {each.place for each in self._held if not (each.is_spent or each.is_ended)}
        places = ((self._shared.first + n) % self._shared.count for n in range(self._count))
        return next(place for place in places if place not in taken)

    def _start(self, place: int | None) -> ComposingProcess:
        if self.is_closed:
            raise DatabaseClosedError
        try:
            process = ComposingProcess(self._limits, self._forks, place=place)
        except OSError as error:
            logger.error("a composing process could not be started error=%s", error)
            if is_out_of_files(error):
                raise out_of_files("A process for the statement could not be started.") from error
            raise UnavailableError(
                "a process for the statement could not be started", hint="Retry.", sqlstate="55000"
            ) from error
        with self._lock:
            self._held.append(process)
        if self._closed.is_set():  # while the process started
            process.leave()
            raise DatabaseClosedError
        return process

    def _forget_dropped(self) -> None:
        while self._dropped:
            number = self._dropped.popleft()
            with self._lock:
                held = tuple(self._held)
            for process in held:
                process.drop(number)


def _end_all(
    held: list[ComposingProcess], closed: threading.Event, forks: ForkServer | None
) -> None:
    """End the processes of a pool, and its connection to a fork server, if it has its own.

    Garbage collection may call it, in a thread that is inside a call to that fork server.
    """
    closed.set()
    while held:
        held.pop().leave()
    if forks is not None:
        forks.leave()

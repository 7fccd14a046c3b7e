"""Guards the log of a store against statements: few read it at once, and none while it hangs."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from stategate.stores.errors import LogError

LOCAL_READS_MAX, REMOTE_READS_MAX = 4, 64
"""Statements that read the log of a store at once. If it hangs, each of them holds a thread; on a
local disk a read takes less than 0.1 ms, so few are enough."""
WAIT_S = 5.0
"""How long a statement waits for those."""


class LogReads:
    """The reads of a store's log by statements. Safe to share between threads.

    Args:
        store: its name.
        is_local: whether the log is on a local file system.
    """

    def __init__(self, store: str, *, is_local: bool) -> None:
        self._store = store
        self._free = threading.Semaphore(LOCAL_READS_MAX if is_local else REMOTE_READS_MAX)
        self.hung: str | None = None
        """Why the log must not be read now; None if it answers, as far as is known."""

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Wait for a turn to read the log.

        Raises:
            LogError: its files do not answer, or other statements read it all the time.
        """
        if self.hung is not None:
            raise LogError(self.hung)
        if not self._free.acquire(timeout=WAIT_S):
            why = f'the files of store "{self._store}" do not answer other statements'
            raise LogError(self.hung or why)
        try:
            yield
        finally:
            self._free.release()

"""Lets the batches that run end before the program does.

Spark calls the functions of foreachBatch in threads that Python does not wait for. Python stops a
thread where it next takes the interpreter's lock; inside Arrow that aborts the whole process.
"""

from __future__ import annotations

import atexit
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

END_S = 30.0
"""How long a program that ends waits for its batches: Spark has ended or cancels their jobs."""

logger = logging.getLogger(__name__)


class Batches:
    """The batches that run in this program, of all its queries."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._running = 0
        self._has_ended = False

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count a batch while the block runs; after `end` no block runs, and its thread waits."""
        with self._changed:
            self._changed.wait_for(lambda: not self._has_ended)
            self._running += 1
        try:
            yield
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    def end(self, timeout_s: float = END_S) -> bool:
        """Wait until no batch runs, and begin no other; return whether that was so in time."""
        with self._changed:
            self._has_ended = True  # at once: the batches of two queries might overlap for ever
            return self._changed.wait_for(lambda: self._running == 0, timeout_s)


BATCHES = Batches()


@atexit.register
def _end() -> None:
    if not BATCHES.end():
        logger.warning("a batch still ran when the program ended; it runs again at the next start")

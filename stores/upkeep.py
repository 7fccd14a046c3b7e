"""Work that makes later reads fast and is not urgent, in a thread of its own."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from typing import Final, Protocol, runtime_checkable

_logger = logging.getLogger(__name__)

_PAUSE_S: Final = 0.25
"""Between two rounds: small against a start, and a round of 500 partitions takes 1 ms."""


@runtime_checkable
class Tended(Protocol):
    """An engine that has something to do in the background."""

    def tend(self, is_stopping: Callable[[], bool]) -> None:
        """Do it, if there is something to do now.

        Args:
            is_stopping: asked often; once it is true, it stops.

        Raises:
            StoreError: the database cannot be read.
        """


class Upkeep:
    """Tends the engines of a host by turns.

    Args:
        engines: those that are to be tended now.
    """

    def __init__(self, engines: Callable[[], Iterable[object]]) -> None:
        self._engines = engines
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="upkeep", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self, *, timeout_s: float) -> None:
        """End, and wait until it has; once is enough."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(timeout_s)

    def _run(self) -> None:
        while not self._stopping.wait(_PAUSE_S):
            for engine in self._engines():
                if self._stopping.is_set():
                    return
                if isinstance(engine, Tended):
                    self._tend(engine)

    def _tend(self, engine: Tended) -> None:
        try:
            engine.tend(self._stopping.is_set)
        except Exception as error:  # it must not keep the other engines from their turns
            # Queries that need what cannot be read say so, each time.
            _logger.warning("upkeep failed engine=%r error=%s", engine, error)

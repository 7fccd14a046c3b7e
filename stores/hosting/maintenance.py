"""Background work of engines that makes later reads faster, in a separate thread."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from typing import Final, Protocol, runtime_checkable

from stores.errors import StoreError
from stores.spec.schema import StoreSchema

_logger = logging.getLogger(__name__)

_PAUSE_S: Final = 0.25
"""Pause between two rounds: short compared with a start; a round of 500 partitions takes 1 ms."""


@runtime_checkable
class Maintainable(Protocol):
    """An engine with work to do in the background."""

    def maintain(self, is_stopping: Callable[[], bool]) -> None:
        """Do the work that is due now, if there is any.

        Args:
            is_stopping: called often; once it is true, the work stops.

        Raises:
            StoreError: the database cannot be read.
        """


class Held(Protocol):
    """A partition on a host."""

    schema: StoreSchema
    partition: int

    @property
    def engine(self) -> object:
        """The engine, which need not be `Maintainable`."""


class EngineMaintenance:
    """Maintains the engines of a host, one after the other.

    Args:
        held: returns the partitions whose engines are to be maintained now.
    """

    def __init__(self, held: Callable[[], Iterable[Held]]) -> None:
        self._held = held
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="engine-maintenance", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self, *, timeout_s: float) -> None:
        """Stop the thread, and wait until it has ended; once is enough."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(timeout_s)

    def _run(self) -> None:
        while not self._stopping.wait(_PAUSE_S):
            for held in self._held():
                if self._stopping.is_set():
                    return
                if isinstance(held.engine, Maintainable):
                    self._maintain(held.engine, held)

    def _maintain(self, engine: Maintainable, held: Held) -> None:
        try:
            engine.maintain(self._stopping.is_set)
        except Exception as error:  # the other engines must get their turns
            # Queries that need the same blocks fail with the same error, each time.
            _logger.warning(
                "engine maintenance failed store=%s partition=%d error=%s",
                held.schema.name,
                held.partition,
                error,
                exc_info=None if isinstance(error, StoreError) else error,
            )

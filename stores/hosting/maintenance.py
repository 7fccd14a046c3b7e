"""Work that makes later reads fast and is not urgent, in a thread of its own."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from typing import Final, Protocol, runtime_checkable

from stores.errors import StoreError
from stores.spec.schema import StoreSchema

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


class Held(Protocol):
    """A partition that a host holds."""

    schema: StoreSchema
    partition: int

    @property
    def engine(self) -> object:
        """Holds the rows; may be one that has nothing to do."""


class Upkeep:
    """Tends the engines of a host by turns.

    Args:
        held: the partitions whose engines are to be tended now.
    """

    def __init__(self, held: Callable[[], Iterable[Held]]) -> None:
        self._held = held
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
            for held in self._held():
                if self._stopping.is_set():
                    return
                if isinstance(held.engine, Tended):
                    self._tend(held.engine, held)

    def _tend(self, engine: Tended, held: Held) -> None:
        try:
            engine.tend(self._stopping.is_set)
        except Exception as error:  # it must not keep the other engines from their turns
            # Queries that need what cannot be read say so, each time.
            _logger.warning(
                "upkeep failed store=%s partition=%d error=%s",
                held.schema.name,
                held.partition,
                error,
                exc_info=None if isinstance(error, StoreError) else error,
            )

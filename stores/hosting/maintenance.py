"""Background work of engines that makes later reads faster, in a separate thread."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from typing import Final, Protocol, cast

from stategate.stores.errors import StoreError
from stategate.stores.hosting.freed_memory import FreedMemory
from stategate.stores.spec.schema import StoreSchema

_logger = logging.getLogger(__name__)

_PAUSE_S: Final = 0.25
"""The shortest pause between two rounds: short compared with a start."""
_PAUSE_OF_PARTITION_S: Final = 125e-6
"""The share of each partition in the pause, since all are looked at to find those to maintain."""
_ROUND_MAX: Final = 2000
"""Engines of one round, which takes some 2 ms; the next round goes on with the next ones."""


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
        self._at = 0
        """Where the next round begins."""
        self._pause_s = _PAUSE_S
        self._memory = FreedMemory()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="engine-maintenance", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self, *, timeout_s: float) -> None:
        """Stop the thread, and wait until it has ended; repeated calls do nothing."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(timeout_s)

    def _run(self) -> None:
        while not self._stopping.wait(self._pause_s):
            self._memory.look()
            for held in self._round():
                if self._stopping.is_set():
                    return
                # `isinstance` takes ten times as long for a protocol.
                if hasattr(held.engine, "maintain"):
                    self._maintain(cast("Maintainable", held.engine), held)

    def _round(self) -> list[Held]:
        """Return the partitions whose turn it is."""
        held = list(self._held())
        self._pause_s = max(_PAUSE_S, _PAUSE_OF_PARTITION_S * len(held))
        begin = self._at if self._at < len(held) else 0
        self._at = begin + _ROUND_MAX
        return held[begin : self._at]

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

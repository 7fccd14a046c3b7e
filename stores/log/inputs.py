"""The topics that feed a store, read from its definition in the log, for bounds on offsets.

A writer declares a topic before the first epoch with its offsets. So replicas read the definition
again before each epoch, and for a bound on an unknown topic. Otherwise a bound on a new topic would
be ignored like one on a topic of another store.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable

from stategate.stores.log.state_log import StoreLog
from stategate.stores.spec.position import Position
from stategate.stores.spec.schema import InputTopic


class Inputs:
    """The inputs of one store, shared by its replicas. Inputs are added and never removed.

    Args:
        topics: the inputs of the definition as it was last read.
        log: the log to read it again from; None for a store that is filled by hand.
    """

    def __init__(self, topics: Iterable[InputTopic] = (), *, log: StoreLog | None = None) -> None:
        self.topics: tuple[InputTopic, ...] = tuple(topics)
        """The inputs as of now; the tuple is replaced, never changed."""
        self._names = frozenset(each.topic for each in self.topics)
        self._log = log
        self._changing = threading.Lock()

    def unread(self, position: Position) -> frozenset[str]:
        """Return the topics of a position that are not known as inputs, without reading the log."""
        if not position.components:
            return _NONE
        return frozenset(topic for topic, _ in position.components) - self._names

    def renew(self) -> None:
        """Read the definition again.

        Raises:
            LogError: the log cannot be read now.
        """
        if self._log is not None:
            self.add(self._log.last().schema().inputs)

    def add(self, topics: Iterable[InputTopic]) -> None:
        """Add topics that are not inputs yet."""
        with self._changing:
            new = tuple(each for each in topics if each.topic not in self._names)
            if new:
                self.topics = (*self.topics, *new)
                self._names |= {each.topic for each in new}

    def require(self, position: Position) -> None:
        """Read the definition again if a position has topics that are not known as inputs.

        Raises:
            LogError: it has such topics, and the log cannot be read now.
        """
        if self.unread(position):
            self.renew()


_NONE: frozenset[str] = frozenset()

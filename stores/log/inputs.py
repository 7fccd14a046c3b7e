"""The topics that feed a store, as its definition in the log stands: what bounds on offsets need.

A writer declares a topic before the first epoch that counts it. So the definition is read again
before an epoch is applied, and for a bound on an unknown topic. Otherwise a bound on a new topic
would be ignored, like one on a topic of another store.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable

from stores.log.state_log import StoreLog
from stores.spec.position import Position
from stores.spec.schema import InputTopic


class Inputs:
    """The inputs of one store, shared by its replicas. Inputs are added and never removed.

    Args:
        topics: those of the definition as it was read last.
        log: where to read it again; None for a store that is filled by hand.
    """

    def __init__(self, topics: Iterable[InputTopic] = (), *, log: StoreLog | None = None) -> None:
        self.topics: tuple[InputTopic, ...] = tuple(topics)
        """The inputs as of now; replaced and never changed in place."""
        self._names = frozenset(each.topic for each in self.topics)
        self._log = log
        self._changing = threading.Lock()

    def unread(self, position: Position) -> frozenset[str]:
        """The topics of a position that are not known as inputs; reads nothing."""
        if not position.components:
            return _NONE
        return frozenset(topic for topic, _ in position.components) - self._names

    def renew(self) -> None:
        """Read the definition again.

        Raises:
            LogError: it cannot be read now.
        """
        if self._log is not None:
            self.add(self._log.schema().inputs)

    def add(self, topics: Iterable[InputTopic]) -> None:
        """Add topics; those that are inputs already are left as they are."""
        with self._changing:
            new = tuple(each for each in topics if each.topic not in self._names)
            if new:
                self.topics = (*self.topics, *new)
                self._names |= {each.topic for each in new}

    def require(self, position: Position) -> None:
        """Make sure that no topic of a position has become an input since the definition was read.

        Raises:
            LogError: it has topics that are not known as inputs, and the log cannot be read now.
        """
        if self.unread(position):
            self.renew()


_NONE: frozenset[str] = frozenset()

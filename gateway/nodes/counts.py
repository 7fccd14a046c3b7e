"""What has passed between this node and the others, for metrics."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from stategate.stores.nodes.failover import Unreadable

logger = logging.getLogger(__name__)

_SHARE = 1 / 8


@dataclass(slots=True)
class PeerCounts:
    """Requests to another node since the start. They are written in the event loop only."""

    connections: int = 0
    requests: int = 0
    replies: int = 0
    failures: int = 0
    """Requests without a reply, because the node was lost or not connected."""
    abandoned: int = 0
    """Requests whose reply no one waits for any more."""
    reply_s: float = 0.0
    """Time from request to reply, of all replies but those to waits for a bound."""
    usual_s: float | None = None
    """The usual time of a reply; None before the first one."""
    sent_bytes: int = 0
    received_bytes: int = 0

    def note_reply(self, seconds: float) -> None:
        """Count the time of a reply."""
        self.reply_s += seconds
        usual_s = self.usual_s
        self.usual_s = seconds if usual_s is None else usual_s + _SHARE * (seconds - usual_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredPeer:
    """Another node, for metrics."""

    name: str
    is_connected: bool
    version: str
    """The version of Stategate that it runs; empty before it has said so."""
    counts: PeerCounts
    overdue: int
    """Replies that were overdue, so that another node was asked, too."""
    answered: int
    """Its requests that this node has answered."""


class UnreadableCopies:
    """The copies that could not be read, so that others were asked. Safe to use from many threads.

    Each is logged once, however often it is read, until its node starts anew.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._reads: Counter[str] = Counter()
        self._logged: set[tuple[str, str, int]] = set()

    @property
    def reads(self) -> Mapping[str, int]:
        """How many reads failed at each node."""
        with self._lock:
            return dict(self._reads)

    def note(self, copy: Unreadable) -> None:
        """Count a read, and log the first one of the copy."""
        place = copy.node, copy.store, copy.partition
        with self._lock:
            self._reads[copy.node] += 1
            is_known = place in self._logged
            self._logged.add(place)
        if not is_known:
            logger.warning(
                "a copy cannot be read, so another one is asked node=%s store=%s partition=%d: %s",
                *place,
                copy.why,
            )

    def forget(self, node: str) -> None:
        """Log the copies of a node anew."""
        with self._lock:
            self._logged = {place for place in self._logged if place[0] != node}

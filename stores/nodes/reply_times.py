"""How long nodes take to reply, so that one that takes unusually long is not waited for."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

DELAY_LEAST_S = 0.01
DELAY_MAX_S = 1.0
STALE_S = 1.0
"""How long the time of a node counts after its last lookup; then one lookup tries it again."""
_DEVIATIONS = 4
_SHARE, _DEVIATION_SHARE = 1 / 8, 1 / 4
_SHARE_DOWN = 1 / 2
"""How much a faster reply counts: one slow reply may be chance, one fast reply hardly is. If the
node was not asked for a while, it is all that is known."""
_TIMES_FASTEST = 4
"""How much longer a lookup may take than what is overdue at the fastest node."""
_GONE_S = 60.0
"""After how long without a lookup a node is not the fastest one any more."""


@dataclass(slots=True)
class _Usual:
    """The usual time of a node."""

    mean_s: float
    deviation_s: float
    overdue_s: float = DELAY_MAX_S
    noted_at: float = -math.inf

    def learn(self, seconds: float, now: float) -> None:
        """Take a time into account."""
        self.deviation_s += _DEVIATION_SHARE * (abs(seconds - self.mean_s) - self.deviation_s)
        is_stale = now - self.noted_at > STALE_S
        down = 1.0 if is_stale else _SHARE_DOWN
        share = _SHARE if seconds > self.mean_s else down
        self.mean_s += share * (seconds - self.mean_s)
        usual_s = self.mean_s + _DEVIATIONS * self.deviation_s
        self.overdue_s = min(max(usual_s, DELAY_LEAST_S), DELAY_MAX_S)
        self.noted_at = now


class ReplyTimes:
    """The usual reply time of each node, and its spread. Safe to use from many threads.

    A reply that takes longer than the mean and four deviations is overdue, the rule by which TCP
    sends again (RFC 6298). A lookup is overdue sooner if other nodes are faster: behind a slow link
    the usual time is long, too. Other requests take as long as they have to do, so their times are
    kept apart and not compared.

    A node whose lookups usually take longer than the least delay is slow, and the next one is asked
    before it if that is faster. Each is tried again once a second.

    Args:
        clock: the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lookups: dict[str, _Usual] = {}
        self._others: dict[str, _Usual] = {}
        self._tried_at: dict[str, float] = {}
        self._fastest_s = DELAY_MAX_S
        """After how many seconds a lookup at the fastest node is overdue."""
        self._fastest = ""
        self._compared_at = -math.inf
        self.slow: frozenset[str] = frozenset()
        """The nodes whose lookups take long."""

    def note(self, node: str, seconds: float, *, is_lookup: bool = True) -> None:
        """Take note of the time of a reply, or of how long there has been none."""
        now, known = self._clock(), self._lookups if is_lookup else self._others
        usual = known.get(node)
        if usual is None:
            usual = known[node] = _Usual(seconds, seconds / 2)
        usual.learn(seconds, now)
        if not is_lookup:
            return
        if (usual.mean_s > DELAY_LEAST_S) != (node in self.slow):
            self.slow = self.slow ^ {node}
        is_slower = node == self._fastest and usual.overdue_s > self._fastest_s
        if usual.overdue_s < self._fastest_s or is_slower or now - self._compared_at > STALE_S:
            self._compare(now)

    def _compare(self, now: float) -> None:
        self._compared_at = now
        self._fastest_s, self._fastest = min(
            (usual.overdue_s, node)
            for node, usual in tuple(self._lookups.items())
            if now - usual.noted_at < _GONE_S
        )

    def usual_s(self, node: str) -> float | None:
        """Return how long a lookup usually takes; None before the first one."""
        usual = self._lookups.get(node)
        return None if usual is None else usual.mean_s

    def overdue_s(self, node: str, *, is_lookup: bool = True) -> float:
        """Return after how many seconds a reply is overdue."""
        usual = (self._lookups if is_lookup else self._others).get(node)
        own_s = DELAY_MAX_S if usual is None else usual.overdue_s
        return min(own_s, _TIMES_FASTEST * self._fastest_s) if is_lookup else own_s

    def passes_over(self, node: str, other: str, *, is_lookup: bool) -> bool:
        """Whether another node is asked before a slow one."""
        now = self._clock()
        node_s, other_s = (self._expected_s(each, now, is_lookup) for each in (node, other))
        passes = other_s < node_s
        if is_lookup:
            chosen = other if passes else node
            if self._is_stale(chosen, now):
                self._tried_at[chosen] = now  # one lookup tries it, the others wait for its time
        return passes

    def in_order(self, nodes: Sequence[str], *, is_lookup: bool) -> Sequence[str]:
        """Return nodes to ask, the first of them behind the second if that is faster.

        The others keep their places: they may hold nothing of what is asked for.
        """
        slow = self.slow
        if not slow.intersection(nodes[:1]) or len(nodes) == 1:
            return nodes
        first, second, *others = nodes
        if not self.passes_over(first, second, is_lookup=is_lookup):
            return nodes
        return [second, first, *others]

    def _is_stale(self, node: str, now: float) -> bool:
        usual, tried_at = self._lookups.get(node), self._tried_at.get(node, -math.inf)
        noted_at = -math.inf if usual is None else usual.noted_at
        return now - max(noted_at, tried_at) > STALE_S

    def _expected_s(self, node: str, now: float, is_lookup: bool) -> float:
        """Return how long a lookup probably takes; 0 if that is to be found out."""
        if is_lookup and self._is_stale(node, now):
            return 0.0
        usual_s = self.usual_s(node)
        return math.inf if usual_s is None else usual_s

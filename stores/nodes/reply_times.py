"""How long nodes take to reply, so that one that takes unusually long is not waited for."""

from __future__ import annotations

DELAY_LEAST_S = 0.01
DELAY_MAX_S = 1.0
_DEVIATIONS = 4
_SHARE, _DEVIATION_SHARE = 1 / 8, 1 / 4


class ReplyTimes:
    """The usual reply time of each node, and its spread. Safe to use from many threads.

    A reply that takes longer than the mean and four deviations is overdue, the rule by which TCP
    sends again (RFC 6298).
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[float, float]] = {}

    def note(self, node: str, seconds: float) -> None:
        """Take note of a reply."""
        mean, deviation = self._known.get(node, (seconds, seconds / 2))
        deviation += _DEVIATION_SHARE * (abs(seconds - mean) - deviation)
        self._known[node] = mean + _SHARE * (seconds - mean), deviation

    def overdue_s(self, node: str) -> float:
        """Return after how many seconds a reply is overdue."""
        known = self._known.get(node)
        if known is None:
            return DELAY_MAX_S
        mean, deviation = known
        return min(max(mean + _DEVIATIONS * deviation, DELAY_LEAST_S), DELAY_MAX_S)

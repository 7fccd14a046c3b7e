"""Connections that are not let in yet, counted by address: one alone must not take all places."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Hashable

from gateway.addresses import network_of

logger = logging.getLogger(__name__)

_LOG_EVERY_S = 10.0
"""What a flood adds to the log is one line in so many seconds."""


class Strangers:
    """The connections of one server whose clients have not been let in.

    Args:
        of_one_max: connections of one address, or of one IPv6 /64.
        clock: seconds, monotonic.
    """

    def __init__(self, *, of_one_max: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._of_one_max = of_one_max
        self._clock = clock
        self._networks: dict[Hashable, str] = {}
        self._counts: Counter[str] = Counter()
        self._refused = 0
        self._logged_s = float("-inf")

    def __len__(self) -> int:
        """Connections that are counted."""
        return len(self._networks)

    def enter(self, connection: Hashable, address: str | None) -> bool:
        """Count a connection until it leaves; False if its address has too many already."""
        network = network_of(address)
        if self._counts[network] >= self._of_one_max:
            self._note_refusal(network)
            return False
        self._networks[connection] = network
        self._counts[network] += 1
        return True

    def leave(self, connection: Hashable) -> None:
        """It was let in, or is gone; one that is not counted is none of ours."""
        network = self._networks.pop(connection, None)
        if network is None:
            return
        self._counts[network] -= 1
        if not self._counts[network]:
            del self._counts[network]

    def _note_refusal(self, network: str) -> None:
        self._refused += 1
        now_s = self._clock()
        if now_s - self._logged_s >= _LOG_EVERY_S:
            logger.warning(
                "too many connections that are not let in, cut off=%d, the last from=%s",
                self._refused,
                network or "unknown",
            )
            self._refused, self._logged_s = 0, now_s

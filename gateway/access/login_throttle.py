"""How often an address has failed to prove who it is: slower each time, then refused for a while.

Each address has a bucket of failures that empties with time. Only failures count, and success does
not empty the bucket: who owns one account must not be able to guess at others between logins.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from gateway.access.addresses import network_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrottleLimits:
    """How many failures are borne, and how slowly they are answered."""

    failures_max: int = 10
    """Failures of an address that are answered; more are refused unheard. Room for a person, and
    for a service that was given an old password, and none for a dictionary."""
    refill_s: float = 6.0
    """One failure is forgotten so often: 10 guesses a minute and address in the long run."""
    delay_s: float = 0.1
    """Answer to the first failure; each further one takes twice as long."""
    delay_s_max: float = 2.0
    """The slowest answer. It holds a connection, of which there are not so many."""
    addresses_max: int = 10_000
    """Addresses that are remembered, at some 200 bytes; the one that failed longest ago goes."""


class LoginThrottle:
    """The failures of all addresses. Not for threads: the event loop alone asks.

    Args:
        limits: how many, how slow.
        clock: seconds, monotonic.
    """

    def __init__(
        self, limits: ThrottleLimits | None = None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._limits = limits or ThrottleLimits()
        self._clock = clock
        self._failures: dict[str, tuple[float, float]] = {}
        """Bucket's level and when it was that, by network, the last to fail last."""

    def __len__(self) -> int:
        """Addresses that are remembered."""
        return len(self._failures)

    def refused_for_s(self, address: str | None) -> float:
        """How long an address is not heard; 0 if it may try."""
        limits = self._limits
        over = self._level(network_of(address)) + 1 - limits.failures_max
        # What is left of a failure after rounding is none.
        return over * limits.refill_s if over > 1e-9 else 0.0

    def fail(self, address: str | None) -> float:
        """Note a failure; gives the seconds to let pass before it is told."""
        network = network_of(address)
        level = self._level(network) + 1
        self._failures.pop(network, None)
        while len(self._failures) >= max(1, self._limits.addresses_max):
            del self._failures[next(iter(self._failures))]
        self._failures[network] = level, self._clock()
        return min(self._limits.delay_s * math.pow(2, level - 1), self._limits.delay_s_max)

    def _level(self, network: str) -> float:
        level, noted_s = self._failures.get(network, (0.0, 0.0))
        return max(0.0, level - (self._clock() - noted_s) / self._limits.refill_s)

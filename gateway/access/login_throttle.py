"""Slows down and then refuses addresses that keep failing to log in.

Each address has a bucket of failures that empties with time. A success does not empty it: the owner
of one account must not be able to guess other passwords between logins.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from gateway.access.addresses import network_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrottleLimits:
    """How many failures are tolerated, and how slowly they are answered."""

    failures_max: int = 10
    """Failures of an address before its attempts are refused unchecked: enough for typing errors
    and for a service with an old password, too few for a dictionary."""
    refill_s: float = 6.0
    """Time until one failure is forgotten: in the long run 10 guesses a minute from an address."""
    delay_s: float = 0.1
    """Delay of the answer to the first failure; each further one doubles it."""
    delay_s_max: float = 2.0
    """Longest delay. A delayed answer holds a connection, and those are limited."""
    addresses_max: int = 10_000
    """Addresses to remember, at some 200 bytes each; the one that failed longest ago is dropped."""


class LoginThrottle:
    """The failures of all addresses. Not thread-safe: used on the event loop only.

    Args:
        limits: numbers and delays.
        clock: monotonic, in seconds.
    """

    def __init__(
        self, limits: ThrottleLimits | None = None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._limits = limits or ThrottleLimits()
        self._clock = clock
        self._failures: dict[str, tuple[float, float]] = {}
        """The bucket's level and its time, by network, in the order of the last failures."""

    def __len__(self) -> int:
        """Addresses that have failed."""
        return len(self._failures)

    def refused_for_s(self, address: str | None) -> float:
        """Return how many seconds an address is refused; 0 if it may try."""
        limits = self._limits
        over = self._level(network_of(address)) + 1 - limits.failures_max
        # A rounding error is not a failure.
        return over * limits.refill_s if over > 1e-9 else 0.0

    def fail(self, address: str | None) -> float:
        """Count a failure; return the seconds by which to delay its answer."""
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

"""Limits on the clients of one address: failed logins, and connections before the login.

They keep a few addresses from guessing passwords and from locking others out. An IPv6 /64 counts as
one address.
"""

from __future__ import annotations

import ipaddress
import logging
import math
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

logger = logging.getLogger(__name__)

_LOG_EVERY_S = 10.0
"""Seconds between log lines during a flood of connections."""


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
    """Slows down and then refuses addresses that keep failing to log in.

    Each address has a bucket of failures that empties with time. A success does not empty it: the
    owner of one account must not be able to guess other passwords between logins. Not thread-safe:
    used on the event loop only.

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
        """Return the number of addresses that have failed."""
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


def network_of(address: str | None) -> str:
    """Return what counts as one client: an IPv4 address, or the /64 of an IPv6 address.

    All values that are not IP addresses count as one client, because a proxy forwards any text.
    """
    if address is None:
        return ""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return ""
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((int(parsed) >> 64 << 64, 64)))


class UnauthenticatedConnections:
    """The unauthenticated connections of one server.

    Their places are separate from those of authenticated ones. When all are taken, a new
    connection replaces the oldest of the address that has the most, so that a few addresses cannot
    lock others out.

    Args:
        of_one_max: connections of one address, or of one IPv6 /64.
        total_max: connections of all addresses.
        evict: ends a connection that was replaced; it need not call `leave`.
        clock: monotonic, in seconds.
    """

    def __init__(
        self,
        *,
        of_one_max: int,
        total_max: int,
        evict: Callable[[Any], object],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._of_one_max, self._total_max = of_one_max, total_max
        self._evict = evict
        self._clock = clock
        self._networks: dict[Hashable, str] = {}
        self._members: dict[str, dict[Hashable, None]] = {}
        """The connections of each network, the oldest first."""
        self._refused = 0
        self._logged_s = float("-inf")

    def __len__(self) -> int:
        """Return the number of unauthenticated connections."""
        return len(self._networks)

    def enter(self, connection: Hashable, address: str | None) -> bool:
        """Count a connection until it leaves; return False if there is no place for it."""
        network = network_of(address)
        mine = len(self._members.get(network, ()))
        if mine >= self._of_one_max or not self._has_room(mine):
            self._note_refusal(network)
            return False
        self._networks[connection] = network
        self._members.setdefault(network, {})[connection] = None
        return True

    def leave(self, connection: Hashable) -> None:
        """Stop counting a connection: it is authenticated or closed. Ignore an unknown one."""
        network = self._networks.pop(connection, None)
        if network is None:
            return
        members = self._members[network]
        del members[connection]
        if not members:
            del self._members[network]

    def _has_room(self, mine: int) -> bool:
        """Whether a network with `mine` connections may have one more, if need be by eviction."""
        if len(self._networks) < self._total_max:
            return True
        most = max(self._members.values(), key=len)
        if len(most) <= mine:
            return False
        oldest = next(iter(most))
        self._note_refusal(self._networks[oldest])
        self.leave(oldest)
        self._evict(oldest)
        return True

    def _note_refusal(self, network: str) -> None:
        self._refused += 1
        now_s = self._clock()
        if now_s - self._logged_s >= _LOG_EVERY_S:
            logger.warning(
                "too many unauthenticated connections, cut off=%d, last from=%s",
                self._refused,
                network or "unknown",
            )
            self._refused, self._logged_s = 0, now_s

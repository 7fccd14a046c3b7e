"""Limits on the connections of one address before the login; an IPv6 /64 counts as one address.

They keep a few addresses from locking others out.
"""

from __future__ import annotations

import ipaddress
import logging
import time
from collections.abc import Callable, Hashable
from typing import Any

logger = logging.getLogger(__name__)

_LOG_EVERY_S = 10.0
"""Seconds between log lines during a flood of connections."""


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

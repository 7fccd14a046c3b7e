"""The places of authenticated connections of one protocol, of which no one may take all.

A few are kept for administrators. A user, or an address, has three quarters at most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import NamedTuple

from stategate.gateway.access.address_limits import network_of
from stategate.gateway.access.peers import is_loopback
from stategate.planner.engine import QueryError, Rights

TOO_MANY = "53300"
_FEWER = "Close some, use a pool, or raise pg_connections_max or http_connections_max."


def user_share(count: int) -> int:
    """Return how many of some places one user may take, so that others find one: three quarters."""
    return max(min(1, count), count * 3 // 4)


class PlaceLimits(NamedTuple):
    """The limits of one protocol."""

    total_max: int
    """Connections at once."""
    of_admins: int = 0
    """Those of them that only administrators get, but never the last one."""
    of_address_max: int = 0
    """Connections of one address, or of one IPv6 /64; 0 is three quarters."""
    has_users: bool = False
    """Whether clients log in: otherwise a name says nothing, and no limit of a user is assumed."""


class Places:
    """Counts the authenticated connections of one protocol. Used on the event loop only.

    Args:
        limits: how many there may be.
        rights: has the administrators, and the limits of users.
    """

    def __init__(self, limits: PlaceLimits, rights: Rights) -> None:
        self._limits, self._rights = limits, rights
        self._taken: dict[Hashable, tuple[str | None, str | None]] = {}
        """User and network of each connection; None where they do not count."""
        self._of_user: Counter[str | None] = Counter()
        self._of_network: Counter[str | None] = Counter()

    def __len__(self) -> int:
        """Return the number of connections."""
        return len(self._taken)

    def enter(
        self, connection: Hashable, *, user: str, address: str | None, of_proxy: bool = False
    ) -> None:
        """Count a connection until it leaves.

        Args:
            connection: the connection; one that is counted already stays as it is.
            user: who has logged in by it.
            address: the address of its client, if known.
            of_proxy: whether it is a trusted proxy's, and others will use it, too.

        Raises:
            QueryError: there is no place for it (53300).
        """
        if connection in self._taken:
            return
        is_admin = user in self._rights.admins
        self._require_place(is_admin=is_admin)
        counts_user = not of_proxy
        network = None
        if not of_proxy and address is not None and not is_loopback(address):
            network = network_of(address)
        if not is_admin:
            if counts_user:
                self._require_place_of_user(user)
            if network is not None:
                self._require_place_of_network(network)
        mine = self._taken[connection] = (user if counts_user else None, network)
        self._of_user[mine[0]] += 1
        self._of_network[mine[1]] += 1

    def leave(self, connection: Hashable) -> None:
        """Stop counting a connection; ignore an unknown one."""
        found = self._taken.pop(connection, None)
        if found is None:
            return
        for counter, key in ((self._of_user, found[0]), (self._of_network, found[1])):
            counter[key] -= 1
            if not counter[key]:
                del counter[key]

    def _require_place(self, *, is_admin: bool) -> None:
        taken, limits = len(self._taken), self._limits
        if taken >= limits.total_max:
            raise _refused("sorry, too many clients already", hint=_FEWER)
        if not is_admin and taken >= max(1, limits.total_max - limits.of_admins):
            raise _refused(
                "remaining connection slots are reserved for administrators", hint=_FEWER
            )

    def _require_place_of_user(self, user: str) -> None:
        most = self._rights.limits_of(user).connections
        if not most and self._limits.has_users:
            most = user_share(self._limits.total_max)
        if most and self._of_user[user] >= most:
            raise _refused(
                f'too many connections for role "{user}"',
                detail=f"There are {self._of_user[user]} of this user.",
                hint="Use a pool, or raise connections_of_user_max, or the user's limit.",
            )

    def _require_place_of_network(self, network: str) -> None:
        most = self._limits.of_address_max or user_share(self._limits.total_max)
        if self._of_network[network] >= most:
            raise _refused(
                f'too many connections from "{network}"',
                detail=f"There are {self._of_network[network]} of this address.",
                hint="Use a pool, or raise connections_of_address_max.",
            )


def _refused(message: str, *, detail: str | None = None, hint: str | None = None) -> QueryError:
    return QueryError(message, detail=detail, hint=hint, sqlstate=TOO_MANY)

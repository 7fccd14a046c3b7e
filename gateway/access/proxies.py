"""Finds the client of a request that came through proxies; only configured proxies are trusted.

Anyone can send X-Forwarded-For. From an unknown source it proves only that the request was
forwarded, so the client is not on this machine even if the connection is.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from gateway.access.rules import Peer

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network
Headers: TypeAlias = Sequence[tuple[bytes, bytes]]

_FOR: Final = b"x-forwarded-for"
_PROTO: Final = b"x-forwarded-proto"
_FORWARDING: Final = frozenset({_FOR, b"forwarded", b"x-real-ip"})
_HOPS_MAX: Final = 32
"""Addresses to read from the end of a header: longer chains of proxies are not in use."""


class Proxies:
    """The trusted proxies.

    Args:
        networks: addresses and networks, such as `10.0.0.0/8`.

    Raises:
        ValueError: one of them is neither.
    """

    def __init__(self, networks: Iterable[str] = ()) -> None:
        self._networks: tuple[Network, ...] = tuple(
            ipaddress.ip_network(each.strip(), strict=False) for each in networks if each.strip()
        )

    def peer(self, source: str | None, headers: Headers, *, secured: bool) -> Peer:
        """Return where a client is.

        Args:
            source: the other end of the connection; None if unknown.
            headers: the request's, with names in lower case.
            secured: whether the connection is TLS.
        """
        found = [(name, value) for name, value in headers if name in _FORWARDING]
        if not found:
            return Peer(address=source, secured=secured)
        if not self._trusts(source):
            return Peer(address=source, secured=secured, forwarded=True)
        hops = b",".join(value for name, value in found if name == _FOR).decode("latin-1")
        schemes = [value for name, value in headers if name == _PROTO]
        return Peer(
            address=self._client(hops.split(",")[-_HOPS_MAX:]),
            secured=bool(schemes) and schemes[-1].strip().lower() == b"https",
            forwarded=True,
        )

    def _client(self, hops: list[str]) -> str | None:
        """Return the last address that is not a trusted proxy; None if there is no valid one."""
        for hop in reversed(hops):
            address = _address(hop)
            if address is None or not self._trusts(address):
                return address
        return None

    def _trusts(self, address: str | None) -> bool:
        if address is None or not self._networks:
            return False
        try:
            parsed = ipaddress.ip_address(address.partition("%")[0])
        except ValueError:
            return False
        if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
            parsed = parsed.ipv4_mapped
        return any(parsed in network for network in self._networks)


def _address(hop: str) -> str | None:
    """Return an entry of X-Forwarded-For without its port; None if it is not an IP address."""
    text = hop.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        return None

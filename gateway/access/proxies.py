"""Whom a request comes from where proxies stand between: they are believed only if they are named.

Anybody can send X-Forwarded-For. Without a proxy that is named it says one thing only: that the
request was passed on, so that it is not from this machine, wherever its connection comes from.
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
"""Addresses of one header that are read, from its end: longer chains of proxies are not in use."""


class Proxies:
    """The proxies that are believed.

    Args:
        networks: addresses and networks, as `10.0.0.0/8`.

    Raises:
        ValueError: one of them is neither.
    """

    def __init__(self, networks: Iterable[str] = ()) -> None:
        self._networks: tuple[Network, ...] = tuple(
            ipaddress.ip_network(each.strip(), strict=False) for each in networks if each.strip()
        )

    def peer(self, source: str | None, headers: Headers, *, secured: bool) -> Peer:
        """Where a client comes from.

        Args:
            source: the other end of the connection; None if that is not known.
            headers: of the request, with names in lower case.
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
        """The last address that is not a named proxy; None if no address can be believed."""
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
    """An entry of X-Forwarded-For without its port; None if it is no IP address."""
    text = hop.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        return None

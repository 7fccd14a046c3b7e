"""Where a request comes from: the client behind proxies, and the host that it was sent to.

Only configured proxies are trusted, because anyone can send X-Forwarded-For. From an unknown source
it proves only that the request was forwarded, so the client is not on this machine even if the
connection is.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network
Headers: TypeAlias = Sequence[tuple[bytes, bytes]]

_FOR: Final = b"x-forwarded-for"
_PROTO: Final = b"x-forwarded-proto"
_FORWARDING: Final = frozenset({_FOR, b"forwarded", b"x-real-ip"})
_HOPS_MAX: Final = 32
"""Addresses to read from the end of a header: longer chains of proxies are not in use."""
_HOST_NAME_MAX: Final = 253
"""Longest name of a host."""
_HOST_HEADER = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^:\[\]/@\s]+))(?::[0-9]{0,5})?")
_KNOWN_HOSTS_MAX: Final = 256
"""Header values that are cached, because every request carries one."""


@lru_cache(maxsize=4096)  # called for every HTTP request
def is_loopback(address: str) -> bool:
    """Whether an IP address is loopback; an IPv4-mapped IPv6 address counts as its IPv4 address."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
        return parsed.ipv4_mapped.is_loopback
    return parsed.is_loopback


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """The origin of a client."""

    address: str | None
    """Its IP address; None if unknown, which does not count as loopback."""
    secured: bool
    """Whether its connection is TLS."""
    forwarded: bool = False
    """Whether a proxy forwarded the request: then the client is not on loopback."""

    @property
    def loopback(self) -> bool:
        """Whether it is on this machine."""
        return self.address is not None and not self.forwarded and is_loopback(self.address)

    @property
    def is_confidential(self) -> bool:
        """Whether no one on the way can read what the client sends."""
        return self.secured or self.loopback

    def __str__(self) -> str:
        """Format the origin for a log line."""
        return f"{self.address or 'unknown'}{' (TLS)' if self.secured else ''}"


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
        """Return the origin of a client.

        Args:
            source: the other end of the connection; None if unknown.
            headers: the headers of the request, with names in lower case.
            secured: whether the connection is TLS.
        """
        found = [(name, value) for name, value in headers if name in _FORWARDING]
        if not found:
            return Peer(address=source, secured=secured)
        if not self.trusts(source):
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
            if address is None or not self.trusts(address):
                return address
        return None

    def trusts(self, address: str | None) -> bool:
        """Whether an address is one of them."""
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


class AllowedHosts:
    """The names accepted in the Host header of requests without credentials.

    They are `localhost`, every IP address, and further ones. A web page can make its own name point
    to this machine and then read the answers of a gateway on loopback as same-origin (DNS
    rebinding). Its requests carry that name in the Host header. An IP address or `localhost` cannot
    be redirected like that.

    Args:
        names: further names, without a port; case and a final dot do not matter.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names = frozenset(map(_folded, names))
        self._known: dict[bytes, bool] = {}

    def allows(self, header: bytes) -> bool:
        """Whether a Host header has an accepted name."""
        found = self._known.get(header)
        if found is None:
            found = self._decide(header)
            if len(self._known) < _KNOWN_HOSTS_MAX and len(header) <= _HOST_NAME_MAX:
                self._known[header] = found
        return found

    def _decide(self, header: bytes) -> bool:
        found = _HOST_HEADER.fullmatch(header.decode("latin-1").strip())
        if found is None or len(header) > _HOST_NAME_MAX + len(":65535"):
            return False
        name = _folded(found[1] or found[2])
        return (
            name == "localhost"
            or name.endswith(".localhost")
            or name in self._names
            or _is_address(name)
        )


def _folded(name: str) -> str:
    return name.strip().removesuffix(".").lower()


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True

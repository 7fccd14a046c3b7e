"""What IP addresses say about where a client is."""

from __future__ import annotations

import ipaddress
from functools import lru_cache


@lru_cache(maxsize=4096)  # asked for every request over HTTP
def is_loopback(address: str) -> bool:
    """Whether an IP address is one of this machine's own; a mapped one counts as what it maps."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
        return parsed.ipv4_mapped.is_loopback
    return parsed.is_loopback


def network_of(address: str | None) -> str:
    """What counts as one client: an IPv4 address, or the /64 that an IPv6 customer is given.

    All that is no IP address is one client: a proxy passes on whatever it is told.
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

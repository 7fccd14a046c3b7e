"""Classifies clients by IP address."""

from __future__ import annotations

import ipaddress
from functools import lru_cache


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

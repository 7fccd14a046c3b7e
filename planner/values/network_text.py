"""PostgreSQL's text form of an inet: the address of a host, with or without a mask.

Source: PostgreSQL's `src/backend/utils/adt/inet_net_pton.c` and `src/port/inet_net_ntop.c`.
"""

from __future__ import annotations

import ipaddress
import re

from stategate.planner.errors import InvalidValueError

_FORM = re.compile(r"(?P<address>[0-9A-Fa-f:.]+)(?:/(?P<bits>[0-9]{1,99}))?")
_OCTET = "([0-9]{1,99})"
_FOUR = re.compile(r"[.]".join([_OCTET] * 4))
_FEWER = re.compile(rf"{_OCTET}(?:[.]{_OCTET}){{0,2}}[.]?")
_MAPPED = 0xFFFF


def parse_inet(text: str) -> str:
    """Return the form that PostgreSQL prints; the mask of a single host is left out.

    Raises:
        InvalidValueError: the text is no address, or its mask is too long (22P02).
    """
    found = _FORM.fullmatch(text)
    address = None if found is None else _address(found["address"], found["bits"])
    if found is None or address is None:
        raise InvalidValueError(f'invalid input syntax for type inet: "{text}"', sqlstate="22P02")
    width = address.max_prefixlen
    bits = width if found["bits"] is None else int(found["bits"])
    if bits > width:
        raise InvalidValueError(f'invalid input syntax for type inet: "{text}"', sqlstate="22P02")
    return _shown(address) if bits == width else f"{_shown(address)}/{bits}"


def _address(text: str, bits: str | None) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return an address; the last octets may be missing before a mask, as in `10/8`."""
    if ":" in text:
        if bits is not None and bits != "0" and bits.startswith("0"):
            return None
        try:
            return ipaddress.IPv6Address(text)
        except ValueError:
            return None
    if bits is not None and _FEWER.fullmatch(text):
        octets = text.rstrip(".").split(".")
        text = ".".join([*octets, *["0"] * (4 - len(octets))])
    written = _FOUR.fullmatch(text)
    if written is None or any(int(each) > 255 for each in written.groups()):
        return None
    return ipaddress.IPv4Address(".".join(str(int(each)) for each in written.groups()))


def _shown(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> str:
    """Return an address as PostgreSQL writes it, an IPv4 address in IPv6 with points."""
    number = int(address)
    high, low = number >> 32, number & 0xFFFFFFFF
    is_within = isinstance(address, ipaddress.IPv6Address) and (
        high == _MAPPED or (high == 0 and low > 0xFFFF)
    )
    if not is_within:
        return str(address)
    return f"::{'ffff:' if high else ''}{ipaddress.IPv4Address(low)}"

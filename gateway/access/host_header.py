"""Under which names a gateway may be asked by those who need not say who they are.

A web page can make its own name point to this machine and then read what a gateway on loopback
answers, as a page of the same origin (DNS rebinding). Its requests name that host. An address
cannot be made to point elsewhere, and neither can `localhost`.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from typing import Final

_NAME_MAX: Final = 253
"""Longest name of a host."""
_HEADER = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^:\[\]/@\s]+))(?::[0-9]{0,5})?")
_KNOWN_MAX: Final = 256
"""Values of the header that are remembered: it comes with every request."""


class AllowedHosts:
    """The names that are taken: `localhost`, every IP address, and those that are given.

    Args:
        names: further ones, without a port; case and a dot at the end do not count.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names = frozenset(map(_folded, names))
        self._known: dict[bytes, bool] = {}

    def allows(self, header: bytes) -> bool:
        """Whether the value of a Host header names one of them."""
        found = self._known.get(header)
        if found is None:
            found = self._decide(header)
            if len(self._known) < _KNOWN_MAX and len(header) <= _NAME_MAX:
                self._known[header] = found
        return found

    def _decide(self, header: bytes) -> bool:
        found = _HEADER.fullmatch(header.decode("latin-1").strip())
        if found is None or len(header) > _NAME_MAX + len(":65535"):
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

"""Checks the Host header of requests without credentials.

A web page can make its own name point to this machine and then read the answers of a gateway on
loopback as same-origin (DNS rebinding). Its requests carry that name in the Host header. An IP
address or `localhost` cannot be redirected like that.
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
"""Header values that are cached, because every request carries one."""


class AllowedHosts:
    """The accepted names: `localhost`, every IP address, and further ones.

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

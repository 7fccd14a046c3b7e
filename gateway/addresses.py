"""Network addresses as settings have them: HOST:PORT."""

from __future__ import annotations

import re
from typing import NamedTuple

from stategate.gateway.errors import SettingsError


class Address(NamedTuple):
    """Where a server listens."""

    host: str
    port: int


def parse_address(name: str, text: str) -> Address:
    """Parse an address of the form HOST:PORT; an IPv6 host is in brackets.

    Args:
        name: the setting, for the error.
        text: its value.

    Raises:
        SettingsError: the text has another form.
    """
    found = re.fullmatch(r"(?:\[([0-9A-Fa-f:.%]+)\]|([^:\s\[\]]+)):([0-9]{1,5})", text)
    if found is None or int(found[3]) > 65_535:
        raise SettingsError(
            f'setting "{name}" cannot be "{text}"', hint="Use HOST:PORT, such as 127.0.0.1:7420."
        )
    return Address(found[1] or found[2], int(found[3]))


def host_port(host: str, port: int) -> str:
    """Return an address as HOST:PORT; an IPv6 host is in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

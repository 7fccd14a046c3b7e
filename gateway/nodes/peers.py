"""The other nodes, as the setting `peers` names them: a list, a file, or a name in DNS."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from socket import SOCK_STREAM, getaddrinfo
from typing import TypeAlias

from stategate.gateway.addresses import Address, parse_address
from stategate.gateway.errors import SettingsError
from stategate.stores.errors import ArgumentError
from stategate.stores.nodes.placement import NODES_MAX, Node

_HINT = (
    "Write a=10.0.0.1:7430,b=10.0.0.2:7430, or file:PATH with such an entry in each line, or "
    "dns:HOST:PORT. An entry may end with ;zone=NAME;weight=NUMBER."
)
_FILE_BYTES_MAX = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """A node that may be asked."""

    address: Address
    node: Node | None = None
    """Its name, zone and weight; None if it says them itself."""
    server_name: str
    """The name that its certificate must have."""


Peers: TypeAlias = Callable[[], Mapping[Address, Peer]]
"""Returns the nodes as of now, by address; it may block.

Raises:
    OSError: a file cannot be read, or a name cannot be resolved.
    SettingsError: a file has another form.
"""


def peers_of(text: str) -> Peers:
    """Return the function that reads the setting `peers`.

    Raises:
        SettingsError: the setting has another form, or names a node twice.
    """
    kind, _, rest = text.partition(":")
    if kind == "file":
        path = Path(rest)
        return lambda: _parsed(_read(path))
    if kind == "dns":
        address = parse_address("peers", rest)
        return lambda: _resolved(address)
    found = _parsed(text.split(","))
    return lambda: found


def _read(path: Path) -> list[str]:
    with path.open("rb") as file:
        data = file.read(_FILE_BYTES_MAX + 1)
    if len(data) > _FILE_BYTES_MAX:
        raise SettingsError(f'setting "peers": the file "{path}" is too long')
    lines = data.decode("utf-8", "replace").splitlines()
    return [line for line in (each.partition("#")[0] for each in lines) if line.strip()]


def _parsed(entries: list[str]) -> Mapping[Address, Peer]:
    found: dict[Address, Peer] = {}
    names: set[str] = set()
    for entry in entries:
        if not entry.strip():
            continue
        peer = _peer(entry.strip())
        assert peer.node is not None
        if peer.address in found or peer.node.name in names:
            raise SettingsError(f'setting "peers": node {peer.node.name} is named twice')
        found[peer.address] = peer
        names.add(peer.node.name)
    if len(found) > NODES_MAX:
        raise SettingsError(f'setting "peers": there may be {NODES_MAX:,} nodes')
    return found


def _peer(entry: str) -> Peer:
    place, *options = (part.strip() for part in entry.split(";"))
    matched = re.fullmatch(r"([A-Za-z0-9_.-]{1,63})\s*=\s*(\S+)", place)
    given = dict(option.partition("=")[::2] for option in options)
    if matched is None or not given.keys() <= {"zone", "weight"}:
        raise SettingsError(f'setting "peers" cannot have "{entry}"', hint=_HINT)
    try:
        weight = float(given.get("weight", "1"))
        node = Node(name=matched[1], zone=given.get("zone", ""), weight=weight)
    except (ValueError, ArgumentError) as error:
        raise SettingsError(
            f'setting "peers" cannot have "{entry}": {error}', hint=_HINT
        ) from error
    address = parse_address("peers", matched[2])
    return Peer(address=address, node=node, server_name=address.host)


def _resolved(address: Address) -> Mapping[Address, Peer]:
    found = getaddrinfo(address.host, address.port, type=SOCK_STREAM)
    places = {Address(str(where[0]), address.port) for *_, where in found}
    return {place: Peer(address=place, server_name=address.host) for place in places}

"""The links between the nodes of a cluster: each direction of a pair goes through a relay."""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import permutations

from tests.support.relay import Relay

KINDS = ("link cut", "link stalled", "link cut in both directions")
"""The third node is reached by both, so that each partition has a copy which answers."""


class Links:
    """Relays from each node to each other one, one or some of which can be broken.

    Args:
        ports: the port of each node.
    """

    def __init__(self, ports: Mapping[str, int]) -> None:
        self.ports = ports
        self._relays = {pair: Relay(ports[pair[1]]) for pair in permutations(ports, 2)}
        self.are_whole = True

    def peers(self, name: str) -> str:
        """Return the addresses of all nodes as one of them reaches them."""
        ports = {
            each: port if each == name else self._relays[name, each].port
            for each, port in self.ports.items()
        }
        return ",".join(f"{each}=127.0.0.1:{port}" for each, port in ports.items())

    def break_some(self, kind: str, chance: random.Random) -> None:
        """Break the link between two nodes, in the direction in which one asks, or in both."""
        self.are_whole = False
        one, other = chance.choice([*self._relays])
        asking, asked = self._relays[one, other], self._relays[other, one]
        if kind == "link stalled":
            asking.there.is_stalled = asking.back.is_stalled = True
            return
        asking.cut()
        if kind != "link cut":
            asked.cut()

    def heal(self) -> None:
        """Mend all links."""
        for relay in self._relays.values():
            relay.heal()
        self.are_whole = True

    def close(self) -> None:
        """End all relays."""
        for relay in self._relays.values():
            relay.close()

"""Which nodes hold a partition: weighted rendezvous hashing.

Each node has a score for each partition, from a hash of both names, and the nodes with the best
scores hold it. So every node finds the same holders without asking, and when a node joins or leaves
only the partitions that it gains or loses move.

Source: Thaler and Ravishankar, "A name-based mapping scheme for rendezvous" (1996); Schindelhauer
and Schomaker, "Weighted distributed hash tables" (2005), for the weights.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

from stategate.stores.errors import ArgumentError

NODES_MAX = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node that can hold partitions.

    Raises:
        ArgumentError: the weight is not a positive, finite number.
    """

    name: str
    zone: str = ""
    """The copies of a partition are in different zones, as far as there are enough."""
    weight: float = 1.0
    """Its share of the partitions, relative to the other nodes."""

    def __post_init__(self) -> None:
        """Refuse a weight that no share can have."""
        if not (0 < self.weight < math.inf):
            raise ArgumentError(f"the weight of node {self.name} must be positive: {self.weight}")


def holders(store: str, partition: int, nodes: Iterable[Node], *, copies: int) -> list[str]:
    """Return the names of the nodes that hold a partition, the best one first.

    Args:
        store: the name of the store.
        partition: the number of the partition.
        nodes: all nodes, in any order, none of them twice.
        copies: how many nodes hold it, if there are as many.

    Raises:
        ArgumentError: there are too many nodes.
    """
    ranked = sorted(nodes, key=lambda node: _score(store, partition, node))
    if len(ranked) > NODES_MAX:
        raise ArgumentError(f"there may be {NODES_MAX:,} nodes, not {len(ranked):,}")
    chosen: list[Node] = []
    # In each round a zone gets one more copy, so that no zone has two before all have one.
    while ranked and len(chosen) < copies:
        zones: set[str] = set()
        left: list[Node] = []
        for node in ranked:
            if len(chosen) < copies and node.zone not in zones:
                zones.add(node.zone)
                chosen.append(node)
            else:
                left.append(node)
        ranked = left
    return [node.name for node in chosen]


def _score(store: str, partition: int, node: Node) -> tuple[float, str]:
    """Return the score of a node, the lowest of which is best; names settle equal ones.

    It is an exponential random number whose rate is the weight, so that the chance to be the lowest
    of all is proportional to the weight.
    """
    text = f"{store}\0{partition}\0{node.name}".encode()
    drawn = int.from_bytes(blake2b(text, digest_size=8).digest(), "big")
    return -math.log((drawn + 0.5) / 2**64) / node.weight, node.name

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.stores.errors import ArgumentError
from stategate.stores.nodes.placement import NODES_MAX, Node, holders

NAMES = st.text(min_size=1, max_size=4)
NODES = st.dictionaries(
    NAMES,
    st.tuples(st.sampled_from(["", "x", "y", "z"]), st.sampled_from([0.5, 1.0, 2.0])),
    min_size=1,
    max_size=8,
).map(lambda found: [Node(name=name, zone=zone, weight=w) for name, (zone, w) in found.items()])
COPIES = st.integers(1, 4)
PARTITIONS = range(40)


def placed(nodes: list[Node], copies: int, store: str = "clicks") -> list[list[str]]:
    return [holders(store, partition, nodes, copies=copies) for partition in PARTITIONS]


@given(NODES, COPIES, st.randoms(use_true_random=False))
def test_all_nodes_find_the_same_holders(nodes: list[Node], copies: int, random: object) -> None:
    before = placed(nodes, copies)
    random.shuffle(nodes)  # type: ignore[attr-defined]
    assert placed(nodes, copies) == before
    for found in before:
        assert len(found) == len(set(found)) == min(copies, len(nodes))


@given(NODES, st.integers(1, 4))
def test_copies_are_in_different_zones(nodes: list[Node], copies: int) -> None:
    zone_of = {node.name: node.zone for node in nodes}
    sizes = Counter(zone_of.values())
    for found in placed(nodes, copies):
        counts = Counter(zone_of[name] for name in found)
        for zone, size in sizes.items():
            # A zone has fewer copies than another only if it has no more nodes.
            assert counts[zone] == size or counts[zone] >= max(counts.values()) - 1


@given(NODES, COPIES)
def test_only_what_must_move_moves(nodes: list[Node], copies: int) -> None:
    """Without zones: a node that leaves gives each of its copies to one other node."""
    nodes = [Node(name=node.name, weight=node.weight) for node in nodes]
    for gone in nodes:
        left = [node for node in nodes if node is not gone]
        for before, after in zip(placed(nodes, copies), placed(left, copies), strict=True):
            kept = [name for name in before if name != gone.name]
            assert after[: len(kept)] == kept
            assert len(after) == min(copies, len(left))


def test_shares_follow_the_weights() -> None:
    nodes = [Node(name="a"), Node(name="b", weight=2.0), Node(name="c", weight=0.5)]
    counts = Counter(holders("s", partition, nodes, copies=1)[0] for partition in range(7_000))
    assert 1_850 < counts["a"] < 2_150
    assert 3_800 < counts["b"] < 4_200
    assert 850 < counts["c"] < 1_150


def test_stores_are_placed_independently() -> None:
    nodes = [Node(name=name) for name in "abcde"]
    assert placed(nodes, 1, "clicks") != placed(nodes, 1, "views")


def test_the_placement_is_the_same_in_every_version() -> None:
    """Nodes of two versions would otherwise look for a partition in two places."""
    nodes = [Node(name="a"), Node(name="b"), Node(name="c", zone="x", weight=2.0)]
    found = ["".join(holders("clicks", n, nodes, copies=2)) for n in range(8)]
    assert found == ["ca", "cb", "ca", "ac", "bc", "ca", "cb", "ca"]


@pytest.mark.parametrize("weight", [0.0, -1.0, float("inf"), float("nan")])
def test_a_weight_is_positive(weight: float) -> None:
    with pytest.raises(ArgumentError, match="weight of node a must be positive"):
        Node(name="a", weight=weight)


def test_there_is_a_limit() -> None:
    nodes = [Node(name=str(number)) for number in range(NODES_MAX + 1)]
    with pytest.raises(ArgumentError, match="1,000 nodes"):
        holders("clicks", 0, nodes, copies=2)

"""Nodes talk only to nodes of their cluster that know the secret."""

from __future__ import annotations

import pytest
from msgspec import msgpack

from stategate.gateway.nodes.handshake import Handshake, HandshakeError, Proof, SelfError, Spoken
from stategate.stores.nodes.codec import encode


def side(node: str, *, asks: bool, secret: bytes = b"s", cluster: str = "one") -> Handshake:
    return Handshake(
        cluster=cluster, node=node, secret=secret, asks=asks, instance=b"1" if asks else b"2"
    )


def shake(asking: Handshake, answering: Handshake) -> None:
    """Exchange the messages in their order."""
    answering.meet(encode(asking.hello))
    asking.meet(encode(answering.hello))
    answering.check(asking.proof())
    asking.check(answering.proof())


def test_nodes_of_one_cluster_talk() -> None:
    shake(side("a", asks=True), side("b", asks=False))


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (side("b", asks=False, secret=b"t"), "node a has another secret"),
        (side("b", asks=False, cluster="two"), 'node a is of the cluster "one", not "two"'),
        (side("a", asks=False), "another node has the name a, too"),
    ],
)
def test_strangers_are_refused(other: Handshake, why: str) -> None:
    with pytest.raises(HandshakeError, match=why):
        shake(side("a", asks=True), other)


def test_the_node_that_answers_must_know_the_secret_too() -> None:
    asking, answering = side("a", asks=True), side("b", asks=False, secret=b"t")
    answering.meet(encode(asking.hello))
    asking.meet(encode(answering.hello))
    with pytest.raises(HandshakeError, match="node b has another secret"):
        asking.check(answering.proof())


def test_a_proof_cannot_be_sent_back() -> None:
    asking, answering = side("a", asks=True), side("b", asks=False)
    answering.meet(encode(asking.hello))
    asking.meet(encode(answering.hello))
    with pytest.raises(HandshakeError, match="another secret"):
        asking.check(asking.proof())


def test_a_proof_of_another_connection_is_refused() -> None:
    asking, answering = side("a", asks=True), side("b", asks=False)
    shake(asking, answering)
    again = side("b", asks=False)
    again.meet(encode(asking.hello))
    with pytest.raises(HandshakeError, match="another secret"):
        again.check(asking.proof())


def test_a_newer_node_may_say_more() -> None:
    asking, answering = side("a", asks=True), side("b", asks=False)
    name, *parts = msgpack.decode(msgpack.decode(encode(asking.hello)).data)
    more = msgpack.encode(msgpack.Ext(3, msgpack.encode([name, *parts, "more"])))
    asking._own_bytes = more
    answering.meet(more)
    asking.meet(encode(answering.hello))
    answering.check(asking.proof())
    asking.check(answering.proof())


@pytest.mark.parametrize(
    ("one", "other", "agreed"),
    [
        ((1, 1), (1, 1), 1),
        ((2, 1), (1, 1), 1),
        ((3, 2), (2, 1), 2),
        ((3, 1), (4, 2), 3),
        ((2, 0), (2, 1), 2),
        ((1, 0), (2, 1), 1),
        ((2, 0), (1, 1), None),
        ((3, 2), (1, 1), None),
    ],
)
@pytest.mark.parametrize("is_turned", [False, True])
def test_nodes_speak_the_newest_version_that_both_know(
    one: tuple[int, int], other: tuple[int, int], agreed: int | None, *, is_turned: bool
) -> None:
    sides = [
        Handshake(
            cluster="one",
            node=node,
            secret=b"s",
            asks=asks,
            instance=node.encode(),
            spoken=Spoken(version=version, least=least),
        )
        for node, asks, (version, least) in (("a", not is_turned, one), ("b", is_turned, other))
    ]
    asking, answering = reversed(sides) if is_turned else sides
    if agreed is None:
        with pytest.raises(HandshakeError, match="no version of their messages in common"):
            shake(asking, answering)
        return
    shake(asking, answering)
    assert [side.version for side in sides] == [agreed] * 2


def test_a_node_notices_that_it_has_connected_to_itself() -> None:
    one, other = (
        Handshake(cluster="one", node="a", secret=b"s", asks=asks, instance=b"1")
        for asks in (True, False)
    )
    with pytest.raises(SelfError, match="it is this node"):
        shake(one, other)


@pytest.mark.parametrize("message", [None, "hello", Proof(b"")])
def test_anything_else_is_no_node(message: object) -> None:
    with pytest.raises(HandshakeError, match="not a node of Stategate"):
        side("a", asks=True).meet(encode(message))

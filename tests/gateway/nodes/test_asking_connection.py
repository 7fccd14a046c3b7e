"""When a node that asks takes its connection for lost, by a clock of the test."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import closing

import pytest

from stategate.gateway.nodes.asking_connection import SILENCE_S, AskingConnection
from stategate.gateway.nodes.counts import PeerCounts
from stategate.gateway.nodes.frames import ONE_WAY, frame, keys_frame
from stategate.gateway.nodes.handshake import Handshake, Hello
from stategate.gateway.nodes.server import HEARTBEAT_S
from stategate.stores.nodes.codec import encode
from stategate.stores.nodes.links import NodeError
from stategate.stores.nodes.messages import Announcement, Heard, Met
from stategate.stores.nodes.packed_keys import pack_reply

LONG_BYTES = 1_000_000


class Clock(asyncio.SelectorEventLoop):
    """An event loop whose time passes when the test says so."""

    now_s = 0.0

    def time(self) -> float:
        """Return the time of the test."""
        return self.now_s


class Wire(asyncio.Transport):
    """Takes what is sent."""

    def __init__(self) -> None:
        super().__init__()
        self.reads, self.is_aborted = True, False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Take it."""

    def pause_reading(self) -> None:
        """Take note."""
        self.reads = False

    def resume_reading(self) -> None:
        """Take note."""
        self.reads = True

    def abort(self) -> None:
        """Take note."""
        self.is_aborted = True


class Link:
    """Has asked a node for something that takes long."""

    def __init__(self) -> None:
        self.counts = PeerCounts()
        self.number = 1
        self.announcements: list[Announcement] = []

    def next_number(self) -> int:
        """Return the next one."""
        self.number += 1
        return self.number

    def opened(self, connection: AskingConnection, peer: Hello) -> None:
        """Do nothing."""

    def announced(self, announcement: Announcement) -> None:
        """Take note."""
        self.announcements.append(announcement)

    def lost(self, why: str) -> None:
        """Do nothing."""


class Node:
    """The other end of a connection."""

    def __init__(self, loop: Clock) -> None:
        self.loop, self.link, self.wire = loop, Link(), Wire()
        self.connection = loop.run_until_complete(self._connected())

    async def _connected(self) -> AskingConnection:
        asking, answering = (
            Handshake(cluster="one", node=name, secret=b"s", asks=asks, instance=name.encode())
            for name, asks in (("a", True), ("b", False))
        )
        made = AskingConnection(asking, self.link)
        made.connection_made(self.wire)
        made.data_received(frame(ONE_WAY, answering.hello))
        answering.meet(encode(asking.hello))
        made.data_received(frame(ONE_WAY, answering.proof()))
        assert made.is_open, made.why_lost
        made.pending[1] = lambda _: None
        made.send(b"x" * LONG_BYTES)
        return made

    def say(self, *frames: bytes) -> None:
        """Let half a second pass, and send these frames and an announcement."""
        self.loop.now_s += HEARTBEAT_S
        for data in (*frames, frame(ONE_WAY, Announcement("b"))):
            self.connection.data_received(data)
        self.loop.run_until_complete(asyncio.sleep(0))

    def lost_after_s(self) -> float:
        """Only announce until it is lost; return how long that took, 60 s at most."""
        began_s = self.loop.now_s
        while not self.wire.is_aborted and self.loop.now_s < began_s + 60:
            self.say()
        return self.loop.now_s - began_s


@pytest.fixture
def node() -> Iterator[Node]:
    with closing(Clock()) as loop:
        yield Node(loop)


def test_requests_that_vanish_are_noticed_soon(node: Node) -> None:
    assert node.lost_after_s() <= SILENCE_S + 2 * HEARTBEAT_S
    assert node.connection.why_lost == "it answered no request for 2 s"


def test_requests_that_vanish_are_noticed_soon_after_a_part_has_arrived(node: Node) -> None:
    for heard in range(0, LONG_BYTES // 2, LONG_BYTES // 20):
        node.say(frame(ONE_WAY, Heard(heard)))
    assert not node.wire.is_aborted
    assert node.lost_after_s() <= SILENCE_S + 2 * HEARTBEAT_S


def test_a_node_that_takes_requests_and_answers_none_is_lost(node: Node) -> None:
    """All has arrived, and then more and more: an older request is still not answered."""
    node.say()
    for heard in range(2 * LONG_BYTES, 10 * LONG_BYTES, LONG_BYTES):
        node.say(frame(ONE_WAY, Heard(heard)))
    assert node.wire.is_aborted


def test_a_node_that_answers_empty_requests_may_take_long_for_others(node: Node) -> None:
    """Also an older one, which does not say what has arrived."""
    node.say()
    for _ in range(20):
        node.say(frame(node.link.number, Met(is_met=True)))
    assert not node.wire.is_aborted
    assert node.link.number > 5, "empty requests are answered"
    assert len(node.link.announcements) == 21


@pytest.mark.parametrize("is_packed", [False, True])
def test_replies_that_no_one_waits_for_any_more_are_replies(node: Node, *, is_packed: bool) -> None:
    """They may be long, and arrive before the one to an empty request."""
    node.say()
    for number in range(100, 120):
        late = Met(is_met=True)
        node.say(keys_frame([pack_reply(number, late)]) if is_packed else frame(number, late))
    assert not node.wire.is_aborted
    assert node.lost_after_s() <= SILENCE_S + 2 * HEARTBEAT_S


def test_replies_are_taken_while_a_long_request_leaves(node: Node) -> None:
    """If neither side read before the other one did, both would wait until the link ends."""
    node.connection.pause_writing()
    assert node.wire.reads
    node.connection.resume_writing()
    assert node.wire.reads


def test_pending_requests_fail_with_the_connection(node: Node) -> None:
    found: list[object] = []
    node.connection.pending[1] = found.append
    node.lost_after_s()
    node.connection.connection_lost(None)
    assert [str(each) for each in found] == ["it was lost: it answered no request for 2 s"]
    assert isinstance(found[0], NodeError)

"""Frames of one turn of the event loop leave in their order, most of them together."""

from __future__ import annotations

import asyncio

from stategate.gateway.nodes.connection import NodeConnection
from stategate.gateway.nodes.handshake import Handshake


class Wire(asyncio.Transport):
    """Collects what is sent."""

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[bytes] = []

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Take it."""
        self.writes.append(bytes(data))


async def connected() -> tuple[NodeConnection, Wire]:
    """Return a connection that has nothing to say by itself."""
    hands = Handshake(cluster="one", node="b", secret=b"", asks=False, instance=b"b")
    connection, wire = NodeConnection(hands, asks=False), Wire()
    connection.connection_made(wire)
    return connection, wire


def test_frames_of_one_turn_are_one_write() -> None:
    async def run() -> list[bytes]:
        connection, wire = await connected()
        for data in (b"a", b"b"):
            connection.send(data)
        assert wire.writes == []
        await asyncio.sleep(0)
        return wire.writes

    assert asyncio.run(run()) == [b"ab"]


def test_an_answer_needs_no_further_turn_unless_others_wait_for_one() -> None:
    async def run() -> list[bytes]:
        connection, wire = await connected()
        connection.send_now(b"a")
        assert wire.writes == [b"a"]
        connection.send(b"b")
        connection.send_now(b"c")
        assert wire.writes == [b"a"]
        await asyncio.sleep(0)
        assert connection.counts.sent_bytes == 3
        return wire.writes

    assert asyncio.run(run()) == [b"a", b"bc"]

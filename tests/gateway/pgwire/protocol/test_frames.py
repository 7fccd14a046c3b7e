"""Frames: where they end, and lengths that are refused before the body is read."""

from __future__ import annotations

import struct

import pytest

from gateway.pgwire.protocol.errors import RemoteProtocolError
from gateway.pgwire.protocol.frames import Splitter
from tests.gateway.pgwire import wire

LIMIT = 1 << 20


@pytest.mark.parametrize(
    ("head", "message"),
    [
        (b"Q" + struct.pack(">I", LIMIT + 1), "invalid message length"),
        (b"Q" + struct.pack(">I", 3), "invalid message length"),
        (b"S" + struct.pack(">I", 10_001), "invalid message length"),
        (b"D" + struct.pack(">I", 10_001), "invalid message length"),
        (b"p" + struct.pack(">I", 65_536), "invalid message length"),
        (b"\x16\x03\x01\x00\x00", "invalid frontend message type 22"),
    ],
)
def test_a_length_is_refused_before_its_body_is_taken(head: bytes, message: str) -> None:
    splitter = Splitter(length_max=LIMIT)
    splitter.feed(head)
    with pytest.raises(RemoteProtocolError, match=message) as caught:
        splitter.next_frame()
    assert caught.value.fatal


def test_a_startup_packet_is_limited_before_it_is_taken() -> None:
    splitter = Splitter(length_max=LIMIT)
    splitter.feed(struct.pack(">I", 10_001))
    with pytest.raises(RemoteProtocolError):
        splitter.next_startup(length_max=10_000)


def test_a_long_message_in_many_pieces_is_joined_once() -> None:
    sql = "x" * 500_000
    encoded = wire.query(sql)
    pieces = [encoded[at : at + 100] for at in range(0, len(encoded), 100)]
    splitter = Splitter(length_max=LIMIT)
    for piece in pieces:
        splitter.feed(piece)
    assert splitter.next_frame() == (ord("Q"), sql.encode() + b"\0")

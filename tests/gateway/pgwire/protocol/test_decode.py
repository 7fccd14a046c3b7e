from __future__ import annotations

import itertools
import struct
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.gateway.pgwire.protocol.client_messages import (
    Bind,
    CancelRequest,
    Close,
    CopyData,
    CopyDone,
    CopyFail,
    Describe,
    Execute,
    Flush,
    FrontendMessage,
    FunctionCall,
    GSSENCRequest,
    Parse,
    PasswordMessage,
    Query,
    SSLRequest,
    StartupMessage,
    Sync,
    Terminate,
)
from stategate.gateway.pgwire.protocol.decode import (
    FRONTEND_TYPES,
    Splitter,
    decode,
    decode_startup,
)
from stategate.gateway.pgwire.protocol.errors import RemoteProtocolError
from tests.gateway.pgwire import wire

MESSAGES: tuple[tuple[bytes, FrontendMessage], ...] = (
    (wire.query("SELECT 'ö'"), Query(sql="SELECT 'ö'")),
    (
        wire.parse("s", "SELECT $1", [23, 0]),
        Parse(statement="s", sql="SELECT $1", parameter_oids=(23, 0)),
    ),
    (
        wire.bind("p", "s", [b"1", None, b""], parameter_formats=[0, 1, 1], result_formats=[1]),
        Bind(
            portal="p",
            statement="s",
            parameter_formats=(0, 1, 1),
            parameters=(b"1", None, b""),
            result_formats=(1,),
        ),
    ),
    (
        wire.bind("", ""),
        Bind(portal="", statement="", parameter_formats=(), parameters=(), result_formats=()),
    ),
    (wire.describe("S", "s"), Describe(kind="S", name="s")),
    (wire.execute("p", 7), Execute(portal="p", rows_max=7)),
    (wire.execute("", -1), Execute(portal="", rows_max=0)),
    (wire.close("P", ""), Close(kind="P", name="")),
    (wire.SYNC, Sync()),
    (wire.FLUSH, Flush()),
    (wire.TERMINATE, Terminate()),
    # A malformed Terminate is not reported: the client leaves.
    (wire.framed("X", b"later"), Terminate()),
    (wire.framed("F", b"\0\0"), FunctionCall(body=b"\0\0")),
    (wire.framed("p", b"secret\0"), PasswordMessage(response=b"secret\0")),
    (wire.framed("d", b"1\n"), CopyData(chunk=b"1\n")),
    (wire.framed("c", b""), CopyDone()),
    (wire.framed("f", b"no\0"), CopyFail(reason="no")),
)
STREAM = b"".join(encoded for encoded, _ in MESSAGES)
LIMIT = 1 << 20


def read_all(pieces: list[bytes]) -> list[FrontendMessage]:
    splitter = Splitter(length_max=LIMIT)
    messages = []
    for piece in pieces:
        splitter.feed(piece)
        while (frame := splitter.next_frame()) is not None:
            messages.append(decode(frame))
    return messages


@pytest.mark.parametrize(("encoded", "message"), MESSAGES, ids=lambda value: type(value).__name__)
def test_decodes_each_message(encoded: bytes, message: FrontendMessage) -> None:
    assert read_all([encoded]) == [message]


def test_a_stream_cut_at_any_byte_gives_the_same_messages() -> None:
    expected = [message for _, message in MESSAGES]
    for at in range(len(STREAM) + 1):
        assert read_all([STREAM[:at], STREAM[at:]]) == expected


@given(st.lists(st.integers(0, len(STREAM)), max_size=30))
def test_a_stream_cut_anywhere_gives_the_same_messages(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(STREAM)]
    pieces = [STREAM[start:end] for start, end in itertools.pairwise(edges)]
    assert read_all(pieces) == [message for _, message in MESSAGES]


def test_a_stream_byte_by_byte() -> None:
    pieces = [STREAM[at : at + 1] for at in range(len(STREAM))]
    assert read_all(pieces) == [message for _, message in MESSAGES]


def outcome(read: Callable[[], object]) -> RemoteProtocolError | None:
    """Return an expected outcome of reading; any other exception is a bug, and is raised."""
    try:
        read()
    except RemoteProtocolError as error:
        return error
    return None


@given(st.binary(max_size=200), st.integers(1, 50))
def test_any_bytes_give_messages_or_a_remote_error(noise: bytes, piece: int) -> None:
    pieces = [noise[at : at + piece] for at in range(0, len(noise), piece)]
    error = outcome(lambda: read_all(pieces))
    assert error is None or error.sqlstate in {"08P01", "22021"}


@given(st.sampled_from(sorted(FRONTEND_TYPES)), st.binary(max_size=60))
def test_any_body_gives_a_message_or_a_remote_error(type_byte: int, body: bytes) -> None:
    error = outcome(lambda: decode((type_byte, body)))
    assert error is None or error.sqlstate in {"08P01", "22021"}


@given(st.binary(max_size=60))
def test_any_startup_packet_gives_a_packet_or_a_fatal_error(body: bytes) -> None:
    error = outcome(lambda: decode_startup(body))
    assert error is None or error.fatal


@given(st.data())
def test_a_damaged_bind_is_refused_or_read(data: st.DataObject) -> None:
    good = bytearray(wire.bind("p", "s", [b"12", None], parameter_formats=[1])[5:])
    good[data.draw(st.integers(0, len(good) - 1))] = data.draw(st.integers(0, 255))
    try:
        bind = decode((ord("B"), bytes(good)))
    except RemoteProtocolError:
        return
    assert isinstance(bind, Bind)
    assert sum(len(value or b"") for value in bind.parameters) <= len(good)


def test_text_that_is_not_utf8() -> None:
    with pytest.raises(RemoteProtocolError) as caught:
        decode((ord("Q"), b"\xff\0"))
    assert caught.value.sqlstate == "22021"
    assert not caught.value.fatal


@pytest.mark.parametrize(
    ("packet", "message"),
    [
        (wire.SSL_REQUEST, SSLRequest()),
        (wire.GSSENC_REQUEST, GSSENCRequest()),
        (
            wire.request(80877102, 7, 0xFFFFFFFF),
            CancelRequest(process_id=7, secret_key=b"\xff" * 4),
        ),
        (
            wire.startup(2, user="a", database="b"),
            StartupMessage(minor=2, parameters=(("user", "a"), ("database", "b"))),
        ),
    ],
)
def test_startup_packets(packet: bytes, message: object) -> None:
    assert decode_startup(packet[4:]) == message


def test_old_protocols_are_refused() -> None:
    with pytest.raises(RemoteProtocolError, match=r"unsupported frontend protocol 2\.0"):
        decode_startup(struct.pack(">I", 2 << 16) + b"\0")


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

from __future__ import annotations

import itertools
import struct
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.pgwire.protocol import codec
from gateway.pgwire.protocol.errors import RemoteProtocolError
from gateway.pgwire.protocol.frames import FRONTEND_TYPES, Splitter
from gateway.pgwire.protocol.messages import (
    AuthenticationOk,
    BackendKeyData,
    BackendMessage,
    Bind,
    CancelRequest,
    Close,
    CommandComplete,
    CopyData,
    CopyDone,
    CopyFail,
    Describe,
    ErrorResponse,
    Execute,
    Field,
    Flush,
    FrontendMessage,
    FunctionCall,
    GSSENCRequest,
    NegotiateProtocolVersion,
    NoticeResponse,
    ParameterDescription,
    ParameterStatus,
    Parse,
    PasswordMessage,
    Query,
    ReadyForQuery,
    RowDescription,
    SSLRequest,
    StartupMessage,
    Sync,
    Terminate,
)
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
    # Who leaves is not told what is wrong with the farewell.
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
            messages.append(codec.decode(frame))
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
    """How reading ended: all other exceptions are bugs, and pass."""
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
    error = outcome(lambda: codec.decode((type_byte, body)))
    assert error is None or error.sqlstate in {"08P01", "22021"}


@given(st.binary(max_size=60))
def test_any_startup_packet_gives_a_packet_or_a_fatal_error(body: bytes) -> None:
    error = outcome(lambda: codec.decode_startup(body))
    assert error is None or error.fatal


@given(st.data())
def test_a_damaged_bind_is_refused_or_read(data: st.DataObject) -> None:
    good = bytearray(wire.bind("p", "s", [b"12", None], parameter_formats=[1])[5:])
    good[data.draw(st.integers(0, len(good) - 1))] = data.draw(st.integers(0, 255))
    try:
        bind = codec.decode((ord("B"), bytes(good)))
    except RemoteProtocolError:
        return
    assert isinstance(bind, Bind)
    assert sum(len(value or b"") for value in bind.parameters) <= len(good)


def test_text_that_is_not_utf8() -> None:
    with pytest.raises(RemoteProtocolError) as caught:
        codec.decode((ord("Q"), b"\xff\0"))
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
    assert codec.decode_startup(packet[4:]) == message


def test_old_protocols_are_refused() -> None:
    with pytest.raises(RemoteProtocolError, match=r"unsupported frontend protocol 2\.0"):
        codec.decode_startup(struct.pack(">I", 2 << 16) + b"\0")


def test_encodes_what_a_client_reads() -> None:
    error = ErrorResponse(
        severity="ERROR", sqlstate="42601", message="m", detail="d", hint="h", position=3
    )
    fields = wire.error_fields(codec.encode(error)[5:])
    assert fields == dict(
        zip("SVCMDHP", ("ERROR", "ERROR", "42601", "m", "d", "h", "3"), strict=True)
    )
    assert wire.error_fields(codec.encode(NoticeResponse(message="n"))[5:])["S"] == "NOTICE"
    field = Field(name="n", oid=23, length=4, modifier=-1, format=1)
    described = codec.encode(RowDescription(fields=(field, field)))
    assert wire.columns_of(described[5:]) == [("n", 23, 4, -1, 1)] * 2


@pytest.mark.parametrize(
    ("message", "encoded"),
    [
        (AuthenticationOk(), b"R\0\0\0\x08\0\0\0\0"),
        (BackendKeyData(process_id=1, secret_key=b"\0\0\0\2"), b"K\0\0\0\x0c\0\0\0\x01\0\0\0\x02"),
        (ParameterStatus(name="a", value="b"), b"S\0\0\0\x08a\0b\0"),
        (ReadyForQuery(status="I"), b"Z\0\0\0\x05I"),
        (CommandComplete(tag="SET"), b"C\0\0\0\x08SET\0"),
        (ParameterDescription(oids=(20,)), b"t\0\0\0\x0a\0\x01\0\0\0\x14"),
        (
            NegotiateProtocolVersion(minor=0, unknown_options=("_pq_.x",)),
            b"v\0\0\0\x13\0\x03\0\0\0\0\0\x01_pq_.x\0",
        ),
    ],
)
def test_encodes_to_the_byte(message: BackendMessage, encoded: bytes) -> None:
    assert codec.encode(message) == encoded


def test_a_nul_in_a_text_does_not_cut_the_message() -> None:
    encoded = codec.encode(CommandComplete(tag="a\0b"))
    assert encoded[5:].count(0) == 1


def test_a_round_is_recognised_by_its_constant_bytes() -> None:
    bind = wire.bind("", "s", [b"1"])
    run = wire.execute("") + wire.SYNC
    described = wire.describe("P", "") + run
    assert codec.split_round(bind + run) == (bind[5:], False)
    assert codec.split_round(bind + described) == (bind[5:], True)


@pytest.mark.parametrize(
    "other",
    [
        b"",
        wire.SYNC,
        wire.bind("", "s"),
        wire.bind("", "s") + wire.execute("", 1) + wire.SYNC,
        wire.bind("", "s") + wire.execute("p") + wire.SYNC,
        wire.bind("", "s") * 2 + wire.execute("") + wire.SYNC,
        wire.parse("", "") + wire.bind("", "") + wire.execute("") + wire.SYNC,
        b"B" + wire.execute("") + wire.SYNC,
    ],
)
def test_what_is_no_round(other: bytes) -> None:
    assert codec.split_round(other) is None

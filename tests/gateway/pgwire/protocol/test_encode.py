from __future__ import annotations

import pytest

from stategate.gateway.pgwire.protocol.encode import encode
from stategate.gateway.pgwire.protocol.server_messages import (
    AuthenticationOk,
    BackendKeyData,
    BackendMessage,
    CommandComplete,
    ErrorResponse,
    Field,
    NegotiateProtocolVersion,
    NoticeResponse,
    ParameterDescription,
    ParameterStatus,
    ReadyForQuery,
    RowDescription,
)
from tests.gateway.pgwire import wire


def test_clients_can_read_encoded_messages() -> None:
    error = ErrorResponse(
        severity="ERROR", sqlstate="42601", message="m", detail="d", hint="h", position=3
    )
    fields = wire.error_fields(encode(error)[5:])
    assert fields == dict(
        zip("SVCMDHP", ("ERROR", "ERROR", "42601", "m", "d", "h", "3"), strict=True)
    )
    assert wire.error_fields(encode(NoticeResponse(message="n"))[5:])["S"] == "NOTICE"
    field = Field(name="n", oid=23, length=4, modifier=-1, format=1)
    described = encode(RowDescription(fields=(field, field)))
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
    assert encode(message) == encoded


def test_a_nul_in_a_text_does_not_cut_the_message() -> None:
    encoded = encode(CommandComplete(tag="a\0b"))
    assert encoded[5:].count(0) == 1

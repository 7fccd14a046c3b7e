"""The server's messages to bytes, laid out as PostgreSQL documents them."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from typing import Any

from stategate.gateway.pgwire.protocol.client_messages import CopyDone
from stategate.gateway.pgwire.protocol.server_messages import (
    AuthenticationCleartextPassword,
    AuthenticationOk,
    AuthenticationSASL,
    AuthenticationSASLContinue,
    AuthenticationSASLFinal,
    BackendKeyData,
    BackendMessage,
    BindComplete,
    CloseComplete,
    CommandComplete,
    CopyOutResponse,
    CopyRows,
    DataRows,
    EmptyQueryResponse,
    EncryptionResponse,
    ErrorResponse,
    Field,
    NegotiateProtocolVersion,
    NoData,
    NoticeResponse,
    ParameterDescription,
    ParameterStatus,
    ParseComplete,
    PortalSuspended,
    ReadyForQuery,
    RowDescription,
)

PROTOCOL_3_0 = 3 << 16

_pack_head = struct.Struct(">BI").pack


def encode(message: BackendMessage) -> bytes:
    """Return the bytes of a message."""
    return _WRITERS[type(message)](message)


def _framed(type_byte: str, body: bytes) -> bytes:
    return _pack_head(ord(type_byte), len(body) + 4) + body


def _text(text: str) -> bytes:
    # NUL ends a text on the wire, so one inside it would cut the message in two. Half of a
    # surrogate pair, which JSON input can put into a name, has no UTF-8.
    return text.replace("\0", "\\0").encode(errors="backslashreplace") + b"\0"


def _write_encryption(message: EncryptionResponse) -> bytes:
    return b"S" if message.accepted else b"N"


def _write_negotiate(message: NegotiateProtocolVersion) -> bytes:
    count = len(message.unknown_options)
    options = b"".join(_text(option) for option in message.unknown_options)
    return _framed("v", struct.pack(">II", PROTOCOL_3_0 + message.minor, count) + options)


def _write_sasl(message: AuthenticationSASL) -> bytes:
    names = b"".join(_text(name) for name in message.mechanisms)
    return _framed("R", struct.pack(">I", 10) + names + b"\0")


def _write_parameter_status(message: ParameterStatus) -> bytes:
    return _framed("S", _text(message.name) + _text(message.value))


def _write_key_data(message: BackendKeyData) -> bytes:
    return _framed("K", struct.pack(">I", message.process_id) + message.secret_key)


def _write_ready(message: ReadyForQuery) -> bytes:
    return _framed("Z", message.status.encode())


def _write_parameter_description(message: ParameterDescription) -> bytes:
    count = len(message.oids)
    return _framed("t", struct.pack(f">H{count}I", count, *message.oids))


def _write_row_description(message: RowDescription) -> bytes:
    fields = b"".join(_write_field(field) for field in message.fields)
    return _framed("T", struct.pack(">H", len(message.fields)) + fields)


def _write_field(field: Field) -> bytes:
    return _text(field.name) + struct.pack(
        ">IhIhih",
        field.table_oid,
        field.column_number,
        field.oid,
        field.length,
        field.modifier,
        field.format,
    )


def _write_copy_out(message: CopyOutResponse) -> bytes:
    count = message.columns
    formats = [message.format] * count
    return _framed("H", struct.pack(f">BH{count}H", message.format, count, *formats))


def _write_command_complete(message: CommandComplete) -> bytes:
    return _framed("C", _text(message.tag))


def _write_error(message: ErrorResponse) -> bytes:
    return _framed(
        "E",
        _write_fields(
            (
                ("S", message.severity),
                ("V", message.severity),
                ("C", message.sqlstate),
                ("M", message.message),
                ("D", message.detail),
                ("H", message.hint),
                ("P", None if message.position is None else str(message.position)),
            )
        ),
    )


def _write_notice(message: NoticeResponse) -> bytes:
    return _framed(
        "N",
        _write_fields(
            (
                ("S", message.severity),
                ("V", message.severity),
                ("C", message.sqlstate),
                ("M", message.message),
            )
        ),
    )


def _write_fields(fields: Iterable[tuple[str, str | None]]) -> bytes:
    parts = [code.encode() + _text(value) for code, value in fields if value is not None]
    return b"".join(parts) + b"\0"


def _constant(type_byte: str, body: bytes = b"") -> Callable[[Any], bytes]:
    encoded = _framed(type_byte, body)
    return lambda message: encoded


_WRITERS: dict[type[BackendMessage], Callable[[Any], bytes]] = {
    AuthenticationCleartextPassword: _constant("R", struct.pack(">I", 3)),
    AuthenticationOk: _constant("R", struct.pack(">I", 0)),
    AuthenticationSASL: _write_sasl,
    AuthenticationSASLContinue: lambda message: _framed(
        "R", struct.pack(">I", 11) + message.challenge
    ),
    AuthenticationSASLFinal: lambda message: _framed("R", struct.pack(">I", 12) + message.outcome),
    BackendKeyData: _write_key_data,
    BindComplete: _constant("2"),
    CloseComplete: _constant("3"),
    CommandComplete: _write_command_complete,
    CopyDone: _constant("c"),
    CopyOutResponse: _write_copy_out,
    CopyRows: lambda message: message.encoded,
    DataRows: lambda message: message.encoded,
    EmptyQueryResponse: _constant("I"),
    EncryptionResponse: _write_encryption,
    ErrorResponse: _write_error,
    NegotiateProtocolVersion: _write_negotiate,
    NoData: _constant("n"),
    NoticeResponse: _write_notice,
    ParameterDescription: _write_parameter_description,
    ParameterStatus: _write_parameter_status,
    ParseComplete: _constant("1"),
    PortalSuspended: _constant("s"),
    ReadyForQuery: _write_ready,
    RowDescription: _write_row_description,
}

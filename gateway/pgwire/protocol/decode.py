"""Turns a stream of bytes, cut anywhere, into frames, and frames into the messages of a client.

Messages are laid out as PostgreSQL documents them; each type has a maximum length.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import TypeAlias, TypeVar

from stategate.gateway.pgwire.protocol.client_messages import (
    CANCEL_KEY_BYTES_MAX,
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
    StartupPacket,
    Sync,
    Terminate,
)
from stategate.gateway.pgwire.protocol.errors import RemoteProtocolError

Frame: TypeAlias = tuple[int, bytes]
"""A message's type byte and its body without the length."""

T = TypeVar("T")

BindFields: TypeAlias = tuple[str, str, tuple[int, ...], tuple[bytes | None, ...], tuple[int, ...]]
"""The fields of a `Bind`, in its order."""

MINOR_MAX = 2
"""Newest minor version of protocol 3 that the server speaks; there is no 3.1."""
_SSL_REQUEST = 80877103
_GSSENC_REQUEST = 80877104
_CANCEL_REQUEST = 80877102

FRONTEND_TYPES: dict[int, type[FrontendMessage]] = {
    ord("B"): Bind,
    ord("C"): Close,
    ord("D"): Describe,
    ord("E"): Execute,
    ord("F"): FunctionCall,
    ord("H"): Flush,
    ord("P"): Parse,
    ord("Q"): Query,
    ord("S"): Sync,
    ord("X"): Terminate,
    ord("c"): CopyDone,
    ord("d"): CopyData,
    ord("f"): CopyFail,
    ord("p"): PasswordMessage,
}
"""Type byte → message."""
_LENGTH_MAX = {byte: message.length_max for byte, message in FRONTEND_TYPES.items()}

_unpack_length = struct.Struct(">I").unpack_from
_unpack_count = struct.Struct(">H").unpack_from
_unpack_signed = struct.Struct(">i").unpack_from


class Splitter:
    """Cuts bytes into frames. It holds at most one incomplete message and the bytes after it.

    Args:
        length_max: the server's limit; a type's own `length_max` applies where it is lower.

    Law: however the bytes are cut into `feed` calls, the frames are the same.
    """

    __slots__ = ("_at", "_buffer", "_length_max", "_pieces", "_pieces_bytes")

    def __init__(self, *, length_max: int) -> None:
        self._length_max = length_max
        self._buffer = b""
        self._at = 0
        self._pieces: list[bytes] = []
        self._pieces_bytes = 0

    def feed(self, received: bytes) -> None:
        """Add bytes as they arrived."""
        if self._at == len(self._buffer) and not self._pieces:
            self._buffer, self._at = received, 0
        else:
            # The pieces are joined once the message is whole: joining each time would be quadratic.
            self._pieces.append(received)
            self._pieces_bytes += len(received)

    @property
    def buffered_bytes(self) -> int:
        """Bytes that are not yet returned as frames."""
        return len(self._buffer) - self._at + self._pieces_bytes

    def _available(self, needed: int) -> int:
        """Return how many bytes are in one piece: at least `needed`, if that many have arrived."""
        available = len(self._buffer) - self._at
        if available < needed <= available + self._pieces_bytes:
            self._buffer = b"".join((self._buffer[self._at :], *self._pieces))
            self._at = 0
            self._pieces.clear()
            self._pieces_bytes = 0
            return len(self._buffer)
        return available

    def next_startup(self, *, length_max: int) -> bytes | None:
        """Return the body of the next packet without a type byte; None until it is complete.

        Raises:
            RemoteProtocolError: the length cannot be that of a startup packet.
        """
        if self._available(4) < 4:
            return None
        (length,) = _unpack_length(self._buffer, self._at)
        if not 8 <= length <= length_max:
            raise RemoteProtocolError("invalid length of startup packet", fatal=True)
        if self._available(length) < length:
            return None
        at = self._at
        self._at = at + length
        return self._buffer[at + 4 : at + length]

    def next_frame(self, *, length_max: int | None = None) -> Frame | None:
        """Return the next frame; None until it is complete.

        Args:
            length_max: replaces the server's limit, for clients that are not authenticated.

        Raises:
            RemoteProtocolError: the type byte is unknown, or the message too long.
        """
        if self._available(5) < 5:
            return None
        type_byte = self._buffer[self._at]
        (length,) = _unpack_length(self._buffer, self._at + 1)
        if not 4 <= length <= self._limit(type_byte, length_max):
            raise RemoteProtocolError("invalid message length", fatal=True)
        if self._available(length + 1) <= length:
            return None
        at = self._at
        self._at = at + 1 + length
        return type_byte, self._buffer[at + 5 : self._at]

    def _limit(self, type_byte: int, length_max: int | None) -> int:
        own = _LENGTH_MAX.get(type_byte)
        if own is None:
            raise RemoteProtocolError(f"invalid frontend message type {type_byte}", fatal=True)
        return min(own, self._length_max if length_max is None else length_max)


def decode_startup(body: bytes) -> StartupPacket:
    """Return the packet in a body that has no type byte.

    Raises:
        RemoteProtocolError: the packet is unknown or malformed; always fatal.
    """
    try:
        return _read_startup(body)
    except (ValueError, struct.error) as error:
        raise RemoteProtocolError("invalid startup packet layout", fatal=True) from error


def _read_startup(body: bytes) -> StartupPacket:
    (code,) = _unpack_length(body)
    if code == _SSL_REQUEST and len(body) == 4:
        return SSLRequest()
    if code == _GSSENC_REQUEST and len(body) == 4:
        return GSSENCRequest()
    if code == _CANCEL_REQUEST and 8 < len(body) <= 8 + CANCEL_KEY_BYTES_MAX:
        return CancelRequest(process_id=_unpack_length(body, 4)[0], secret_key=body[8:])
    if code >> 16 != 3:
        raise RemoteProtocolError(
            f"unsupported frontend protocol {code >> 16}.{code & 0xFFFF}: "
            f"server supports 3.0 to 3.{MINOR_MAX}",
            sqlstate="0A000",
            fatal=True,
        )
    return StartupMessage(minor=code & 0xFFFF, parameters=_read_parameters(body))


def _read_parameters(body: bytes) -> tuple[tuple[str, str], ...]:
    parameters = []
    name, at = _read_text(body, 4)
    while name:
        value, at = _read_text(body, at)
        parameters.append((name, value))
        name, at = _read_text(body, at)
    _require_end(body, at)
    return tuple(parameters)


def decode(frame: Frame) -> FrontendMessage:
    """Return the message in a frame.

    Raises:
        RemoteProtocolError: the body is malformed (08P01), or has text that is not UTF-8 (22021).
            The frames after it can still be read.
    """
    type_byte, body = frame
    return read_or_refuse(_READERS[type_byte], body)


def read_or_refuse(reader: Callable[[bytes], T], body: bytes) -> T:
    """Read a body; an error of the reader becomes a RemoteProtocolError.

    Raises:
        RemoteProtocolError: as `decode`.
    """
    try:
        return reader(body)
    except UnicodeDecodeError as error:
        raise RemoteProtocolError(
            'invalid byte sequence for encoding "UTF8"', sqlstate="22021"
        ) from error
    except (ValueError, struct.error) as error:
        raise RemoteProtocolError("invalid message format") from error


def read_bind(body: bytes) -> BindFields:
    """Return the fields of a Bind without a message object, which the hot path does not need.

    Raises:
        ValueError or struct.error: the body is malformed.
    """
    end = body.index(0)
    portal = body[:end].decode()
    at = body.index(0, end + 1)
    statement = body[end + 1 : at].decode()
    parameter_formats, at = _read_formats(body, at + 1)
    (count,) = _unpack_count(body, at)
    at += 2
    parameters: list[bytes | None] = []
    for _ in range(count):
        (length,) = _unpack_signed(body, at)
        at += 4
        if length < 0:
            _require_null(length)
            parameters.append(None)
            continue
        parameters.append(body[at : at + length])
        at += length
    result_formats, at = _read_formats(body, at)
    _require_end(body, at)
    return portal, statement, parameter_formats, tuple(parameters), result_formats


def _require_null(length: int) -> None:
    if length != -1:
        raise ValueError("a length is negative")


def _read_formats(body: bytes, at: int) -> tuple[tuple[int, ...], int]:
    (count,) = _unpack_count(body, at)
    if count == 0:
        return (), at + 2
    if count == 1:
        return _unpack_count(body, at + 2), at + 4
    return struct.unpack_from(f">{count}H", body, at + 2), at + 2 + 2 * count


def _read_text(body: bytes, at: int) -> tuple[str, int]:
    end = body.index(0, at)
    return body[at:end].decode(), end + 1


def _require_end(body: bytes, at: int) -> None:
    if at != len(body):
        raise ValueError("a message is longer or shorter than its parts")


def _read_query(body: bytes) -> Query:
    sql, at = _read_text(body, 0)
    _require_end(body, at)
    return Query(sql=sql)


def read_parse(body: bytes) -> Parse:
    """Return the Parse in a body.

    Raises:
        ValueError or struct.error: the body is malformed.
    """
    statement, at = _read_text(body, 0)
    sql, at = _read_text(body, at)
    (count,) = _unpack_count(body, at)
    oids = struct.unpack_from(f">{count}I", body, at + 2)
    _require_end(body, at + 2 + 4 * count)
    return Parse(statement=statement, sql=sql, parameter_oids=oids)


def _read_bind_message(body: bytes) -> Bind:
    portal, statement, parameter_formats, parameters, result_formats = read_bind(body)
    return Bind(
        portal=portal,
        statement=statement,
        parameter_formats=parameter_formats,
        parameters=parameters,
        result_formats=result_formats,
    )


def _read_kind_and_name(body: bytes) -> tuple[str, str]:
    name, at = _read_text(body, 1)
    _require_end(body, at)
    if body[0] not in b"SP":
        raise ValueError("the kind is neither a statement nor a portal")
    return chr(body[0]), name


def _read_describe(body: bytes) -> Describe:
    kind, name = _read_kind_and_name(body)
    return Describe(kind=kind, name=name)


def _read_close(body: bytes) -> Close:
    kind, name = _read_kind_and_name(body)
    return Close(kind=kind, name=name)


def _read_execute(body: bytes) -> Execute:
    portal, at = _read_text(body, 0)
    (rows_max,) = _unpack_signed(body, at)
    _require_end(body, at + 4)
    # PostgreSQL reads a negative limit as no limit.
    return Execute(portal=portal, rows_max=max(0, rows_max))


def _read_copy_fail(body: bytes) -> CopyFail:
    reason, at = _read_text(body, 0)
    _require_end(body, at)
    return CopyFail(reason=reason)


def _empty(message: FrontendMessage) -> Callable[[bytes], FrontendMessage]:
    def read(body: bytes) -> FrontendMessage:
        if body:
            # These messages have no body: the stream is out of step with its messages.
            raise RemoteProtocolError("invalid message format", fatal=True)
        return message

    return read


_READERS: dict[int, Callable[[bytes], FrontendMessage]] = {
    ord("B"): _read_bind_message,
    ord("C"): _read_close,
    ord("D"): _read_describe,
    ord("E"): _read_execute,
    ord("F"): lambda body: FunctionCall(body=body),
    ord("H"): _empty(Flush()),
    ord("P"): read_parse,
    ord("Q"): _read_query,
    ord("S"): _empty(Sync()),
    # The client leaves, so a malformed body need not be reported.
    ord("X"): lambda _: Terminate(),
    ord("c"): _empty(CopyDone()),
    ord("d"): lambda body: CopyData(chunk=body),
    ord("f"): _read_copy_fail,
    ord("p"): lambda body: PasswordMessage(response=body),
}

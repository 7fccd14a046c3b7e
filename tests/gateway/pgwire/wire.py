"""A client of protocol 3.0 for tests, written from the specification, not from our code."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator, Sequence

TIMEOUT_S = 20.0


def framed(type_byte: str, body: bytes) -> bytes:
    """Return a message of the client."""
    return type_byte.encode() + struct.pack(">I", len(body) + 4) + body


def text(value: str) -> bytes:
    return value.encode() + b"\0"


def startup(minor: int = 0, /, **parameters: str) -> bytes:
    pairs = b"".join(text(name) + text(value) for name, value in parameters.items())
    body = struct.pack(">HH", 3, minor) + pairs + b"\0"
    return struct.pack(">I", len(body) + 4) + body


def request(code: int, *numbers: int) -> bytes:
    """Return an SSLRequest or a GSSENCRequest."""
    body = struct.pack(f">{1 + len(numbers)}I", code, *numbers)
    return struct.pack(">I", len(body) + 4) + body


def cancel_request(process_id: int, key: bytes) -> bytes:
    body = struct.pack(">II", 80877102, process_id) + key
    return struct.pack(">I", len(body) + 4) + body


SSL_REQUEST = request(80877103)
GSSENC_REQUEST = request(80877104)


def query(sql: str) -> bytes:
    return framed("Q", text(sql))


def parse(name: str, sql: str, oids: Sequence[int] = ()) -> bytes:
    return framed("P", text(name) + text(sql) + struct.pack(f">H{len(oids)}I", len(oids), *oids))


def bind(
    portal: str,
    statement: str,
    parameters: Sequence[bytes | None] = (),
    *,
    parameter_formats: Sequence[int] = (),
    result_formats: Sequence[int] = (),
) -> bytes:
    body = text(portal) + text(statement) + _shorts(parameter_formats)
    body += struct.pack(">H", len(parameters))
    for parameter in parameters:
        if parameter is None:
            body += struct.pack(">i", -1)
        else:
            body += struct.pack(">i", len(parameter)) + parameter
    return framed("B", body + _shorts(result_formats))


def _shorts(numbers: Sequence[int]) -> bytes:
    return struct.pack(f">H{len(numbers)}H", len(numbers), *numbers)


def describe(kind: str, name: str) -> bytes:
    return framed("D", kind.encode() + text(name))


def execute(portal: str, rows_max: int = 0) -> bytes:
    return framed("E", text(portal) + struct.pack(">i", rows_max))


def close(kind: str, name: str) -> bytes:
    return framed("C", kind.encode() + text(name))


SYNC = framed("S", b"")
FLUSH = framed("H", b"")
TERMINATE = framed("X", b"")

Message = tuple[str, bytes]


def split_messages(stream: bytes) -> Iterator[Message]:
    """Return the server's messages in a complete piece of its stream."""
    at = 0
    while at < len(stream):
        (length,) = struct.unpack_from(">I", stream, at + 1)
        yield chr(stream[at]), stream[at + 5 : at + 1 + length]
        at += 1 + length
    assert at == len(stream), "the stream ends in the middle of a message"


def error_fields(body: bytes) -> dict[str, str]:
    """Return the fields of an ErrorResponse or NoticeResponse by their code."""
    assert body.endswith(b"\0\0")
    return {part[:1].decode(): part[1:].decode() for part in body[:-2].split(b"\0")}


def row_fields(body: bytes) -> list[bytes | None]:
    """Return the fields of a DataRow."""
    (count,) = struct.unpack_from(">H", body)
    fields: list[bytes | None] = []
    at = 2
    for _ in range(count):
        (length,) = struct.unpack_from(">i", body, at)
        at += 4
        fields.append(None if length < 0 else body[at : at + length])
        at += max(0, length)
    assert at == len(body)
    return fields


def columns_of(body: bytes) -> list[tuple[str, int, int, int, int]]:
    """Return name, oid, length, modifier and format of each column of a RowDescription."""
    (count,) = struct.unpack_from(">H", body)
    at, columns = 2, []
    for _ in range(count):
        end = body.index(0, at)
        _, _, oid, length, modifier, code = struct.unpack_from(">IhIhih", body, end + 1)
        columns.append((body[at:end].decode(), oid, length, modifier, code))
        at = end + 19
    assert at == len(body)
    return columns


class RawClient:
    """A blocking socket that speaks messages."""

    def __init__(self, host: str, port: int, *, source: str = "127.0.0.1") -> None:
        self.socket = socket.create_connection(
            (host, port), timeout=TIMEOUT_S, source_address=(source, 0)
        )
        self.key: tuple[int, bytes] = (0, b"")

    def __enter__(self) -> RawClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, *parts: bytes) -> None:
        self.socket.sendall(b"".join(parts))

    def read_exactly(self, count: int) -> bytes:
        pieces = []
        while count:
            piece = self.socket.recv(count)
            if not piece:
                raise EOFError("the server closed the connection")
            pieces.append(piece)
            count -= len(piece)
        return b"".join(pieces)

    def read(self) -> Message:
        type_byte, length = struct.unpack(">cI", self.read_exactly(5))
        return type_byte.decode(), self.read_exactly(length - 4)

    def read_until(self, *types: str) -> list[Message]:
        """Return the messages up to and including the first of these types."""
        messages = [self.read()]
        while messages[-1][0] not in types:
            messages.append(self.read())
        return messages

    def login(self, **parameters: str) -> list[Message]:
        """Connect as a user; return all messages up to ReadyForQuery."""
        self.send(startup(**{"user": "joe", "database": "db", **parameters}))
        messages = self.read_until("Z", "E")
        for type_byte, body in messages:
            if type_byte == "K":
                self.key = (struct.unpack_from(">I", body)[0], body[4:])
        return messages

    def ask(self, sql: str) -> list[Message]:
        """Send a simple query; return all messages up to ReadyForQuery."""
        self.send(query(sql))
        return self.read_until("Z")

    def at_end(self) -> bool:
        """Whether the server has closed after everything that it sent is read."""
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True

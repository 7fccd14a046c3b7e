"""A stream of bytes, cut anywhere, to frames of one message each.

This module knows the type bytes and how long each message may be; `decode` reads the messages.
"""

from __future__ import annotations

import struct
from typing import TypeAlias

from gateway.pgwire.protocol.errors import RemoteProtocolError
from gateway.pgwire.protocol.messages import (
    Bind,
    Close,
    CopyData,
    CopyDone,
    CopyFail,
    Describe,
    Execute,
    Flush,
    FrontendMessage,
    FunctionCall,
    Parse,
    PasswordMessage,
    Query,
    Sync,
    Terminate,
)

Frame: TypeAlias = tuple[int, bytes]
"""A message's type byte and its body without the length."""

_unpack_length = struct.Struct(">I").unpack_from


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
            # Joined once the message is whole: joining each time would be quadratic.
            self._pieces.append(received)
            self._pieces_bytes += len(received)

    @property
    def buffered_bytes(self) -> int:
        """Bytes that are not yet returned as frames."""
        return len(self._buffer) - self._at + self._pieces_bytes

    def _available(self, needed: int) -> int:
        """Return how many bytes lie in one piece: at least `needed`, if so many have arrived."""
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

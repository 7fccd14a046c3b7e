"""Frames: how the messages of nodes travel on a connection.

A frame is a header of three numbers of four bytes (the length of what follows the first number, the
number of the request, the length of the message), the message, and an Arrow stream if rows follow.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

import pyarrow as pa
from msgspec import Struct

from stategate.stores.nodes.codec import MessageError, decode, encode
from stategate.stores.nodes.messages import REPLIES, REQUESTS, Reply, Request
from stategate.stores.nodes.packed_keys import packed

_HEADER = struct.Struct("!III")
_COUNTED = _HEADER.size - 4
"""Bytes of the header that the length counts."""
FRAME_BYTES_MAX = 1 << 30
"""One batch of the widest rows that a store takes is shorter."""
ONE_WAY = 0
"""The number of a request that gets no reply, and of an announcement."""
KEYS = (1 << 32) - 1
"""A frame of many lookups, or of their answers; see `stategate.stores.nodes.packed_keys`."""


class Frame(Struct, frozen=True):
    """One message as it arrived."""

    number: int
    """The number of the request."""
    head: bytes
    """The message."""
    body: bytes
    """The Arrow stream; empty if there are no rows."""

    @property
    def message(self) -> object:
        """The message.

        Raises:
            MessageError: it is malformed.
        """
        return decode(self.head)

    def request(self) -> Request:
        """Return the message, which is a request.

        Raises:
            MessageError: it is not, or it is malformed.
        """
        found = self.message
        if not isinstance(found, REQUESTS):
            raise MessageError(f"a node sent no request but {type(found).__name__}")
        return found

    def reply(self) -> Reply:
        """Return the message, which is a reply.

        Raises:
            MessageError: it is not, or it is malformed.
        """
        found = self.message
        if not isinstance(found, REPLIES):
            raise MessageError(f"a node sent no reply but {type(found).__name__}")
        return found

    def batches(self) -> list[pa.RecordBatch]:
        """Return the rows; they refer to the bytes of the frame.

        Raises:
            MessageError: they are malformed.
        """
        if not self.body:
            return []
        try:
            with pa.ipc.open_stream(self.body) as stream:
                return list(stream)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise MessageError(f"the rows of a node are malformed: {error}") from error


def frame(number: int, message: object, batches: Sequence[pa.RecordBatch] = ()) -> bytes:
    """Return a message as a frame.

    Args:
        number: the number of the request.
        message: a request, a reply or an announcement.
        batches: rows of one schema.

    Raises:
        MessageError: the message has a value that cannot be sent, or is too long.
    """
    head = encode(message)
    if not batches:
        return _HEADER.pack(_COUNTED + len(head), number, len(head)) + head
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batches[0].schema) as stream:
        for batch in batches:
            stream.write_batch(batch)
    body = sink.getvalue()
    length = _COUNTED + len(head) + body.size
    if length > FRAME_BYTES_MAX:
        raise MessageError(f"a message of {length:,} bytes is too long for another node")
    return b"".join((_HEADER.pack(length, number, len(head)), head, body))


def keys_frame(items: Sequence[bytes]) -> bytes:
    """Return lookups, or their answers, as a frame."""
    head = packed(items)
    length = len(head)
    return _HEADER.pack(_COUNTED + length, KEYS, length) + head


class FrameReader:
    """Cuts the bytes of a connection into frames."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._wanted = 0
        """Bytes of the frame that has begun; 0 before its length is known."""

    def whole(self, data: bytes) -> Frame | None:
        """Return the next bytes as a frame if they are exactly one, as most are; see `frames`."""
        if self._rest or len(data) < _HEADER.size:
            return None
        length, number, head_length = _HEADER.unpack_from(data)
        if length + 4 != len(data) or head_length + _COUNTED > length:
            return None
        end = _HEADER.size + head_length
        return Frame(number, data[_HEADER.size : end], data[end:])

    def frames(self, data: bytes, *, bytes_max: int = FRAME_BYTES_MAX) -> Iterator[Frame]:
        """Yield the frames that end in the next bytes.

        Args:
            data: the bytes.
            bytes_max: the longest frame that is taken.

        Raises:
            MessageError: a frame is too long, or its lengths contradict each other.
        """
        rest = self._rest
        if rest:
            rest += data
            if len(rest) < self._wanted:
                return
            data = bytes(rest)
            rest.clear()
        at, end = 0, len(data)
        while end - at >= _HEADER.size:
            length, number, head_length = _HEADER.unpack_from(data, at)
            if length > bytes_max or length < head_length + _COUNTED:
                raise MessageError(f"a node sent a frame of {length:,} bytes")
            if end - at < length + 4:
                break
            begin, at = at + _HEADER.size, at + length + 4
            yield Frame(number, data[begin : begin + head_length], data[begin + head_length : at])
        rest += data[at:]
        self._wanted = length + 4 if len(rest) >= _HEADER.size else 0

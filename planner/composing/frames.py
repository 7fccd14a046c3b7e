"""Frames between the gateway and its composing processes: a kind, a head and Arrow bytes.

A frame is a header of 16 bytes, the head and the body; the body is serialised Arrow batches. Frames
go through the socket: fresh shared memory took three times as long, because the kernel must find,
clear and map each of its pages.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Sequence
from functools import lru_cache

import msgspec
import pyarrow as pa

_HEADER = struct.Struct("!BxxxIQ")
HEAD_BYTES_MAX = 1 << 30
"""Maximum length of a head: that of a catalog's tables has about 20 kB for each store."""
BODY_BYTES_MAX = 1 << 32
"""Longest body: one row of the longest values; more rows are sent in several frames."""
_PARTS_MAX = 256
"""Buffers per system call; the kernel takes 1,024."""
_SHORT_BYTES = 16 << 10
"""Bytes that are read at once where no other frame can follow."""

_SCHEMAS_MAX = 256
"""Schemas that are kept, of some kilobytes each."""


class TornFrameError(ConnectionError):
    """The other side has closed in the middle of a frame, or sent malformed bytes."""


class Frame(msgspec.Struct, frozen=True, gc=False):
    """One message."""

    kind: int
    head: bytes
    body: pa.Buffer | None
    fd: int | None = None


def send(
    sock: socket.socket,
    kind: int,
    head: bytes = b"",
    body: Sequence[pa.Buffer] = (),
    *,
    fd: int | None = None,
) -> None:
    """Send one frame; block until the other side has read most of it.

    Raises:
        OSError: the other side is gone.
    """
    parts = parts_of(kind, head, body)
    if fd is not None:
        sent = socket.send_fds(sock, parts[:1], [fd])
        parts[0] = parts[0][sent:]
    at = 0
    while at < len(parts):
        sent = sock.sendmsg(parts[at : at + _PARTS_MAX])
        while at < len(parts) and sent >= len(parts[at]):
            sent -= len(parts[at])
            at += 1
        if sent:
            parts[at] = parts[at][sent:]


def parts_of(kind: int, head: bytes = b"", body: Sequence[pa.Buffer] = ()) -> list[memoryview]:
    """Return the buffers of one frame in the order to be sent."""
    size = sum(part.size for part in body)
    return [
        memoryview(_HEADER.pack(kind, len(head), size) + head),
        *(memoryview(part).cast("B") for part in body),
    ]


def receive(sock: socket.socket, *, with_fd: bool = False, is_alone: bool = False) -> Frame | None:
    """Receive one frame; None if the other side has closed the socket between frames.

    Args:
        sock: the socket to read from.
        with_fd: whether a file descriptor may come with it.
        is_alone: whether the other side sends no more before this side does; then a short frame
            takes one system call.

    Raises:
        TornFrameError: the frame is incomplete or malformed.
        OSError: the socket failed.
    """
    size = _SHORT_BYTES if is_alone else _HEADER.size
    if with_fd:
        begun, fds, _, _ = socket.recv_fds(sock, size, 1)
    else:
        begun, fds = sock.recv(size), []
    if not begun:
        return None
    if len(begun) < _HEADER.size:
        begun += _exactly(sock, _HEADER.size - len(begun))
    kind, head_size, body_size = _HEADER.unpack_from(begun)
    if head_size > HEAD_BYTES_MAX or body_size > BODY_BYTES_MAX:
        raise TornFrameError("a frame is too long")
    end = _HEADER.size + head_size
    if len(begun) > end + body_size:
        raise TornFrameError("a frame is longer than its header says")
    head = begun[_HEADER.size : end]
    if len(begun) < end:
        head += _exactly(sock, end - len(begun))
    body = _buffer(sock, body_size, begun[end:]) if body_size else None
    return Frame(kind, head, body, fds[0] if fds else None)


def _exactly(sock: socket.socket, size: int) -> bytes:
    if not size:
        return b""
    found = sock.recv(size, socket.MSG_WAITALL)
    if len(found) == size:
        return found
    held = bytearray(found)
    while len(held) < size:
        more = sock.recv(min(size - len(held), 1 << 20))
        if not more:
            raise TornFrameError("a frame ends in the middle")
        held += more
    return bytes(held)


def _buffer(sock: socket.socket, size: int, begun: bytes) -> pa.Buffer:
    """Return bytes that have begun to arrive, aligned as Arrow requires."""
    buffer = pa.allocate_buffer(size)
    rest = memoryview(buffer).cast("B")
    rest[: len(begun)] = begun
    rest = rest[len(begun) :]
    while rest:
        got = sock.recv_into(rest, 0, socket.MSG_WAITALL)
        if not got:
            raise TornFrameError("a frame ends in the middle")
        rest = rest[got:]
    return buffer


@lru_cache(maxsize=_SCHEMAS_MAX)
def schema_of(serialised: bytes) -> pa.Schema:
    """Return the schema that these bytes are; statements that run again have the same ones."""
    return pa.ipc.read_schema(pa.py_buffer(serialised))


def batches_in(
    body: pa.Buffer | None, sizes: Sequence[int], schema: pa.Schema
) -> list[pa.RecordBatch]:
    """Return the batches of a body, which share its memory.

    Raises:
        TornFrameError: the bytes are not batches of this schema.
    """
    found, at = [], 0
    try:
        for size in sizes:
            assert body is not None
            found.append(pa.ipc.read_record_batch(body.slice(at, size), schema))
            at += size
    except (pa.ArrowException, OSError, EOFError, ValueError, AssertionError) as error:
        raise TornFrameError("a frame holds malformed batches") from error
    return found

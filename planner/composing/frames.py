"""Frames between the gateway and its composing processes: a kind, a head and Arrow bytes.

A frame is a header of 16 bytes, the head and the body; the body is serialised Arrow batches. Frames
go through the socket. Batches that are sent again and again lie in files in memory, whose
descriptors go with a frame: see `shared_batches`.
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterator, Sequence
from functools import lru_cache

import msgspec
import pyarrow as pa

_HEADER = struct.Struct("!BxxxIQ")
HEAD_BYTES_MAX = 1 << 30
"""Maximum length of a head: that of a catalog's tables has about 20 kB for each store."""
BODY_BYTES_MAX = 1 << 32
"""Longest body: one row of the longest values; more rows are sent in several frames."""
FDS_MAX = 250
"""File descriptors that come with a frame; the kernel takes 253."""
_PARTS_MAX = 256
"""Buffers per system call; the kernel takes 1,024."""
_SHORT_BYTES = 16 << 10
"""Bytes that are read at once where no other frame can follow."""

_SCHEMAS_MAX = 256
"""Schemas that are kept, of some kilobytes each."""
_serialised: dict[int, tuple[pa.Schema, bytes]] = {}
"""By the id of the schema, which lives as long as it is kept; to hash one takes longer."""


class TornFrameError(ConnectionError):
    """The other side has closed in the middle of a frame, or sent malformed bytes."""


class Frame(msgspec.Struct, frozen=True, gc=False):
    """One message."""

    kind: int
    head: bytes
    body: pa.Buffer | None
    fds: tuple[int, ...] = ()
    """The file descriptors that came along; the receiver closes them."""

    @property
    def fd(self) -> int | None:
        """The only file descriptor, or the first."""
        return self.fds[0] if self.fds else None


def send(
    sock: socket.socket,
    kind: int,
    head: bytes = b"",
    body: Sequence[pa.Buffer] = (),
    *,
    fds: Sequence[int] = (),
) -> None:
    """Send one frame, with `FDS_MAX` file descriptors at most.

    Blocks until the other side has read most of it.

    Raises:
        OSError: the other side is gone.
    """
    parts = parts_of(kind, head, body)
    if fds:
        sent = socket.send_fds(sock, parts[:1], fds)
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


def receive(sock: socket.socket, *, fds_max: int = 0, is_alone: bool = False) -> Frame | None:
    """Receive one frame; None if the other side has closed the socket between frames.

    Args:
        sock: the socket to read from.
        fds_max: how many file descriptors may come with it.
        is_alone: whether the other side sends no more before this side does; then a short frame
            takes one system call.

    Raises:
        TornFrameError: the frame is incomplete or malformed.
        OSError: the socket failed.
    """
    size = _SHORT_BYTES if is_alone else _HEADER.size
    if fds_max:
        begun, fds, _, _ = socket.recv_fds(sock, size, fds_max)
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
    return Frame(kind, head, body, tuple(fds))


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


def bytes_of(schema: pa.Schema) -> bytes:
    """Return a schema as bytes; a plan has the same one each time it runs."""
    held = _serialised.get(id(schema))
    if held is None:
        if len(_serialised) >= _SCHEMAS_MAX:
            _serialised.clear()
        held = _serialised[id(schema)] = schema, schema.serialize().to_pybytes()
    return held[1]


@lru_cache(maxsize=_SCHEMAS_MAX)
def schema_of(serialised: bytes) -> pa.Schema:
    """Return the schema that these bytes are; statements that run again have the same ones."""
    return pa.ipc.read_schema(pa.py_buffer(serialised))


def batches_in(
    body: pa.Buffer | None,
    sizes: Sequence[int],
    schema: pa.Schema,
    shared: Iterator[pa.Buffer] | None = None,
) -> list[pa.RecordBatch]:
    """Return the batches of a body, which share its memory.

    Args:
        body: has the batches one after the other.
        sizes: the bytes of each; 0 for one that is the next of the shared ones.
        schema: their schema.
        shared: the bytes of batches in shared memory.

    Raises:
        TornFrameError: the bytes are not batches of this schema.
    """
    found, at = [], 0
    try:
        for size in sizes:
            held = body if size else next(shared or iter(()), None)
            assert held is not None
            found.append(pa.ipc.read_record_batch(held.slice(at, size) if size else held, schema))
            at += size
    except (pa.ArrowException, OSError, EOFError, ValueError, AssertionError) as error:
        raise TornFrameError("a frame holds malformed batches") from error
    return found


def mapped(fds: Sequence[int]) -> list[pa.Buffer]:
    """Return the bytes of files in memory, mapped as long as these live; the files are closed.

    Raises:
        TornFrameError: a file cannot be mapped.
    """
    found: list[pa.Buffer] = []
    try:
        for fd in fds:
            with pa.memory_map(f"/proc/self/fd/{fd}") as file:  # mmap of Python keeps it open
                found.append(file.read_buffer())
    except (pa.ArrowException, OSError) as error:
        raise TornFrameError("a shared batch cannot be mapped") from error
    finally:
        for fd in fds:
            os.close(fd)
    return found

"""What the gateway and its composing processes say to each other, as values.

The gateway is trusted, and pickles what it asks, for parameters are of many types; what comes back
is read as msgpack of known shape.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from enum import IntEnum
from typing import Any, TypeAlias

import msgspec


class Kind(IntEnum):
    """The kinds of frames."""

    LANE = 1
    """Gateway, on the control socket: a socket on which statements come; its head is a number."""
    INTERRUPT = 2
    """Gateway, on the control socket: end the statement of a number that runs on a lane."""
    DROP = 3
    """Gateway, on the control socket: a database is used no more."""
    HELLO = 4
    """Process, on the control socket: it is ready; its head is its id."""
    OPEN = 5
    """Gateway, on a lane: make a database."""
    DESCRIBE = 6
    RUN = 7
    NEXT = 8
    CLOSE = 9
    REPLY = 10
    """Process, on a lane: the answer to each of these."""


NUMBERS = struct.Struct("!QQ")
"""The heads of frames on control sockets: a lane, database or process, and a statement."""


ASK = struct.Struct("!II")
"""On a feed: a relation, by its place in the statement, and a stream of it. Stream 0 goes on where
what came with the statement ends; others begin anew."""


class ForkKind(IntEnum):
    """The kinds of frames that go to the process that forks."""

    START = 1
    KILL = 2


class FeedKind(IntEnum):
    """The kinds of frames on a feed, of which the body is one batch."""

    BATCH = 1
    END = 2
    FAILED = 3


class ProcessLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What the operating system holds a composing process to."""

    memory_bytes: int
    """Of data, as it counts them: what is shared or read from files aside."""


class SentRelation(msgspec.Struct, frozen=True):
    """A relation, as it comes with a statement."""

    name: str
    schema: bytes
    sizes: tuple[int, ...]
    """Bytes of its first batches, which are in the body."""
    is_whole: bool
    """Whether these are all; the others are asked for on the feed."""


class Open(msgspec.Struct, frozen=True):
    """Make a database."""

    database: int
    definition: Any
    """All of it but its tables, for to pickle them would keep the interpreter."""
    tables: tuple[SentRelation, ...]
    """Whole; their rows are in the body."""


class Describe(msgspec.Struct, frozen=True):
    """Give the columns of a statement."""

    number: int
    """Of the statement: no two on a lane have the same."""
    database: int
    sql: str
    relations: Mapping[str, bytes]
    """Serialised schemas by name."""
    parameters: tuple[str, ...]


class Run(msgspec.Struct, frozen=True):
    """Begin a statement and give its first rows."""

    number: int
    database: int
    sql: str
    script: str
    relations: tuple[SentRelation, ...]
    parameters: Mapping[str, Any]
    rows_max: int
    """Rows of a batch."""


class Done(msgspec.Struct, frozen=True, tag=True):
    """The database is there; or the statement has been closed."""


class Described(msgspec.Struct, frozen=True, tag=True):
    """The columns of a statement."""

    kinds: list[str]
    schema: bytes


class Rows(msgspec.Struct, frozen=True, tag=True):
    """Rows; the batches are in the body."""

    sizes: list[int]
    is_last: bool
    """Whether there are no more; the statement has ended then."""
    schema: bytes = b""
    """With the first rows only."""


class Failed(msgspec.Struct, frozen=True, tag=True):
    """DuckDB's error; the statement has ended."""

    kind: str
    text: str
    is_spent: bool = False
    """Whether the process holds too much memory, or is broken, and should be replaced."""


Reply: TypeAlias = Done | Described | Rows | Failed

_encoder = msgspec.msgpack.Encoder()
_decoder: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Done | Described | Rows | Failed)


def encode_reply(reply: Reply) -> bytes:
    """A reply as bytes."""
    return _encoder.encode(reply)


def decode_reply(head: bytes) -> Reply:
    """A reply from its bytes.

    Raises:
        msgspec.MsgspecError: they are none.
    """
    return _decoder.decode(head)

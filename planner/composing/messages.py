"""The messages between the gateway and its composing processes, as values.

The gateway is trusted, so its requests are pickled, with parameters of many types. Replies are
msgpack of known structure.
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
    """Gateway, on the control socket: a new lane, with its socket and number."""
    INTERRUPT = 2
    """Gateway, on the control socket: end a statement, by its lane and number."""
    DROP = 3
    """Gateway, on the control socket: drop a database."""
    HELLO = 4
    """Process, on the control socket: the process is ready; the head has its id."""
    OPEN = 5
    """Gateway, on a lane: make a database."""
    DESCRIBE = 6
    RUN = 7
    NEXT = 8
    CLOSE = 9
    REPLY = 10
    """Process, on a lane: the reply to OPEN, DESCRIBE, RUN, NEXT or CLOSE."""
    JOIN = 11
    """Fork server, to a shared process: serve another gateway process, whose number is the head and
    whose control socket comes along."""
    LEFT = 12
    """Shared process, to the fork server: a gateway process has left, and nothing of it runs."""
    SPENT = 13
    """Shared process, to the fork server: no other gateway process may join."""


NUMBERS = struct.Struct("!QQ")
"""The head of a frame on a control socket, or to and from the fork server: the number of a lane,
database or process, then that of a statement or an answer."""


ASK = struct.Struct("!II")
"""A request on a feed: a relation, by its place in the statement, and the number of a scan. Scan 0
continues after the rows that came with the statement; others begin with the first row."""


class ForkKind(IntEnum):
    """The kinds of frames to the fork server."""

    START = 1
    KILL = 2
    """Kill a process to end a statement; its other statements are not to blame."""
    FAILED = 3
    """Kill a process that has failed, if it still runs."""
    WAS_KILLED = 4
    """Ask whether a process has ended without a fault of its statements."""
    ALONE = 5
    """Ask for the right to run a statement alone in a process."""
    NOT_ALONE = 6
    """Give that right back."""
    ANSWER = 7
    """Fork server: the answer to one of the questions, 0 or 1 after the head's first number."""


class FeedKind(IntEnum):
    """The kinds of frames on a feed.

    The body of a BATCH is one batch; without a body, the batch is in the file that comes along.
    """

    BATCH = 1
    END = 2
    FAILED = 3


class ProcessLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits that the operating system enforces on a composing process."""

    memory_bytes: int
    """RLIMIT_DATA: without memory that is shared or mapped from files."""


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """Start a composing process, or join the one that several gateway processes share."""

    limits: ProcessLimits
    place: int | None = None
    """Which of the shared processes; None for a process that no one else gets."""


class SentRelation(msgspec.Struct, frozen=True):
    """A relation with its first batches, as it is sent with a statement."""

    name: str
    schema: bytes
    sizes: tuple[int, ...]
    """The bytes of each batch in the body; 0 if it is in shared memory, in the next of the files
    that come along."""
    is_whole: bool
    """Whether these are all batches; otherwise the rest is requested on the feed."""


class Open(msgspec.Struct, frozen=True):
    """Make a database."""

    database: int
    definition: Any
    """The `Definition` without its tables: pickling them would hold the GIL."""
    tables: tuple[SentRelation, ...]
    """Its tables, with all rows in the body."""


class Describe(msgspec.Struct, frozen=True):
    """Return the columns of a statement."""

    number: int
    """The statement's number, unique on its lane."""
    database: int
    sql: str
    relations: Mapping[str, bytes]
    """Serialised schemas by name."""
    parameters: tuple[str, ...]


class Run(msgspec.Struct, frozen=True):
    """Begin a statement and return its first rows."""

    number: int
    database: int
    sql: str
    script: str
    relations: tuple[SentRelation, ...]
    parameters: Mapping[str, Any]
    rows_max: int
    """Rows of a batch."""


class Done(msgspec.Struct, frozen=True, tag=True):
    """A database has been made, or a statement closed."""


class Described(msgspec.Struct, frozen=True, tag=True):
    """The columns of a statement."""

    kinds: list[str]
    schema: bytes


class Rows(msgspec.Struct, frozen=True, tag=True):
    """Rows; the batches are in the body."""

    sizes: list[int]
    is_last: bool
    """Whether these are the last rows, after which the statement has ended."""
    schema: bytes = b""
    """Sent with the first rows only."""


class Failed(msgspec.Struct, frozen=True, tag=True):
    """An error of DuckDB; the statement has ended."""

    kind: str
    text: str
    is_spent: bool = False
    """Whether the process should be replaced: it is broken, or holds too much memory."""


RETIRED = "Retired"
"""The kind of `Failed` of a statement that a spent shared process has not begun."""

Reply: TypeAlias = Done | Described | Rows | Failed

_encoder = msgspec.msgpack.Encoder()
_decoder: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Done | Described | Rows | Failed)


def encode_reply(reply: Reply) -> bytes:
    """Return a reply as bytes."""
    return _encoder.encode(reply)


def decode_reply(head: bytes) -> Reply:
    """Return the reply that these bytes encode.

    Raises:
        msgspec.MsgspecError: the bytes are malformed.
    """
    return _decoder.decode(head)

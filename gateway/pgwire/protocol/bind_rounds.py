"""Rounds: perhaps Parse, then Bind, perhaps Describe, Execute and Sync, received in one piece.

A client that looks up many keys sends the same bytes each time except for the key. The reader
keeps how the last round began and ended, so that only the parameters have to be read. Drivers that
prepare no statements send the text with each key: their rounds begin with a Parse.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TypeAlias

from stategate.gateway.pgwire.protocol.client_messages import Parse
from stategate.gateway.pgwire.protocol.decode import read_bind, read_or_refuse, read_parse

_BIND, _PARSE = b"B", b"P"
_LENGTH_BYTES = 4
_NEVER = bytes(16)
"""Bytes that no round ends with: a round ends with the length of a Sync, which is not 0."""
_REMEMBERED_BYTES_MAX = 2048
"""Maximum bytes that are kept of a round: names have about 20, each column's format has 2, and the
text of a Parse is rarely longer."""
_HEADS_MAX = 16
"""Number of lengths of a single parameter that are kept with the bytes before it."""
_LAYOUTS_MAX = 16
"""Number of layouts of several parameters that are kept."""
_LAID_OUT_MAX = 64
"""Maximum number of parameters of a layout, which keeps some 50 bytes for each."""
_EXECUTE_AND_SYNC = b"E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04"
_DESCRIBE_EXECUTE_AND_SYNC = b"D\0\0\0\x06P\0" + _EXECUTE_AND_SYNC
_unpack_length = struct.Struct(">I").unpack_from
_unpack_signed = struct.Struct(">i").unpack_from


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundForm:
    """All fields of a round except its parameters."""

    portal: str
    statement: str
    parameter_formats: tuple[int, ...]
    result_formats: tuple[int, ...]
    described: bool
    """Whether there is a Describe before the Execute."""
    parse: Parse | None = None
    """The Parse before the Bind; both are of the unnamed statement."""


Round: TypeAlias = tuple[RoundForm, tuple[bytes | None, ...]]
"""Form and parameters of a round. A round with the form of the last one has the same object."""


class _Layout:
    """How long each of several parameters is; they are read in one call."""

    __slots__ = ("lengths", "unpack")

    def __init__(self, lengths: tuple[int, ...]) -> None:
        self.lengths = lengths
        self.unpack = struct.Struct(">" + "".join(f"i{length}s" for length in lengths)).unpack_from


class RoundReader:
    """Reads the rounds of one connection.

    Law: `read` returns what `split_round`, `read_parse` and `read_bind` return, whatever was read
    before.
    """

    __slots__ = (
        "_before",
        "_behind",
        "_body_at",
        "_count",
        "_form",
        "_head",
        "_heads",
        "_layouts",
        "_tail",
        "_tail_bytes",
    )

    def __init__(self) -> None:
        self._before = _BIND
        """The bytes of the last round before the length of its Bind, with a Parse if it has one."""
        self._body_at = len(self._before) + _LENGTH_BYTES
        self._head = b""
        """The body of the last Bind up to its first parameter."""
        self._heads: dict[int, bytes] = {}
        """Length of a round with one parameter → its bytes before that parameter."""
        self._layouts: dict[int, _Layout] = {}
        """Bytes of several parameters with their lengths → how they were laid out."""
        self._tail = _NEVER
        """The bytes after its last parameter, including the other messages."""
        self._tail_bytes = len(_NEVER)
        self._behind = 0
        """Bytes of the round that the length field of the Bind does not count."""
        self._count = 0
        self._form = RoundForm(
            portal="", statement="", parameter_formats=(), result_formats=(), described=False
        )

    def read(self, received: bytes) -> Round | None:
        """Return the bytes as a round; None if they are anything else, or more than a round.

        Raises:
            RemoteProtocolError: the Parse or the Bind is not laid out as one.
        """
        head = self._heads.get(len(received))
        if head is not None and received.startswith(head) and received.endswith(self._tail):
            return self._form, (received[len(head) : -self._tail_bytes],)
        before = self._before
        if (
            received.endswith(self._tail)
            and received.startswith(before)
            and received.startswith(self._head, self._body_at)
            and _unpack_length(received, len(before))[0] == len(received) - self._behind
        ):
            parameters = self._parameters(received)
            if parameters is not None:
                return self._form, parameters
        return self._read_whole(received)

    def _parameters(self, received: bytes) -> tuple[bytes, ...] | None:
        """Return the parameters between head and tail; None with a NULL or too many of them."""
        at, end = self._body_at + len(self._head), len(received) - self._tail_bytes
        layout = self._layouts.get(end - at)
        if layout is not None:
            found = layout.unpack(received, at)
            if found[::2] == layout.lengths:
                return found[1::2]
        first, parameters = at, []
        for _ in range(self._count):
            if at + 4 > end:
                return None
            (length,) = _unpack_signed(received, at)
            if length < 0:
                return None
            at += 4
            parameters.append(received[at : at + length])
            at += length
        if at != end:
            return None
        if self._count == 1 and len(self._heads) < _HEADS_MAX:
            self._heads[len(received)] = received[: end - len(parameters[0])]
        elif layout is None and self._count <= _LAID_OUT_MAX and len(self._layouts) < _LAYOUTS_MAX:
            self._layouts[end - first] = _Layout(tuple(map(len, parameters)))
        return tuple(parameters)

    def _read_whole(self, received: bytes) -> Round | None:
        found = split_round(received)
        if found is None:
            return None
        parse_body, body, described = found
        parse = None if parse_body is None else read_or_refuse(read_parse, parse_body)
        portal, statement, parameter_formats, parameters, result_formats = read_or_refuse(
            read_bind, body
        )
        if parse is not None and (parse.statement or statement):
            return None
        form = RoundForm(
            portal=portal,
            statement=statement,
            parameter_formats=parameter_formats,
            result_formats=result_formats,
            described=described,
            parse=parse,
        )
        parse_bytes = 0 if parse_body is None else 1 + _LENGTH_BYTES + len(parse_body)
        body_at = parse_bytes + 1 + _LENGTH_BYTES
        sizes = (4 + (0 if each is None else len(each)) for each in parameters)
        tail_at = body_at + len(body) - _formats_bytes(result_formats)
        head_end = tail_at - sum(sizes)
        if head_end + len(received) - tail_at <= _REMEMBERED_BYTES_MAX:
            self._before, self._body_at = received[: parse_bytes + 1], body_at
            self._head, self._tail = received[body_at:head_end], received[tail_at:]
            self._heads, self._layouts, self._tail_bytes = {}, {}, len(self._tail)
            self._behind = len(received) - len(body) - _LENGTH_BYTES
            self._count, self._form = len(parameters), form
        return form, parameters


def _formats_bytes(formats: tuple[int, ...]) -> int:
    """Return the bytes that format codes take, with their count."""
    return 2 + 2 * len(formats)


def split_round(received: bytes) -> tuple[bytes | None, bytes, bool] | None:
    """Return the Parse and the Bind of bytes that are exactly one round.

    Drivers use the unnamed portal without a row limit, so the other messages are constant.

    Returns:
        The body of the Parse, or None without one; the body of the Bind; and whether the portal is
        described. None if the bytes are not a round.
    """
    if not received.endswith(_EXECUTE_AND_SYNC):
        return None
    described = received.endswith(_DESCRIBE_EXECUTE_AND_SYNC)
    end = len(received)
    end -= len(_DESCRIBE_EXECUTE_AND_SYNC) if described else len(_EXECUTE_AND_SYNC)
    parse: bytes | None = None
    at = 0
    if received.startswith(_PARSE):
        at = 1 + _unpack_length(received, 1)[0]
        parse = received[5:at]
        if at < 5:
            return None
    if not received.startswith(_BIND, at) or end < at + 5:
        return None
    if _unpack_length(received, at + 1)[0] != end - at - 1:
        return None
    return parse, received[at + 5 : end], described

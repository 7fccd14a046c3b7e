"""Rounds of a prepared statement: a Bind and all that runs it, received in one piece.

A client that looks up key after key sends the same bytes again and again but for the key. What
they begin and end with is remembered, so that only the parameters have to be read.
"""

from __future__ import annotations

import struct
from typing import TypeAlias

from gateway.pgwire.codec import BindFields, guarded, read_bind, split_round

Round: TypeAlias = tuple[BindFields, bool]
"""A Bind of a prepared statement with all that runs it, and whether its portal is described."""

_BIND = ord("B")
_BODY_AT = 5
_NEVER = bytes(16)
"""No round ends with it: the last byte of one is that of a Sync's length."""
_REMEMBERED_BYTES_MAX = 1024
"""Of head and tail: names have some 20 bytes, and each column's format two."""
_unpack_length = struct.Struct(">I").unpack_from
_unpack_signed = struct.Struct(">i").unpack_from


class RoundReader:
    """Reads the rounds of one connection.

    Law: `read` gives what `split_round` and `read_bind` give, whatever was read before.
    """

    __slots__ = ("_behind", "_count", "_described", "_head", "_last", "_tail")

    def __init__(self) -> None:
        self._head = b""
        """The body of the last Bind up to its first parameter."""
        self._tail = _NEVER
        """All that followed its last parameter, the other messages included."""
        self._behind = 0
        """Bytes of the round that the Bind's length does not count."""
        self._count = 0
        self._described = False
        self._last: tuple[str, str, tuple[int, ...], tuple[int, ...]] = ("", "", (), ())

    def read(self, received: bytes) -> Round | None:
        """The round that the bytes are; None if they are anything else, or more.

        Raises:
            RemoteProtocolError: the Bind is not laid out as one.
        """
        if (
            received.endswith(self._tail)
            and received.startswith(self._head, _BODY_AT)
            and received[0] == _BIND
            and _unpack_length(received, 1)[0] == len(received) - self._behind
        ):
            parameters = self._parameters(received)
            if parameters is not None:
                portal, statement, parameter_formats, result_formats = self._last
                fields = portal, statement, parameter_formats, parameters, result_formats
                return fields, self._described
        return self._read_whole(received)

    def _parameters(self, received: bytes) -> tuple[bytes, ...] | None:
        """What lies between head and tail, if it is that many parameters and none is NULL."""
        at, end = _BODY_AT + len(self._head), len(received) - len(self._tail)
        parameters = []
        for _ in range(self._count):
            if at + 4 > end:
                return None
            (length,) = _unpack_signed(received, at)
            if length < 0:
                return None
            at += 4
            parameters.append(received[at : at + length])
            at += length
        return tuple(parameters) if at == end else None

    def _read_whole(self, received: bytes) -> Round | None:
        found = split_round(received)
        if found is None:
            return None
        body, described = found
        fields = guarded(read_bind, body)
        portal, statement, parameter_formats, parameters, result_formats = fields
        sizes = (4 + (0 if each is None else len(each)) for each in parameters)
        tail_at = _BODY_AT + len(body) - _formats_bytes(result_formats)
        head_end = tail_at - sum(sizes)
        if head_end + len(received) - tail_at > _REMEMBERED_BYTES_MAX:
            return fields, described
        self._head, self._tail = received[_BODY_AT:head_end], received[tail_at:]
        self._behind = len(received) - len(body) - 4
        self._count, self._described = len(parameters), described
        self._last = portal, statement, parameter_formats, result_formats
        return fields, described


def _formats_bytes(formats: tuple[int, ...]) -> int:
    """The bytes that format codes took, with their count."""
    return 2 + 2 * len(formats)

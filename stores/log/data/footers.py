"""Reads the footer of a Parquet file: how many bytes and values each part of a column has.

pyarrow shows the same, but there a damaged footer ends the whole process: what it calls for a part
of a column passes no errors on. So the few fields that count are read here, from Thrift's compact
protocol, and all others are passed over. Parquet's `parquet.thrift` has their numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from stategate.stores.log.files.directory import RECORD_BYTES_MAX

_TAIL_BYTES = 8
"""The footer's length and the mark at the end of a file."""
_DEPTH_MAX = 32
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
_INTEGERS = frozenset({4, 5, 6})
_BYTE_ARRAY = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """The part of a column in a row group."""

    path: str
    """The name of the column, with those inside it, joined by dots."""
    values: int
    size_bytes: int
    """Of its pages, which may be compressed in the file."""
    is_packed: bool
    """Whether its texts are in a dictionary, each of them once."""


def chunks(stream: Any, size_bytes: int) -> list[Chunk]:
    """Return the parts of the columns of a file, in any order.

    Args:
        stream: the file, which can be read at any place.
        size_bytes: its size.

    Raises:
        ValueError: it has no footer that can be read.
    """
    tail = bytes(stream.read_at(_TAIL_BYTES, max(0, size_bytes - _TAIL_BYTES)))
    length = int.from_bytes(tail[:4], "little")
    if tail[4:] != b"PAR1" or not length <= min(size_bytes - _TAIL_BYTES, RECORD_BYTES_MAX):
        raise ValueError("it has no footer of a Parquet file")
    footer = _Compact(bytes(stream.read_at(length, size_bytes - _TAIL_BYTES - length)))
    found: list[Chunk] = []
    try:
        for field, kind in footer.fields():
            if field == 4:
                for _ in footer.structs(kind):
                    found += _of_group(footer)
            else:
                footer.skip(kind)
    except IndexError as error:
        raise ValueError("its footer is cut") from error
    return found


def _of_group(footer: _Compact) -> Iterator[Chunk]:
    for field, kind in footer.fields():
        if field == 1:
            for _ in footer.structs(kind):
                yield _chunk(footer)
        else:
            footer.skip(kind)


def _chunk(footer: _Compact) -> Chunk:
    found: dict[int, Any] = {}
    for field, kind in footer.fields():
        if field == 3 and kind == _STRUCT:
            found = _column(footer)
        else:
            footer.skip(kind)
    return Chunk(
        path=".".join(found.get(3, [])),
        values=found.get(5, 0),
        size_bytes=found.get(6, 0),
        is_packed=found.get(1) == _BYTE_ARRAY and 11 in found,
    )


def _column(footer: _Compact) -> dict[int, Any]:
    found: dict[int, Any] = {}
    for field, kind in footer.fields():
        if field == 3:
            found[field] = footer.texts(kind)
        elif kind in _INTEGERS:
            found[field] = footer.integer()
        else:
            footer.skip(kind)
    return found


class _Compact:
    """Reads values of Thrift's compact protocol one after the other.

    Its methods raise an IndexError at the end of the bytes, and a ValueError for anything else that
    is wrong.
    """

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def fields(self) -> Iterator[tuple[int, int]]:
        """Yield the number and kind of each field of a struct, whose value is read meanwhile."""
        field = 0
        while head := self._byte():
            kind = head & 15
            field = field + (head >> 4) if head >> 4 else self.integer()
            yield field, kind

    def structs(self, kind: int) -> Iterator[None]:
        """Yield once for each struct of a list, which is read meanwhile."""
        count, of = self._list(kind)
        if count and of != _STRUCT:
            raise ValueError(f"its footer has a list of {of} in place of structs")
        for _ in range(count):
            yield

    def texts(self, kind: int) -> list[str]:
        """Read a list of texts."""
        count, of = self._list(kind)
        if count and of != _BINARY:
            raise ValueError(f"its footer has a list of {of} in place of texts")
        return [self._bytes().decode() for _ in range(count)]

    def integer(self) -> int:
        """Read an integer."""
        number = self._number()
        return (number >> 1) ^ -(number & 1)

    def skip(self, kind: int, depth: int = _DEPTH_MAX) -> None:
        """Pass over a value."""
        if not depth:
            raise ValueError("its footer is nested too deep")
        if kind in _INTEGERS:
            self._number()
        elif kind == _BINARY:
            self._bytes()
        elif kind == _STRUCT:
            for _, of in self.fields():
                self.skip(of, depth - 1)
        elif kind in {_LIST, _SET}:
            self._skip_list(kind, depth - 1)
        elif kind == _BYTE:
            self._byte()
        elif kind == _DOUBLE:
            self._pass(8)
        elif kind not in {_TRUE, _FALSE}:
            raise ValueError(f"its footer has a value of kind {kind}")

    def _skip_list(self, kind: int, depth: int) -> None:
        count, of = self._list(kind)
        for _ in range(count):
            # A truth value is a byte in a list, and no byte in a struct.
            self.skip(_BYTE if of in {_TRUE, _FALSE} else of, depth)

    def _list(self, kind: int) -> tuple[int, int]:
        if kind not in {_LIST, _SET}:
            raise ValueError(f"its footer has a value of kind {kind} in place of a list")
        head = self._byte()
        return (self._number() if head >> 4 == 15 else head >> 4), head & 15

    def _bytes(self) -> bytes:
        size = self._number()
        begin = self._at
        self._pass(size)
        return self._data[begin : self._at]

    def _pass(self, size: int) -> None:
        self._at += size
        if self._at > len(self._data):
            raise IndexError(self._at)

    def _byte(self) -> int:
        found = self._data[self._at]
        self._at += 1
        return found

    def _number(self) -> int:
        data, at = self._data, self._at
        number = shift = 0
        while (byte := data[at]) & 128:
            number |= (byte & 127) << shift
            shift += 7
            at += 1
            if shift > 63:
                raise ValueError("its footer has a number of more than 64 bits")
        self._at = at + 1
        return number | byte << shift

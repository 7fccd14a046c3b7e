"""Spans, of which `range_cache` is made: ranges of keys with the decoded rows of all entries."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from msgspec import Struct

from stategate.stores.spec.schema import Row

SPAN_BYTES = 500
"""Overhead of a span, excluding its rows."""
_HOLES_MAX = 2
"""A span with more than one hole in this many keys is dropped."""


class Span(Struct, eq=False):
    """All entries in a range of keys; readers may have it, so it does not change."""

    start: bytes
    end: bytes
    """The start is inclusive, the end exclusive."""
    keys: list[bytes]
    rows: list[Row | None]
    """The row of each key; None if an epoch has changed or deleted it since."""
    row_bytes: int
    """About how much memory one of its rows takes."""
    holes: int = 0
    """How many rows are None."""
    is_read: bool = False
    """Whether it was read since it was cached, or since it was last spared."""

    @property
    def size_bytes(self) -> int:
        """The memory that it takes."""
        return SPAN_BYTES + len(self.keys) * self.row_bytes

    def joined(self, after: Span) -> Span:
        """Return one span for this one and the one that begins where it ends."""
        keys, rows = self.keys + after.keys, self.rows + after.rows
        taken = len(self.keys) * self.row_bytes + len(after.keys) * after.row_bytes
        row_bytes = _mean(taken, len(keys))
        holes, is_read = self.holes + after.holes, self.is_read or after.is_read
        return Span(self.start, after.end, keys, rows, row_bytes, holes, is_read)

    def patched(self, read: ReadRange) -> Span:
        """Return this span with the entries that a range has now."""
        part = read.part(max(self.start, read.start), min(self.end, read.end))
        first = bisect_left(self.keys, part.start)
        last = bisect_left(self.keys, part.end, first)
        keys = self.keys[:first] + part.keys + self.keys[last:]
        rows = self.rows[:first] + part.rows + self.rows[last:]
        left = len(keys) - len(part.keys)
        row_bytes = _mean(left * self.row_bytes + len(part.keys) * part.row_bytes, len(keys))
        holes = self.holes - self.rows[first:last].count(None)
        return Span(self.start, self.end, keys, rows, row_bytes, holes, self.is_read)

    def without(self, changed: Sequence[bytes]) -> Span | None:
        """Return this span without the rows of some keys; None if few rows are left.

        The keys stay, since each may have a row now, or none.
        """
        keys, rows, holes = self.keys, list(self.rows), self.holes
        for key in changed:
            at = bisect_left(keys, key)
            if at == len(keys) or keys[at] != key:
                if keys is self.keys:
                    keys = list(keys)
                keys.insert(at, key)
                rows.insert(at, None)
                holes += 1
            elif rows[at] is not None:
                rows[at] = None
                holes += 1
        if holes * _HOLES_MAX > len(keys):
            return None
        return Span(self.start, self.end, keys, rows, self.row_bytes, holes, self.is_read)


class ReadRange(Struct, eq=False):
    """What was read of a range: all of its entries, and the memory that each takes."""

    start: bytes
    end: bytes
    keys: list[bytes]
    rows: list[Row]
    sizes: list[int]

    def part(self, start: bytes, end: bytes) -> Span:
        """Return the part of a range within this one."""
        first = bisect_left(self.keys, start)
        last = bisect_left(self.keys, end, first)
        rows: list[Row | None] = [*self.rows[first:last]]
        row_bytes = _mean(sum(self.sizes[first:last]), last - first)
        return Span(start, end, self.keys[first:last], rows, row_bytes)


def _mean(size_bytes: int, rows: int) -> int:
    return -(-size_bytes // max(1, rows))

"""Decoded rows of ranges of keys that were read, so that the next read need not walk RocksDB.

A seek takes some 7 µs, and walking and decoding 0.7 µs a row; a range that is cached takes 2 µs,
however many rows it has. Like `row_cache`, it has rows of the newest view only, an epoch removes
what it changes, and older views are read without it.

The cache has spans: ranges of keys, each with all of its entries. Ranges that overlap are kept
once, and spans that touch are joined while they have few rows. So small ranges that are drawn
anywhere become a whole, and no read reads more than it needs. What an epoch changes becomes a hole
in its span until it is read again.
"""

from __future__ import annotations

import itertools
import threading
from bisect import bisect_left, bisect_right, insort
from typing import Any

from stategate.stores.engines.rocksdb.readers import Entries
from stategate.stores.engines.rocksdb.row_budget import RowBudget
from stategate.stores.engines.rocksdb.row_cache import ROW_BYTES_MAX, ChangedKeys
from stategate.stores.engines.rocksdb.spans import SPAN_BYTES, ReadRange, Span
from stategate.stores.spec.query import Order
from stategate.stores.spec.schema import Row

SPAN_ROWS_MAX = 256
"""Spans that would have more rows together are not joined: an epoch copies those that it changes.
"""
_ROW_BYTES, _VALUE_BYTES = 90, 40
"""Overhead of a row: its key, its tuple, and their places in lists; and of a value as an object."""
_SHARE_OF_ONE = 8
"""A range that would take more than one part in this many of the memory is not cached."""
_ADMITTED = 8
"""One missing range in this many is cached, and those with a hole. To cache one takes as long as to
read it, and of a large store most ranges are read once; what is read often soon gets in."""
_SPARED_MAX = 8
"""Spans spared in a row, so that there is room for one more even if all are read often."""
_FREED_BYTES_MAX = 256 << 10
"""Freed at once by a read, or twice what it adds: after the limit has shrunk, the excess goes bit
by bit."""


class RangeCache:
    """The cached ranges of one partition; the oldest span that was not read since goes first.

    Law: the rows it gives for a view are those of that view, all of them and no others, whatever
    other threads do meanwhile.

    Reads take no lock: spans do not change, they name the range that they have, and the view is
    checked last.

    Args:
        budget: the budget of the host.
        columns: how many columns a row has.
    """

    __slots__ = (
        "_account",
        "_budget",
        "_changing",
        "_holes",
        "_is_open",
        "_missed",
        "_row_bytes",
        "_spans",
        "_starts",
        "_view",
    )

    def __init__(self, budget: RowBudget, *, columns: int) -> None:
        self._budget = budget
        self._account = budget.account(self)
        self._spans: dict[bytes, Span] = {}
        """The spans by their starts, the oldest first."""
        self._starts: list[bytes] = []
        """Their starts in order."""
        self._view: object = None
        """The newest view, by an object that identifies it; None while it changes."""
        self._changing = threading.Lock()
        self._holes = 0
        self._missed = 0
        """How many ranges were missing."""
        self._row_bytes = _ROW_BYTES + _VALUE_BYTES * columns
        self._is_open = True

    def __len__(self) -> int:
        return len(self._spans)

    def get(
        self, view: object, start: bytes, end: bytes, order: Order, rows_max: int
    ) -> list[Row] | None:
        """Return the first rows of a range in an order; None if not all of them are cached.

        Args:
            view: the view to read.
            start: where the range begins, inclusive.
            end: where it ends, exclusive; after `start`.
            order: the order of the rows.
            rows_max: how many rows to return, at least one.
        """
        # Of a large store few ranges are cached, so to find none must cost little.
        if not self._starts:
            return None
        read = self._ascending if order is Order.ASCENDING else self._descending
        found = read(start, end, rows_max)
        # The view is checked afterwards: if it is the newest now, no span can be of another.
        return found if view is self._view else None

    def _ascending(self, start: bytes, end: bytes, rows_max: int) -> list[Any] | None:
        try:
            # Before the first one, this is the last one, which does not have the start.
            span = self._spans[self._starts[bisect_right(self._starts, start) - 1]]
        except (IndexError, KeyError):  # another thread has just removed it
            return None
        if not span.start <= start < span.end:
            return None
        span.is_read = True
        holes, first = span.holes, bisect_left(span.keys, start)
        last = first + rows_max
        if end <= span.end:  # most ranges are in one span
            last = min(last, bisect_left(span.keys, end, first))
        found = span.rows[first:last]
        while len(found) < rows_max and span.end < end:
            following = self._spans.get(span.end)
            if following is None:
                return None
            span = following
            span.is_read = True
            holes += span.holes
            last = len(span.keys) if span.end <= end else bisect_left(span.keys, end)
            found += span.rows[: min(last, rows_max - len(found))]
        return None if holes and None in found else found

    def _descending(self, start: bytes, end: bytes, rows_max: int) -> list[Any] | None:
        at = bisect_left(self._starts, end) - 1
        span = self._at(at)
        if span is None or not span.start < end <= span.end:
            return None
        found: list[Row | None] = []
        holes, last = 0, bisect_left(span.keys, end)
        while True:
            span.is_read = True
            holes += span.holes
            first = 0 if start <= span.start else bisect_left(span.keys, start)
            found += reversed(span.rows[max(first, last - rows_max + len(found)) : last])
            if len(found) == rows_max or start >= span.start:
                return None if holes and None in found else found
            at -= 1
            before = self._at(at)
            if before is None or before.end != span.start:
                return None
            span, last = before, len(before.keys)

    def _at(self, place: int) -> Span | None:
        """Return the span of a place in the order of starts, if there is one."""
        if place < 0:
            return None
        try:
            return self._spans.get(self._starts[place])
        except IndexError:  # another thread has just removed some
            return None

    def admits(self, entries: Entries) -> bool:
        """Whether to cache the entries that were read of a range: ask before they are decoded.

        Args:
            entries: their keys and rows as stored, in either order.
        """
        keys, stored = entries
        self._missed += 1
        if self._missed % _ADMITTED and not (self._holes and keys and self._has_hole_near(keys[0])):
            return False
        stored_bytes = sum(map(len, keys)) + sum(map(len, stored))
        size_bytes = SPAN_BYTES + len(keys) * self._row_bytes + 2 * stored_bytes
        if size_bytes > self._account.limit_bytes // _SHARE_OF_ONE:
            return False
        return max(map(len, stored), default=0) <= ROW_BYTES_MAX

    def _has_hole_near(self, key: bytes) -> bool:
        span = self._at(bisect_right(self._starts, key) - 1)
        return span is not None and span.holes > 0 and key < span.end

    def _sizes(self, entries: Entries) -> list[int]:
        """Return about how much memory the row of each entry takes."""
        overhead = self._row_bytes
        return [
            overhead + 2 * (len(key) + len(stored)) for key, stored in zip(*entries, strict=True)
        ]

    def put(
        self, view: object, start: bytes, end: bytes, entries: Entries, rows: list[Row]
    ) -> None:
        """Cache a range, if it was read from the newest view.

        Args:
            view: the view that it was read from.
            start: where the range begins, inclusive.
            end: where it ends, exclusive.
            entries: all of its entries in ascending order.
            rows: these entries decoded, of immutable values.
        """
        # An epoch may hold the lock for a while, and a reader must not wait only to cache.
        if start >= end or not self._changing.acquire(blocking=False):
            return
        try:
            if view is self._view:
                read = ReadRange(start, end, entries[0], rows, self._sizes(entries))
                self._fill(read)
                self._make_room(max(_FREED_BYTES_MAX, 2 * sum(read.sizes)))
        finally:
            self._changing.release()
        self._budget.relieve(self)

    def shrink(self) -> None:
        """Free some of what is beyond the limit, if no one else changes the cache now."""
        if self._changing.acquire(blocking=False):
            try:
                self._make_room(_FREED_BYTES_MAX)
            finally:
                self._changing.release()

    def _fill(self, new: ReadRange) -> None:
        """Add the parts of a range that are not cached, and fill holes."""
        at = bisect_right(self._starts, new.start) - 1
        begin = new.start
        missing: list[Span] = []
        present = self._at(at) or self._at(at := at + 1)
        while present is not None and present.start < new.end:
            if begin < present.start:
                missing.append(new.part(begin, present.start))
            if begin < present.end:
                begin = present.end
                if present.holes:
                    self._replace(present, present.patched(new))
            present = self._at(at := at + 1)
        if begin < new.end:
            missing.append(new.part(begin, new.end))
        for part in missing:
            self._add(part)

    def _add(self, span: Span) -> None:
        """Add a span, joined with its neighbours as far as they are small."""
        at = bisect_left(self._starts, span.start)
        before, after = self._at(at - 1), self._spans.get(span.end)
        if before is not None and before.end == span.start and _is_small(before, span):
            self._remove(before)
            span = before.joined(span)
        if after is not None and _is_small(span, after):
            self._remove(after)
            span = span.joined(after)
        self._insert(span)

    def _insert(self, span: Span) -> None:
        # Readers that do not find the start yet read the database.
        self._spans[span.start] = span
        insort(self._starts, span.start)
        self._account.add(span.size_bytes)
        self._holes += span.holes

    def _replace(self, span: Span, by: Span) -> None:
        self._spans[span.start] = by
        self._account.add(by.size_bytes - span.size_bytes)
        self._holes += by.holes - span.holes

    def _remove(self, span: Span) -> None:
        del self._starts[bisect_left(self._starts, span.start)]
        del self._spans[span.start]
        self._account.add(-span.size_bytes)
        self._holes -= span.holes

    def _make_room(self, freed_max: int) -> None:
        account, spared = self._account, 0
        least = max(account.limit_bytes, account.used_bytes - freed_max)
        while account.used_bytes > least and self._spans:
            oldest = next(iter(self._spans.values()))
            if oldest.is_read and spared < _SPARED_MAX:
                oldest.is_read = False
                self._spans[oldest.start] = self._spans.pop(oldest.start)
                spared += 1
                continue
            self._remove(oldest)

    def advance(self, view: object, changed: ChangedKeys) -> None:
        """Remove what a new view changes; it is about to be the newest.

        Args:
            view: the new view.
            changed: the keys whose rows may differ from the view before.
        """
        with self._changing:
            # Neither `get` nor `put` has an effect meanwhile.
            self._view = None
            if changed.keys is None or changed.count > self._cached_rows():
                # Looking for each of so many keys would take longer than reading ranges again.
                self._clear()
            else:
                self._forget(sorted(itertools.chain.from_iterable(changed.keys)))
                self._make_room(self._account.used_bytes)
            self._view = view if self._is_open else None

    def _cached_rows(self) -> int:
        return self._account.used_bytes // self._row_bytes

    def _forget(self, changed: list[bytes]) -> None:
        """Remove the rows of keys in ascending order."""
        at = 0
        while at < len(changed):
            place = bisect_right(self._starts, changed[at])
            span = self._at(place - 1)
            if span is not None and changed[at] < span.end:
                last = bisect_left(changed, span.end, at)
                left = span.without(changed[at:last])
                if left is None:
                    self._remove(span)
                else:
                    self._replace(span, left)
                at = last
            elif place < len(self._starts):
                at = bisect_left(changed, self._starts[place], at)
            else:
                return

    def _clear(self) -> None:
        self._spans.clear()
        self._starts.clear()
        self._holes = 0
        self._account.add(-self._account.used_bytes)

    def close(self) -> None:
        """Drop all rows, and keep none from now on."""
        with self._changing:
            self._is_open, self._view = False, None
            self._clear()


def _is_small(first: Span, second: Span) -> bool:
    return len(first.keys) + len(second.keys) <= SPAN_ROWS_MAX

"""Rows that were looked up, kept decoded: one that is asked for again is not read again.

A row costs some 3 µs to read and to decode where RocksDB has its block in memory; here it costs a
tenth of that. Each is kept for the view that it was read from, so that it is never older nor newer
than what the view holds; those of views that nobody asks any more are the first to go.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TypeAlias

from stores.schema import Row

At: TypeAlias = bytes
"""The token of a reader, and a key's bytes behind it."""
Kept: TypeAlias = tuple[Row | None, int]
"""A row, or None if there is no such key; and the memory that it takes."""

ROW_BYTES_MAX = 16 << 10
"""A stored row that is larger is not kept: to read it costs more than to find it."""
_ENTRY_BYTES = 150
"""Of what is kept beside the row's values."""
_VALUE_BYTES = 50
"""Of a value as an object, beyond its bytes."""


class RowBudget:
    """What the partitions of a host may keep of rows, in equal shares.

    Args:
        capacity_bytes: of all together; 0 keeps none.
    """

    def __init__(self, capacity_bytes: int) -> None:
        self.capacity_bytes = capacity_bytes
        self.share_bytes = capacity_bytes
        """Of each partition."""
        self._members = 0
        self._lock = threading.Lock()

    def join(self) -> None:
        """One more partition takes its share."""
        self._change(1)

    def leave(self) -> None:
        """A partition needs its share no longer."""
        self._change(-1)

    def _change(self, by: int) -> None:
        with self._lock:
            self._members += by
            self.share_bytes = self.capacity_bytes // max(1, self._members)


class RowCache:
    """The rows of one partition, the least recently read ones leaving first.

    Safe to use from many threads.

    Args:
        budget: the host's.
        columns: value columns of a row.
    """

    __slots__ = ("_budget", "_changing", "_is_open", "_row_bytes", "_rows", "_used_bytes")

    def __init__(self, budget: RowBudget, *, columns: int) -> None:
        self._budget = budget
        self._rows: OrderedDict[At, Kept] = OrderedDict()
        self._changing = threading.Lock()
        self._used_bytes = 0
        self._row_bytes = _ENTRY_BYTES + _VALUE_BYTES * columns
        self._is_open = True
        budget.join()

    def __len__(self) -> int:
        return len(self._rows)

    def get(self, at: At) -> Kept | None:
        """What was read; None if it is not kept."""
        found = self._rows.get(at)
        if found is not None:
            try:
                self._rows.move_to_end(at)
            except KeyError:  # another thread has just thrown it out
                return found
        return found

    def put(self, at: At, row: Row | None, stored_bytes: int) -> None:
        """Keep what was read.

        Args:
            at: of which view, under which key.
            row: decoded, and of values that nobody can change.
            stored_bytes: of the row as it is stored, 0 if there is none.
        """
        size = self._row_bytes + 2 * stored_bytes + len(at)
        with self._changing:
            if stored_bytes > ROW_BYTES_MAX or at in self._rows or not self._is_open:
                return
            self._rows[at] = row, size
            self._used_bytes += size
            while self._used_bytes > self._budget.share_bytes:
                _, (_, freed) = self._rows.popitem(last=False)
                self._used_bytes -= freed

    def close(self) -> None:
        """Keep nothing any more."""
        with self._changing:
            if self._is_open:
                self._is_open = False
                self._rows.clear()
                self._budget.leave()

"""Rows of the newest view that were looked up, kept decoded: the next lookup does not read them.

A row costs some 3 µs to read and to decode where RocksDB has its block in memory; here it costs a
tenth of that. An epoch takes away what it changes and leaves the rest. Views other than the newest
are read without.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

from msgspec import Struct

from stores.spec.schema import Row

ROW_BYTES_MAX = 16 << 10
"""A stored row that is larger is not kept: to read it costs more than to find it."""
CHANGED_MAX = 1 << 20
"""Keys of an epoch, beyond which all rows go: to remember more would take more than it saves."""
_TURNED_OVER_MAX = 16
"""Rows that one more throws out or spares: when the share has shrunk, the others go bit by bit."""
_SPARED_MAX = 8
"""Of these: so that there is room for one more however often all of them are read."""
_ENTRY_BYTES = 150
"""Of what is kept beside the row's values."""
_VALUE_BYTES = 50
"""Of a value as an object, beyond its bytes."""


class Kept(Struct, gc=False):
    """What is kept of one key."""

    row: Row | None
    """None if there is no such key."""
    size_bytes: int
    """The memory that it takes."""
    is_read: bool = False
    """Whether it was found since it was kept, or since it was last spared."""


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


class ChangedKeys:
    """The keys that an epoch changes; all there are, if it was not worth to collect them.

    Args:
        wanted: whether there are rows for which it matters.
    """

    __slots__ = ("_left", "keys")

    def __init__(self, *, wanted: bool) -> None:
        self.keys: list[list[bytes]] | None = [] if wanted else None
        """Some at a time; None for all."""
        self._left = CHANGED_MAX

    def add(self, keys: list[bytes]) -> None:
        """Some more."""
        if self.keys is not None:
            self._left -= len(keys)
            if self._left < 0:
                self.keys = None
            else:
                self.keys.append(keys)


class RowCache:
    """The rows of one partition; the first to leave is the oldest that was not read meanwhile.

    That is second chance, which keeps nearly what LRU does and leaves the order alone where a row
    is found: to move it to the end takes as long as to find it, as its neighbours are far off.

    Law: what it gives for a view is what the view holds, whatever other threads do meanwhile.

    Args:
        budget: the host's.
        columns: value columns of a row.
    """

    __slots__ = ("_budget", "_changing", "_is_open", "_row_bytes", "_rows", "_used_bytes", "_view")

    def __init__(self, budget: RowBudget, *, columns: int) -> None:
        self._budget = budget
        self._rows: OrderedDict[bytes, Kept] = OrderedDict()
        self._view: object = None
        """The newest, by whatever tells it from all others."""
        self._changing = threading.Lock()
        self._used_bytes = 0
        self._row_bytes = _ENTRY_BYTES + _VALUE_BYTES * columns
        self._is_open = True
        budget.join()

    def __len__(self) -> int:
        return len(self._rows)

    def get(self, view: object, key: bytes) -> Kept | None:
        """What a view holds under a key; None if that is not kept."""
        found = self._rows.get(key)
        # Looked at afterwards: if it is still the newest now, no other had rows here before.
        if found is None or view is not self._view:
            return None
        found.is_read = True
        return found

    def put(self, view: object, key: bytes, row: Row | None, stored_bytes: int) -> None:
        """Keep what was read, if it was read from the newest view.

        Args:
            view: that it was read from.
            key: its bytes.
            row: decoded, and of values that nobody can change.
            stored_bytes: of the row as it is stored, 0 if there is none.
        """
        size = self._row_bytes + 2 * stored_bytes + len(key)
        with self._changing:
            if view is not self._view or key in self._rows or stored_bytes > ROW_BYTES_MAX:
                return
            self._rows[key] = Kept(row, size)
            self._used_bytes += size
            if self._used_bytes > self._budget.share_bytes:
                self._make_room()

    def _make_room(self) -> None:
        spared = 0
        for _ in range(_TURNED_OVER_MAX):
            key, oldest = self._rows.popitem(last=False)
            if oldest.is_read and spared < _SPARED_MAX:
                oldest.is_read = False
                self._rows[key] = oldest
                spared += 1
                continue
            self._used_bytes -= oldest.size_bytes
            if self._used_bytes <= self._budget.share_bytes:
                break

    def begin(self) -> ChangedKeys:
        """An epoch begins: collect in this what it changes, for `advance`."""
        return ChangedKeys(wanted=bool(self._rows))

    def advance(self, view: object, changed: ChangedKeys) -> None:
        """Another view is about to be the newest.

        Args:
            view: that it is.
            changed: the keys under which it may differ from the one before.
        """
        with self._changing:
            self._view = view if self._is_open else None
            if changed.keys is None:
                self._rows.clear()
                self._used_bytes = 0
                return
            take = self._rows.pop
            for keys in changed.keys:
                for key in keys:
                    found = take(key, None)
                    if found is not None:
                        self._used_bytes -= found.size_bytes

    def close(self) -> None:
        """Keep nothing any more."""
        with self._changing:
            if self._is_open:
                self._is_open, self._view = False, None
                self._rows.clear()
                self._budget.leave()

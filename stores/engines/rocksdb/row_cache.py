"""Decoded rows of the newest view that were looked up, so that the next lookup need not read them.

Reading and decoding a row takes some 3 µs if RocksDB has its block in memory; here it takes a tenth
of that. An epoch removes the rows that it changes and leaves the others. Older views are read
without the cache.

While there is room, a row is cached when it is read. Then it is when its key is looked up for the
second time: of a large store most keys are looked up once, and would push out those in demand.
"""

from __future__ import annotations

import threading
from array import array
from collections import OrderedDict
from collections.abc import Callable, Sequence

from msgspec import Struct

from stategate.stores.engines.rocksdb.row_budget import RowBudget
from stategate.stores.spec.schema import Row

ROW_BYTES_MAX = 16 << 10
"""Larger rows are not cached: reading one takes so long that a cache saves little."""
CHANGED_MAX = 1 << 20
"""An epoch that changes more keys clears the cache: collecting them would cost more."""
_TURNED_OVER_MAX = 16
"""Rows examined to make room for one: after the limit has shrunk, the excess goes bit by bit."""
_SPARED_MAX = 8
"""Rows spared among these, so that there is room for one more even if all are read often."""
_MARKS_MIN = 256
_MARKS_MAX = 1 << 18
_MARKS_GROWTH = 4
_MARK_BYTES = 8
_ENTRY_BYTES = 150
"""Overhead per cached row, excluding its values."""
_VALUE_BYTES = 50
"""Overhead per value as an object, excluding its bytes."""


class CachedRow(Struct, gc=False):
    """The cached row of one key."""

    row: Row | None
    """None if the key is missing."""
    size_bytes: int
    """The memory that it takes."""
    is_read: bool = False
    """Whether it was read since it was cached, or since it was last spared."""


class ChangedKeys:
    """The keys that an epoch changes; all keys, if collecting them would not pay.

    Args:
        wanted: whether there are cached rows at all.
    """

    __slots__ = ("_left", "keys")

    def __init__(self, *, wanted: bool) -> None:
        self.keys: list[list[bytes]] | None = [] if wanted else None
        """Lists of keys; None for all keys."""
        self._left = CHANGED_MAX

    @property
    def count(self) -> int:
        """How many keys were collected."""
        return CHANGED_MAX - self._left

    def add(self, keys: list[bytes]) -> None:
        """Add keys."""
        if self.keys is not None:
            self._left -= len(keys)
            if self._left < 0:
                self.keys = None
            else:
                self.keys.append(keys)


class SeenKeys:
    """Keys that were looked up a while ago, by their hashes. A later key may take the place of one.

    It grows while keys lose their places, up to about as many places as there are rows to cache.
    Threads may share it: a key that is lost or found by mistake costs only time.
    """

    __slots__ = ("_lost", "_marks")

    def __init__(self) -> None:
        self._marks = array("q")
        """As many as a power of two; none before the first key."""
        self._lost = 0
        """How many keys have lost their places since it grew."""

    @property
    def size_bytes(self) -> int:
        """The memory of the places."""
        return len(self._marks) * _MARK_BYTES

    def has_seen(self, key: bytes, rows_max: Callable[[], int]) -> bool:
        """Whether a key was given before; it is seen from now on.

        Args:
            key: its encoded key.
            rows_max: returns about how many rows can be cached.
        """
        marks = self._marks or self._grown(_MARKS_MIN)
        mark = hash(key)
        place = mark & (len(marks) - 1)
        found = marks[place]
        if found == mark:
            return True
        marks[place] = mark
        if found:
            self._lost += 1
            if self._lost > len(marks) < _MARKS_MAX and len(marks) < rows_max():
                self._grown(_MARKS_GROWTH * len(marks))
        return False

    def _grown(self, places: int) -> array[int]:
        self._lost = 0
        self._marks = found = array("q", bytes(_MARK_BYTES * places))
        return found


class RowCache:
    """The cached rows of one partition; the oldest row that was not read since goes first.

    This is the second-chance policy. It keeps nearly the same rows as LRU, but a read does not move
    the row to the end, which would take as long as finding it.

    Law: the row it gives for a view is the row of that view, whatever other threads do meanwhile.

    Args:
        budget: the budget of the host.
        columns: how many value columns a row has.
    """

    __slots__ = (
        "_account",
        "_budget",
        "_changing",
        "_is_open",
        "_row_bytes",
        "_rows",
        "_seen",
        "_view",
    )

    def __init__(self, budget: RowBudget, *, columns: int) -> None:
        self._budget = budget
        self._account = budget.account(self)
        self._rows: OrderedDict[bytes, CachedRow] = OrderedDict()
        self._view: object = None
        """The newest view, by an object that identifies it."""
        self._changing = threading.Lock()
        self._seen = SeenKeys()
        self._row_bytes = _ENTRY_BYTES + _VALUE_BYTES * columns
        self._is_open = True

    def __len__(self) -> int:
        return len(self._rows)

    def get(self, view: object, key: bytes) -> CachedRow | None:
        """Return the cached row of a key in a view; None if it is not cached."""
        found = self._rows.get(key)
        # The view is checked afterwards: if it is the newest now, the row cannot be of another.
        if found is None or view is not self._view:
            return None
        found.is_read = True
        return found

    def get_all(self, view: object, keys: Sequence[bytes]) -> list[CachedRow | None]:
        """Return the cached rows of keys in their order, as `get` does, without a call for each."""
        found = list(map(self._rows.get, keys))
        if view is not self._view:
            return [None] * len(found)
        for each in found:
            if each is not None:
                each.is_read = True
        return found

    def admits(self, key: bytes) -> bool:
        """Whether to cache the row of a key that was read now.

        Args:
            key: its encoded key.
        """
        return self._budget.has_room or self._seen.has_seen(key, self._rows_max)

    def _rows_max(self) -> int:
        return self._account.limit_bytes // self._row_bytes

    def put(self, view: object, key: bytes, row: Row | None, stored_bytes: int) -> None:
        """Cache a row, if it was read from the newest view.

        Args:
            view: the view that it was read from.
            key: its encoded key.
            row: the decoded row, of immutable values; None if the key is missing.
            stored_bytes: size of the stored row, 0 if the key is missing.
        """
        size = self._row_bytes + 2 * stored_bytes + len(key)
        with self._changing:
            if view is not self._view or key in self._rows or stored_bytes > ROW_BYTES_MAX:
                return
            self._rows[key] = CachedRow(row, size)
            self._account.add(size)
            self._make_room()
        self._budget.relieve(self)

    def shrink(self) -> None:
        """Free some of what is beyond the limit, if no one else changes the cache now."""
        if self._changing.acquire(blocking=False):
            try:
                if self._rows:
                    self._make_room()
            finally:
                self._changing.release()

    def _make_room(self) -> None:
        account, limit_bytes, spared = self._account, self._account.limit_bytes, 0
        for _ in range(_TURNED_OVER_MAX):
            if account.used_bytes <= limit_bytes:
                break
            key, oldest = self._rows.popitem(last=False)
            if oldest.is_read and spared < _SPARED_MAX:
                oldest.is_read = False
                self._rows[key] = oldest
                spared += 1
                continue
            account.add(-oldest.size_bytes)

    def advance(self, view: object, changed: ChangedKeys) -> None:
        """Drop the rows that a new view changes; it is about to be the newest.

        Args:
            view: the new view.
            changed: the keys whose rows may differ from the view before.
        """
        with self._changing:
            self._view = view if self._is_open else None
            if changed.keys is None:
                self._clear()
                return
            take = self._rows.pop
            for keys in changed.keys:
                for key in keys:
                    found = take(key, None)
                    if found is not None:
                        self._account.add(-found.size_bytes)

    def close(self) -> None:
        """Drop all rows, and keep none from now on."""
        with self._changing:
            if self._is_open:
                self._is_open, self._view = False, None
                self._clear()

    def _clear(self) -> None:
        self._rows.clear()
        self._account.add(-self._account.used_bytes)

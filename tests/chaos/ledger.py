"""The records that a run wrote to Kafka, and the rows of each store at any position of them."""

from __future__ import annotations

import math
import threading
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

TOPIC = "orders"
STORES = ("latest", "totals", "windows", "sessions")
WINDOW_MS = 10_000
GAP_MS = 5_000
"""Pause that ends a session."""
WINDOWED = ("windows", "sessions")
"""Stores whose rows have a window."""
ASKED = ("latest", "totals", "windows")
"""Stores whose rows follow from a position alone; sessions also depend on the watermark."""

Position: TypeAlias = Mapping[int, int]
"""Partition of the topic → the last offset that is reflected."""
Row: TypeAlias = tuple[int, int]
"""Of `latest` the number and amount of the last record; elsewhere how many, and their sum."""
Id: TypeAlias = str | tuple[str, int]
"""What a row is of: a key, or a key and the milliseconds at which its window begins."""
PARTS = 5
"""Values of the second column of the key."""


def part_of(key: str) -> int:
    """Return the second column of a key, whose order is not that of the first."""
    return ord(key[-1]) % PARTS


def partition_of(key: Id) -> int:
    """Return the partition of the topic that has the records of a key."""
    return int((key if isinstance(key, str) else key[0])[1])


@dataclass(slots=True, kw_only=True)
class Operation:
    """One record. Its number is one more than that of the key's record before it."""

    key: str
    number: int
    amount: int | None
    """None for a tombstone."""
    at_ms: int
    partition: int
    begun_s: float
    offset: int = -1


@dataclass(slots=True)
class History:
    """The rows that one key, or one window of it, has had."""

    offsets: list[int] = field(default_factory=lambda: [-1])
    """From which offset each was there; the first is before all records."""
    rows: list[Row | None] = field(default_factory=lambda: [None])
    count: int = 0
    total: int = 0

    def add(self, offset: int, row: Row | None) -> None:
        """Note the row after a record."""
        if row != self.rows[-1]:
            # In this order, for others look up an offset first.
            self.rows.append(row)
            self.offsets.append(offset)

    def count_in(self, each: Operation) -> None:
        """Note one more record of a count and sum, unless it is a tombstone."""
        if each.amount is not None:
            self.count += 1
            self.total += each.amount
            self.add(each.offset, (self.count, self.total))

    def at(self, offset: int) -> Row | None:
        """Return the row once the records up to an offset are reflected."""
        return self.rows[max(0, bisect_right(self.offsets, offset) - 1)]

    def spans(self, row: Row | None) -> list[tuple[int, float]]:
        """Return when the row was this one: from which offset, and before which."""
        begins = [*self.offsets]
        spans = zip(begins, [*begins[1:], math.inf], self.rows, strict=False)
        return [(begin, end) for begin, end, each in spans if each == row]


@dataclass(slots=True)
class _OfKey:
    """What the committed records of one key make."""

    latest: History = field(default_factory=History)
    totals: History = field(default_factory=History)
    windows: dict[int, History] = field(default_factory=dict)

    def add(self, each: Operation) -> None:
        row = None if each.amount is None else (each.number, each.amount)
        self.latest.add(each.offset, row)
        self.totals.count_in(each)
        self.windows.setdefault(each.at_ms - each.at_ms % WINDOW_MS, History()).count_in(each)


_NO_HISTORY = History()


class Ledger:
    """All records whose fate is known. Written by one thread, read by any."""

    def __init__(self) -> None:
        self._keys: dict[str, _OfKey] = defaultdict(_OfKey)
        self._lock = threading.Lock()
        self.newest: dict[int, int] = {}
        """Partition → offset of the last acknowledged record."""
        self.open_since_s = math.inf
        """When the first record was begun whose fate is not known; infinity without one."""
        self.written = self.aborted = self.tombstones = 0

    def begin(self, now_s: float) -> None:
        """Note that records are about to be sent."""
        with self._lock:
            self.open_since_s = now_s

    def commit(self, operations: Iterable[Operation]) -> None:
        """Add acknowledged records, those of a partition in the order of their offsets."""
        with self._lock:
            for each in operations:
                self._keys[each.key].add(each)
                self.newest[each.partition] = max(each.offset, self.newest.get(each.partition, -1))
                self.written += 1
                self.tombstones += each.amount is None
            self.open_since_s = math.inf

    def abort(self, count: int) -> None:
        """Note that records were sent and taken back."""
        with self._lock:
            self.aborted += count
            self.open_since_s = math.inf

    def known(self) -> list[str]:
        """Return the keys that have records."""
        with self._lock:
            return list(self._keys)

    def history(self, store: str, of: Id) -> History:
        """Return the rows that something has had. Of `windows` a key alone has the sums of all."""
        with self._lock:
            found = self._keys.get(of if isinstance(of, str) else of[0])
            if found is None:
                return _NO_HISTORY
            if not isinstance(of, str):
                return found.windows.get(of[1], _NO_HISTORY)
            return found.latest if store == "latest" else found.totals

    def row(self, store: str, of: Id, position: Position) -> Row | None:
        """Return the row of something once a store reflects a position; None if it has none."""
        return self.history(store, of).at(position.get(partition_of(of), -1))

    def rows(self, store: str, position: Position) -> dict[str, Row]:
        """Return the rows of all keys once a store reflects a position."""
        rows = ((key, self.row(store, key, position)) for key in self.known())
        return {key: row for key, row in rows if row is not None}

    def windows(self, keys: Iterable[str]) -> list[tuple[str, int]]:
        """Return the keys with the windows in which they have records."""
        with self._lock:
            return [
                (key, window)
                for key in keys
                if key in self._keys
                for window in self._keys[key].windows
            ]

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
class _OfKey:
    """The committed records of one key, and running sums over them."""

    operations: list[Operation] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    sums: list[int] = field(default_factory=list)

    def add(self, operation: Operation) -> None:
        known = bool(self.operations)
        is_row = operation.amount is not None
        self.operations.append(operation)
        self.offsets.append(operation.offset)
        self.counts.append((self.counts[-1] if known else 0) + is_row)
        self.sums.append((self.sums[-1] if known else 0) + (operation.amount or 0))


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

    def keys(self) -> list[str]:
        """Return the keys that have records."""
        with self._lock:
            return list(self._keys)

    def row(self, store: str, key: str, position: Position) -> Row | None:
        """Return the row of a key once a store reflects a position; None if it has none."""
        with self._lock:
            found = self._keys.get(key)
            if found is None:
                return None
            partition = found.operations[0].partition
            at = bisect_right(found.offsets, position.get(partition, -1)) - 1
            if at < 0:
                return None
            if store == "latest":
                last = found.operations[at]
                return None if last.amount is None else (last.number, last.amount)
            count = found.counts[at]
            return (count, found.sums[at]) if count else None

    def rows(self, store: str, position: Position) -> dict[str, Row]:
        """Return the rows of all keys once a store reflects a position."""
        rows = ((key, self.row(store, key, position)) for key in self.keys())
        return {key: row for key, row in rows if row is not None}

"""One epoch of a RocksDB database, read by any number of threads: by key, and in chunks of a range.

rocksdict's snapshots hold for reads of a key only: the iterators it makes of them see what was
written later (its `Snapshot.iter` loses the snapshot on the way to RocksDB). An iterator of the
database, though, sees what was there when it was made. So one is made together with the snapshot,
and readers take turns on it, a chunk at a time; rocksdict holds the interpreter's lock while it
reads, so they could not read side by side anyway.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Protocol, TypeAlias

from stores.errors import StoreError
from stores.query import BATCH_ROWS, Order

Entries: TypeAlias = tuple[list[bytes], list[bytes]]
"""The keys of some entries, and their rows."""

MISSING = "key not found"
"""The text of rocksdict's exception for a key that a snapshot does not have."""

CHUNK_ROWS_MIN = 64
"""First chunk of a read: a short range is not paid for as a long one. The next are larger."""
_CHUNK_BYTES = 16 << 20
"""A chunk of large rows holds fewer of them, by the size of those in the chunk before."""


class Snapshot(Protocol):
    """What is read of rocksdict's snapshot."""

    def __getitem__(self, key: bytes, /) -> bytes:
        """The value of a key."""


class Cursor(Protocol):
    """What is read of rocksdict's iterator."""

    def seek(self, key: bytes, /) -> None:
        """Go to a key, or the next one."""

    def seek_for_prev(self, key: bytes, /) -> None:
        """Go to a key, or the one before."""

    def next(self) -> None:
        """Go on by one key."""

    def prev(self) -> None:
        """Go back by one key."""

    def key(self) -> bytes | None:
        """The key it is at; None behind the last."""

    def value(self) -> bytes:
        """The value it is at."""

    def status(self) -> None:
        """Raise what has ended the iteration early."""


class Reader:
    """Reads of one epoch.

    Args:
        snapshot: the database as it is now.
        cursor: an iterator made at the same time, with no write between.
    """

    def __init__(self, snapshot: Snapshot, cursor: Cursor) -> None:
        self._snapshot = snapshot
        self._cursor = cursor
        self._turn = threading.Lock()

    def get(self, key: bytes) -> bytes | None:
        """The value of a key; None if there is no such key."""
        try:
            return self._snapshot[key]
        except Exception as error:
            # rocksdict tells a missing key from a broken disk only by the text of a bare Exception.
            if type(error) is Exception and str(error) == MISSING:
                return None
            raise

    def chunks(
        self, start: bytes, end: bytes, order: Order, *, first_rows: int = CHUNK_ROWS_MIN
    ) -> Iterator[Entries]:
        """Entries from `start` on, before `end`, in either direction; no chunk is empty.

        Raises:
            StoreError: the database cannot be read; what came before it was right, but not all.
        """
        rows_max = first_rows
        read = self._ascending if order is Order.ASCENDING else self._descending
        while start < end:
            keys, rows = read(start, end, rows_max)
            if keys:
                yield keys, rows
            if len(keys) < rows_max:
                return
            if order is Order.ASCENDING:
                start = keys[-1] + b"\0"
            else:
                end = keys[-1]
            rows_max = max(1, min(rows_max * 4, BATCH_ROWS, _CHUNK_BYTES // _mean_bytes(rows)))

    def _ascending(self, start: bytes, end: bytes, rows_max: int) -> Entries:
        keys: list[bytes] = []
        rows: list[bytes] = []
        add_key, add_row = keys.append, rows.append
        cursor = self._cursor
        key_at, value_at, move = cursor.key, cursor.value, cursor.next
        with self._turn:
            cursor.seek(start)
            for _ in range(rows_max):
                key = key_at()
                if key is None or key >= end:
                    break
                add_key(key)
                add_row(value_at())
                move()
            self._check()
        return keys, rows

    def _descending(self, start: bytes, end: bytes, rows_max: int) -> Entries:
        keys: list[bytes] = []
        rows: list[bytes] = []
        add_key, add_row = keys.append, rows.append
        cursor = self._cursor
        key_at, value_at, move = cursor.key, cursor.value, cursor.prev
        with self._turn:
            cursor.seek_for_prev(end)
            if key_at() == end:
                move()
            for _ in range(rows_max):
                key = key_at()
                if key is None or key < start:
                    break
                add_key(key)
                add_row(value_at())
                move()
            self._check()
        return keys, rows

    def _check(self) -> None:
        """An iterator that meets a damaged block ends there, as if there were no more entries."""
        try:
            self._cursor.status()
        except Exception as error:  # rocksdict raises bare Exception
            raise StoreError(f"the database cannot be read: {error}") from error


def _mean_bytes(rows: list[bytes]) -> int:
    """The mean size of a row, from a sample."""
    sample = rows[::16]
    return 1 + sum(map(len, sample)) // len(sample)

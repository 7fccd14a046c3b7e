"""Readers of one epoch of a RocksDB database, for any number of threads: by key, or by range.

The snapshots of rocksdict hold for reads of a key only. Iterators made from them see later writes,
too, because its `Snapshot.iter` loses the snapshot on the way to RocksDB. An iterator of the
database, however, sees the entries at the time it was made. So one is made together with the
snapshot, and readers take turns on it, a chunk at a time. They could not read side by side anyway:
rocksdict holds the interpreter's lock while it reads.

A long read of the newest epoch has its own iterator, which gives an entry with one call
instead of three. It is used only if nothing was written before it was made.

A database that no one reads may be closed for a while (see `database`). Then the reader of its
newest epoch is detached: it has neither snapshot nor iterator, and its next read opens the database
again. Every read keeps a reference to the `Attached` that it reads from. So a database without any
`Attached` is not in use, and no read needs a lock to say so.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, TypeAlias

from stategate.stores.errors import StoreError
from stategate.stores.spec.query import BATCH_ROWS, Order

Entry: TypeAlias = tuple[bytes, bytes]
"""The key and the row of an entry."""
Entries: TypeAlias = tuple[list[bytes], list[bytes]]
"""The keys and the rows of some entries."""

MISSING = "key not found"
"""The text of rocksdict's exception for a key that is missing from a snapshot."""

CHUNK_ROWS_MIN = 64
"""Rows of the first chunk of a read, so that a short range costs little. The next are larger."""
WALKED_ROWS_MIN = 1024
"""From chunks of this size on, its own iterator makes a read faster."""
_STEPS_MAX = 4
"""Steps tried before a seek, which costs as much as that many steps."""
_CHUNK_BYTES = 16 << 20
"""A chunk of large rows has fewer of them, estimated from the chunk before."""


class Snapshot(Protocol):
    """The part of rocksdict's snapshot that is used."""

    def __getitem__(self, key: bytes, /) -> bytes:
        """Return the value of a key."""


class Cursor(Protocol):
    """The part of rocksdict's iterator that is used."""

    def seek(self, key: bytes, /) -> None:
        """Go to a key, or to the next one."""

    def seek_for_prev(self, key: bytes, /) -> None:
        """Go to a key, or to the one before."""

    def next(self) -> None:
        """Go to the next key."""

    def prev(self) -> None:
        """Go to the key before."""

    def key(self) -> bytes | None:
        """Return the key it is at; None after the last one."""

    def value(self) -> bytes:
        """Return the value it is at."""

    def status(self) -> None:
        """Raise the error that ended the iteration early, if there was one."""


Walk: TypeAlias = Callable[[bytes, Order], Iterator[Entry] | None]
"""Iterates from a key on; None if the database has another epoch by now."""


class Attached:
    """The parts of an open database that give one of its epochs; as long as one lives, it is open.

    Args:
        snapshot: the database as it is now.
        cursor: an iterator made at the same time, without a write in between.
        walk: makes an iterator for one read, or is None.
    """

    __slots__ = ("__weakref__", "cursor", "is_read", "snapshot", "walk")

    def __init__(self, snapshot: Snapshot, cursor: Cursor, walk: Walk | None = None) -> None:
        self.snapshot, self.cursor, self.walk = snapshot, cursor, walk
        self.is_read = False
        """Whether it was read since this was last set to false."""


class Reader:
    """Reads one epoch.

    Args:
        attached: what it reads from; None if the database is at rest.
        wake: opens the database, attaches the reader, and returns what it reads from then on.
    """

    def __init__(
        self, attached: Attached | None, wake: Callable[[Reader], Attached] | None = None
    ) -> None:
        self._attached = attached
        self._wake = wake
        self._turn = threading.Lock()

    @property
    def attached(self) -> Attached | None:
        """What it reads from now; None if the database is at rest."""
        return self._attached

    def attach(self, attached: Attached) -> None:
        """Read from this from now on."""
        self._attached = attached

    def detach(self) -> bool:
        """Read from nothing until `attach`; False if a read goes on, then nothing has changed."""
        attached, self._attached = self._attached, None
        if attached is None:
            return True
        reference = weakref.ref(attached)
        del attached
        self._attached = reference()
        return self._attached is None

    def lease(self) -> Attached:
        """Return what it reads from; the database stays open while this is referenced.

        Raises:
            StoreError: the database is at rest, and cannot be opened again.
        """
        attached = self._attached or self._woken()
        attached.is_read = True
        return attached

    def _woken(self) -> Attached:
        assert self._wake is not None, "only a reader with `wake` is detached"
        return self._wake(self)

    def get(self, key: bytes) -> bytes | None:
        """Return the value of a key; None if it is missing.

        Raises:
            StoreError: the database cannot be read.
        """
        # As `lease`, without the call.
        attached = self._attached or self._woken()
        attached.is_read = True
        try:
            return attached.snapshot[key]
        except Exception as error:
            if not _is_missing(error):
                raise
            return None

    def get_all(self, keys: Iterable[bytes]) -> list[bytes | None]:
        """Return the values of keys in their order, as `get` does, without a call for each."""
        attached = self.lease()
        snapshot = attached.snapshot
        rows: list[bytes | None] = []
        for key in keys:
            try:
                rows.append(snapshot[key])
            except Exception as error:
                if not _is_missing(error):
                    raise
                rows.append(None)
        return rows

    def chunks(
        self, start: bytes, end: bytes, order: Order, *, first_rows: int = CHUNK_ROWS_MIN
    ) -> Iterator[Entries]:
        """Yield entries from `start` on, before `end`, in either direction; no chunk is empty.

        Raises:
            StoreError: the database cannot be read; the chunks before are right, but not all.
        """
        rows_max = first_rows
        read = self.ascending if order is Order.ASCENDING else self.descending
        attached = self.lease()
        walk, walked = attached.walk, None
        while start < end:
            if walk is not None and rows_max >= WALKED_ROWS_MIN:
                walked, walk = _begin(walk, start, end, order), None
            if walked is None:
                keys, rows = read(start, end, rows_max)
            else:
                keys, rows = _take(walked, start, end, order, rows_max)
            if keys:
                yield keys, rows
                if order is Order.ASCENDING:
                    start = keys[-1] + b"\0"
                else:
                    end = keys[-1]
            if len(keys) == rows_max:
                rows_max = max(1, min(rows_max * 4, BATCH_ROWS, _CHUNK_BYTES // _mean_bytes(rows)))
            elif walked is None:
                return
            else:
                # It also ends at a damaged block, without an error. The cursor raises one.
                walked = None

    def first_with(self, prefixes: Sequence[bytes]) -> list[Entry | None]:
        """Return the first entry with each prefix, or None where the prefix has no entry.

        It steps over a few entries and seeks past many, so it costs little whether nearly all
        entries are wanted or only a few. Other reads wait: use a reader of your own.

        Args:
            prefixes: the prefixes, in ascending order.

        Raises:
            StoreError: the database cannot be read.
        """
        found: list[Entry | None] = []
        attached = self.lease()
        cursor = attached.cursor
        key_at, value_at, move = cursor.key, cursor.value, cursor.next
        with self._turn:
            cursor.seek(prefixes[0] if prefixes else b"")
            key = key_at()
            for prefix in prefixes:
                steps = _STEPS_MAX
                while key is not None and key < prefix:
                    if steps:
                        move()
                    else:
                        cursor.seek(prefix)
                    steps -= 1
                    key = key_at()
                has = key is not None and key.startswith(prefix)
                found.append((key, value_at()) if has and key is not None else None)
            _check(cursor)
        return found

    def ascending(self, start: bytes, end: bytes, rows_max: int) -> Entries:
        """Return the first entries from `start` on, before `end`: at most `rows_max`, at least 1.

        Raises:
            StoreError: the database cannot be read.
        """
        keys: list[bytes] = []
        rows: list[bytes] = []
        add_key, add_row = keys.append, rows.append
        attached = self.lease()
        cursor = attached.cursor
        key_at, value_at, move = cursor.key, cursor.value, cursor.next
        with self._turn:
            cursor.seek(start)
            key = key_at()
            while key is not None and key < end:
                add_key(key)
                add_row(value_at())
                rows_max -= 1
                if not rows_max:
                    break
                move()
                key = key_at()
            if key is None:
                _check(cursor)
        return keys, rows

    def descending(self, start: bytes, end: bytes, rows_max: int) -> Entries:
        """Return the last entries before `end`, from `start` on, in reverse; see `ascending`."""
        keys: list[bytes] = []
        rows: list[bytes] = []
        add_key, add_row = keys.append, rows.append
        attached = self.lease()
        cursor = attached.cursor
        key_at, value_at, move = cursor.key, cursor.value, cursor.prev
        with self._turn:
            cursor.seek_for_prev(end)
            key = key_at()
            if key == end:
                move()
                key = key_at()
            while key is not None and key >= start:
                add_key(key)
                add_row(value_at())
                rows_max -= 1
                if not rows_max:
                    break
                move()
                key = key_at()
            if key is None:
                _check(cursor)
        return keys, rows


def _check(cursor: Cursor) -> None:
    """Raise the error of an iterator that ended at a damaged block, as if at the last entry."""
    try:
        cursor.status()
    except Exception as error:  # rocksdict raises bare Exception
        raise _unreadable(error) from error


def _is_missing(error: Exception) -> bool:
    """Whether an exception says that a key is missing; False if it is not one of rocksdict.

    rocksdict distinguishes a missing key from a broken disk only by the text of a bare Exception.

    Raises:
        StoreError: the database cannot be read.
    """
    if type(error) is not Exception:
        return False
    if str(error) != MISSING:
        raise _unreadable(error) from error
    return True


def _unreadable(error: Exception) -> StoreError:
    return StoreError(f"the database cannot be read: {error}")


def _begin(walk: Walk, start: bytes, end: bytes, order: Order) -> Iterator[Entry] | None:
    if order is Order.ASCENDING:
        return walk(start, order)
    walked = walk(end, order)
    first = None if walked is None else next(walked, None)
    if walked is None or first is None:
        return walked
    return walked if first[0] == end else itertools.chain([first], walked)


def _take(
    walked: Iterator[Entry], start: bytes, end: bytes, order: Order, rows_max: int
) -> Entries:
    """Return the next entries, up to the end of the range."""
    keys: list[bytes] = []
    rows: list[bytes] = []
    add_key, add_row = keys.append, rows.append
    # One by one, because a long list of tuples would set off the garbage collector.
    for key, row in itertools.islice(walked, rows_max):
        add_key(key)
        add_row(row)
    if order is Order.ASCENDING:
        if keys and keys[-1] >= end:
            del keys[bisect_left(keys, end) :]
    elif keys and keys[-1] < start:
        keys = [key for key in keys if key >= start]
    return keys, rows[: len(keys)]


def _mean_bytes(rows: list[bytes]) -> int:
    """Return the mean size of a row, from a sample."""
    sample = rows[::16]
    return 1 + sum(map(len, sample)) // len(sample)

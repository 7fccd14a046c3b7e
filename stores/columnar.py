"""Decoded columns of whole partitions, mended by what epochs change. Whole scans read them.

To scan a partition is to fetch its entries one by one from RocksDB and to decode them. What was
decoded once is kept here as Arrow columns, in key order. An epoch that is applied leaves its
changes beside them; later they are put in their places, at the cost of copying the columns, some
thirty times less than reading them anew. Windows and sessions that have expired stay until then,
and are left out of what is read.

All that takes long is done by `tend`, which a host calls in the background: once after the start,
as far as there is room, and again where a scan has come since it was last done. So no scan waits
for it, and what nobody scans costs nothing but its memory, and that only until too much changes.

It is no cache in front of RocksDB's rows, which has one: lookups and ranges never come here.
"""

from __future__ import annotations

import threading
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from stores.arrow import Ints, int64_values
from stores.layout import Layout, segment_bytes
from stores.position import Progress
from stores.query import BATCH_ROWS, Batch, BatchStream
from stores.readers import Entries
from stores.store import View

Keys: TypeAlias = np.ndarray[Any, np.dtype[np.object_]]
"""Entry keys, as bytes objects, in their order."""
Flags: TypeAlias = np.ndarray[Any, np.dtype[np.bool_]]
"""One for each of some rows."""

Within: TypeAlias = Mapping[str, tuple[int, int]]
"""Columns of times, each with the first and the last that is asked for, in microseconds."""
ALL_ROWS: Within = {}

PENDING_SHARE = 4
"""Changes that wait are at most the kept rows divided by this; more are as well read anew."""
MENDED_SHARE = 16
"""More changes than the kept rows divided by this are put in their places in the background."""
PENDING_ROWS_MIN = 1024
"""So many may wait however few rows are kept."""
PENDING_ROWS_COLLECTING = 1 << 18
"""So many may wait while the rows are being read: of one partition at a time, some 50 MB."""
PARTITION_BYTES_MAX = 1 << 30
"""A partition that is larger is not kept: the offsets of an Arrow array end at twice as much."""
SLICE_ROWS = 65_536
"""Rows of a batch: nothing is copied, so it may be larger than one that has to be decoded."""
_PART_MIN = 8
"""The rows by this is the least part that all is mended for: a copy costs so much less."""
_MADE = frozenset({"_partition"})
"""Columns that are not kept, since they are made at once."""
_CHUNK_S = 10.0
"""How long a chunk may take that is read in the background: some milliseconds, usually."""
_SEARCHED_ROWS = 4096
"""Kept keys that are made objects of at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """The columns of a partition at an epoch."""

    epoch: int
    keys: pa.Array
    """The entries' keys, in their order."""
    columns: Mapping[str, pa.Array]

    @property
    def size_bytes(self) -> int:
        """The memory it takes."""
        size: int = self.keys.nbytes + sum(array.nbytes for array in self.columns.values())
        return size


@dataclass(slots=True, kw_only=True)
class Change:
    """What one epoch did to a partition: entries that it put, and keys that it deleted."""

    epoch: int
    keys: list[bytes] = field(default_factory=list)
    rows: list[bytes] = field(default_factory=list)
    deleted: list[bytes] = field(default_factory=list)

    def __len__(self) -> int:
        """How many rows it changed."""
        return len(self.keys) + len(self.deleted)


class _Collected:
    """What has been read of a partition so far."""

    def __init__(self) -> None:
        self.rows = self.size_bytes = 0
        self._keys: list[pa.Array] = [pa.array([], type=pa.binary())]
        self._batches: list[Batch] = []

    def add(self, keys: Sequence[bytes], batch: Batch) -> None:
        """Take a batch and its keys."""
        encoded = pa.array(keys, type=pa.binary())
        self.rows += len(keys)
        self.size_bytes += batch.nbytes + encoded.nbytes
        self._keys.append(encoded)
        self._batches.append(batch)

    def kept(self, epoch: int, schema: pa.Schema) -> _Kept:
        """All of it, as columns."""
        columns = {
            field.name: pa.concat_arrays(
                [pa.array([], type=field.type), *(batch.column(at) for batch in self._batches)]
            )
            for at, field in enumerate(schema)
        }
        return _Kept(epoch=epoch, keys=pa.concat_arrays(self._keys), columns=columns)


class _Scans(NamedTuple):
    """Which scans of the node's, counted from 1, were the last two of an owner's."""

    before: int = -1
    last: int = 0


class ColumnBudget:
    """The memory that the kept columns of a node share.

    What was not scanned since the last scan but one of a partition makes room for it; what was,
    stays: of a store that is too large, the same partitions are kept, rather than each in turn for
    nothing. What was never scanned makes room for nobody's but what was.

    Args:
        capacity_bytes: of all of them together; 0 keeps none.
    """

    def __init__(self, capacity_bytes: int) -> None:
        self.capacity_bytes = capacity_bytes
        self._lock = threading.Lock()
        self._scans = 0
        self._held: dict[PartitionColumns, tuple[int, int]] = {}
        """By owner, its last scan, and its bytes."""

    @property
    def used_bytes(self) -> int:
        """How much is kept now."""
        with self._lock:
            return self._used_bytes()

    def _used_bytes(self) -> int:
        return sum(size_bytes for _, size_bytes in self._held.values())

    def scan(self, owner: PartitionColumns) -> int:
        """Number a scan of an owner's."""
        with self._lock:
            self._scans += 1
            if (held := self._held.get(owner)) is not None:
                self._held[owner] = (self._scans, held[1])
            return self._scans

    def room_bytes(self, owner: PartitionColumns, scans: _Scans) -> int:
        """How much `take` would grant an owner now."""
        with self._lock:
            stays = (
                size_bytes
                for other, (last, size_bytes) in self._held.items()
                if last > scans.before and other is not owner
            )
            return self.capacity_bytes - sum(stays)

    def take(self, owner: PartitionColumns, size_bytes: int, scans: _Scans) -> bool:
        """Make room for what an owner wants to keep from now on.

        Args:
            owner: what it has kept up to now counts as given back.
            size_bytes: how much it wants.
            scans: the owner's.

        Returns:
            False if there is not so much; then it has what it had.
        """
        with self._lock:
            _, own_bytes = self._held.get(owner, (0, 0))
            free_bytes = self.capacity_bytes - self._used_bytes() + own_bytes
            evicted = []
            for other, (last, other_bytes) in sorted(self._held.items(), key=itemgetter(1)):
                if free_bytes >= size_bytes or last > scans.before:
                    break
                if other is owner:
                    continue
                evicted.append(other)
                free_bytes += other_bytes
            if free_bytes < size_bytes:
                return False
            for other in evicted:
                del self._held[other]
            self._held[owner] = (scans.last, size_bytes)
        for other in evicted:
            other.evict()
        return True

    def give_back(self, owner: PartitionColumns) -> None:
        """Note that an owner keeps nothing any more."""
        with self._lock:
            self._held.pop(owner, None)


class PartitionColumns:
    """The kept columns of one partition. Safe to share between one writer and many readers.

    Law: `read` gives the rows that decoding the view's entries gives, in their order.

    Args:
        layout: of the partition's entries.
        budget: the node's.
        current: the newest view; None once there is none. Another may be of a log that is no longer
            there, whose epochs say nothing; it is read without the columns.
        entries: all entries of a view, in their order; also of expired ones what is still there.
        rows: about how many there are.
    """

    def __init__(
        self,
        layout: Layout,
        budget: ColumnBudget,
        current: Callable[[], View | None],
        entries: Callable[[View], Iterator[Entries]],
        rows: Callable[[], int],
    ) -> None:
        self._layout, self._budget = layout, budget
        self._current, self._entries, self._rows = current, entries, rows
        self._filed = layout.times[0].name if layout.times else None
        """The time by which entries are filed, and expire."""
        self._lock = threading.Lock()
        self._tending = threading.Lock()
        """Held while `tend` reads; never taken by who holds the other."""
        self._scans = _Scans()
        self._is_due = True
        """Whether it is worth something to read or mend: at first, and after each scan."""
        self._scanned: dict[str, None] = {}
        """Columns that scans have asked for."""
        self._refused: dict[tuple[str, ...], int] = {}
        """For which columns there was no room of so many bytes."""
        self._kept: _Kept | None = None
        self._changes: list[Change] = []
        self._changed_rows = 0
        self._newest = -1
        """The newest epoch that was begun: what it changed is lost to whoever reads one before."""
        self._is_collecting = False
        """Whether changes are noted for what is being read just now."""
        self._life = 0
        """Counts how often all was forgotten: what was begun before must not be kept after."""

    # By the writer

    def begin(self, epoch: int) -> Change | None:
        """Say that an epoch is about to be applied.

        Returns:
            What has to be filled for `note`; None if nobody needs to know what the epoch changes.
        """
        with self._lock:
            # From now on nobody begins to keep the epoch before: its changes might be lost.
            self._newest = epoch
            is_needed = self._kept is not None or self._is_collecting
            return Change(epoch=epoch) if is_needed else None

    def note(self, change: Change) -> None:
        """Take what an epoch has changed; before any view of that epoch is handed out."""
        with self._lock:
            if self._kept is None and not self._is_collecting:
                return
            self._changes.append(change)
            self._changed_rows += len(change)
            kept_rows = 0 if self._kept is None else len(self._kept.keys)
            least = PENDING_ROWS_COLLECTING if self._is_collecting else PENDING_ROWS_MIN
            if self._changed_rows <= max(least, kept_rows // PENDING_SHARE):
                return
            self._drop()
        self._budget.give_back(self)

    @contextmanager
    def replaced(self) -> Iterator[None]:
        """Keep nothing of what was there before, while the partition becomes another or closes.

        What is read of the old view meanwhile is forgotten at the end, the new one being published.
        """
        self._forget()
        try:
            yield
        finally:
            self._forget()

    def _forget(self) -> None:
        with self._lock:
            self._drop()
            self._newest = -1
        self._budget.give_back(self)
        # What reads in the background holds the database, up to its next chunk; or until a file
        # system answers, which is not waited for.
        if self._tending.acquire(timeout=_CHUNK_S):
            self._tending.release()

    def evict(self) -> None:
        """Keep nothing, since the memory is needed elsewhere; the budget knows."""
        with self._lock:
            self._drop()

    def _drop(self) -> None:
        self._life += 1
        self._kept = None
        self._changes = []
        self._changed_rows = 0

    # By readers

    def read(
        self,
        view: View,
        columns: Sequence[str],
        otherwise: BatchStream,
        within: Within = ALL_ROWS,
        *,
        is_whole: bool = True,
    ) -> Iterator[Batch]:
        """The rows of a view, from what is kept if it holds them.

        Args:
            view: which epoch.
            columns: their names; none is a batch without columns, which still has rows.
            otherwise: gives the same rows from the entries.
            within: the rows that are asked for, where these are not all that are kept.
            is_whole: whether these are all live rows; else it has to be seen whether it pays.
        """
        needed = (*columns, *within)
        kept = None
        if is_whole or self._pays(view, within):
            self._note_scan(needed)
            kept = self._at(view, needed)
        if kept is None:
            yield from otherwise
        else:
            yield from self._slices(kept, columns, within)

    def count(self, view: View, within: Within = ALL_ROWS) -> int | None:
        """How many rows a view has; None if that is not kept."""
        self._note_scan(tuple(within))
        kept = self._at(view, tuple(within))
        if kept is None:
            return None
        return sum(int(flags.sum()) for _, flags in self._inside(kept, within))

    def _pays(self, view: View, within: Within) -> bool:
        """Whether it costs less to mend what is kept than to read a part of the entries."""
        kept = self._kept
        if kept is None or not kept.columns.keys() >= within.keys():
            return False
        start, end = self._span(kept, within)
        return kept.epoch == view.progress.epoch or (end - start) * _PART_MIN >= len(kept.keys)

    def _note_scan(self, columns: Sequence[str]) -> None:
        number = self._budget.scan(self)
        with self._lock:
            self._scans = _Scans(self._scans.last, number)
            self._is_due = True
            self._scanned.update((name, None) for name in columns if name not in _MADE)

    def _slices(self, kept: _Kept, columns: Sequence[str], within: Within) -> Iterator[Batch]:
        if columns:
            made = {"_partition": self._layout.partition_column(len(kept.keys))}
            arrays = {**kept.columns, **made}
            schema = self._layout.schema.arrow_schema(tuple(columns))
            whole = pa.RecordBatch.from_arrays([arrays[name] for name in columns], schema=schema)
        for start, flags in self._inside(kept, within):
            count = int(flags.sum())
            if not columns:
                yield _rows_only(count)
            elif count == len(flags):
                yield whole.slice(start, count)
            else:
                yield whole.slice(start, len(flags)).filter(pa.array(flags))

    def _inside(self, kept: _Kept, within: Within) -> Iterator[tuple[int, Flags]]:
        """Slices with rows that are asked for: where each begins, and which rows these are."""
        first, end = self._span(kept, within)
        for start in range(first, end, SLICE_ROWS):
            flags = np.ones(min(SLICE_ROWS, end - start), dtype=np.bool_)
            for name, (low, high) in within.items():
                times = int64_values(kept.columns[name].slice(start, len(flags)))
                flags &= (times >= low) & (times <= high)
            if flags.any():
                yield start, flags

    def _span(self, kept: _Kept, within: Within) -> tuple[int, int]:
        """From where to where the segments lie that hold rows which are asked for."""
        keys = range(len(kept.keys))

        def at(key: bytes) -> int:
            return bisect_left(keys, key, key=lambda n: kept.keys[n].as_py())

        filed = within.get(self._filed or "")
        if filed is None:
            return 0, len(keys)
        first, last = map(self._layout.segments.number_of, filed)
        return at(segment_bytes(first)), at(segment_bytes(last + 1))

    # In the background

    def tend(self, is_stopping: Callable[[], bool]) -> None:
        """Read what is to be kept, or put changes in their places, if the next scan gains by it.

        Args:
            is_stopping: asked often; once it is true, all is left as it is.

        Raises:
            StoreError: the database cannot be read.
        """
        with self._tending:
            if not self._is_due:
                return
            with self._lock:
                kept, scanned = self._kept, tuple(self._scanned)
            if kept is None or not kept.columns.keys() >= set(scanned):
                self._collect_some(scanned, is_stopping)
            self._mend_early()

    def _collect_some(self, scanned: tuple[str, ...], is_stopping: Callable[[], bool]) -> None:
        """Keep all columns; if there is no room for them, those that scans have asked for."""
        columns = [column.name for column in self._layout.schema.columns]
        choices = [tuple(dict.fromkeys((*columns, *scanned)))]
        if self._scans.last and scanned != choices[0]:
            choices.append(scanned)
        for names in choices:
            if self._budget.room_bytes(self, self._scans) >= self._refused.get(names, 1):
                refused_bytes = self._collect(names, is_stopping)
                if refused_bytes is None:
                    return
                if self._scans.last:  # else it was a guess
                    self._refused[names] = refused_bytes

    def _collect(self, names: tuple[str, ...], is_stopping: Callable[[], bool]) -> int | None:
        """Read these columns and keep them; for how many bytes there was no room, if so."""
        view, estimate = self._current(), self._rows()
        with self._lock:
            if view is None or view is not self._current() or view.progress.epoch < self._newest:
                return None  # an epoch is being applied: at the next time, then
            life, before_bytes = self._life, 0 if self._kept is None else self._kept.size_bytes
            self._is_collecting, self._is_due = True, False
        decoder, schema = self._layout.decoder(names), self._layout.schema.arrow_schema(names)
        collected = _Collected()
        try:
            for keys, rows in self._entries(view):
                if is_stopping() or life != self._life:
                    return None
                collected.add(keys, decoder.batch(keys, rows))
                size_bytes = before_bytes + collected.size_bytes
                if not self._scans.last:
                    # Nobody has asked for it, so it is not read for nothing, if that can be seen.
                    size_bytes = max(size_bytes, collected.size_bytes * estimate // collected.rows)
                is_small = collected.size_bytes <= PARTITION_BYTES_MAX
                if not (is_small and self._budget.take(self, size_bytes, self._scans)):
                    return size_bytes
            self._keep(collected.kept(view.progress.epoch, schema), life)
            return None
        finally:
            with self._lock:
                self._is_collecting = False
                if self._kept is None:
                    self._changes, self._changed_rows = [], 0
            self._settle()

    def _mend_early(self) -> None:
        """Put changes in their places before a scan comes, if they are many."""
        view = self._current()
        with self._lock:
            kept_rows = 0 if self._kept is None else len(self._kept.keys)
            if self._changed_rows <= max(PENDING_ROWS_MIN, kept_rows // MENDED_SHARE):
                return
            self._is_due = False
        if view is not None:
            self._at(view, ())

    # What is kept

    def _settle(self) -> None:
        """Have the budget know what is kept."""
        kept = self._kept
        if kept is not None:
            self._budget.take(self, kept.size_bytes, self._scans)
        with self._lock:
            keeps = self._kept is not None
        if not keeps:
            self._budget.give_back(self)

    def _keep(self, kept: _Kept, life: int) -> None:
        """Keep this from now on, if there is room and nothing has happened meanwhile."""
        taken = self._budget.take(self, kept.size_bytes, self._scans)
        with self._lock:
            if not taken:
                self._drop()
            elif life == self._life and (self._kept is None or self._kept.epoch <= kept.epoch):
                self._kept = kept
                self._changes = [each for each in self._changes if each.epoch > kept.epoch]
                self._changed_rows = sum(map(len, self._changes))
            keeps = self._kept is not None
        if not keeps:
            self._budget.give_back(self)

    def _at(self, view: View, columns: Sequence[str]) -> _Kept | None:
        """What is kept, mended up to the newest view; None for another, or if it lacks a column."""
        epoch = view.progress.epoch
        with self._lock:
            kept, life = self._kept, self._life
            if kept is None or not kept.columns.keys() >= set(columns) - _MADE:
                return None
            if view is not self._current() or kept.epoch > epoch:
                return None
            due = [each for each in self._changes if kept.epoch < each.epoch <= epoch]
        if kept.epoch == epoch:
            return kept
        # Not under the lock, which the writer needs: two readers may do the same work, once.
        mended = self._mended(kept, due, view.progress)
        if mended is None:
            self.evict()
            self._budget.give_back(self)
        else:
            self._keep(mended, life)
        return mended

    def _mended(self, kept: _Kept, changes: Sequence[Change], progress: Progress) -> _Kept | None:
        """The columns with changes put in their places; None if they became too large."""
        latest: dict[bytes, bytes | None] = {}
        for change in changes:
            # Within an epoch a key has one row or one deletion: the log says so.
            latest.update(dict.fromkeys(change.deleted))
            latest.update(zip(change.keys, change.rows, strict=True))
        if not latest:
            return replace(kept, epoch=progress.epoch)
        row_bytes = sum(len(row) for row in latest.values() if row is not None)
        if kept.size_bytes + row_bytes > PARTITION_BYTES_MAX:
            return None
        encoded = pa.array(list(latest), type=pa.binary())
        touched = encoded.take(pc.array_sort_indices(encoded)).to_pylist()
        places, found = _search(kept.keys, touched)
        stays = np.ones(len(kept.keys), dtype=np.bool_)
        stays[places[found]] = False
        if self._filed is not None and self._filed in kept.columns:
            live_from = self._layout.segments.live_from_us(progress)
            stays &= int64_values(kept.columns[self._filed]) >= live_from
        put_keys = [key for key in touched if latest[key] is not None]
        put_rows = [row for key in touched if (row := latest[key]) is not None]
        is_put = np.array([latest[key] is not None for key in touched], dtype=np.bool_)
        # Where each put row goes among those that stay; rows of one place are in order already.
        before = np.concatenate(([0], np.cumsum(stays)))[places[is_put]]
        added = len(kept.keys) + np.arange(len(put_keys))
        order = pa.array(np.insert(np.flatnonzero(stays), before, added))
        decoder = self._layout.decoder(tuple(kept.columns))
        batches = [
            decoder.batch(put_keys[at : at + BATCH_ROWS], put_rows[at : at + BATCH_ROWS])
            for at in range(0, len(put_keys), BATCH_ROWS)
        ]
        columns = {
            name: pa.concat_arrays([array, *(b.column(name) for b in batches)]).take(order)
            for name, array in kept.columns.items()
        }
        keys = pa.concat_arrays([kept.keys, pa.array(put_keys, type=pa.binary())]).take(order)
        return _Kept(epoch=progress.epoch, keys=keys, columns=columns)


def _rows_only(count: int) -> Batch:
    """A batch without columns, which still has rows."""
    return pa.RecordBatch.from_struct_array(pa.array([{}] * count, type=pa.struct([])))


def _search(held: pa.Array, wanted: Sequence[bytes]) -> tuple[Ints, Flags]:
    """Where each wanted key is among those held, or would come in; and whether it is there.

    By slices, for to search is to make an object of each held key: few at once, none in slices that
    nothing is wanted of, and other threads have their turn between.

    Args:
        held: in ascending order, as the wanted ones.
        wanted: no key twice.
    """
    places = np.empty(len(wanted), dtype=np.int64)
    found = np.zeros(len(wanted), dtype=np.bool_)
    begin = 0
    for start in range(0, len(held), _SEARCHED_ROWS):
        count = min(_SEARCHED_ROWS, len(held) - start)
        end = bisect_right(wanted, held[start + count - 1].as_py(), begin)
        if begin == end:
            continue
        keys, asked = (
            held.slice(start, count).to_numpy(zero_copy_only=False),
            _key_array(wanted[begin:end]),
        )
        at = np.searchsorted(keys, asked)
        places[begin:end] = at + start
        found[begin:end] = keys[at] == asked
        begin = end
    places[begin:] = len(held)
    return places, found


def _key_array(keys: Sequence[bytes]) -> Keys:
    """Entry keys as numpy holds objects; made in place, for numpy would make them its own bytes."""
    array: Keys = np.empty(len(keys), dtype=np.object_)
    array[:] = keys
    return array

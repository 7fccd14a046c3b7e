"""Decoded columns of whole partitions, kept between scans and mended by what epochs change.

To scan a partition is to fetch its entries one by one from RocksDB and to decode them, and a
dashboard does it again for every picture. What was decoded once is kept here as Arrow columns, in
key order. An epoch that is applied leaves its changes beside them; the next scan puts them in their
places, at the cost of copying the columns, some thirty times less than reading them anew.

It is no cache in front of RocksDB's rows, which has one: lookups and ranges never come here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from stores.layout import Layout
from stores.query import Batch
from stores.readers import Entries
from stores.store import View

Keys: TypeAlias = np.ndarray[Any, np.dtype[np.object_]]
"""Entry keys, as bytes objects, in their order."""

SCANS_REFUSED = 64
"""Whole scans before it is tried again to keep what was found too large."""
SCANS_MIN = 2
"""Whole scans of a partition before its columns are kept: one that comes once is not worth it."""
PENDING_SHARE = 4
"""Changes that wait are at most the kept rows divided by this; more are as well read anew."""
PENDING_ROWS_MIN = 1024
"""So many may wait however few rows are kept."""
SLICE_ROWS = 65_536
"""Rows of a batch: nothing is copied, so it may be larger than one that has to be decoded."""


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
    """What a scan has read so far, to be kept if it is read to its end."""

    def __init__(self) -> None:
        self.size_bytes = 0
        self._keys: list[pa.Array] = [pa.array([], type=pa.binary())]
        self._batches: list[Batch] = []

    def add(self, keys: Sequence[bytes], batch: Batch, budget: ColumnBudget) -> bool:
        """Take a batch and its keys; False if there is no room."""
        encoded = pa.array(keys, type=pa.binary())
        size_bytes = batch.nbytes + encoded.nbytes
        if not budget.collect(size_bytes):
            return False
        self.size_bytes += size_bytes
        self._keys.append(encoded)
        self._batches.append(batch)
        return True

    def kept(self, epoch: int, schema: pa.Schema) -> _Kept:
        """All of it, as columns."""
        columns = {
            field.name: pa.concat_arrays(
                [pa.array([], type=field.type), *(batch.column(at) for batch in self._batches)]
            )
            for at, field in enumerate(schema)
        }
        return _Kept(epoch=epoch, keys=pa.concat_arrays(self._keys), columns=columns)


class ColumnBudget:
    """The memory that the kept columns of a node share.

    What was not read since the last scan of a partition makes room for it; what was, stays: of a
    store that is too large, the same partitions are kept, rather than each in turn for nothing.

    Args:
        capacity_bytes: of all of them together; 0 keeps none.
    """

    def __init__(self, capacity_bytes: int) -> None:
        self.capacity_bytes = capacity_bytes
        self._lock = threading.Lock()
        self._scans = 0
        self._collected_bytes = 0
        """What scans that are under way have collected, to be kept at their ends."""
        self._held: dict[PartitionColumns, tuple[int, int]] = {}
        """By owner, which scan of the node's read it last, and its bytes."""

    @property
    def used_bytes(self) -> int:
        """How much is kept now."""
        with self._lock:
            return self._used_bytes()

    def _used_bytes(self) -> int:
        return sum(size_bytes for _, size_bytes in self._held.values())

    def scan(self, owner: PartitionColumns) -> int:
        """Number a scan of an owner's, which counts as read with it."""
        with self._lock:
            self._scans += 1
            if (held := self._held.get(owner)) is not None:
                self._held[owner] = (self._scans, held[1])
            return self._scans

    def take(self, owner: PartitionColumns, size_bytes: int, *, since: int) -> bool:
        """Make room for what an owner wants to keep from now on.

        Args:
            owner: whatever it has kept up to now is given back.
            size_bytes: how much it wants.
            since: the number of its scan before this one.

        Returns:
            False if there is not so much.
        """
        with self._lock:
            self._held.pop(owner, None)
            free_bytes = self.capacity_bytes - self._used_bytes()
            evicted = []
            for other, (read, other_bytes) in sorted(self._held.items(), key=itemgetter(1)):
                if free_bytes >= size_bytes or read > since:
                    break
                evicted.append(other)
                free_bytes += other_bytes
            if free_bytes < size_bytes:
                return False
            for other in evicted:
                del self._held[other]
            self._held[owner] = (self._scans, size_bytes)
        for other in evicted:
            other.evict()
        return True

    def collect(self, size_bytes: int) -> bool:
        """Let a scan collect so much more; False if all of them would have more than is ever kept.

        A reader may stop in the middle for long: what is collected is memory, too.
        """
        with self._lock:
            if self._collected_bytes + size_bytes > self.capacity_bytes:
                return False
            self._collected_bytes += size_bytes
            return True

    def let_go(self, size_bytes: int) -> None:
        """Note that a scan has ended, or has given up, which had collected so much."""
        with self._lock:
            self._collected_bytes -= size_bytes

    def give_back(self, owner: PartitionColumns) -> None:
        """Note that an owner keeps nothing any more."""
        with self._lock:
            self._held.pop(owner, None)


class PartitionColumns:
    """The kept columns of one partition. Safe to share between one writer and many readers.

    Law: `read` gives the rows that decoding the view's entries gives, in their order.

    Args:
        layout: of the partition's entries, which must not expire.
        budget: the node's.
        current: the newest view. Another may be of a log that is no longer there, whose epochs say
            nothing; it is read without the columns.
    """

    def __init__(
        self, layout: Layout, budget: ColumnBudget, current: Callable[[], View | None]
    ) -> None:
        self._layout, self._budget, self._current = layout, budget, current
        self._lock = threading.Lock()
        self._scans = 0
        self._scan = self._scan_before = 0
        """The budget's numbers of the last two scans."""
        self._kept: _Kept | None = None
        self._changes: list[Change] = []
        self._changed_rows = 0
        self._newest = -1
        """The newest epoch that was begun: what it changed is lost to whoever reads one before."""
        self._filling = 0
        """Readers that are about to keep what they read; changes are noted for them."""
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
            return Change(epoch=epoch) if self._kept is not None or self._filling else None

    def note(self, change: Change) -> None:
        """Take what an epoch has changed; before any view of that epoch is handed out."""
        with self._lock:
            if self._kept is None and not self._filling:
                return
            self._changes.append(change)
            self._changed_rows += len(change)
            kept_rows = 0 if self._kept is None else len(self._kept.keys)
            if self._changed_rows <= max(PENDING_ROWS_MIN, kept_rows // PENDING_SHARE):
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

    def evict(self) -> None:
        """Keep nothing, since the memory is needed elsewhere; the budget knows."""
        with self._lock:
            self._drop()

    def _drop(self) -> None:
        self._life += 1
        self._kept = None
        self._changes = []
        self._changed_rows = 0
        self._scans = 0

    # By readers

    def read(
        self, view: View, columns: Sequence[str], chunks: Callable[[], Iterator[Entries]]
    ) -> Iterator[Batch]:
        """All rows of a view, from what is kept if it holds them.

        Args:
            view: which epoch.
            columns: their names; none is a batch without columns, which still has rows.
            chunks: all entries of the view, in their order.
        """
        epoch = view.progress.epoch
        scan = self._budget.scan(self)
        kept = self._at(view, columns)
        if kept is not None:
            yield from self._slices(kept, columns)
            return
        with self._lock:
            self._scans += 1
            self._scan_before, self._scan = self._scan, scan
            fills = (
                self._scans >= SCANS_MIN
                and not self._filling
                and epoch >= self._newest
                and view is self._current()
            )
            # What others read is kept on.
            wanted = dict.fromkeys((*columns, *(self._kept.columns if self._kept else ())))
            life = self._life
            self._filling += fills
        if not fills:
            yield from self._decoded(columns, chunks)
            return
        try:
            yield from self._fill(epoch, columns, tuple(wanted), chunks, life=life)
        finally:
            with self._lock:
                self._filling -= 1
                if not self._filling and self._kept is None:
                    self._changes, self._changed_rows = [], 0

    def count(self, view: View) -> int | None:
        """How many rows a view has; None if that is not kept."""
        kept = self._at(view, ())
        return None if kept is None else len(kept.keys)

    def _decoded(
        self, columns: Sequence[str], chunks: Callable[[], Iterator[Entries]]
    ) -> Iterator[Batch]:
        decoder = self._layout.decoder(tuple(columns))
        for keys, rows in chunks():
            if rows:
                yield decoder.batch(keys, rows)

    def _fill(
        self,
        epoch: int,
        columns: Sequence[str],
        wanted: tuple[str, ...],
        chunks: Callable[[], Iterator[Entries]],
        *,
        life: int,
    ) -> Iterator[Batch]:
        """Decode and hand out as without a cache, and keep it if the reader takes it all."""
        decoder, schema = self._layout.decoder(wanted), self._layout.schema.arrow_schema(wanted)
        collected: _Collected | None = _Collected()
        try:
            for keys, rows in chunks():
                if not rows:
                    continue
                batch = decoder.batch(keys, rows)
                if collected is not None and not collected.add(keys, batch, self._budget):
                    self._budget.let_go(collected.size_bytes)
                    collected = None
                yield batch.select(list(columns)) if columns else _rows_only(len(rows))
            if collected is not None:
                self._keep(collected.kept(epoch, schema), life)
                return
            with self._lock:
                self._scans = -SCANS_REFUSED
        finally:
            if collected is not None:
                self._budget.let_go(collected.size_bytes)

    def _keep(self, kept: _Kept, life: int) -> None:
        """Keep this from now on, if there is room and nothing has happened meanwhile."""
        taken = self._budget.take(self, kept.size_bytes, since=self._scan_before)
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
            if kept is None or not kept.columns.keys() >= set(columns):
                return None
            if view is not self._current() or kept.epoch > epoch:
                return None
            due = [each for each in self._changes if kept.epoch < each.epoch <= epoch]
        if kept.epoch == epoch:
            return kept
        # Not under the lock, which the writer needs: two readers may do the same work, once.
        mended = self._mended(kept, due, epoch)
        self._keep(mended, life)
        return mended

    def _mended(self, kept: _Kept, changes: Sequence[Change], epoch: int) -> _Kept:
        """The columns with changes put in their places."""
        latest: dict[bytes, bytes | None] = {}
        for change in changes:
            # Within an epoch a key has one row or one deletion: the log says so.
            latest.update(dict.fromkeys(change.deleted))
            latest.update(zip(change.keys, change.rows, strict=True))
        if not latest:
            return replace(kept, epoch=epoch)
        touched = sorted(latest)
        held: Keys = kept.keys.to_numpy(zero_copy_only=False)
        places = np.searchsorted(held, _key_array(touched))
        found = [
            at < len(held) and held[at] == key
            for at, key in zip(places.tolist(), touched, strict=True)
        ]
        stays = np.ones(len(held), dtype=np.bool_)
        stays[places[np.array(found, dtype=np.bool_)]] = False
        put = [(key, row) for key in touched if (row := latest[key]) is not None]
        is_put = np.array([latest[key] is not None for key in touched], dtype=np.bool_)
        # Where each put row goes among those that stay; rows of one place are in order already.
        before = np.concatenate(([0], np.cumsum(stays)))[places[is_put]]
        order = pa.array(np.insert(np.flatnonzero(stays), before, len(held) + np.arange(len(put))))
        if not put:
            columns = {name: array.take(order) for name, array in kept.columns.items()}
            return _Kept(epoch=epoch, keys=kept.keys.take(order), columns=columns)
        put_keys = [key for key, _ in put]
        batch = self._layout.decoder(tuple(kept.columns)).batch(put_keys, [row for _, row in put])
        columns = {
            name: pa.concat_arrays([array, batch.column(name)]).take(order)
            for name, array in kept.columns.items()
        }
        keys = pa.concat_arrays([kept.keys, pa.array(put_keys, type=pa.binary())]).take(order)
        return _Kept(epoch=epoch, keys=keys, columns=columns)

    def _slices(self, kept: _Kept, columns: Sequence[str]) -> Iterator[Batch]:
        rows = len(kept.keys)
        if columns:
            schema = self._layout.schema.arrow_schema(tuple(columns))
            whole = pa.RecordBatch.from_arrays([kept.columns[n] for n in columns], schema=schema)
        for start in range(0, rows, SLICE_ROWS):
            count = min(SLICE_ROWS, rows - start)
            yield whole.slice(start, count) if columns else _rows_only(count)


def _rows_only(count: int) -> Batch:
    """A batch without columns, which still has rows."""
    return pa.RecordBatch.from_struct_array(pa.array([{}] * count, type=pa.struct([])))


def _key_array(keys: Sequence[bytes]) -> Keys:
    """Entry keys as numpy holds objects; made in place, for numpy would make them its own bytes."""
    array: Keys = np.empty(len(keys), dtype=np.object_)
    array[:] = keys
    return array

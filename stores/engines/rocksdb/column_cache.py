"""Decoded columns of whole partitions, mended by what epochs change. Whole scans read them.

To scan a partition is to fetch its entries one by one from RocksDB and to decode them. What was
decoded once is kept here as Arrow columns, in key order. An epoch that is applied leaves its
changes beside them; later they are put in their places, at the cost of copying the columns, some
thirty times less than reading them anew. Windows and sessions that have expired stay until then,
and are left out of what is read.

All that takes long is done by `tend`, which a host calls in the background: once after the start,
as far as there is room, and again where a scan has come since it was last done. So no scan waits
for it. What nobody scans costs its memory until too much changes; then it is read again after a
second, the next time after two, and so on, for it may only be filling up.

It is no cache in front of the rows of RocksDB, which has one: lookups and ranges of keys never come
here.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from weakref import WeakSet

from stores.codec.layout import Layout
from stores.engines.rocksdb.column_arrays import (
    ALL_ROWS,
    BYTES_MAX,
    MADE,
    Change,
    Collected,
    KeptColumns,
    Within,
)
from stores.engines.rocksdb.column_budget import ColumnBudget, Scans
from stores.engines.rocksdb.readers import Entries
from stores.spec.position import Progress
from stores.spec.query import Batch, BatchStream
from stores.spec.store import View

PENDING_SHARE = 4
"""Changes that wait are at most the kept rows divided by this; more are as well read anew."""
MENDED_SHARE = 16
"""More changes than the kept rows divided by this are put in their places in the background."""
PENDING_ROWS_MIN = 1024
"""So many may wait however few rows are kept."""
PENDING_ROWS_COLLECTING = 1 << 18
"""So many may wait while the rows are being read: of one partition at a time, some 50 MB."""
_PART_MIN = 8
"""The rows by this is the least part that all is mended for: a copy costs so much less."""
PAUSE_S, PAUSE_S_MAX = 1.0, 3600.0
"""How long what nobody scans is left unread after too much has changed: at first, and at most."""
_clock_s = time.monotonic
_CHUNK_S = 10.0
"""How long a chunk may take that is read in the background: some milliseconds, usually."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What makes the columns of an epoch, and stays as it is until they are read."""

    kept: KeptColumns
    """Of that epoch, or of one before."""
    changes: Sequence[Change]
    """From then on up to that epoch."""
    progress: Progress
    life: int


class PartitionColumns:
    """The kept columns of one partition. Safe to share between one writer and many readers.

    Law: `stream` gives the rows that decoding the view's entries gives, in their order.

    Args:
        layout: of the partition's entries.
        budget: the node's.
        current: the newest view; None once there is none.
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
        self._lock = threading.Lock()
        self._tending = threading.Lock()
        """Held while `tend` reads; never taken by who holds the other."""
        self._scans = Scans()
        self._is_due = True
        """Whether it is worth something to read or mend: at first, and after each scan."""
        self._due_s, self._pause_s = math.inf, PAUSE_S
        """When it is so without a scan, and how long it will be the next time."""
        self._scanned: dict[str, None] = {}
        """Columns that scans have asked for."""
        self._refused: dict[tuple[str, ...], int] = {}
        """For which columns there was no room of so many bytes."""
        self._kept: KeptColumns | None = None
        self._changes: list[Change] = []
        self._changed_rows = 0
        self._newest = -1
        """The newest epoch that was begun: what it changed is lost to whoever reads one before."""
        self._is_collecting = False
        """Whether changes are noted for what is being read just now."""
        self._life = 0
        """Counts how often all was forgotten: what was begun before must not be kept after."""
        self._readers: WeakSet[object] = WeakSet()
        """Of the views that were shown since the partition became what it is. Others may be of a
        log that is no longer there, whose epochs say nothing."""

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
            kept_rows = 0 if self._kept is None else len(self._kept)
            least = PENDING_ROWS_COLLECTING if self._is_collecting else PENDING_ROWS_MIN
            if self._changed_rows <= max(least, kept_rows // PENDING_SHARE):
                return
            self._drop()
            self._postpone()
        self._budget.give_back(self)

    def show(self, view: View) -> None:
        """Take a view that is about to be handed out."""
        with self._lock:
            self._readers.add(view.data)

    @contextmanager
    def replaced(self) -> Iterator[None]:
        """Keep nothing of what was there before, while the partition becomes another or closes.

        What is read of the old view meanwhile is forgotten at the end, the new one being shown.
        """
        self._forget()
        with self._lock:
            self._readers.clear()
        try:
            yield
        finally:
            self._forget()

    def _forget(self) -> None:
        with self._lock:
            if self._kept is not None:
                self._postpone()
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

    def _postpone(self) -> None:
        """Read it again, if only later and later: the work must not come to more than is won."""
        self._due_s = _clock_s() + self._pause_s
        self._pause_s = min(2 * self._pause_s, PAUSE_S_MAX)

    def _drop(self) -> None:
        self._life += 1
        self._kept = None
        self._changes = []
        self._changed_rows = 0

    # By readers

    def stream(
        self,
        view: View,
        columns: Sequence[str],
        otherwise: BatchStream,
        within: Within = ALL_ROWS,
        *,
        is_whole: bool = True,
    ) -> BatchStream:
        """The rows of a view, from what is kept if it holds them now, whenever they are read.

        Args:
            view: which epoch.
            columns: their names; none is a batch without columns, which still has rows.
            otherwise: gives the same rows from the entries.
            within: the rows that are asked for, where these are not all that are kept.
            is_whole: whether these are all live rows; else it has to be seen whether it pays.
        """
        needed = (*columns, *within)
        if not is_whole and not self._pays(view, within):
            return otherwise
        self._note_scan(needed)
        found = self._find(view, needed)
        if found is None:
            return otherwise

        def read() -> Iterator[Batch]:
            kept = self._mended(found)
            yield from otherwise if kept is None else kept.batches(columns, within)

        return BatchStream(read)

    def count(self, view: View, within: Within = ALL_ROWS) -> int | None:
        """How many rows a view has; None if that is not kept."""
        self._note_scan(tuple(within))
        found = self._find(view, tuple(within))
        kept = None if found is None else self._mended(found)
        return None if kept is None else kept.count(within)

    def _pays(self, view: View, within: Within) -> bool:
        """Whether it costs less to mend what is kept than to read a part of the entries."""
        kept = self._kept
        if kept is None or not kept.holds(within):
            return False
        start, end = kept.span(within)
        return kept.epoch == view.progress.epoch or (end - start) * _PART_MIN >= len(kept)

    def _note_scan(self, columns: Sequence[str]) -> None:
        number = self._budget.scan(self)
        with self._lock:
            self._scans = Scans(self._scans.last, number)
            self._is_due, self._pause_s = True, PAUSE_S
            self._scanned.update((name, None) for name in columns if name not in MADE)

    # In the background

    def tend(self, is_stopping: Callable[[], bool]) -> None:
        """Read what is to be kept, or put changes in their places, if the next scan gains by it.

        Args:
            is_stopping: asked often; once it is true, all is left as it is.

        Raises:
            StoreError: the database cannot be read.
        """
        with self._tending:
            if not self._is_due and _clock_s() < self._due_s:
                return
            with self._lock:
                kept, scanned = self._kept, tuple(self._scanned)
            if kept is None or not kept.holds(scanned):
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
        # Where there is no room, it is looked for again when the next scan has come.
        self._is_due, self._due_s = False, math.inf

    def _collect(self, names: tuple[str, ...], is_stopping: Callable[[], bool]) -> int | None:
        """Read these columns and keep them; for how many bytes there was no room, if so."""
        view = self._current()
        if view is None:
            return None
        estimate = self._rows()
        with self._lock:
            if view is not self._current() or view.progress.epoch < self._newest:
                return None  # an epoch is being applied: at the next time, then
            life, before_bytes = self._life, 0 if self._kept is None else self._kept.size_bytes
            self._is_collecting, self._is_due, self._due_s = True, False, math.inf
        collected = Collected(self._layout, names)
        try:
            for keys, rows in self._entries(view):
                if is_stopping() or life != self._life:
                    return None
                collected.add(keys, rows)
                size_bytes = before_bytes + collected.size_bytes
                if not self._scans.last:
                    # Nobody has asked for it, so it is not read for nothing, if that can be seen.
                    size_bytes = max(size_bytes, collected.size_bytes * estimate // collected.rows)
                is_small = collected.size_bytes <= BYTES_MAX
                if not (is_small and self._budget.take(self, size_bytes, self._scans)):
                    return size_bytes
            self._keep(collected.kept(view.progress.epoch), life)
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
            kept_rows = 0 if self._kept is None else len(self._kept)
            if self._changed_rows <= max(PENDING_ROWS_MIN, kept_rows // MENDED_SHARE):
                return
            self._is_due = False
        found = None if view is None else self._find(view, ())
        if found is not None:
            self._mended(found)

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

    def _keep(self, kept: KeptColumns, life: int) -> None:
        """Keep this from now on, if there is room and nothing has happened meanwhile."""
        taken = self._budget.take(self, kept.size_bytes, self._scans)
        with self._lock:
            if not taken:
                self._drop()
            elif life == self._life and (self._kept is None or self._kept.epoch <= kept.epoch):
                self._kept = kept
                self._changes = [each for each in self._changes if each.epoch > kept.epoch]
                self._changed_rows = sum(map(len, self._changes))
        self._settle()

    def _find(self, view: View, columns: Sequence[str]) -> _Found | None:
        """What a view can be read from; None if nothing is kept, or only of a later epoch."""
        progress = view.progress
        with self._lock:
            kept = self._kept
            if kept is None or not kept.holds(columns):
                return None
            if kept.epoch > progress.epoch or view.data not in self._readers:
                return None
            due = [each for each in self._changes if kept.epoch < each.epoch <= progress.epoch]
            return _Found(kept=kept, changes=due, progress=progress, life=self._life)

    def _mended(self, found: _Found) -> KeptColumns | None:
        """What was found, with the changes in their places; None if it became too large."""
        if not found.changes:
            return found.kept
        with self._lock:
            newest = self._kept if self._life == found.life else None
        is_done = newest is not None and newest.epoch == found.progress.epoch
        if newest is not None and is_done and newest.holds(found.kept.columns):
            return newest
        # Not under the lock, which the writer needs: two readers may do the same work, once.
        mended = found.kept.mended(found.changes, found.progress)
        if mended is not None:
            self._keep(mended, found.life)
        elif self._life == found.life:
            self.evict()
            self._budget.give_back(self)
        return mended

"""The decoded columns of whole partitions, kept between scans and brought up to date by epochs.

A scan fetches the entries of a partition one by one from RocksDB and decodes them. Columns that
were decoded once are kept here as Arrow arrays, in key order. An epoch that is applied adds its
changes to a log beside them. Later the changes are merged into the columns, at the cost of a copy:
some thirty times less than reading everything again. Windows and sessions that have expired stay
until then; reads leave them out.

`maintain` does the slow work. A host calls it in the background: once after the start, as far as
there is room, and after scans. So no scan waits for it. Columns that no one scans keep their memory
until too much changes. Then they are read again after a second, the next time after two, and so on:
the store may only be filling up.

Lookups and ranges of keys do not use it: they have RocksDB's block cache and `cached_rows`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from weakref import WeakSet

from msgspec import Struct

from stategate.stores.codec.layout import Layout
from stategate.stores.engines.rocksdb.column_arrays import (
    ALL_ROWS,
    BYTES_MAX,
    ColumnReader,
    KeptColumns,
    Within,
)
from stategate.stores.engines.rocksdb.column_budget import ColumnBudget, ColumnDemand
from stategate.stores.engines.rocksdb.column_changes import (
    PENDING_ROWS_COLLECTING,
    Change,
    ChangeLog,
)
from stategate.stores.engines.rocksdb.column_ends import FirstRows
from stategate.stores.engines.rocksdb.readers import Entries
from stategate.stores.spec.position import Progress
from stategate.stores.spec.query import Batch, BatchStream
from stategate.stores.spec.schema import Row
from stategate.stores.spec.store import View

_PART_MIN = 8
"""A scan of less than an eighth of the rows reads entries rather than merge all columns."""
_CHUNK_S = 10.0
"""How long reading one chunk in the background may take; usually some milliseconds."""


class _Kept(Struct, frozen=True, kw_only=True):
    """Columns at an epoch, and the log of the changes since: replaced as a whole, under a lock."""

    columns: KeptColumns
    log: ChangeLog
    """It stays the same as long as columns replace those that they were made from."""


class _Found(Struct, frozen=True, kw_only=True):
    """The columns and changes that make up one view; they stay as they are until they are read."""

    kept: _Kept
    changes: Sequence[Change]
    """The changes of the epochs after the columns, up to that of the view."""
    progress: Progress
    """The progress of the view."""


class PartitionColumns:
    """The kept columns of one partition. Safe to share between one writer and many readers.

    Law: `stream` gives the rows that decoding the view's entries gives, in their order.

    Args:
        layout: the layout of the partition's entries.
        budget: the budget of the node.
        current: gives the newest view; None once the partition is closed.
        entries: gives all entries of a view in their order; expired ones may be among them.
        estimated_rows: gives about how many there are.
    """

    def __init__(
        self,
        layout: Layout,
        budget: ColumnBudget,
        current: Callable[[], View | None],
        entries: Callable[[View], Iterator[Entries]],
        estimated_rows: Callable[[], int],
    ) -> None:
        self._layout, self._budget = layout, budget
        self._current, self._entries = current, entries
        self._estimated_rows = estimated_rows
        self._lock = threading.Lock()
        self._maintaining = threading.Lock()
        """Held while `maintain` reads; never taken by a thread that holds the other lock."""
        self._demand = ColumnDemand()
        self._kept: _Kept | None = None
        self._collecting: ChangeLog | None = None
        """The changes since the view that `maintain` reads; it gives up if this is replaced."""
        self._newest = -1
        """The newest epoch that was begun. Its changes are missing from a log begun later."""
        self._readers: WeakSet[object] = WeakSet()
        """Readers of the views that were shown since the partition became what it is. Others may be
        of a log that no longer exists, whose epochs mean something else."""

    # Called by the writer

    def begin(self, epoch: int) -> Change | None:
        """Note that an epoch is about to be applied.

        Returns:
            The change to fill for `note`; None if no one needs the changes of the epoch.
        """
        with self._lock:
            # From now on no read of the epoch before may begin: it would miss these changes.
            self._newest = epoch
            is_needed = self._kept is not None or self._collecting is not None
            return Change(epoch=epoch) if is_needed else None

    def note(self, change: Change) -> None:
        """Take the changes of an epoch, before any view of that epoch is handed out."""
        with self._lock:
            if self._kept is None and self._collecting is None:
                return
            if self._collecting is not None:
                self._collecting.add(change)
                if self._collecting.rows > PENDING_ROWS_COLLECTING:
                    self._collecting = None
            if self._kept is not None:
                self._kept.log.add(change)
                if self._kept.log.is_too_long(len(self._kept.columns)):
                    self._kept = None
            if self._kept is not None or self._collecting is not None:
                return
            self._demand.postpone()
        self._budget.give_back(self)

    def show(self, view: View) -> None:
        """Take a view that is about to be handed out."""
        with self._lock:
            self._readers.add(view.data)

    @contextmanager
    def replaced(self) -> Iterator[None]:
        """Keep nothing of the old content while the partition gets another one, or closes.

        Anything read from the old view meanwhile is discarded at the end, after the new one is
        shown.
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
                self._demand.postpone()
            self._drop()
            self._newest = -1
        self._budget.give_back(self)
        # A read in the background holds the database open up to its next chunk. A file system that
        # hangs is not waited for any longer.
        if self._maintaining.acquire(timeout=_CHUNK_S):
            self._maintaining.release()

    def evict(self) -> None:
        """Drop the columns, whose memory the budget has already given to others."""
        with self._lock:
            self._drop()

    def _drop(self) -> None:
        self._kept = self._collecting = None

    # Called by readers

    def stream(
        self,
        view: View,
        columns: tuple[str, ...],
        otherwise: BatchStream,
        within: Within = ALL_ROWS,
        *,
        is_whole: bool = True,
        first: FirstRows | None = None,
    ) -> BatchStream:
        """Return the rows of a view, from the kept columns if possible, else from the entries.

        Args:
            view: the epoch to read.
            columns: their names; without any, batches have rows but no columns.
            otherwise: gives the same rows from the entries.
            within: the requested times; all by default.
            is_whole: whether all live rows are requested. A part of them is read from columns only
                if that is faster.
            first: the rows that suffice; the others may be left out.
        """
        needed = (*columns, *within)
        if not is_whole and not self._pays(within):
            return otherwise
        self._note_scan(needed)
        found = self._find(view, needed)
        if found is None:
            return otherwise

        def read() -> Iterator[Batch]:
            kept = self._up_to_date(found)
            yield from otherwise if kept is None else kept.stream(columns, within, first)

        merged = self._merged(found)
        if merged is None or (first is not None and not merged.finds_soon(first)):
            return BatchStream(read, otherwise.rows)
        return merged.stream(columns, within, first, otherwise.rows)

    def first_rows(
        self, view: View, columns: tuple[str, ...], within: Within, first: FirstRows
    ) -> list[Row] | None:
        """Return the first rows by time as tuples; None if `stream` has to look for them."""
        needed = (*columns, *within)
        found = self._find(view, needed)
        merged = None if found is None else self._merged(found)
        rows = None if merged is None else merged.first_rows(columns, within, first)
        if rows is not None:
            self._note_scan(needed)
        return rows

    def count(self, view: View, within: Within = ALL_ROWS) -> int | None:
        """Return how many rows a view has; None if its columns are not kept."""
        self._note_scan(tuple(within))
        found = self._find(view, tuple(within))
        columns = None if found is None else self._up_to_date(found)
        return None if columns is None else columns.count(within)

    def _pays(self, within: Within) -> bool:
        """Return whether columns give a part of the rows sooner than entries do."""
        kept = self._kept
        if kept is None or not kept.columns.holds(within):
            return False
        if not kept.log.rows:
            return True
        start, end = kept.columns.span(within)
        return (end - start) * _PART_MIN >= len(kept.columns)

    def _note_scan(self, columns: Sequence[str]) -> None:
        number = self._budget.scan(self)
        with self._lock:
            self._demand.note_scan(number, columns)

    # Called in the background

    def maintain(self, is_stopping: Callable[[], bool], *, reads_ahead: bool = True) -> None:
        """Read the columns to keep, or merge changes into them, if the next scan gains by it.

        Args:
            is_stopping: called often; once it is true, the work stops without a change.
            reads_ahead: whether to read columns before the first scan.

        Raises:
            StoreError: the database cannot be read.
        """
        with self._maintaining:
            if not (self._demand.is_due and (reads_ahead or self._demand.was_scanned)):
                return
            with self._lock:
                kept, scanned = self._kept, self._demand.columns
            if kept is None or not kept.columns.holds(scanned):
                self._collect_some(is_stopping)
            self._merge_early()

    def _collect_some(self, is_stopping: Callable[[], bool]) -> None:
        """Keep all columns; if there is no room for them, those that scans have wanted."""
        names = [column.name for column in self._layout.schema.columns]
        with self._lock:
            choices, scans = self._demand.choices(names), self._demand.scans
        for chosen in choices:
            if self._budget.room_bytes(self, scans) >= self._demand.least_bytes(chosen):
                refused_bytes = self._collect(chosen, is_stopping)
                if refused_bytes is None:
                    return
                self._demand.refuse(chosen, refused_bytes)
        with self._lock:
            # There is no room; the next scan looks for it again.
            self._demand.settle()

    def _collect(self, names: tuple[str, ...], is_stopping: Callable[[], bool]) -> int | None:
        """Read these columns and keep them; return how many bytes did not fit, None if they did."""
        view = self._current()
        if view is None:
            return None
        estimated_rows = self._estimated_rows()
        with self._lock:
            if view is not self._current() or view.progress.epoch < self._newest:
                return None  # an epoch is being applied: the next call reads it
            log = self._collecting = ChangeLog()
            kept_bytes = 0 if self._kept is None else self._kept.columns.size_bytes
            self._demand.settle()
        reader = ColumnReader(self._layout, names)
        try:
            for keys, rows in self._entries(view):
                if is_stopping() or self._collecting is not log:
                    return None
                reader.add(keys, rows)
                size_bytes = kept_bytes + reader.size_bytes
                if not self._demand.was_scanned:
                    # No scan has asked yet: give up as soon as it is clear that there is no room.
                    size_bytes = max(size_bytes, reader.size_bytes * estimated_rows // reader.rows)
                if reader.size_bytes > BYTES_MAX or not self._take(size_bytes):
                    return size_bytes
            self._keep(reader.columns(view.progress.epoch), log)
            return None
        finally:
            with self._lock:
                self._collecting = None
            self._settle_budget()

    def _merge_early(self) -> None:
        """Merge changes before a scan comes, if they are many."""
        view = self._current()
        with self._lock:
            kept = self._kept
            if kept is None:
                return
            if not kept.log.is_long(len(kept.columns)):
                return
            self._demand.settle()
        found = None if view is None else self._find(view, ())
        if found is not None:
            self._up_to_date(found)

    # The kept columns

    def _take(self, size_bytes: int) -> bool:
        return self._budget.take(self, size_bytes, self._demand.scans)

    def _settle_budget(self) -> None:
        """Report the kept columns to the budget."""
        kept = self._kept
        if kept is not None:
            self._take(kept.columns.size_bytes)
        with self._lock:
            is_empty = self._kept is None
        if is_empty:
            self._budget.give_back(self)

    def _keep(self, columns: KeptColumns, log: ChangeLog) -> None:
        """Keep columns from now on, if there is room for them and their log is still in use.

        Args:
            columns: the columns of an epoch.
            log: has the changes since that epoch, and maybe some before.
        """
        has_room = self._take(columns.size_bytes)
        with self._lock:
            kept = self._kept
            if not has_room:
                self._drop()
            elif log is self._collecting:
                self._kept, self._collecting = _Kept(columns=columns, log=log), None
            elif kept is not None and log is kept.log and kept.columns.epoch <= columns.epoch:
                log.drop_up_to(columns.epoch)
                self._kept = _Kept(columns=columns, log=log)
        self._settle_budget()

    def _find(self, view: View, columns: Sequence[str]) -> _Found | None:
        """Return the columns and changes of a view; None if none are kept, or only later ones."""
        progress = view.progress
        with self._lock:
            kept = self._kept
            if kept is None or not kept.columns.holds(columns):
                return None
            if kept.columns.epoch > progress.epoch or view.data not in self._readers:
                return None
            return _Found(kept=kept, changes=kept.log.up_to(progress.epoch), progress=progress)

    def _merged(self, found: _Found) -> KeptColumns | None:
        """Return the columns if all changes are merged into them; otherwise None."""
        if not found.changes:
            return found.kept.columns
        kept = self._kept
        if kept is None or kept.log is not found.kept.log:
            return None
        return kept.columns if kept.columns.epoch == found.progress.epoch else None

    def _up_to_date(self, found: _Found) -> KeptColumns | None:
        """Return the columns with the changes merged; None if they became too large."""
        at_hand = self._merged(found)
        if at_hand is not None:
            return at_hand
        log = found.kept.log
        # This does not hold the lock, which the writer needs: two readers may do the work twice.
        merged = found.kept.columns.merged(found.changes, found.progress)
        if merged is not None:
            self._keep(merged, log)
            return merged
        with self._lock:
            if self._kept is not None and self._kept.log is log:
                self._drop()
        self._settle_budget()
        return None

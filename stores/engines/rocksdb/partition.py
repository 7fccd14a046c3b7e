"""The RocksDB engine: one database per replica, its views, and its caches.

All entries are in one database:

    00 …    definition and progress, see `stategate.stores.engines.rocksdb.metadata`
    01 …    the rows, as `stategate.stores.codec.layout` says
    02 …    when rows were deleted, in stores by event time

The rows and the progress of an epoch go in by one write batch. A view is made right after it, and
all queries of the epoch share it (see `stategate.stores.engines.rocksdb.readers`).

A crash loses whole epochs, the newest ones; the stored progress says where to continue. The newest
epoch that was answered until then is in a file next to the database
(`stategate.stores.engines.rocksdb.metadata`).

A partition whose database is at rest keeps its view, its cached rows and its columns. Whatever they
cannot answer opens the database again; so does the next epoch, before it writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pyarrow as pa

from stategate.stores.codec.layout import DATA, DATA_END, DELETIONS, DELETIONS_END, Layout
from stategate.stores.engines.rocksdb.cached_rows import ALL_KEYS, ONE_ROW_A_KEY, CachedRows
from stategate.stores.engines.rocksdb.column_budget import ColumnBudget
from stategate.stores.engines.rocksdb.column_cache import PartitionColumns
from stategate.stores.engines.rocksdb.database import BlockCache, Database
from stategate.stores.engines.rocksdb.epochs import drop_expired, epoch_writer
from stategate.stores.engines.rocksdb.handlers import handlers_of
from stategate.stores.engines.rocksdb.handlers_shared import Handlers
from stategate.stores.engines.rocksdb.logged_rows import logged_rows
from stategate.stores.engines.rocksdb.metadata import (
    DEFINITION,
    FIRST_KEY,
    METADATA_ENTRIES,
    PROGRESS,
    AnsweredEpoch,
    decode_progress,
    encode_progress,
    fingerprint,
    layout_of,
)
from stategate.stores.engines.rocksdb.open_files import OpenFiles
from stategate.stores.engines.rocksdb.readers import Entries
from stategate.stores.engines.rocksdb.rest_note import Note, read_note
from stategate.stores.engines.rocksdb.row_budget import RowBudget
from stategate.stores.engines.rocksdb.row_cache import ChangedKeys
from stategate.stores.engines.rocksdb.unflushed import Unflushed
from stategate.stores.errors import StoreError
from stategate.stores.log.snapshots import Fetch
from stategate.stores.spec.position import Progress
from stategate.stores.spec.query import Order
from stategate.stores.spec.scans import ApproximateCountQuery
from stategate.stores.spec.schema import Key, StoreKind, StoreSchema
from stategate.stores.spec.store import View

_ANSWERED = "ANSWERED"
"""A file in the database's directory, with a name that RocksDB does not use."""
_WITH_COLUMNS = ONE_ROW_A_KEY | {StoreKind.WINDOW, StoreKind.SESSION}
"""Versions are excluded: the end of one changes with the next, without its own row in the log."""


class RocksPartition:
    """A `StorePartition` over one RocksDB database.

    Args:
        path: the database's directory; a database of another definition is emptied first.
        schema: the store.
        partition: its number.
        cache: the node's block cache.
        columns: the memory for decoded columns; None keeps none.
        rows: the memory for rows that are read again; None keeps none.
        files: the files that open databases may use; None for any number. If many are in use, a
            database whose content is known is not opened before it is needed.
        unflushed: what the databases of the node hold that is not on the disk.

    Raises:
        CodecError: the database is damaged.
        StoreError: it cannot be opened, for instance because another process holds it.
    """

    def __init__(
        self,
        path: Path,
        *,
        schema: StoreSchema,
        partition: int,
        cache: BlockCache | None = None,
        columns: ColumnBudget | None = None,
        rows: RowBudget | None = None,
        files: OpenFiles | None = None,
        unflushed: Unflushed | None = None,
    ) -> None:
        self.schema, self.partition = schema, partition
        self.late_rows = 0
        """Rows dropped since it was opened, because no one could read them: see `PartitionStatus`.
        """
        self._path = path
        self._layout = Layout(schema, partition)
        resting_at = None if files is None or not files.is_half_full else self._resting_progress()
        self._database = Database(
            path,
            cache=cache,
            files=files,
            unflushed=unflushed,
            at_rest=resting_at is not None,
        )
        self.rest_by(self.rest)
        self._is_defined = resting_at is None or resting_at.epoch >= 0
        """Whether the database has its definition; a new one at rest does not exist yet."""
        self._view: View | None = None
        self._columns = self._new_columns(columns)
        self._cached_rows = CachedRows(schema, rows)
        try:
            if resting_at is None:
                self._begin()
            else:
                self._begin_at_rest(resting_at)
        except StoreError:
            # Its directory may be emptied and opened again before this object is collected.
            self._database.close()
            self._cached_rows.close()
            raise
        self.handlers: Handlers = self._new_handlers()
        """The handlers of the store's kind; see `stores/README.md`."""

    def _begin(self) -> None:
        """Show the database's content, if it is of this definition."""
        found = self._database.get(DEFINITION)
        is_ours = found == fingerprint(self.schema)
        if is_ours:
            self._show(self._read_view())
        else:
            self.reset()
        self.answered = AnsweredEpoch(self._path / _ANSWERED, applied=self.view.progress.epoch)
        """The newest epoch that was answered at; its replica says when it answers."""
        # A database without any definition was killed before its first flush.
        if not is_ours and found is not None:
            self.answered.forget()

    def _resting_progress(self) -> Progress | None:
        """Return the progress of a database that need not be opened to know it."""
        if not self._path.exists():
            return Progress()
        note = read_note(self._path)
        if note is None or note.definition != fingerprint(self.schema):
            return None
        return decode_progress(note.progress)

    def _begin_at_rest(self, progress: Progress) -> None:
        """Show the content of the database without opening it."""
        self._show(View(progress=progress, data=self._database.resting_reader()))
        path = self._path / _ANSWERED
        self.answered = AnsweredEpoch(path, applied=progress.epoch, at_rest=True)

    @property
    def view(self) -> View:
        """The newest epoch, with its `Reader` as data."""
        if self._view is None:
            raise StoreError(f'partition {self.partition} of store "{self.schema.name}" is closed')
        return self._view

    @property
    def layout(self) -> str:
        """Text that is equal for two engines if, and only if, each can read the other's bytes."""
        return layout_of(self.schema)

    # Epochs

    def apply(
        self, progress: Progress, batches: Iterable[pa.RecordBatch], *, replace: bool = False
    ) -> None:
        """Apply one epoch in one write batch, which also removes expired segments.

        Raises:
            StoreError: the database cannot be written.
        """
        with self._replacing() if replace else nullcontext():
            self._apply(progress, batches, replace=replace)

    def _apply(
        self, progress: Progress, batches: Iterable[pa.RecordBatch], *, replace: bool
    ) -> None:
        self._awake()
        writes = self._database.new_writes()
        if replace:
            writes.delete_range(DATA, DELETIONS_END)
        change = None if self._columns is None else self._columns.begin(progress.epoch)
        changed = ALL_KEYS if replace else self._cached_rows.begin()
        before = None if replace else self._database.reader
        writer = epoch_writer(
            self._layout, before, progress, writes, change=change, changed=changed
        )
        for batch in batches:
            writer.add(batch)
        late_rows = writer.finish()
        drop_expired(self._layout, writes, self.view.progress, progress)
        if not self._is_defined:
            writes.put(DEFINITION, fingerprint(self.schema))
        writes.put(PROGRESS, encode_progress(progress))
        self.answered.advance(progress.epoch)
        self._database.write(writes)
        self._is_defined = True
        self.late_rows += late_rows
        if self._columns is not None and change is not None:
            self._columns.note(change)
        # The given progress, not one read back: all partitions then share one position object,
        # which makes merging their positions a comparison of identities.
        self._show(View(progress=progress, data=self._database.reader()), changed)

    def _show(self, view: View, changed: ChangedKeys = ALL_KEYS) -> None:
        """Make this the newest view."""
        self._cached_rows.advance(view.data, changed)
        if self._columns is not None:
            self._columns.show(view)
        self._view = view

    def _read_view(self) -> View:
        reader = self._database.reader()
        return View(progress=decode_progress(reader.get(PROGRESS)), data=reader)

    # All of the content

    def reset(self) -> None:
        """Empty the database, because the log it was made from has been replaced.

        It takes one write, so a crash leaves the old content or nothing. Views that are being read
        stay valid.

        Raises:
            StoreError: the database cannot be written.
        """
        with self._replacing():
            self._awake()
            self._clear()
            self._show(self._read_view())

    def dump(self, path: Path) -> int:
        """Write the newest epoch with its progress as one SST file; return its number of rows.

        Raises:
            StoreError: the database cannot be read, or the file cannot be written.
        """
        read = self.view.data.chunks
        deletions = 0

        def chunks() -> Iterator[Entries]:
            nonlocal deletions
            yield from read(FIRST_KEY, DATA_END, Order.ASCENDING)
            for found in read(DELETIONS, DELETIONS_END, Order.ASCENDING):
                deletions += len(found[0])
                yield found

        return self._database.dump(path, chunks()) - METADATA_ENTRIES - deletions

    def logged_rows(self) -> Iterator[pa.Table]:
        """Yield the newest epoch as rows of the log, as `logged_rows` describes them."""
        yield from logged_rows(self._layout, self.view.data, self.view.progress)

    def restore(self, fetch: Fetch, progress: Progress) -> None:
        """Replace the content with a file from `dump`; see `Restorable`.

        It empties the database before it ingests the file, each in one write. So a crash leaves
        the old content, nothing, or all of the file.

        Raises:
            StoreError: the file cannot be fetched or ingested, or has another progress.
        """
        file = self._path.with_name(f"{self._path.name}.restore")
        try:
            fetch(file)
            with self._replacing():
                self._awake()
                self._clear()
                try:
                    self._database.ingest(file)
                    self._check_restored(progress)
                finally:
                    # Do so even after a failure: the old content is gone, and must not be used.
                    self._show(self._read_view())
        finally:
            file.unlink(missing_ok=True)

    def _check_restored(self, progress: Progress) -> None:
        """Empty the database if it does not hold this progress and definition."""
        found = self._read_view()
        if found.progress != progress or found.data.get(DEFINITION) != fingerprint(self.schema):
            self._clear()
            raise StoreError("a snapshot's file has another progress than its commit")

    def _replacing(self) -> AbstractContextManager[None]:
        """Return a context in which the content is replaced."""
        return nullcontext() if self._columns is None else self._columns.replaced()

    def _clear(self) -> None:
        writes = self._database.new_writes()
        writes.delete_range(DATA, DELETIONS_END)
        writes.delete(PROGRESS)
        writes.put(DEFINITION, fingerprint(self.schema))
        self._database.write(writes)

    # Maintenance and closing

    def maintain(self, is_stopping: Callable[[], bool]) -> None:
        """Flush the database if it is its turn; keep the columns of the newest epoch.

        See `unflushed` and `column_cache`.
        """
        self._database.flush_if_due()
        if self._columns is not None:
            # A database that no one has asked for is not opened to read ahead.
            self._columns.maintain(is_stopping, reads_ahead=not self.is_at_rest)

    @property
    def is_at_rest(self) -> bool:
        """Whether the database is closed until it is needed."""
        return self._database.is_at_rest

    def rest(self) -> bool:
        """Close the database until it is needed; only the thread that applies epochs may call it.

        Returns:
            Whether it is at rest; not while anyone reads it.
        """
        view = self._view
        if view is None:
            return True
        is_at_rest = self._database.rest(view.data, self._note(view))
        if is_at_rest:
            self.answered.rest()
        return is_at_rest

    def rest_by(self, rest: Callable[[], bool]) -> None:
        """Call this instead of `rest` when others need the files of the database."""
        self._database.rest_by = rest

    def _awake(self) -> None:
        """Open the database, if it is at rest, before it is written."""
        view = self._view
        if view is not None:
            # The view must not change, so its reader is made before anything is written.
            view.data.lease()

    def has_cached_row(self, view: View, key: Key) -> bool:
        """Whether the row of a key in a view is in memory, for execution info.

        Raises:
            CodecError: it is no key of this store.
        """
        entry_key = DATA + self._layout.keys.encode_whole(key)
        cache = self._cached_rows.by_key
        return cache is not None and cache.get(view.data, entry_key) is not None

    def _note(self, view: View) -> Note:
        return Note(fingerprint(self.schema), encode_progress(view.progress))

    def close(self) -> None:
        """Close the database with its last view; repeated calls do nothing."""
        view = self._view
        if view is not None:
            note = self._note(view)
            del view
            with self._replacing():
                self._view = None
            self._cached_rows.close()
            self.answered.close()
            self._database.close(note)

    # Construction

    def _new_columns(self, budget: ColumnBudget | None) -> PartitionColumns | None:
        if budget is None or self.schema.kind not in _WITH_COLUMNS:
            return None
        return PartitionColumns(
            self._layout,
            budget,
            current=lambda: self._view,
            entries=lambda view: view.data.chunks(DATA, DATA_END, Order.ASCENDING),
            estimated_rows=self._estimated_rows,
        )

    def _new_handlers(self) -> Handlers:
        handlers = handlers_of(self._layout, self._columns, self._cached_rows)
        if not handlers:  # a third party's kind, which answers the queries that it registered
            return {}
        return {**handlers, ApproximateCountQuery: lambda view, query: self._estimated_rows()}

    def _estimated_rows(self) -> int:
        view = self._view
        in_use = None if view is None else view.data.lease()  # noqa: F841 - it stays open meanwhile
        return max(0, self._database.estimated_entries() - METADATA_ENTRIES)

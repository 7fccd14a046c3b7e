"""The RocksDB engine: one database per replica. The only importer of rocksdict.

All lies in the default column family, for a snapshot and an iterator cover only one:

    00 "progress"      epoch, position, watermark of what has been applied
    00 "definition"    fingerprint of the store's definition
    01 …               the rows, as `stores.codec.layout` says

Rows and progress of an epoch go in by one write batch. A view is made right after it; every query
of an epoch shares it (see `stores.engines.rocksdb.readers`) and makes none itself.

There is no write-ahead log, as in Kafka Streams: the state log is one. A write batch lies in one
memtable, memtables are flushed in their order, and each flush takes effect at once. So a crash
loses whole epochs, the newest ones; the progress that is found says where to go on. What had been
answered until then is in a file beside the database (`stores.engines.rocksdb.answered_epoch`).
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache, partial
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import orjson
import pyarrow as pa
from rocksdict import (
    BlockBasedOptions,
    Cache,
    DbClosedError,
    Options,
    Rdict,
    WriteBatch,
    WriteOptions,
)

from stores.codec.layout import DATA, DATA_END, Layout, segment_bytes
from stores.codec.scalars import NESTED
from stores.codec.segments import Segments
from stores.engines.rocksdb.answered_epoch import AnsweredMark
from stores.engines.rocksdb.column_budget import ColumnBudget
from stores.engines.rocksdb.column_cache import PartitionColumns
from stores.engines.rocksdb.column_changes import Change
from stores.engines.rocksdb.handlers_keyvalue import keyvalue_handlers
from stores.engines.rocksdb.handlers_shared import Handlers
from stores.engines.rocksdb.handlers_times import session_handlers, window_handlers
from stores.engines.rocksdb.handlers_versions import version_handlers
from stores.engines.rocksdb.readers import Entry, Reader
from stores.engines.rocksdb.row_cache import ChangedKeys, RowBudget, RowCache
from stores.engines.rocksdb.sst import ingest_sst, write_sst
from stores.engines.rocksdb.version_writes import VersionWriter
from stores.errors import CodecError, StoreError
from stores.log.snapshots import Fetch
from stores.spec.position import Position, Progress
from stores.spec.query import Order
from stores.spec.scans import ApproximateCountQuery
from stores.spec.schema import StoreKind, StoreSchema
from stores.spec.store import View

_logger = logging.getLogger(__name__)

_PROGRESS = b"\0progress"
_DEFINITION = b"\0definition"
_RECORDS = 2
"""How many entries are not rows: the two above."""
_FIRST = b"\0"
_FAMILY = "default"
_ANSWERED = "ANSWERED"
"""A file in the database's directory, with a name that RocksDB has no use for."""
_ALL_KEYS = ChangedKeys(wanted=False)

_WRITE_BUFFER_BYTES = 16 << 20
"""Per replica: a node holds hundreds of them."""
_UNFLUSHED_EPOCHS_MAX = 512
"""Applied again after a crash. With small epochs it takes hours to fill a write buffer."""
_BLOOM_BITS_PER_KEY = 10.0
"""One false positive in a hundred lookups of a key that is not there."""


def shared_cache(capacity_bytes: int) -> Cache:
    """A block cache for all replicas of a node."""
    return Cache(capacity_bytes)


_opened: WeakValueDictionary[Path, RocksPartition] = WeakValueDictionary()
"""The engine that has opened each directory last."""


def _holder(text: str, path: Path) -> str | None:
    """Who has a database open, and what to do about it; None if it was refused for another reason.

    Args:
        text: what RocksDB said when it refused to open it, too.
        path: the database's directory.
    """
    if "lock file" in text and "temporarily unavailable" in text:
        return "another process has it open: end that one, or use another directory"
    if "lock hold by current process" not in text:
        return None
    last = _opened.get(path.resolve())
    if last is not None and last.is_open:
        return "another host of this process has it open: close that one, or use another directory"
    return (
        "its host was closed, but streams of that host's answers are still held: drop them first, "
        "or use another directory"
    )


class RocksPartition:
    """A `StorePartition` over one RocksDB database.

    Args:
        path: the database's directory; one whose definition differs is emptied first.
        schema: the store.
        partition: its number.
        cache: the node's block cache.
        columns: what the node keeps of decoded columns; None keeps none.
        rows: what the node keeps of rows that were looked up; None keeps none.

    Raises:
        CodecError: the database is damaged.
        StoreError: it cannot be opened, e.g. since another process holds it.
    """

    def __init__(
        self,
        path: Path,
        *,
        schema: StoreSchema,
        partition: int,
        cache: Cache | None = None,
        columns: ColumnBudget | None = None,
        rows: RowBudget | None = None,
    ) -> None:
        self.schema, self.partition = schema, partition
        self._layout = Layout(schema, partition)
        self.late_rows = 0
        """Rows dropped since it was opened, as nobody could read them: see `PartitionStatus`."""
        self._path = path
        self._options = _options(cache)
        self._db = self._open()
        self._unflushed_epochs = 0
        self._view: View | None = None
        # Entries of versions change without being put or deleted by name: their ends do.
        handlers = _HANDLERS.get(schema.kind)
        is_plain = handlers is keyvalue_handlers
        self._kept = (
            PartitionColumns(
                self._layout,
                columns,
                current=lambda: self._view,
                entries=lambda view: view.data.chunks(DATA, DATA_END, Order.ASCENDING),
                estimated_rows=self._estimated_rows,
            )
            if columns is not None and handlers not in (None, version_handlers)
            else None
        )
        # A row is kept as it is given out, so nobody must be able to change its values.
        is_flat = not any(column.type.kind in NESTED for column in schema.value)
        self._looked_up = (
            RowCache(rows, columns=len(schema.value))
            if rows is not None and rows.capacity_bytes and is_plain and is_flat
            else None
        )
        try:
            self._begin()
        except StoreError:
            # Its directory may be emptied and opened again before the collector comes to this one.
            self._close_database()
            if self._looked_up is not None:
                self._looked_up.close()
            raise
        self.handlers: Handlers = self._make_handlers()
        """Those of the store's kind; see `stores/README.md`."""

    def _begin(self) -> None:
        """Show what the database holds, if that is of this definition."""
        found = self._db.get(_DEFINITION)
        is_ours = found == fingerprint(self.schema)
        if is_ours:
            self._show(self._take_view())
        else:
            self.reset()
        self.answered = AnsweredMark(self._path / _ANSWERED, applied=self.view.progress.epoch)
        """The newest epoch that was answered at; its replica says when it answers."""
        # A database without any definition was killed before its first flush.
        if not is_ours and found is not None:
            self.answered.forget()

    @property
    def view(self) -> View:
        """The newest epoch, with its `Reader` as data."""
        if self._view is None:
            raise StoreError(f'partition {self.partition} of store "{self.schema.name}" is closed')
        return self._view

    @property
    def is_open(self) -> bool:
        """Whether it can be asked."""
        return self._view is not None

    def apply(
        self, progress: Progress, batches: Iterable[pa.RecordBatch], *, replace: bool = False
    ) -> None:
        """Take one epoch in one write batch; expired segments go in the same.

        Raises:
            StoreError: the database cannot be written.
        """
        with self._replacing() if replace else nullcontext():
            self._apply(progress, batches, replace=replace)

    def _apply(
        self, progress: Progress, batches: Iterable[pa.RecordBatch], *, replace: bool
    ) -> None:
        self._flush_at_times()
        writes = WriteBatch(raw_mode=True)
        if replace:
            writes.delete_range(DATA, DATA_END)
        late = 0
        change = None if self._kept is None else self._kept.begin(progress.epoch)
        changed = _ALL_KEYS if replace or self._looked_up is None else self._looked_up.begin()
        if self.schema.kind is StoreKind.VERSIONED:
            reader = None if replace else self._reader()
            succession = VersionWriter(self._layout, reader, progress, writes)
            for batch in batches:
                succession.add(batch)
            late = succession.write()
        else:
            for batch in batches:
                timely = self._layout.timely(batch, progress) if self._layout.times else batch
                # An epoch that is the whole store has rows of any age; late is what comes anew.
                late += 0 if replace else batch.num_rows - timely.num_rows
                changed.add(self._put(writes, timely, progress.epoch, change))
        self._drop_expired(writes, progress)
        writes.put(_PROGRESS, _encode_progress(progress))
        self.answered.advance(progress.epoch)
        self._write(writes)
        self._unflushed_epochs += 1
        self.late_rows += late
        if self._kept is not None and change is not None:
            self._kept.note(change)
        # The given progress, not one read back: all partitions then share one position object,
        # which makes merging their positions a comparison of identities.
        self._show(View(progress=progress, data=self._reader()), changed)

    def reset(self) -> None:
        """Forget everything, because the log it came from is not the log there is now.

        In one write, so that a crash leaves the old or nothing; views that are read stay valid.

        Raises:
            StoreError: the database cannot be written.
        """
        with self._replacing():
            self._clear()
            self._show(self._take_view())

    def _show(self, view: View, changed: ChangedKeys = _ALL_KEYS) -> None:
        """From now on this is the newest view."""
        if self._looked_up is not None:
            self._looked_up.advance(view.data, changed)
        if self._kept is not None:
            self._kept.show(view)
        self._view = view

    def _replacing(self) -> AbstractContextManager[None]:
        """While what is here becomes something else."""
        return nullcontext() if self._kept is None else self._kept.replaced()

    @property
    def layout(self) -> str:
        """Equal for two engines exactly if the bytes of one mean the same to the other."""
        return layout_of(self.schema)

    def dump(self, path: Path) -> int:
        """Write all of the newest epoch, its progress too, as one SST file; how many rows it has.

        Raises:
            StoreError: the database cannot be read or the file not be written.
        """
        chunks = self.view.data.chunks(_FIRST, DATA_END, Order.ASCENDING)
        return write_sst(path, chunks, self._options) - _RECORDS

    def restore(self, fetch: Fetch, progress: Progress) -> None:
        """Become what a file from `dump` holds; see `stores.log.snapshots.Restorable`.

        It empties the database before it takes the file, each in one write, so that a crash leaves
        what was here before, nothing, or all of the file.

        Raises:
            StoreError: the file cannot be had or taken, or does not hold this progress.
        """
        file = self._path.with_name(f"{self._path.name}.restore")
        try:
            fetch(file)
            with self._replacing():
                self._clear()
                try:
                    ingest_sst(self._db, file)
                    self._check_restored(progress)
                finally:
                    # Also where that failed: what was here before is gone, not to be built on.
                    self._show(self._take_view())
        finally:
            file.unlink(missing_ok=True)

    def _check_restored(self, progress: Progress) -> None:
        """Empty the database if it does not hold what it was to be filled with."""
        found = self._take_view()
        if found.progress != progress or found.data.get(_DEFINITION) != fingerprint(self.schema):
            self._clear()
            raise StoreError("a snapshot's file holds another progress than its commit says")

    def tend(self, is_stopping: Callable[[], bool]) -> None:
        """Keep the columns of the newest epoch, as far as is worth it; see `column_cache`."""
        if self._kept is not None:
            self._kept.tend(is_stopping)

    def close(self) -> None:
        """Close the database once the last view is gone. Closing twice is closing once."""
        if self._view is not None:
            with self._replacing():
                self._view = None
            if self._looked_up is not None:
                self._looked_up.close()
            self.answered.close()
            self._close_database()

    def _close_database(self) -> None:
        try:
            self._db.close()
        except Exception as error:  # rocksdict raises bare Exception
            # It is closed all the same. What it could not flush is applied again, from the log.
            _logger.warning("database not flushed path=%s error=%s", self._path, error)

    # Opening

    def _open(self) -> Rdict:
        is_new = not self._path.exists()
        try:
            # Rows are the business of whoever runs this; above it, see `stores.hosting.opening`.
            self._path.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Of a database that is there already, rocksdict reads the options back from a file that
            # cannot have the cache and the filter in it, unless they are given by column family.
            families = {_FAMILY: self._options}
            database = Rdict(str(self._path), self._options, column_families=families)
        except Exception as error:  # rocksdict raises bare Exception
            text = str(error)
            # The directory is there, so what is not found is one of the database's own files.
            is_damaged = text.startswith("Corruption") or "No such file or directory" in text
            kind = CodecError if is_damaged else StoreError
            if is_new:
                self._remove_traces()
            text = _holder(text, self._path) or text
            raise kind(f"cannot open {self._path}: {text}") from error
        _opened[self._path.resolve()] = self
        writing = WriteOptions()
        writing.disable_wal = True  # type: ignore[assignment] # as above
        database.set_write_options(writing)
        return database

    def _remove_traces(self) -> None:
        """Remove what a refused opening has created.

        What was removed while somebody reads it is locked until he is done, and then, if its
        directory is there again, would leave what looks like a damaged database.
        """
        with contextlib.suppress(OSError):  # then there is more in it than an opening leaves
            for trace in (*self._path.glob("LOG*"), self._path / "rocksdict-config.json"):
                trace.unlink(missing_ok=True)
            self._path.rmdir()

    def _take_view(self) -> View:
        reader = self._reader()
        # Cached, so that partitions which were opened at one epoch share one position, too.
        return View(progress=_decode_progress(reader.get(_PROGRESS)), data=reader)

    def _reader(self) -> Reader:
        """What the database holds now; only the one thread that writes may ask."""
        database = self._db
        iterator: Any = database.iter()  # its stub does not know that raw mode gives bytes
        written = database.latest_sequence_number()

        def walk(start: bytes, order: Order) -> Iterator[Entry] | None:
            try:
                backwards = order is Order.DESCENDING
                entries: Any = database.items(backwards=backwards, from_key=start)
                return entries if database.latest_sequence_number() == written else None
            except (DbClosedError, RuntimeError):
                # Closed, or being closed right now by another thread, which has it borrowed. A
                # stream that was taken before is read to its end all the same.
                return None

        return Reader(database.snapshot(), iterator, walk)

    # Writing

    def _write(self, writes: WriteBatch) -> None:
        try:
            self._db.write(writes)
        except Exception as error:  # rocksdict raises bare Exception
            raise StoreError(f"cannot write {self._path}: {error}") from error

    def _flush_at_times(self) -> None:
        """After some epochs, so that few are applied again after a crash; in the background."""
        if self._unflushed_epochs < _UNFLUSHED_EPOCHS_MAX:
            return
        self._unflushed_epochs = 0
        try:
            self._db.flush(wait=False)
        except Exception as error:  # rocksdict raises bare Exception
            # Nothing is lost by that; if nothing can be written either, the next write says why.
            _logger.warning("database not flushed path=%s error=%s", self._path, error)

    def _clear(self) -> None:
        writes = WriteBatch(raw_mode=True)
        writes.delete_range(DATA, DATA_END)
        writes.delete(_PROGRESS)
        writes.put(_DEFINITION, fingerprint(self.schema))
        self._write(writes)

    def _put(
        self, writes: WriteBatch, batch: pa.RecordBatch, epoch: int, change: Change | None
    ) -> list[bytes]:
        """Put and delete; the keys of both."""
        all_keys = entry_keys = self._layout.entry_keys(batch)
        deleted = batch.column("_deleted")
        if deleted.true_count:
            flags = deleted.to_pylist()
            gone = list(itertools.compress(entry_keys, flags))
            deque(map(writes.delete, gone), maxlen=0)
            if change is not None:
                change.deleted += gone
            kept = [not flag for flag in flags]
            entry_keys = list(itertools.compress(entry_keys, kept))
            batch = batch.filter(pa.array(kept))
        rows = self._layout.encode_rows(batch, epoch=epoch)
        if change is not None:
            change.keys += entry_keys
            change.rows += rows
        # A loop in C, a fifth faster than one in Python.
        deque(map(writes.put, entry_keys, rows), maxlen=0)
        return all_keys

    def _drop_expired(self, writes: WriteBatch, progress: Progress) -> None:
        if not self._layout.times:
            return
        live = self._layout.first_live_segment(progress)
        # Only when a segment has come to its end: a tombstone for every epoch would slow all reads.
        if live > self._layout.first_live_segment(self.view.progress):
            writes.delete_range(DATA, segment_bytes(live))

    # Reading

    def _make_handlers(self) -> Handlers:
        layout = self._layout

        def approximate_count(view: View, query: ApproximateCountQuery) -> int:
            del view, query
            return self._estimated_rows()

        of_kind = _HANDLERS.get(self.schema.kind)
        if of_kind is None:  # a third party's, which answers what it has registered
            return {}
        if of_kind is keyvalue_handlers:
            of_kind = partial(keyvalue_handlers, kept=self._kept, looked_up=self._looked_up)
        elif of_kind in (window_handlers, session_handlers):
            of_kind = partial(of_kind, kept=self._kept)
        return {**of_kind(layout), ApproximateCountQuery: approximate_count}

    def _estimated_rows(self) -> int:
        try:
            entries = self._db.property_int_value(_ESTIMATE) or 0
        except (DbClosedError, RuntimeError) as error:  # as in `walk`
            raise StoreError("the partition was closed meanwhile") from error
        # The progress and the definition are entries too.
        return max(0, entries - _RECORDS)


_ESTIMATE = "rocksdb.estimate-num-keys"
_HANDLERS: dict[StoreKind, Callable[[Layout], Handlers]] = {
    StoreKind.KEYVALUE: keyvalue_handlers,
    StoreKind.GLOBAL: keyvalue_handlers,
    StoreKind.WINDOW: window_handlers,
    StoreKind.SESSION: session_handlers,
    StoreKind.VERSIONED: version_handlers,
}


def fingerprint(schema: StoreSchema) -> bytes:
    """What must be equal for the bytes of two databases to mean the same."""
    columns = [(c.name, str(c.type)) for c in (*schema.key, *schema.value)]
    # With another retention, rows that were dropped under the old one would be missing.
    times = [Segments.of(schema).interval_ms, schema.window_size_ms, schema.retention_ms]
    return orjson.dumps([2, schema.kind.value, columns, schema.partitions, times])


def layout_of(schema: StoreSchema) -> str:
    """The layout of the databases of a store, as a snapshot's record names it."""
    return f"rocksdb-{hashlib.sha256(fingerprint(schema)).hexdigest()[:32]}"


def _options(cache: Cache | None) -> Options:
    options = Options(raw_mode=True)
    options.create_if_missing(True)
    options.set_write_buffer_size(_WRITE_BUFFER_BYTES)
    options.set_keep_log_file_num(2)
    table = BlockBasedOptions()
    table.set_bloom_filter(_BLOOM_BITS_PER_KEY, False)  # type: ignore[arg-type] # its stub is wrong
    if cache is not None:
        table.set_block_cache(cache)
    options.set_block_based_table_factory(table)
    return options


def _encode_progress(progress: Progress) -> bytes:
    return orjson.dumps(
        {
            "epoch": progress.epoch,
            "position": orjson.Fragment(progress.position.token()),
            "watermark_ms": progress.watermark_ms,
            "committed_ms": progress.committed_ms,
        }
    )


@lru_cache(maxsize=256)
def _decode_progress(encoded: bytes | None) -> Progress:
    if encoded is None:
        return Progress()
    try:
        document = orjson.loads(encoded)
        return Progress(
            epoch=document["epoch"],
            position=Position.from_json(document["position"]),
            watermark_ms=document["watermark_ms"],
            committed_ms=document["committed_ms"],
        )
    except (KeyError, TypeError, orjson.JSONDecodeError) as error:
        raise CodecError("the progress record of a replica is damaged") from error

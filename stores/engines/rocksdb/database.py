"""One RocksDB database on disk: opened, written, read, dumped, closed.

Only this module and `opening` import rocksdict.

All entries are in the default column family, because a snapshot and an iterator cover only one.
`stategate.stores.engines.rocksdb.partition` gives them their meaning.

As in Kafka Streams there is no write-ahead log: the state log is one. A write batch is in one
memtable, memtables are flushed in order, and each flush takes effect at once. So a crash loses
whole write batches, the newest ones.

A database can come to rest: it is closed, and its next reader or writer opens it again. That costs
some milliseconds, and saves its files and memory until then.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias
from weakref import WeakSet

from stategate.stores.engines.rocksdb.open_files import FILES_MIN, OpenFiles
from stategate.stores.engines.rocksdb.opening import database_options, open_database
from stategate.stores.engines.rocksdb.readers import Attached, Entries, Entry, Reader
from stategate.stores.engines.rocksdb.rest_note import Note, manifest_of, write_note
from stategate.stores.engines.rocksdb.unflushed import Unflushed
from stategate.stores.errors import StoreError
from stategate.stores.optional import OptionalModule
from stategate.stores.spec.query import Order

if TYPE_CHECKING:
    import rocksdict
else:
    rocksdict = OptionalModule("rocksdict", extra="rocksdb")

_logger = logging.getLogger(__name__)

_ESTIMATED_ENTRIES = "rocksdb.estimate-num-keys"

_COUNTED_S = 5.0
"""How often the files of a database that is written are counted."""


WriteBatch: TypeAlias = "rocksdict.WriteBatch"
"""Writes that take effect together."""
BlockCache: TypeAlias = "rocksdict.Cache"
"""A block cache, which databases may share."""


def shared_cache(capacity_bytes: int) -> BlockCache:
    """Return a block cache for all databases of a node."""
    return rocksdict.Cache(capacity_bytes)


class Writes(Protocol):
    """Takes changes of entries; later ones of a key replace earlier ones."""

    def put(self, key: bytes, value: bytes, /) -> None:
        """Add or replace an entry."""

    def delete(self, key: bytes, /) -> None:
        """Remove an entry, if it is there."""


class Database:
    """One database, with one writer and any number of readers.

    Args:
        path: its directory, which is made if it is missing.
        cache: the node's block cache.
        files: the files that open databases may use; None for any number.
        unflushed: what the databases of the node hold that is not on the disk.
        at_rest: do not open it yet; `resting_reader` is its first reader.

    Raises:
        CodecError: it is damaged.
        StoreError: it cannot be opened, for instance because another process holds it.
    """

    def __init__(
        self,
        path: Path,
        *,
        cache: BlockCache | None = None,
        files: OpenFiles | None = None,
        unflushed: Unflushed | None = None,
        at_rest: bool = False,
    ) -> None:
        self.path = path
        self._options = database_options(cache)
        self._attached: WeakSet[Attached] = WeakSet()
        self._turn = threading.Lock()
        """Held while it is opened or closed."""
        self.rest_by: Callable[[], bool] | None = None
        """Called to let it come to rest, because others need its files; calls `rest`."""
        self._files = OpenFiles() if files is None else files
        self._unflushed = Unflushed() if unflushed is None else unflushed
        self._counted_s = -math.inf
        self._manifest = manifest_of(path) if at_rest else None
        """Its manifest since it came to rest; another one shows that someone has opened it."""
        self._rdict: Any = None  # a Rdict
        self.is_open = True
        """Whether it has not been closed. It is open at rest, too."""
        if not at_rest:
            self._files.opening(self)
            try:
                self._rdict = open_database(path, self._options, self)
            except StoreError:
                self._files.closed(self)
                raise
            self._files.opened(self)
            self._files.make_room()

    @property
    def is_at_rest(self) -> bool:
        """Whether its next reader or writer has to open it."""
        return self._rdict is None

    def get(self, key: bytes) -> bytes | None:
        """Return the value of a key, as it was written last."""
        found: bytes | None = self._rdict.get(key)
        return found

    def reader(self) -> Reader:
        """Return a reader of the database as it is now; only the thread that writes may call it."""
        return Reader(self._attach(self._rdict), self.wake)

    def resting_reader(self) -> Reader:
        """Return a reader of a database at rest."""
        return Reader(None, self.wake)

    def wake(self, reader: Reader) -> Attached:
        """Open the database if it is at rest, for the reader that it came to rest with.

        A reader of a database that was closed at rest opens it for itself.

        Raises:
            StoreError: it cannot be opened, or someone else has opened it meanwhile.
        """
        self._files.opening(self)
        with self._turn:
            attached = reader.attached
            if attached is None:
                rdict = self._opened_again() if self._rdict is None else self._rdict
                attached = self._attach(rdict)
                reader.attach(attached)
                if self.is_open:
                    self._rdict = rdict
                    self._files.opened(self)
                else:
                    rdict.close()
                    self._files.closed(self)
        # It may have more files than there was room for.
        self._files.make_room()
        return attached

    def rest(self, reader: Reader, note: Note) -> bool:
        """Close the database until it is read or written; only the thread that writes may call it.

        Args:
            reader: the reader of its newest epoch.
            note: what it holds.

        Returns:
            Whether it is at rest; not while anyone reads it, or if it cannot be flushed.
        """
        if not self._turn.acquire(blocking=False):
            return False
        try:
            if not self.is_open or self.is_at_rest:
                return True
            if len(self._attached) > (reader.attached is not None):
                return False
            try:
                self._rdict.flush()
            except Exception as error:  # rocksdict raises bare Exception
                _logger.warning("database not flushed path=%s error=%s", self.path, error)
                return False
            # From here to the end, whoever wants to read waits for its turn.
            if not reader.detach():
                return False
            self._close(note)
            self._rdict = None
            self._files.closed(self)
            return True
        finally:
            self._turn.release()

    def _attach(self, rdict: rocksdict.Rdict) -> Attached:
        iterator: Any = rdict.iter()  # its stub does not know that raw mode gives bytes
        written = rdict.latest_sequence_number()

        def walk(start: bytes, order: Order) -> Iterator[Entry] | None:
            try:
                backwards = order is Order.DESCENDING
                entries: Any = rdict.items(backwards=backwards, from_key=start)
                return entries if rdict.latest_sequence_number() == written else None
            except (rocksdict.DbClosedError, RuntimeError):
                # It is closed, or another thread is closing it right now. A stream that was taken
                # before is read to its end all the same.
                return None

        attached = Attached(rdict.snapshot(), iterator, walk)
        self._attached.add(attached)
        return attached

    def _opened_again(self) -> rocksdict.Rdict:
        try:
            if not self.is_open and self._manifest is None:
                raise StoreError("the partition was closed meanwhile")
            if manifest_of(self.path) != self._manifest:
                raise StoreError(f"cannot open {self.path}: someone else has opened it meanwhile")
            return open_database(self.path, self._options, self)
        except StoreError:
            self._files.closed(self)
            raise

    def estimated_entries(self) -> int:
        """Return about how many entries there are.

        Raises:
            StoreError: it is closed.
        """
        try:
            return self._rdict.property_int_value(_ESTIMATED_ENTRIES) or 0
        except (rocksdict.DbClosedError, RuntimeError) as error:  # as in `walk`
            raise StoreError("the partition was closed meanwhile") from error

    @staticmethod
    def new_writes() -> WriteBatch:
        """Return an empty write batch."""
        return rocksdict.WriteBatch(raw_mode=True)

    def write(self, writes: WriteBatch) -> None:
        """Write a batch, all of it or nothing.

        Raises:
            StoreError: it cannot be written.
        """
        if time.monotonic() - self._counted_s > _COUNTED_S:
            self._files.opened(self)
        entries = len(writes)
        try:
            self._rdict.write(writes)
        except Exception as error:  # rocksdict raises bare Exception
            raise StoreError(f"cannot write {self.path}: {error}") from error
        self._unflushed.written(self.path, entries)

    def flush_if_due(self) -> None:
        """Flush in the background if a crash would lose much by now. Safe from any thread."""
        if not self._turn.acquire(blocking=False):
            return
        try:
            if self.is_open and not self.is_at_rest and self._unflushed.take_due(self.path):
                self._rdict.flush(wait=False)
        except Exception as error:  # rocksdict raises bare Exception
            # Nothing is lost by that. If nothing can be written either, the next write says why.
            _logger.warning("database not flushed path=%s error=%s", self.path, error)
        finally:
            self._turn.release()

    def dump(self, path: Path, chunks: Iterable[Entries]) -> int:
        """Write an SST file that other databases can `ingest`; return its number of entries.

        Args:
            path: the path of the file; an existing one is overwritten.
            chunks: at least one entry; the keys ascend, none of them twice.

        Raises:
            StoreError: the file cannot be written, or the keys do not ascend.
        """
        count = 0
        try:
            writer = rocksdict.SstFileWriter(options=self._options)
            writer.open(str(path))
            for keys, rows in chunks:
                for key, row in zip(keys, rows, strict=True):
                    writer[key] = row
                count += len(keys)
            writer.finish()
        except StoreError:
            raise
        except Exception as error:  # rocksdict raises bare Exception
            raise StoreError(f"cannot write {path}: {error}") from error
        return count

    def ingest(self, path: Path) -> None:
        """Ingest an SST file: all of its entries at once, which replace existing ones.

        The file is linked rather than copied if it lies on the same file system. Earlier writes
        reach the disk before it, so not even a loss of power can reorder the two.

        Raises:
            StoreError: the file cannot be ingested.
        """
        options = rocksdict.IngestExternalFileOptions()
        options.set_move_files(True)
        try:
            self._rdict.flush()
            self._rdict.ingest_external_file([str(path)], options)
        except Exception as error:  # rocksdict raises bare Exception
            raise StoreError(f"cannot take {path} into a database: {error}") from error

    # As `open_files.Rests`

    def take_is_read(self) -> bool:
        """Return whether it was read since the last call."""
        is_read = self.is_at_rest  # someone is about to open it
        for attached in list(self._attached):
            is_read = attached.is_read or is_read
            attached.is_read = False
        return is_read

    def count_files(self) -> int:
        """Return how many files it has open."""
        self._counted_s = time.monotonic()
        try:
            return FILES_MIN + len(self._rdict.live_files())
        except (rocksdict.DbClosedError, RuntimeError):  # as in `walk`
            return FILES_MIN

    def rest_if_unused(self) -> bool:
        """Close it until it is read or written; False if it is in use now."""
        return self.rest_by is not None and self.rest_by()

    def close(self, note: Note | None = None) -> None:
        """Close it; RocksDB does so once the last reader is gone.

        Args:
            note: what it holds; None if that is not known.
        """
        with self._turn:
            self.is_open = False
            if not self.is_at_rest:
                self._close(note)
                self._files.closed(self)

    def _close(self, note: Note | None) -> None:
        self._unflushed.forget(self.path)
        self._manifest = manifest_of(self.path)
        try:
            self._rdict.close()
        except Exception as error:  # rocksdict raises bare Exception
            # It is closed all the same. Unflushed writes are applied again, from the log.
            _logger.warning("database not flushed path=%s error=%s", self.path, error)
        else:
            if note is not None:
                write_note(self.path, self._manifest, note)

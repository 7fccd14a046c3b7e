"""One RocksDB database on disk: opened, written, read, dumped, closed.

Only this module imports rocksdict.

All entries are in the default column family, because a snapshot and an iterator cover only one.
`stores.engines.rocksdb.partition` gives them their meaning.

As in Kafka Streams there is no write-ahead log: the state log is one. A write batch is in one
memtable, memtables are flushed in order, and each flush takes effect at once. So a crash loses
whole write batches, the newest ones.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol, TypeAlias
from weakref import WeakValueDictionary

import rocksdict
from rocksdict import (
    BlockBasedOptions,
    Cache,
    DbClosedError,
    IngestExternalFileOptions,
    Options,
    Rdict,
    SstFileWriter,
    WriteOptions,
)

from stores.engines.rocksdb.readers import Entries, Entry, Reader
from stores.errors import CodecError, StoreError
from stores.spec.query import Order

_logger = logging.getLogger(__name__)

_FAMILY = "default"
_ESTIMATED_ENTRIES = "rocksdb.estimate-num-keys"

_WRITE_BUFFER_BYTES = 16 << 20
"""Per database: a node holds hundreds of them."""
_UNFLUSHED_EPOCHS_MAX = 512
"""Epochs that are applied again after a crash. Small ones take hours to fill a write buffer."""
_BLOOM_BITS_PER_KEY = 10.0
"""One lookup in a hundred of a missing key reads a block in vain."""


WriteBatch: TypeAlias = rocksdict.WriteBatch
"""Writes that take effect together."""
BlockCache: TypeAlias = Cache
"""A block cache, which databases may share."""


def shared_cache(capacity_bytes: int) -> BlockCache:
    """Return a block cache for all databases of a node."""
    return Cache(capacity_bytes)


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

    Raises:
        CodecError: it is damaged.
        StoreError: it cannot be opened, for instance because another process holds it.
    """

    def __init__(self, path: Path, *, cache: BlockCache | None = None) -> None:
        self.path = path
        self._options = _options(cache)
        self._unflushed_epochs = 0
        self._rdict = _open(path, self._options)
        self.is_open = True
        """Whether it has not been closed."""
        _opened[path.resolve()] = self

    def get(self, key: bytes) -> bytes | None:
        """Return the value of a key, as it was written last."""
        found: bytes | None = self._rdict.get(key)
        return found

    def reader(self) -> Reader:
        """Return a reader of the database as it is now; only the one thread that writes may ask."""
        rdict = self._rdict
        iterator: Any = rdict.iter()  # its stub does not know that raw mode gives bytes
        written = rdict.latest_sequence_number()

        def walk(start: bytes, order: Order) -> Iterator[Entry] | None:
            try:
                backwards = order is Order.DESCENDING
                entries: Any = rdict.items(backwards=backwards, from_key=start)
                return entries if rdict.latest_sequence_number() == written else None
            except (DbClosedError, RuntimeError):
                # It is closed, or another thread is closing it right now. A stream that was taken
                # before is read to its end all the same.
                return None

        return Reader(rdict.snapshot(), iterator, walk)

    def estimated_entries(self) -> int:
        """Return about how many entries there are.

        Raises:
            StoreError: it is closed.
        """
        try:
            return self._rdict.property_int_value(_ESTIMATED_ENTRIES) or 0
        except (DbClosedError, RuntimeError) as error:  # as in `walk`
            raise StoreError("the partition was closed meanwhile") from error

    @staticmethod
    def new_writes() -> WriteBatch:
        """Return an empty write batch."""
        return WriteBatch(raw_mode=True)

    def write(self, writes: WriteBatch) -> None:
        """Write a batch, all of it or nothing.

        Raises:
            StoreError: it cannot be written.
        """
        try:
            self._rdict.write(writes)
        except Exception as error:  # rocksdict raises bare Exception
            raise StoreError(f"cannot write {self.path}: {error}") from error

    def begin_epoch(self) -> None:
        """Start a flush in the background if a crash would lose many epochs by now."""
        self._unflushed_epochs += 1
        if self._unflushed_epochs <= _UNFLUSHED_EPOCHS_MAX:
            return
        self._unflushed_epochs = 1
        try:
            self._rdict.flush(wait=False)
        except Exception as error:  # rocksdict raises bare Exception
            # Nothing is lost by that. If nothing can be written either, the next write says why.
            _logger.warning("database not flushed path=%s error=%s", self.path, error)

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
            writer = SstFileWriter(options=self._options)
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
        options = IngestExternalFileOptions()
        options.set_move_files(True)
        try:
            self._rdict.flush()
            self._rdict.ingest_external_file([str(path)], options)
        except Exception as error:  # rocksdict raises bare Exception
            raise StoreError(f"cannot take {path} into a database: {error}") from error

    def close(self) -> None:
        """Close it; RocksDB does so once the last reader is gone."""
        self.is_open = False
        try:
            self._rdict.close()
        except Exception as error:  # rocksdict raises bare Exception
            # It is closed all the same. Unflushed writes are applied again, from the log.
            _logger.warning("database not flushed path=%s error=%s", self.path, error)


_opened: WeakValueDictionary[Path, Database] = WeakValueDictionary()
"""The database that was opened last in each directory."""


def _options(cache: BlockCache | None) -> Options:
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


def _open(path: Path, options: Options) -> Rdict:
    is_new = not path.exists()
    try:
        # Only the user who runs this may read rows; the directories above are the caller's.
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        # For a database that exists, rocksdict reads the options back from a file that cannot hold
        # the cache and the filter, unless they are given for the column family.
        rdict = Rdict(str(path), options, column_families={_FAMILY: options})
    except Exception as error:  # rocksdict raises bare Exception
        text = str(error)
        # The directory exists, so a file that is not found is one of the database's own.
        is_damaged = text.startswith("Corruption") or "No such file or directory" in text
        kind = CodecError if is_damaged else StoreError
        if is_new:
            _remove_traces(path)
        text = _lock_hint(text, path) or text
        raise kind(f"cannot open {path}: {text}") from error
    writing = WriteOptions()
    writing.disable_wal = True  # type: ignore[assignment] # its stub is wrong
    rdict.set_write_options(writing)
    return rdict


def _lock_hint(text: str, path: Path) -> str | None:
    """Return who has a database open, and what to do; None if it was refused for another reason.

    Args:
        text: RocksDB's message when it refused to open the database.
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


def _remove_traces(path: Path) -> None:
    """Remove the files of an opening that was refused.

    A directory that was removed while someone reads it stays locked until that reader is done. If
    it existed again then, the traces would look like a damaged database.
    """
    with contextlib.suppress(OSError):  # then it has other files, too
        for trace in (*path.glob("LOG*"), path / "rocksdict-config.json"):
            trace.unlink(missing_ok=True)
        path.rmdir()

"""Opens RocksDB databases: their options, and what an error means.

Only this module and `database` import rocksdict.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from weakref import WeakValueDictionary

from stategate.stores.errors import CodecError, StoreError
from stategate.stores.optional import OptionalModule

if TYPE_CHECKING:
    import rocksdict
else:
    rocksdict = OptionalModule("rocksdict", extra="rocksdb")

_FAMILY = "default"
_WRITE_BUFFER_BYTES = 16 << 20
"""Per database: a node holds hundreds of them."""
_BLOOM_BITS_PER_KEY = 10.0
"""One lookup in a hundred of a missing key reads a block in vain."""


class Opener(Protocol):
    """The object that has a database open."""

    is_open: bool
    """Whether it has not been closed."""


_opened: WeakValueDictionary[Path, Opener] = WeakValueDictionary()
"""The database that was opened last in each directory."""


def database_options(cache: rocksdict.Cache | None) -> rocksdict.Options:
    """Return the options of a database.

    Args:
        cache: the node's block cache; None for one of its own.
    """
    options = rocksdict.Options(raw_mode=True)
    options.create_if_missing(True)
    options.set_write_buffer_size(_WRITE_BUFFER_BYTES)
    options.set_keep_log_file_num(2)
    # A node may have thousands of databases, nearly all of them small. Without threads that open
    # files, and with one shard of the table cache, one opens in two thirds of the time. Statistics
    # would be dumped by every open database.
    options.set_max_file_opening_threads(1)
    options.set_table_cache_num_shard_bits(0)
    options.set_stats_dump_period_sec(0)
    options.set_stats_persist_period_sec(0)
    table = rocksdict.BlockBasedOptions()
    table.set_bloom_filter(_BLOOM_BITS_PER_KEY, False)  # type: ignore[arg-type] # its stub is wrong
    if cache is not None:
        table.set_block_cache(cache)
    options.set_block_based_table_factory(table)
    return options


def open_database(path: Path, options: rocksdict.Options, opener: Opener) -> rocksdict.Rdict:
    """Open a database, which is made if it is missing.

    Args:
        path: its directory.
        options: as `database_options` returns them.
        opener: opens it; later errors say whether it still has it open.

    Raises:
        CodecError: it is damaged.
        StoreError: it cannot be opened, for instance because another process holds it.
    """
    is_new = not path.exists()
    try:
        # Only the user who runs this may read rows; the directories above are the caller's.
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        # For a database that exists, rocksdict reads the options back from a file that cannot hold
        # the cache and the filter, unless they are given for the column family.
        rdict = rocksdict.Rdict(str(path), options, column_families={_FAMILY: options})
    except Exception as error:  # rocksdict raises bare Exception
        text = str(error)
        # The directory exists, so a file that is not found is one of the database's own.
        is_damaged = text.startswith("Corruption") or "No such file or directory" in text
        kind = CodecError if is_damaged else StoreError
        if is_new:
            _remove_traces(path)
        text = _lock_hint(text, path) or text
        raise kind(f"cannot open {path}: {text}") from error
    writing = rocksdict.WriteOptions()
    writing.disable_wal = True  # type: ignore[assignment] # its stub is wrong
    rdict.set_write_options(writing)
    _opened[path.resolve()] = opener
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

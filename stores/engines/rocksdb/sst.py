"""SST files: RocksDB's own sorted files, made from entries and taken into a database whole.

Beside `stores.engines.rocksdb.partition` the only importer of rocksdict. Nothing here knows what an
entry means; what must be in one file to arrive together is for the caller to put there.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from rocksdict import IngestExternalFileOptions, Options, Rdict, SstFileWriter

from stores.engines.rocksdb.readers import Entries
from stores.errors import StoreError


def write_sst(path: Path, chunks: Iterable[Entries], options: Options) -> int:
    """Write a file from entries in ascending order of their keys; how many there were.

    Args:
        path: of the file; one that is there is written over.
        chunks: at least one entry, no key twice.
        options: those of the databases that will take it.

    Raises:
        StoreError: the file cannot be written, or the keys are not ascending.
    """
    count = 0
    try:
        writer = SstFileWriter(options=options)
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


def ingest_sst(database: Rdict, path: Path) -> None:
    """Take a file into a database: all of its entries at once, over those that are there.

    The file is linked rather than copied where it lies on the same file system. What was written
    before is on the disk before it, so that not even a loss of power can reorder the two.

    Raises:
        StoreError: the database cannot take it.
    """
    options = IngestExternalFileOptions()
    options.set_move_files(True)
    try:
        database.flush()
        database.ingest_external_file([str(path)], options)
    except Exception as error:  # rocksdict raises bare Exception
        raise StoreError(f"cannot take {path} into a database: {error}") from error

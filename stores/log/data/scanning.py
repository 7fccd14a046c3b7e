"""Reads chosen columns and rows of data files, for scans that need only a part of them.

`datafiles.read_part` reads whole files and checks their hash. Here only the pages of
the wanted columns are read. Each page has a checksum of its own, so a changed bit is noticed too.
Row groups whose statistics exclude the condition are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import pyarrow as pa

from stategate.stores.log.data.datafiles import (
    ROWS_PER_GROUP,
    check_content,
    check_size,
    named_errors,
)
from stategate.stores.log.files.directory import Directory
from stategate.stores.log.metadata.named_files import DataFile

Condition: TypeAlias = Any
"""An expression over columns by their names in data files; the stubs for pyarrow lack its type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The columns and rows that a read wants. Can be pickled."""

    columns: tuple[str, ...]
    """The names of the columns to return, in order."""
    where: Condition | None = None
    """The condition that each row fulfils; None for all rows."""
    tested: tuple[str, ...] = ()
    """The names of the columns in the condition."""

    def also(self, where: Condition, *tested: str) -> Wanted:
        """Return the same with a further condition on these columns."""
        both = where if self.where is None else self.where & where
        return Wanted(columns=self.columns, where=both, tested=(*self.tested, *tested))

    def filtered(self, rows: pa.Table) -> pa.Table:
        """Return the wanted rows and columns of a table."""
        found = rows if self.where is None else rows.filter(self.where)
        return found.select(list(self.columns))


def scan_part(
    directory: Directory, file: DataFile, schema: pa.Schema, wanted: Wanted
) -> Iterator[pa.RecordBatch]:
    """Yield the wanted rows of a data file, in batches that are not empty.

    Args:
        directory: the directory of the store.
        file: the data file.
        schema: the columns of the file.
        wanted: the columns and rows; a batch has these columns, in the types of the schema.

    Raises:
        TornRecordError: the file is missing, short or foreign; the message names it.
        LogError: the file system does not answer.
    """
    # Loaded for the first scan: it takes a third of the time that all of `stores` takes, since it
    # loads pandas where that is installed.
    import pyarrow.dataset as ds  # noqa: PLC0415

    path = directory.join(file.path)
    options = ds.ParquetFragmentScanOptions(
        # Over a network fewer, larger requests are worth the memory.
        pre_buffer=not directory.local,
        page_checksum_verification=True,
    )
    with named_errors(path), directory.system.open_input(path) as stream:
        check_size(stream, file, path)
        fragment = ds.ParquetFileFormat().make_fragment(stream)
        rows: int = fragment.metadata.num_rows
        needed = (*wanted.columns, *wanted.tested)
        check_content(rows, fragment.physical_schema, file, needed, path)
        for batch in fragment.to_batches(
            schema=schema,
            columns=list(wanted.columns),
            filter=wanted.where,
            batch_size=ROWS_PER_GROUP,
            # More threads would only compete with the other partitions for the same cores.
            use_threads=False,
            fragment_scan_options=options,
        ):
            if batch.num_rows:
                yield batch

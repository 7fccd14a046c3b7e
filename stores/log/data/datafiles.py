"""The Parquet files of the state log: their columns, how they are written and read.

A file holds rows of one partition of one store: key columns, time columns, value columns, then
`_timestamp`, the event time, and `_deleted`, which marks a tombstone. Nothing here knows epochs or
commits. Spark's tasks, the Python writer and all readers use this module.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from stategate.stores.codec.partitioner import partition_column
from stategate.stores.errors import LogError, SchemaError, TornRecordError
from stategate.stores.log.data.decoded_sizes import DecodedLimit, TooLargeError, decoded_bytes
from stategate.stores.log.data.digests import HashingStream
from stategate.stores.log.data.footers import chunks
from stategate.stores.log.data.intervals import file_field, from_file, holds_interval
from stategate.stores.log.files.directory import Directory
from stategate.stores.log.files.file_systems import UnusableFileError
from stategate.stores.log.metadata.named_files import DataFile
from stategate.stores.spec.schema import (
    DELETED_NAME,
    TIMESTAMPTZ,
    Column,
    StoreSchema,
)

TIMESTAMP_NAME = "_timestamp"
EVENT_TIME = Column(name=TIMESTAMP_NAME, type=TIMESTAMPTZ)
FILES_AT_ONCE = 4
"""Files of one epoch that are written at a time."""
ROWS_PER_GROUP = 65_536
"""Rows that a writer buffers and a reader decodes at a time: usually a few MB."""

_HELD_BYTES_MAX = 32 << 20
"""Largest file that is read into memory, hashed and then decoded; larger ones are read twice."""
_SAMPLE_ROWS = 4096
_REPEATS_MIN = 4
"""How often a value occurs at least, on average, in a column that gets a dictionary."""
_MARKS = (pa.field(TIMESTAMP_NAME, TIMESTAMPTZ.arrow), pa.field(DELETED_NAME, pa.bool_()))
_Column: TypeAlias = Any
"""A ChunkedArray; the stubs for pyarrow lack most of its kernels."""


def file_schema(schema: StoreSchema) -> pa.Schema:
    """Return the schema of a store's data files."""
    fields = [file_field(column.name, column.type) for column in schema.logged_columns]
    return pa.schema([*fields, *_MARKS])


def row_schema(schema: StoreSchema) -> pa.Schema:
    """Return the schema of rows that were read from data files, with Arrow's intervals."""
    fields = [pa.field(column.name, column.type.arrow) for column in schema.logged_columns]
    return pa.schema([*fields, *_MARKS])


def write_part(
    directory: Directory, attempt: str, batches: Iterable[pa.RecordBatch], *, partition: int
) -> DataFile | None:
    """Write one data file from batches that have the columns of `file_schema`, and read it back.

    Args:
        directory: the directory of the store.
        attempt: the path of a directory in it, which exists.
        batches: the rows; at most ROWS_PER_GROUP and one batch of them are in memory at a time.
        partition: the partition of every row.

    Returns:
        The file; None without rows, and then no file is written.

    Raises:
        LogError: the file cannot be written.
    """
    groups = _row_groups(batches)
    first = next(groups, None)
    if first is None:
        return None
    path = new_path(attempt, partition, ".parquet")
    rows = texts_bytes = 0
    with directory.open_output(path) as stream:
        hashed = HashingStream(stream)
        repetitive = _repetitive(first)
        # zstd needs half the space of lz4 and a tenth more of the writer's time.
        with pq.ParquetWriter(
            hashed,
            first.schema,
            compression="zstd",
            use_dictionary=repetitive,
            write_page_checksum=True,
        ) as writer:
            for group in chain([first], groups):
                writer.write_table(group)
                rows += group.num_rows
                texts_bytes += group.select(repetitive).nbytes
        size_bytes = stream.tell()
    file = DataFile(
        path=path,
        partition=partition,
        rows=rows,
        size_bytes=size_bytes,
        sha256=hashed.hexdigest(),
        decoded_bytes=decoded_bytes(writer.writer.metadata, texts_bytes),
    )
    _read_back(directory, file)
    return file


def new_path(attempt: str, partition: int, ending: str) -> str:
    """Return a path that no file has or will have, whoever writes into the same directory.

    No number of Spark's would do: those of a task's attempts begin again with each attempt at its
    stage, while tasks of the one before may still write.
    """
    return f"{attempt}/p{partition:05d}-{uuid.uuid4().hex}{ending}"


def _read_back(directory: Directory, file: DataFile) -> None:
    """Make sure that a file can be read as it was written, before a commit names it.

    Raises:
        LogError: it cannot.
    """
    path, digest, size_bytes = directory.join(file.path), hashlib.sha256(), 0
    with named_errors(path):
        for chunk in directory.system.chunks(path):
            digest.update(chunk)
            size_bytes += len(chunk)
    if (size_bytes, digest.hexdigest()) != (file.size_bytes, file.sha256):
        raise LogError(f'data file "{path}" does not have the bytes that were written to it')


def _repetitive(rows: pa.Table) -> list[str]:
    """Return the columns for which a dictionary pays, by a sample of their rows.

    A dictionary of values that hardly repeat, as those of keys, outgrows its limit: the writer
    builds it in vain, and the file keeps both. Without it a file takes two thirds of the time and
    less space.
    """
    sample = rows.slice(0, _SAMPLE_ROWS)
    return [
        field.name
        for field in sample.schema
        if not pa.types.is_nested(field.type)
        and pc.count_distinct(sample.column(field.name)).as_py() * _REPEATS_MIN <= sample.num_rows
    ]


def write_parts(
    directory: Directory, attempt: str, rows: pa.Table, schema: StoreSchema
) -> list[DataFile]:
    """Write rows from `shaped` as one data file for each partition that has any; return the files.

    Args:
        directory: the directory of the store.
        attempt: the path of a directory in it, which exists.
        rows: the rows, of any partition.
        schema: the definition of the store.

    Raises:
        LogError: a file cannot be written.
    """
    partitions = partition_column(rows, schema.key, schema.partitions)
    order = np.argsort(partitions, kind="stable")
    counts = np.bincount(partitions, minlength=schema.partitions)
    ends = np.cumsum(counts)

    def write(partition: int) -> DataFile:
        picked = order[ends[partition] - counts[partition] : ends[partition]]
        batches = rows.take(picked).to_batches()
        file = write_part(directory, attempt, batches, partition=partition)
        assert file is not None, "a partition that has rows has a file"
        return file

    written = np.flatnonzero(counts).tolist()
    if len(written) < 2:
        return [write(partition) for partition in written]
    # Each file waits for the disk, or for an object store's answer.
    with ThreadPoolExecutor(min(len(written), FILES_AT_ONCE), "stategate-write") as threads:
        return list(threads.map(write, written))


def _row_groups(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    held: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        if not batch.num_rows:
            continue
        held.append(batch)
        rows += batch.num_rows
        if rows >= ROWS_PER_GROUP:
            yield pa.Table.from_batches(held)
            held, rows = [], 0
    if held:
        yield pa.Table.from_batches(held)


def read_part(
    directory: Directory, file: DataFile, schema: StoreSchema, limit: DecodedLimit | None = None
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a data file in batches of at most ROWS_PER_GROUP, with `row_schema`.

    Args:
        directory: the directory of the store.
        file: the data file.
        schema: the definition of the store.
        limit: counts it together with others; None counts it alone.

    Raises:
        TornRecordError: the file is missing, short or foreign; the message names it.
        LogError: the file system does not answer.
    """
    path = directory.join(file.path)
    wanted = file_schema(schema)
    with named_errors(path), directory.system.open_input(path) as stream:
        whole = _checked(stream, file, path)

        def opened(kept: list[str] | None = None) -> Any:
            return pq.ParquetFile(
                whole, pre_buffer=False, page_checksum_verification=True, read_dictionary=kept
            )

        source = opened()
        check_content(source.metadata.num_rows, source.schema_arrow, file, wanted.names, path)
        read_chunks = partial(chunks, whole, file.size_bytes)
        counted = limit or DecodedLimit()
        counted.add(source.metadata, read_chunks, opened, file.size_bytes)
        # More threads would only compete with the other partitions for the same cores.
        for batch in source.iter_batches(ROWS_PER_GROUP, columns=wanted.names, use_threads=False):
            yield _read_batch(batch, schema, wanted)


def check_content(
    rows: int, found: pa.Schema, file: DataFile, wanted: Iterable[str], path: str
) -> None:
    """Make sure that a data file has the rows of its commit, and the columns of its store.

    Raises:
        TornRecordError: it does not; the message names it.
    """
    if rows != file.rows:
        raise TornRecordError(f'data file "{path}" has {rows} rows, not {file.rows}')
    if missing := set(wanted) - set(found.names):
        raise TornRecordError(f'data file "{path}" has no column "{min(missing)}"')


def check_size(stream: Any, file: DataFile, path: str) -> None:
    """Make sure that a data file has the size of its commit.

    Raises:
        TornRecordError: it does not; the message names it.
    """
    size_bytes: int = stream.size()
    if size_bytes != file.size_bytes:
        raise TornRecordError(f'data file "{path}" has {size_bytes} bytes, not {file.size_bytes}')


@contextmanager
def named_errors(path: str) -> Iterator[None]:
    """Raise the errors of reading a data file as ours, with its name.

    Raises:
        TornRecordError: the file is missing, short or foreign.
        LogError: the file system does not answer.
    """
    try:
        yield
    except FileNotFoundError as error:
        raise TornRecordError(f'data file "{path}" is missing') from error
    except TooLargeError as error:
        raise TornRecordError(f'data file "{path}" {error}') from error
    except UnusableFileError as error:
        raise TornRecordError(f'data file "{path}" {error}') from error
    except _PARQUET_ERRORS as error:
        raise TornRecordError(f'data file "{path}" is not valid: {error}') from error
    except OSError as error:
        # Errors of the file system have a number. One without a number is the Parquet reader's, for
        # bytes that are not Parquet.
        if error.errno is None:
            raise TornRecordError(f'data file "{path}" is not valid: {error}') from error
        raise LogError(f'data file "{path}" cannot be read: {error}') from error


_PARQUET_ERRORS = (
    pa.ArrowException,
    SchemaError,
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
)
"""The errors of pyarrow for bytes that are not Parquet: almost any, in files without a hash."""


def _checked(stream: Any, file: DataFile, path: str) -> Any:
    """Return a source for the bytes of a data file, after checking their size and hash."""
    check_size(stream, file, path)
    digest = hashlib.sha256()
    if file.size_bytes <= _HELD_BYTES_MAX:
        # This takes a single request to an object store.
        whole = stream.read_buffer()
        digest.update(whole)
        found: Any = pa.BufferReader(whole)
    else:
        while chunk := stream.read_buffer(_HELD_BYTES_MAX):
            digest.update(chunk)
        stream.seek(0)
        found = stream
    if digest.hexdigest() != file.sha256:
        raise TornRecordError(f'data file "{path}" is not the one that was committed')
    return found


def _read_batch(batch: pa.RecordBatch, schema: StoreSchema, wanted: pa.Schema) -> pa.RecordBatch:
    if not batch.schema.equals(wanted):
        arrays = [batch.column(field.name).cast(field.type) for field in wanted]
        batch = pa.RecordBatch.from_arrays(arrays, schema=wanted)
    if not any(holds_interval(column.type) for column in schema.value):
        return batch
    arrays = [
        from_file(array, column.type)
        for array, column in zip(batch.columns, schema.logged_columns, strict=False)
    ]
    marks = batch.columns[len(arrays) :]
    return pa.RecordBatch.from_arrays([*arrays, *marks], schema=row_schema(schema))

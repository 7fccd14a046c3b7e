"""Writes large epochs without a shuffle: each task writes its rows of every partition.

A shuffle costs more than the files themselves. Without it an epoch has several files for a
partition, and two tasks may have rows of one key, whose order would be lost. So each task hands
back a hash of every key, and the driver writes the epoch in another way if two are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from stategate.stores.codec.partitioner import hash_rows
from stategate.stores.errors import LogError
from stategate.stores.log.data.datafiles import EVENT_TIME, TIMESTAMP_NAME, file_schema, write_parts
from stategate.stores.log.data.deduplication import identity
from stategate.stores.log.metadata.named_files import DataFile
from stategate.stores.spark.tasks import PART_SPARK, PART_TYPES, Target, hold
from stategate.stores.spec.schema import StoreSchema

ROWS_PER_FILE_MIN = 25_000
"""Rows of a file below which an epoch has too many files for what a shuffle costs."""
ROWS_MAX = 20_000_000
"""Rows of an epoch whose hashes the driver may hold: 160 MB."""

_Batches: TypeAlias = Iterator[pa.RecordBatch]
_Hashes: TypeAlias = np.ndarray[Any, np.dtype[np.uint64]]


class SharedKeysError(LogError):
    """Two tasks have rows of one key: only a shuffle brings them together."""


def write_apart(selected: DataFrame, target: Target) -> list[DataFile]:
    """Run one job that writes a batch into the directory of an attempt; return its files.

    Args:
        selected: the rows of the batch, with the columns of the data files.
        target: the definition of the store, and the directory.

    Raises:
        SharedKeysError: two tasks have rows of one key.
        Exception: Spark's error, with the text of the task's error.
    """
    # Columns get numbers as names, since mapInArrow cannot pass a column with a dot in its name.
    numbered = selected.toDF(*map(str, range(len(selected.columns))))
    write = apart_writer(target)
    parts = numbered.mapInArrow(write, f"{PART_SPARK}, hashes binary").toArrow()
    hashes = [np.frombuffer(each.as_py(), np.uint64) for each in parts.column("hashes")]
    # Each run is sorted, so that this merges them.
    whole = np.sort(np.concatenate([np.empty(0, np.uint64), *hashes]), kind="stable")
    if _has_repeats(whole):
        raise SharedKeysError(f'two tasks have rows of one key of store "{target.schema.name}"')
    return [DataFile(**part) for part in parts.drop_columns("hashes").to_pylist()]


def apart_writer(target: Target) -> Callable[[_Batches], _Batches]:
    """Return the function that a task runs over its rows, of any keys.

    It yields one row for each file; the first one has the sorted hashes of all keys.
    """

    def write(batches: _Batches) -> _Batches:
        held = hold(batches)
        if not held:
            return
        schema = target.schema
        names = file_schema(schema).names
        rows = target.shaped(pa.Table.from_batches(held).rename_columns(names))
        rows, hashes = _distinct(rows, target)
        files = write_parts(target.directory, target.attempt, rows, schema)
        columns = pa.schema([*PART_TYPES.items(), ("hashes", pa.binary())])
        found = [{**asdict(file), "hashes": b""} for file in files]
        found[0]["hashes"] = hashes.tobytes()
        yield pa.RecordBatch.from_pylist(found, schema=columns)

    return write


def _distinct(rows: pa.Table, target: Target) -> tuple[pa.Table, _Hashes]:
    """Return one row for each identity, and their hashes in order."""
    hashes = np.sort(_hashes(rows, target.schema))
    if _has_repeats(hashes):
        rows = target.latest(rows)
        hashes = np.sort(_hashes(rows, target.schema))
    return rows, hashes


def _hashes(rows: pa.Table, schema: StoreSchema) -> _Hashes:
    columns = {**schema.column_by_name, TIMESTAMP_NAME: EVENT_TIME}
    return hash_rows(rows, [columns[name] for name in identity(schema)])


def _has_repeats(ordered: _Hashes) -> bool:
    return bool(np.any(ordered[1:] == ordered[:-1]))

"""`read_store`: reads a store as a batch DataFrame, for reads too large for one gateway."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from stores.log.datafiles import (
    ROWS_PER_GROUP,
    TIMESTAMP_NAME,
    read_part,
    row_schema,
)
from stores.log.deduplication import latest_rows, linked_versions
from stores.log.files import Directory
from stores.log.intervals import file_type, holds_interval, to_file
from stores.log.records import Commit, DataFile
from stores.log.state_log import StoreLog
from stores.spec.position import later_watermark
from stores.spec.schema import (
    DELETED_NAME,
    VALID_TO,
    WINDOW_END,
    WINDOW_START,
    StoreKind,
    StoreSchema,
)
from stores.upkeep.rebuild import Recipe, build, recipe, scan

_Batches: TypeAlias = Iterator[pa.RecordBatch]

_FOLD_ROWS_MIN = 4 * ROWS_PER_GROUP
"""Rows that a task reads before it drops replaced ones."""


def read_store(spark: SparkSession, root: str, store: str, epoch: int | None = None) -> DataFrame:
    """Return a store as of an epoch as a DataFrame, with one task per partition.

    The columns are those of the relation: key, time, value. Replaced rows, tombstones and expired
    rows are left out. An interval is a struct of months, days, microseconds. If the log has a
    snapshot up to the epoch, a task needs disk for the rows of its partition; else it holds them in
    memory, once or twice.

    Args:
        spark: the session.
        root: path or URI of the state log, which every Spark task must reach.
        store: the name of the store.
        epoch: the epoch; by default the newest.

    Raises:
        LogMissingError: the store is missing.
        LogError: the epoch is not in the log, or the log cannot be read.
    """
    log = StoreLog.open(root, store)
    schema = log.schema()
    made_of = recipe(log, epoch)
    numbers = spark.range(0, schema.partitions, 1, schema.partitions)
    read = part_reader(root, schema, made_of)
    return numbers.mapInArrow(read, from_arrow_schema(shown_schema(schema)))


def shown_schema(schema: StoreSchema) -> pa.Schema:
    """Return the relation's columns, with intervals as structs, since Spark has no such type."""
    return pa.schema([(column.name, file_type(column.type)) for column in schema.columns])


def part_reader(root: str, schema: StoreSchema, made_of: Recipe) -> Callable[[_Batches], _Batches]:
    """Return the function that a task runs over its partition numbers."""

    def read(batches: _Batches) -> _Batches:
        log = StoreLog.open(root, schema.name)
        for batch in batches:
            numbers: list[Any] = batch.column(0).to_pylist()
            for partition in numbers:
                for found in _rows_of(log, schema, made_of, partition):
                    yield _shown(found, schema)

    return read


def _rows_of(log: StoreLog, schema: StoreSchema, made_of: Recipe, partition: int) -> _Batches:
    if made_of.base is None:
        yield from _folded(log, schema, made_of.commits, partition)
        return
    # The snapshot has the bytes of the engine, so the engine applies the epochs since, too.
    with tempfile.TemporaryDirectory(prefix="stategate-read-") as directory:
        engine = build(log, made_of, partition, Path(directory) / "partition")
        try:
            yield from scan(engine, schema)
        finally:
            engine.close()


def _shown(batch: pa.RecordBatch, schema: StoreSchema) -> pa.RecordBatch:
    columns = [
        to_file(array, column.type) if holds_interval(column.type) else array
        for array, column in zip(batch.columns, schema.columns, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=shown_schema(schema))


def _folded(
    log: StoreLog, schema: StoreSchema, commits: Sequence[Commit], partition: int
) -> _Batches:
    """Yield the rows of epochs, without a snapshot."""
    late_ms, expired_ms = _times(schema, commits)
    files = [file for commit in commits for file in commit.files_of(partition)]
    live = _fold(log.directory, files, schema, late_ms)
    if schema.kind is StoreKind.VERSIONED:
        live = _live(linked_versions(live, schema))
    if expired_ms is not None:
        live = _unexpired(live, schema, expired_ms)
    yield from live.select(schema.arrow_schema().names).to_batches(ROWS_PER_GROUP)


def _times(schema: StoreSchema, commits: Sequence[Commit]) -> tuple[dict[str, int], int | None]:
    """Return the time before which versions of a data file are late, and the expired time.

    Both follow the watermark as replicas have it, which never goes back.
    """
    late_ms: dict[str, int] = {}
    watermark_ms = expired_ms = None
    if schema.retention_ms is None or not schema.time_columns:
        return late_ms, None
    for commit in commits:
        watermark_ms = later_watermark(commit.watermark_ms, watermark_ms)
        if watermark_ms is None:
            continue
        expired_ms = watermark_ms - schema.retention_ms
        if schema.kind is StoreKind.VERSIONED and not commit.replace:
            late_ms.update(dict.fromkeys((file.path for file in commit.files), expired_ms))
    return late_ms, expired_ms


def _fold(
    directory: Directory,
    files: Sequence[DataFile],
    schema: StoreSchema,
    late_ms: dict[str, int],
) -> pa.Table:
    """Return the rows of all files, later ones replacing earlier; with tombstones of versions."""
    live = row_schema(schema).empty_table()
    held: list[pa.RecordBatch] = []
    rows = 0
    for file in files:
        for batch in read_part(directory, file, schema):
            on_time = _on_time(batch, late_ms[file.path]) if file.path in late_ms else batch
            held.append(on_time)
            rows += on_time.num_rows
        # Each fold copies all rows, so it waits until as many new ones have come.
        if rows >= max(_FOLD_ROWS_MIN, live.num_rows):
            live = _merged(live, held, schema)
            held, rows = [], 0
    return _merged(live, held, schema)


def _merged(live: pa.Table, held: list[pa.RecordBatch], schema: StoreSchema) -> pa.Table:
    newer = pa.Table.from_batches(held, row_schema(schema))
    latest = latest_rows(pa.concat_tables([live, newer]), schema, by_event_time=False)
    # Keep tombstones of versions: the version before one is valid up to it.
    return latest if schema.kind is StoreKind.VERSIONED else _live(latest)


def _live(rows: pa.Table) -> pa.Table:
    return rows.filter(pc.invert(rows.column(DELETED_NAME)))


def _on_time(batch: pa.RecordBatch, late_ms: int) -> pa.RecordBatch:
    micros: Any = batch.column(TIMESTAMP_NAME).cast(pa.int64())
    return batch.filter(pc.greater_equal(micros, pa.scalar(late_ms * 1000)))


def _unexpired(live: pa.Table, schema: StoreSchema, expired_ms: int) -> pa.Table:
    """Return unexpired rows: windows expire by start, sessions and replaced versions by end."""
    if schema.kind is StoreKind.VERSIONED:
        ends: Any = live.column(VALID_TO.name).cast(pa.int64())
        return live.filter(pc.fill_null(pc.greater(ends, pa.scalar(expired_ms * 1000)), True))
    column = WINDOW_END if schema.kind is StoreKind.SESSION else WINDOW_START
    micros: Any = live.column(column.name).cast(pa.int64())
    return live.filter(pc.greater(micros, pa.scalar(expired_ms * 1000)))

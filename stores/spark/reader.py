"""`read_store`: a store as a batch DataFrame, for reads that are too big for one gateway."""

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
    latest_rows,
    linked_versions,
    read_part,
    row_schema,
)
from stores.log.files import Directory
from stores.log.intervals import file_type, holds_interval, to_file
from stores.log.state_log import Commit, DataFile, StoreLog
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
"""Rows that a task reads before it drops those that newer ones have replaced."""


def read_store(spark: SparkSession, root: str, store: str, epoch: int | None = None) -> DataFrame:
    """A store as it was after an epoch, one task a partition.

    Columns are those of the relation: key, time, value. Rows that a later epoch replaced, and
    tombstones, are gone, and so are windows behind the store's retention. It begins with the newest
    snapshot up to the epoch, and then a task needs disk for the rows of its partition; without one
    it holds them in memory, once or twice. An interval is a struct of months, days, microseconds.

    Args:
        spark: the session.
        root: of the state log, a path or a URI that every Spark task reaches too.
        store: the store's name.
        epoch: the epoch; the newest by default.

    Raises:
        LogMissingError: there is no such store.
        LogError: the epoch is not committed, or no longer, or the log cannot be read.
    """
    log = StoreLog.open(root, store)
    schema = log.schema()
    made_of = recipe(log, epoch)
    numbers = spark.range(0, schema.partitions, 1, schema.partitions)
    read = part_reader(root, schema, made_of)
    return numbers.mapInArrow(read, from_arrow_schema(shown_schema(schema)))


def shown_schema(schema: StoreSchema) -> pa.Schema:
    """The relation's columns, with an interval as a data file has it, since Spark has none."""
    return pa.schema([(column.name, file_type(column.type)) for column in schema.columns])


def part_reader(root: str, schema: StoreSchema, made_of: Recipe) -> Callable[[_Batches], _Batches]:
    """The function that a task runs over the partition numbers it was given."""

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
    # The snapshot is in the bytes of the engine, which then may as well take the epochs since.
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
    """The rows that the epochs make, from the first on."""
    late_ms, expired_ms = _times(schema, commits)
    files = [file for commit in commits for file in commit.files_of(partition)]
    live = _fold(log.directory, files, schema, late_ms)
    if schema.kind is StoreKind.VERSIONED:
        live = _live(linked_versions(live, schema))
    if expired_ms is not None:
        live = _unexpired(live, schema, expired_ms)
    yield from live.select(schema.arrow_schema().names).to_batches(ROWS_PER_GROUP)


def _times(schema: StoreSchema, commits: Sequence[Commit]) -> tuple[dict[str, int], int | None]:
    """Before which time versions came too late for a data file, and up to which all is expired.

    By the watermark as replicas have it, which never goes back.
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
    """The rows of all files, each over those before it; of versions, their tombstones too."""
    live = row_schema(schema).empty_table()
    held: list[pa.RecordBatch] = []
    rows = 0
    for file in files:
        for batch in read_part(directory, file, schema):
            on_time = _on_time(batch, late_ms[file.path]) if file.path in late_ms else batch
            held.append(on_time)
            rows += on_time.num_rows
        # Each fold costs what there is, so it waits until as much again has come.
        if rows >= max(_FOLD_ROWS_MIN, live.num_rows):
            live = _merged(live, held, schema)
            held, rows = [], 0
    return _merged(live, held, schema)


def _merged(live: pa.Table, held: list[pa.RecordBatch], schema: StoreSchema) -> pa.Table:
    newer = pa.Table.from_batches(held, row_schema(schema))
    latest = latest_rows(pa.concat_tables([live, newer]), schema, by_event_time=False)
    # What is before a version's tombstone is still to be read: up to it, the version was valid.
    return latest if schema.kind is StoreKind.VERSIONED else _live(latest)


def _live(rows: pa.Table) -> pa.Table:
    return rows.filter(pc.invert(rows.column(DELETED_NAME)))


def _on_time(batch: pa.RecordBatch, late_ms: int) -> pa.RecordBatch:
    micros: Any = batch.column(TIMESTAMP_NAME).cast(pa.int64())
    return batch.filter(pc.greater_equal(micros, pa.scalar(late_ms * 1000)))


def _unexpired(live: pa.Table, schema: StoreSchema, expired_ms: int) -> pa.Table:
    """A window expires by its start, as in Kafka, a session and a replaced version by its end."""
    if schema.kind is StoreKind.VERSIONED:
        ends: Any = live.column(VALID_TO.name).cast(pa.int64())
        return live.filter(pc.fill_null(pc.greater(ends, pa.scalar(expired_ms * 1000)), True))
    column = WINDOW_END if schema.kind is StoreKind.SESSION else WINDOW_START
    micros: Any = live.column(column.name).cast(pa.int64())
    return live.filter(pc.greater(micros, pa.scalar(expired_ms * 1000)))

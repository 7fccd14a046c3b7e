"""`read_store`: a store as a batch DataFrame, for reads that are too big for one gateway."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from stores.datafiles import (
    DELETED_NAME,
    ROWS_PER_GROUP,
    TIMESTAMP_NAME,
    file_schema,
    latest_rows,
    linked_versions,
    read_part,
)
from stores.errors import LogError, TornRecordError
from stores.log import Commit, DataFile, StoreLog
from stores.logfiles import Directory
from stores.schema import VALID_TO, WINDOW_END, WINDOW_START, StoreKind, StoreSchema

_Batches: TypeAlias = Iterator[pa.RecordBatch]

_FOLD_ROWS_MIN = 4 * ROWS_PER_GROUP
"""Rows that a task reads before it drops those that newer ones have replaced."""


def read_store(spark: SparkSession, root: str, store: str, epoch: int | None = None) -> DataFrame:
    """A store as it was after an epoch, one task a partition.

    Columns are those of the relation: key, time, value. Rows that a later epoch replaced, and
    tombstones, are gone, and so are windows behind the store's retention. A task holds the rows of
    its partition in memory, once or twice.

    Args:
        spark: the session.
        root: of the state log, a path or a URI that every Spark task reaches too.
        store: the store's name.
        epoch: the epoch; the newest by default.

    Raises:
        LogMissingError: there is no such store.
        LogError: the epoch is not committed, or the log cannot be read.
    """
    log = StoreLog.open(root, store)
    schema = log.schema()
    commits = _commits(log, epoch)
    files = {
        partition: tuple(file for commit in commits for file in commit.files_of(partition))
        for partition in range(schema.partitions)
    }
    expired_ms = _expired_ms(schema, commits)
    numbers = spark.range(0, schema.partitions, 1, schema.partitions)
    read = part_reader(root, schema, files, expired_ms, _late_ms(schema, commits))
    return numbers.mapInArrow(read, from_arrow_schema(schema.arrow_schema()))


def _commits(log: StoreLog, epoch: int | None) -> list[Commit]:
    """The commits that make the store as of an epoch, oldest first."""
    epochs = [found for found in log.epochs() if epoch is None or found <= epoch]
    if epoch is not None and epoch not in epochs:
        raise LogError(f'epoch {epoch} of store "{log.name}" is not committed')
    commits: list[Commit] = []
    for number in reversed(epochs):
        commit = log.commit(number)
        if commit is None or (commits and commits[-1].previous != number):
            raise TornRecordError(f'store "{log.name}" has a hole at epoch {number}')
        commits.append(commit)
        if commit.replace:
            break
    else:
        if commits and commits[-1].previous != -1:
            raise TornRecordError(f'store "{log.name}" has a hole before epoch {epochs[0]}')
    return commits[::-1]


def _expired_ms(schema: StoreSchema, commits: list[Commit]) -> int | None:
    """The time up to which windows have expired, by the newest watermark."""
    watermark_ms = commits[-1].watermark_ms if commits else None
    if watermark_ms is None or schema.retention_ms is None or not schema.time_columns:
        return None
    return watermark_ms - schema.retention_ms


def _late_ms(schema: StoreSchema, commits: list[Commit]) -> dict[str, int]:
    """For each data file, before which time versions came too late for its epoch."""
    if schema.kind is not StoreKind.VERSIONED or schema.retention_ms is None:
        return {}
    return {
        file.path: commit.watermark_ms - schema.retention_ms
        for commit in commits
        if commit.watermark_ms is not None and not commit.replace
        for file in commit.files
    }


def part_reader(
    root: str,
    schema: StoreSchema,
    files: dict[int, tuple[DataFile, ...]],
    expired_ms: int | None,
    late_ms: dict[str, int],
) -> Callable[[_Batches], _Batches]:
    """The function that a task runs over the partition numbers it was given."""

    def read(batches: _Batches) -> _Batches:
        directory = Directory.at(root).within(schema.name)
        for batch in batches:
            numbers: list[Any] = batch.column(0).to_pylist()
            for partition in numbers:
                live = _fold(directory, files[partition], schema, late_ms)
                if schema.kind is StoreKind.VERSIONED:
                    live = _live(linked_versions(live, schema))
                if expired_ms is not None:
                    live = _unexpired(live, schema, expired_ms)
                yield from live.select(schema.arrow_schema().names).to_batches(ROWS_PER_GROUP)

    return read


def _fold(
    directory: Directory,
    files: tuple[DataFile, ...],
    schema: StoreSchema,
    late_ms: dict[str, int],
) -> pa.Table:
    """The rows of all files, each over those before it; of versions, their tombstones too."""
    live = file_schema(schema).empty_table()
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
    newer = pa.Table.from_batches(held, file_schema(schema))
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

"""Reads the rows of a store as of an epoch from the log, without a replica.

The oldest rows are streamed: those of the snapshot's tables, or of the first epoch. Later epochs
are small; they are held in memory, and their keys replace those of the older rows. So a condition
is checked before older rows are compared, and only the wanted columns are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from stategate.stores.log.data.datafiles import (
    ROWS_PER_GROUP,
    TIMESTAMP_NAME,
    file_schema,
    read_part,
    row_schema,
)
from stategate.stores.log.data.deduplication import identity, latest_rows, linked_versions
from stategate.stores.log.data.intervals import file_field, holds_interval, to_file
from stategate.stores.log.data.scanning import Condition, Wanted, scan_part
from stategate.stores.log.metadata.named_files import DataFile
from stategate.stores.log.metadata.records import Commit
from stategate.stores.log.state_log import StoreLog
from stategate.stores.spec.position import later_watermark
from stategate.stores.spec.schema import (
    DELETED_NAME,
    VALID_TO,
    WINDOW_END,
    WINDOW_START,
    StoreKind,
    StoreSchema,
)
from stategate.stores.upkeep.recipes import Recipe, build, scan
from stategate.stores.upkeep.scratch import scratch_directory

_Batches: TypeAlias = Iterator[pa.RecordBatch]
_Column: TypeAlias = Any
"""A ChunkedArray; the stubs for pyarrow lack most of its kernels."""

_FOLD_ROWS_MIN = 4 * ROWS_PER_GROUP
"""Rows that are read before replaced ones are dropped."""


def relation_schema(schema: StoreSchema) -> pa.Schema:
    """Return the relation's columns in the types of data files, where intervals are structs."""
    return pa.schema([file_field(column.name, column.type) for column in schema.columns])


def read_contents(log: StoreLog, made_of: Recipe, partition: int, wanted: Wanted) -> _Batches:
    """Yield the wanted rows of a partition as of the end of a recipe.

    Replaced rows, tombstones and expired rows are left out.

    Args:
        log: the store's log.
        made_of: the recipe, from `stategate.stores.upkeep.recipes.recipe`.
        partition: the number of the partition.
        wanted: columns of `relation_schema`, and a condition on them.

    Raises:
        TornRecordError: a file is missing, short or foreign; the message names it.
        StoreError: the log cannot be read, or the disk fails.
    """
    schema = log.schema()
    base = made_of.base
    epochs = [files for commit in made_of.commits if (files := commit.files_of(partition))]
    if base is not None and (not base.tables or (_needs_times(schema) and epochs)):
        yield from _rebuilt(log, made_of, partition, wanted)
        return
    expired_ms = expired_at(schema, made_of)
    if expired_ms is not None:
        wanted = wanted.also(*unexpired(schema, expired_ms))
    if base is None and schema.kind is StoreKind.VERSIONED:
        yield from _linked(log, made_of.commits, partition, wanted)
    elif base is not None:
        table = base.table_of(partition)
        oldest = [] if table is None else [table]
        yield from _merged(log, oldest, relation_schema(schema), epochs, wanted)
    elif _needs_times(schema) and len(epochs) > 1:
        yield from _merged(log, [], file_schema(schema), epochs, wanted)
    elif epochs:
        yield from _merged(log, epochs[0], file_schema(schema), epochs[1:], wanted)


def _needs_times(schema: StoreSchema) -> bool:
    """Whether a later row does not simply replace the one before it.

    Then tombstones and times count, too, which the relation does not show.
    """
    return schema.by_event_time or schema.kind is StoreKind.VERSIONED


def shown(batch: pa.RecordBatch, schema: StoreSchema) -> pa.RecordBatch:
    """Return rows of the relation in the types of `relation_schema`."""
    columns = [
        to_file(array, column.type) if holds_interval(column.type) else array
        for array, column in zip(batch.columns, schema.columns, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=relation_schema(schema))


def expired_at(schema: StoreSchema, made_of: Recipe) -> int | None:
    """Return the time up to which rows have expired, epoch milliseconds; None if no row expires.

    It follows the watermark as replicas have it, which never goes back.
    """
    if schema.retention_ms is None or not schema.time_columns:
        return None
    watermark_ms = None if made_of.base is None else made_of.base.watermark_ms
    for commit in made_of.commits:
        watermark_ms = later_watermark(commit.watermark_ms, watermark_ms)
    return None if watermark_ms is None else watermark_ms - schema.retention_ms


def unexpired(schema: StoreSchema, expired_ms: int) -> tuple[Condition, str]:
    """Return the condition of unexpired rows, and the name of its column.

    Windows expire by their start, sessions and replaced versions by their end.
    """
    match schema.kind:
        case StoreKind.WINDOW:
            column = WINDOW_START
        case StoreKind.SESSION:
            column = WINDOW_END
        case _:
            column = VALID_TO
    name = column.name
    limit = pa.scalar(expired_ms * 1000, pa.int64()).cast(column.type.arrow)
    later = pc.field(name) > limit
    return (later | pc.field(name).is_null()) if column is VALID_TO else later, name


def _rebuilt(log: StoreLog, made_of: Recipe, partition: int, wanted: Wanted) -> _Batches:
    """Yield the rows from a snapshot without tables; the engine whose bytes it has reads them."""
    with scratch_directory() as directory:
        engine = build(log, made_of, partition, directory / "partition")
        try:
            # A reader that ends early closes the scan first: the database closes after it.
            with closing(scan(engine, log.schema())) as batches:
                for batch in batches:
                    yield from _filtered(shown(batch, log.schema()), wanted)
        finally:
            engine.close()


def _linked(log: StoreLog, commits: Sequence[Commit], partition: int, wanted: Wanted) -> _Batches:
    """Yield the versions of epochs, without a snapshot."""
    schema = log.schema()
    live = _live(linked_versions(_folded(log, commits, partition), schema))
    for batch in live.select(schema.arrow_schema().names).to_batches(ROWS_PER_GROUP):
        yield from _filtered(shown(batch, schema), wanted)


def _filtered(batch: pa.RecordBatch, wanted: Wanted) -> _Batches:
    yield from wanted.filtered(pa.Table.from_batches([batch])).to_batches()


def _merged(
    log: StoreLog,
    oldest: Sequence[DataFile],
    columns: pa.Schema,
    later: Sequence[Sequence[DataFile]],
    wanted: Wanted,
) -> _Batches:
    """Yield the rows of the oldest files that no later epoch has replaced, then the later ones."""
    schema = log.schema()
    if DELETED_NAME in columns.names:
        old = wanted.also(~pc.field(DELETED_NAME), DELETED_NAME)
    else:
        old = wanted
    if not later:
        for file in oldest:
            yield from scan_part(log.directory, file, columns, old)
        return
    keys = identity(schema)
    times = [TIMESTAMP_NAME] if schema.by_event_time else []
    names = _without_repeats(keys, wanted.columns, wanted.tested, times)
    newer = _latest(log, later, names)
    read = Wanted(
        columns=_without_repeats(keys, wanted.columns), where=old.where, tested=old.tested
    )
    found = (batch for file in oldest for batch in scan_part(log.directory, file, columns, read))
    for rows in _in_chunks(found, max(_FOLD_ROWS_MIN, newer.num_rows)):
        kept = rows.filter(pc.invert(within(rows, newer, keys)))
        yield from kept.select(list(wanted.columns)).to_batches(ROWS_PER_GROUP)
    yield from wanted.filtered(_live(newer)).to_batches(ROWS_PER_GROUP)


def _without_repeats(*names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for each in names for name in each))


def _latest(log: StoreLog, epochs: Sequence[Sequence[DataFile]], names: Sequence[str]) -> pa.Table:
    """Return the latest row of each identity in some epochs, tombstones included."""
    schema = log.schema()
    columns = file_schema(schema)
    wanted = Wanted(columns=(*names, DELETED_NAME))
    read = (
        batch
        for files in epochs
        for file in files
        for batch in scan_part(log.directory, file, columns, wanted)
    )
    empty = pa.schema([columns.field(name) for name in wanted.columns]).empty_table()
    return fold(read, empty, schema)


def fold(batches: Iterable[pa.RecordBatch], empty: pa.Table, schema: StoreSchema) -> pa.Table:
    """Return the last row of each identity, in input order.

    Args:
        batches: rows, later ones replacing earlier ones.
        empty: a table without rows that has their columns.
        schema: the schema of the store.
    """
    latest = empty
    held: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        held.append(batch)
        rows += batch.num_rows
        # Each fold copies all rows, so it waits until as many new ones have come.
        if rows >= max(_FOLD_ROWS_MIN, latest.num_rows):
            latest = _joined(latest, held, schema)
            held, rows = [], 0
    return _joined(latest, held, schema)


def _joined(latest: pa.Table, held: list[pa.RecordBatch], schema: StoreSchema) -> pa.Table:
    newer = pa.Table.from_batches(held, latest.schema)
    return latest_rows(pa.concat_tables([latest, newer]), schema)


def _in_chunks(batches: _Batches, rows_min: int) -> Iterator[pa.Table]:
    """Yield batches as tables of at least so many rows, but for the last."""
    held: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        held.append(batch)
        rows += batch.num_rows
        if rows >= rows_min:
            yield pa.Table.from_batches(held)
            held, rows = [], 0
    if held:
        yield pa.Table.from_batches(held)


def within(rows: pa.Table, others: pa.Table, names: Sequence[str]) -> _Column:
    """Return for each row whether another table has a row with the same values in some columns.

    NULLs are equal, and so are NaNs and zeros, which `shaped` has made canonical.
    """
    possible = np.ones(rows.num_rows, np.bool_)
    for name in names:
        found = pc.is_in(_bits(rows.column(name)), value_set=_bits(others.column(name)))
        possible &= found.to_numpy(zero_copy_only=False)
    if len(names) == 1 or not possible.any():
        return pa.array(possible)
    # Each value is there, but perhaps in different rows.
    numbers = np.flatnonzero(possible)
    exact = np.zeros(rows.num_rows, np.bool_)
    exact[numbers] = _within_exactly(rows.take(numbers), others, names)
    return pa.array(exact)


def _within_exactly(
    rows: pa.Table, others: pa.Table, names: Sequence[str]
) -> np.ndarray[Any, np.dtype[np.bool_]]:
    keys = [str(number) for number in range(len(names))]
    both = [
        pa.table(
            [*(_bits(table.column(name)) for name in names), pa.array(ranks)],
            names=[*keys, "rank"],
        )
        for table, ranks in (
            (others, np.full(others.num_rows, -1, np.int64)),
            (rows, np.arange(rows.num_rows, dtype=np.int64)),
        )
    ]
    grouped = pa.concat_tables(both).group_by(keys).aggregate([("rank", "min"), ("rank", "list")])
    shared = grouped.filter(pc.equal(grouped.column("rank_min"), -1))
    ranks = pc.list_flatten(shared.column("rank_list")).to_numpy()
    found = np.zeros(rows.num_rows, np.bool_)
    found[ranks[ranks >= 0]] = True
    return found


def _bits(column: _Column) -> _Column:
    """Return floats as integers with the same bits, by which NaN equals NaN."""
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(whole, pa.ChunkedArray):
        whole = pa.concat_arrays(whole.chunks)
    if pa.types.is_floating(whole.type):
        return whole.view(f"int{whole.type.bit_width}")
    return whole


def _live(rows: pa.Table) -> pa.Table:
    return rows.filter(pc.invert(rows.column(DELETED_NAME)))


def _folded(log: StoreLog, commits: Sequence[Commit], partition: int) -> pa.Table:
    """Return the versions and tombstones of epochs, one for each identity."""
    schema = log.schema()
    late_ms = _late_from(schema, commits)
    read = (
        _on_time(batch, late_ms[file.path]) if file.path in late_ms else batch
        for commit in commits
        for file in commit.files_of(partition)
        for batch in read_part(log.directory, file, schema)
    )
    return fold(read, row_schema(schema).empty_table(), schema)


def _late_from(schema: StoreSchema, commits: Sequence[Commit]) -> dict[str, int]:
    """Return the time before which the versions of a data file are late, by the file's path."""
    late_ms: dict[str, int] = {}
    if schema.retention_ms is None:
        return late_ms
    watermark_ms = None
    for commit in commits:
        watermark_ms = later_watermark(commit.watermark_ms, watermark_ms)
        if watermark_ms is not None and not commit.replace:
            expired_ms = watermark_ms - schema.retention_ms
            late_ms.update(dict.fromkeys((file.path for file in commit.files), expired_ms))
    return late_ms


def _on_time(batch: pa.RecordBatch, late_ms: int) -> pa.RecordBatch:
    micros: Any = batch.column(TIMESTAMP_NAME).cast(pa.int64())
    return batch.filter(pc.greater_equal(micros, pa.scalar(late_ms * 1000)))

"""The changes of a store between two epochs: its rows as of the second, and the rows it lost.

Where a later row simply replaces the one before, the epochs themselves are the changes. Where
times decide, or an epoch replaced the whole store, the contents of both epochs are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from stategate.stores.errors import LogError, TornRecordError
from stategate.stores.log.data.datafiles import ROWS_PER_GROUP, file_schema
from stategate.stores.log.data.deduplication import identity
from stategate.stores.log.data.scanning import Wanted, scan_part
from stategate.stores.log.metadata.records import Commit
from stategate.stores.log.state_log import StoreLog
from stategate.stores.spec.schema import DELETED_NAME, VALID_FROM, StoreKind, StoreSchema
from stategate.stores.upkeep.contents import (
    expired_at,
    fold,
    read_contents,
    relation_schema,
    unexpired,
    within,
)
from stategate.stores.upkeep.recipes import Recipe, recipe

_Batches: TypeAlias = Iterator[pa.RecordBatch]

EPOCH_NAME = "_epoch"
EMPTY = -1
"""The epoch before the first: all rows are changes since then."""
_MARKS = (pa.field(EPOCH_NAME, pa.int64()), pa.field(DELETED_NAME, pa.bool_()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """The epochs after one up to another, and the contents that they must be compared with."""

    end: int
    commits: tuple[Commit, ...]
    """The epochs, in order; none if all rows are changes."""
    before: Recipe | None
    """The store as of the first epoch; None if the changes follow without it."""
    after: Recipe | None
    """The store as of the last epoch; None if the changes follow without it."""


def changes_schema(schema: StoreSchema) -> pa.Schema:
    """Return the columns of changes: the relation's, then `_epoch` and `_deleted`."""
    return pa.schema([*relation_schema(schema), *_MARKS])


def span(log: StoreLog, start: int, end: int, *, with_expired: bool = True) -> Span:
    """Return the changes to read: those after one epoch up to another.

    Args:
        log: the store's log.
        start: the epoch before the changes; EMPTY for all rows.
        end: the last epoch.
        with_expired: whether rows that only expired are changes, too.

    Raises:
        LogError: one of the epochs is not, or no longer, in the log.
    """
    if start == EMPTY:
        return Span(end=end, commits=(), before=None, after=recipe(log, end if end >= 0 else None))
    commits = _between(log, start, end)
    schema = log.schema()
    compares = (
        schema.by_event_time
        or schema.kind is StoreKind.VERSIONED
        or any(commit.replace for commit in commits)
    )
    expires = with_expired and schema.retention_ms is not None and bool(schema.time_columns)
    if not (compares or expires):
        return Span(end=end, commits=commits, before=None, after=None)
    try:
        before = recipe(log, start)
        after = recipe(log, end) if compares else None
    except TornRecordError as error:
        raise _removed(log, start, f"the rows of epoch {start} ({error})") from error
    return Span(end=end, commits=commits, before=before, after=after)


def _between(log: StoreLog, start: int, end: int) -> tuple[Commit, ...]:
    newest = log.latest_epoch()
    if not start <= end <= newest:
        raise LogError(
            f'store "{log.name}" has no changes from epoch {start} to {end}: its newest epoch is '
            f"{newest}. If the store was removed and built anew, begin with the whole store"
        )
    found: list[Commit] = []
    at = end
    while at > start:
        commit = log.commit(at)
        if commit is None:
            raise _removed(log, start, f"epoch {at}")
        found.append(commit)
        at = commit.previous
    if at != start or log.commit(start) is None:
        raise _removed(log, start, f"epoch {start}")
    return tuple(reversed(found))


def _removed(log: StoreLog, start: int, needed: str) -> LogError:
    return LogError(
        f'the changes of store "{log.name}" since epoch {start} need {needed}, which the log does '
        "not have (any more): begin with the whole store, and let compaction keep epochs for "
        "longer (stategate compact --keep)"
    )


def changes(log: StoreLog, asked: Span, partition: int, wanted: Wanted) -> _Batches:
    """Yield the changes of a partition; a deleted row has its key and times, and NULLs.

    Applied to the rows as of the epoch before, they give the rows as of the last epoch: each
    replaces the row with the same key and times. `_epoch` is the epoch that wrote the row; the last
    one, if contents were compared or the row has expired.

    Args:
        log: the store's log.
        asked: the epochs, from `span`.
        partition: the number of the partition.
        wanted: columns of `changes_schema`, and a condition on them.

    Raises:
        TornRecordError: a file is missing, short or foreign; the message names it.
        StoreError: the log cannot be read, or the disk fails.
    """
    schema = log.schema()
    if asked.after is None:
        found = _replaced(log, asked, partition)
    elif asked.before is None:
        found = (_marked(b, asked.end, schema) for b in _rows(log, asked.after, partition))
    else:
        found = _compared(log, asked, partition)
    for rows in found:
        yield from wanted.filtered(rows).to_batches(ROWS_PER_GROUP)


def _replaced(log: StoreLog, asked: Span, partition: int) -> Iterator[pa.Table]:
    """Yield the latest row of each identity in the epochs, and the rows that expired with them."""
    schema = log.schema()
    relation = relation_schema(schema)
    names = [*relation.names, DELETED_NAME]
    columns = pa.schema([*relation, _MARKS[1], _MARKS[0]])
    newer = fold(_logged(log, asked.commits, partition, names), columns.empty_table(), schema)
    gone = newer.column(DELETED_NAME)
    expired_ms = None
    if asked.before is not None:
        ends = Recipe(base=asked.before.base, commits=(*asked.before.commits, *asked.commits))
        expired_ms = expired_at(schema, ends)
    if expired_ms is not None:
        live, _ = unexpired(schema, expired_ms)
        kept = pa.table({"row": np.arange(newer.num_rows)})
        for name in identity(schema):
            kept = kept.append_column(name, newer.column(name))
        rows = kept.filter(live).column("row").to_numpy()
        alive = np.zeros(newer.num_rows, np.bool_)
        alive[rows] = True
        gone = pc.or_(gone, pa.array(~alive))
    values = [column.name for column in schema.value]
    yield _without_values(newer, gone, values).select(changes_schema(schema).names)
    if expired_ms is not None and asked.before is not None:
        live, tested = unexpired(schema, expired_ms)
        keys = identity(schema)
        wanted = Wanted(columns=_shown_keys(schema), where=~live, tested=(tested,))
        for batch in read_contents(log, asked.before, partition, wanted):
            old = pa.Table.from_batches([batch])
            yield _lost(old.filter(pc.invert(within(old, newer, keys))), asked.end, schema)


def _logged(
    log: StoreLog, commits: Sequence[Commit], partition: int, names: Sequence[str]
) -> _Batches:
    wanted = Wanted(columns=tuple(names))
    for commit in commits:
        for file in commit.files_of(partition):
            for batch in scan_part(log.directory, file, file_schema(log.schema()), wanted):
                epochs = pa.array(np.full(batch.num_rows, commit.epoch, np.int64))
                yield batch.append_column(_MARKS[0], epochs)


def _compared(log: StoreLog, asked: Span, partition: int) -> Iterator[pa.Table]:
    """Yield the rows of the last epoch whose keys the epochs have, and the rows that are gone."""
    assert asked.before is not None, "the contents of both epochs are compared"
    assert asked.after is not None, "the contents of both epochs are compared"
    schema = log.schema()
    relation = relation_schema(schema)
    keys = [column.name for column in schema.key]
    columns = pa.schema([relation.field(name) for name in keys])
    touched = pa.Table.from_batches(
        [batch.select(keys) for batch in _logged(log, asked.commits, partition, keys)], columns
    )
    after = pa.Table.from_batches(_rows(log, asked.after, partition), relation)
    before = pa.Table.from_batches(_rows(log, asked.before, partition), relation)
    yield _marked(after.filter(within(after, touched, keys)), asked.end, schema)
    same = (*keys, VALID_FROM.name) if schema.kind is StoreKind.VERSIONED else identity(schema)
    gone = before.filter(pc.invert(within(before, after, same)))
    yield _lost(gone.select(list(_shown_keys(schema))), asked.end, schema)


def _shown_keys(schema: StoreSchema) -> tuple[str, ...]:
    """Return the columns that a deletion has."""
    return tuple(column.name for column in (*schema.key, *schema.time_columns))


def _rows(log: StoreLog, made_of: Recipe, partition: int) -> _Batches:
    wanted = Wanted(columns=tuple(relation_schema(log.schema()).names))
    return read_contents(log, made_of, partition, wanted)


def _marked(rows: pa.Table | pa.RecordBatch, epoch: int, schema: StoreSchema) -> pa.Table:
    """Return rows of the relation as changes."""
    count = rows.num_rows
    marks = [pa.array(np.full(count, epoch, np.int64)), pa.array(np.zeros(count, np.bool_))]
    return pa.table([*rows.columns, *marks], schema=changes_schema(schema))


def _lost(rows: pa.Table, epoch: int, schema: StoreSchema) -> pa.Table:
    """Return deletions of rows that are given by some of their columns."""
    count = rows.num_rows
    columns = [
        rows.column(field.name)
        if field.name in rows.column_names
        else pa.array(np.full(count, epoch, np.int64))
        if field.name == EPOCH_NAME
        else pa.array(np.ones(count, np.bool_))
        if field.name == DELETED_NAME
        else pa.nulls(count, field.type)
        for field in changes_schema(schema)
    ]
    return pa.table(columns, schema=changes_schema(schema))


def _without_values(rows: pa.Table, gone: pa.ChunkedArray, names: Sequence[str]) -> pa.Table:
    """Return rows with NULLs in some columns where they are deleted."""
    numbers = pa.array(np.arange(rows.num_rows))
    kept = pc.if_else(gone, pa.scalar(None, pa.int64()), numbers)
    for name in names:
        at = rows.column_names.index(name)
        rows = rows.set_column(at, rows.schema.field(name), rows.column(name).take(kept))
    return rows.set_column(rows.column_names.index(DELETED_NAME), _MARKS[1], gone)

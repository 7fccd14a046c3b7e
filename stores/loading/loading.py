"""Loads rows into a store: checks all of them first, then writes them as one epoch or several.

The rows wait in a temporary file until the last of them has been checked. So a bad row leaves the
store as it was, and the memory does not grow with the input.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, BinaryIO, TypeAlias

import pyarrow as pa

from stategate.stores.errors import ArgumentError, SchemaError
from stategate.stores.loading.sources import Format, Types, rows_of
from stategate.stores.log.data.datafiles import TIMESTAMP_NAME, file_schema
from stategate.stores.log.data.shaping import shaped
from stategate.stores.log.files.directory import Root
from stategate.stores.log.metadata.records import Commit
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.arguments import require_integer
from stategate.stores.spec.datatypes import BOOLEAN, DATE, TIMESTAMP, TIMESTAMPTZ, DataType
from stategate.stores.spec.position import EMPTY, Position
from stategate.stores.spec.schema import (
    DELETED_NAME,
    VALID_FROM,
    WINDOW_END,
    WINDOW_START,
    Column,
    StoreKind,
    StoreSchema,
)
from stategate.stores.upkeep.rebuild import evolve

EPOCH_ROWS = 500_000
"""Rows of an epoch: some 50 MB, which a replica applies in a few seconds."""
PARTITIONS = 4
_TIMES = (WINDOW_START, WINDOW_END, VALID_FROM, Column(name=TIMESTAMP_NAME, type=TIMESTAMPTZ))
_MARKS = frozenset({DELETED_NAME, *(column.name for column in _TIMES)})

_Spool: TypeAlias = Any
"""A temporary binary file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loading:
    """Which store to load, and how its rows are made from those of the input.

    An argument that is None is that of the store's definition. A store that is not defined yet
    needs a key; it is a keyvalue store of PARTITIONS partitions if the arguments do not say
    otherwise, and all other columns of the input are its values.
    """

    store: str
    key: tuple[str, ...] | None = None
    types: Mapping[str, DataType] = field(default_factory=dict)
    """Types of columns; those of the others come from the definition or from the input."""
    kind: StoreKind | None = None
    partitions: int | None = None
    event_time: str | None = None
    """A column that dates the rows; it stays a value. Of rows with one key the latest stays."""
    deleted: str | None = None
    """A boolean column that marks a row as a tombstone, and is no value."""
    window_size_ms: int | None = None
    retention_ms: int | None = None
    not_null: frozenset[str] | None = None
    """Columns that are NOT NULL."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """How the rows of a load are written."""

    position: Position = EMPTY
    """Offsets that the store reflects after the load, besides those that it reflects already."""
    epoch: int | None = None
    """The number of the first epoch; the next one if None."""
    epoch_rows: int = EPOCH_ROWS
    """Rows of one epoch; a load that replaces the store is one epoch, whatever its size."""
    replace: bool = False
    """Whether the rows replace the store."""
    evolve: bool = False
    """Whether further columns and wider types change the definition of the store."""
    writer: str = "load"
    """The name of the writer."""


def load(
    root: Root, loading: Loading, writing: Writing, stream: BinaryIO, form: Format
) -> list[Commit]:
    """Load the rows of a stream into a store, and return the commits of its epochs.

    Nothing is written if a row cannot be read or does not fit the store. If writing fails, whole
    epochs may have been written; the same load with the same first epoch writes the others.

    Raises:
        ArgumentError: an argument is out of range, or the stream cannot be read.
        SchemaError: a row cannot be read, or does not fit the store. The message has its number.
        EpochConflictError: an epoch is committed with other content.
        PositionBackError: the position is behind the store's.
        LogError: the log cannot be read or written.
    """
    require_integer("epoch_rows", writing.epoch_rows, least=1)
    log = StoreLog.open(root, loading.store)
    defined = log.schema() if log.defined() else None
    types = _known_types(loading, defined)
    batches = rows_of(stream, form, types)
    first = next(batches, None)
    names = list(types) if first is None else first.schema.names
    schema = _definition(loading, defined, types, names, adds=writing.evolve)
    with tempfile.TemporaryFile() as spool:
        with pa.ipc.new_stream(spool, file_schema(schema)) as sink:
            row = 1
            for batch in () if first is None else chain([first], batches):
                for ready in _checked(batch, schema, loading, form, row=row).to_batches():
                    sink.write_batch(ready)
                row += batch.num_rows
        spool.seek(0)
        if writing.evolve:
            evolve(root, schema)
        return _write(StoreWriter(root, schema, writer=writing.writer), spool, writing)


def _known_types(loading: Loading, defined: StoreSchema | None) -> Types:
    types: Types = {column.name: column.type for column in _TIMES}
    types[DELETED_NAME] = BOOLEAN
    if defined is not None:
        types.update((column.name, column.type) for column in (*defined.key, *defined.value))
    if loading.deleted is not None:
        types[loading.deleted] = BOOLEAN
    types.update(loading.types)
    return types


def _definition(
    loading: Loading, defined: StoreSchema | None, types: Types, names: list[str], *, adds: bool
) -> StoreSchema:
    """Return the definition of the store: that in the log, changed by the arguments."""
    name = loading.store
    kind = loading.kind or (StoreKind.KEYVALUE if defined is None else defined.kind)
    key = loading.key or (None if defined is None else tuple(c.name for c in defined.key))
    if key is None:
        raise SchemaError(f'store "{name}" does not exist yet: name the columns of its key')
    not_null = sorted(loading.not_null or ())
    for column in (*key, *loading.types, *not_null, loading.event_time, loading.deleted):
        if column is not None and column not in names and defined is None:
            raise SchemaError(f'the rows have no column "{column}"')
    apart = {*key, *_MARKS, loading.deleted}
    found = tuple(each for each in names if each not in apart)
    if defined is None:
        values = found
        default = 1 if kind is StoreKind.GLOBAL else PARTITIONS
    else:
        values = tuple(column.name for column in defined.value)
        values += tuple(each for each in found if adds and each not in values)
        default = defined.partitions
    return StoreSchema(
        name=name,
        kind=kind,
        key=tuple(Column(name=each, type=types[each]) for each in key if each in types),
        value=tuple(Column(name=each, type=types[each]) for each in values),
        partitions=default if loading.partitions is None else loading.partitions,
        inputs=() if defined is None else defined.inputs,
        window_size_ms=loading.window_size_ms or (defined.window_size_ms if defined else None),
        retention_ms=loading.retention_ms or (defined.retention_ms if defined else None),
        by_event_time=_is_by_event_time(loading, defined, kind),
        not_null=_not_null(loading, defined),
    )


def _not_null(loading: Loading, defined: StoreSchema | None) -> frozenset[str]:
    if loading.not_null is not None:
        return loading.not_null
    return frozenset() if defined is None else defined.not_null


def _is_by_event_time(loading: Loading, defined: StoreSchema | None, kind: StoreKind) -> bool:
    if defined is not None:
        return defined.by_event_time
    return loading.event_time is not None and kind is not StoreKind.VERSIONED


def _checked(
    batch: pa.RecordBatch, schema: StoreSchema, loading: Loading, form: Format, *, row: int
) -> pa.Table:
    """Return a batch as rows of the store.

    Raises:
        SchemaError: a row does not fit; the message has its number.
    """
    table = _dated(pa.Table.from_batches([batch]), loading)
    if form is Format.NDJSON:
        for column in schema.value:
            if column.name not in table.column_names:
                nulls = pa.nulls(table.num_rows, column.type.arrow)
                table = table.append_column(column.name, nulls)
    try:
        return shaped(table, schema)
    except SchemaError as error:
        number = _first_unfit(table, schema)
        if number is None:
            raise
        raise SchemaError(f"row {row + number}: {error}") from error


def _dated(table: pa.Table, loading: Loading) -> pa.Table:
    """Return rows with the marks that the arguments name."""
    if loading.event_time is not None:
        if loading.event_time not in table.column_names:
            raise SchemaError(f'the rows have no column "{loading.event_time}"')
        times = table.column(loading.event_time)
        try:
            known = DataType.from_arrow(times.type)
            if known not in {DATE, TIMESTAMP, TIMESTAMPTZ}:
                raise SchemaError(f"is of type {known}")
            times = times.cast(TIMESTAMP.arrow if known != TIMESTAMPTZ else TIMESTAMPTZ.arrow)
            times = times.cast(TIMESTAMPTZ.arrow)
        except (SchemaError, pa.ArrowException) as error:
            raise SchemaError(f'column "{loading.event_time}" is not a time: {error}') from error
        table = table.append_column(TIMESTAMP_NAME, times)
    if loading.deleted is not None and loading.deleted != DELETED_NAME:
        names = [DELETED_NAME if n == loading.deleted else n for n in table.column_names]
        table = table.rename_columns(names)
    return table


def _first_unfit(table: pa.Table, schema: StoreSchema) -> int | None:
    """Return the index of the first row that does not fit; None if all rows fail, even none."""
    if not _unfit(table, schema) or _unfit(table.slice(0, 0), schema):
        return None
    low, high = 0, table.num_rows  # the first `low` rows fit, the first `high` do not
    while high - low > 1:
        middle = (low + high) // 2
        if _unfit(table.slice(low, middle - low), schema):
            high = middle
        else:
            low = middle
    return low


def _unfit(table: pa.Table, schema: StoreSchema) -> bool:
    try:
        shaped(table, schema)
    except SchemaError:
        return True
    return False


def _write(writer: StoreWriter, spool: _Spool, writing: Writing) -> list[Commit]:
    """Write the rows of a spool as epochs; only the last one moves the position."""
    before = _position_before(writer.log, writing.epoch)
    after = Position.of(before.to_dict() | _merged(before, writing.position))
    if not after.covers(before):
        moved = after.moved_back_from(before)
        raise ArgumentError(f'--position would move store "{writer.schema.name}" back: {moved}')
    tables = _epochs(spool, None if writing.replace else writing.epoch_rows)
    commits = []
    number, table = writing.epoch, next(tables)
    while table is not None:
        following = next(tables, None)
        commits.append(
            writer.write(
                table,
                position=after if following is None else before,
                epoch=number,
                replace=writing.replace,
            )
        )
        number, table = commits[-1].epoch + 1, following
    return commits


def _merged(before: Position, given: Position) -> dict[str, dict[int, int]]:
    """Return the given offsets by topic, with those of the topic's other partitions."""
    return {topic: before.offsets(topic) | dict(offsets) for topic, offsets in given.components}


def _position_before(log: StoreLog, epoch: int | None) -> Position:
    """Return the position that a load starts from: if it ran before, the one that it left."""
    latest = log.latest_epoch()
    number = latest if epoch is None or epoch > latest else epoch
    found = log.commit(number) if number >= 0 else None
    return Position() if found is None else found.position


def _epochs(spool: _Spool, rows: int | None) -> Iterator[pa.Table]:
    """Yield the rows of a spool as tables of exactly this many rows, but for the last one."""
    reader = pa.ipc.open_stream(spool)
    held: list[pa.RecordBatch] = []
    missing = rows
    is_empty = True
    for whole in reader:
        batch = whole
        while missing is not None and batch.num_rows >= missing:
            yield pa.Table.from_batches([*held, batch.slice(0, missing)])
            batch, held, missing, is_empty = batch.slice(missing), [], rows, False
        if batch.num_rows:
            held.append(batch)
            missing = None if missing is None else missing - batch.num_rows
    if held or is_empty:
        yield pa.Table.from_batches(held, reader.schema)

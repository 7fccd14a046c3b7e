"""Deduplication of rows: one row for each identity, in a table or in sorted batches.

Rows have the columns of a data file. Among rows with one identity the last in input order wins; in
a store by event time the latest, and of equal ones the last.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from stategate.stores.codec.segments import END_OF_TIME
from stategate.stores.errors import SchemaError
from stategate.stores.log.data.datafiles import TIMESTAMP_NAME
from stategate.stores.spec.arrow import physical_list
from stategate.stores.spec.schema import (
    VALID_FROM,
    VALID_TO,
    WINDOW_END,
    WINDOW_START,
    StoreKind,
    StoreSchema,
)

_Column: TypeAlias = Any
"""A ChunkedArray; the stubs for pyarrow lack most of its kernels."""
_Order: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]
_SHOWN_MAX = 100


class RepeatedKeyError(SchemaError):
    """Several rows of one key came at once, where there can be one."""


def identity(schema: StoreSchema) -> tuple[str, ...]:
    """Return the columns that identify a row: no two rows of a store have the same values there."""
    keys = tuple(column.name for column in schema.key)
    match schema.kind:
        case StoreKind.WINDOW:
            return (*keys, WINDOW_START.name)
        case StoreKind.SESSION:
            return (*keys, WINDOW_START.name, WINDOW_END.name)
        case StoreKind.VERSIONED:
            return (*keys, TIMESTAMP_NAME)
        case _:
            return keys


def latest_rows(
    rows: pa.Table, schema: StoreSchema, *, keys_are_distinct: bool = False
) -> pa.Table:
    """Return one row for each identity, as the store would keep if each row were an epoch.

    Args:
        rows: rows from `shaped`.
        schema: the schema of their store.
        keys_are_distinct: whether there must be one row for each identity already.

    Returns:
        The winning rows, in input order. A row without event time counts as the earliest.

    Raises:
        RepeatedKeyError: there must be one row for each identity, and one has several.
    """
    if rows.num_rows < 2:
        return rows
    order = _by_event_time(rows) if schema.by_event_time else None
    ranks = np.arange(rows.num_rows, dtype=np.int64)
    if order is not None:
        ranks[order] = np.arange(rows.num_rows, dtype=np.int64)
    # Columns get numbers as names, so that none can have the name of the rank.
    columns = [rows.column(name) for name in identity(schema)]
    keys = [str(number) for number in range(len(columns))]
    keyed = pa.table([*columns, pa.array(ranks)], names=[*keys, "rank"])
    grouped = keyed.group_by(keys).aggregate([("rank", "max")])
    if grouped.num_rows == rows.num_rows:
        return rows
    winners: _Order = grouped.column("rank_max").to_numpy()
    places = np.sort(winners if order is None else order[winners])
    if keys_are_distinct:
        left = np.setdiff1d(np.arange(rows.num_rows), places)
        raise _repeated(rows.slice(int(left[0]), 1), schema)
    return rows.take(places)


def _repeated(row: pa.Table, schema: StoreSchema) -> RepeatedKeyError:
    return RepeatedKeyError(
        f'several rows of store "{schema.name}" at {shown_key(row, schema)} came at once: the key '
        "does not tell them apart"
    )


def shown_key(row: pa.Table, schema: StoreSchema) -> str:
    """Return the key of the only row of a table, as errors show it."""
    parts = []
    for column in schema.key:
        values = row.column(column.name)
        if column.type.kind.record.arrow == pa.string():
            raw = values.cast(pa.binary())[0].as_py()
            text = "NULL" if raw is None else f"'{raw.decode(errors='backslashreplace')}'"
        else:
            value = physical_list(values, column.type)[0]
            text = "NULL" if value is None else column.type.kind.record.text(value).decode()
        parts.append(f"{column.name} = {text[:_SHOWN_MAX]}")
    return ", ".join(parts)


def linked_versions(rows: pa.Table, schema: StoreSchema) -> pa.Table:
    """Return versions and tombstones with `valid_from` and `valid_to`, each up to the next one.

    Versions that begin at the end of time are dropped, because they are never valid.

    Args:
        rows: one for each identity, from `latest_rows`.
        schema: the schema of their store.
    """
    keys = [column.name for column in schema.key]
    micros: _Column = rows.column(TIMESTAMP_NAME).cast(pa.int64())
    rows = rows.filter(pc.less(micros, pa.scalar(END_OF_TIME)))
    ordered = rows.sort_by([(name, "ascending") for name in (*keys, TIMESTAMP_NAME)])
    starts: _Column = ordered.column(TIMESTAMP_NAME).combine_chunks()
    ends = pa.nulls(0, starts.type)
    if ordered.num_rows:
        batch = ordered.select(keys).combine_chunks().to_batches()[0]
        following = pa.concat_arrays([starts.slice(1), pa.nulls(1, starts.type)])
        is_last = np.append(_ends_of_runs(batch, tuple(keys)), True)
        ends = pc.if_else(pa.array(is_last), pa.scalar(None, starts.type), following)
    return ordered.append_column(VALID_FROM.name, starts).append_column(VALID_TO.name, ends)


def _by_event_time(rows: pa.Table) -> _Order | None:
    """Return row numbers by event time, then input order; None if the rows are in that order."""
    column: _Column = rows.column(TIMESTAMP_NAME)
    if column.null_count == len(column):
        return None
    micros = column.cast(pa.int64()).fill_null(np.iinfo(np.int64).min).to_numpy()
    if bool(np.all(micros[1:] >= micros[:-1])):
        return None
    order: _Order = np.argsort(micros, kind="stable")
    return order


def last_of_runs(
    batches: Iterable[pa.RecordBatch], schema: StoreSchema, *, keys_are_distinct: bool = False
) -> Iterator[pa.RecordBatch]:
    """Yield the last row of each identity, for rows sorted by identity, then as `latest_rows` does.

    It does the same as `latest_rows` in bounded memory. It holds back one row between batches,
    since only the next batch shows if the row is the last of its run.

    Raises:
        RepeatedKeyError: as for `latest_rows`.
    """
    names = identity(schema)
    held: pa.RecordBatch | None = None
    for batch in batches:
        if not batch.num_rows:
            continue
        if held is not None:
            if not _same_row(held, batch, names):
                yield held
            elif keys_are_distinct:
                raise _repeated(pa.Table.from_batches([held]), schema)
        if batch.num_rows > 1:
            ends = _ends_of_runs(batch, names)
            if keys_are_distinct and not ends.all():
                row = batch.slice(int(np.argmin(ends)), 1)
                raise _repeated(pa.Table.from_batches([row]), schema)
            yield batch.slice(0, batch.num_rows - 1).filter(pa.array(ends))
        held = batch.slice(batch.num_rows - 1)
    if held is not None:
        yield held


def _same_row(held: pa.RecordBatch, batch: pa.RecordBatch, names: tuple[str, ...]) -> bool:
    pair = pa.Table.from_batches([held, batch.slice(0, 1)]).combine_chunks().to_batches()[0]
    return not _ends_of_runs(pair, names)[0]


def _ends_of_runs(batch: pa.RecordBatch, names: tuple[str, ...]) -> np.ndarray[Any, Any]:
    """Return for each row but the last whether the next one has another identity."""
    differs = np.zeros(batch.num_rows - 1, np.bool_)
    for name in names:
        column: _Column = batch.column(name)
        if pa.types.is_floating(column.type):
            # Compare values as bits, which `shaped` has made canonical, so that NaN equals NaN.
            column = column.view(f"int{column.type.bit_width}")
        here, after = column.slice(0, len(column) - 1), column.slice(1)
        unequal = pc.fill_null(pc.not_equal(here, after), False)
        half_null = pc.xor(pc.is_null(here), pc.is_null(after))
        differs |= pc.or_(unequal, half_null).to_numpy(zero_copy_only=False)
    return differs

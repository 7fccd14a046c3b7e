"""Makes the rows of a writer rows of a data file: their columns, types and marks, all checked.

Every reader can read the rows that pass. This is checked here, because committed rows cannot be
taken back.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from stategate.stores.codec.segments import FIRST_WHOLE_MS, MICROS_MAX
from stategate.stores.errors import SchemaError, ValueFormatError
from stategate.stores.log.data.canonical import InvalidUtf8, canonical
from stategate.stores.log.data.datafiles import EVENT_TIME, TIMESTAMP_NAME, file_schema
from stategate.stores.log.data.deduplication import shown_key
from stategate.stores.log.data.intervals import holds_interval, to_file
from stategate.stores.spec.schema import (
    DELETED_NAME,
    VALID_FROM,
    WINDOW_END,
    WINDOW_START,
    DataType,
    Kind,
    StoreKind,
    StoreSchema,
)

_Column: TypeAlias = Any
"""A ChunkedArray; the stubs for pyarrow lack most of its kernels."""


def shaped(
    rows: pa.Table, schema: StoreSchema, *, invalid_utf8: InvalidUtf8 = "refuse"
) -> pa.Table:
    """Return rows with exactly the columns of a data file, in their order and types.

    `_timestamp` and `_deleted` may be missing, and `window_end` if windows have a fixed size.
    Versions need their `_timestamp`, which may be called `valid_from`. In a store by event time it
    is in whole milliseconds, by which its rows are compared.

    Args:
        rows: the rows of a writer.
        schema: the definition of the store.
        invalid_utf8: whether a text that is not UTF-8 is an error. That of a key always is: two
            keys might become one.

    Raises:
        SchemaError: a column is missing, unknown or of another type; or a value does not belong
            to its type, or is NULL in a column that is NOT NULL, and the message has the key of
            its row.
    """
    wanted = file_schema(schema)
    if schema.kind is StoreKind.VERSIONED and TIMESTAMP_NAME not in rows.column_names:
        names = [TIMESTAMP_NAME if n == VALID_FROM.name else n for n in rows.column_names]
        rows = rows.rename_columns(names)
    if unknown := set(rows.column_names) - set(wanted.names):
        raise SchemaError(f'store "{schema.name}" has no column "{min(unknown)}"')
    floats = {c.name for c in schema.key if c.type.kind in {Kind.REAL, Kind.DOUBLE}}
    columns = []
    for field in wanted:
        column = _shaped_column(rows, field, schema)
        if field.name in floats:
            column = _canonical_floats(column)
        elif field.name == TIMESTAMP_NAME and schema.by_event_time:
            column = _whole_ms(column)
        columns.append(column)
    table = _canonical(pa.table(columns, schema=wanted), schema, invalid_utf8)
    _check_nulls(table, schema)
    if schema.window_size_ms is not None:
        _check_windows(table, schema, schema.window_size_ms)
    if schema.kind is StoreKind.SESSION:
        _check_sessions(table, schema)
    if schema.kind is StoreKind.VERSIONED and table.column(TIMESTAMP_NAME).null_count:
        raise SchemaError(f'a version in store "{schema.name}" has no event time to be valid from')
    return table


def require_readable(batch: pa.RecordBatch, schema: StoreSchema) -> None:
    """Make sure that readers can read all values of rows from a data file.

    Raises:
        SchemaError: they cannot read one; the message has the key of its row.
    """
    _canonical(pa.Table.from_batches([batch]), schema, "refuse")


def _canonical(table: pa.Table, schema: StoreSchema, invalid_utf8: InvalidUtf8) -> pa.Table:
    """Return rows whose values all readers can read, in the form that they know."""
    columns = []
    for column, given in zip((*schema.logged_columns, EVENT_TIME), table.columns, strict=False):
        if column in schema.key:
            convert = partial(_canonical_key, data_type=column.type)
        else:
            convert = partial(canonical, data_type=column.type, invalid_utf8=invalid_utf8)
        try:
            chunks = [convert(chunk) for chunk in given.chunks]
        except ValueFormatError as error:
            key = shown_key(table.slice(_first_wrong(given, convert), 1), schema)
            raise SchemaError(
                f'column "{column.name}" of store "{schema.name}" at {key}: {error}'
            ) from error
        columns.append(pa.chunked_array(chunks, given.type))
    return pa.table([*columns, table.column(DELETED_NAME)], schema=table.schema)


def _canonical_key(array: pa.Array, data_type: DataType) -> pa.Array:
    """Return a column of a key, whose values must be in the form that readers know already.

    Spark has placed the rows by them; and of two keys that are changed, the new ones may be equal.
    """
    found = canonical(array, data_type, "refuse")
    if found is not array and not found.equals(array):
        raise ValueFormatError(
            "a value of a key is in another form than that in which it is read", sqlstate="22000"
        )
    return found


def _first_wrong(column: _Column, convert: Callable[[pa.Array], pa.Array]) -> int:
    """Return the first row of a column that cannot be converted."""
    before = 0
    for chunk in column.chunks:
        if _is_right(chunk, convert):
            before += len(chunk)
            continue
        low, high = 0, len(chunk)
        while high - low > 1:
            middle = (low + high) // 2
            if _is_right(chunk.slice(low, middle - low), convert):
                low = middle
            else:
                high = middle
        return before + low
    raise AssertionError("no row is wrong")


def _is_right(array: pa.Array, convert: Callable[[pa.Array], pa.Array]) -> bool:
    try:
        convert(array)
    except ValueFormatError:
        return False
    return True


def _check_nulls(table: pa.Table, schema: StoreSchema) -> None:
    keys = {column.name for column in schema.key}
    for name in sorted(schema.not_null):
        column = table.column(name)
        if not column.null_count:
            continue
        missing = pc.is_null(column)
        if name not in keys:
            missing = pc.and_not(missing, table.column(DELETED_NAME))
        at = pc.index(missing, True).as_py()
        if at >= 0:
            key = shown_key(table.slice(at, 1), schema)
            raise SchemaError(
                f'null value in column "{name}" of store "{schema.name}" at {key}: it is NOT NULL'
            )


def _check_sessions(table: pa.Table, schema: StoreSchema) -> None:
    start, end = table.column(WINDOW_START.name), table.column(WINDOW_END.name)
    right = pc.fill_null(pc.less_equal(start, end), False)
    if not pc.all(right, min_count=0).as_py():
        raise SchemaError(
            f'a session in store "{schema.name}" lacks an end, or ends before it begins'
        )


def _check_windows(table: pa.Table, schema: StoreSchema, size_ms: int) -> None:
    start, end = table.column(WINDOW_START.name), table.column(WINDOW_END.name)
    right = pc.fill_null(pc.equal(end, _window_ends(start, size_ms)), False)
    if not pc.all(right, min_count=0).as_py():
        raise SchemaError(f'the windows of store "{schema.name}" are not all {size_ms} ms long')


def _window_ends(starts: _Column, size_ms: int) -> _Column:
    """Return the ends of windows; as in Kafka, no later than the last time of a column."""
    size_us = size_ms * 1000
    latest = pa.scalar(MICROS_MAX - size_us)
    kept = pc.min_element_wise(starts.cast(pa.int64()), latest, skip_nulls=False)
    return pc.add(kept, pa.scalar(size_us)).cast(starts.type)


def _shaped_column(rows: pa.Table, field: Any, schema: StoreSchema) -> _Column:
    name = field.name
    try:
        if name in rows.column_names:
            column = _of_file(rows.column(name), field, schema)
            return column.fill_null(False) if name == DELETED_NAME else column
        if name == WINDOW_END.name and schema.window_size_ms is not None:
            return _window_ends(
                rows.column(WINDOW_START.name).cast(field.type), schema.window_size_ms
            )
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, KeyError, SchemaError) as error:
        raise SchemaError(f'column "{name}" of store "{schema.name}": {error}') from error
    if name == TIMESTAMP_NAME:
        return pa.chunked_array([pa.nulls(rows.num_rows, field.type)])
    if name == DELETED_NAME:
        return pa.chunked_array([pa.array(np.zeros(rows.num_rows, np.bool_))])
    raise SchemaError(f'the rows lack column "{name}" of store "{schema.name}"')


def _of_file(column: _Column, field: Any, schema: StoreSchema) -> _Column:
    known = schema.column_by_name.get(field.name)
    if known is None or not holds_interval(known.type):
        return column.cast(field.type)
    # Arrow cannot cast intervals.
    chunks = [to_file(chunk, known.type) for chunk in column.chunks]
    return pa.chunked_array(chunks, field.type)


def _whole_ms(times: _Column) -> _Column:
    """Return event times as rows of a store have them: the beginning of their millisecond."""
    whole = np.floor_divide(np.maximum(times.cast(pa.int64()).fill_null(0), FIRST_WHOLE_MS), 1000)
    known: _Column = pa.chunked_array([pa.array(whole * 1000, times.type)])
    return known if not times.null_count else pc.if_else(times.is_null(), None, known)


def _canonical_floats(column: _Column) -> _Column:
    """Give equal keys equal bits: one zero and one NaN, as SQL compares them."""
    nan = pa.scalar(float("nan"), column.type)
    plain: _Column = pc.add(column, pa.scalar(0.0, column.type))
    return pc.if_else(pc.is_nan(plain), nan, plain)

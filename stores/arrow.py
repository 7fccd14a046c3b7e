"""Arrow columns to physical values and back: whole columns, never a row at a time.

Physical values are those of the table in `stores.schema`.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from stores.schema import DataType, Kind, Value

Ints: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]

_UNIT_TYPES = {
    Kind.DATE: pa.int32(),
    Kind.TIME: pa.int64(),
    Kind.TIMESTAMP: pa.int64(),
    Kind.TIMESTAMPTZ: pa.int64(),
}
"""Kinds whose physical value is an integer of units, with the Arrow type of those integers."""


def physical_list(array: pa.Array | pa.ChunkedArray, data_type: DataType) -> list[Value]:
    """A column as a list of physical values; `array` has the Arrow type of `data_type`."""
    unit = _UNIT_TYPES.get(data_type.kind)
    if unit is not None:
        listed: list[Value] = array.cast(unit).to_pylist()
        return listed
    values: list[Value] = array.to_pylist()
    if data_type.kind is Kind.INTERVAL:
        return [v if v is None else (v.months, v.days, v.nanoseconds // 1000) for v in values]
    return values


def physical_array(values: Sequence[Value], data_type: DataType) -> pa.Array:
    """Physical values as a column of the type."""
    unit = _UNIT_TYPES.get(data_type.kind)
    if unit is not None:
        return pa.array(values, type=unit).cast(data_type.arrow)
    if data_type.kind is Kind.INTERVAL:
        nanos = [v if v is None else pa.MonthDayNano((v[0], v[1], v[2] * 1000)) for v in values]
        return pa.array(nanos, type=data_type.arrow)
    return pa.array(values, type=data_type.arrow)


def int64_values(array: pa.Array) -> Ints:
    """The integers of a column of integers, booleans, dates or timestamps; NULLs become 0."""
    if pa.types.is_boolean(array.type):
        array = array.cast(pa.int8())
    elif pa.types.is_date32(array.type):
        array = array.cast(pa.int32())
    if array.null_count:
        array = array.fill_null(pa.scalar(0, pa.int64()).cast(array.type))
    plain: Ints = array.cast(pa.int64()).to_numpy(zero_copy_only=False)
    return plain


def array_of_ints(
    values: np.ndarray[Any, Any], data_type: DataType, nulls: np.ndarray[Any, Any] | None = None
) -> pa.Array:
    """A column of integers, booleans, dates or timestamps from their integers.

    Args:
        values: any integer type, one a row.
        data_type: the column's type.
        nulls: True where the row is NULL; None if no row is.
    """
    kind = data_type.kind
    if kind is Kind.BOOLEAN:
        return pa.array(values.astype(np.bool_), mask=nulls)
    plain = pa.array(np.ascontiguousarray(values), mask=nulls)
    if kind in _UNIT_TYPES:
        return plain.cast(_UNIT_TYPES[kind]).cast(data_type.arrow)
    return plain.cast(data_type.arrow)


def unscaled_ints(array: pa.Array) -> list[int]:
    """The unscaled integers of a decimal column; NULLs become 0."""
    if not len(array):
        return []  # whose buffer may be missing
    words = np.frombuffer(array.buffers()[1], dtype="<i8").reshape(-1, 2)
    words = words[array.offset : array.offset + len(array)]
    low = words[:, 0].astype(np.uint64).tolist()
    found = [(high << 64) + lo for lo, high in zip(low, words[:, 1].tolist(), strict=True)]
    if array.null_count:
        valid = array.is_valid().to_pylist()
        return [unscaled if ok else 0 for unscaled, ok in zip(found, valid, strict=True)]
    return found


def decimal_array(
    unscaled: Sequence[int], data_type: DataType, nulls: np.ndarray[Any, Any] | None = None
) -> pa.Array:
    """A decimal column from unscaled integers."""
    raw = b"".join([value.to_bytes(16, "little", signed=True) for value in unscaled])
    return fixed_array(raw, data_type, len(unscaled), nulls)


def fixed_array(
    raw: bytes, data_type: DataType, rows: int, nulls: np.ndarray[Any, Any] | None = None
) -> pa.Array:
    """A column whose Arrow buffer is `raw`, little-endian values of fixed width."""
    return pa.Array.from_buffers(
        data_type.arrow, rows, [validity(nulls), pa.py_buffer(raw)], null_count=-1
    )


def validity(nulls: np.ndarray[Any, Any] | None) -> pa.Buffer | None:
    """Arrow's validity bitmap; None if no row is NULL."""
    if nulls is None or not nulls.any():
        return None
    return pa.py_buffer(np.packbits(~nulls.astype(np.bool_), bitorder="little"))


def decimal_of(unscaled: int, scale: int) -> Decimal:
    """The decimal of an unscaled integer, exact whatever the context's precision."""
    digits = tuple(map(int, str(abs(unscaled))))
    return Decimal((1 if unscaled < 0 else 0, digits, -scale))

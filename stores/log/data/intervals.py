"""Conversions of intervals between memory and data files: Parquet has no type for them.

A file holds `struct<months: int32, days: int32, microseconds: int64>`, at any depth, in a field
with the metadata `stategate.type = interval`. Every reader of Parquet can read it, and it holds
each interval exactly. In memory an interval is Arrow's month_day_nano.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pyarrow as pa

from stategate.stores.errors import SchemaError
from stategate.stores.spec.arrow import child_arrays, rebuilt, validity
from stategate.stores.spec.schema import DataType, Kind

TYPE_MARK = b"stategate.type"
"""The metadata of a field whose SQL type differs from its Parquet type."""
_MARKED = {TYPE_MARK: Kind.INTERVAL.value.encode()}
_STRUCT = pa.struct([("months", pa.int32()), ("days", pa.int32()), ("microseconds", pa.int64())])
_PARTS = np.dtype([("months", "<i4"), ("days", "<i4"), ("nanoseconds", "<i8")])
_DAY_US = 86_400_000_000
_MICROS_MAX = (2**63 - 1) // 1000
"""The most microseconds that Arrow's nanoseconds can hold: 292 years."""


@lru_cache(maxsize=1024)
def holds_interval(data_type: DataType) -> bool:
    """Whether a type is an interval, or has one inside."""
    inner = [each for _, each in data_type.fields]
    if data_type.element is not None:
        inner.append(data_type.element)
    return data_type.kind is Kind.INTERVAL or any(map(holds_interval, inner))


def file_type(data_type: DataType) -> pa.DataType:
    """Return the Arrow type of a type's values in a data file."""
    if not holds_interval(data_type):
        return data_type.arrow
    match data_type.kind:
        case Kind.INTERVAL:
            return _STRUCT
        case Kind.STRUCT:
            return pa.struct([file_field(name, inner) for name, inner in data_type.fields])
        case Kind.ARRAY:
            assert data_type.element is not None, "an array has an element type"
            return pa.list_(file_field("item", data_type.element))
        case _:
            assert data_type.element is not None, "a map has a value type"
            key = file_field("key", data_type.fields[0][1]).with_nullable(False)
            return pa.map_(key, file_field("value", data_type.element))


def file_field(name: str, data_type: DataType) -> pa.Field:
    """Return the field of a column in a data file."""
    marks = _MARKED if data_type.kind is Kind.INTERVAL else None
    return pa.field(name, file_type(data_type), metadata=marks)


def to_file(array: pa.Array, data_type: DataType) -> pa.Array:
    """Return a column as a data file holds it.

    Args:
        array: a column of the type's Arrow type; or with durations in place of intervals, which
            become days and microseconds, or already in the form of a file.
        data_type: a type that is an interval, or has intervals inside.

    Raises:
        SchemaError: it is not a column of that type, or has an interval finer than a microsecond.
    """
    wanted = file_type(data_type)
    if array.type == wanted:
        return array
    if not holds_interval(data_type) or pa.types.is_null(array.type):
        return array.cast(wanted)
    if data_type.kind is Kind.INTERVAL:
        return _interval_to_file(array)
    if not _is_shaped_as(array.type, data_type):
        raise SchemaError(f"Arrow's {array.type} is not {data_type}")
    return rebuilt(array, data_type, wanted, to_file)


def from_file(array: pa.Array, data_type: DataType) -> pa.Array:
    """Return a column of a data file in the type's Arrow type: the inverse of `to_file`.

    Raises:
        SchemaError: an interval has a part that is NULL, or more microseconds than Arrow can hold.
    """
    if not holds_interval(data_type):
        return array
    if data_type.kind is Kind.INTERVAL:
        return _interval_from_file(array)
    return rebuilt(array, data_type, data_type.arrow, from_file)


def _is_shaped_as(arrow: pa.DataType, data_type: DataType) -> bool:
    """Whether an Arrow type has the same outermost form as a type."""
    match data_type.kind:
        case Kind.STRUCT:
            names = [name for name, _ in data_type.fields]
            return bool(pa.types.is_struct(arrow)) and [field.name for field in arrow] == names
        case Kind.ARRAY:
            return bool(pa.types.is_list(arrow))
        case _:
            return bool(pa.types.is_map(arrow))


def _interval_to_file(array: pa.Array) -> pa.Array:
    count = len(array)
    if pa.types.is_struct(array.type):
        return array.cast(_STRUCT)
    if pa.types.is_duration(array.type):
        micros = array.cast(pa.duration("us")).cast(pa.int64()).fill_null(0).to_numpy()
        days, rest = np.divmod(micros, _DAY_US)
        # Round towards zero, as C does: minus one hour is not minus one day plus 23 hours.
        beyond = (micros < 0) & (rest != 0)
        days, rest = days + beyond, rest - beyond * _DAY_US
        parts = [np.zeros(count, np.int32), days.astype(np.int32), rest]
    elif array.type == pa.month_day_nano_interval():
        raw = np.frombuffer(array.buffers()[1] or b"", dtype=_PARTS)
        found = raw[array.offset : array.offset + count].copy()
        found[array.is_null().to_numpy(zero_copy_only=False)] = 0
        if (found["nanoseconds"] % 1000).any():
            raise SchemaError("an interval is finer than a microsecond")
        parts = [found["months"], found["days"], found["nanoseconds"] // 1000]
    else:
        raise SchemaError(f"Arrow's {array.type} is not an interval")
    columns = [pa.array(np.ascontiguousarray(part)) for part in parts]
    return pa.StructArray.from_arrays(columns, fields=list(_STRUCT), mask=array.is_null())


def _interval_from_file(array: pa.Array) -> pa.Array:
    children = child_arrays(array)
    if any(child.null_count != array.null_count for child in children):
        raise SchemaError("an interval has a part that is NULL")
    months, days, micros = (child.fill_null(0).to_numpy() for child in children)
    if ((micros > _MICROS_MAX) | (micros < -_MICROS_MAX)).any():
        raise SchemaError("an interval has more microseconds than Arrow can hold")
    whole = np.empty(len(array), dtype=_PARTS)
    whole["months"], whole["days"], whole["nanoseconds"] = months, days, micros * 1000
    nulls = array.is_null().to_numpy(zero_copy_only=False) if array.null_count else None
    buffers = [validity(nulls), pa.py_buffer(whole.tobytes())]
    return pa.Array.from_buffers(pa.month_day_nano_interval(), len(array), buffers)

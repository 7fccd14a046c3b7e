"""Turns columns of Arrow batches into physical values; the way is chosen once per batch."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import pyarrow as pa

from stategate.planner.engine import DataType, Kind, Value

_AS_SENT = {Kind.DECIMAL, Kind.NULL}
"""Kinds whose Python values are right whatever Arrow's type is."""


def physical_values(array: pa.Array[Any], data_type: DataType) -> list[Value]:
    """Return the values of a column as physical values, None for NULL."""
    stored = _stored(data_type)
    if array.type != stored:
        array = _recast(array, data_type)
    values: list[Value] = array.to_pylist()
    convert = _converter(data_type)
    if convert is None:
        return values
    return [None if value is None else convert(value) for value in values]


def as_stored(array: pa.Array[Any], data_type: DataType) -> pa.Array[Any] | None:
    """Return the column in the Arrow type of its SQL type; None if a cast is not enough."""
    wanted = data_type.arrow
    if array.type == wanted:
        return array
    match data_type.kind:
        case kind if kind.record.count is not None:
            return array.cast(wanted, safe=False)
        case kind if kind in _AS_SENT or kind.record.from_arrow is not None:
            return None
        case Kind.ARRAY if pa.types.is_list(array.type):
            return array  # the same holds for its elements, when they are read
        case _:
            return array.cast(wanted)


@lru_cache(maxsize=1024)
def _stored(data_type: DataType) -> pa.DataType:
    """Return the Arrow type whose Python values are physical values."""
    if (count := data_type.kind.record.count) is not None:
        return count
    match data_type.kind:
        case Kind.ARRAY:
            assert data_type.element is not None
            return pa.list_(_stored(data_type.element))
        case Kind.STRUCT:
            return pa.struct([(name, _stored(inner)) for name, inner in data_type.fields])
        case Kind.MAP:
            assert data_type.element is not None
            return pa.map_(_stored(data_type.fields[0][1]), _stored(data_type.element))
        case _:
            return data_type.arrow


def _recast(array: pa.Array[Any], data_type: DataType) -> pa.Array[Any]:
    """Return the same values in the stored type. Arrow turns only the exact unit into a count."""
    match data_type.kind:
        case kind if (count := kind.record.count) is not None:
            return array.cast(data_type.arrow, safe=False).cast(count)
        case kind if kind in _AS_SENT or kind.record.from_arrow is not None:
            return array
        case _:
            return array.cast(_stored(data_type))


@lru_cache(maxsize=1024)
def _converter(data_type: DataType) -> Callable[[Value], Value] | None:
    """Return the function from Arrow's Python value to the physical one; None if they are equal."""
    match data_type.kind:
        case Kind.ARRAY:
            assert data_type.element is not None
            return _of_list(_converter(data_type.element))
        case Kind.STRUCT:
            return _of_struct({name: _converter(inner) for name, inner in data_type.fields})
        case Kind.MAP:
            assert data_type.element is not None
            return _of_map(_converter(data_type.fields[0][1]), _converter(data_type.element))
        case kind:
            return kind.record.from_arrow


def _apply(convert: Callable[[Value], Value] | None, value: Value) -> Value:
    return value if convert is None or value is None else convert(value)


def _of_list(inner: Callable[[Value], Value] | None) -> Callable[[Value], Value] | None:
    return None if inner is None else lambda values: [_apply(inner, value) for value in values]


def _of_struct(
    inner: dict[str, Callable[[Value], Value] | None],
) -> Callable[[Value], Value] | None:
    if not any(inner.values()):
        return None
    return lambda values: {name: _apply(inner[name], value) for name, value in values.items()}


def _of_map(
    key: Callable[[Value], Value] | None, value: Callable[[Value], Value] | None
) -> Callable[[Value], Value] | None:
    if key is None and value is None:
        return None
    return lambda pairs: [(_apply(key, k), _apply(value, v)) for k, v in pairs]

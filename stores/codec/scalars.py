"""How one value of a scalar type is stored in bytes: its slot, in rows and in nested values.

Slots are little-endian, because numpy reads a column of slots in place. Types of varying length
have no slot of their own: `stategate.stores.codec.rows` and `stategate.stores.codec.nested` keep
where such a value ends, and its bytes elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from stategate.stores.errors import SchemaError
from stategate.stores.spec.arrow import (
    array_of_ints,
    decimal_of,
    fixed_array,
    int64_values,
    physical_array,
    physical_list,
    unscaled_ints,
)
from stategate.stores.spec.schema import DataType, Kind, Value

_NUMPY = {
    "?": "u1",
    "b": "i1",
    "h": "<i2",
    "i": "<i4",
    "q": "<i8",
    "f": "<f4",
    "d": "<f8",
    "16s": "V16",
}

TEXTUAL = frozenset(kind for kind in Kind if kind.record.arrow in {pa.string(), pa.binary()})
"""Kinds whose value is kept as bytes of any length."""
NESTED = frozenset({Kind.ARRAY, Kind.STRUCT, Kind.MAP})
"""Kinds whose value is made of other values."""


def slot_format(data_type: DataType) -> str:
    """Return the slot as the module `struct` names it.

    Raises:
        SchemaError: the type has no slot and is held in no other way either.
    """
    if data_type.kind is Kind.DECIMAL:
        return "q" if data_type.precision <= 18 else "16s"
    slot = data_type.kind.record.slot
    if slot is None:
        raise SchemaError(f"a value column cannot be of type {data_type}")
    return slot


def slot_dtype(data_type: DataType) -> np.dtype[Any]:
    """Return the slot as numpy names it.

    Raises:
        SchemaError: as `slot_format`.
    """
    return np.dtype(_NUMPY[slot_format(data_type)])


def slot_decoder(data_type: DataType) -> Callable[[Any], Value] | None:
    """Makes the physical value from an unpacked slot; None if the slot holds it already."""
    scale = data_type.scale
    if (packed := data_type.kind.record.packed) is not None:
        return packed.unpack
    if data_type.kind is not Kind.DECIMAL:
        return None
    if data_type.precision <= 18:
        return lambda unscaled: decimal_of(unscaled, scale)
    return lambda raw: decimal_of(int.from_bytes(raw, "little", signed=True), scale)


def slot_values(array: pa.Array, data_type: DataType) -> np.ndarray[Any, Any]:
    """Return a column as an array of slots; NULLs are zeros."""
    kind = data_type.kind
    if kind in {Kind.REAL, Kind.DOUBLE}:
        filled = array.fill_null(0.0) if array.null_count else array
        floats: np.ndarray[Any, Any] = filled.to_numpy(zero_copy_only=False)
        return floats
    if (packed := kind.record.packed) is not None:
        raws = [
            bytes(packed.size) if value is None else packed.pack(*value)
            for value in physical_list(array, data_type)
        ]
        return np.frombuffer(b"".join(raws), dtype=f"V{packed.size}")
    if kind is Kind.DECIMAL and data_type.precision <= 18:
        return np.array(unscaled_ints(array), dtype=np.int64)
    if kind is Kind.DECIMAL:
        raws = [value.to_bytes(16, "little", signed=True) for value in unscaled_ints(array)]
        return np.frombuffer(b"".join(raws), dtype="V16")
    return int64_values(array)


def slot_array(
    slots: np.ndarray[Any, Any], data_type: DataType, nulls: np.ndarray[Any, Any] | None
) -> pa.Array:
    """Return a column from its slots.

    Args:
        slots: the slots of the type's `slot_dtype`, one a row.
        data_type: the column's type.
        nulls: True where the row is NULL; None if no row is.
    """
    kind = data_type.kind
    if kind in {Kind.REAL, Kind.DOUBLE}:
        return pa.array(np.ascontiguousarray(slots), mask=nulls)
    if (packed := kind.record.packed) is not None:
        raws = slots.tolist()
        flags = [False] * len(raws) if nulls is None else nulls.tolist()
        values = [None if null else packed.unpack(r) for r, null in zip(raws, flags, strict=True)]
        return physical_array(values, data_type)
    if kind is Kind.DECIMAL and data_type.precision <= 18:
        wide = np.empty((len(slots), 2), dtype="<i8")
        wide[:, 0] = slots
        wide[:, 1] = slots >> 63
        return fixed_array(wide.tobytes(), data_type, len(slots), nulls)
    if kind is Kind.DECIMAL:
        return fixed_array(slots.tobytes(), data_type, len(slots), nulls)
    return array_of_ints(slots, data_type, nulls)

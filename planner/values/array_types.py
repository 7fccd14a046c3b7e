"""Types of arrays of several dimensions.

PostgreSQL has one type for all numbers of dimensions. Here an array of two dimensions is an array
of arrays, so its type says how many there are; names of types in SQL do not.
"""

from __future__ import annotations

from stategate.stores.spec.schema import DataType, Kind


def depth_of(data_type: DataType | None) -> int:
    """Return the number of dimensions; 0 for types that are no arrays."""
    depth = 0
    while data_type is not None and data_type.kind is Kind.ARRAY:
        depth, data_type = depth + 1, data_type.element
    return depth


def leaf_of(data_type: DataType) -> DataType:
    """Return the type of the elements in the last dimension; for other types, the type itself."""
    while data_type.kind is Kind.ARRAY and data_type.element is not None:
        data_type = data_type.element
    return data_type


def array_of(leaf: DataType, depth: int) -> DataType:
    """Return the type of arrays of this many dimensions; 0 is the type of the elements."""
    for _ in range(depth):
        leaf = DataType(kind=Kind.ARRAY, element=leaf)
    return leaf


def reshaped(target: DataType, source: DataType | None) -> DataType:
    """Return the type of arrays that are cast: its elements are the target's, its depth stays."""
    depth = depth_of(source)
    is_plain = depth and target.kind is Kind.ARRAY and depth != depth_of(target)
    return array_of(leaf_of(target), depth) if is_plain else target

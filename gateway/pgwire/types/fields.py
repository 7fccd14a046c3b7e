"""Columns of fields: Arrow binary arrays whose values are the bytes of one field each.

This module, `scalar_columns` and `time_columns` work on whole columns by Arrow and numpy, mostly
without Python's lock. They make no Python object for a single value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Array: TypeAlias = "pa.Array[Any]"
Fields: TypeAlias = "pa.Array[Any]"
"""A column of type binary; NULL stays NULL."""
Bytes: TypeAlias = npt.NDArray[np.uint8]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]

_LINE_HEAD = np.dtype([("type", "u1"), ("size", ">i4")])


def valid(array: Array) -> Bools | None:
    """Return which values are not NULL; None if there is no NULL."""
    if not array.null_count:
        return None
    found: Bools = pc.is_valid(array).to_numpy(zero_copy_only=False)
    return found


def numbers(array: Array, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return the values of an array of fixed width, 0 for NULL.

    Args:
        array: an array of a type whose values are laid out as `dtype`.
        dtype: numpy's type.
    """
    if not len(array):
        return np.zeros(0, dtype)
    stored = np.frombuffer(array.buffers()[1], dtype)[array.offset : array.offset + len(array)]
    held = valid(array)
    if held is None:
        return stored
    kept = stored.copy()
    # The bytes of a NULL are arbitrary, and need not be a value of the type.
    kept[~held] = np.zeros(1, dtype)[0]
    return kept


def offsets_of(fields: Fields) -> npt.NDArray[np.int32]:
    """Return where each field begins in the array's bytes, and where the last one ends."""
    if not len(fields):
        return np.zeros(1, np.int32)
    stored = np.frombuffer(fields.buffers()[1], np.int32)
    return stored[fields.offset : fields.offset + len(fields) + 1]


def bytes_of(fields: Fields) -> Bytes:
    """Return all bytes of the fields, one after the other."""
    offsets = offsets_of(fields)
    held = fields.buffers()[2]
    if held is None or offsets[0] == offsets[-1]:
        return np.zeros(0, np.uint8)
    return np.frombuffer(held, np.uint8)[offsets[0] : offsets[-1]]


def lengths_of(fields: Fields) -> Ints:
    """Return the number of bytes of each field; -1 for NULL, as on the wire."""
    lengths: Ints = np.diff(offsets_of(fields)).astype(np.int64)
    held = valid(fields)
    if held is not None:
        lengths[~held] = -1
    return lengths


def fields_of(content: Bytes, lengths: npt.NDArray[Any], like: Array | None = None) -> Fields:
    """Return fields that lie one after the other.

    Args:
        content: their bytes.
        lengths: the length of each field; those of NULL count too.
        like: an array that is NULL where they are; None without NULLs.
    """
    offsets = np.zeros(len(lengths) + 1, np.int32)
    np.cumsum(lengths, out=offsets[1:])
    return _assemble(content, offsets, like)


def fixed(matrix: Bytes, like: Array | None = None) -> Fields:
    """Return fields of one length, which are the rows of a matrix; see `fields_of`."""
    rows, width = matrix.shape
    offsets = np.arange(rows + 1, dtype=np.int32) * np.int32(width)
    return _assemble(np.ascontiguousarray(matrix), offsets, like)


def ragged(matrix: Bytes, kept: Bools, like: Array | None = None) -> Fields:
    """Return fields from the bytes of each row that are kept; see `fields_of`."""
    return fields_of(matrix[kept], kept.sum(axis=1), like)


def _assemble(content: Bytes, offsets: npt.NDArray[np.int32], like: Array | None) -> Fields:
    bitmap = None
    if like is not None and like.null_count:
        bitmap = pc.is_valid(like).buffers()[1]
    buffers = [bitmap, pa.py_buffer(offsets), pa.py_buffer(content)]
    return pa.Array.from_buffers(pa.binary(), len(offsets) - 1, buffers)


def join(*parts: Fields | bytes) -> Fields:
    """Join the parts of each row; a NULL part is empty."""
    return pc.binary_join_element_wise(*parts, b"", null_handling="replace", null_replacement=b"")


def join_or_null(*parts: Fields | bytes) -> Fields:
    """Join the parts of each row; NULL if a part is NULL."""
    return pc.binary_join_element_wise(*parts, b"", null_handling="emit_null")


def content(fields: Fields) -> bytes:
    """Return all bytes of fields that have been joined."""
    return bytes_of(fields).tobytes()


def framed_rows(type_byte: int, columns: Sequence[Fields], rows: int) -> bytes:
    """Encode the messages of rows: DataRow, or CopyData in binary form, which is alike.

    Args:
        type_byte: the type byte of the message.
        columns: fields of each column.
        rows: how many rows there are, even if there are no columns.
    """
    lengths = [lengths_of(column) for column in columns]
    sizes = np.full(rows, 6 + 4 * len(columns), np.int64)
    for each in lengths:
        sizes += np.maximum(each, 0)
    stretch = _Stretch()
    stretch.add(np.full(rows, type_byte, np.uint8), "u1")
    stretch.add(sizes, ">i4")
    stretch.add(np.full(rows, len(columns)), ">u2")
    parts: list[Fields] = []
    for length, column in zip(lengths, columns, strict=True):
        stretch.add(length, ">i4")
        width = int(length[0]) if rows else -1
        if 0 < width <= _BESIDE_MAX and (length == width).all():
            # A column copied with its neighbours costs a third of a separate part.
            stretch.add(bytes_of(column).view(_WHOLE.get(width, f"V{width}")))
        else:
            parts += [stretch.fields(rows), column]
            stretch = _Stretch()
    if stretch.columns:
        parts.append(stretch.fields(rows))
    return content(parts[0] if len(parts) == 1 else join(*parts))


_BESIDE_MAX = 1024
"""Arrow copies longer fields, because it releases the interpreter and numpy does not."""
_WHOLE = {1: "u1", 2: "u2", 4: "u4", 8: "u8"}
"""Types of the widths that numpy copies in one go."""


class _Stretch:
    """The columns of fixed length between two of varying length."""

    __slots__ = ("columns",)

    def __init__(self) -> None:
        self.columns: list[tuple[npt.NDArray[Any], npt.DTypeLike]] = []

    def add(self, values: npt.NDArray[Any], dtype: npt.DTypeLike | None = None) -> None:
        """Add a value for each row, in its own layout or in that of the type given."""
        self.columns.append((values, values.dtype if dtype is None else dtype))

    def fields(self, rows: int) -> Fields:
        """Return all columns as one field for each row."""
        layout = np.dtype([(f"{at}", dtype) for at, (_, dtype) in enumerate(self.columns)])
        made = np.empty(rows, layout)
        for at, (values, _) in enumerate(self.columns):
            made[f"{at}"] = values
        return fixed(made.view(np.uint8).reshape(rows, layout.itemsize))


def framed_lines(type_byte: int, parts: Sequence[Fields | bytes], rows: int) -> bytes:
    """Encode the messages of rows whose parts follow each other without lengths.

    Args:
        type_byte: the type byte of the message.
        parts: fields, and bytes that are the same in all rows; a NULL part is empty.
        rows: how many rows there are.
    """
    sizes = np.full(rows, 4, np.int64)
    for part in parts:
        sizes += len(part) if isinstance(part, bytes) else np.maximum(lengths_of(part), 0)
    heads = np.empty(rows, _LINE_HEAD)
    heads["type"], heads["size"] = type_byte, sizes
    return content(join(fixed(heads.view(np.uint8).reshape(rows, _LINE_HEAD.itemsize)), *parts))


def printed(array: Array) -> Fields:
    """Return the text that Arrow prints; for integers it is that of PostgreSQL."""
    return array.cast(pa.string()).cast(pa.binary())


def replaced(
    fields: Fields, odd: Bools, values: list[Any], encode: Callable[[Any], bytes]
) -> Fields:
    """Replace the fields of odd values, which are encoded one by one.

    Args:
        fields: the fields of all values.
        odd: True for the fields to replace.
        values: the odd values, in their order; repeated values cost nothing.
        encode: encodes one value.
    """
    made: dict[Any, bytes] = {}
    encoded = []
    for value in values:
        found = made.get(value)
        if found is None:
            found = made[value] = encode(value)
        encoded.append(found)
    return pc.replace_with_mask(fields, pa.array(odd), pa.array(encoded, pa.binary()))

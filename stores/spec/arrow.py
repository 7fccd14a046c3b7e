"""Conversions between Arrow columns and physical values, always of whole columns.

`stategate.stores.spec.datatypes` has the table of physical values.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from stategate.stores.errors import CodecError
from stategate.stores.spec.schema import DataType, Kind, Value

Ints: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]
Convert: TypeAlias = Callable[[pa.Array, DataType], pa.Array]

COLUMN_BYTES_MAX = (1 << 31) - 1
"""Maximum bytes of an Arrow column, whose offsets have 4 bytes."""
_BEHIND = COLUMN_BYTES_MAX
"""An index after the end of every value."""
_NESTED = {Kind.ARRAY, Kind.STRUCT, Kind.MAP}


def physical_list(array: pa.Array | pa.ChunkedArray, data_type: DataType) -> list[Value]:
    """Return a column as physical values; `array` has the Arrow type of `data_type`."""
    if data_type.kind in _NESTED and not _is_plain(data_type):
        chunks = array.chunks if isinstance(array, pa.ChunkedArray) else [array]
        return [value for chunk in chunks for value in _nested_list(chunk, data_type)]
    unit = data_type.kind.record.count
    if unit is not None:
        # A view of a short column takes a quarter of the time of a cast.
        is_chunked = isinstance(array, pa.ChunkedArray)
        listed: list[Value] = (array.cast(unit) if is_chunked else array.view(unit)).to_pylist()
        return listed
    values: list[Value] = array.to_pylist()
    convert = data_type.kind.record.from_arrow
    return values if convert is None else [None if v is None else convert(v) for v in values]


def _nested_list(array: pa.Array, data_type: DataType) -> list[Value]:
    """Convert nested values by inner columns, which is faster than value by value."""
    if data_type.kind is Kind.STRUCT:
        names = [name for name, _ in data_type.fields]
        columns = [
            physical_list(child, inner)
            for child, (_, inner) in zip(child_arrays(array), data_type.fields, strict=True)
        ]
        rows = zip(*columns, strict=True) if columns else [()] * len(array)
        found: list[Value] = [dict(zip(names, row, strict=True)) for row in rows]
    else:
        assert data_type.element is not None, "an array and a map have an element type"
        offsets, children = list_parts(array)
        types = [*(inner for _, inner in data_type.fields), data_type.element]
        lists = [physical_list(child, t) for child, t in zip(children, types, strict=True)]
        values = lists[0] if len(lists) == 1 else list(zip(*lists, strict=True))
        cuts = offsets.tolist()
        found = [values[start:end] for start, end in itertools.pairwise(cuts)]
    if not array.null_count:
        return found
    present = array.is_valid().to_pylist()
    return [value if there else None for value, there in zip(found, present, strict=True)]


def physical_array(values: Sequence[Value], data_type: DataType) -> pa.Array:
    """Return physical values as a column of the type."""
    unit = data_type.kind.record.count
    if unit is not None:
        return pa.array(values, type=unit).view(data_type.arrow)
    if _is_converted(data_type):
        return pa.array([_to_arrow(value, data_type) for value in values], type=data_type.arrow)
    return pa.array(values, type=data_type.arrow)


def _to_arrow(value: Value, data_type: DataType) -> Value:
    if value is None:
        return None
    match data_type.kind:
        case Kind.ARRAY:
            assert data_type.element is not None, "an array has an element type"
            return [_to_arrow(each, data_type.element) for each in value]
        case Kind.MAP:
            assert data_type.element is not None, "a map has a value type"
            key = data_type.fields[0][1]
            return [(_to_arrow(k, key), _to_arrow(v, data_type.element)) for k, v in value]
        case Kind.STRUCT:
            return {name: _to_arrow(value.get(name), inner) for name, inner in data_type.fields}
        case kind:
            convert = kind.record.to_arrow
            return value if convert is None else convert(value)


def _inner_types(data_type: DataType) -> list[DataType]:
    inner = [each for _, each in data_type.fields]
    return inner if data_type.element is None else [*inner, data_type.element]


@lru_cache(maxsize=1024)
def _is_plain(data_type: DataType) -> bool:
    """Whether Arrow's Python values of the type are physical values."""
    if data_type.kind in _NESTED:
        return bool(_inner_types(data_type)) and all(map(_is_plain, _inner_types(data_type)))
    return data_type.kind.record.count is None and data_type.kind.record.from_arrow is None


@lru_cache(maxsize=1024)
def _is_converted(data_type: DataType) -> bool:
    """Whether Arrow does not take physical values of the type, or of one in it, as they are."""
    return data_type.kind.record.to_arrow is not None or any(
        map(_is_converted, _inner_types(data_type))
    )


def child_arrays(array: pa.Array) -> list[pa.Array]:
    """Return the fields of a column of structs, NULL where the struct is NULL."""
    fields: list[pa.Array] = array.flatten()
    return fields


def list_parts(array: pa.Array) -> tuple[Ints, tuple[pa.Array, ...]]:
    """Return a column of arrays or maps as offsets that begin with 0, and the inner columns.

    Returns:
        One offset more than rows; then the elements, or the keys and the values of a map, without
        the elements under a NULL.
    """
    is_map = pa.types.is_map(array.type)
    children = (array.keys, array.items) if is_map else (array.values,)
    offsets = _offsets(array)
    lengths = np.diff(offsets)
    if array.null_count:
        lengths[array.is_null().to_numpy(zero_copy_only=False)] = 0
    kept = np.zeros(len(offsets), dtype=np.int64)
    np.cumsum(lengths, out=kept[1:])
    if kept[-1] == offsets[-1] - offsets[0]:
        return kept, tuple(child.slice(int(offsets[0]), int(kept[-1])) for child in children)
    picked = pa.array(np.repeat(offsets[:-1] - kept[:-1], lengths) + np.arange(kept[-1]))
    return kept, tuple(child.take(picked) for child in children)


def rebuilt(
    array: pa.Array, data_type: DataType, wanted: pa.DataType, convert: Convert
) -> pa.Array:
    """Return a nested column with its inner columns converted.

    Args:
        array: a column of arrays, structs or maps.
        data_type: its type.
        wanted: the Arrow type of the result.
        convert: converts an inner column, of this type.
    """
    nulls = array.is_null().to_numpy(zero_copy_only=False) if array.null_count else None
    inner = [each for _, each in data_type.fields]
    if data_type.kind is Kind.STRUCT:
        children = [
            convert(child, each) for child, each in zip(child_arrays(array), inner, strict=True)
        ]
        return pa.Array.from_buffers(wanted, len(array), [validity(nulls)], children=children)
    assert data_type.element is not None, "an array and a map have an element type"
    offsets, parts = list_parts(array)
    children = [
        convert(part, each) for part, each in zip(parts, [*inner, data_type.element], strict=True)
    ]
    if data_type.kind is Kind.MAP:
        entries = pa.struct([wanted.key_field, wanted.item_field])
        pairs = pa.Array.from_buffers(entries, len(children[0]), [None], children=children)
        children = [pairs]
    buffers = [validity(nulls), pa.py_buffer(offsets.astype(np.int32))]
    return pa.Array.from_buffers(wanted, len(array), buffers, children=children)


def binary_parts(array: pa.Array) -> tuple[Ints, pa.Buffer]:
    """Return a column of text or bytes as offsets that begin with 0, and the bytes."""
    offsets = _offsets(array)
    data = array.buffers()[2]
    first, last = int(offsets[0]), int(offsets[-1])
    return offsets - first, pa.py_buffer(b"") if data is None else data.slice(first, last - first)


def fixed_binary(values: np.ndarray[Any, Any]) -> pa.Array:
    """Return items of any fixed width as a column of binary."""
    cuts = np.arange(len(values) + 1, dtype=np.int64) * values.dtype.itemsize
    return binary_array(values, cuts)


def binary_array(
    values: np.ndarray[Any, Any] | pa.Buffer, offsets: np.ndarray[Any, Any]
) -> pa.Array:
    """Return bytes, cut at `offsets`, as a column of binary.

    Raises:
        CodecError: there are more bytes than a column can hold.
    """
    if offsets[-1] > COLUMN_BYTES_MAX:
        raise CodecError(f"a column of a batch exceeds {COLUMN_BYTES_MAX} bytes")
    raw = values if isinstance(values, pa.Buffer) else pa.py_buffer(np.ascontiguousarray(values))
    cut = pa.py_buffer(offsets.astype(np.int32))
    return pa.Array.from_buffers(pa.binary(), len(offsets) - 1, [None, cut, raw])


def joined_bytes(pieces: Sequence[Any]) -> list[bytes]:
    """Join columns of binary without NULLs, and constants, to the bytes of each row.

    Arrow does all but the last pass, which makes Python values. Joining value by value, in Python
    or by Arrow's own join, takes two to four times as long.
    """
    size = sum(piece.nbytes for piece in pieces if isinstance(piece, pa.Array))
    columns = [piece for piece in pieces if isinstance(piece, pa.Array)]
    rows = len(columns[0])
    singles = sum(len(piece) for piece in pieces if isinstance(piece, bytes))
    if size + rows * singles > COLUMN_BYTES_MAX and rows > 1:
        halves = (slice(None, rows // 2), slice(rows // 2, None))
        return [
            row
            for half in halves
            for row in joined_bytes([p[half] if isinstance(p, pa.Array) else p for p in pieces])
        ]
    objects: list[bytes] = _joined(_widened(pieces)).to_numpy(zero_copy_only=False).tolist()
    return objects


def _joined(columns: Sequence[Any]) -> Any:
    """Join the values of each row: interleave all columns, then cut at the rows only."""
    count, rows = len(columns), len(columns[0])
    if count == 1 or not rows:
        return columns[0]
    places = np.arange(rows * count, dtype=np.int32).reshape(count, rows).T.reshape(-1)
    values = pa.concat_arrays(columns).take(pa.array(places))
    _, offsets, data = values.buffers()
    cuts = np.frombuffer(offsets, dtype=np.int32)[: rows * count + 1 : count]
    return pa.Array.from_buffers(pa.binary(), rows, [None, pa.py_buffer(cuts.copy()), data])


def _widened(pieces: Sequence[Any]) -> list[Any]:
    """Return the columns with the constants appended to those before them."""
    columns: list[Any] = []
    before = b""
    for piece in pieces:
        if not isinstance(piece, bytes):
            columns.append(pc.binary_replace_slice(piece, 0, 0, before) if before else piece)
            before = b""
        elif columns:
            columns[-1] = pc.binary_replace_slice(columns[-1], _BEHIND, _BEHIND, piece)
        else:
            before += piece
    return columns


def _offsets(array: pa.Array) -> Ints:
    wide = pa.types.is_large_list(array.type)
    buffer = array.buffers()[1]
    if buffer is None or not buffer.size:
        return np.zeros(1, dtype=np.int64)
    every = np.frombuffer(buffer, dtype=np.int64 if wide else np.int32)
    return every[array.offset : array.offset + len(array) + 1].astype(np.int64)


def int64_values(array: pa.Array) -> Ints:
    """Return a column of integers, booleans, dates or timestamps as integers; NULLs become 0."""
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
    """Return a column of integers, booleans, dates or timestamps from its integers.

    Args:
        values: any integer type, one a row.
        data_type: the column's type.
        nulls: True where the row is NULL; None if no row is.
    """
    kind = data_type.kind
    if kind is Kind.BOOLEAN:
        return pa.array(values.astype(np.bool_), mask=nulls)
    plain = pa.array(np.ascontiguousarray(values), mask=nulls)
    if (unit := kind.record.count) is not None:
        return plain.cast(unit).cast(data_type.arrow)
    return plain.cast(data_type.arrow)


def unscaled_ints(array: pa.Array) -> list[int]:
    """Return the unscaled integers of a decimal column; NULLs become 0."""
    if not len(array):
        return []  # an empty column may lack its buffer
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
    """Return a decimal column from unscaled integers."""
    raw = b"".join([value.to_bytes(16, "little", signed=True) for value in unscaled])
    return fixed_array(raw, data_type, len(unscaled), nulls)


def fixed_array(
    raw: bytes, data_type: DataType, rows: int, nulls: np.ndarray[Any, Any] | None = None
) -> pa.Array:
    """Return a column from its Arrow buffer `raw`, little-endian values of fixed width."""
    return pa.Array.from_buffers(
        data_type.arrow, rows, [validity(nulls), pa.py_buffer(raw)], null_count=-1
    )


def validity(nulls: np.ndarray[Any, Any] | None) -> pa.Buffer | None:
    """Return Arrow's validity bitmap; None if no row is NULL."""
    if nulls is None or not nulls.any():
        return None
    return pa.py_buffer(np.packbits(~nulls.astype(np.bool_), bitorder="little"))


def decimal_of(unscaled: int, scale: int) -> Decimal:
    """Return the decimal of an unscaled integer, exact at any precision of the context."""
    digits = tuple(map(int, str(abs(unscaled))))
    return Decimal((1 if unscaled < 0 else 0, digits, -scale))

"""Encodes and decodes arrays, structs and maps of any depth: one value, or a column by numpy.

A nested value is a *run* of one value. A run of n values of a type is a small column:

| part | bytes |
|---|---|
| mark | 00 if no value of the run is NULL, otherwise 01 and a byte for each value, 01 where NULL |
| scalars of fixed width | n slots, as in rows |
| text, bytea, json, uuid, macaddr | where each ends, 4 bytes, from the first; their bytes |
| array | where each ends, 4 bytes, counted in elements; then the run of all elements |
| map | where each ends, as an array; then the run of all keys and the run of all values |
| struct | a run for each field |

A run itself shows where it ends. The runs of a column are cut from few Arrow buffers and joined by
row, without Python code for each row or element. A NULL has zeros and no varying bytes.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from stategate.stores.codec.scalars import (
    TEXTUAL,
    slot_array,
    slot_decoder,
    slot_dtype,
    slot_format,
    slot_values,
)
from stategate.stores.errors import CodecError
from stategate.stores.spec.arrow import (
    COLUMN_BYTES_MAX,
    binary_array,
    binary_parts,
    child_arrays,
    list_parts,
    validity,
)
from stategate.stores.spec.schema import DataType, Kind, Value

_Numbers: TypeAlias = np.ndarray[Any, Any]
_Read: TypeAlias = Callable[[bytes, int, int], tuple[list[Value], int]]
"""Reads a run from bytes, its start and its number of values: returns the values and its end."""

# --- one value ------------------------------------------------------------------------------------


def value_decoder(data_type: DataType) -> Callable[[bytes], Value]:
    """Return the function from the bytes of one value to the physical value; no bytes are NULL.

    Raises:
        SchemaError: the type has a part that rows cannot hold.
    """
    read = _reader(data_type)

    def decode(encoded: bytes) -> Value:
        if not encoded:
            return None
        try:
            values, end = read(encoded, 0, 1)
        except (IndexError, ValueError, struct.error) as error:
            raise CodecError(f"{len(encoded)} bytes are not of type {data_type}") from error
        if end != len(encoded):
            raise CodecError(f"{len(encoded)} bytes are not of type {data_type}")
        return values[0]

    return decode


def _reader(data_type: DataType) -> _Read:
    """Return a reader of runs of a type, which looks up the type only once."""
    body = _body_reader(data_type)

    def read(raw: bytes, at: int, count: int) -> tuple[list[Value], int]:
        if raw[at] == 0:
            return body(raw, at + 1, count)
        begin = at + 1 + count
        values, end = body(raw, begin, count)
        flags = raw[at + 1 : begin]
        return [None if null else v for v, null in zip(values, flags, strict=True)], end

    return read


def _body_reader(data_type: DataType) -> _Read:
    match data_type.kind:
        case Kind.ARRAY:
            assert data_type.element is not None, "an array has an element type"
            return _cut_by_ends(_reader(data_type.element))
        case Kind.MAP:
            assert data_type.element is not None, "a map has a value type"
            return _cut_by_ends(
                _pairs_reader(_reader(data_type.fields[0][1]), _reader(data_type.element))
            )
        case Kind.STRUCT:
            return _struct_reader(data_type)
        case kind if kind in TEXTUAL:
            return _bytes_reader(is_text=kind is not Kind.BYTEA)
    return _slots_reader(data_type)


def _slots_reader(data_type: DataType) -> _Read:
    form, finish = slot_format(data_type), slot_decoder(data_type)
    # Repeated, because "4d" is four numbers, but "4" before "16s" is one string of 416 bytes.
    is_string = form.endswith("s")
    width = struct.calcsize(f"<{form}")

    def read(raw: bytes, at: int, count: int) -> tuple[list[Value], int]:
        if is_string:
            slots: list[Value] = [raw[i : i + width] for i in range(at, at + count * width, width)]
        else:
            slots = list(struct.unpack_from(f"<{count}{form}", raw, at))
        return slots if finish is None else list(map(finish, slots)), at + count * width

    return read


def _ends(raw: bytes, at: int, count: int) -> tuple[int, ...]:
    return struct.unpack_from(f"<{count}I", raw, at)


def _bytes_reader(*, is_text: bool) -> _Read:
    def read(raw: bytes, at: int, count: int) -> tuple[list[Value], int]:
        first = at + 4 * count
        start, values = first, []
        for end in _ends(raw, at, count):
            part = raw[start : first + end]
            values.append(part.decode() if is_text else part)
            start = first + end
        return values, start

    return read


def _cut_by_ends(read_inner: _Read) -> _Read:
    def read(raw: bytes, at: int, count: int) -> tuple[list[Value], int]:
        ends = _ends(raw, at, count)
        inner, after = read_inner(raw, at + 4 * count, ends[-1] if ends else 0)
        return [inner[start:end] for start, end in itertools.pairwise((0, *ends))], after

    return read


def _pairs_reader(read_keys: _Read, read_items: _Read) -> _Read:
    def read(raw: bytes, at: int, count: int) -> tuple[list[Value], int]:
        keys, at = read_keys(raw, at, count)
        items, at = read_items(raw, at, count)
        return list(zip(keys, items, strict=True)), at

    return read


def _struct_reader(data_type: DataType) -> _Read:
    names = [name for name, _ in data_type.fields]
    readers = [_reader(inner) for _, inner in data_type.fields]

    def read(raw: bytes, at: int, count: int) -> tuple[list[Value], int]:
        columns = []
        for reader in readers:
            values, at = reader(raw, at, count)
            columns.append(values)
        rows = zip(*columns, strict=True) if columns else ((),) * count
        return [dict(zip(names, row, strict=True)) for row in rows], at

    return read


# --- a column to bytes ----------------------------------------------------------------------------


def encode_nested(array: pa.Array, data_type: DataType) -> pa.Array:
    """Encode each value of a column, as a column of binary; NULL has no bytes.

    Args:
        array: a column of the type's Arrow type.
        data_type: an array, a struct or a map.

    Raises:
        CodecError: the rows have more bytes than a column can hold.
    """
    pieces: list[pa.Array] = []
    _cut_run(array, data_type, np.arange(len(array) + 1, dtype=np.int64), pieces)
    if sum(piece.nbytes for piece in pieces) > COLUMN_BYTES_MAX:
        raise _too_large()
    joined = pc.binary_join_element_wise(*pieces, b"")
    if not array.null_count:
        return joined
    return pc.if_else(array.is_valid(), joined, pa.scalar(b"", pa.binary()))


def _cut_run(array: pa.Array, data_type: DataType, cuts: _Numbers, pieces: list[pa.Array]) -> None:
    """Cut a column at `cuts` into one run per row, each as pieces to be joined."""
    _cut_mark(array, cuts, pieces)
    kind = data_type.kind
    if kind in {Kind.ARRAY, Kind.MAP}:
        _cut_lists(array, data_type, cuts, pieces)
    elif kind is Kind.STRUCT:
        for child, (_, inner) in zip(child_arrays(array), data_type.fields, strict=True):
            _cut_run(child, inner, cuts, pieces)
    elif kind in TEXTUAL:
        raws = array.cast(pa.binary())
        offsets, data = binary_parts(raws if not array.null_count else raws.fill_null(b""))
        pieces.append(binary_array(_ends_of(offsets, cuts), cuts * 4))
        pieces.append(binary_array(data, offsets[cuts]))
    else:
        slots = slot_values(array, data_type).astype(slot_dtype(data_type), copy=False)
        pieces.append(binary_array(slots, cuts * slots.dtype.itemsize))


def _cut_mark(array: pa.Array, cuts: _Numbers, pieces: list[pa.Array]) -> None:
    if not array.null_count:
        pieces.append(binary_array(np.zeros(len(cuts) - 1, np.uint8), np.arange(len(cuts))))
        return
    nulls = array.is_null().to_numpy(zero_copy_only=False)
    before = _summed(nulls)
    marked = before[cuts[1:]] > before[cuts[:-1]]
    lengths = np.diff(cuts)
    pieces.append(binary_array(marked.astype(np.uint8), np.arange(len(cuts))))
    flags = nulls[cuts[0] : cuts[-1]][np.repeat(marked, lengths)].astype(np.uint8)
    pieces.append(binary_array(flags, _summed(np.where(marked, lengths, 0))))


def _cut_lists(
    array: pa.Array, data_type: DataType, cuts: _Numbers, pieces: list[pa.Array]
) -> None:
    assert data_type.element is not None, "an array and a map have an element type"
    offsets, children = list_parts(array)
    pieces.append(binary_array(_ends_of(offsets, cuts), cuts * 4))
    inner = [each for _, each in data_type.fields] + [data_type.element]
    for child, child_type in zip(children, inner, strict=True):
        _cut_run(child, child_type, offsets[cuts], pieces)


def _ends_of(offsets: _Numbers, cuts: _Numbers) -> _Numbers:
    """Return where each value ends, counted from the first value of its row."""
    ends: _Numbers = offsets[1:] - np.repeat(offsets[cuts[:-1]], np.diff(cuts))
    return ends.astype("<u4")


def _summed(lengths: _Numbers) -> _Numbers:
    sums = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=sums[1:])
    return sums


def _too_large() -> CodecError:
    return CodecError(f"a column of a batch exceeds {COLUMN_BYTES_MAX} bytes")


# --- bytes to a column ----------------------------------------------------------------------------


def decode_nested(encoded: pa.Array, data_type: DataType) -> pa.Array:
    """Decode the column of binary that `encode_nested` returned.

    Raises:
        CodecError: the bytes are not values of the type.
    """
    valid = encoded.drop_null() if encoded.null_count else encoded
    offsets, data = binary_parts(valid)
    source = np.frombuffer(data, dtype=np.uint8)
    try:
        found, ends = _Columns(source).run(data_type, offsets[:-1], np.ones(len(valid), np.int64))
        whole = bool(np.array_equal(ends, offsets[1:]))
    except (IndexError, ValueError) as error:
        raise CodecError(f"the bytes of a column are not of type {data_type}") from error
    if not whole:
        raise CodecError(f"the bytes of a column are not of type {data_type}")
    if not encoded.null_count:
        return found
    present = encoded.is_valid().to_numpy(zero_copy_only=False)
    return found.take(pa.array(np.cumsum(present) - 1, mask=~present))


class _Columns:
    """Reads the runs of all rows of a column at once from their shared bytes."""

    def __init__(self, source: _Numbers) -> None:
        self._source = source

    def run(self, data_type: DataType, at: _Numbers, counts: _Numbers) -> tuple[pa.Array, _Numbers]:
        """Return the values of runs as one column, and where each run ends.

        Args:
            data_type: the type of the values.
            at: where each row's run begins.
            counts: how many values each run has.
        """
        nulls, at = self._mark(at, counts)
        kind = data_type.kind
        if kind in {Kind.ARRAY, Kind.MAP}:
            return self._lists(data_type, at, counts, nulls)
        if kind is Kind.STRUCT:
            return self._structs(data_type, at, counts, nulls)
        if kind in TEXTUAL:
            return self._texts(data_type, at, counts, nulls)
        slots = self._gather(at, counts, slot_dtype(data_type))
        return slot_array(slots, data_type, nulls), at + counts * slots.dtype.itemsize

    def _mark(self, at: _Numbers, counts: _Numbers) -> tuple[_Numbers | None, _Numbers]:
        marked = self._source[at] != 0
        if not marked.any():
            return None, at + 1
        flagged = np.where(marked, counts, 0)
        nulls = np.zeros(int(counts.sum()), dtype=np.bool_)
        flags = self._gather(at + 1, flagged, np.dtype(np.uint8))
        nulls[np.repeat(marked, counts)] = flags != 0
        return nulls, at + 1 + flagged

    def _gather(self, at: _Numbers, counts: _Numbers, dtype: np.dtype[Any]) -> _Numbers:
        """Return the given number of values from each row's place on, in one array."""
        width = dtype.itemsize
        room = max(0, len(self._source) - width + 1)
        # An item begins at every byte, so numpy copies whole items from any place.
        items: _Numbers = np.ndarray((room,), dtype, self._source, strides=(1,))
        ends = np.cumsum(counts)
        places = np.repeat(at - (ends - counts) * width, counts)
        places += np.arange(len(places)) * width
        found: _Numbers = items[places]
        return found

    def _ends(self, at: _Numbers, counts: _Numbers) -> tuple[_Numbers, _Numbers, _Numbers]:
        """Return offsets over all values, the size of each row, and where its ends' bytes end."""
        ends = self._gather(at, counts, np.dtype("<u4")).astype(np.int64)
        cuts = _summed(counts)
        before = np.concatenate(([0], ends))[:-1]
        before[cuts[:-1][counts > 0]] = 0
        lengths = ends - before
        if (lengths < 0).any():
            raise ValueError
        offsets = _summed(lengths)
        if offsets[-1] > COLUMN_BYTES_MAX:
            raise _too_large()
        return offsets, offsets[cuts[1:]] - offsets[cuts[:-1]], at + 4 * counts

    def _texts(
        self, data_type: DataType, at: _Numbers, counts: _Numbers, nulls: _Numbers | None
    ) -> tuple[pa.Array, _Numbers]:
        offsets, totals, at = self._ends(at, counts)
        data = self._gather(at, totals, np.dtype(np.uint8))
        buffers = [validity(nulls), pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(data)]
        found = pa.Array.from_buffers(data_type.arrow, len(offsets) - 1, buffers)
        return found, at + totals

    def _lists(
        self, data_type: DataType, at: _Numbers, counts: _Numbers, nulls: _Numbers | None
    ) -> tuple[pa.Array, _Numbers]:
        assert data_type.element is not None, "an array and a map have an element type"
        offsets, totals, at = self._ends(at, counts)
        children = []
        for inner in [*(each for _, each in data_type.fields), data_type.element]:
            child, at = self.run(inner, at, totals)
            children.append(child)
        arrow = data_type.arrow
        if data_type.kind is Kind.MAP:
            entries = pa.struct([arrow.key_field, arrow.item_field])
            pairs = pa.Array.from_buffers(entries, len(children[0]), [None], children=children)
            children = [pairs]
        buffers = [validity(nulls), pa.py_buffer(offsets.astype(np.int32))]
        rows = len(offsets) - 1
        return pa.Array.from_buffers(arrow, rows, buffers, children=children), at

    def _structs(
        self, data_type: DataType, at: _Numbers, counts: _Numbers, nulls: _Numbers | None
    ) -> tuple[pa.Array, _Numbers]:
        children = []
        for _, inner in data_type.fields:
            child, at = self.run(inner, at, counts)
            children.append(child)
        rows = int(counts.sum())
        found = pa.Array.from_buffers(data_type.arrow, rows, [validity(nulls)], children=children)
        return found, at

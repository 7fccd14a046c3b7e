"""Encodes and decodes rows: one row in one or two microseconds, batches by numpy.

A row is a header (epoch and event time, 8 bytes each), a bitmap of NULLs, one fixed slot per
column, and the bytes of the columns of varying length. Integers are little-endian.

| type | slot |
|---|---|
| boolean, integers, real, double, date, time, timestamps | the value, 1 to 8 bytes |
| decimal(p≤18); decimal(p>18) | unscaled integer in 8; in 16 bytes |
| interval | months and days in 4 bytes each, microseconds in 8 |
| text, bytea, json, uuid, macaddr | 4 bytes: where the column ends, from the end of the slots |
| arrays, structs, maps | the same; `stategate.stores.codec.nested` describes the bytes |

The slot of NULL is zero, and its varying bytes are empty.
"""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from stategate.stores.codec.nested import decode_nested, encode_nested, value_decoder
from stategate.stores.codec.scalars import (
    NESTED,
    TEXTUAL,
    slot_array,
    slot_decoder,
    slot_dtype,
    slot_format,
    slot_values,
)
from stategate.stores.codec.segments import FIRST_WHOLE_MS
from stategate.stores.errors import CodecError
from stategate.stores.spec.arrow import (
    COLUMN_BYTES_MAX,
    array_of_ints,
    binary_parts,
    fixed_binary,
    int64_values,
    joined_bytes,
    validity,
)
from stategate.stores.spec.schema import TIMESTAMPTZ, Column, DataType, Kind, Row, Value


def row_getter(places: Sequence[int]) -> Callable[[Row], Row]:
    """Return a function that takes the values at these places out of a row."""
    if not places:
        return lambda row: ()
    first = places[0]
    if list(places) == list(range(first, first + len(places))):
        return operator.itemgetter(slice(first, first + len(places)))
    return operator.itemgetter(*places)


NO_TIME = -(1 << 63)
"""The event time of a row without one."""

CODECS_MAX = 256
"""Number of combinations of columns whose codecs are kept."""
_VARYING = TEXTUAL | NESTED
_HEADER = struct.Struct("<qq")
_ROW_BYTES_MAX = 1 << 30
"""Far below the limit of a slot's 4 bytes; a larger row is a mistake."""

_SLICE_END = COLUMN_BYTES_MAX
"""The end that each slice gets: Arrow 26 fails on one without an end that begins after byte 0."""

_Records: TypeAlias = np.ndarray[Any, np.dtype[np.void]]


class WrittenOut(NamedTuple):
    """Code for `row`, the bytes of a row."""

    slots: list[str]
    """The variables for the values of `unpack`: bytes of the bitmap of NULLs, and slots."""
    condition: str
    """Whether none of the columns is NULL."""
    values: list[str]
    """An expression for each column that is not NULL."""
    checked: list[str]
    """An expression for each column."""
    names: dict[str, Any]
    """The objects that the code refers to."""


@lru_cache(CODECS_MAX)
def row_codec(columns: tuple[Column, ...]) -> RowCodec:
    """Return the codec for rows of these columns; the partitions of a store share it.

    Raises:
        SchemaError: a column has a type that rows cannot hold.
    """
    return RowCodec(columns)


class RowCodec:
    """Encodes and decodes rows of these value columns; built once per store.

    Raises:
        SchemaError: a column has a type that rows cannot hold.
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = tuple(columns)
        kinds = [column.type.kind for column in columns]
        slots = ["I" if c.type.kind in _VARYING else slot_format(c.type) for c in columns]
        self._slots = slots
        types = ["<u4" if c.type.kind in _VARYING else slot_dtype(c.type) for c in columns]
        self._null_bytes = (len(columns) + 7) // 8
        # Only the slots are unpacked: the header before them is rarely needed.
        values = struct.Struct(f"<{_HEADER.size + self._null_bytes}x" + "".join(slots))
        self._fixed_bytes, self._unpack = values.size, values.unpack_from
        self._no_nulls = bytes(self._null_bytes)
        self._nulls_at = slice(_HEADER.size, _HEADER.size + self._null_bytes)
        self._record = np.dtype(
            [("epoch", "<i8"), ("time", "<i8"), ("nulls", "u1", (self._null_bytes,))]
            + [(f"c{i}", dtype) for i, dtype in enumerate(types)]
        )
        self._varying = [i for i, kind in enumerate(kinds) if kind in _VARYING]
        self._finish = [(i, _from_bytes(columns[i].type)) for i in self._varying]
        decoders = [None if c.type.kind in _VARYING else slot_decoder(c.type) for c in columns]
        self._special = [(i, decoder) for i, decoder in enumerate(decoders) if decoder]
        self._is_plain = not self._finish and not self._special

    def decode(self, encoded: bytes) -> Row:
        """Decode a row to one value per column.

        Raises:
            CodecError: the bytes are not a row of these columns.
        """
        try:
            slots = self._unpack(encoded)
        except struct.error as error:
            raise CodecError(f"a row of {len(encoded)} bytes is too short") from error
        has_nulls = encoded[self._nulls_at] != self._no_nulls
        if self._is_plain and not has_nulls:
            return slots
        values = list(slots)
        start = begin = self._fixed_bytes
        for i, finish in self._finish:
            end = begin + values[i]
            values[i] = finish(encoded[start:end])
            start = end
        for i, decode_slot in self._special:
            values[i] = decode_slot(values[i])
        if has_nulls:
            nulls = encoded[self._nulls_at]
            for i in range(len(values)):
                if nulls[i >> 3] >> (i & 7) & 1:
                    values[i] = None
        return tuple(values)

    def written_out(self, places: Sequence[int]) -> WrittenOut:
        """Return the code that decodes the columns at these places, at least one, if not NULL."""
        begin = self._fixed_bytes
        finishes, special = dict(self._finish), dict(self._special)
        before = dict(zip(self._varying[1:], self._varying, strict=False))
        needed = {*places, *(before[i] for i in places if i in before)}
        masks: dict[int, int] = {}
        for i in places:
            masks[i >> 3] = masks.get(i >> 3, 0) | 1 << (i & 7)
        names: dict[str, Any] = {"unpack": self._unpacker(masks, needed)}
        values: list[str] = []
        for i in places:
            text = f"slot{i}"
            if i in finishes:
                start = begin if i not in before else f"{begin} + slot{before[i]}"
                text = f"row[{start} : {begin} + slot{i}]"
                if finishes[i] is bytes.decode:
                    text += ".decode()"
                elif finishes[i] is not bytes:
                    names[f"finish{i}"], text = finishes[i], f"finish{i}({text})"
            elif i in special:
                names[f"decode_slot{i}"], text = special[i], f"decode_slot{i}({text})"
            values.append(text)
        nulls = " or ".join(f"nulls{at} & {mask}" for at, mask in sorted(masks.items()))
        return WrittenOut(
            slots=[f"nulls{at}" for at in sorted(masks)] + [f"slot{i}" for i in sorted(needed)],
            condition=f"not ({nulls})",
            values=values,
            checked=[
                f"None if nulls{i >> 3} & {1 << (i & 7)} else {value}"
                for i, value in zip(places, values, strict=True)
            ],
            names=names,
        )

    def _unpacker(
        self, nulls: Collection[int], needed: Collection[int]
    ) -> Callable[[bytes], tuple[Any, ...]]:
        """Return the function that takes these bytes of the bitmap, and slots, out of a row."""
        form = f"<{_HEADER.size}x"
        form += "".join("B" if at in nulls else "x" for at in range(self._null_bytes))
        for i, slot in enumerate(self._slots):
            form += slot if i in needed else f"{struct.calcsize('<' + slot)}x"
        return struct.Struct(form).unpack_from

    @staticmethod
    def header(encoded: bytes) -> tuple[int, int | None]:
        """Return the epoch that wrote the row, and its event time in epoch milliseconds."""
        epoch, time_ms = _HEADER.unpack_from(encoded)
        return epoch, None if time_ms == NO_TIME else time_ms

    @staticmethod
    def event_time_ms(encoded: bytes) -> int:
        """Return the row's event time in epoch milliseconds; NO_TIME without one."""
        time_ms: int = _HEADER.unpack_from(encoded)[1]
        return time_ms

    def encode_columns(
        self, arrays: Sequence[pa.Array], *, epoch: int, times: pa.Array | None
    ) -> list[bytes]:
        """Encode the rows of a batch.

        Args:
            arrays: one per value column, of the columns' Arrow types.
            epoch: the epoch that writes them.
            times: event times, timestamptz; None without event times.
        """
        rows = len(arrays[0]) if arrays else len(times) if times is not None else 0
        records = np.zeros(rows, dtype=self._record)
        records["epoch"] = epoch
        records["time"] = event_times_ms(times, rows)
        varying: list[pa.Array] = []
        ends = np.zeros(rows, dtype=np.int64)
        for i, (array, column) in enumerate(zip(arrays, self._columns, strict=True)):
            if array.null_count:
                nulls = array.is_null().to_numpy(zero_copy_only=False)
                records["nulls"][:, i >> 3] |= nulls.astype(np.uint8) << (i & 7)
            if column.type.kind in _VARYING:
                raws = _to_bytes(array, column.type)
                ends += np.diff(binary_parts(raws)[0])
                if rows and int(ends.max()) > _ROW_BYTES_MAX:
                    raise CodecError(f"a row exceeds {_ROW_BYTES_MAX} bytes")
                varying.append(raws)
                records[f"c{i}"] = ends
            else:
                records[f"c{i}"] = slot_values(array, column.type)
        return joined_bytes([fixed_binary(records), *varying])

    def decode_columns(
        self, rows: Sequence[bytes], wanted: Sequence[bool]
    ) -> list[pa.Array | None]:
        """Decode many rows to one array per wanted column, None for the others."""
        if not any(wanted):
            return [None] * len(self._columns)
        entries = _entries(rows)
        records = self._records(entries)
        bodies = _Bodies(entries, self._fixed_bytes) if self._varying else None
        found: list[pa.Array | None] = []
        begins = np.zeros(len(rows), dtype=np.int64)
        for i, (column, want) in enumerate(zip(self._columns, wanted, strict=True)):
            slot = records[f"c{i}"]
            if not want:
                found.append(None)
            elif bodies is not None and column.type.kind in _VARYING:
                ends = slot.astype(np.int64)
                nulls = self._nulls(records, i)
                alone = len(self._varying) == 1
                found.append(bodies.column(begins, ends, nulls, column.type, alone=alone))
            else:
                found.append(slot_array(slot, column.type, self._nulls(records, i)))
            if column.type.kind in _VARYING:
                begins = slot.astype(np.int64)
        return found

    def decode_headers(self, rows: Sequence[bytes]) -> tuple[pa.Array, pa.Array]:
        """Decode the epochs (bigint) and event times (timestamptz) of many rows."""
        records = self._records(_entries(rows))
        times = np.ascontiguousarray(records["time"])
        nulls = times == NO_TIME
        micros = np.where(nulls, 0, times) * 1000
        return pa.array(np.ascontiguousarray(records["epoch"])), array_of_ints(
            micros, TIMESTAMPTZ, nulls
        )

    def _records(self, entries: pa.Array) -> _Records:
        size = self._fixed_bytes
        fixed = pc.binary_slice(entries, 0, size) if self._varying else entries
        _, raw = binary_parts(fixed)
        if raw.size != size * len(entries):
            raise CodecError("a row is too short")
        return np.frombuffer(raw, dtype=self._record)

    def _nulls(self, records: _Records, i: int) -> np.ndarray[Any, Any] | None:
        nulls = (records["nulls"][:, i >> 3] >> (i & 7)) & 1
        return nulls.astype(np.bool_) if nulls.any() else None


class _Bodies:
    """The varying bytes of a batch of rows, joined, from which numpy cuts columns."""

    def __init__(self, entries: pa.Array, fixed_bytes: int) -> None:
        offsets, self._joined = binary_parts(pc.binary_slice(entries, fixed_bytes, _SLICE_END))
        self._starts = offsets[:-1]

    def column(
        self,
        begins: np.ndarray[Any, Any],
        ends: np.ndarray[Any, Any],
        nulls: np.ndarray[Any, Any] | None,
        data_type: DataType,
        *,
        alone: bool,
    ) -> pa.Array:
        """Return the column from `begins` to `ends` of each row's bytes."""
        lengths = ends - begins
        if int(lengths.sum()) > COLUMN_BYTES_MAX:
            raise CodecError(f"a column of a batch exceeds {COLUMN_BYTES_MAX} bytes")
        offsets = np.zeros(len(lengths) + 1, dtype=np.int32)
        np.cumsum(lengths, out=offsets[1:])
        if alone:
            data = self._joined
        else:
            shift = np.repeat(self._starts + begins - offsets[:-1], lengths)
            source = np.frombuffer(self._joined, dtype=np.uint8)
            data = pa.py_buffer(source[shift + np.arange(len(shift))])
        buffers = [validity(nulls), pa.py_buffer(offsets), data]
        if data_type.kind in NESTED:
            encoded = pa.Array.from_buffers(pa.binary(), len(lengths), buffers)
            return decode_nested(encoded, data_type)
        return pa.Array.from_buffers(data_type.arrow, len(lengths), buffers)


def _entries(rows: Sequence[bytes]) -> pa.Array:
    found = pa.array(rows, pa.binary())
    if isinstance(found, pa.ChunkedArray):
        raise CodecError(f"the rows of a batch exceed {COLUMN_BYTES_MAX} bytes")
    return found


def _from_bytes(data_type: DataType) -> Callable[[bytes], Value]:
    if data_type.kind in NESTED:
        return value_decoder(data_type)
    return bytes if data_type.kind is Kind.BYTEA else bytes.decode


def _to_bytes(array: pa.Array, data_type: DataType) -> pa.Array:
    """Return a column of varying length as binary, with NULL as no bytes."""
    if data_type.kind in NESTED:
        return encode_nested(array, data_type)
    raws = array.cast(pa.binary())
    return raws.fill_null(b"") if raws.null_count else raws


def event_times_ms(times: pa.Array | None, rows: int) -> np.ndarray[Any, Any] | int:
    """Return the event times of rows in epoch milliseconds; NO_TIME for all if none has one."""
    if times is None:
        return NO_TIME
    if times.null_count == rows:
        return NO_TIME
    # The column holds only a part of its first millisecond, whose beginning would wrap.
    found = np.floor_divide(np.maximum(int64_values(times), FIRST_WHOLE_MS), 1000)
    if times.null_count:
        found = np.where(times.is_null().to_numpy(zero_copy_only=False), NO_TIME, found)
    assert len(found) == rows
    return found

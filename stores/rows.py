"""Rows to bytes and back: one row in a microsecond or two, a batch of them by numpy.

A row is a header (epoch and event time, 8 bytes each), a bitmap of NULLs, one fixed slot per
column, and the bytes of the columns of varying length. Integers are little-endian.

| type | slot |
|---|---|
| boolean, integers, real, double, date, time, timestamps | the value, 1 to 8 bytes |
| decimal(p≤18); decimal(p>18) | unscaled integer in 8; in 16 bytes |
| interval | months and days in 4 bytes each, microseconds in 8 |
| text, bytea, json, uuid | 4 bytes: where the column ends, counted from the end of the slots |

NULL leaves its slot zero, and a column of varying length empty.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from stores.arrow import (
    array_of_ints,
    decimal_of,
    fixed_array,
    int64_values,
    physical_array,
    physical_list,
    unscaled_ints,
    validity,
)
from stores.errors import CodecError, SchemaError
from stores.schema import TIMESTAMPTZ, Column, DataType, Kind, Row, Value

NO_TIME = -(1 << 63)
"""The event time of a row that has none."""

_SLOTS = {
    Kind.BOOLEAN: "?",
    Kind.TINYINT: "b",
    Kind.SMALLINT: "h",
    Kind.INTEGER: "i",
    Kind.BIGINT: "q",
    Kind.REAL: "f",
    Kind.DOUBLE: "d",
    Kind.DATE: "i",
    Kind.TIME: "q",
    Kind.TIMESTAMP: "q",
    Kind.TIMESTAMPTZ: "q",
    Kind.INTERVAL: "16s",
    Kind.TEXT: "I",
    Kind.BYTEA: "I",
    Kind.JSON: "I",
    Kind.UUID: "I",
}
_VARYING = {Kind.TEXT, Kind.BYTEA, Kind.JSON, Kind.UUID}
_INTERVAL = struct.Struct("<iiq")
_HEADER = struct.Struct("<qq")
_ROW_BYTES_MAX = 1 << 30
"""Far below what a slot's 4 bytes can count; a row this large is a mistake."""
_COLUMN_BYTES_MAX = (1 << 31) - 1
"""What the offsets of an Arrow column count."""

_Records: TypeAlias = np.ndarray[Any, np.dtype[np.void]]


def _slot(data_type: DataType) -> str:
    if data_type.kind is Kind.DECIMAL:
        return "q" if data_type.precision <= 18 else "16s"
    try:
        return _SLOTS[data_type.kind]
    except KeyError:
        raise SchemaError(f"a value column cannot be of type {data_type}") from None


def _numpy_format(slot: str) -> str:
    return {"?": "u1", "16s": "V16", "I": "<u4", "q": "<i8", "d": "<f8"}.get(
        slot, {"b": "i1", "h": "<i2", "i": "<i4", "f": "<f4"}.get(slot, slot)
    )


class RowCodec:
    """Encodes rows of these value columns. Built once per store.

    Raises:
        SchemaError: a column has a type that rows cannot hold.
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = tuple(columns)
        slots = [_slot(column.type) for column in columns]
        self._null_bytes = (len(columns) + 7) // 8
        self._struct = struct.Struct(f"<qq{self._null_bytes}s" + "".join(slots))
        self._fixed_bytes = self._struct.size
        self._no_nulls = bytes(self._null_bytes)
        self._record = np.dtype(
            [("epoch", "<i8"), ("time", "<i8"), ("nulls", "u1", (self._null_bytes,))]
            + [(f"c{i}", _numpy_format(slot)) for i, slot in enumerate(slots)]
        )
        self._varying = [i for i, c in enumerate(columns) if c.type.kind in _VARYING]
        self._text = [c.type.kind is not Kind.BYTEA for c in columns]
        self._special = [(i, _decode_slot(c.type)) for i, c in enumerate(columns) if _odd(c.type)]
        self._plain = not self._varying and not self._special

    def decode(self, encoded: bytes) -> Row:
        """One value per column.

        Raises:
            CodecError: the bytes are no row of these columns.
        """
        try:
            _, _, nulls, *values = self._struct.unpack_from(encoded)
        except struct.error as error:
            raise CodecError(f"a row of {len(encoded)} bytes is too short") from error
        if self._varying:
            at = self._fixed_bytes
            for i in self._varying:
                end = self._fixed_bytes + values[i]
                raw = encoded[at:end]
                values[i] = raw.decode() if self._text[i] else raw
                at = end
        for i, decode_slot in self._special:
            values[i] = decode_slot(values[i])
        if nulls != self._no_nulls:
            for i in range(len(values)):
                if nulls[i >> 3] >> (i & 7) & 1:
                    values[i] = None
        return tuple(values)

    @staticmethod
    def header(encoded: bytes) -> tuple[int, int | None]:
        """The epoch that wrote the row, and its event time in epoch milliseconds."""
        epoch, time_ms = _HEADER.unpack_from(encoded)
        return epoch, None if time_ms == NO_TIME else time_ms

    def encode_columns(
        self, arrays: Sequence[pa.Array], *, epoch: int, times: pa.Array | None
    ) -> list[bytes]:
        """The rows of a batch.

        Args:
            arrays: one per value column, of the columns' Arrow types.
            epoch: the epoch that writes them.
            times: event times, timestamptz; None if there are none.
        """
        rows = len(arrays[0]) if arrays else len(times) if times is not None else 0
        records = np.zeros(rows, dtype=self._record)
        records["epoch"] = epoch
        records["time"] = _event_times_ms(times, rows)
        varying: list[list[bytes]] = []
        ends: np.ndarray[Any, Any] = np.zeros(rows, dtype=np.int64)
        for i, (array, column) in enumerate(zip(arrays, self._columns, strict=True)):
            if array.null_count:
                nulls = array.is_null().to_numpy(zero_copy_only=False)
                records["nulls"][:, i >> 3] |= nulls.astype(np.uint8) << (i & 7)
            if column.type.kind in _VARYING:
                raws = array.cast(pa.binary()).fill_null(b"")
                ends = ends + np.diff(
                    np.frombuffer(_offsets(raws), dtype=np.int32).astype(np.int64)
                )
                if rows and int(ends.max()) > _ROW_BYTES_MAX:
                    raise CodecError(f"a row exceeds {_ROW_BYTES_MAX} bytes")
                varying.append(raws.to_pylist())
                records[f"c{i}"] = ends
            else:
                records[f"c{i}"] = _slot_values(array, column.type)
        fixed: list[bytes] = records.view(f"V{self._fixed_bytes}").tolist()
        if not varying:
            return fixed
        return list(map(b"".join, zip(fixed, *varying, strict=True)))

    def decode_columns(
        self, rows: Sequence[bytes], wanted: Sequence[bool]
    ) -> list[pa.Array | None]:
        """One array per wanted column (None for the others) from the bytes of many rows."""
        if not any(wanted):
            return [None] * len(self._columns)
        records = self._records(rows)
        bodies = _Bodies(rows, self._fixed_bytes) if self._varying else None
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
                found.append(_slot_array(slot, column.type, self._nulls(records, i)))
            if column.type.kind in _VARYING:
                begins = slot.astype(np.int64)
        return found

    def decode_headers(self, rows: Sequence[bytes]) -> tuple[pa.Array, pa.Array]:
        """The epochs (bigint) and event times (timestamptz) of many rows."""
        records = self._records(rows)
        times = np.ascontiguousarray(records["time"])
        nulls = times == NO_TIME
        micros = np.where(nulls, 0, times) * 1000
        return pa.array(np.ascontiguousarray(records["epoch"])), array_of_ints(
            micros, TIMESTAMPTZ, nulls
        )

    def _records(self, rows: Sequence[bytes]) -> _Records:
        size = self._fixed_bytes
        fixed = b"".join([row[:size] for row in rows] if self._varying else rows)
        if len(fixed) != size * len(rows):
            raise CodecError("a row is too short")
        return np.frombuffer(fixed, dtype=self._record)

    def _nulls(self, records: _Records, i: int) -> np.ndarray[Any, Any] | None:
        nulls = (records["nulls"][:, i >> 3] >> (i & 7)) & 1
        return nulls.astype(np.bool_) if nulls.any() else None


class _Bodies:
    """The varying bytes of a batch of rows, joined; columns are cut out of them by numpy."""

    def __init__(self, rows: Sequence[bytes], fixed_bytes: int) -> None:
        bodies = [row[fixed_bytes:] for row in rows]
        self._joined = b"".join(bodies)
        lengths = np.fromiter(map(len, bodies), dtype=np.int64, count=len(bodies))
        self._starts = np.cumsum(lengths) - lengths

    def column(
        self,
        begins: np.ndarray[Any, Any],
        ends: np.ndarray[Any, Any],
        nulls: np.ndarray[Any, Any] | None,
        data_type: DataType,
        *,
        alone: bool,
    ) -> pa.Array:
        """The column that lies from `begins` to `ends` of each row's bytes."""
        lengths = ends - begins
        if int(lengths.sum()) > _COLUMN_BYTES_MAX:
            raise CodecError(f"a column of a batch exceeds {_COLUMN_BYTES_MAX} bytes")
        offsets = np.zeros(len(lengths) + 1, dtype=np.int32)
        np.cumsum(lengths, out=offsets[1:])
        if alone:
            data = pa.py_buffer(self._joined)
        else:
            shift = np.repeat(self._starts + begins - offsets[:-1], lengths)
            source = np.frombuffer(self._joined, dtype=np.uint8)
            data = pa.py_buffer(source[shift + np.arange(len(shift))])
        return pa.Array.from_buffers(
            data_type.arrow, len(lengths), [validity(nulls), pa.py_buffer(offsets), data]
        )


def _offsets(array: pa.Array) -> bytes:
    start, stop = array.offset * 4, (array.offset + len(array) + 1) * 4
    buffer = array.buffers()[1]
    if buffer is None or buffer.size == 0:
        return bytes(4)
    raw: bytes = buffer.to_pybytes()[start:stop]
    return raw


def _odd(data_type: DataType) -> bool:
    return data_type.kind in {Kind.DECIMAL, Kind.INTERVAL}


def _decode_slot(data_type: DataType) -> Callable[[Any], Value]:
    scale = data_type.scale
    if data_type.kind is Kind.INTERVAL:
        return _INTERVAL.unpack
    if data_type.precision <= 18:
        return lambda unscaled: decimal_of(unscaled, scale)
    return lambda raw: decimal_of(int.from_bytes(raw, "little", signed=True), scale)


def _slot_values(array: pa.Array, data_type: DataType) -> np.ndarray[Any, Any]:
    kind = data_type.kind
    if kind in {Kind.REAL, Kind.DOUBLE}:
        filled = array.fill_null(0.0) if array.null_count else array
        floats: np.ndarray[Any, Any] = filled.to_numpy(zero_copy_only=False)
        return floats
    if kind is Kind.INTERVAL:
        packed = [
            bytes(16) if value is None else _INTERVAL.pack(*value)
            for value in physical_list(array, data_type)
        ]
        return np.frombuffer(b"".join(packed), dtype="V16")
    if kind is Kind.DECIMAL and data_type.precision <= 18:
        return np.array(unscaled_ints(array), dtype=np.int64)
    if kind is Kind.DECIMAL:
        raws = [value.to_bytes(16, "little", signed=True) for value in unscaled_ints(array)]
        return np.frombuffer(b"".join(raws), dtype="V16")
    return int64_values(array)


def _slot_array(
    slot: np.ndarray[Any, Any], data_type: DataType, nulls: np.ndarray[Any, Any] | None
) -> pa.Array:
    kind = data_type.kind
    if kind in {Kind.REAL, Kind.DOUBLE}:
        return pa.array(np.ascontiguousarray(slot), mask=nulls)
    if kind is Kind.INTERVAL:
        raws = slot.tolist()
        flags = [False] * len(raws) if nulls is None else nulls.tolist()
        values = [
            None if null else _INTERVAL.unpack(r) for r, null in zip(raws, flags, strict=True)
        ]
        return physical_array(values, data_type)
    if kind is Kind.DECIMAL and data_type.precision <= 18:
        wide = np.empty((len(slot), 2), dtype="<i8")
        wide[:, 0] = slot
        wide[:, 1] = slot >> 63
        return fixed_array(wide.tobytes(), data_type, len(slot), nulls)
    if kind is Kind.DECIMAL:
        return fixed_array(slot.tobytes(), data_type, len(slot), nulls)
    return array_of_ints(slot, data_type, nulls)


def _event_times_ms(times: pa.Array | None, rows: int) -> np.ndarray[Any, Any] | int:
    if times is None:
        return NO_TIME
    micros = int64_values(times)
    found = np.floor_divide(micros, 1000)
    if times.null_count:
        found = np.where(times.is_null().to_numpy(zero_copy_only=False), NO_TIME, found)
    assert len(found) == rows
    return found

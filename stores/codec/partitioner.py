"""Partition numbers of keys, equal to Spark's `pmod(hash(key columns), partitions)`.

Writers and readers share this module, so that a lookup asks exactly the partition that the pipeline
wrote. It has two forms that must agree: `partitioner` for one key at a time, by mmh3, and
`partition_column` for whole batches, in numpy. `hash_rows` is made of the same parts.

Source: Spark's `Murmur3_x86_32.java` and `HashExpression` in `hash.scala`. Spark differs from the
published Murmur3 in two ways: the seed of a column is the hash of the column before it, and each
byte after the last whole word is mixed as a separate block, sign-extended.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from decimal import Context
from math import isnan
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from mmh3 import mmh3_32_uintdigest

from stategate.stores.errors import CodecError, SchemaError
from stategate.stores.spec.arrow import int64_values, unscaled_ints
from stategate.stores.spec.schema import Column, DataType, Key, Value
from stategate.stores.types.record import KeyForm

Hash: TypeAlias = Callable[[Value, int], int]
"""Takes a value and a seed, and returns the next seed. Seeds are unsigned 32-bit integers."""
Array: TypeAlias = "pa.Array[Any]"
Words: TypeAlias = np.ndarray[Any, np.dtype[np.uint32]]
Partitions: TypeAlias = np.ndarray[Any, np.dtype[np.int32]]

_SEED = 42
_SEEDS = (_SEED, 20130101)
_MASK = 0xFFFFFFFF
_MASK_LONG = 0xFFFFFFFFFFFFFFFF
_SIGN = 0x80000000
_C1, _C2, _C3 = 0xCC9E2D51, 0x1B873593, 0xE6546B64
_F1, _F2 = 0x85EBCA6B, 0xC2B2AE35
_F1_INVERSE, _F2_INVERSE = pow(_F1, -1, 1 << 32), pow(_F2, -1, 1 << 32)
_LONG_DIGITS_MAX = 18
"""Decimals of at most this many digits are hashed as a 64-bit integer, longer ones as bytes."""
_STRAGGLERS_MAX = 16
"""At most this many long texts are hashed one by one: a numpy pass over few texts costs more."""

REMEMBERED_MAX = 8192
"""Keys whose partition is remembered, for each function. They take less than 3 MB."""
_REMEMBERED_TEXT_MAX = 64
"""Characters of a text in a remembered key; keys with longer texts would take more memory."""

_float_bits = struct.Struct("<f")
_double_bits = struct.Struct("<d")
_uint32 = struct.Struct("<I")
_uint64 = struct.Struct("<Q")
_WIDE = Context(prec=80)
"""Wide enough to move the point of any decimal(38, s) without rounding."""
_SIGNED = [_uint32.pack(byte if byte < 0x80 else byte | 0xFFFFFF00) for byte in range(256)]
"""The sign-extended word for each byte, which is hashed after the last whole word."""


def _hash_int(value: int, seed: int) -> int:
    return mmh3_32_uintdigest(_uint32.pack(value & _MASK), seed)


def _hash_long(value: int, seed: int) -> int:
    return mmh3_32_uintdigest(_uint64.pack(value & _MASK_LONG), seed)


def _hash_bytes(data: bytes, seed: int) -> int:
    match len(data) & 3:
        case 0:
            return mmh3_32_uintdigest(data, seed)
        case 1:
            words = data[:-1] + _SIGNED[data[-1]]
        case 2:
            words = data[:-2] + _SIGNED[data[-2]] + _SIGNED[data[-1]]
        case _:
            words = data[:-3] + _SIGNED[data[-3]] + _SIGNED[data[-2]] + _SIGNED[data[-1]]
    # Undo the last steps of the published hash, up to its mix of the size and the shift by 16, and
    # redo them with the size that Spark mixes in.
    h = mmh3_32_uintdigest(words, seed)
    h = (h ^ h >> 16) * _F2_INVERSE & _MASK
    h = (h ^ h >> 13 ^ h >> 26) * _F1_INVERSE & _MASK
    sizes = len(words) ^ len(data)
    h = (h ^ sizes ^ sizes >> 16) * _F1 & _MASK
    h = (h ^ h >> 13) * _F2 & _MASK
    return h ^ h >> 16


def _hash_text(value: str, seed: int) -> int:
    try:
        return _hash_bytes(value.encode(), seed)
    except UnicodeEncodeError as error:
        raise CodecError("text with a lone surrogate has no UTF-8") from error


def _hash_double(value: float, seed: int) -> int:
    if isnan(value):
        return _hash_long(0x7FF8000000000000, seed)
    return _hash_long(_uint64.unpack(_double_bits.pack(value + 0.0))[0], seed)


def _hash_real(value: float, seed: int) -> int:
    if isnan(value):
        return _hash_int(0x7FC00000, seed)
    try:
        return _hash_int(_uint32.unpack(_float_bits.pack(value + 0.0))[0], seed)
    except OverflowError as error:
        raise CodecError("the value is out of range for type real") from error


def _minimal_bytes(unscaled: int) -> bytes:
    """Return the shortest big-endian two's complement, as Java's `BigInteger.toByteArray`."""
    bits = (unscaled if unscaled >= 0 else ~unscaled).bit_length()
    return unscaled.to_bytes(bits // 8 + 1, "big", signed=True)


def _hash_decimal(data_type: DataType) -> Hash:
    scale = data_type.scale
    if data_type.precision <= _LONG_DIGITS_MAX:
        return lambda value, seed: _hash_long(int(_WIDE.scaleb(value, scale)), seed)
    return lambda value, seed: _hash_bytes(_minimal_bytes(int(_WIDE.scaleb(value, scale))), seed)


def partitioner(key: tuple[Column, ...], partitions: int) -> Callable[[Key], int]:
    """Return the function from a key to its partition; build it once per store.

    Args:
        key: the key columns, in schema order.
        partitions: how many partitions the store has.

    Returns:
        A function from one whole key, physical values in schema order, to 0 … `partitions` - 1. It
        raises CodecError for a value that does not fit its column's type.

    Raises:
        SchemaError: a column's type cannot be in a key.

    Laws: the number equals Spark's `pmod(hash(key…), partitions)`, and the one of
    `partition_column`.
    """
    hashes = tuple(_hash_of(column) for column in key)
    if partitions == 1:
        return lambda _key: 0
    found = _single(hashes[0], partitions) if len(hashes) == 1 else _several(hashes, partitions)
    texts = [i for i, each in enumerate(key) if each.type.kind.record.key is KeyForm.BYTES]
    return _Remembered(found, texts).__getitem__ if texts else found


class _Remembered(dict[Key, int]):
    """The partitions of keys that were asked for before; looking one up is no call of Python.

    Args:
        partition_of: returns the partition of any key.
        texts: the places of texts in a key.
    """

    def __init__(self, partition_of: Callable[[Key], int], texts: Sequence[int]) -> None:
        super().__init__()
        self._partition_of, self._texts = partition_of, texts

    def __missing__(self, key: Key) -> int:
        found = self._partition_of(key)
        for at in self._texts:
            if len(key[at] or "") > _REMEMBERED_TEXT_MAX:
                return found
        if len(self) >= REMEMBERED_MAX:
            self.clear()
        self[key] = found
        return found


def _hash_of(column: Column) -> Hash:
    record = column.type.kind.record
    match record.key:
        case KeyForm.INTEGER:
            return _hash_int if _is_short(column.type) else _hash_long
        case KeyForm.FLOAT:
            return _hash_real if _is_short(column.type) else _hash_double
        case KeyForm.DECIMAL:
            return _hash_decimal(column.type)
        case KeyForm.BYTES:
            return _hash_text if record.arrow == pa.string() else _hash_bytes
        case None:
            raise SchemaError(f'key column "{column.name}" cannot be of type {column.type}')


def _is_short(data_type: DataType) -> bool:
    """Whether values fit the 32 bits that Spark hashes at once."""
    return struct.calcsize(f"<{data_type.kind.record.slot}") <= _uint32.size


def _single(hash_value: Hash, partitions: int) -> Callable[[Key], int]:
    of_null = _SEED % partitions

    def partition_of(values: Key) -> int:
        (value,) = values
        if value is None:
            return of_null
        return ((hash_value(value, _SEED) ^ _SIGN) - _SIGN) % partitions

    return partition_of


def _several(hashes: Sequence[Hash], partitions: int) -> Callable[[Key], int]:
    def partition_of(values: Key) -> int:
        h = _SEED
        for hash_value, value in zip(hashes, values, strict=True):
            if value is not None:
                h = hash_value(value, h)
        return ((h ^ _SIGN) - _SIGN) % partitions

    return partition_of


def partition_column(
    batch: pa.RecordBatch | pa.Table, key: tuple[Column, ...], partitions: int
) -> Partitions:
    """Return the partition of every row.

    Args:
        batch: rows with at least the key columns, by name.
        key: the key columns, in schema order.
        partitions: how many partitions the store has.

    Returns:
        One partition number a row, int32.

    Raises:
        SchemaError: a column's type cannot be in a key.
        pyarrow.ArrowInvalid: a column does not hold values of its type.
    """
    h = _hash_columns(batch, key, _SEED)
    found: Partitions = np.mod(h.view(np.int32), np.int32(partitions))
    return found


def hash_rows(
    batch: pa.RecordBatch | pa.Table, columns: Sequence[Column]
) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """Return 64 bits for every row that are equal if its values in some columns are.

    Different rows have equal bits about once in 2⁶⁴ pairs, or if they differ only in which of two
    columns is NULL.

    Raises:
        SchemaError: a column's type cannot be in a key.
    """
    high, low = (_hash_columns(batch, columns, seed).astype(np.uint64) for seed in _SEEDS)
    found: np.ndarray[Any, np.dtype[np.uint64]] = (high << np.uint64(32)) | low
    return found


def _hash_columns(batch: pa.RecordBatch | pa.Table, columns: Sequence[Column], seed: int) -> Words:
    h: Words = np.full(batch.num_rows, seed, np.uint32)
    for column in columns:
        _hash_of(column)
        array = batch.column(column.name)
        if isinstance(array, pa.ChunkedArray):
            array = array.combine_chunks()
        if array.type != column.type.arrow:
            array = array.cast(column.type.arrow)
        mixed = _mix_column(array, column.type, h)
        h = np.where(array.is_null().to_numpy(zero_copy_only=False), h, mixed)
    return h


def _mix_column(array: Array, data_type: DataType, h: Words) -> Words:
    """Return the next seeds; the caller ignores those of NULL rows."""
    match data_type.kind.record.key:
        case KeyForm.BYTES:
            return _mix_bytes(array, h)
        case KeyForm.DECIMAL:
            return _mix_decimals(array, data_type, h)
        case KeyForm.FLOAT:
            return _mix_floats(array, h, single=_is_short(data_type))
        case _ if _is_short(data_type):
            return _finish(_block(h, int64_values(array).astype(np.uint32)), 4)
        case _:
            return _mix_longs(int64_values(array), h)


def _mix_longs(values: np.ndarray[Any, Any], h: Words) -> Words:
    bits = values.view(np.uint64)
    low = (bits & np.uint64(_MASK)).astype(np.uint32)
    return _finish(_block(_block(h, low), (bits >> np.uint64(32)).astype(np.uint32)), 8)


def _mix_floats(array: Array, h: Words, *, single: bool) -> Words:
    values = array.to_numpy(zero_copy_only=False)
    plain = (values + 0.0).astype(np.float32 if single else np.float64)
    # All NaNs are one key, whatever their bits; adding zero has made -0.0 the same key as 0.0.
    plain[np.isnan(plain)] = np.nan
    if single:
        return _finish(_block(h, plain.view(np.uint32)), 4)
    return _mix_longs(plain.view(np.int64), h)


def _mix_decimals(array: Array, data_type: DataType, h: Words) -> Words:
    if len(array) == 0:
        return h
    unscaled = unscaled_ints(array)
    if data_type.precision <= _LONG_DIGITS_MAX:
        return _mix_longs(np.array(unscaled, np.int64), h)
    return _mix_bytes(pa.array([_minimal_bytes(value) for value in unscaled], pa.binary()), h)


def _mix_bytes(array: Array, h: Words) -> Words:
    """Mix all rows word by word, the longest first: rows with a word left are then a prefix."""
    offsets, data = _bytes_of(array)
    sizes = np.diff(offsets)
    order = np.argsort(-sizes, kind="stable")
    starts, sizes = offsets[:-1][order], sizes[order]
    mixed = h[order]
    counts = sizes >> 2
    done = 0
    for word in range(int(counts[0]) if len(counts) else 0):
        rows = int(np.searchsorted(-counts, -word, side="left"))
        if rows <= _STRAGGLERS_MAX and word > 64:
            for row in range(rows):
                value = data[starts[row] : starts[row] + sizes[row]].tobytes()
                mixed[row] = _hash_bytes(value, int(h[order[row]]))
            done = rows
            break
        mixed[:rows] = _block(mixed[:rows], _words_at(data, starts[:rows] + 4 * word))
    rest = slice(done, None)
    mixed[rest] = _mix_tails(mixed[rest], data, starts[rest], sizes[rest])
    found = np.empty_like(mixed)
    found[order] = mixed
    return found


def _bytes_of(array: Array) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return the offsets of the rows, and their bytes, padded by a whole word."""
    buffers: list[Any] = array.buffers()
    _, places, data = buffers
    if places is None or len(array) == 0:
        return np.zeros(len(array) + 1, np.int64), np.zeros(4, np.uint8)
    window = slice(array.offset, array.offset + len(array) + 1)
    offsets = np.frombuffer(places, np.int32)[window].astype(np.int64)
    used = np.frombuffer(data or b"", np.uint8)[offsets[0] : offsets[-1]]
    return offsets - offsets[0], np.concatenate([used, np.zeros(4, np.uint8)])


def _words_at(data: np.ndarray[Any, Any], starts: np.ndarray[Any, Any]) -> Words:
    """Return the little-endian words that begin at these bytes, aligned or not."""
    every = np.ndarray(shape=(len(data) - 3,), dtype="<u4", buffer=data, strides=(1,))
    found: Words = every[starts]
    return found


def _mix_tails(
    h: Words, data: np.ndarray[Any, Any], starts: np.ndarray[Any, Any], sizes: np.ndarray[Any, Any]
) -> Words:
    mixed = h.copy()
    tails = sizes & 3
    begins = starts + (sizes - tails)
    for byte in range(3):
        rows = np.flatnonzero(tails > byte)
        extended = data[begins[rows] + byte].view(np.int8).astype(np.int32).view(np.uint32)
        mixed[rows] = _block(mixed[rows], extended)
    return _finish(mixed, sizes.astype(np.uint32))


def _block(h: Words, k: Words) -> Words:
    k = k * np.uint32(_C1)
    k = ((k << np.uint32(15)) | (k >> np.uint32(17))) * np.uint32(_C2)
    h = h ^ k
    h = (h << np.uint32(13)) | (h >> np.uint32(19))
    found: Words = h * np.uint32(5) + np.uint32(_C3)
    return found


def _finish(h: Words, size: int | Words) -> Words:
    h = h ^ (np.uint32(size) if isinstance(size, int) else size)
    h = (h ^ (h >> np.uint32(16))) * np.uint32(_F1)
    h = (h ^ (h >> np.uint32(13))) * np.uint32(_F2)
    found: Words = h ^ (h >> np.uint32(16))
    return found

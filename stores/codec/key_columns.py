"""One column of a key to bytes that sort as SQL sorts, and back; one value or a whole array.

Each column is a marker byte, 0 for NULL (which so sorts first) or 1, and then for a value:

| type | bytes |
|---|---|
| boolean | 1 |
| integers, date, timestamps, decimal(p≤18) | big-endian two's complement, sign bit flipped |
| decimal(p>18) | the same in 16 bytes |
| real, double | IEEE bits, big-endian; sign bit flipped, or all bits of a negative |
| text, bytea | the bytes with 00 as 00 FF, then 00 |

Negative zero is kept as zero; there is one NaN, which sorts last.

Source: FoundationDB's tuple layer (how NUL is escaped).
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from functools import partial
from math import isnan
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from stategate.stores.spec.arrow import (
    array_of_ints,
    binary_parts,
    decimal_array,
    decimal_of,
    fixed_binary,
    int64_values,
    unscaled_ints,
)
from stategate.stores.spec.schema import Column, DataType, Key, Kind, Value
from stategate.stores.types.record import KeyForm

Piece: TypeAlias = bytes | pa.Array
"""Bytes that all keys share, or an array with the bytes of each."""
_Encode: TypeAlias = Callable[[Value], bytes]
_Decode: TypeAlias = Callable[[bytes, int], tuple[Value, int]]

_EXACT = Context(prec=100)
"""The default context rounds to 28 digits, fewer than decimal(38) has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyColumn:
    """How one key column is encoded."""

    width: int | None
    """Bytes after the marker; None for text."""
    encode: _Encode
    """A value, also None, with its marker."""
    decode: _Decode
    encode_array: Callable[[pa.Array], tuple[Piece, ...]]
    """The parts to be joined for each row, marker included; the column has no NULLs."""
    decode_array: Callable[[pa.Array], pa.Array]
    """The column whose bytes, without markers, are in a column of binary."""
    encode_keys: Callable[[Sequence[Key], bytes], list[bytes]] | None = None
    """Encodes keys of this column alone, each after a prefix, if that takes less time than one by
    one."""
    is_text: bool = False
    """Whether a value is text, and not bytes."""
    integer: str | None = None
    """The format of an unsigned integer of `width` bytes, from which half of its range is taken to
    have the value; None if a value is not an integer."""


def key_column(column: Column) -> KeyColumn:
    """Return the encoding of a key column, by its type."""
    record = column.type.kind.record
    match record.key:
        case KeyForm.INTEGER:
            return _integer_column(column.type, struct.calcsize(f"<{record.slot}"))
        case KeyForm.FLOAT:
            return _float_column(column.type, struct.Struct(f">{record.slot}"))
        case KeyForm.DECIMAL:
            return _decimal_column(column.type)
        case _:
            return _text_column(column.type)


def _integer_column(data_type: DataType, width: int) -> KeyColumn:
    bias, limit = 1 << (8 * width - 1), 1 << (8 * width)
    marked = limit  # the marker byte 01 in front of `width` bytes
    is_bool = data_type.kind is Kind.BOOLEAN
    low, high = (bias, bias + 2) if is_bool else (0, limit)
    as_value: Callable[[int], Value] = bool if is_bool else int

    def encode(value: Value) -> bytes:
        if value is None:
            return b"\0"
        if not isinstance(value, int):
            raise TypeError
        shifted = value + bias
        if not low <= shifted < high:
            raise ValueError
        return (shifted + marked).to_bytes(width + 1, "big")

    def decode(encoded: bytes, at: int) -> tuple[Value, int]:
        if encoded[at] == 0:
            return None, at + 1
        end = at + 1 + width
        if end > len(encoded):
            raise IndexError
        return as_value(int.from_bytes(encoded[at + 1 : end], "big") - bias), end

    def encode_array(array: pa.Array) -> tuple[Piece, ...]:
        return _marked(_flip(int64_values(array), width))

    def decode_array(payloads: pa.Array) -> pa.Array:
        return array_of_ints(_unflip(payloads, width), data_type)

    return KeyColumn(
        width=width,
        encode=encode,
        decode=decode,
        encode_array=encode_array,
        decode_array=decode_array,
        integer=None if is_bool else "BHIQ"[width.bit_length() - 1],
    )


def _flip(values: np.ndarray[Any, Any], width: int) -> np.ndarray[Any, Any]:
    """Return integers as rows of `width` big-endian bytes with the sign bit flipped."""
    rows = np.ascontiguousarray(values).astype(">i8").view(np.uint8).reshape(-1, 8)[:, 8 - width :]
    rows = np.ascontiguousarray(rows)
    rows[:, 0] ^= 0x80
    return rows


def _unflip(payloads: pa.Array, width: int) -> np.ndarray[Any, Any]:
    rows = np.frombuffer(binary_parts(payloads)[1], dtype=np.uint8).reshape(-1, width).copy()
    rows[:, 0] ^= 0x80
    wide = np.empty((len(rows), 8), dtype=np.uint8)
    wide[:, 8 - width :] = rows
    wide[:, : 8 - width] = np.where(rows[:, :1] >= 0x80, 0xFF, 0)
    return wide.view(">i8").reshape(-1).astype(np.int64)


def _marked(rows: np.ndarray[Any, Any]) -> tuple[Piece, ...]:
    width = rows.shape[1]
    return b"\1", fixed_binary(np.ascontiguousarray(rows).view(f"V{width}").reshape(-1))


def _float_column(data_type: DataType, packer: struct.Struct) -> KeyColumn:
    width = packer.size
    sign, ones = 1 << (8 * width - 1), (1 << (8 * width)) - 1
    nan = int.from_bytes(packer.pack(abs(math.nan)), "big")
    bits_type = np.dtype(f">u{width}")
    float_type = np.dtype(f">f{width}")

    def encode(value: Value) -> bytes:
        if value is None:
            return b"\0"
        # Adding zero turns negative zero into zero, and refuses anything that is not a number.
        plain = value + 0.0
        bits = nan if isnan(plain) else int.from_bytes(packer.pack(plain), "big")
        flipped = bits ^ ones if bits & sign else bits | sign
        return b"\1" + flipped.to_bytes(width, "big")

    def decode(encoded: bytes, at: int) -> tuple[Value, int]:
        if encoded[at] == 0:
            return None, at + 1
        end = at + 1 + width
        if end > len(encoded):
            raise IndexError
        flipped = int.from_bytes(encoded[at + 1 : end], "big")
        bits = flipped ^ sign if flipped & sign else flipped ^ ones
        return packer.unpack(bits.to_bytes(width, "big"))[0], end

    def encode_array(array: pa.Array) -> tuple[Piece, ...]:
        values = array.to_numpy(zero_copy_only=False) + 0.0
        values = np.where(np.isnan(values), np.nan, values).astype(float_type)
        bits = values.view(bits_type).astype(f"u{width}")
        bits = np.where(np.isnan(values), bits & np.array(ones ^ sign, bits.dtype), bits)
        negative = (bits & np.array(sign, bits.dtype)) != 0
        flipped = np.where(negative, ~bits, bits | np.array(sign, bits.dtype))
        return _marked(flipped.astype(bits_type).view(np.uint8).reshape(-1, width))

    def decode_array(payloads: pa.Array) -> pa.Array:
        raw = binary_parts(payloads)[1]
        flipped = np.frombuffer(raw, dtype=bits_type).astype(f"u{width}")
        positive = (flipped & np.array(sign, flipped.dtype)) != 0
        bits = np.where(positive, flipped ^ np.array(sign, flipped.dtype), ~flipped)
        return pa.array(bits.astype(f"u{width}").view(f"f{width}"), type=data_type.arrow)

    return KeyColumn(
        width=width,
        encode=encode,
        decode=decode,
        encode_array=encode_array,
        decode_array=decode_array,
    )


def _decimal_column(data_type: DataType) -> KeyColumn:
    width = 8 if data_type.precision <= 18 else 16
    bias, scale = 1 << (8 * width - 1), data_type.scale
    limit = 10**data_type.precision

    def encode(value: Value) -> bytes:
        if value is None:
            return b"\0"
        unscaled = unscaled_integer(value, data_type)
        return b"\1" + (unscaled + bias).to_bytes(width, "big")

    def decode(encoded: bytes, at: int) -> tuple[Value, int]:
        if encoded[at] == 0:
            return None, at + 1
        end = at + 1 + width
        if end > len(encoded):
            raise IndexError
        unscaled = int.from_bytes(encoded[at + 1 : end], "big") - bias
        if not -limit < unscaled < limit:
            raise ValueError
        return decimal_of(unscaled, scale), end

    def encode_array(array: pa.Array) -> tuple[Piece, ...]:
        raws = [(u + bias).to_bytes(width, "big") for u in unscaled_ints(array)]
        return b"\1", pa.array(raws, pa.binary())

    def decode_array(payloads: pa.Array) -> pa.Array:
        unscaled = [int.from_bytes(payload, "big") - bias for payload in payloads.to_pylist()]
        return decimal_array(unscaled, data_type)

    return KeyColumn(
        width=width,
        encode=encode,
        decode=decode,
        encode_array=encode_array,
        decode_array=decode_array,
    )


def unscaled_integer(value: Value, data_type: DataType) -> int:
    """Return a decimal as an integer of its last digit's unit.

    Raises:
        TypeError: it is neither a decimal nor an integer: a float has no exact decimal form.
        ValueError: it has more digits than the type holds.
    """
    if not isinstance(value, Decimal | int):
        raise TypeError
    scaled = _EXACT.scaleb(Decimal(value), data_type.scale)
    unscaled = int(scaled)
    if unscaled != scaled or abs(unscaled) >= 10**data_type.precision:
        raise ValueError
    return unscaled


def _escaped(raws: pa.Array) -> pa.Array:
    """Return a column of binary with NUL as 00 FF."""
    if np.frombuffer(binary_parts(raws)[1], dtype=np.uint8).all():
        return raws
    return pc.replace_substring(raws, pattern=b"\0", replacement=b"\0\xff")


def _text_keys(encode: _Encode, keys: Sequence[Key], prefix: bytes) -> list[bytes]:
    head = prefix + b"\1"
    found = [head + raw + b"\0" for (value,) in keys if 0 not in (raw := value.encode())]
    return found if len(found) == len(keys) else [prefix + encode(value) for (value,) in keys]


def _text_column(data_type: DataType) -> KeyColumn:
    is_text = data_type.arrow == pa.string()

    def encode(value: Value) -> bytes:
        if value is None:
            return b"\0"
        # A view refuses lists and numbers, which `bytes` would convert.
        raw = value.encode() if is_text else bytes(memoryview(value))
        if 0 in raw:
            raw = raw.replace(b"\0", b"\0\xff")
        return b"\1" + raw + b"\0"

    def decode(encoded: bytes, at: int) -> tuple[Value, int]:
        if encoded[at] == 0:
            return None, at + 1
        end = encoded.index(0, at + 1)
        raw = encoded[at + 1 : end]
        if encoded[end + 1 : end + 2] == b"\xff":
            while encoded[end + 1 : end + 2] == b"\xff":
                end = encoded.index(0, end + 2)
            raw = encoded[at + 1 : end].replace(b"\0\xff", b"\0")
        return (raw.decode() if is_text else raw), end + 1

    def encode_array(array: pa.Array) -> tuple[Piece, ...]:
        return b"\1", _escaped(array.cast(pa.binary())), b"\0"

    def decode_array(payloads: pa.Array) -> pa.Array:
        return payloads.cast(data_type.arrow)

    return KeyColumn(
        width=None,
        is_text=is_text,
        encode=encode,
        encode_keys=partial(_text_keys, encode) if is_text else None,
        decode=decode,
        encode_array=encode_array,
        decode_array=decode_array,
    )

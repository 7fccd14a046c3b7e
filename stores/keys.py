"""Keys to bytes that sort as SQL sorts, and back, one at a time and by column.

Each column is a marker byte, 0 for NULL (which so sorts first) or 1, and then for a value:

| type | bytes |
|---|---|
| boolean | 1 |
| integers, date, timestamps, decimal(p≤18) | big-endian two's complement, sign bit flipped |
| decimal(p>18) | the same in 16 bytes |
| real, double | IEEE bits, big-endian; sign bit flipped, or all bits of a negative |
| text, bytea | the bytes with 00 as 00 FF, then 00 |

Negative zero is kept as zero; there is one NaN, which sorts last.

Laws: decode(encode(k)) == k but for negative zero and NaN's payload; a < b if and only if
encode(a) < encode(b); no key's bytes begin another's, but those of a last column of text that goes
on with NUL: there FF follows, as nowhere else.
Source: FoundationDB's tuple layer (how NUL is escaped); Kafka's serializers, whose order we avoid.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from math import isnan
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from stores.arrow import (
    array_of_ints,
    binary_parts,
    decimal_array,
    decimal_of,
    fixed_binary,
    int64_values,
    joined_bytes,
    physical_array,
    physical_list,
    unscaled_ints,
)
from stores.errors import CodecError
from stores.query import Interval
from stores.schema import Column, DataType, Key, Kind, Value

_Piece: TypeAlias = bytes | pa.Array
_Encode: TypeAlias = Callable[[Value], bytes]
_Decode: TypeAlias = Callable[[bytes, int], tuple[Value, int]]

_INT_WIDTH = {
    Kind.BOOLEAN: 1,
    Kind.TINYINT: 1,
    Kind.SMALLINT: 2,
    Kind.INTEGER: 4,
    Kind.BIGINT: 8,
    Kind.DATE: 4,
    Kind.TIMESTAMP: 8,
    Kind.TIMESTAMPTZ: 8,
}
_FLOAT = {Kind.REAL: struct.Struct(">f"), Kind.DOUBLE: struct.Struct(">d")}
_MISFITS = (TypeError, ValueError, ArithmeticError, struct.error, AttributeError)
"""What an encoder raises for a value that its column cannot have."""
_EXACT = Context(prec=100)
"""The default context rounds to 28 digits, fewer than decimal(38) has."""


class KeyCodec:
    """Encodes keys of these columns. Built once per store."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = tuple(columns)
        self._parts = tuple(_part(column) for column in columns)
        self._encoders = tuple(part.encode for part in self._parts)
        self._only = self._encoders[0] if len(self._encoders) == 1 else None
        self._text_at = [i for i, part in enumerate(self._parts) if part.width is None]

    def encode(self, key: Key) -> bytes:
        """The bytes of a whole key, or of a prefix of its columns.

        Raises:
            CodecError: a value does not fit its column, or there are more values than columns.
        """
        if not 0 < len(key) <= len(self._parts):
            raise self._misfit(key)
        try:
            if self._only is not None:
                return self._only(key[0])
            return b"".join([encode(v) for encode, v in zip(self._encoders, key, strict=False)])
        except _MISFITS as error:
            raise self._misfit(key) from error

    def encode_whole(self, key: Key) -> bytes:
        """The bytes of a whole key; the prefix of one is refused too.

        Raises:
            CodecError: a value does not fit its column, or there is not one for each.
        """
        if len(key) != len(self._parts):
            raise self._misfit(key)
        if self._only is None:
            return self.encode(key)
        try:
            return self._only(key[0])
        except _MISFITS as error:
            raise self._misfit(key) from error

    def _misfit(self, key: Key) -> CodecError:
        for column, part, value in zip(self._columns, self._parts, key, strict=False):
            try:
                part.encode(value)
            except _MISFITS:
                return CodecError(
                    f'{type(value).__name__} does not fit key column "{column.name}" '
                    f"of type {column.type}"
                )
        return CodecError(f"a key has {len(self._columns)} columns, not {len(key)}")

    def decode(self, encoded: bytes, at: int = 0) -> tuple[Key, int]:
        """The key that begins at `at`, and where it ends.

        Raises:
            CodecError: the bytes are no key of these columns.
        """
        values = []
        try:
            for part in self._parts:
                value, at = part.decode(encoded, at)
                values.append(value)
        except (IndexError, ValueError, struct.error) as error:
            raise CodecError(f"no key in {encoded[:64]!r}") from error
        return tuple(values), at

    def range_of(self, interval: Interval) -> tuple[bytes | None, bytes | None]:
        """The interval as half-open bytes: first byte string in, first one out; None is open."""
        lower, upper = interval.lower, interval.upper
        start = None if lower is None else self.encode(lower)
        if start is not None and not interval.lower_inclusive:
            start = after_prefix(start)
        end = None if upper is None else self.encode(upper)
        if end is not None and interval.upper_inclusive:
            end = after_prefix(end)
        return start, end

    def range_of_prefix(self, prefix: Key, text: str | bytes | None) -> tuple[bytes, bytes]:
        """The keys that begin with `prefix`, and whose next column begins with `text`, half-open.

        Raises:
            CodecError: a value does not fit its column, or there is no column of text behind them.
        """
        start = self.encode(prefix) if prefix else b""
        if text is None:
            return start, after_prefix(start)
        column = self._columns[len(prefix)] if len(prefix) < len(self._columns) else None
        wanted = Kind.TEXT if isinstance(text, str) else Kind.BYTEA
        if column is None or column.type.kind is not wanted:
            raise CodecError(f"the key has no {wanted.value} column behind {len(prefix)} others")
        # Without its terminator, a text is how all texts begin that begin with it.
        try:
            start += self._parts[len(prefix)].encode(text)[:-1]
        except UnicodeEncodeError as error:
            raise self._misfit((*prefix, text)) from error
        return start, _after_bytes(start)

    def encode_columns(self, arrays: Sequence[pa.Array], *, prefix: bytes = b"") -> list[bytes]:
        """The keys of all rows, from one array per key column, all behind a prefix."""
        if any(array.null_count for array in arrays):
            rows = zip(*[physical_list(a, c.type) for a, c in self._with(arrays)], strict=True)
            return [prefix + self.encode(row) for row in rows]
        pieces: list[_Piece] = [prefix]
        for part, array in zip(self._parts, arrays, strict=True):
            for piece in part.encode_array(array):
                if isinstance(piece, bytes) and isinstance(pieces[-1], bytes):
                    pieces[-1] += piece
                else:
                    pieces.append(piece)
        return joined_bytes(pieces)

    def _with(self, arrays: Sequence[pa.Array]) -> list[tuple[pa.Array, Column]]:
        return list(zip(arrays, self._columns, strict=True))

    def decode_columns(
        self, keys: Sequence[bytes], wanted: Sequence[bool], *, skipped: int = 0
    ) -> list[pa.Array | None]:
        """One array per wanted key column (None for the others) from the bytes of many keys.

        Without NULLs and with at most one column of text, every column lies at a fixed distance
        from one end of the key, and is cut out of all keys at once. Other keys go one by one.

        Args:
            keys: the encoded keys.
            wanted: for each column whether to decode it.
            skipped: bytes in front of each key that are not of it.
        """
        if not any(wanted):
            return [None] * len(self._parts)
        column = pa.array(keys, pa.binary())
        if len(self._text_at) <= 1 and self._is_regular(column, skipped):
            return self._decode_regular(column, wanted, skipped)
        decoded = [self.decode(key, skipped)[0] for key in keys]
        columns = list(zip(*decoded, strict=True)) or [()] * len(self._parts)
        return [
            physical_array(values, column.type) if want else None
            for values, column, want in zip(columns, self._columns, wanted, strict=True)
        ]

    def _is_regular(self, keys: pa.Array, skipped: int) -> bool:
        widths = [1 + (part.width or 0) for part in self._parts]
        offsets, data = binary_parts(keys)
        starts, ends = offsets[:-1] + skipped, offsets[1:]
        if not self._text_at:
            return bool((ends - starts == sum(widths)).all())
        text = self._text_at[0]
        head, tail = sum(widths[:text]), sum(widths[text + 1 :])
        if not bool((ends - starts >= head + 2 + tail).all()):
            return False
        raw = np.frombuffer(data, dtype=np.uint8)
        terminators = ends - tail - 1
        if raw.size - np.count_nonzero(raw) == len(starts):
            # As many NULs as keys, so that no marker is one.
            return bool((raw[terminators] == 0).all())
        marks = [starts + sum(widths[:i]) for i in range(text + 1)]
        if tail:
            # An escaped NUL and a NULL together may put the first NUL where a terminator would be;
            # what follows a terminator is a marker, though, and FF what follows an escaped NUL.
            marks.append(ends - tail)
        if not all((raw[places] == 1).all() for places in marks):
            return False
        # The first NUL behind the text's marker must be its terminator, with the whole tail behind
        # it: an escaped NUL, or a NULL in any column, puts it elsewhere.
        nuls = np.cumsum(raw == 0)
        before = nuls[starts + head]
        return bool((raw[terminators] == 0).all() and (nuls[terminators] - before == 1).all())

    def _decode_regular(
        self, keys: pa.Array, wanted: Sequence[bool], skipped: int
    ) -> list[pa.Array | None]:
        widths = [1 + (part.width or 0) for part in self._parts]
        text = self._text_at[0] if self._text_at else len(widths)
        head, tail = skipped + sum(widths[:text]), sum(widths[text + 1 :])
        found: list[pa.Array | None] = []
        for i, (part, want) in enumerate(zip(self._parts, wanted, strict=True)):
            if not want:
                found.append(None)
                continue
            if i == text:
                start, stop = head + 1, -(tail + 1)
            elif i < text:
                start = skipped + sum(widths[:i]) + 1
                stop = start + widths[i] - 1
            else:
                start = sum(widths[text + 1 : i]) + 1 - tail
                stop = start + widths[i] - 1
            found.append(part.decode_array(pc.binary_slice(keys, start, stop or None)))
        return found


def after_prefix(prefix: bytes) -> bytes:
    """Behind all keys that begin with the columns of `prefix`, before all greater ones.

    What follows a column is a marker (00 or 01), never FF; but FF follows the NUL of a text that
    goes on, and such a text is greater.
    """
    return prefix + b"\xff"


def _after_bytes(prefix: bytes) -> bytes:
    """Behind all bytes that begin with `prefix`, which is not all FF."""
    kept = prefix.rstrip(b"\xff")
    return kept[:-1] + bytes([kept[-1] + 1])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """How one key column is encoded."""

    width: int | None
    """Bytes behind the marker; None for text."""
    encode: _Encode
    decode: _Decode
    encode_array: Callable[[pa.Array], tuple[_Piece, ...]]
    """What is to be joined for each row, marker included; the column has no NULLs."""
    decode_array: Callable[[pa.Array], pa.Array]
    """The column whose bytes, without markers, are in a column of binary."""


def _part(column: Column) -> _Part:
    kind = column.type.kind
    if kind in _INT_WIDTH:
        return _integer_part(column.type, _INT_WIDTH[kind])
    if kind in _FLOAT:
        return _float_part(column.type, _FLOAT[kind])
    if kind is Kind.DECIMAL:
        return _decimal_part(column.type)
    return _text_part(column.type)


def _integer_part(data_type: DataType, width: int) -> _Part:
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

    def encode_array(array: pa.Array) -> tuple[_Piece, ...]:
        return _marked(_flip(int64_values(array), width))

    def decode_array(payloads: pa.Array) -> pa.Array:
        return array_of_ints(_unflip(payloads, width), data_type)

    return _Part(
        width=width,
        encode=encode,
        decode=decode,
        encode_array=encode_array,
        decode_array=decode_array,
    )


def _flip(values: np.ndarray[Any, Any], width: int) -> np.ndarray[Any, Any]:
    """Integers as rows of `width` big-endian bytes with the sign bit flipped."""
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


def _marked(rows: np.ndarray[Any, Any]) -> tuple[_Piece, ...]:
    width = rows.shape[1]
    return b"\1", fixed_binary(np.ascontiguousarray(rows).view(f"V{width}").reshape(-1))


def _float_part(data_type: DataType, packer: struct.Struct) -> _Part:
    width = packer.size
    sign, ones = 1 << (8 * width - 1), (1 << (8 * width)) - 1
    nan = int.from_bytes(packer.pack(abs(math.nan)), "big")
    bits_type = np.dtype(f">u{width}")
    float_type = np.dtype(f">f{width}")

    def encode(value: Value) -> bytes:
        if value is None:
            return b"\0"
        # Adding zero makes a zero of negative zero, and refuses what is no number.
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

    def encode_array(array: pa.Array) -> tuple[_Piece, ...]:
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

    return _Part(
        width=width,
        encode=encode,
        decode=decode,
        encode_array=encode_array,
        decode_array=decode_array,
    )


def _decimal_part(data_type: DataType) -> _Part:
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

    def encode_array(array: pa.Array) -> tuple[_Piece, ...]:
        raws = [(u + bias).to_bytes(width, "big") for u in unscaled_ints(array)]
        return b"\1", pa.array(raws, pa.binary())

    def decode_array(payloads: pa.Array) -> pa.Array:
        unscaled = [int.from_bytes(payload, "big") - bias for payload in payloads.to_pylist()]
        return decimal_array(unscaled, data_type)

    return _Part(
        width=width,
        encode=encode,
        decode=decode,
        encode_array=encode_array,
        decode_array=decode_array,
    )


def unscaled_integer(value: Value, data_type: DataType) -> int:
    """A decimal as an integer of its last digit's unit.

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
    """A column of binary with NUL as 00 FF."""
    if np.frombuffer(binary_parts(raws)[1], dtype=np.uint8).all():
        return raws
    return pc.replace_substring(raws, pattern=b"\0", replacement=b"\0\xff")


def _text_part(data_type: DataType) -> _Part:
    is_text = data_type.kind is Kind.TEXT

    def encode(value: Value) -> bytes:
        if value is None:
            return b"\0"
        # A view refuses what is no bytes, of which `bytes` would make some: lists, numbers.
        raw = value.encode() if is_text else bytes(memoryview(value))
        if 0 in raw:
            raw = raw.replace(b"\0", b"\0\xff")
        return b"\1" + raw + b"\0"

    def decode(encoded: bytes, at: int) -> tuple[Value, int]:
        if encoded[at] == 0:
            return None, at + 1
        end = encoded.index(b"\0", at + 1)
        while encoded[end + 1 : end + 2] == b"\xff":
            end = encoded.index(b"\0", end + 2)
        raw = encoded[at + 1 : end].replace(b"\0\xff", b"\0")
        return (raw.decode() if is_text else raw), end + 1

    def encode_array(array: pa.Array) -> tuple[_Piece, ...]:
        return b"\1", _escaped(array.cast(pa.binary())), b"\0"

    def decode_array(payloads: pa.Array) -> pa.Array:
        return payloads.cast(data_type.arrow)

    return _Part(
        width=None,
        encode=encode,
        decode=decode,
        encode_array=encode_array,
        decode_array=decode_array,
    )

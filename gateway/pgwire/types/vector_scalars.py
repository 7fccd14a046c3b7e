"""Columns of booleans, integers, floats, texts, bytes and uuids to fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from gateway.pgwire.types.fields import (
    Array,
    Bytes,
    Fields,
    bytes_of,
    fields_of,
    fixed,
    join_or_null,
    lengths_of,
    numbers,
    printed,
    replaced,
)

_HEX = np.frombuffer(b"".join(b"%02x" % byte for byte in range(256)), np.uint16)
"""Both digits of each byte, as one number."""
_NIBBLES = np.zeros(256, np.uint8)
for _digit in b"0123456789abcdefABCDEF":
    _NIBBLES[_digit] = int(chr(_digit), 16)
_UUID_LENGTH = 36
_UUID_DIGITS = np.array([at for at in range(_UUID_LENGTH) if at not in {8, 13, 18, 23}])
_NIL = "00000000-0000-0000-0000-000000000000"


def big_endian(values: npt.NDArray[Any]) -> Bytes:
    """Return each number as a row of its bytes, most significant first."""
    swapped = values.astype(values.dtype.newbyteorder(">"))
    return swapped.view(np.uint8).reshape(len(values), values.dtype.itemsize)


def _booleans(true: int, false: int) -> Callable[[Array], Fields]:
    def encode(array: Array) -> Fields:
        held = array.fill_null(False).to_numpy(zero_copy_only=False)
        return fixed(np.where(held, np.uint8(true), np.uint8(false)).reshape(-1, 1), array)

    return encode


boolean_text = _booleans(ord("t"), ord("f"))
boolean_binary = _booleans(1, 0)


def number_binary(stored: str, sent: str) -> Callable[[Array], Fields]:
    """Return the encoder of the binary form of numbers of one width.

    Args:
        stored: their type in Arrow, as numpy spells it.
        sent: their type on the wire.
    """

    def encode(array: Array) -> Fields:
        return fixed(big_endian(numbers(array, stored).astype(sent)), array)

    return encode


def utf8(array: Array) -> Fields:
    """Encode texts, unchanged."""
    return array.cast(pa.binary())


def same(array: Array) -> Fields:
    """Encode bytes, unchanged."""
    return array


def nulls(array: Array) -> Fields:
    """Return as many NULLs."""
    return pa.nulls(len(array), pa.binary())


# --- floats --------------------------------------------------------------------------------------


def float_text(
    dtype: str, *, fixed_below: float, encode: Callable[[Any], bytes]
) -> Callable[[Array], Fields]:
    """Return the encoder of the shortest digits. Arrow chooses the same, but other exponents.

    Args:
        dtype: of numpy.
        fixed_below: from here on PostgreSQL writes an exponent.
        encode: of one value, for the rest.
    """

    def encode_column(array: Array) -> Fields:
        values = numbers(array, dtype)
        size = np.abs(values)
        # Arrow writes exponents from 1e10 on and below 1e-6, PostgreSQL with two digits or more.
        alike = (values == 0) | ((size >= 1e-4) & (size < min(fixed_below, 1e10)))
        alike |= (size >= max(fixed_below, 1e10)) & np.isfinite(values)
        alike |= size < 1e-10
        texts = printed(array)
        if alike.all():
            return texts
        whole = ~alike & (size < fixed_below) & (size >= 1) & (np.trunc(values) == values)
        if whole.any():
            exact = printed(pa.array(values[whole].astype(np.int64)))
            texts = pc.replace_with_mask(texts, pa.array(whole), exact)
        odd = ~alike & ~whole
        return replaced(texts, odd, values[odd].tolist(), encode) if odd.any() else texts

    return encode_column


# --- bytea and uuid ------------------------------------------------------------------------------


def bytea_text(array: Array) -> Fields:
    r"""Encode bytes as `\x` and hexadecimal digits."""
    digits = _HEX[bytes_of(array)].view(np.uint8)
    lengths = np.diff(np.frombuffer(array.buffers()[1], np.int32)[array.offset :][: len(array) + 1])
    return join_or_null(b"\\x", fields_of(digits, lengths * 2, array))


def uuid_binary(array: Array) -> Fields:
    """Encode uuids: 16 bytes from 36 characters.

    Raises:
        ValueError: a value is no uuid, which the column's type forbids.
    """
    texts = array.fill_null(_NIL).cast(pa.binary())
    if (lengths_of(texts) != _UUID_LENGTH).any():
        raise ValueError("a uuid has another length than 36 characters")
    characters = bytes_of(texts).reshape(len(array), _UUID_LENGTH)[:, _UUID_DIGITS]
    nibbles = _NIBBLES[characters]
    halves: Bytes = nibbles[:, 0::2] * np.uint8(16) + nibbles[:, 1::2]
    return fixed(halves, array)

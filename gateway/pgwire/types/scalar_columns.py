"""Columns of booleans, numbers, texts, bytes and uuids to fields.

Numerics are encoded together if their digits fit 64 bits, otherwise one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from stategate.gateway.pgwire.types.fields import (
    Array,
    Bools,
    Bytes,
    Fields,
    Ints,
    bytes_of,
    fields_of,
    fixed,
    join_or_null,
    lengths_of,
    numbers,
    printed,
    ragged,
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
_STORED_NUMERIC = np.dtype([("low", "u8"), ("high", "i8")])
NUMERIC_DIGITS_MAX = 18
"""Digits that surely fit 64 bits, in values and after the point."""
_GROUP = 4
"""Decimal digits in one base-10000 digit."""
_NUMERIC_NEGATIVE = 0x4000


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
        stored: numpy's name for their type in Arrow.
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
    """Return a NULL for each value."""
    return pa.nulls(len(array), pa.binary())


# --- floats --------------------------------------------------------------------------------------


def float_text(
    dtype: str, *, fixed_below: float, encode: Callable[[Any], bytes]
) -> Callable[[Array], Fields]:
    """Return the encoder of the shortest digits. Arrow chooses the same digits but other exponents.

    Args:
        dtype: numpy's type.
        fixed_below: PostgreSQL writes numbers from here on with an exponent.
        encode: encodes one value, where Arrow's text cannot be used.
    """

    def encode_column(array: Array) -> Fields:
        values = numbers(array, dtype)
        size = np.abs(values)
        # Arrow writes exponents from 1e10 on and below 1e-6, PostgreSQL writes them with two digits
        # or more.
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
        ValueError: a value is not a uuid, which the column's type forbids.
    """
    texts = array.fill_null(_NIL).cast(pa.binary())
    if (lengths_of(texts) != _UUID_LENGTH).any():
        raise ValueError("a uuid does not have 36 characters")
    characters = bytes_of(texts).reshape(len(array), _UUID_LENGTH)[:, _UUID_DIGITS]
    nibbles = _NIBBLES[characters]
    halves: Bytes = nibbles[:, 0::2] * np.uint8(16) + nibbles[:, 1::2]
    return fixed(halves, array)


def _scaled(array: Array) -> tuple[Ints, Bools]:
    """Return the digits of each value as an integer, and which values do not fit; these are 0."""
    stored = numbers(array, _STORED_NUMERIC)
    low = stored["low"].astype(np.int64)
    odd = (
        (stored["high"] != low >> 63)
        | (np.abs(low) >= 10**NUMERIC_DIGITS_MAX)
        | (low == -(1 << 63))
    )
    return np.where(odd, 0, low), odd


def _odd_values(array: Array, odd: Bools) -> list[Any]:
    values: list[Any] = array.filter(pa.array(odd)).to_pylist()
    return values


def numeric_text(scale: int, encode: Callable[[Decimal], bytes]) -> Callable[[Array], Fields]:
    """Return the encoder of texts of this scale, at most 18; `encode` takes longer values."""

    def encode_column(array: Array) -> Fields:
        scaled, odd = _scaled(array)
        fields = _numeric_texts(scaled, scale, array)
        if odd.any():
            return replaced(fields, odd, _odd_values(array, odd), encode)
        return fields

    return encode_column


def _numeric_texts(scaled: Ints, scale: int, like: Array) -> Fields:
    if not scale:
        plain = printed(pa.array(scaled))
        return join_or_null(plain, fields_of(bytes_of(plain)[:0], np.zeros(len(scaled)), like))
    size = np.abs(scaled)
    whole, fraction = np.divmod(size, 10**scale)
    # A one in front keeps the zeros that the fraction begins with; then it is cut off.
    padded = bytes_of(printed(pa.array(fraction + 10**scale))).reshape(len(scaled), scale + 1)
    signs = (scaled < 0).astype(np.int64)
    sign = fields_of(np.full(int(signs.sum()), ord("-"), np.uint8), signs)
    return join_or_null(sign, printed(pa.array(whole)), b".", fixed(padded[:, 1:], like))


def numeric_binary(scale: int, encode: Callable[[Decimal], bytes]) -> Callable[[Array], Fields]:
    """Return the encoder of the binary form, in base 10000; see `numeric_text`."""

    def encode_column(array: Array) -> Fields:
        scaled, odd = _scaled(array)
        fields = _numeric_groups(scaled, scale, array)
        if odd.any():
            return replaced(fields, odd, _odd_values(array, odd), encode)
        return fields

    return encode_column


def _numeric_groups(scaled: Ints, scale: int, like: Array) -> Fields:
    whole, fraction = np.divmod(np.abs(scaled), 10**scale)
    before = max(1, -(-max(0, NUMERIC_DIGITS_MAX - scale) // _GROUP))
    columns = [whole // 10 ** (_GROUP * at) % 10_000 for at in reversed(range(before))]
    columns += [_fraction_group(fraction, scale, at) for at in range(-(-scale // _GROUP))]
    digits = np.stack(columns, axis=1)
    some = digits != 0
    count_all = digits.shape[1]
    first = some.argmax(axis=1)
    last = count_all - 1 - some[:, ::-1].argmax(axis=1)
    any_digit = some.any(axis=1)
    sent = np.empty((len(scaled), 4 + count_all), ">u2")
    sent[:, 0] = np.where(any_digit, last - first + 1, 0)
    sent[:, 1] = np.where(any_digit, before - 1 - first, 0).astype(np.int16).view(np.uint16)
    sent[:, 2] = np.where(scaled < 0, _NUMERIC_NEGATIVE, 0)
    sent[:, 3] = scale
    sent[:, 4:] = digits
    kept = np.ones(sent.shape, np.bool_)
    at = np.arange(count_all)
    kept[:, 4:] = (at >= first[:, None]) & (at <= last[:, None]) & any_digit[:, None]
    return ragged(sent.view(np.uint8), np.repeat(kept, 2, axis=1), like)


def _fraction_group(fraction: Ints, scale: int, at: int) -> Ints:
    """Return the digits `4 * at` to `4 * at + 3` after the point."""
    behind = scale - _GROUP * (at + 1)
    group: Ints = (
        fraction // 10**behind % 10_000
        if behind >= 0
        else fraction % 10 ** (_GROUP + behind) * 10**-behind
    )
    return group

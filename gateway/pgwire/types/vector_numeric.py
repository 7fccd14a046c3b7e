"""Columns of numerics to fields: together if their digits fit 64 bits, else one by one."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from gateway.pgwire.types.fields import (
    Array,
    Bools,
    Fields,
    Ints,
    bytes_of,
    fields_of,
    fixed,
    join_or_null,
    numbers,
    printed,
    ragged,
    replaced,
)

_STORED = np.dtype([("low", "u8"), ("high", "i8")])
DIGITS_MAX = 18
"""Digits that surely fit 64 bits, in values and after the point."""
_GROUP = 4
"""Decimal digits in one base-10000 digit."""
_NEGATIVE = 0x4000


def _scaled(array: Array) -> tuple[Ints, Bools]:
    """Return the digits of each value as an integer, and which do not fit; those are 0."""
    stored = numbers(array, _STORED)
    low = stored["low"].astype(np.int64)
    odd = (stored["high"] != low >> 63) | (np.abs(low) >= 10**DIGITS_MAX) | (low == -(1 << 63))
    return np.where(odd, 0, low), odd


def _odd_values(array: Array, odd: Bools) -> list[Any]:
    values: list[Any] = array.filter(pa.array(odd)).to_pylist()
    return values


def numeric_text(scale: int, encode: Callable[[Decimal], bytes]) -> Callable[[Array], Fields]:
    """Return the encoder of texts of this scale, at most 18; `encode` takes longer values."""

    def encode_column(array: Array) -> Fields:
        scaled, odd = _scaled(array)
        fields = _texts(scaled, scale, array)
        if odd.any():
            return replaced(fields, odd, _odd_values(array, odd), encode)
        return fields

    return encode_column


def _texts(scaled: Ints, scale: int, like: Array) -> Fields:
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
        fields = _groups(scaled, scale, array)
        if odd.any():
            return replaced(fields, odd, _odd_values(array, odd), encode)
        return fields

    return encode_column


def _groups(scaled: Ints, scale: int, like: Array) -> Fields:
    whole, fraction = np.divmod(np.abs(scaled), 10**scale)
    before = max(1, -(-max(0, DIGITS_MAX - scale) // _GROUP))
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
    sent[:, 2] = np.where(scaled < 0, _NEGATIVE, 0)
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

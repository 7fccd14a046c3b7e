"""Columns of dates, times, timestamps and intervals to fields.

Digits are taken from tables: of the days that a column spans, of the seconds of a day, of
thousands.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from stategate.gateway.pgwire.types.fields import (
    Array,
    Bytes,
    Fields,
    Ints,
    fixed,
    numbers,
    replaced,
)
from stategate.gateway.pgwire.types.scalar_columns import big_endian
from stategate.planner.engine import Kind

_SECOND = 1_000_000
_DAY_MICROS = 86_400 * _SECOND
_DAYS_TO_2000 = 10_957
"""Days from 1970 to 2000, from which the wire counts."""
_FIRST_DAY = int(np.datetime64("0001-01-01", "D").astype(np.int64))
_LAST_DAY = int(np.datetime64("9999-12-31", "D").astype(np.int64))
_SPAN_MAX = 20_000
"""Days of a column for which a table is made: half a century, in a millisecond."""
_THOUSAND = np.arange(1000)
_ZEROS: Ints = sum(
    ((_THOUSAND % power == 0).astype(np.int64) for power in (10, 100, 1000)), 0 * _THOUSAND
)
"""The number of zeros at the end of three digits."""
_POINT_AND_THREE = np.frombuffer(b"".join(b".%03d" % n for n in range(1000)), np.uint32)
_HUNDREDS = np.frombuffer(b"".join(b"%02d" % n for n in range(100)), np.uint8).reshape(100, 2)
_YEARS = np.frombuffer(b"".join(b"%04d" % n for n in range(10_000)), np.uint8).reshape(10_000, 4)


@lru_cache(maxsize=1)
def _clock_table() -> npt.NDArray[np.uint64]:
    """Return `HH:MM:SS` of each second of a day and of its end, as numbers."""
    second = np.arange(86_401)
    table = np.full((len(second), 8), ord(":"), np.uint8)
    table[:, 0:2] = _HUNDREDS[second // 3600]
    table[:, 3:5] = _HUNDREDS[second // 60 % 60]
    table[:, 6:8] = _HUNDREDS[second % 60]
    return table.view(np.uint64).reshape(-1)


def _date_digits(days: Ints) -> npt.NDArray[np.void]:
    """Return `YYYY-MM-DD `, with the blank, of days in the years 1 to 9999."""
    low, high = (int(days.min()), int(days.max())) if len(days) else (0, 0)
    if high - low > _SPAN_MAX:
        return _digits_of_each(days)
    found: npt.NDArray[np.void] = _digits_of_each(np.arange(low, high + 1))[days - low]
    return found


def _digits_of_each(days: Ints) -> npt.NDArray[np.void]:
    dates = days.astype("datetime64[D]")
    months = dates.astype("datetime64[M]")
    number = months.astype(np.int64) + 1970 * 12
    digits = np.full((len(days), 11), ord("-"), np.uint8)
    digits[:, 0:4] = _YEARS[number // 12]
    digits[:, 5:7] = _HUNDREDS[number % 12 + 1]
    digits[:, 8:10] = _HUNDREDS[(dates - months).astype(np.int64) + 1]
    digits[:, 10] = ord(" ")
    return digits.view("V11").reshape(-1)


@lru_cache(maxsize=8)
def _three_and(following: bytes) -> npt.NDArray[np.uint32]:
    """Return three digits and the byte after them, as numbers."""
    return np.frombuffer(b"".join(b"%03d" % n + following for n in range(1000)), np.uint32)


def _split_seconds(micros: Ints) -> tuple[Ints, npt.NDArray[np.int32]]:
    """Return whole seconds, rounded down, and the microseconds beyond them."""
    # Division by a constant is quick, and the remainder is not.
    seconds = micros // _SECOND
    return seconds, (micros - seconds * _SECOND).astype(np.int32)


def _clocked(
    dates: npt.NDArray[np.void] | None,
    in_day: Ints,
    fraction: npt.NDArray[np.int32],
    zone: bytes,
    like: Array,
) -> Fields:
    """Return fields of a date, a time of day with its fraction if it has one, and a zone."""
    columns: list[tuple[str, str]] = [] if dates is None else [("date", "V11")]
    columns.append(("clock", "u8"))
    with_fraction = bool(fraction.any())
    if with_fraction:
        columns += [("first", "u4"), ("last", "u4")]
    rest = zone[1:] if with_fraction else zone
    if rest:
        columns.append(("zone", f"S{len(rest)}"))
    layout = np.dtype(columns)
    rows = np.empty(len(in_day), layout)
    if dates is not None:
        rows["date"] = dates
    rows["clock"] = _clock_table()[in_day]
    if rest:
        rows["zone"] = rest
    matrix = rows.view(np.uint8).reshape(len(rows), layout.itemsize)
    if not with_fraction:
        return fixed(matrix, like)
    thousands = fraction // 1000
    last = fraction - thousands * 1000
    rows["first"] = _POINT_AND_THREE[thousands]
    rows["last"] = _three_and(zone[:1] or b" ")[last]
    # The last column ends with the zone's first byte; the point begins the one before it.
    point = layout.itemsize - len(rest) - 8
    lengths = np.where(last == 0, 4 - _ZEROS[thousands], 7 - _ZEROS[last])
    lengths[fraction == 0] = 0
    return _trimmed(matrix[:, : point + 7 + len(zone)], point, lengths, like)


def _trimmed(matrix: Bytes, point: int, lengths: Ints, like: Array) -> Fields:
    """Return the rows without the zeros at the end of their fractions.

    Args:
        matrix: whole rows.
        point: where the fraction begins, with its point.
        lengths: how much of it is kept.
        like: an array that is NULL in the same places.
    """
    matrix, zone = np.ascontiguousarray(matrix), matrix[:, point + 7 :]
    short = np.flatnonzero(lengths != 7)
    for length in np.unique(lengths[short]).tolist():
        rows = short[lengths[short] == length]
        end = point + length + zone.shape[1]
        matrix[rows, point + length : end] = zone[rows]
        matrix[rows, end:] = ord(" ")
    fields = fixed(matrix, like)
    if not len(short):
        return fields
    # Cutting off the rest is ten times faster than picking the kept bytes.
    return pc.ascii_rtrim(fields.view(pa.string()), " ").view(pa.binary())


def date_text(encode: Callable[[int], bytes]) -> Callable[[Array], Fields]:
    """Return the encoder of dates; `encode` takes those outside the years 1 to 9999."""

    def encode_column(array: Array) -> Fields:
        days = numbers(array, "i4").astype(np.int64)
        odd = (days < _FIRST_DAY) | (days > _LAST_DAY)
        digits = _date_digits(np.where(odd, 0, days)).view(np.uint8).reshape(-1, 11)
        fields = fixed(digits[:, :10], array)
        return replaced(fields, odd, days[odd].tolist(), encode) if odd.any() else fields

    return encode_column


def time_text(array: Array) -> Fields:
    """Encode times of day."""
    seconds, fraction = _split_seconds(numbers(array, "i8"))
    return _clocked(None, seconds, fraction, b"", array)


def timestamp_text(zone: bytes, encode: Callable[[int], bytes]) -> Callable[[Array], Fields]:
    """Return the encoder of timestamps and a zone; `encode` takes years outside 1 to 9999."""

    def encode_column(array: Array) -> Fields:
        micros = numbers(array, "i8")
        odd = (micros < _FIRST_DAY * _DAY_MICROS) | (micros >= (_LAST_DAY + 1) * _DAY_MICROS)
        plain = np.where(odd, 0, micros) if odd.any() else micros
        fields = _plain_timestamps(plain, zone, array)
        return replaced(fields, odd, micros[odd].tolist(), encode) if odd.any() else fields

    return encode_column


def _plain_timestamps(micros: Ints, zone: bytes, like: Array) -> Fields:
    seconds, fraction = _split_seconds(micros)
    days = seconds // 86_400
    return _clocked(_date_digits(days), seconds - days * 86_400, fraction, zone, like)


def _count_binary(
    dtype: str, *, epoch: int, most: int, encode: Callable[[int], bytes]
) -> Callable[[Array], Fields]:
    """Return the encoder of counts from another epoch.

    Args:
        dtype: numpy's type.
        epoch: the other epoch, counted from ours.
        most: the largest count, which stands for infinity.
        encode: encodes a single value. It is used at the ends of the range, where the other count
            may be out of range.
    """

    def encode_column(array: Array) -> Fields:
        values = numbers(array, dtype)
        odd = (values >= most) | (values <= epoch - most)
        shifted = np.where(odd, 0, values) - values.dtype.type(epoch)
        fields = fixed(big_endian(shifted), array)
        return replaced(fields, odd, values[odd].tolist(), encode) if odd.any() else fields

    return encode_column


date_binary = _count_binary(
    "i4", epoch=_DAYS_TO_2000, most=(1 << 31) - 1, encode=Kind.DATE.record.encode
)
timestamp_binary = _count_binary(
    "i8",
    epoch=_DAYS_TO_2000 * _DAY_MICROS,
    most=(1 << 63) - 1,
    encode=Kind.TIMESTAMP.record.encode,
)
"""The form of timestamps, and of timestamptz, which counts in the same way."""


def time_binary(array: Array) -> Fields:
    """Encode times of day, whose counts are the same on the wire."""
    return fixed(big_endian(numbers(array, "i8")), array)


# --- intervals -----------------------------------------------------------------------------------

_STORED = np.dtype([("months", "i4"), ("days", "i4"), ("nanos", "i8")])
_SENT = np.dtype([("micros", ">i8"), ("days", ">i4"), ("months", ">i4")])


def _parts(array: Array) -> tuple[npt.NDArray[Any], Ints]:
    stored = numbers(array, _STORED)
    return stored, stored["nanos"] // 1000


def interval_binary(array: Array) -> Fields:
    """Encode intervals as microseconds, days, months."""
    stored, micros = _parts(array)
    sent = np.empty(len(array), _SENT)
    sent["micros"], sent["days"], sent["months"] = micros, stored["days"], stored["months"]
    return fixed(sent.view(np.uint8).reshape(len(array), _SENT.itemsize), array)


def interval_text(encode: Callable[[Any], bytes]) -> Callable[[Array], Fields]:
    """Return the encoder of the words of intervals; each distinct value is encoded once."""

    def encode_column(array: Array) -> Fields:
        stored, micros = _parts(array)
        columns = (stored["months"].tolist(), stored["days"].tolist(), micros.tolist())
        every = np.ones(len(array), np.bool_)
        if array.null_count:
            every = array.is_valid().to_numpy(zero_copy_only=False)
        values = [
            value for value, held in zip(zip(*columns, strict=True), every, strict=True) if held
        ]
        return replaced(pa.nulls(len(array), pa.binary()), every, values, encode)

    return encode_column

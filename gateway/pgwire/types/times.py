"""Dates, times, timestamps and intervals on the wire, in the ISO style and in UTC.

Physical values count from 1970; the binary form counts from 2000, in the same units
(`src/include/datatype/timestamp.h`). Years before Christ and beyond 9999 are held by both, though
not by Python's own classes, so nothing here uses them.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import lru_cache, partial

from gateway.pgwire.types import vector_times
from gateway.pgwire.types.encoders import (
    Decode,
    Encode,
    EncodeColumn,
    WireType,
    fixed_decoder,
    register_type,
    text_decoder,
)
from planner.engine import DataType, Kind, QueryError, Value

DAYS_TO_2000 = 10_957
MICROS_TO_2000 = DAYS_TO_2000 * 86_400_000_000
_DAY_MICROS = 86_400_000_000
_DAY_MINUTES = 1440
_INT32_MAX = (1 << 31) - 1
_INT64_MAX = (1 << 63) - 1
_INTERVAL_MICROS_MAX = _INT64_MAX // 1000
"""Arrow counts the nanoseconds of an interval."""
_BEFORE_CHRIST = b" BC"
_STORED = {"i": "i4", "q": "i8"}
"""numpy's names for the layouts."""


def _shift(value: int, *, by: int, most: int) -> int:
    """The count from another epoch; the ends of the range stand for infinity in both.

    Raises:
        QueryError: it does not fit (22008).
    """
    if value >= most:
        return most
    if value <= -most:
        return -most - 1
    shifted = value + by
    if not -most - 1 < shifted < most:
        raise QueryError("timestamp out of range", sqlstate="22008")
    return shifted


def _of_day(micros: int) -> int:
    """A time of day.

    Raises:
        QueryError: it is none (22008). 24:00 is one, and not 0:00.
    """
    if not 0 <= micros <= _DAY_MICROS:
        raise QueryError("time out of range", sqlstate="22008")
    return micros


def _infinite(value: int, most: int) -> bytes | None:
    if -most < value < most:
        return None
    return b"infinity" if value > 0 else b"-infinity"


@lru_cache(maxsize=8192)
def _date_parts(days: int) -> tuple[str, bytes]:
    """A day as `YYYY-MM-DD` and the suffix that follows the time.

    Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
    """
    era, day_of_era = divmod(days + 719_468, 146_097)
    year_of_era = (
        day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096
    ) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted_month = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * shifted_month + 2) // 5 + 1
    month = shifted_month + 3 if shifted_month < 10 else shifted_month - 9
    year = year_of_era + era * 400 + (month <= 2)
    if year > 0:
        return f"{year:04d}-{month:02d}-{day:02d}", b""
    return f"{1 - year:04d}-{month:02d}-{day:02d}", _BEFORE_CHRIST


@lru_cache(maxsize=8192)
def _hours_and_minutes(minutes: int) -> str:
    hour, minute = divmod(minutes, 60)
    return f"{hour:02d}:{minute:02d}"


def _clock(micros: int) -> str:
    """`HH:MM:SS`, with a fraction if there is one."""
    minutes, in_minute = divmod(micros, 60_000_000)
    second, fraction = divmod(in_minute, 1_000_000)
    if fraction:
        return f"{_hours_and_minutes(minutes)}:{second:02d}.{fraction:06d}".rstrip("0")
    return f"{_hours_and_minutes(minutes)}:{second:02d}"


def encode_date_text(value: int) -> bytes:
    """E.g. `2013-01-01`, `0044-03-15 BC`, `infinity`."""
    if (infinite := _infinite(value, _INT32_MAX)) is not None:
        return infinite
    date, suffix = _date_parts(value)
    return date.encode() + suffix


def encode_time_text(value: int) -> bytes:
    """E.g. `10:00:00.5`."""
    return _clock(value).encode()


@lru_cache(maxsize=1 << 15)
def _minute_text(minutes: int, zone: bytes) -> tuple[bytes, bytes]:
    """All of a timestamp before its seconds, and behind them."""
    days, minute = divmod(minutes, _DAY_MINUTES)
    date, suffix = _date_parts(days)
    return f"{date} {_hours_and_minutes(minute)}:".encode(), zone + suffix


def _timestamp_text(zone: bytes, value: int) -> bytes:
    if not -_INT64_MAX < value < _INT64_MAX:
        return b"infinity" if value > 0 else b"-infinity"
    minutes, in_minute = divmod(value, 60_000_000)
    begin, end = _minute_text(minutes, zone)
    digits = b"%08d" % in_minute
    fraction = digits[2:].rstrip(b"0")
    if fraction:
        return b"%b%b.%b%b" % (begin, digits[:2], fraction, end)
    return begin + digits[:2] + end


def _count_type(
    data_type: DataType,
    *,
    oid: int,
    array_oid: int,
    layout: str,
    encode_text: Encode,
    encode_column_text: EncodeColumn,
    epoch: int,
    most: int,
) -> WireType:
    """A type that is a count from an epoch."""
    packer = struct.Struct(">" + layout)
    to_wire = partial(_shift, by=-epoch, most=most)
    from_wire = partial(_shift, by=epoch, most=most) if epoch else _of_day
    pack: Callable[[int], bytes] = packer.pack
    encode_binary: Encode = (lambda value: pack(to_wire(value))) if epoch else pack
    return WireType(
        oid=oid,
        array_oid=array_oid,
        length=packer.size,
        encode_text=encode_text,
        encode_binary=encode_binary,
        decode_text=text_decoder(data_type),
        decode_binary=fixed_decoder(str(data_type), layout, from_wire),
        encode_column_text=encode_column_text,
        encode_column_binary=vector_times.count_binary(
            _STORED[layout], epoch=epoch, most=most, encode=encode_binary
        ),
    )


def _date(data_type: DataType) -> WireType:
    return _count_type(
        data_type,
        oid=1082,
        array_oid=1182,
        layout="i",
        encode_text=encode_date_text,
        encode_column_text=vector_times.date_text(encode_date_text),
        epoch=DAYS_TO_2000,
        most=_INT32_MAX,
    )


def _time(data_type: DataType) -> WireType:
    return _count_type(
        data_type,
        oid=1083,
        array_oid=1183,
        layout="q",
        encode_text=encode_time_text,
        encode_column_text=vector_times.time_text,
        epoch=0,
        most=_DAY_MICROS,
    )


def _timestamp(data_type: DataType) -> WireType:
    return _count_type(
        data_type,
        oid=1114,
        array_oid=1115,
        layout="q",
        encode_text=partial(_timestamp_text, b""),
        encode_column_text=vector_times.timestamp_text(b"", partial(_timestamp_text, b"")),
        epoch=MICROS_TO_2000,
        most=_INT64_MAX,
    )


def _timestamptz(data_type: DataType) -> WireType:
    return _count_type(
        data_type,
        oid=1184,
        array_oid=1185,
        layout="q",
        encode_text=partial(_timestamp_text, b"+00"),
        encode_column_text=vector_times.timestamp_text(b"+00", partial(_timestamp_text, b"+00")),
        epoch=MICROS_TO_2000,
        most=_INT64_MAX,
    )


def encode_interval_text(value: tuple[int, int, int]) -> bytes:
    """E.g. `1 year 2 mons -3 days +04:05:06.7`.

    A part behind a negative one carries its plus sign (`EncodeInterval` in `datetime.c`).
    """
    months, days, micros = value
    sign = -1 if months < 0 else 1
    years, months = sign * (abs(months) // 12), sign * (abs(months) % 12)
    parts: list[str] = []
    before_negative = False
    for count, unit in ((years, "year"), (months, "mon"), (days, "day")):
        if count:
            plus = "+" if before_negative and count > 0 else ""
            parts.append(f"{plus}{count} {unit}{'' if count == 1 else 's'}")
            before_negative = count < 0
    if micros or not parts:
        plus = "+" if before_negative else ""
        parts.append(("-" if micros < 0 else plus) + _clock(abs(micros)))
    return " ".join(parts).encode()


_pack_interval = struct.Struct(">qii").pack


def _encode_interval_binary(value: tuple[int, int, int]) -> bytes:
    months, days, micros = value
    return _pack_interval(micros, days, months)


def _decode_interval() -> Decode:
    def convert(micros: int, days: int, months: int) -> Value:
        if abs(micros) > _INTERVAL_MICROS_MAX:
            raise QueryError("interval out of range", sqlstate="22008")
        return months, days, micros

    return fixed_decoder("interval", "qii", convert)


def _interval(data_type: DataType) -> WireType:
    return WireType(
        oid=1186,
        array_oid=1187,
        length=16,
        encode_text=encode_interval_text,
        encode_binary=_encode_interval_binary,
        decode_text=text_decoder(data_type),
        decode_binary=_decode_interval(),
        encode_column_text=vector_times.interval_text(encode_interval_text),
        encode_column_binary=vector_times.interval_binary,
    )


register_type(Kind.DATE, _date)
register_type(Kind.TIME, _time)
register_type(Kind.TIMESTAMP, _timestamp)
register_type(Kind.TIMESTAMPTZ, _timestamptz)
register_type(Kind.INTERVAL, _interval)

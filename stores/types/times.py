"""date, time, timestamp, timestamptz and interval, in the ISO style and in UTC.

Physical values count from 1970; the binary form counts from 2000, in the same units
(`src/include/datatype/timestamp.h`). Years before Christ and beyond 9999 are held by both, though
not by Python's own classes. The planner reads dates, moments and intervals from text.
"""

from __future__ import annotations

import datetime as dt
import re
import struct
from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np
import pyarrow as pa

from stategate.stores.errors import ValueFormatError
from stategate.stores.types.moment_texts import (
    DAY_MINUTES,
    INT64_MAX,
    SECOND_MICROS,
    civil,
    date_parts,
    moment_printer,
    moments_printer,
)
from stategate.stores.types.record import (
    Canonical,
    Encode,
    KeyForm,
    SqlType,
    fixed_decoder,
    invalid_text,
)

_DAYS_TO_2000 = 10_957
_MINUTE_MICROS, _DAY_MICROS = 60_000_000, 86_400_000_000
_MICROS_TO_2000 = _DAYS_TO_2000 * _DAY_MICROS
_INT32_MAX = (1 << 31) - 1
_INTERVAL_MICROS_MAX = INT64_MAX // 1000
"""Arrow counts the nanoseconds of an interval."""
_EPOCH_DAY = dt.date(1970, 1, 1)

# --- text ----------------------------------------------------------------------------------------


@lru_cache(maxsize=8192)
def _hours_and_minutes(minutes: int) -> str:
    hour, minute = divmod(minutes, 60)
    return f"{hour:02d}:{minute:02d}"


def _clock(micros: int) -> str:
    """Return `HH:MM:SS`, with a fraction if there is one."""
    minutes, in_minute = divmod(micros, _MINUTE_MICROS)
    second, fraction = divmod(in_minute, SECOND_MICROS)
    if fraction:
        return f"{_hours_and_minutes(minutes)}:{second:02d}.{fraction:06d}".rstrip("0")
    return f"{_hours_and_minutes(minutes)}:{second:02d}"


def _date_text(value: int) -> bytes:
    """Return PostgreSQL's text of a date, e.g. `2013-01-01`, `0044-03-15 BC`, `infinity`."""
    if not -_INT32_MAX < value < _INT32_MAX:
        return _infinity(value).encode()
    date, suffix = date_parts(value)
    return date.encode() + suffix


def _interval_text(value: tuple[int, int, int]) -> bytes:
    """Return PostgreSQL's text of an interval, e.g. `1 year 2 mons -3 days +04:05:06.7`.

    A part after a negative one carries its plus sign (`EncodeInterval` in `datetime.c`).
    """
    months, days, micros = value
    sign = -1 if months < 0 else 1
    years, months = sign * (abs(months) // 12), sign * (abs(months) % 12)
    parts: list[str] = []
    is_after_negative = False
    for count, unit in ((years, "year"), (months, "mon"), (days, "day")):
        if count:
            plus = "+" if is_after_negative and count > 0 else ""
            parts.append(f"{plus}{count} {unit}{'' if count == 1 else 's'}")
            is_after_negative = count < 0
    if micros or not parts:
        plus = "+" if is_after_negative else ""
        parts.append(("-" if micros < 0 else plus) + _clock(abs(micros)))
    return " ".join(parts).encode()


_TIME = re.compile(r"(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{0,40}))?)?")


def _parse_time(text: str) -> int:
    found = _TIME.fullmatch(text.strip())
    if found is None:
        raise invalid_text(text, "time", sqlstate="22007")
    hours, minutes, seconds = int(found[1]), int(found[2]), int(found[3] or 0)
    # PostgreSQL rounds a double, and a half to the even microsecond.
    micros = round(float(f"0.{found[4] or 0}") * SECOND_MICROS)
    total = ((hours * 60 + minutes) * 60 + seconds) * SECOND_MICROS + micros
    if minutes > 59 or seconds > 59 or total > _DAY_MICROS:
        raise ValueFormatError(
            f'date/time field value out of range: "{text.strip()}"', sqlstate="22008"
        )
    return total


# --- binary --------------------------------------------------------------------------------------


def _shifted(value: int, *, by: int, most: int, least: int) -> int:
    """Return the count from another epoch; the ends of the range stand for infinity in both.

    Args:
        value: the count.
        by: how much it changes.
        most: infinity.
        least: minus infinity in the result; the binary form has the least integer for it, rows the
            opposite of infinity.

    Raises:
        ValueFormatError: it does not fit (22008).
    """
    if value >= most:
        return most
    if value <= -most:
        return least
    shifted = value + by
    if not -most - 1 < shifted < most:
        raise ValueFormatError("timestamp out of range", sqlstate="22008")
    return shifted


def _count_encoder(layout: str, epoch: int, most: int) -> Encode:
    pack, least = struct.Struct(">" + layout).pack, epoch - most

    def encode(value: int) -> bytes:
        if least <= value < most:  # all values but infinity and those that do not fit
            return pack(value - epoch)
        return pack(_shifted(value, by=-epoch, most=most, least=-most - 1))

    return encode


def _from_2000(epoch: int, most: int) -> Callable[[int], int]:
    return partial(_shifted, by=epoch, most=most, least=-most)


def _of_day(micros: int) -> int:
    """Return a time of day; 24:00 is valid, and differs from 0:00.

    Raises:
        ValueFormatError: it is not a time (22008).
    """
    if not 0 <= micros <= _DAY_MICROS:
        raise ValueFormatError("time out of range", sqlstate="22008")
    return micros


_pack_interval = struct.Struct(">qii").pack


def _encode_interval(value: tuple[int, int, int]) -> bytes:
    months, days, micros = value
    return _pack_interval(micros, days, months)


def _interval_of(micros: int, days: int, months: int) -> tuple[int, int, int]:
    if abs(micros) > _INTERVAL_MICROS_MAX:
        raise ValueFormatError("interval out of range", sqlstate="22008")
    return months, days, micros


# --- columns -------------------------------------------------------------------------------------


def _between(name: str, least: int, most: int, infinity: int | None) -> Canonical:
    """Return the `canonical` of counts between two ends, and of the two infinities, if any."""

    def canonical(column: pa.Array) -> pa.Array:
        counts = column.view(pa.int32() if column.type.bit_width == 32 else pa.int64())
        values = counts.fill_null(0).to_numpy()
        beyond = (values < least) | (values > most)
        if not beyond.any():
            return column
        if infinity is None or ((values > -infinity) & (values < infinity) & beyond).any():
            raise ValueFormatError(f"{name} out of range", sqlstate="22008")
        # The least integer stands for minus infinity, too; its opposite is no integer.
        kept = np.maximum(values, -infinity)
        return pa.array(kept, mask=column.is_null().to_numpy(zero_copy_only=False)).view(
            column.type
        )

    return canonical


_FIRST_DAY = -2_440_588
"""PostgreSQL's first day, in 4714 BC; the last one is in 5874897."""
_LAST_DAY = 2_145_042_905
_OF_DATE = _between("date", _FIRST_DAY, _LAST_DAY, _INT32_MAX)
_OF_MOMENT = _between("timestamp", _FIRST_DAY * _DAY_MICROS, INT64_MAX - 1, INT64_MAX)


# --- JSON ----------------------------------------------------------------------------------------


_CLOCK = [f"{minute // 60:02}:{minute % 60:02}:" for minute in range(DAY_MINUTES)]
_TWO_DIGITS = [f"{number:02}" for number in range(60)]
_THREE_DIGITS = [f"{number:03}" for number in range(1000)]


@lru_cache(maxsize=1 << 12)
def _date_cell(days: int) -> str:
    """Return a day of any year, as numpy writes it: the year before 1 is 0000."""
    if not -_INT32_MAX < days < _INT32_MAX:
        return _infinity(days)
    year, month, day = civil(days)
    return f"{year:04d}-{month:02d}-{day:02d}"


def _infinity(value: int) -> str:
    return "infinity" if value > 0 else "-infinity"


def _moment_cell(value: int, zone: str = "") -> str:
    if not -INT64_MAX < value < INT64_MAX:
        return _infinity(value)
    # Python's own class would take three times as long, and has not all years.
    second, micros = divmod(value, SECOND_MICROS)
    minute = second // 60
    days = minute // DAY_MINUTES
    date, of_day = _date_cell(days), _CLOCK[minute - days * DAY_MINUTES]
    of_minute = _TWO_DIGITS[second - minute * 60]
    if not micros:
        return f"{date}T{of_day}{of_minute}{zone}"
    milli = micros // 1000
    fraction = _THREE_DIGITS[milli] + _THREE_DIGITS[micros - milli * 1000]
    return f"{date}T{of_day}{of_minute}.{fraction}{zone}"


def _time_cell(value: int) -> str:
    seconds, micros = divmod(value, SECOND_MICROS)
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{text}.{micros:06}" if micros else text


def _interval_cell(value: tuple[int, int, int]) -> str:
    months, days, micros = value
    years = int(months / 12)  # towards zero, so that years and months have one sign
    months -= 12 * years
    date = "".join(f"{n}{unit}" for n, unit in ((years, "Y"), (months, "M"), (days, "D")) if n)
    sign = -1 if micros < 0 else 1
    seconds, fraction = divmod(abs(micros), SECOND_MICROS)
    hours, minutes, seconds = seconds // 3600, seconds // 60 % 60, seconds % 60
    time = "".join(f"{sign * n}{unit}" for n, unit in ((hours, "H"), (minutes, "M")) if n)
    if seconds or fraction:
        digits = f"{seconds}.{fraction:06}".rstrip("0").rstrip(".")
        time += f"{'-' if sign < 0 else ''}{digits}S"
    return f"P{date}{'T' if time else ''}{time}" if date or time else "PT0S"


# --- the records ---------------------------------------------------------------------------------

DATE = SqlType(
    name="date",
    parsed=("DATE",),
    postgres="date",
    spelled="date",
    oid=1082,
    array_oid=1182,
    length=4,
    duckdb="DATE",
    arrow=pa.date32(),
    canonical=_OF_DATE,
    read=(pa.date32(),),
    count=pa.int32(),
    slot="i",
    key=KeyForm.INTEGER,
    text=_date_text,
    encode=_count_encoder("i", _DAYS_TO_2000, _INT32_MAX),
    decode=fixed_decoder("date", "i", _from_2000(_DAYS_TO_2000, _INT32_MAX)),
    cell=_date_cell,
)
TIME = SqlType(
    name="time",
    parsed=("TIME",),
    postgres="time",
    spelled="time without time zone",
    oid=1083,
    array_oid=1183,
    length=8,
    duckdb="TIME",
    arrow=pa.time64("us"),
    canonical=_between("time", 0, _DAY_MICROS - 1, None),
    read=(pa.time64("us"),),
    count=pa.int64(),
    slot="q",
    text=lambda value: _clock(value).encode(),
    parse=_parse_time,
    encode=struct.Struct(">q").pack,
    decode=fixed_decoder("time", "q", _of_day),
    cell=_time_cell,
)
_timestamp_text, _timestamptz_text = moment_printer(b""), moment_printer(b"+00")
TIMESTAMP = SqlType(
    name="timestamp",
    aliases=("timestampwithouttimezone", "timestamp_ntz"),
    parsed=("TIMESTAMP", "TIMESTAMPNTZ"),
    postgres="timestamp",
    spelled="timestamp without time zone",
    oid=1114,
    array_oid=1115,
    length=8,
    duckdb="TIMESTAMP",
    arrow=pa.timestamp("us"),
    canonical=_OF_MOMENT,
    read=(pa.timestamp("us"),),
    count=pa.int64(),
    slot="q",
    key=KeyForm.INTEGER,
    text=_timestamp_text,
    texts=moments_printer(b"", _timestamp_text),
    encode=_count_encoder("q", _MICROS_TO_2000, INT64_MAX),
    decode=fixed_decoder("timestamp", "q", _from_2000(_MICROS_TO_2000, INT64_MAX)),
    cell=_moment_cell,
)
TIMESTAMPTZ = SqlType(
    name="timestamptz",
    aliases=("timestampwithtimezone",),
    parsed=("TIMESTAMPTZ", "TIMESTAMPLTZ"),
    postgres="timestamptz",
    spelled="timestamp with time zone",
    oid=1184,
    array_oid=1185,
    length=8,
    duckdb="TIMESTAMPTZ",
    arrow=pa.timestamp("us", tz="UTC"),
    canonical=_OF_MOMENT,
    read=(pa.timestamp("us", tz="UTC"),),
    count=pa.int64(),
    slot="q",
    key=KeyForm.INTEGER,
    text=_timestamptz_text,
    texts=moments_printer(b"+00", _timestamptz_text),
    encode=_count_encoder("q", _MICROS_TO_2000, INT64_MAX),
    decode=fixed_decoder("timestamptz", "q", _from_2000(_MICROS_TO_2000, INT64_MAX)),
    cell=partial(_moment_cell, zone="Z"),
)
INTERVAL = SqlType(
    name="interval",
    parsed=("INTERVAL",),
    postgres="interval",
    spelled="interval",
    oid=1186,
    array_oid=1187,
    length=16,
    duckdb="INTERVAL",
    spark=("interval year", "interval month", "interval year to month"),
    arrow=pa.month_day_nano_interval(),
    read=(pa.month_day_nano_interval(),),
    from_arrow=lambda value: (value.months, value.days, value.nanoseconds // 1000),
    to_arrow=lambda value: pa.MonthDayNano((value[0], value[1], value[2] * 1000)),
    slot="16s",
    packed=struct.Struct("<iiq"),
    text=_interval_text,
    encode=_encode_interval,
    decode=fixed_decoder("interval", "qii", _interval_of),
    cell=_interval_cell,
)

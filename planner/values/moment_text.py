"""Reads PostgreSQL's text forms of dates and moments: `2020-02-29 01:02 PM CET`, `20200229`.

A moment is a count of microseconds since 1970, in the Gregorian calendar for all dates. The
session's `TimeSettings` say whether `1/2/2020` is January 2, and in which zone a moment is that
names none.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence

from stategate.planner.errors import InvalidValueError
from stategate.planner.values.interval_text import interval_words, parse_interval
from stategate.planner.values.time_zones import offset_at
from stategate.planner.values.times.time_settings import PLAIN_TIMES, TimeSettings, time_settings

PLAIN_DATE = r"[1-9]\d{3}-\d{2}-\d{2}"
_PLAIN_TIME = r"(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?"
PLAIN_FORMS = {
    "time": _PLAIN_TIME,
    "date": PLAIN_DATE,
    "timestamp": rf"{PLAIN_DATE}(?:[ T]{_PLAIN_TIME})?",
    "timestamptz": rf"{PLAIN_DATE}(?:[ T]{_PLAIN_TIME}(?:[+-](?:0\d|1[0-4])(?::[0-5]\d)?)?)?",
}
"""The forms that DuckDB reads as PostgreSQL does, by type: patterns for DuckDB and Python."""

_MICROSECOND = dt.timedelta(microseconds=1)
_ZONE_MAX = dt.timedelta(hours=16)
_SECOND_US, _DAY_US = 1_000_000, 86_400_000_000
_CYCLE_YEARS, _CYCLE_DAYS = 400, 146_097
"""Years after which the calendar repeats, including the days of the week."""
_EPOCH = dt.date(1970, 1, 1)
_FIRST_DAY = -2_440_588
"""PostgreSQL's first day, 4714-11-24 BC."""
_MICROS_MAX = (1 << 63) - 1
_PYTHON_FIRST, _PYTHON_LAST = -62_135_500_000_000_000, 253_402_200_000_000_000
"""Times in Python's first and last day."""
_ERA = r"\s*\(?(?:BC|AD)\)?(?![A-Za-z])"
_STAMP = re.compile(
    rf"""
    (?: (?P<digits>\d{{6,}})
      | (?P<first>\d+) (?P<apart>[-/.]) (?P<second>\d+) (?P=apart) (?P<third>\d+) )
    (?P<early_era>{_ERA})?
    (?: (?:(?P<t>T)|\s+) (?P<hour>\d{{1,2}}) : (?P<minute>\d{{1,2}})
        (?: : (?P<seconds>\d{{1,2}}) (?:\.(?P<fraction>\d*))? )?
        (?: \s*(?P<half>[AP]M)(?![A-Za-z]) )? )?
    (?P<middle_era>{_ERA})?
    \s*(?P<zone>[+-]\d{{1,2}}(?::?\d{{2}}(?::\d{{2}})?)?|[A-Za-z][\w/+-]*)?
    (?P<late_era>{_ERA})?
    """,
    re.IGNORECASE | re.ASCII | re.VERBOSE,
)


_CLOCK = re.compile(
    r"""
    T? (?: (?P<hour>\d{1,2}) : (?P<minute>\d{1,2}) (?: : (?P<seconds>\d{0,2}) (?:\.(?P<fraction>\d*))? )?
      | (?P<of_minute>\d{1,2}) : (?P<of_second>\d{1,2}) \. (?P<of_fraction>\d+)
      | (?P<digits>\d{4}(?:\d\d(?:\.\d*)?)?) )
    (?: \s*(?P<half>[AP]M)(?![A-Za-z]) )?
    \s*(?P<zone>[+-]\d{1,2}(?::?\d{2}(?::\d{2})?)?|[A-Za-z]+)?
    """,  # noqa: E501 - one form a line
    re.IGNORECASE | re.ASCII | re.VERBOSE,
)
"""A time of day: `1:02:03.5 PM`, `12:30.5`, which are minutes, `010203`; then a zone."""


class MalformedMomentError(ValueError):
    """The text has none of PostgreSQL's forms."""


def parse_moment(
    text: str, *, is_date: bool = False, times: TimeSettings = PLAIN_TIMES
) -> tuple[int, int]:
    """Return the local time of a moment, and its offset from UTC, in microseconds.

    Args:
        text: any of the forms.
        is_date: whether the time of day is dropped after it is read; then 24:00 does not begin the
            next day.
        times: the settings of the session.

    Raises:
        MalformedMomentError: the text has none of the forms.
        InvalidValueError: it is not in the calendar (22008), or its zone is not known (22009,
            22023).
    """
    stripped = text.strip()
    if stripped.lower() == "epoch":
        return 0, 0
    found = _STAMP.fullmatch(stripped)
    if found is None:
        if re.fullmatch(r"\d{1,2}", stripped, re.ASCII) and not 1 <= int(stripped) <= 12:
            raise _out_of_range(stripped)  # two digits are a month
        raise MalformedMomentError
    try:
        micros = _micros_of(found)
        local = _days_of(found, times.order) * _DAY_US + (0 if is_date else micros)
    except MalformedMomentError:
        raise
    except ValueError:
        raise _out_of_range(stripped) from None
    if not _FIRST_DAY * _DAY_US <= local <= _MICROS_MAX:
        raise _out_of_range(stripped)
    if found["zone"] is None:
        return local, times.zone.ahead_at(local) * _SECOND_US
    return local, _zone_micros(found["zone"], local, stripped)


def time_words(text: str, kind: str, times: TimeSettings = PLAIN_TIMES) -> str:
    """Return a text that DuckDB reads as PostgreSQL reads the given one.

    Args:
        text: the given text.
        kind: `date`, `time`, `timestamp`, `timestamptz` or `interval`.
        times: the settings of the session.

    Raises:
        InvalidValueError: it is not a value of that type.
    """
    plain = PLAIN_FORMS.get(kind)
    if plain is None:
        return interval_words(parse_interval(text))
    if kind == "time":
        return _clock_shown(parse_clock(text, times))
    if text.strip().lower().lstrip("-") == "infinity":
        return text
    if times.is_plain and re.fullmatch(plain, text, re.ASCII):
        return text
    try:
        local, ahead = parse_moment(text, is_date=kind == "date", times=times)
    except MalformedMomentError:
        spelled = "timestamp with time zone" if kind == "timestamptz" else kind
        raise InvalidValueError(
            f'invalid input syntax for type {spelled}: "{text[:100]}"', sqlstate="22007"
        ) from None
    return moment_words(local - ahead if kind == "timestamptz" else local, kind)


def parse_clock(text: str, times: TimeSettings = PLAIN_TIMES) -> int:
    """Return a time of day in microseconds; its date and zone, if it has them, are dropped.

    Raises:
        InvalidValueError: the text has none of PostgreSQL's forms (22007), or no such time or day
            exists (22008).
    """
    stripped = text.strip()
    if stripped.lower() == "allballs":
        return 0
    found = _CLOCK.fullmatch(stripped)
    try:
        if found is not None:
            micros = _micros_of_clock(found)
        else:
            found = _STAMP.fullmatch(stripped)
            if found is None or found["hour"] is None or found["t"]:
                raise MalformedMomentError
            local = _days_of(found, times.order) * _DAY_US
            micros = _micros_of(found)
        if found["zone"]:
            _zone_micros(found["zone"], local if "t" in found.groupdict() else 0, stripped)
    except MalformedMomentError:
        shown = f'invalid input syntax for type time: "{text[:100]}"'
        raise InvalidValueError(shown, sqlstate="22007") from None
    except ValueError:
        raise _out_of_range(stripped) from None
    return micros


def _micros_of_clock(found: re.Match[str]) -> int:
    """Return a time of day in microseconds; raise ValueError if it does not exist."""
    if digits := found["digits"]:
        whole, _, fraction = digits.partition(".")
        fields = (whole[:2], whole[2:4], whole[4:], fraction)
    elif found["of_minute"]:
        fields = ("0", found["of_minute"], found["of_second"], found["of_fraction"])
    else:
        fields = (found["hour"], found["minute"], found["seconds"], found["fraction"])
    return _time_of_day([each or "0" for each in fields], found["half"])


def _clock_shown(micros: int) -> str:
    seconds, fraction = divmod(micros, _SECOND_US)
    minutes, seconds = divmod(seconds, 60)
    return f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}.{fraction:06}"


def words_in_session(text: str, kind: str, zone: str, order: str) -> str:
    """Return `time_words` for a session whose settings are a zone and the order of a date."""
    return time_words(text, kind, time_settings(zone, order))


def moment_words(moment: int, kind: str = "timestamptz") -> str:
    """Return a date or moment as a text that DuckDB reads, and that means the same everywhere.

    Args:
        moment: microseconds since 1970.
        kind: `date`, `timestamp` or `timestamptz`.
    """
    days, micros = divmod(moment, _DAY_US)
    year, month, day = civil(days)
    shown = f"{year if year > 0 else 1 - year:04}-{month:02}-{day:02}{'' if year > 0 else ' (BC)'}"
    if kind == "date":
        return shown
    return f"{shown} {_clock_shown(micros)}{'+00' if kind == 'timestamptz' else ''}"


def civil(days: int) -> tuple[int, int, int]:
    """Return the year, month and day of a count of days since 1970; 1 BC is the year 0."""
    cycles, within = divmod(days, _CYCLE_DAYS)
    day = _EPOCH + dt.timedelta(days=within)
    return day.year + cycles * _CYCLE_YEARS, day.month, day.day


def _fields_of(found: re.Match[str], order: str) -> tuple[str, str, str]:
    """Return the year, month and day of a date."""
    if digits := found["digits"]:
        return digits[:-4], digits[-4:-2], digits[-2:]
    first, second, third = found["first"], found["second"], found["third"]
    if len(first) > 2 or order == "YMD":
        return first, second, third
    return (third, second, first) if order == "DMY" else (third, first, second)


def _days_of(found: re.Match[str], order: str) -> int:
    """Return a date's count of days since 1970; raise ValueError if it does not exist."""
    year, month, day = _fields_of(found, order)
    eras = [each for each in (found["early_era"], found["middle_era"], found["late_era"]) if each]
    if len(eras) > 1:
        raise MalformedMomentError
    is_before = bool(eras) and "B" in eras[0].upper()
    number = int(year)
    if len(year) <= 2 and not is_before:
        number += 2000 if number < 70 else 1900
    if number < 1:
        raise ValueError("there is no year 0")
    if is_before:
        number = 1 - number
    return days_from_civil(number, int(month), int(day))


def days_from_civil(year: int, month: int, day: int) -> int:
    """Return the count of days since 1970 of a date; the year before 1 is 0.

    Raises:
        ValueError: it does not exist.
    """
    cycles, within = divmod(year - _EPOCH.year, _CYCLE_YEARS)
    first = dt.date(_EPOCH.year + within, month, day)
    return (first - _EPOCH).days + cycles * _CYCLE_DAYS


def _micros_of(found: re.Match[str]) -> int:
    """Return a time of day in microseconds; raise ValueError if it does not exist."""
    names = ("hour", "minute", "seconds", "fraction")
    return _time_of_day([found[name] or "0" for name in names], found["half"])


def _time_of_day(fields: Sequence[str], half: str | None) -> int:
    """Return a time of day of hours, minutes, seconds and a fraction of a second."""
    hour, minute, second = map(int, fields[:3])
    # PostgreSQL rounds a double, and a half to the even microsecond.
    micros = round(float(f"0.{fields[3]}") * _SECOND_US)
    if half:
        if hour > 12:
            raise ValueError("no such hour before or after noon")
        hour = hour % 12 + (12 if half.upper() == "PM" else 0)
    within = (minute * 60 + second) * _SECOND_US + micros
    total = hour * 3600 * _SECOND_US + within
    if minute > 59 or second > 60 or total > _DAY_US:
        raise ValueError("no such time of the day")
    return total


def _zone_micros(zone: str, local: int, text: str) -> int:
    if zone[0] not in "+-":
        return _named_offset(zone, local) // _MICROSECOND
    digits = zone[1:].replace(":", "")
    if len(digits) in {1, 3}:
        digits = "0" + digits
    hours, minutes, seconds = int(digits[:2]), int(digits[2:4] or 0), int(digits[4:6] or 0)
    offset = dt.timedelta(hours=hours, minutes=minutes, seconds=seconds)
    if offset >= _ZONE_MAX or max(minutes, seconds) > 59:
        shown = f'time zone displacement out of range: "{text[:100]}"'
        raise InvalidValueError(shown, sqlstate="22009")
    return (-offset if zone[0] == "-" else offset) // _MICROSECOND


def _named_offset(zone: str, local: int) -> dt.timedelta:
    if local > _PYTHON_LAST:
        local %= _CYCLE_DAYS * _DAY_US  # the same day in the cycle of 1970
    shown = dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=max(local, _PYTHON_FIRST))
    try:
        return offset_at(zone, shown)
    except InvalidValueError:
        if "/" in zone:
            raise
        raise MalformedMomentError from None  # a word that is not a zone


def _out_of_range(text: str) -> InvalidValueError:
    return InvalidValueError(
        f'date/time field value out of range: "{text[:100]}"', sqlstate="22008"
    )

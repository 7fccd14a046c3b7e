"""Reads PostgreSQL's text forms of intervals: `1 month - 1 day`, `1-2 3 04:05`, `P1Y2M3DT4H`.

An interval is (months, days, microseconds). Each part has its own sign, and is never converted to
another.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import TypeAlias

from stategate.planner.errors import InvalidValueError

Interval: TypeAlias = tuple[int, int, int]

_MICROS_MAX = (1 << 63) // 1000 - 1
"""Arrow counts nanoseconds: 292 years of hours, minutes and seconds."""
_INT32_MAX = (1 << 31) - 1
_DAY_US, _MONTH_DAYS = 86_400_000_000, 30
_TEXT_MAX, _DIGITS_MAX = 1_000, 40
_MONTHS = {
    1: "mon mons month months",
    12: "y yr yrs year years",
    120: "dec decs decade decades",
    1200: "c cent century centuries",
    12000: "mil mils millennia millennium",
}
_DAYS = {1: "d day days", 7: "w week weeks"}
_MICROS = {
    1: "us usec usecs usecond useconds microsecon microsecond microseconds",
    1000: "ms msec msecs msecond mseconds millisecon millisecond milliseconds",
    1_000_000: "s sec secs second seconds",
    60_000_000: "m min mins minute minutes",
    3_600_000_000: "h hr hrs hour hours",
}
_UNITS = {
    word: (part, size)
    for part, sizes in (("months", _MONTHS), ("days", _DAYS), ("micros", _MICROS))
    for size, words in sizes.items()
    for word in words.split()
}
"""The unit of each word: a part of the interval, and its size in that part."""
_TOKEN = re.compile(
    r"""[ \t\n,]*(?:
      (?P<clock>[+-]?[ ]*\d+:\d{1,2}(?::\d{1,2})?(?:\.\d*)?)
    | (?P<years>[+-]?[ ]*\d+-\d*(?:-\d+)*)(?![\d-])
    | (?P<number>[+-]?[ ]*(?:\d+(?:\.\d*)?|\.\d+))(?![\d:-])
    | (?P<word>[a-zA-Z]+)(?![a-zA-Z\d-])
    | (?P<at>@)
    | (?P<end>$)
    )""",
    re.VERBOSE,
)
_ISO = re.compile(r"P(?P<date>[^T]*)(?:T(?P<time>.+))?")
_ISO_FIELD = re.compile(r"([+-]?\d*\.?\d+)([YMWDHS])")
_ISO_DATE, _ISO_TIME = (
    {"Y": "year", "M": "mon", "W": "week", "D": "day"},
    {
        "H": "hour",
        "M": "min",
        "S": "sec",
    },
)
_ISO_PLAIN_DATE = re.compile(r"([+-]?\d+)-(\d+)-(\d+)")


_FIELD_UNITS = {
    "YEAR": ("months", 12),
    "MONTH": ("months", 1),
    "DAY": ("days", 1),
    "HOUR": ("micros", 3_600_000_000),
    "MINUTE": ("micros", 60_000_000),
    "SECOND": ("micros", 1_000_000),
}
_SPANS = {
    "YEAR TO MONTH",
    *(f"DAY TO {last}" for last in ("HOUR", "MINUTE", "SECOND")),
    *("HOUR TO MINUTE", "HOUR TO SECOND", "MINUTE TO SECOND"),
}
FIELDS = frozenset({*_FIELD_UNITS, *_SPANS})
"""The fields that may follow the word interval: `interval '5' DAY TO HOUR`."""


def last_unit(fields: str) -> tuple[str, int]:
    """Return the smallest of some fields: a part of the interval, and its size in that part."""
    return _FIELD_UNITS[fields.rpartition(" ")[2]]


def cut_to_fields(interval: Interval, fields: str) -> Interval:
    """Return an interval without what is smaller than the last of its fields.

    Source: PostgreSQL's AdjustIntervalForTypmod.
    """
    months, days, micros = interval
    part, size = last_unit(fields)
    if part == "months":
        return math.trunc(Fraction(months, size)) * size, 0, 0
    if part == "days":
        return months, days, 0
    return months, days, micros if size == 1_000_000 else math.trunc(Fraction(micros, size)) * size


def parse_interval(text: str, fields: str | None = None) -> Interval:
    """Return the interval of a text.

    Args:
        text: the text.
        fields: one of `FIELDS`: the last one is the unit of a bare number, and what is smaller is
            cut off.

    Raises:
        InvalidValueError: it is not an interval (22007), or too large for one (22015).
    """
    if len(text) > _TEXT_MAX:
        raise _invalid(text)
    is_iso = text.lstrip()[:1] == "P"
    found = _of_iso(text) if is_iso else _of_words(text, fields or "SECOND")
    return found if fields is None else cut_to_fields(found, fields)


def interval_words(interval: Interval) -> str:
    """Return a text of an interval that DuckDB reads."""
    months, days, micros = interval
    named = (("hour", 3_600_000_000), ("minute", 60_000_000), ("second", 1_000_000))
    unit, size = next((each for each in named if not micros % each[1]), ("microsecond", 1))
    counts = (("month", months), ("day", days), (unit, micros // size))
    shown = [f"{n} {name}{'' if n == 1 else 's'}" for name, n in counts if n]
    return " ".join(shown) or "0 days"


class _Sum:
    """The sum of the fields that were read; no unit occurs twice."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._parts = {"months": 0, "days": 0, "micros": 0}
        self._seen: set[tuple[str, int]] = set()
        self.factor = 1

    def add(self, number: str, unit: tuple[str, int]) -> None:
        """Add a number of units; its fraction goes to the smaller parts."""
        if unit in self._seen:
            raise _invalid(self._text)
        self._seen.add(unit)
        part, size = unit
        digits = number.replace(" ", "")
        if len(digits) > _DIGITS_MAX:
            raise _too_large(self._text)
        count = Fraction(digits)
        whole = int(count)
        rest = (count - whole) * size
        self._parts[part] += whole * size
        if part == "micros":
            self._parts["micros"] += round(rest)
        elif part == "days" or size == 1:
            self._add_days(rest if part == "days" else rest * _MONTH_DAYS)
        else:
            self._parts["months"] += round(rest)

    def _add_days(self, days: Fraction) -> None:
        whole = int(days)
        self._parts["days"] += whole
        self._parts["micros"] += round((days - whole) * _DAY_US)

    def add_clock(self, clock: str, *, ends_in_seconds: bool = False) -> None:
        """Add `04:05:06.7`; `05:06.7` is minutes and seconds, as `05:06` can be."""
        sign = -1 if clock[0] == "-" else 1
        fields = clock.lstrip("+- ").split(":")
        if len(fields) == 2:
            fields = ["0", *fields] if "." in fields[1] or ends_in_seconds else [*fields, "0"]
        seconds = Fraction(fields[2].rstrip(".") or 0)
        hours, minutes = int(fields[0][:_DIGITS_MAX]), int(fields[1])
        units = {("micros", size) for size in (1_000_000, 60_000_000, 3_600_000_000)}
        if units & self._seen:
            raise _invalid(self._text)
        if minutes > 59 or seconds > 60:
            raise _too_large(self._text)
        self._seen |= units
        total = (hours * 60 + minutes) * 60_000_000 + round(seconds * 1_000_000)
        self._parts["micros"] += sign * total

    def add_years(self, field: str) -> None:
        """Add `1-2`, years and months."""
        sign = "-" if field[0] == "-" else ""
        years, months, *rest = field.lstrip("+- ").split("-")
        if int(months[:_DIGITS_MAX] or 0) > 11:
            raise _too_large(self._text)
        if rest:
            raise _invalid(self._text)  # a date; an error in its months comes first
        self.add(f"{sign}{years}", ("months", 12))
        self.add(f"{sign}{months or 0}", ("months", 1))

    def interval(self) -> Interval:
        """Return the sum.

        Raises:
            InvalidValueError: no field was read (22007), or the sum is too large (22015).
        """
        if not self._seen:
            raise _invalid(self._text)
        months, days, micros = (self.factor * part for part in self._parts.values())
        if max(abs(months), abs(days)) > _INT32_MAX or abs(micros) > _MICROS_MAX:
            raise _too_large(self._text)
        return months, days, micros


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None or found.lastgroup is None:
            raise _invalid(text)
        if found.lastgroup != "end":
            yield found.lastgroup, found[found.lastgroup]
        at = found.end()


def _of_words(text: str, fields: str) -> Interval:
    """Read the fields from the last to the first, because the unit follows the number."""
    total, unit, is_used = _Sum(text), None, True
    tokens = list(_tokens(text.rstrip()))
    if tokens and tokens[-1][0] == "word" and tokens[-1][1].lower() == "ago":
        tokens.pop()
        total.factor = -1
    for kind, token in reversed(tokens):
        if kind == "word":
            unit = _UNITS.get(token.lower()) if is_used else None
            if unit is None:
                raise _invalid(text)
        elif kind == "clock":
            total.add_clock(token, ends_in_seconds=fields == "MINUTE TO SECOND")
            unit = "days", 1
        elif kind == "years":
            total.add_years(token)
            unit = "days", 1
        elif kind == "number":
            unit = unit or last_unit(fields)
            total.add(token, unit)
            unit = ("days", 1) if unit == _FIELD_UNITS["HOUR"] else unit
        is_used = kind != "word"
    if not is_used:
        raise _invalid(text)
    return total.interval()


def _of_iso(text: str) -> Interval:
    """Read `P1Y2M3DT4H5M6S` or `P0001-02-03T04:05:06`."""
    found = _ISO.fullmatch(text.strip())
    if found is None:
        raise _invalid(text)
    total = _Sum(text)
    plain = _ISO_PLAIN_DATE.fullmatch(found["date"])
    if plain is not None:
        for number, unit in zip(plain.groups(), ("year", "mon", "day"), strict=True):
            total.add(number, _UNITS[unit])
    else:
        _add_fields(total, text, found["date"], _ISO_DATE)
    time = found["time"]
    if time is not None and _TOKEN.fullmatch(time) and ":" in time:
        total.add_clock(time)
    elif time is not None:
        _add_fields(total, text, time, _ISO_TIME)
    return total.interval()


def _add_fields(total: _Sum, text: str, fields: str, units: dict[str, str]) -> None:
    at = 0
    while at < len(fields):
        found = _ISO_FIELD.match(fields, at)
        if found is None or found[2] not in units:
            raise _invalid(text)
        total.add(found[1], _UNITS[units[found[2]]])
        at = found.end()


def _invalid(text: str) -> InvalidValueError:
    shown = text if len(text) <= 100 else text[:100] + "…"
    return InvalidValueError(f'invalid input syntax for type interval: "{shown}"', sqlstate="22007")


def _too_large(text: str) -> InvalidValueError:
    return InvalidValueError(
        f'interval field value out of range: "{text.strip()[:100]}"', sqlstate="22015"
    )

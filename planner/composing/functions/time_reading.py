"""PostgreSQL's to_date and to_timestamp: read a text by a template.

Source: formatting.c of PostgreSQL. A field takes as many characters as it has, or all digits if a
character that is no digit follows it in the template. Spaces around fields do not count; each other
character of the template takes one of the text, with which the template ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from stategate.planner.composing.functions.time_templates import FIELD_OF, TOKEN, literal_of
from stategate.planner.errors import InvalidValueError, NotSupportedError

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_LONG_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august"),
    *("september", "october", "november", "december"),
)
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_LONG_DAYS = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
_ROMAN = ("xii", "xi", "x", "ix", "viii", "vii", "vi", "v", "iv", "iii", "ii", "i")
_INTEGER = re.compile(r"[ \t-\r]*([+-]?)0*([0-9]+)")
_THOUSANDS = re.compile(r"[ \t-\r]*([+-]?[0-9]{1,7}),[ \t-\r]*([+-]?[0-9]{1,3})")
_SPACES = " \t\n\r\v\f"
_TEMPLATE_MAX = 10_000
"""Characters of a template."""
_DAYS_BEFORE = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365)
_DAY_US: Final = 86_400_000_000
_FIRST_US, _LAST_US = -210_866_803_200_000_000, 9_223_371_331_200_000_000
"""The moments that PostgreSQL has: from 4713 BC on, and before 294277."""
_FIRST_DAY, _LAST_DAY = -2_440_588, 2_145_031_948
"""The first is Julian day 0."""


class _Piece(NamedTuple):
    """A field of a template, or one character."""

    field: str
    """The field as it is usually written; empty for a character."""
    written: str
    fills: bool = False
    """Whether FM stands before it."""
    has_ending: bool = False
    """Whether TH follows it."""
    is_text: bool = False
    """Whether the character is in quotes."""


class _Number(NamedTuple):
    """How a field of digits is read."""

    name: str
    """The value that it gives; empty if it does not matter."""
    length: int
    units: int = 0
    """The digits of a fraction; fewer are followed by zeros."""


_NUMBERS: Mapping[str, _Number] = {
    **dict.fromkeys(("HH", "HH12", "HH24"), _Number("hour", 2)),
    "MI": _Number("minute", 2),
    "SS": _Number("second", 2),
    "MS": _Number("ms", 3, 3),
    "US": _Number("us", 6, 6),
    **{f"FF{digits}": _Number("us", digits, 6) for digits in range(1, 7)},
    "SSSS": _Number("seconds", 4),
    "SSSSS": _Number("seconds", 5),
    "MM": _Number("month", 2),
    "DD": _Number("day", 2),
    "DDD": _Number("day_of_year", 3),
    "D": _Number("day_of_week", 1),
    "Q": _Number("", 1),
    "CC": _Number("century", 2),
    "YYYY": _Number("year", 4),
    "YYY": _Number("year", 3),
    "YY": _Number("year", 2),
    "Y": _Number("year", 1),
    "J": _Number("julian", 1),
}
_WORDS: Mapping[str, tuple[str, Sequence[str], Callable[[int], int]]] = {
    **dict.fromkeys(("AM", "PM", "am", "pm"), ("is_pm", ("am", "pm"), lambda at: at)),
    **dict.fromkeys(("A.M.", "P.M.", "a.m.", "p.m."), ("is_pm", ("a.m.", "p.m."), lambda at: at)),
    **dict.fromkeys(("BC", "AD", "bc", "ad"), ("is_bc", ("ad", "bc"), lambda at: at)),
    **dict.fromkeys(("B.C.", "A.D.", "b.c.", "a.d."), ("is_bc", ("a.d.", "b.c."), lambda at: at)),
    **dict.fromkeys(("Mon", "MON", "mon"), ("month", _MONTHS, lambda at: at + 1)),
    **dict.fromkeys(("Month", "MONTH", "month"), ("month", _LONG_MONTHS, lambda at: at + 1)),
    **dict.fromkeys(("RM", "rm"), ("month", _ROMAN, lambda at: 12 - at)),
    **dict.fromkeys(("Dy", "DY", "dy"), ("day_of_week", _DAYS, lambda at: at + 1)),
    **dict.fromkeys(("Day", "DAY", "day"), ("day_of_week", _LONG_DAYS, lambda at: at + 1)),
}
"""The value that a field of letters gives, its words, and the number of each."""
_FIXED = {"YYYY": "%Y", "MM": "%m", "DD": "%d", "HH24": "%H", "MI": "%M", "SS": "%S"}
_TWELVE_HOURS = {"HH", "HH12", *(name for name, word in _WORDS.items() if word[0] == "is_pm")}


def check_template(template: str) -> None:
    """Refuse a template with a field that is not read.

    Raises:
        NotSupportedError: a field is not supported.
    """
    _pieces(template)


def strptime_format(template: str) -> str | None:
    """Return the format by which DuckDB reads plain texts of a template; None if it reads none.

    It reads them ten times as fast. It is to give NULL for all others.
    """
    pieces = _pieces(template)
    is_plain = all(
        each.field in _FIXED and not (each.fills or each.has_ending)
        if each.field
        else _is_separator(each.written) and each.written != "%"
        for each in pieces
    )
    fields = [each.field for each in pieces if each.field]
    if not is_plain or "YYYY" not in fields or len(set(fields)) < len(fields):
        return None
    return "".join(_FIXED[each.field] if each.field else each.written for each in pieces)


def day_by_template(text: str, template: str) -> int:
    """Return the day that `to_date` reads, in days since 1970.

    Raises:
        InvalidValueError: the text does not fit the template (22007), or is out of range (22008).
        NotSupportedError: a field of the template is not supported.
    """
    day, _ = _read(text, template)
    if not _FIRST_DAY <= day <= _LAST_DAY:
        raise _out_of_range(f'date out of range: "{text}"')
    return day


def moment_by_template(text: str, template: str) -> int:
    """Return the moment that `to_timestamp` reads, in microseconds since 1970 without a zone.

    Raises:
        InvalidValueError, NotSupportedError: as `day_by_template`.
    """
    day, of_day_us = _read(text, template)
    moment_us = day * _DAY_US + of_day_us
    if not _FIRST_US <= moment_us < _LAST_US:
        raise _out_of_range("timestamp out of range")
    return moment_us


@lru_cache(maxsize=16)
def _pieces(template: str) -> Sequence[_Piece]:
    if len(template) > _TEMPLATE_MAX:
        raise NotSupportedError(f"a template of more than {_TEMPLATE_MAX} characters")
    found: list[_Piece] = []
    for token in TOKEN.finditer(template):
        name = FIELD_OF.get(token["field"])
        if name is None:
            is_text = token["quoted"] is not None
            found += [_Piece("", each, is_text=is_text) for each in literal_of(token)]
            continue
        if name not in _NUMBERS and name not in _WORDS and name not in {"FX", "Y,YYY"}:
            raise NotSupportedError(
                f'the field "{token["field"]}" is not supported in templates that read times'
            )
        fills, ending = (token["fill"] or "").upper() == "FM", token["ending"] or ""
        found.append(_Piece(name, token["field"], fills, ending.upper() == "TH"))
    return found


class _Reader:
    """Reads the fields of one text."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.values: dict[str, int] = {}
        self.is_exact = False
        """Whether FX came before: each character of the template takes one of the text."""
        self.year_digits = 0
        self.is_twelve = False
        self._skipped = 0

    def is_over(self) -> bool:
        """Whether nothing is left to read."""
        return self.at >= len(self.text)

    def skip_spaces(self) -> None:
        """Skip spaces, which stand for characters of the template that are missing."""
        while not self.is_over() and self.text[self.at] in _SPACES:
            self.at += 1
            self._skipped += 1

    def skip(self, piece: _Piece) -> None:
        """Read what stands for a character of the template."""
        is_loose = not (piece.is_text or piece.written.isalnum() or ord(piece.written) > 127)
        if self.is_exact:
            self.at += 1
        elif is_loose:
            self._skipped -= 1
            if _is_separator(self.text[self.at]):
                self.at += 1
                self._skipped += 1
        elif self._skipped > 0:
            self._skipped -= 1
        else:
            self.at += 1

    def read(self, piece: _Piece, following: _Piece | None) -> None:
        """Read a field."""
        if piece.field == "Y,YYY":
            self._read_thousands()
        elif piece.field in _WORDS:
            name, words, number = _WORDS[piece.field]
            self._set(name, number(self._word(piece, words)), piece)
        else:
            self._read_number(piece, following)
        self.is_twelve |= piece.field in _TWELVE_HOURS
        self.at += 2 if piece.has_ending else 0
        if not self.is_exact:
            self._skipped = 0
            self.skip_spaces()

    def _word(self, piece: _Piece, words: Sequence[str]) -> int:
        for at, word in enumerate(words):
            if self.text[self.at : self.at + len(word)].lower() == word:
                self.at += len(word)
                return at
        shown = re.split(r"\s", self.text[self.at :], maxsplit=1)[0]
        raise _invalid(f'invalid value "{shown}" for "{piece.written}"')

    def _read_thousands(self) -> None:
        found = _THOUSANDS.match(self.text, self.at)
        if found is None:
            raise _invalid('invalid input string for "Y,YYY"')
        self.at, self.year_digits = found.end(), 4
        self._set("year", int(found[1]) * 1000 + int(found[2]), _Piece("Y,YYY", "Y,YYY"))

    def _read_number(self, piece: _Piece, following: _Piece | None) -> None:
        kind, start = _NUMBERS[piece.field], self.at
        is_open = piece.fills or piece.has_ending or _ends_number(following)
        value = self._digits(piece, kind.length, is_open=is_open)
        taken = self.at - start
        if not taken:
            shown = self.text[start : start + kind.length]
            raise _invalid(f'invalid value "{shown}" for "{piece.written}"')
        if abs(value) >= 1 << 31:
            raise _out_of_range(f'value for "{piece.written}" in source string is out of range')
        if kind.units:
            value *= 10 ** max(0, kind.units - taken)
        if kind.name == "year":
            self.year_digits = kind.length
            value = _full_year(value) if kind.length < 4 and taken < 4 else value
        if kind.name:
            self._set(kind.name, value, piece)

    def _digits(self, piece: _Piece, length: int, *, is_open: bool) -> int:
        if is_open:
            found = _INTEGER.match(self.text, self.at)
            self.at = self.at if found is None else found.end()
            return 0 if found is None else _whole(found)
        self.skip_spaces()
        given = self.text[self.at : self.at + length]
        if len(given) < length:
            raise _invalid(f'source string too short for "{piece.written}" formatting field')
        found = _INTEGER.match(given)
        used = 0 if found is None else found.end()
        if 0 < used < length:
            raise _invalid(f'invalid value "{given}" for "{piece.written}"')
        self.at += used
        return 0 if found is None else _whole(found)

    def _set(self, name: str, value: int, piece: _Piece) -> None:
        if self.values.get(name, 0) not in {0, value}:
            raise _invalid(f'conflicting values for "{piece.written}" field in formatting string')
        self.values[name] = value


def _read(text: str, template: str) -> tuple[int, int]:
    """Return the day since 1970, and the microseconds of the day."""
    reader, pieces = _Reader(text), _pieces(template)
    for at, piece in enumerate(pieces):
        if reader.is_over():
            break
        if piece.field == "FX":
            reader.is_exact = True
            continue
        if not reader.is_exact and (piece.field or at == 0):
            reader.skip_spaces()
        if piece.field:
            reader.read(piece, pieces[at + 1] if at + 1 < len(pieces) else None)
        elif not reader.is_over():
            reader.skip(piece)
    return _day(reader, text), _time(reader, text)


def _day(reader: _Reader, text: str) -> int:
    found = reader.values
    year = _year(reader)
    has_year = bool(found.get("year") or found.get("century"))
    if found.get("julian"):
        return found["julian"] + _FIRST_DAY
    has_month, has_day = bool(found.get("month")), bool(found.get("day"))
    month, day = found.get("month") or 1, found.get("day") or 1
    if (of_year := found.get("day_of_year")) and (month <= 1 or day <= 1):
        if not year and not found.get("is_bc"):
            raise _invalid("cannot calculate day of year without year information")
        before = [days + (at > 1 and _is_leap(year)) for at, days in enumerate(_DAYS_BEFORE)]
        place = next((at for at in range(1, 13) if of_year <= before[at]), 13)
        month = place if month <= 1 else month
        day = of_year - before[place - 1] if day <= 1 else day
        has_month = has_day = True
    if not (1 <= month <= 12 and 1 <= day <= 31):
        raise _out_of_range(f'date/time field value out of range: "{text}"')
    most = _DAYS_BEFORE[month] - _DAYS_BEFORE[month - 1] + (month == 2 and _is_leap(year))
    if has_year and has_month and has_day and day > most:
        raise _out_of_range(f'date/time field value out of range: "{text}"')
    return _first_of(year, month) + day - 1


def _year(reader: _Reader) -> int:
    """Return the year, in which 0 is 1 BC."""
    found = reader.values
    year, century, is_bc = found.get("year", 0), found.get("century", 0), found.get("is_bc", 0)
    century = -century if is_bc else century
    if year and century and reader.year_digits <= 2:
        year %= 100
        if not year:
            return century * 100 + (0 if century >= 0 else 1)
        return year + (century - 1) * 100 if century >= 0 else (century + 1) * 100 - year + 1
    if year:
        year = -year if is_bc else year
        return year + 1 if year < 0 else year
    if century:
        return (century - 1) * 100 + 1 if century >= 0 else century * 100 + 1
    return 0


def _time(reader: _Reader, text: str) -> int:
    found = reader.values
    seconds = found.get("seconds", 0)
    hour = found.get("hour") or seconds // 3600
    minute = found.get("minute") or seconds // 60 % 60
    second = found.get("second") or seconds % 60
    if reader.is_twelve:
        if not 1 <= hour <= 12:
            raise _invalid(f'hour "{hour}" is invalid for the 12-hour clock')
        hour = hour % 12 + (12 if found.get("is_pm") else 0)
    fraction = found.get("ms", 0) * 1000 + found.get("us", 0)
    in_range = 0 <= hour < 24 and 0 <= minute < 60 and 0 <= second < 60
    if not in_range or not 0 <= fraction < 1_000_000:
        raise _out_of_range(f'date/time field value out of range: "{text}"')
    return ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction


def _whole(found: re.Match[str]) -> int:
    """Return an integer; one of more digits than these is out of range all the same."""
    return int(found[1] + found[2][:11])


def _ends_number(following: _Piece | None) -> bool:
    """Whether what follows a number in the template is certainly no digit."""
    if following is None:
        return True
    if following.field:
        return following.field not in _NUMBERS and following.field != "Y,YYY"
    return not following.written.isdigit()


def _is_separator(char: str) -> bool:
    return char in _SPACES or ("!" <= char <= "~" and not char.isalnum())


def _full_year(year: int) -> int:
    """Return the year next to 2020 that ends so."""
    for below, more in ((70, 2000), (100, 1900), (520, 2000), (1000, 1000)):
        if year < below:
            return year + more
    return year


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _first_of(year: int, month: int) -> int:
    """Return the first day of a month in days since 1970."""
    before = year - 1
    of_years = before * 365 + before // 4 - before // 100 + before // 400 - 719_162
    return of_years + _DAYS_BEFORE[month - 1] + (month > 2 and _is_leap(year))


def _invalid(said: str) -> InvalidValueError:
    return InvalidValueError(said, sqlstate="22007")


def _out_of_range(said: str) -> InvalidValueError:
    return InvalidValueError(said, sqlstate="22008")

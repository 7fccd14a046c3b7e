"""Postgres's templates of to_char, to_date and to_timestamp as strftime formats, where they are.

A template that strftime has no form for is written out row by row, by `time_text`.
"""

from __future__ import annotations

import datetime as dt
import re

_FIELDS = {
    "YYYY": "%Y",
    "IYYY": "%G",
    "YY": "%y",
    "MM": "%m",
    "DDD": "%j",
    "DD": "%d",
    "HH24": "%H",
    "HH12": "%I",
    "HH": "%I",
    "MI": "%M",
    "SS": "%S",
    "MS": "%g",
    "US": "%f",
    "AM": "%p",
    "PM": "%p",
    "IW": "%V",
    "ID": "%u",
    "Mon": "%b",
    "Dy": "%a",
    "TZ": "UTC",
    "OF": "+00",
}
_OTHERS = (
    *("Month", "MONTH", "month", "MON", "mon", "Day", "DAY", "day", "DY", "dy", "FF3", "FF6"),
    *("SSSSS", "SSSS", "Q", "WW", "W", "D", "J", "CC", "RM", "rm", "Y,YYY", "YYY", "Y", "IYY"),
    *("IY", "A.M.", "P.M.", "a.m.", "p.m.", "am", "pm", "BC", "AD", "tz", "IDDD", "I"),
)
_TOKEN = re.compile(
    r'(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<fill>FM|fm)?(?P<field>'
    + "|".join(sorted(map(re.escape, (*_FIELDS, *_OTHERS)), key=len, reverse=True))
    + r")(?P<ordinal>TH|th)?|(?P<plain>.)",
    re.DOTALL,
)
_FOLDED = {name.upper(): name for name in ("YYYY", "IYYY", "YY", "MM", "DDD", "DD", "HH24", "HH12")}
_FOLDED |= {name: name for name in ("HH", "MI", "SS", "MS", "US", "IW", "ID")}
_LOWER = re.compile("|".join(sorted((n.lower() for n in _FOLDED), key=len, reverse=True)))
_ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
_READABLE = {"YYYY", "MM", "DD", "HH24", "HH12", "HH", "MI", "SS", "MS", "US", "AM", "PM", "Mon"}
_READ_AS = {"Month": "%B", "MONTH": "%B", "MON": "%b", "mon": "%b", "month": "%B", "DDD": "%j"}


def strftime_format(template: str) -> str | None:
    """The strftime format that writes what `to_char` writes; None if there is none."""
    pieces: list[str] = []
    for found in _TOKEN.finditer(_upper(template)):
        if found["fill"] or found["ordinal"]:
            return None
        if found["field"]:
            field = _FIELDS.get(found["field"])
            if field is None:
                return None
            pieces.append(field)
        else:
            pieces.append(_literal(found).replace("%", "%%"))
    return "".join(pieces)


def strptime_format(template: str) -> str | None:
    """The strptime format that reads what `to_timestamp` reads; None if there is none."""
    pieces: list[str] = []
    for found in _TOKEN.finditer(_upper(template)):
        name = found["field"]
        if found["ordinal"]:
            return None
        if name:
            field = _READ_AS.get(name) or (_FIELDS[name] if name in _READABLE else None)
            if field is None:
                return None
            pieces.append(field)
        else:
            pieces.append(_literal(found).replace("%", "%%"))
    return "".join(pieces)


def _upper(template: str) -> str:
    """Fields that mean the same in lower case, in upper case; quoted text as it is."""
    parts = re.split(r'("(?:[^"\\]|\\.)*")', template)
    return "".join(
        part if i % 2 else _LOWER.sub(lambda found: found[0].upper(), part)
        for i, part in enumerate(parts)
    )


def _literal(found: re.Match[str]) -> str:
    quoted = found["quoted"]
    return re.sub(r"\\(.)", r"\1", quoted[1:-1]) if quoted else found["plain"]


def time_text(micros: int, template: str) -> str:
    """A moment, in microseconds since 1970 UTC, as `to_char` writes it."""
    moment = dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=micros)
    pieces: list[str] = []
    for found in _TOKEN.finditer(_upper(template)):
        name = found["field"]
        if not name:
            pieces.append(_literal(found))
            continue
        text = _field_text(moment, name, fill=not found["fill"])
        if found["fill"] and text.isdigit():
            text = text.lstrip("0") or "0"
        ordinal = found["ordinal"]
        pieces.append(text + (_ordinal(text, ordinal) if ordinal else ""))
    return "".join(pieces)


def _field_text(moment: dt.datetime, name: str, *, fill: bool) -> str:
    if name.lower() in {"month", "day"}:
        text = moment.strftime("%B" if name.lower() == "month" else "%A")
        return _cased(text, name).ljust(9 if fill else 0)
    if name.lower() in {"mon", "dy"}:
        return _cased(moment.strftime("%b" if name.lower() == "mon" else "%a"), name)
    if name.replace(".", "").lower() in {"am", "pm"}:
        text = "pm" if moment.hour >= 12 else "am"
        text = f"{text[0]}.{text[1]}." if "." in name else text
        return text.upper() if name[0].isupper() else text
    plain = _FIELDS.get(name)
    if plain == "%g":
        return f"{moment.microsecond // 1000:03}"
    if plain is not None and plain not in {"%Y", "%G"}:  # these are not padded
        return moment.strftime(plain)
    return _rare_text(moment, name, fill=fill)


def _cased(text: str, name: str) -> str:
    if name.isupper():
        return text.upper()
    return text.lower() if name.islower() else text


def _rare_text(moment: dt.datetime, name: str, *, fill: bool) -> str:
    year, iso = moment.year, moment.isocalendar()
    day = moment.timetuple().tm_yday
    seconds = moment.hour * 3600 + moment.minute * 60 + moment.second
    roman = _ROMAN[moment.month - 1].ljust(4 if fill else 0)
    return {
        "FF3": f"{moment.microsecond // 1000:03}",
        "FF6": f"{moment.microsecond:06}",
        "SSSS": str(seconds),
        "SSSSS": str(seconds),
        "Q": str((moment.month + 2) // 3),
        "WW": f"{(day + 6) // 7:02}",
        "W": str((moment.day + 6) // 7),
        "D": str(moment.isoweekday() % 7 + 1),
        "J": str(moment.toordinal() + 1_721_425),
        "CC": f"{(year + 99) // 100:02}",
        "RM": roman,
        "rm": roman.lower(),
        "YYYY": f"{year:04}",
        "IYYY": f"{iso.year:04}",
        "Y,YYY": f"{year // 1000},{year % 1000:03}",
        "YYY": f"{year % 1000:03}",
        "Y": str(year % 10),
        "IYY": f"{iso.year % 1000:03}",
        "IY": f"{iso.year % 100:02}",
        "I": str(iso.year % 10),
        "IDDD": f"{(iso.week - 1) * 7 + iso.weekday:03}",
        "BC": "AD",
        "AD": "AD",
        "tz": "utc",
    }[name]


def _ordinal(text: str, spelled: str) -> str:
    number = int(text) if text.isdigit() else 0
    teen = 10 < number % 100 < 14
    suffix = "th" if teen else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return suffix.upper() if spelled.isupper() else suffix

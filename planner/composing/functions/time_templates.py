"""PostgreSQL's templates of to_char, to_date and to_timestamp, as formats of strftime.

If strftime lacks a field of the template, Python writes the text, row by row (`time_text`).
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping

from stategate.planner.values.times.time_settings import zone_of

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
    "TZH": "+00",
    "TZM": "00",
}
_OTHERS = (
    *("Month", "MONTH", "month", "MON", "mon", "Day", "DAY", "day", "DY", "dy"),
    *("FF1", "FF2", "FF3", "FF4", "FF5", "FF6", "B.C.", "A.D.", "b.c.", "a.d.", "bc", "ad"),
    *("SSSSS", "SSSS", "Q", "WW", "W", "D", "J", "CC", "RM", "rm", "Y,YYY", "YYY", "Y", "IYY"),
    *("IY", "A.M.", "P.M.", "a.m.", "p.m.", "am", "pm", "BC", "AD", "tz", "IDDD", "I", "FX"),
)
_EITHER_CASE = [
    name
    for name in (*_FIELDS, *_OTHERS)
    if name == name.upper() and name.lower() not in {*_FIELDS, *_OTHERS}
]
"""Fields that are also written in lower case, with the same meaning."""
FIELD_OF = {
    **{name: name for name in (*_FIELDS, *_OTHERS)},
    **{name.lower(): name for name in _EITHER_CASE},
}
"""The field of each way to write it."""
TOKEN = re.compile(
    r'(?P<quoted>"(?:[^"\\]|\\.)*(?:"|\\?\Z))|(?P<fill>FM|fm|TM|tm)?(?:(?P<field>'
    + "|".join(sorted(map(re.escape, FIELD_OF), key=len, reverse=True))
    + r')(?P<ending>TH|th|SP)?|(?P<plain>\\"|.)|(?<=[Mm])\Z)',
    re.DOTALL,
)
"""A quoted text; a field; or a character, for which `\\"` is written to have a `"`. What stands
before a field, and is written before a character, has no effect on the latter."""
_ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")


def strftime_format(template: str) -> str | None:
    """Return the strftime format for a `to_char` template; None if strftime cannot write it."""
    pieces: list[str] = []
    for found in TOKEN.finditer(template):
        if found["fill"] or found["ending"]:
            return None
        if found["field"]:
            field = _FIELDS.get(FIELD_OF[found["field"]])
            if field is None:
                return None
            pieces.append(field)
        else:
            pieces.append(literal_of(found).replace("%", "%%"))
    return "".join(pieces)


_OF_ZONE = frozenset({"TZ", "tz", "TZH", "TZM", "OF"})


def shows_zone(template: str) -> bool:
    """Return whether a template of `to_char` shows the zone."""
    return any(FIELD_OF.get(found["field"]) in _OF_ZONE for found in TOKEN.finditer(template))


def zoned_time_text(micros: int, template: str, zone: str) -> str:
    """Return a moment as `to_char` writes it in a zone; see `time_text`."""
    in_zone = zone_of(zone)
    ahead_s = in_zone.ahead_of(micros)
    shown = {each: _zone_text(each, in_zone.abbreviation_of(micros), ahead_s) for each in _OF_ZONE}
    return time_text(micros + ahead_s * 1_000_000, template, shown)


def _zone_text(field: str, abbreviation: str, ahead_s: int) -> str:
    """Return a field of the zone; none of them shows seconds."""
    hours, minutes = divmod(abs(ahead_s) // 60, 60)
    sign = "-" if ahead_s < 0 else "+"
    match field:
        case "TZ":
            return abbreviation
        case "tz":
            return abbreviation.lower()
        case "TZH":
            return f"{sign}{hours:02}"
        case "TZM":
            return f"{minutes:02}"
    return f"{sign}{hours:02}" + (f":{minutes:02}" if minutes else "")


def local_time_text(micros: int, template: str) -> str:
    """Return a timestamp as `to_char` writes it; it has no name of a zone."""
    return time_text(micros, template, {"TZ": "", "tz": "", "TZH": "+00", "TZM": "00", "OF": "+00"})


def without_zone(template: str) -> str:
    """Return a template without its fields of time zones, which a timestamp does not have."""
    return TOKEN.sub(lambda found: "" if found["field"] in {"TZ", "tz"} else found[0], template)


def literal_of(found: re.Match[str]) -> str:
    """Return the characters that a token without a field stands for."""
    quoted = found["quoted"]
    if quoted is None:
        return (found["plain"] or "").removeprefix("\\" if found["plain"] == '\\"' else "")
    return re.sub(r'\\(.)|"', r"\1", quoted, flags=re.DOTALL)


_FRACTIONS = {"MS", "US", "FF1", "FF2", "FF3", "FF4", "FF5", "FF6"}
"""Fields that keep leading zeros with FM."""
_RARE_WORDS = ("bc", "ad", "rm", "fx")
_WORDS = frozenset(
    name
    for name in FIELD_OF.values()
    if name in _OF_ZONE
    or name.replace(".", "").lower() in {*("month", "mon", "day", "dy", "am", "pm"), *_RARE_WORDS}
)
"""Fields that are no numbers; they take no ending."""
_CYCLE_YEARS, _CYCLE_DAYS = 400, 146_097
"""Years after which the calendar repeats, including the days of the week."""


def time_text(micros: int, template: str, of_zone: Mapping[str, str] | None = None) -> str:
    """Return a moment as `to_char` writes it.

    Args:
        micros: microseconds since 1970 in the zone.
        template: the template.
        of_zone: the texts of the fields of the zone; None in UTC.
    """
    # Python has no years before 1 or after 9999. So the fields are those of the same day in the
    # cycle of 1970, and the year is corrected.
    cycles, within = divmod(micros, _CYCLE_DAYS * 86_400_000_000)
    moment = dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=within)
    pieces: list[str] = []
    for found in TOKEN.finditer(template):
        name = FIELD_OF.get(found["field"])
        if not name:
            pieces.append(literal_of(found))
            continue
        if name in _OF_ZONE and of_zone is not None:
            pieces.append(of_zone[name])
            continue
        fill = (found["fill"] or "").upper()
        is_short = fill == "FM" or (fill == "TM" and name.lower() in {"month", "day"})
        text = _field_text(moment, cycles * _CYCLE_YEARS, name, fill=not is_short)
        if name in _WORDS:
            pieces.append(text)
            continue
        if is_short and text.lstrip("-").isdigit() and name not in _FRACTIONS:
            text = str(int(text))
        elif is_short and "," in text:
            text = text.lstrip("0") if text[1] != "," else text
        ending = (found["ending"] or "").replace("SP", "")
        pieces.append(text + (_ordinal(text, ending) if ending else ""))
    return "".join(pieces)


def _field_text(moment: dt.datetime, later: int, name: str, *, fill: bool) -> str:
    """Return a field of the moment `later` years after the given one."""
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
    if plain is not None and name not in {"YYYY", "IYYY", "YY"}:
        return moment.strftime(plain)
    return _rare_text(moment, later, name, fill=fill)


def _cased(text: str, name: str) -> str:
    if name.isupper():
        return text.upper()
    return text.lower() if name.islower() else text


def _rare_text(moment: dt.datetime, later: int, name: str, *, fill: bool) -> str:
    iso = moment.isocalendar()
    is_before, year = _era_and_year(moment.year + later)
    _, iso_year = _era_and_year(iso.year + later)
    day = moment.timetuple().tm_yday
    seconds = moment.hour * 3600 + moment.minute * 60 + moment.second
    century = -((year + 99) // 100) if is_before else (year + 99) // 100
    roman = _ROMAN[moment.month - 1].ljust(4 if fill else 0)
    era = "BC" if is_before else "AD"
    return {
        **{f"FF{n}": f"{moment.microsecond:06}"[:n] for n in range(1, 7)},
        "SSSS": str(seconds),
        "SSSSS": str(seconds),
        "Q": str((moment.month + 2) // 3),
        "WW": f"{(day + 6) // 7:02}",
        "W": str((moment.day + 6) // 7),
        "D": str(moment.isoweekday() % 7 + 1),
        "J": str(moment.toordinal() + 1_721_425 + later * _CYCLE_DAYS // _CYCLE_YEARS),
        "CC": f"{century:0{3 if is_before else 2}}",
        "RM": roman,
        "rm": roman.lower(),
        "YYYY": f"{year:04}",
        "IYYY": f"{iso_year:04}",
        "Y,YYY": f"{year // 1000},{year % 1000:03}",
        "YYY": f"{year % 1000:03}",
        "YY": f"{year % 100:02}",
        "Y": str(year % 10),
        "IYY": f"{iso_year % 1000:03}",
        "IY": f"{iso_year % 100:02}",
        "I": str(iso_year % 10),
        "IDDD": f"{(iso.week - 1) * 7 + iso.weekday:03}",
        "BC": era,
        "AD": era,
        "bc": era.lower(),
        "ad": era.lower(),
        "B.C.": f"{era[0]}.{era[1]}.",
        "A.D.": f"{era[0]}.{era[1]}.",
        "b.c.": f"{era[0]}.{era[1]}.".lower(),
        "a.d.": f"{era[0]}.{era[1]}.".lower(),
        "tz": "utc",
        "FX": "",
    }[name]


def _era_and_year(year: int) -> tuple[bool, int]:
    """Return whether a year is BC, and its number; the year 0 is 1 BC."""
    return year < 1, year if year > 0 else 1 - year


def _ordinal(text: str, spelled: str) -> str:
    number = abs(int(text.replace(",", "")))
    teen = 10 < number % 100 < 14
    suffix = "th" if teen else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return suffix.upper() if spelled.isupper() else suffix

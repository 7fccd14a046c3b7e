"""PostgreSQL's names of time zones: abbreviations, POSIX forms, names of the tz database.

An abbreviation is a fixed offset: `CET` is +1 in summer, too. So is a POSIX form, whose sign counts
to the west: `+02` is two hours behind UTC. Names of the tz database are looked up last.
"""

from __future__ import annotations

import datetime as dt
import re
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones

from stategate.planner.errors import InvalidValueError

_MINUTES = """
    0 GMT UT UTC UCT WET Z ZULU EGST 60 BST CET MET WAT WETDST 120 CEST EET IST MEST SAST
    180 EAT EEST IDT MSK FET 240 GST MSD AMST 270 AFT 300 PKT UZT YEKT 330 LKT 345 NPT
    360 BDT ALMT KGT OMST 390 MMT 420 ICT KRAT NOVT 480 AWST HKT SGT PHT MYT IRKT
    540 JST KST YAKT WDT 570 ACST 630 ACDT 600 AEST VLAT PGT 660 AEDT MAGT 720 NZST FJT PETT
    780 NZDT TOT -60 AZOT -120 FNT BRST -150 NDT -180 ADT ART BRT CLST UYT -210 NST
    -240 AST EDT BOT CLT GYT -300 EST CDT COT PET ACT -360 CST MDT GALT -420 MST PDT
    -480 PST AKDT -540 AKST GAMT -600 HST CKT TAHT
"""
_POSIX = re.compile(r"(?:[A-Za-z]{3,}|<[^>]+>)?([+-]?)(\d{1,3})(?::(\d{1,2}))?(?::(\d{1,2}))?")


def _abbreviations() -> dict[str, int]:
    found: dict[str, int] = {}
    minutes = 0
    for word in _MINUTES.split():
        if word.lstrip("-").isdigit():
            minutes = int(word)
        else:
            found[word] = minutes * 60
    return found


ABBREVIATIONS = _abbreviations()
"""Seconds east of UTC by abbreviation, from PostgreSQL's default list without rare ones."""


def fixed_offset(zone: str) -> int | None:
    """Return the seconds east of UTC of an abbreviation or a POSIX form; None for other texts."""
    known = ABBREVIATIONS.get(zone.strip().upper())
    return posix_offset(zone.strip()) if known is None else known


def posix_offset(zone: str) -> int | None:
    """Return the seconds east of UTC of a POSIX form; None for other texts."""
    found = _POSIX.fullmatch(zone)
    if found is None:
        return None
    hours, minutes, seconds = (int(part or 0) for part in found.groups()[1:])
    if hours > 167 or minutes > 59 or seconds > 59:
        return None
    west = (hours * 60 + minutes) * 60 + seconds
    return west if found[1] == "-" else -west


def zone_name(zone: str) -> str:
    """Return a zone's name as the tz database writes it.

    Raises:
        InvalidValueError: no zone has that name (22023).
    """
    name = region_named(zone.strip())
    if name is None:
        raise InvalidValueError(f'time zone "{zone[:100]}" not recognized', sqlstate="22023")
    return name


def region_named(zone: str) -> str | None:
    """Return a name of the tz database as it writes it; None for other texts."""
    return _names().get(zone.lower())


def offset_at(zone: str, local: dt.datetime) -> dt.timedelta:
    """Return how far a zone is east of UTC at a local time.

    A local time that does not exist has the offset before the change; one that occurs twice has
    the second offset.

    Raises:
        InvalidValueError: no zone has that name (22023).
    """
    fixed = ABBREVIATIONS.get(zone.upper())
    if fixed is not None:
        return dt.timedelta(seconds=fixed)
    info = ZoneInfo(zone_name(zone))
    offsets = (local.replace(tzinfo=info, fold=fold).utcoffset() for fold in (0, 1))
    return min(offset for offset in offsets if offset is not None)


@lru_cache(maxsize=1)
def _names() -> dict[str, str]:
    return {name.lower(): name for name in available_timezones() - _OF_MACHINES}


_OF_MACHINES = {"localtime", "posixrules"}
"""Files of the tz database that are no names of zones."""

"""The texts of moments in a session's zone, for composing processes, which import no store."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from stategate.planner.values.moment_text import moment_words
from stategate.planner.values.times.time_settings import Zone, offset_text, zone_of

_WORDS = re.compile(r"(\S+)( \(BC\))? (\S+)")
_OFFSET_OF_HOURS = re.compile(r"([-+]\d\d)( BC)?$")


@lru_cache(maxsize=1024)
def _east_of(region: str, ahead_s: int) -> Zone:
    """Return the zone that is some seconds east of a region."""
    zone = zone_of(region)
    return replace(zone, ahead_s=ahead_s) if ahead_s else zone


def text_in_zone(moment: int, region: str, ahead_s: int) -> str:
    """Return the text of a finite moment: `2020-07-01 02:00:00+02`.

    Args:
        moment: microseconds since 1970.
        region: the zone's region of the tz database.
        ahead_s: the seconds by which the zone is east of it.
    """
    ahead = _east_of(region, ahead_s).ahead_of(moment)
    found = _WORDS.fullmatch(moment_words(moment + ahead * 1_000_000, "timestamp"))
    assert found is not None, "words of a timestamp are a date, an era and a time"
    clock = found[3].rstrip("0").removesuffix(".") if "." in found[3] else found[3]
    return f"{found[1]} {clock}{offset_text(ahead)}{' BC' if found[2] else ''}"


def iso_in_zone(moment: int, region: str, ahead_s: int) -> str:
    """Return the text of a finite moment as json has it: `2020-07-01T02:00:00+02:00`."""
    text = text_in_zone(moment, region, ahead_s).replace(" ", "T", 1)
    return _OFFSET_OF_HOURS.sub(r"\1:00\2", text)

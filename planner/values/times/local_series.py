"""Moments some interval later by the calendar of a zone, and series of them."""

from __future__ import annotations

import calendar

from stategate.planner.errors import InvalidValueError, LimitExceededError
from stategate.planner.values.moment_text import civil, days_from_civil
from stategate.planner.values.times.time_settings import Zone, zone_of

_SECOND_US, _DAY_US = 1_000_000, 86_400_000_000
_INFINITY = (1 << 63) - 1
SERIES_MAX = 1 << 23
"""Maximum moments of a series."""


def moved_in_zone(moment: int, months: int, days: int, micros: int, zone: Zone) -> int:
    """Return a moment some months and days later by the zone's calendar, then some time later.

    Source: PostgreSQL's timestamptz_pl_interval.
    """
    if months:
        moment = _in_zone(_months_later(_local(moment, zone), months), zone)
    if days:
        moment = _in_zone(_local(moment, zone) + days * _DAY_US, zone)
    return moment + micros


def _local(moment: int, zone: Zone) -> int:
    return moment + zone.ahead_of(moment) * _SECOND_US


def _in_zone(local: int, zone: Zone) -> int:
    return local - zone.ahead_at(local) * _SECOND_US


def _months_later(local: int, months: int) -> int:
    """Return the same day some months later, or the last day of that month."""
    days, of_day = divmod(local, _DAY_US)
    year, month, day = civil(days)
    year, month = divmod(year * 12 + month - 1 + months, 12)
    last = calendar.monthrange(2000 + year % 400, month + 1)[1]
    return days_from_civil(year, month + 1, min(day, last)) * _DAY_US + of_day


def zoned_series(  # noqa: PLR0917 - the arguments of generate_series
    start: int, stop: int, months: int, days: int, micros: int, zone: str
) -> list[int]:
    """Return the moments from start to stop, each an interval later than the one before.

    Raises:
        InvalidValueError: the interval is zero (22023).
        LimitExceededError: there are too many (54000).
    """
    length = (months * 30 + days) * _DAY_US + micros
    if not length:
        raise InvalidValueError("step size cannot equal zero")
    found: list[int] = []
    in_zone, now = zone_of(zone), start
    while -_INFINITY < now < _INFINITY and (now <= stop if length > 0 else now >= stop):
        if len(found) >= SERIES_MAX:
            raise LimitExceededError(f"a series has more than {SERIES_MAX} values")
        found.append(now)
        now = moved_in_zone(now, months, days, micros, in_zone)
    return found

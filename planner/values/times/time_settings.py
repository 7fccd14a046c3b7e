"""What a session's TimeZone and DateStyle mean for reading, computing and printing times.

A plan, an encoder or a kept answer that depends on them is keyed by its `TimeSettings`: there is
one object for each pair of settings, so that a comparison is one of identities.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, field
from functools import lru_cache
from zoneinfo import ZoneInfo

from stategate.planner.errors import InvalidValueError, NotSupportedError
from stategate.planner.values.interval_text import parse_interval
from stategate.planner.values.time_zones import posix_offset, region_named

_SECOND_US, _DAY_US = 1_000_000, 86_400_000_000
_CYCLE_US = 146_097 * _DAY_US
"""The calendar, and the rules of zones in later years, repeat after 400 years."""
_PYTHON_FIRST, _PYTHON_LAST = -62_135_000_000 * _SECOND_US, 253_370_000_000 * _SECOND_US
"""Moments near the ends of Python's calendar, but for a day or more."""
_EPOCH = dt.datetime(1970, 1, 1)
_EPOCH_UTC = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_GMT = {"GMT", "GMT0", "GMT+0", "GMT-0", "Greenwich"}
_UTC = {"UTC", "UCT", "Universal", "Zulu"}
_NEVER_AHEAD = {name for short in _GMT | _UTC for name in (short, f"Etc/{short}")}
_OFFSET_MAX_S = 168 * 3600
_NUMBER = re.compile(r"\s*[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+|0[xX][\da-fA-F]+)")
_MOMENTS_KEPT_MAX = 1 << 14
_QUARTER_US = 900 * _SECOND_US


@dataclass(frozen=True, slots=True)
class Zone:
    """A time zone that a session can have."""

    name: str
    """Its name as SHOW writes it."""
    region: str = "UTC"
    """The name in the tz database whose rules it has."""
    ahead_s: int = 0
    """The seconds by which it is east of these rules."""
    info: dt.tzinfo = field(default=dt.UTC, compare=False, repr=False)

    @property
    def is_never_ahead(self) -> bool:
        """Whether its local time is always that of UTC."""
        return not self.ahead_s and self.region in _NEVER_AHEAD

    def ahead_of(self, moment: int) -> int:
        """Return by how many seconds a moment's local time is ahead of UTC."""
        if self.info is dt.UTC:
            return self.ahead_s
        quarter = moment // _QUARTER_US
        known = _ahead_in_quarter(self, quarter)
        return self._looked_up(moment) if known is None else known

    def _looked_up(self, moment: int) -> int:
        if moment > _PYTHON_LAST:
            moment %= _CYCLE_US
            moment += _CYCLE_US  # the same day of the years from 2370 on
        shown = _EPOCH_UTC + dt.timedelta(microseconds=max(moment, _PYTHON_FIRST))
        return _seconds(shown.astimezone(self.info).utcoffset())

    def ahead_at(self, local: int) -> int:
        """Return by how many seconds a local time is ahead of UTC.

        A local time that does not exist is ahead as before the change; one that occurs twice is
        ahead as after it.
        """
        if self.info is dt.UTC:
            return self.ahead_s
        if local > _PYTHON_LAST:
            local %= _CYCLE_US
            local += _CYCLE_US
        shown = _EPOCH + dt.timedelta(microseconds=max(local, _PYTHON_FIRST))
        return min(
            _seconds(shown.replace(tzinfo=self.info, fold=fold).utcoffset()) for fold in (0, 1)
        )

    def abbreviation_of(self, moment: int) -> str:
        """Return what the zone is called at a moment: `CEST`."""
        if self.info is dt.UTC:
            return _abbreviation(self.name)
        if moment > _PYTHON_LAST:
            moment = moment % _CYCLE_US + _CYCLE_US
        shown = _EPOCH_UTC + dt.timedelta(microseconds=max(moment, _PYTHON_FIRST))
        return shown.astimezone(self.info).tzname() or ""


@lru_cache(maxsize=_MOMENTS_KEPT_MAX)
def _ahead_in_quarter(zone: Zone, quarter: int) -> int | None:
    """Return the offset of a quarter of an hour; None if it changes within it."""
    first = zone._looked_up(quarter * _QUARTER_US)
    return first if zone._looked_up((quarter + 1) * _QUARTER_US - 1) == first else None


def _seconds(offset: dt.timedelta | None) -> int:
    return 0 if offset is None else offset.days * 86_400 + offset.seconds


def _abbreviation(name: str) -> str:
    """Return what a zone of a fixed offset is called: its letters, or what `<…>` has."""
    found = re.match(r"<([^>]+)>|([A-Za-z]+)", name.rpartition("/")[2])
    word = "" if found is None else found[1] or found[2]
    return {"Greenwich": "GMT", "Zulu": "UTC", "Universal": "UTC", "UCT": "UTC"}.get(word, word)


UTC = Zone("UTC")


@dataclass(frozen=True, slots=True, eq=False)
class TimeSettings:
    """The settings of times. There is one object for each zone and order, see `time_settings`."""

    zone: Zone
    order: str
    """The order of a date's fields in digits: MDY, DMY or YMD."""
    _literals: TimeSettings | None = None
    _now: TimeSettings | None = None

    @property
    def is_plain(self) -> bool:
        """Whether times mean what they mean by default."""
        return self is PLAIN_TIMES

    @property
    def literals(self) -> TimeSettings:
        """The settings by which literals are read: those at the time of PREPARE."""
        return self._literals or self

    @property
    def now(self) -> TimeSettings:
        """The settings of the session that runs the statement."""
        return self._now or self


def with_literals_of(now: TimeSettings, prepared: TimeSettings) -> TimeSettings:
    """Return the settings of a session that runs a statement prepared under other settings."""
    literals = prepared.literals
    return now if now is literals else _paired(now, literals)


@lru_cache(maxsize=4096)
def _paired(now: TimeSettings, literals: TimeSettings) -> TimeSettings:
    return TimeSettings(now.zone, now.order, literals, now)


PLAIN_TIMES = TimeSettings(UTC, "MDY")
"""The default settings."""


def time_settings(zone: str | None, style: str | None) -> TimeSettings:
    """Return what two settings mean.

    Args:
        zone: TimeZone as `read_zone` gives it; None for the default.
        style: DateStyle as `read_date_style` gives it; None for the default.

    Raises:
        QueryError: a value is not that of such a setting.
    """
    return _interned(zone or UTC.name, (style or PLAIN_TIMES.order)[-3:].upper())


@lru_cache(maxsize=4096)
def _interned(zone: str, order: str) -> TimeSettings:
    if zone == UTC.name and order == PLAIN_TIMES.order:
        return PLAIN_TIMES
    return TimeSettings(zone_of(zone), order)


@lru_cache(maxsize=4096)
def zone_of(value: str) -> Zone:
    """Return the zone that a value of TimeZone means.

    It is a name of the tz database in any case, hours east of UTC, or a POSIX form, whose sign
    counts to the west.

    Raises:
        InvalidValueError: it is no zone (22023).
        NotSupportedError: it is a POSIX form with rules for summer time.
    """
    found = _NUMBER.fullmatch(value)
    if found is not None:
        hours = float(int(value, 16)) if "x" in value.lower() else float(value)
        return offset_zone(int(hours * 3600), value)
    name = region_named(value)
    if name in _NEVER_AHEAD:
        return Zone(name, region="GMT" if name.removeprefix("Etc/") in _GMT else "UTC")
    if name is not None:
        return Zone(name, region=name, info=ZoneInfo(name))
    ahead_s = posix_offset(value)
    if ahead_s is not None and ahead_s % 60 and value != offset_zone(ahead_s, value).name:
        raise InvalidValueError(
            f'time zone "{value[:100]}" appears to use leap seconds',
            detail="PostgreSQL does not support leap seconds.",
        )
    if ahead_s is not None:
        return Zone(value, ahead_s=ahead_s)
    if re.match(r"(?:[A-Za-z]{3,}|<[^>]+>)[+-]?\d", value):
        raise NotSupportedError(
            f'the time zone "{value[:100]}" with its own rules is not supported',
            hint="Name a zone of the tz database, such as Europe/Berlin.",
        )
    raise InvalidValueError(f'invalid value for parameter "TimeZone": "{value[:100]}"')


def offset_zone(ahead_s: int, value: str) -> Zone:
    """Return the zone that is always this many seconds east of UTC.

    Raises:
        InvalidValueError: it is too far (22023).
    """
    if abs(ahead_s) >= _OFFSET_MAX_S:
        raise InvalidValueError(
            f'invalid value for parameter "TimeZone": "{value[:100]}"',
            detail="UTC timezone offset is out of range.",
        )
    shown = offset_text(ahead_s)
    opposite = ("-" if shown[0] == "+" else "+") + shown[1:]
    return Zone(f"<{shown}>{opposite}", ahead_s=ahead_s)


@lru_cache(maxsize=1024)
def offset_text(ahead_s: int) -> str:
    """Return an offset as PostgreSQL prints it after a moment: `+02`, `+05:30`, `+00:53:28`."""
    minutes, seconds = divmod(abs(ahead_s), 60)
    hours, minutes = divmod(minutes, 60)
    text = f"{'-' if ahead_s < 0 else '+'}{hours:02}"
    if minutes or seconds:
        text += f":{minutes:02}"
    return f"{text}:{seconds:02}" if seconds else text


def read_zone(name: str, value: str) -> str:
    """Return a value of TimeZone as SHOW writes it.

    Raises:
        QueryError: it is no zone (22023), or one that is not supported.
    """
    del name
    return _of_interval(value) or zone_of(value).name


_INTERVAL = re.compile(r"interval\s*'([^']*)'", re.IGNORECASE)


def _of_interval(value: str) -> str | None:
    """Return the zone of a text such as `INTERVAL '+02:00'`; None for other texts."""
    found = _INTERVAL.fullmatch(value.strip())
    return None if found is None else interval_zone(parse_interval(found[1]), value).name


def interval_zone(interval: tuple[int, int, int], value: str) -> Zone:
    """Return the zone that is an interval east of UTC.

    Raises:
        InvalidValueError: the interval has months or days, or is too long (22023).
    """
    months, days, micros = interval
    if months or days:
        raise InvalidValueError(
            f'invalid value for parameter "TimeZone": "{value[:100]}"',
            detail=f"Cannot specify {'months' if months else 'days'} in time zone interval.",
        )
    sign = -1 if micros < 0 else 1
    return offset_zone(sign * (abs(micros) // _SECOND_US), value)


_ORDERS = {"YMD": "YMD", "DMY": "DMY", "MDY": "MDY", "US": "MDY"}
_STYLES = {"ISO", "SQL", "GERMAN"}


def read_date_style(name: str, value: str, order: str = PLAIN_TIMES.order) -> str:
    """Return a value of DateStyle as SHOW writes it: `ISO, DMY`.

    Args:
        name: the setting, whose name errors spell as PostgreSQL does.
        value: words, separated by commas.
        order: the order that stays if the value names none.

    Raises:
        InvalidValueError: a word is not known, or two of them conflict (22023).
        NotSupportedError: the style is not ISO.
    """
    styles: list[str] = []
    orders: list[str] = []
    del name
    invalid = f'invalid value for parameter "DateStyle": "{value[:100]}"'
    for word in (each.strip().strip('"').upper() for each in value.split(",")):
        if word in _STYLES or word.startswith("POSTGRES"):
            styles.append(word)
        elif word.startswith("EURO"):
            orders.append("DMY")
        elif word.startswith("NONEURO"):
            orders.append("MDY")
        elif word == "DEFAULT":
            styles.append("ISO")
            orders.append(PLAIN_TIMES.order)
        elif word in _ORDERS:
            orders.append(_ORDERS[word])
        else:
            raise InvalidValueError(invalid, detail=f'Unrecognized key word: "{word.lower()}".')
    if len(set(styles)) > 1 or len(set(orders)) > 1:
        raise InvalidValueError(invalid, detail='Conflicting "datestyle" specifications.')
    if styles and styles[0] != "ISO":
        raise NotSupportedError(
            f'the date style "{value[:100]}" is not supported',
            hint="Dates are printed in the style ISO; use ISO with MDY, DMY or YMD, or to_char().",
        )
    return f"ISO, {orders[0] if orders else order}"

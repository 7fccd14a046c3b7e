"""The texts of moments in other zones than UTC, as PostgreSQL prints them in the ISO style."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from stategate.planner.values.times.time_settings import Zone, offset_text
from stategate.stores.types.moment_texts import INT64_MAX, SECOND_MICROS, moment_printer

_OFFSETS_MAX = 1024
"""Printers that are kept, one for each offset."""


@lru_cache(maxsize=_OFFSETS_MAX)
def offset_printer(ahead_s: int) -> Callable[[int], bytes]:
    """Return the function that prints a local time with its offset: `2020-07-01 02:00:00+02`."""
    return moment_printer(offset_text(ahead_s).encode())


def zone_printer(zone: Zone) -> Callable[[int], bytes]:
    """Return the function that prints a moment in a zone."""

    def text(value: int) -> bytes:
        ahead_s = zone.ahead_of(value) if -INT64_MAX < value < INT64_MAX else 0
        return offset_printer(ahead_s)(value + ahead_s * SECOND_MICROS)

    return text

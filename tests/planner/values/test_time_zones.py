"""Time zones; `postgres/intervals.sql` compares them with PostgreSQL's."""

from __future__ import annotations

import datetime as dt

import pytest

from stategate.planner.errors import InvalidValueError
from stategate.planner.values.time_zones import fixed_offset, offset_at, zone_name


@pytest.mark.parametrize(
    ("zone", "seconds"),
    [
        *(("+02", -7200), ("-05:30", 19_800), ("UTC+3", -10_800), ("<x>-1", 3600), ("cet", 3600)),
        *(("Z", 0), ("IST", 7200), ("Europe/Oslo", None), ("+200", None), ("", None), ("x", None)),
    ],
)
def test_fixed_offsets(zone: str, seconds: int | None) -> None:
    assert fixed_offset(zone) == seconds


@pytest.mark.parametrize(
    ("local", "hours"),
    [
        ("2013-01-01 00:00", 1),
        ("2013-07-01 00:00", 2),
        ("2013-03-31 02:30", 1),  # skipped
        ("2013-10-27 02:30", 1),  # twice
    ],
)
def test_offset_of_a_named_zone(local: str, hours: int) -> None:
    found = offset_at("europe/oslo", dt.datetime.fromisoformat(local))
    assert found == dt.timedelta(hours=hours)


def test_names() -> None:
    assert zone_name("america/new_york") == "America/New_York"
    with pytest.raises(InvalidValueError, match='time zone "Europe/Nowhere" not recognized'):
        zone_name("Europe/Nowhere")

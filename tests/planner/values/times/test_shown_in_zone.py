"""The texts of moments in a zone are those that the wire prints."""

from __future__ import annotations

import pytest

from stategate.planner.values.moment_text import moment_words
from stategate.planner.values.times.shown_in_zone import iso_in_zone, text_in_zone
from stategate.planner.values.times.time_settings import offset_zone, zone_of
from stategate.planner.values.times.zoned_text import zone_printer

_MOMENTS = (
    0,
    1_500_000,
    -1,
    1_585_443_600_000_000,
    253_402_300_799_999_999,
    -63_517_824_000_000_000,
)


@pytest.mark.parametrize("moment", _MOMENTS, ids=moment_words)
@pytest.mark.parametrize("region", ["UTC", "Europe/Berlin", "America/St_Johns"])
def test_text_is_that_of_the_wire(moment: int, region: str) -> None:
    assert text_in_zone(moment, region, 0) == zone_printer(zone_of(region))(moment).decode()


def test_zone_may_be_east_of_its_region() -> None:
    shown = zone_printer(offset_zone(5400, "1.5"))(0).decode()
    assert text_in_zone(0, "UTC", 5400) == shown == "1970-01-01 01:30:00+01:30"


@pytest.mark.parametrize(
    ("moment", "shown"),
    [
        (0, "1970-01-01T01:00:00+01:00"),
        (-2_840_140_800_000_000, "1880-01-01T00:53:28+00:53:28"),
        (-63_517_824_000_000_000, "0044-03-15T00:53:28+00:53:28 BC"),
    ],
)
def test_json_has_minutes_of_the_offset(moment: int, shown: str) -> None:
    assert iso_in_zone(moment, "Europe/Berlin", 0) == shown

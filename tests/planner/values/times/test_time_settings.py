"""Zones of sessions: their offsets are those of the tz database, in both directions."""

from __future__ import annotations

import datetime as dt
from zoneinfo import ZoneInfo, available_timezones

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.errors import QueryError
from stategate.planner.values.times.local_series import moved_in_zone
from stategate.planner.values.times.time_settings import (
    PLAIN_TIMES,
    offset_text,
    read_date_style,
    time_settings,
    with_literals_of,
    zone_of,
)

REGIONS = (
    *("Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"),
    *("America/St_Johns", "Pacific/Apia", "Europe/Dublin", "Africa/Casablanca"),
)
MOMENTS = st.integers(0, 2_145_000_000 * 1_000_000)
"""From 1970 to 2037."""


@given(region=st.sampled_from(REGIONS), moment=MOMENTS)
def test_a_moment_has_the_offset_of_the_tz_database(region: str, moment: int) -> None:
    zone = zone_of(region)
    shown = dt.datetime.fromtimestamp(moment // 1_000_000, ZoneInfo(region))
    offset = shown.utcoffset()
    assert offset is not None
    ahead_s = zone.ahead_of(moment)
    assert ahead_s == offset.total_seconds()
    assert zone.abbreviation_of(moment) == shown.tzname()
    # Only the first of two moments with one local time is read as the other.
    local = moment + ahead_s * 1_000_000
    again = local - zone.ahead_at(local) * 1_000_000
    assert again == moment or zone.ahead_of(again) < ahead_s


FORECAST = 1_577_836_800_000_000
"""2020, after which the rules of some countries are not the same in all databases."""


@given(region=st.sampled_from(REGIONS), moment=MOMENTS.filter(lambda moment: moment < FORECAST))
def test_duckdb_has_the_same_local_times(region: str, moment: int) -> None:
    """Its ICU has a tz database of its own, of another year."""
    zone = zone_of(region)
    local, back = DUCKDB.execute(
        "SELECT epoch_us(timezone($1, make_timestamptz($2))), "
        "epoch_us(timezone($1, make_timestamp($2)))",
        [region, moment],
    ).fetchall()[0]
    assert local == moment + zone.ahead_of(moment) * 1_000_000
    assert back == moment - zone.ahead_at(moment) * 1_000_000


DUCKDB = duckdb.connect()
DUCKDB.execute("SET TimeZone = 'UTC'")


def test_duckdb_knows_all_names() -> None:
    known = {name for (name,) in DUCKDB.execute("SELECT name FROM pg_timezone_names()").fetchall()}
    assert available_timezones() - known <= {"localtime", "posixrules"}


@pytest.mark.parametrize(
    ("ahead_s", "text"),
    [(0, "+00"), (-12_600, "-03:30"), (3208, "+00:53:28"), (7200, "+02"), (-600_000, "-166:40")],
)
def test_offsets_are_printed_as_by_postgresql(ahead_s: int, text: str) -> None:
    assert offset_text(ahead_s) == text


def test_there_is_one_object_for_each_pair_of_settings() -> None:
    assert time_settings(None, None) is time_settings("UTC", "ISO, MDY") is PLAIN_TIMES
    berlin = time_settings("Europe/Berlin", "ISO, DMY")
    assert time_settings("Europe/Berlin", "ISO, DMY") is berlin
    both = with_literals_of(PLAIN_TIMES, berlin)
    assert both is with_literals_of(PLAIN_TIMES, both)
    assert (both.now, both.literals) == (PLAIN_TIMES, berlin)
    assert with_literals_of(berlin, both) is berlin


@pytest.mark.parametrize("value", ["German", "SQL, MDY", "Postgres, DMY"])
def test_other_styles_of_output_are_refused(value: str) -> None:
    with pytest.raises(QueryError) as found:
        read_date_style("datestyle", value)
    assert found.value.sqlstate == "0A000"


@pytest.mark.parametrize("value", ["FOO3BAR", "EST5EDT,M3.2.0,M11.1.0"])
def test_rules_of_their_own_are_refused(value: str) -> None:
    with pytest.raises(QueryError) as found:
        zone_of(value)
    assert found.value.sqlstate == "0A000"


@given(
    region=st.sampled_from(REGIONS),
    moment=MOMENTS,
    months=st.integers(-40, 40),
    days=st.integers(-40, 40),
    micros=st.integers(-(10**11), 10**11),
)
def test_time_is_moved_by_as_much_whatever_the_zone(
    region: str, moment: int, months: int, days: int, micros: int
) -> None:
    zone = zone_of(region)
    assert moved_in_zone(moment, 0, 0, micros, zone) == moment + micros
    whole = moved_in_zone(moment, months, days, micros, zone)
    assert whole == moved_in_zone(moment, months, days, 0, zone) + micros

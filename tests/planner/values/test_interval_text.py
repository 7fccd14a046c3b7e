"""Intervals read from texts; `postgres/intervals.sql` compares them with PostgreSQL's."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.errors import InvalidValueError
from stategate.planner.values.interval_text import Interval, interval_words, parse_interval

INTERVALS = st.tuples(
    st.integers(-(1 << 31) + 1, (1 << 31) - 1),
    st.integers(-(1 << 31) + 1, (1 << 31) - 1),
    st.integers(-(1 << 53), 1 << 53),
)


@given(INTERVALS)
def test_intervals_round_trip(interval: Interval) -> None:
    assert parse_interval(interval_words(interval)) == interval


@pytest.mark.parametrize(
    ("text", "interval"),
    [
        ("1 month - 1 day", (1, -1, 0)),
        ("-1 day +02:03", (0, -1, 7_380_000_000)),
        ("1-2 3 4:05:06", (14, 3, 14_706_000_000)),
        ("P1Y2M3DT4H5M6S", (14, 3, 14_706_000_000)),
        ("P0001-02-03T04:05:06", (14, 3, 14_706_000_000)),
        ("1.5 months", (1, 15, 0)),
        ("1.3 years", (16, 0, 0)),
        ("0.5 weeks", (0, 3, 43_200_000_000)),
        ("@ 1 minute 2 secs ago", (0, 0, -62_000_000)),
        ("1 day, 2 hours", (0, 1, 7_200_000_000)),
        ("02:03.5", (0, 0, 123_500_000)),
        ("1 2:03", (0, 1, 7_380_000_000)),
        ("12", (0, 0, 12_000_000)),
    ],
)
def test_forms(text: str, interval: Interval) -> None:
    assert parse_interval(text) == interval


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "day", "ago", "foo", "1 foo", "1 day 1 day", "1 2", "--1 day", "1 day -"),
        *("2020-01-01", "1 d-2 h", "1e2 days", "P", "P1D2H", "p1y", "P1", "1:2:3:4", "1" * 2000),
        "infinity",
    ],
)
def test_malformed_intervals(text: str) -> None:
    with pytest.raises(InvalidValueError) as caught:
        parse_interval(text)
    assert caught.value.sqlstate == "22007"


@pytest.mark.parametrize(
    "text",
    [
        *("3000000000 days", "300000000 years", "1:60", "1-13", "0001-12-31"),
        *("9" * 100 + " days", "9" * 100 + ":00"),
    ],
)
def test_intervals_out_of_range(text: str) -> None:
    with pytest.raises(InvalidValueError) as caught:
        parse_interval(text)
    assert caught.value.sqlstate == "22015"


@given(st.text(alphabet="0123456789 -+:.PTYMDHSdayshourmonago@,", max_size=40))
def test_any_text_is_an_interval_or_a_query_error(text: str) -> None:
    with contextlib.suppress(InvalidValueError):
        assert len(parse_interval(text)) == 3

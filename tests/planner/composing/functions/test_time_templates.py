"""Templates of to_char: fields of strftime, and fields that Python writes."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.composing.functions.number_templates import number_text
from stategate.planner.composing.functions.time_templates import strftime_format, time_text

EPOCH = dt.datetime(1970, 1, 1)
MOMENTS = st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2200, 1, 1))


def micros(moment: dt.datetime) -> int:
    return (moment - EPOCH) // dt.timedelta(microseconds=1)


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("YYYY-MM-DD HH24:MI:SS", "%Y-%m-%d %H:%M:%S"),
        ("yyyy-mm-dd", "%Y-%m-%d"),
        ('YYYY-MM-DD"T"HH24:MI', "%Y-%m-%dT%H:%M"),
        ("Mon YYYY 100%", "%b %Y 100%%"),
        ("FMDD", None),
        ("DDth", None),
        ("Month", None),
        ("Q", None),
    ],
)
def test_strftime_formats(template: str, expected: str | None) -> None:
    assert strftime_format(template) == expected


@given(MOMENTS)
def test_python_and_strftime_write_the_same(moment: dt.datetime) -> None:
    template = 'YYYY-MM-DD HH24:MI:SS HH12 AM DDD IW ID Dy Mon "at" US'
    found = strftime_format(template)
    assert found is not None
    assert time_text(micros(moment), template) == moment.strftime(found)


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("FMDD FMMonth", "8 February"),
        ("Day|DAY|day", "Saturday |SATURDAY |saturday "),
        ("Q W WW J CC", "1 2 06 2458888 21"),
        ("DDth SSSS am A.M.", "08th 54245 pm P.M."),
        ("Y,YYY YYY Y RM", "2,020 020 0 II  "),
    ],
)
def test_rare_fields(template: str, expected: str) -> None:
    assert time_text(micros(dt.datetime(2020, 2, 8, 15, 4, 5)), template) == expected


@pytest.mark.parametrize(
    ("number", "template", "expected"),
    [
        ("125", "999", " 125"),
        ("-125", "999", "-125"),
        ("0.5", "0.99", " 0.50"),
        ("0.5", "9.99", "  .50"),
        ("-2.5", "9.99", "-2.50"),
        ("1234567.891", "FM9,999,999.00", "1,234,567.89"),
        ("1234", "999", " ###"),
        ("12", "00000", " 00012"),
        ("5", "9MI", "5 "),
        ("482", "999th", " 482nd"),
        ("0", "FM999", "0"),
    ],
)
def test_numbers(number: str, template: str, expected: str) -> None:
    """The texts are those of PostgreSQL 15."""
    assert number_text(Decimal(number), template) == expected

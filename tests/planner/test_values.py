"""Postgres's text forms to physical values, and the errors of what is none."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import QueryError
from planner.values import parse_array, parse_value
from stores.schema import BIGINT, TEXT, TIMESTAMPTZ, DataType, Value

DAY_US = 86_400_000_000


@pytest.mark.parametrize(
    ("text", "data_type", "value"),
    [
        ("t", "boolean", True),
        (" Yes ", "boolean", True),
        ("off", "boolean", False),
        ("-128", "tinyint", -128),
        (" 7 ", "integer", 7),
        ("9223372036854775807", "bigint", (1 << 63) - 1),
        ("1.5e3", "double", 1500.0),
        ("-Infinity", "real", float("-inf")),
        ("1.25", "decimal(9,2)", Decimal("1.25")),
        ("x", "text", "x"),
        ("\\x00ff", "bytea", b"\x00\xff"),
        ("a\\\\b\\001", "bytea", b"a\\b\x01"),
        ("1970-01-02", "date", 1),
        ("1969-12-31", "date", -1),
        ("12:30", "time", 45_000_000_000),
        ("00:00:00.5", "time", 500_000),
        ("1970-01-01 00:00:01", "timestamp", 1_000_000),
        ("1970-01-01T00:00:01Z", "timestamptz", 1_000_000),
        ("1970-01-01 01:00:00+01", "timestamptz", 0),
        ("1970-01-01 01:30:00+01:30", "timestamptz", 0),
        ("1970-01-01 00:00:00.0000005", "timestamptz", 1),
        ("1970-01-01 24:00:00", "timestamp", DAY_US),
        ("epoch", "timestamptz", 0),
        ("1 day 02:00:00", "interval", (0, 1, 7_200_000_000)),
        ("2 years -3 mons", "interval", (21, 0, 0)),
        ("1.5 days", "interval", (0, 1, DAY_US // 2)),
        ("500ms", "interval", (0, 0, 500_000)),
        ("-00:00:01", "interval", (0, 0, -1_000_000)),
        ('{"a": 1}', "json", '{"a": 1}'),
        ("{}", "bigint[]", []),
        ("{1,2,NULL}", "bigint[]", [1, 2, None]),
        ('{a, "b c" ,"NULL",null,"q\\"q"}', "text[]", ["a", "b c", "NULL", None, 'q"q']),
        ("{1970-01-02}", "date[]", [1]),
    ],
)
def test_values(text: str, data_type: str, value: Value) -> None:
    assert parse_value(text, DataType.parse(data_type)) == value


@pytest.mark.parametrize(
    ("text", "data_type", "sqlstate"),
    [
        ("maybe", "boolean", "22P02"),
        ("", "integer", "22P02"),
        ("1.5", "integer", "22P02"),
        ("1_000", "integer", "22P02"),
        ("\u0661", "integer", "22P02"),
        ("9" * 200, "integer", "22P02"),
        ("128", "tinyint", "22003"),
        ("9223372036854775808", "bigint", "22003"),
        ("1e", "double", "22P02"),
        ("0x10", "double", "22P02"),
        ("NaN", "decimal(9,2)", "22003"),
        ("12345678.5", "decimal(9,2)", "22003"),
        ("x", "decimal(9,2)", "22P02"),
        ("\\xzz", "bytea", "22P02"),
        ("\\9", "bytea", "22P02"),
        ("tomorrow", "date", "22007"),
        ("2023-02-30", "date", "22008"),
        ("2023-13-01", "timestamptz", "22008"),
        ("25:00", "time", "22008"),
        ("12", "time", "22007"),
        ("soon", "interval", "22007"),
        ("", "interval", "22007"),
        ("5 parsecs", "interval", "22007"),
        ("1,2", "bigint[]", "22P02"),
        ("{1,2", "bigint[]", "22P02"),
        ("{1,,2}", "bigint[]", "22P02"),
        ("{{1},{2}}", "bigint[]", "22P02"),
        ("{1}x", "bigint[]", "22P02"),
        ("{x}", "bigint[]", "22P02"),
    ],
)
def test_what_is_no_value(text: str, data_type: str, sqlstate: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse_value(text, DataType.parse(data_type))
    assert caught.value.sqlstate == sqlstate
    assert len(caught.value.message) < 250


@given(st.integers(-(1 << 63), (1 << 63) - 1))
def test_integers_come_back(value: int) -> None:
    assert parse_value(str(value), BIGINT) == value


@given(st.datetimes(min_value=dt.datetime(1000, 1, 1)), st.integers(-14, 14))
def test_times_come_back_from_any_zone(moment: dt.datetime, hours: int) -> None:
    zone = dt.timezone(dt.timedelta(hours=hours))
    epoch = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    expected = (moment.replace(tzinfo=zone) - epoch) // dt.timedelta(microseconds=1)
    assert parse_value(f"{moment.isoformat(' ')}{hours:+03d}", TIMESTAMPTZ) == expected


def quoted(element: str | None) -> str:
    if element is None:
        return "NULL"
    escaped = element.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


@given(st.lists(st.one_of(st.none(), st.text())))
def test_arrays_come_back(elements: list[str | None]) -> None:
    assert parse_array("{" + ",".join(map(quoted, elements)) + "}") == elements


@given(st.text())
def test_text_is_itself(text: str) -> None:
    assert parse_value(text, TEXT) == text

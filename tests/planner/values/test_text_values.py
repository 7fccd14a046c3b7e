"""PostgreSQL's text forms become physical values; invalid texts are errors."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.errors import QueryError
from stategate.planner.values.array_text import parse_array
from stategate.planner.values.text_values import parse_value
from stategate.stores.spec.schema import BIGINT, TEXT, TIMESTAMPTZ, DataType, Value

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
        ("0e999", "double", 0.0),
        ("3.4e38", "real", 3.4e38),
        ("of", "boolean", False),
        ("24:00:00", "time", DAY_US),
        ("23:59:59.9999999", "time", DAY_US),
        ("TRU", "boolean", True),
        ("10:00:00.1234567", "time", 36_000_123_457),
        ("1970-01-01 00:00:00+15:59", "timestamptz", -57_540_000_000),
        ("0001-01-01 00:00+14", "timestamptz", -62_135_647_200_000_000),
        ("{6F1B3B0E6a0a-4a51-9d0c3f5f-2f9b8a01}", "uuid", "6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01"),
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
        ("1970-01-01 00:00:00.0000005", "timestamptz", 0),  # a half goes to the even one
        ("1970-01-01 00:00:00.0000015", "timestamptz", 2),
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
    ("text", "data_type", "sqlstate", "message"),
    [
        ("1e400", "double", "22003", '"1e400" is out of range for type double precision'),
        ("-1e-400", "double", "22003", '"-1e-400" is out of range for type double precision'),
        ("1e39", "real", "22003", '"1e39" is out of range for type real'),
        ("1e-60", "real", "22003", '"1e-60" is out of range for type real'),
        ("x", "double", "22P02", 'invalid input syntax for type double precision: "x"'),
        ("o", "boolean", "22P02", 'invalid input syntax for type boolean: "o"'),
        ("1_0", "decimal(9,2)", "22P02", 'invalid input syntax for type numeric: "1_0"'),
        ("٣", "decimal(9,2)", "22P02", 'invalid input syntax for type numeric: "٣"'),
        ("1e99999999", "decimal(9,2)", "22003", "value overflows numeric format"),
        ("NaN", "decimal(9,2)", "0A000", 'value "NaN" is not held by type numeric'),
        (
            "?",
            "timestamptz",
            "22007",
            'invalid input syntax for type timestamp with time zone: "?"',
        ),
        *(
            (text, kind, "22008", f'date/time field value out of range: "{text}"')
            for text, kind in (
                ("2024-01-01 25:00:00", "timestamp"),
                ("2024-01-01 24:00:01", "timestamptz"),
                ("2024-01-01 24:00:00.1", "timestamptz"),
                ("24:00:00.1", "time"),
                ("25:00", "time"),
            )
        ),
        ("2024-01-01 00:00+16", "timestamptz", "22009", "time zone displacement out of range"),
        ("3000000000 days", "interval", "22015", "interval field value out of range"),
        ("9999999 hours", "interval", "22015", "interval field value out of range"),
        ("{6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01", "uuid", "22P02", "invalid input syntax"),
        ("6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a0", "uuid", "22P02", "invalid input syntax"),
    ],
)
def test_texts_that_are_not_a_value_of_their_type(
    text: str, data_type: str, sqlstate: str, message: str
) -> None:
    with pytest.raises(QueryError) as caught:
        parse_value(text, DataType.parse(data_type))
    assert caught.value.sqlstate == sqlstate
    assert caught.value.message.startswith(message)


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
        ("NaN", "decimal(9,2)", "0A000"),
        ("12345678.5", "decimal(9,2)", "22003"),
        ("x", "decimal(9,2)", "22P02"),
        ("\\xzz", "bytea", "22023"),
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
        ("{{1},{2}}", "bigint[]", "0A000"),
        ("{1}x", "bigint[]", "22P02"),
        ("{x}", "bigint[]", "22P02"),
    ],
)
def test_texts_that_are_not_a_value(text: str, data_type: str, sqlstate: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse_value(text, DataType.parse(data_type))
    assert caught.value.sqlstate == sqlstate
    assert len(caught.value.message) < 250


@given(st.integers(-(1 << 63), (1 << 63) - 1))
def test_integers_round_trip(value: int) -> None:
    assert parse_value(str(value), BIGINT) == value


@given(st.datetimes(min_value=dt.datetime(1000, 1, 1)), st.integers(-14, 14))
def test_times_of_any_zone_round_trip(moment: dt.datetime, hours: int) -> None:
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
def test_arrays_round_trip(elements: list[str | None]) -> None:
    assert parse_array("{" + ",".join(map(quoted, elements)) + "}") == elements


@given(st.text())
def test_text_is_itself(text: str) -> None:
    assert parse_value(text, TEXT) == text

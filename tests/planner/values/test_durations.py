from __future__ import annotations

import pytest

from stategate.planner.errors import QueryError
from stategate.planner.syntax.options import check_settings
from stategate.planner.values.durations import canonical_duration, duration_ms


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("0", "0"),
        ("5000", "5s"),
        ("1500", "1500ms"),
        (" 1.5 min ", "90s"),
        ("120min", "2h"),
        ("24h", "1d"),
        ("2500us", "2ms"),
        ("2147483647", "2147483647ms"),
    ],
)
def test_durations_are_shown_in_their_largest_unit(text: str, shown: str) -> None:
    assert canonical_duration("statement_timeout", text) == shown
    assert canonical_duration("statement_timeout", shown) == shown


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [("250", 250), ("5s", 5000), (" 1.5 min ", 90_000), ("0", 0), ("1d", 86_400_000), ("7us", 0)],
)
def test_durations_in_milliseconds(text: str, milliseconds: int) -> None:
    assert duration_ms("lock_timeout", text) == milliseconds


def test_durations_are_checked_when_a_client_connects() -> None:
    check_settings({"statement_timeout": "5s", "x": "soon"})
    with pytest.raises(QueryError, match='"idle_session_timeout": "soon"'):
        check_settings({"idle_session_timeout": "soon"})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("abc", 'invalid value for parameter "lock_timeout": "abc"'),
        ("", 'invalid value for parameter "lock_timeout": ""'),
        ("5 parsecs", 'invalid value for parameter "lock_timeout": "5 parsecs"'),
        ("1e", 'invalid value for parameter "lock_timeout": "1e"'),
        ("9" * 50, 'invalid value for parameter "lock_timeout": "999'),
        ("-1", '-1 ms is outside the valid range for parameter "lock_timeout" (0 .. 2147483647)'),
        ("25d", "2160000000 ms is outside the valid range"),
    ],
)
def test_malformed_durations(text: str, said: str) -> None:
    with pytest.raises(QueryError) as caught:
        canonical_duration("lock_timeout", text)
    assert caught.value.sqlstate == "22023"
    assert caught.value.message.startswith(said)

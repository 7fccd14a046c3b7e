from __future__ import annotations

import pytest

from gateway.pgwire.limits import PgLimits
from gateway.pgwire.timeouts import parse_duration_s, statement_timeout_s
from planner.engine import QueryError

LIMITS = PgLimits(statement_timeout_s=60, statement_timeout_max_s=100)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("250", 0.25),
        ("5s", 5),
        ("1.5 min", 90),
        ("0", 0),
        ("2h", 7200),
        ("1d", 86400),
        ("7us", 7e-6),
    ],
)
def test_durations(text: str, seconds: float) -> None:
    assert parse_duration_s(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "soon", "-1", "5 parsecs", "1e5", "9" * 50])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse_duration_s(text)
    assert caught.value.sqlstate == "22023"


@pytest.mark.parametrize(("setting", "seconds"), [(None, 60), ("5s", 5), ("0", 100), ("500s", 100)])
def test_the_server_bounds_what_a_session_sets(setting: str | None, seconds: float) -> None:
    assert statement_timeout_s(setting, LIMITS) == seconds


def test_no_bound_at_all() -> None:
    limits = PgLimits(statement_timeout_s=0, statement_timeout_max_s=0)
    assert statement_timeout_s(None, limits) is None
    assert statement_timeout_s("0", limits) is None
    assert statement_timeout_s("5s", limits) == 5

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.gateway.pgwire.entry.startup import open_session, parse_options
from stategate.gateway.pgwire.protocol.client_messages import StartupMessage
from stategate.planner.engine import QueryError


def startup(**parameters: str) -> StartupMessage:
    return StartupMessage(minor=0, parameters=tuple(parameters.items()))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", {}),
        ("-c a=b", {"a": "b"}),
        ("-ca=b", {"a": "b"}),
        ("  -c  A.B=c  --d-e=f ", {"a.b": "c", "d_e": "f"}),
        (r"-c search_path=a,\ b", {"search_path": "a, b"}),
        (r"-c x=a\\b", {"x": r"a\b"}),
        ("-c x=", {"x": ""}),
    ],
)
def test_options(options: str, expected: dict[str, str]) -> None:
    assert parse_options(options) == expected


@pytest.mark.parametrize("options", ["-c", "-c a", "a=b", "-d 3", "--"])
def test_options_other_than_settings_are_refused(options: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse_options(options)
    assert caught.value.sqlstate == "22023"


@given(st.text(max_size=40))
def test_any_options_are_settings_or_refused(options: str) -> None:
    try:
        settings = parse_options(options)
    except QueryError:
        return
    assert all(name == name.lower() for name in settings)


def test_startup_parameters_become_settings() -> None:
    session = open_session(
        startup(user="joe", Application_Name="x", options="-c stategate.wait=5s", TimeZone="UTC")
    )
    assert session.user == "joe"
    assert session.settings == {
        "database": "joe",
        "application_name": "x",
        "stategate.wait": "5s",
        "timezone": "UTC",
    }


def test_sql_ascii_is_a_known_encoding() -> None:
    assert open_session(startup(user="u", client_encoding="SQL_ASCII")).settings == {
        "database": "u",
        "client_encoding": "SQL_ASCII",
    }


@pytest.mark.parametrize(
    ("options", "sqlstate"),
    [
        ("-c statement_timeout=soon", "22023"),
        ("-c idle_session_timeout=soon", "22023"),
        ("-c stategate.consistancy=latest", "42704"),
        ("-c stategate.consistency=lately", "22023"),
    ],
)
def test_invalid_settings_are_refused_at_startup(options: str, sqlstate: str) -> None:
    with pytest.raises(QueryError) as caught:
        open_session(startup(user="joe", options=options))
    assert caught.value.sqlstate == sqlstate

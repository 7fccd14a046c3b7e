"""`set_config`: the one catalog function that changes the session."""

from __future__ import annotations

import pytest

from planner.errors import QueryError
from planner.session import Isolation, Session
from tests.planner.pg_catalog.test_catalog import ask


def transaction(session: Session) -> Session:
    session.begin(isolation=Isolation.READ_COMMITTED, deferrable=False)
    return session


@pytest.mark.parametrize("local", ["false", "'f'", "$1", "NULL"])
def test_it_sets_what_set_sets(local: str) -> None:
    session = Session()
    parameters = ("no",) if local == "$1" else ()
    sql = f"SELECT set_config('Application_Name', 'x', {local})"
    assert ask(sql, *parameters, session=session) == [("x",)]
    assert session.settings["application_name"] == "x"


def test_local_ends_with_the_transaction() -> None:
    session = transaction(Session(settings={"application_name": "before"}))
    ask("SELECT set_config('application_name', 'in', true)", session=session)
    found = ask("SELECT current_setting('application_name')", session=session)
    assert found == [("in",)]
    session.end(keep=True)
    assert session.settings["application_name"] == "before"


def test_local_outside_of_a_transaction_is_gone_at_once() -> None:
    session = Session()
    assert ask("SELECT set_config('jit', 'on', true)", session=session) == [("on",)]
    assert "jit" not in session.settings


def test_null_is_the_default() -> None:
    session = Session()
    session.set("application_name", "x")
    ask("SELECT set_config('application_name', NULL, false)", session=session)
    assert "application_name" not in session.settings


def test_a_setting_of_ones_own() -> None:
    session = Session()
    ask("SELECT set_config('request.jwt.claims', '{}', false)", session=session)
    found = ask("SELECT current_setting('request.jwt.claims')", session=session)
    assert found == [("{}",)]


@pytest.mark.parametrize(
    ("arguments", "sqlstate"),
    [
        ("'memory_limit', '1TB', false", "42704"),
        ("'stategate.nothing', '1', false", "42704"),
        ("'stategate.consistency', 'strong', false", "22023"),
        ("'server_version', '1', false", "55P02"),
        ("NULL, 'x', false", "22004"),
        ("'jit', 'on', 'perhaps'", "22P02"),
        ("relname, 'x', false", "0A000"),
    ],
)
def test_what_it_refuses(arguments: str, sqlstate: str) -> None:
    session = Session()
    with pytest.raises(QueryError) as caught:
        ask(f"SELECT set_config({arguments}) FROM pg_class LIMIT 1", session=session)
    assert caught.value.sqlstate == sqlstate
    assert session.settings == {}


def test_settings_of_ones_own_are_few_and_short() -> None:
    session = Session()
    for number in range(100):
        session.set(f"my.setting{number}", "1")
    ask("SELECT set_config('my.setting7', '2', false)", session=session)
    for name, value in (("my.other", "1"), ("my.setting7", "x" * 65_537)):
        with pytest.raises(QueryError) as caught:
            ask("SELECT set_config($1, $2, false)", name, value, session=session)
        assert caught.value.sqlstate == "54000"
    assert session.settings["my.setting7"] == "2"

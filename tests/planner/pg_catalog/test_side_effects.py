"""Catalog functions with side effects: `set_config`, and those that end the work of sessions."""

from __future__ import annotations

import pytest

from stategate.planner.errors import QueryError
from stategate.planner.values.listing import ListedSession
from stategate.planner.values.session import Isolation, Session
from tests.planner.pg_catalog.test_catalog import ask
from tests.support.backends import NoBackends


def transaction(session: Session) -> Session:
    session.begin(isolation=Isolation.READ_COMMITTED, deferrable=False)
    return session


@pytest.mark.parametrize("local", ["false", "'f'", "$1", "NULL"])
def test_set_config_sets_settings_as_set_does(local: str) -> None:
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


def test_a_local_setting_outside_a_transaction_has_no_effect() -> None:
    session = Session()
    assert ask("SELECT set_config('jit', 'on', true)", session=session) == [("on",)]
    assert "jit" not in session.settings


def test_null_is_the_default() -> None:
    session = Session()
    session.set("application_name", "x")
    ask("SELECT set_config('application_name', NULL, false)", session=session)
    assert "application_name" not in session.settings


def test_a_custom_setting() -> None:
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
    ],
)
def test_refused_settings(arguments: str, sqlstate: str) -> None:
    session = Session()
    with pytest.raises(QueryError) as caught:
        ask(f"SELECT set_config({arguments}) FROM pg_class LIMIT 1", session=session)
    assert caught.value.sqlstate == sqlstate
    assert session.settings == {}


def test_custom_settings_are_limited() -> None:
    session = Session()
    for number in range(100):
        ask(f"SELECT set_config('my.setting{number}', '1', false)", session=session)
    ask("SELECT set_config('my.setting7', '2', false)", session=session)
    for name, value in (("my.other", "1"), ("my.setting7", "x" * 65_537)):
        with pytest.raises(QueryError) as caught:
            ask("SELECT set_config($1, $2, false)", name, value, session=session)
        assert caught.value.sqlstate == "54000"
    assert session.settings["my.setting7"] == "2"


def test_rows_may_name_settings() -> None:
    """pg_dump does this: the row shows whether a setting exists."""
    session = Session()
    sql = "SELECT set_config(name, 'x', false) FROM pg_settings WHERE name = 'application_name'"
    assert ask(sql, session=session) == [("x",)]
    assert session.settings["application_name"] == "x"
    assert ask(sql.replace("'application_name'", "'no.such'"), session=session) == []


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 FROM pg_am WHERE set_config('jit', 'on', false) = 'on'",
        "SELECT *, set_config('jit', 'on', false) FROM pg_am",
        "SELECT upper(set_config('jit', 'on', false))",
        "SELECT x FROM (SELECT pg_cancel_backend(1)) AS t(x)",
        "SELECT DISTINCT set_config('jit', 'on', false) FROM pg_am",
        "SELECT set_config('jit', 'on', false) AS x FROM pg_am ORDER BY x",
        "SELECT set_config('jit', 'on', false) FROM pg_am GROUP BY 1",
    ],
)
def test_refused_outside_the_select_list(sql: str) -> None:
    session = Session()
    with pytest.raises(QueryError) as caught:
        ask(sql, session=session)
    assert caught.value.sqlstate == "0A000"
    assert session.settings == {}


class Connected(NoBackends):
    """Two clients; records the calls that end their work."""

    def __init__(self) -> None:
        super().__init__()
        self.done: list[tuple[str, int]] = []

    def listed(self) -> list[ListedSession]:
        return [
            ListedSession(
                pid=pid,
                user=user,
                application_name="psql",
                address="127.0.0.1",
                port=5,
                started_us=1_357_034_400_000_000,
                state="idle",
            )
            for pid, user in ((7, "ann"), (8, "bob"))
        ]

    def cancel_backend(self, pid: int) -> bool:
        self.done.append(("cancel", pid))
        return True

    def terminate(self, pid: int) -> bool:
        self.done.append(("terminate", pid))
        return True


def test_a_users_own_sessions_can_be_cancelled_and_ended() -> None:
    session, connected = Session(user="ann"), Connected()
    session.backends, session.pid = connected, 7
    sql = "SELECT pg_cancel_backend(pid), pid FROM pg_stat_activity WHERE pid = pg_backend_pid()"
    assert ask(sql, session=session) == [(True, 7)]
    assert ask("SELECT pg_terminate_backend($1, 5)", "7", session=session) == [(True,)]
    assert ask("SELECT pg_catalog.pg_cancel_backend(9)", session=session) == [(False,)]
    assert ask("SELECT pg_cancel_backend(NULL)", session=session) == [(None,)]
    assert connected.done == [("cancel", 7), ("terminate", 7)]


def test_details_of_another_users_session_are_hidden() -> None:
    session = Session(user="ann")
    session.backends = Connected()
    sql = "SELECT pid, usename, state, query, client_port FROM pg_stat_activity ORDER BY pid"
    assert ask(sql, session=session) == [
        (7, "ann", "idle", "", 5),
        (8, "bob", None, "<insufficient privilege>", None),
    ]
    with pytest.raises(QueryError) as caught:
        ask("SELECT pg_terminate_backend(8)", session=session)
    assert caught.value.sqlstate == "42501"
    assert ask("SELECT count(*) FROM pg_stat_activity", session=Session()) == [(0,)]


def test_a_wrong_number_of_arguments() -> None:
    for call in ("set_config('jit')", "pg_cancel_backend()", "pg_terminate_backend(1, 2, 3)"):
        with pytest.raises(QueryError) as caught:
            ask(f"SELECT {call}")
        assert caught.value.sqlstate == "42883"


@pytest.mark.parametrize(
    "call",
    [
        "set_config('jit', 1, false)",
        "pg_cancel_backend(1::bigint)",
        "pg_try_advisory_lock(1.5)",
        "pg_try_advisory_lock(1::bigint, 2)",
        "pg_advisory_unlock(true)",
    ],
)
def test_arguments_of_other_types(call: str) -> None:
    with pytest.raises(QueryError, match="does not exist") as caught:
        ask(f"SELECT {call}")
    assert caught.value.sqlstate == "42883"


def test_a_session_without_a_connection_holds_no_locks() -> None:
    with pytest.raises(QueryError, match="pg_try_advisory_lock") as caught:
        ask("SELECT pg_try_advisory_lock(1)", session=Session())
    assert caught.value.sqlstate == "0A000"
    assert ask("SELECT pg_advisory_unlock_all()", session=Session()) == [("",)]

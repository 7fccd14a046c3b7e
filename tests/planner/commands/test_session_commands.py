"""SET, SHOW, RESET, transactions, DESCRIBE: statements about the session."""

from __future__ import annotations

import pytest

from stategate.planner.commands.postgres_settings import OWN_SETTINGS
from stategate.planner.errors import QueryError
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session, TransactionStatus
from stategate.planner.values.statement import Notice, StatementKind
from stategate.stores.spec.schema import Row
from tests.planner.refusals import refusal
from tests.planner.sides import Sides, rows_of, run


def do(sides: Sides, session: Session, *statements: str) -> list[Row]:
    rows: list[Row] = []
    for sql in statements:
        rows = rows_of(run(sides.engine, sql, session=session))
    return rows


@pytest.mark.parametrize(
    ("set_", "show", "value"),
    [
        ("SET application_name = 'psql'", "application_name", "psql"),
        ("SET application_name TO psql", "application_name", "psql"),
        ("SET SESSION extra_float_digits = 3", "extra_float_digits", "3"),
        ("SET LOCAL statement_timeout = 7", "statement_timeout", "0"),
        ("SET DateStyle TO ISO, DMY", "datestyle", "ISO, DMY"),
        ("SET search_path = public, other", "search_path", "public, other"),
        ("SET stategate.consistency = 'monotonic'", "stategate.consistency", "monotonic"),
        ("SET stategate.wait = '5 s'", "stategate.wait", "5 s"),
        ("SET TIME ZONE 'UTC'", "timezone", "UTC"),
        ("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE", "transaction_isolation", "read committed"),
    ],
)
def test_set_and_show(sides: Sides, set_: str, show: str, value: str) -> None:
    assert do(sides, Session(), set_, f"SHOW {show}") == [(value,)]


def test_settings_that_stay_as_they_are_give_a_notice(sides: Sides) -> None:
    session = Session()
    result = run(sides.engine, "SET client_encoding = 'latin1'", session=session)
    assert [n.message for n in result.notices] == ["client_encoding stays UTF8"]
    assert do(sides, session, "SHOW client_encoding") == [("UTF8",)]


def test_reset_restores_the_settings_of_the_connection(sides: Sides) -> None:
    session = Session(settings={"application_name": "mine"})
    assert do(
        sides,
        session,
        "SET application_name = 'x'",
        "RESET application_name",
        "SHOW application_name",
    ) == [("mine",)]
    assert do(
        sides,
        session,
        "SET application_name = 'x'",
        "SET application_name = DEFAULT",
        "SHOW application_name",
    ) == [("mine",)]
    assert do(sides, session, "SET stategate.info = on", "RESET ALL", "SHOW stategate.info") == [
        ("off",)
    ]
    assert do(sides, session, "SET stategate.info = on", "DISCARD ALL", "SHOW stategate.info") == [
        ("off",)
    ]


def test_show_all_lists_our_settings(sides: Sides) -> None:
    names = [name for name, *_ in do(sides, Session(), "SHOW ALL")]
    assert {"stategate.consistency", "server_version", "statement_timeout"} <= set(names)
    assert names == sorted(names)


def test_the_position_that_show_gives_can_be_a_bound(sides: Sides) -> None:
    session = Session()
    ((token,),) = do(sides, session, "SELECT * FROM people", "SHOW stategate.position")
    assert token == '{"events":{"0":0}}'
    assert do(sides, session, f"SELECT count(*) FROM people WITH BOUND ('{token}')") == [(6,)]


def test_show_stores_and_describe(sides: Sides) -> None:
    names = [row[0] for row in do(sides, Session(), "SHOW STORES")]
    assert names == ["Mixed", "clicks", "orders", "people", "stock", "visits"]
    assert do(sides, Session(), "DESCRIBE clicks") == [
        ("name", "text", "key", "window"),
        ("window_start", "timestamptz", "time", "window"),
        ("window_end", "timestamptz", "time", "window"),
        ("clicks", "bigint", "value", "window"),
    ]
    assert do(sides, Session(), 'DESC "Mixed"')[0] == ("Id", "bigint", "key", "keyvalue")


@pytest.mark.parametrize("channel", ["orders", '"Orders 1"', "a$1"])
def test_listen_says_that_there_are_no_notifications(sides: Sides, channel: str) -> None:
    told = run(sides.engine, f"LISTEN {channel}", session=Session())
    assert [notice.message for notice in told.notices] == [
        "there are no notifications; SUBSCRIBE tells of changes to stores"
    ]
    assert not run(sides.engine, f"UNLISTEN {channel}", session=Session()).notices


@pytest.mark.parametrize(
    ("sql", "sqlstate", "position"),
    [
        ("LISTEN", "42601", 7),
        ("LISTEN *", "42601", 8),
        ("LISTEN 'a'", "42601", 8),
        ("LISTEN 1", "42601", 8),
        ("LISTEN a.b", "42601", 9),
        ("UNLISTEN a b", "42601", 12),
        ("SET memory_limit = '1TB'", "42704", None),
        ("SHOW memory_limit", "42704", None),
        ("RESET memory_limit", "42704", None),
        ("SET server_version = '9'", "55P02", None),
        ("SET stategate.consistency = 'strong'", "22023", None),
        ("SET", "42601", 4),
        ("SET application_name", "42601", 21),
        ("SET application_name =", "42601", 23),
        ("SHOW", "42601", 5),
        ("DESCRIBE nope", "42P01", 10),
        ("DESCRIBE people, orders", "42601", None),
        ("SET application_name application_name = 1", "42601", 22),
        ("SET NAMES utf8", "42601", 11),
        ("SET is_superuser = on", "55P02", None),
        ("RESET max_connections", "55P02", None),
        ("SET LOCAL statement_timeout = -1", "22023", None),
        ("SET transaction_deferrable = maybe", "22023", None),
        ("SELECT set_config('transaction_isolation', 'serializable', true)", "25001", None),
        ("SAVEPOINT a", "25P01", None),
        ("SAVEPOINT table", "42601", 11),
        ("PREPARE TRANSACTION 'a'", "0A000", None),
        ("ROLLBACK TO SAVEPOINT a", "25P01", None),
    ],
)
def test_refusals(sides: Sides, sql: str, sqlstate: str, position: int | None) -> None:
    error = refusal(sides.engine, sql)
    assert (error.sqlstate, error.position) == (sqlstate, position)


def test_a_transaction_from_begin_to_commit(sides: Sides) -> None:
    session = Session()
    for sql, status in (
        ("BEGIN", TransactionStatus.ACTIVE),
        ("SELECT 1", TransactionStatus.ACTIVE),
        ("COMMIT", TransactionStatus.IDLE),
        ("START TRANSACTION READ ONLY", TransactionStatus.ACTIVE),
        ("ROLLBACK", TransactionStatus.IDLE),
    ):
        do(sides, session, sql)
        assert session.transaction is status


def test_a_failed_transaction_accepts_only_its_end(sides: Sides) -> None:
    session = Session()
    do(sides, session, "BEGIN")
    session.fail()
    for sql in ("SELECT 1", "SELECT * FROM people WHERE name = 'ann'", "SHOW ALL", "BEGIN"):
        error = refusal(sides.engine, sql, session=session)
        assert error.sqlstate == "25P02"
        assert sides.engine.recall(sql, session) is None
    result = run(sides.engine, "COMMIT", session=session)
    assert (result.kind, session.transaction) == (StatementKind.ROLLBACK, TransactionStatus.IDLE)


def test_commands_without_effect_give_a_notice(sides: Sides) -> None:
    session = Session()
    (ended,) = run(sides.engine, "COMMIT", session=session).notices
    assert ended == Notice(
        message="there is no transaction in progress", severity="WARNING", sqlstate="25P01"
    )
    run(sides.engine, "BEGIN", session=session)
    (begun,) = run(sides.engine, "BEGIN", session=session).notices
    assert begun == Notice(
        message="there is already a transaction in progress", severity="WARNING", sqlstate="25001"
    )
    assert refusal(sides.engine, "DISCARD ALL", session=session).sqlstate == "25001"


def test_discard_all_stands_alone(sides: Sides) -> None:
    session = Session()
    session.set("application_name", "kept")
    session.in_pipeline = True
    refused = refusal(sides.engine, "DISCARD ALL", session=session)
    assert (refused.sqlstate, str(refused)) == (
        "25001",
        "DISCARD ALL cannot be executed within a pipeline",
    )
    assert session.settings["application_name"] == "kept"
    assert run(sides.engine, "DISCARD PLANS", session=session).kind is StatementKind.DISCARD_PLANS


@pytest.mark.parametrize("sql", ["DISCARD", "DISCARD NOPE", "DISCARD ALL ALL"])
def test_a_malformed_discard_is_refused_before_it_runs(sides: Sides, sql: str) -> None:
    with pytest.raises(QueryError) as caught:
        sides.engine.prepare(sql, Session())
    assert caught.value.sqlstate == "42601"


def test_settings_of_show_are_listed_in_the_catalog(sides: Sides) -> None:
    """Drivers ask `current_setting` before they set: asyncpg does so for `jit`."""
    shown = {str(row[0]).lower() for row in rows_of(run(sides.engine, "SHOW ALL"))}
    listed = rows_of(run(sides.engine, "SELECT lower(name) FROM pg_settings"))
    ours = {name for name in shown if name.startswith("stategate.")}
    assert shown - ours - {str(row[0]) for row in listed} == set()


def test_qualified_types_are_postgres_own(sides: Sides) -> None:
    """asyncpg writes them in the arguments that it puts into the text of a COPY."""
    sql = """SELECT 'x'::"pg_catalog"."text", '7'::pg_catalog.int4 + 1, '{a,b}'::pg_catalog._text"""
    assert rows_of(run(sides.engine, sql)) == [("x", 8, ["a", "b"])]


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("statement_timeout", "5000", "5s"),
        ("statement_timeout", "'1.5 min'", "90s"),
        ("idle_session_timeout", "'1h'", "1h"),
        ("work_mem", "'64MB'", "64MB"),
        ("enable_seqscan", "off", "off"),
    ],
)
def test_settings_are_shown_as_postgres_shows_them(
    sides: Sides, name: str, value: str, shown: str
) -> None:
    assert do(sides, Session(), f"SET {name} = {value}", f"SHOW {name}") == [(shown,)]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("work_mem", "4MB"),
        ("server_version_num", "150018"),
        ("max_connections", "100"),
        ("wal_segment_size", "16MB"),
    ],
)
def test_settings_that_no_one_has_set(sides: Sides, name: str, shown: str) -> None:
    assert do(sides, Session(), f"SHOW {name}") == [(shown,)]


@pytest.mark.parametrize(
    ("sql", "sqlstate", "message"),
    [
        (
            "SET statement_timeout = 'abc'",
            "22023",
            'invalid value for parameter "statement_timeout": "abc"',
        ),
        ("SET lock_timeout = -1", "22023", "-1 ms is outside the valid range"),
        (
            "SET standard_conforming_strings = off",
            "22023",
            'parameter "standard_conforming_strings" cannot be turned off',
        ),
        (
            "SET max_connections = 5",
            "55P02",
            'parameter "max_connections" cannot be changed without restarting the server',
        ),
        ("SET ssl = on", "55P02", 'parameter "ssl" cannot be changed now'),
        ("SET server_version = '9'", "55P02", 'parameter "server_version" cannot be changed'),
        (
            "SET session_replication_role = 'replica'",
            "42501",
            'permission denied to set parameter "session_replication_role"',
        ),
        (
            "SET NAMES 'KLINGON'",
            "22023",
            'invalid value for parameter "client_encoding": "KLINGON"',
        ),
        ("SET client_encoding = ''", "22023", 'invalid value for parameter "client_encoding": ""'),
        ("SET ROLE nothing", "22023", 'role "nothing" does not exist'),
        ("SET SESSION AUTHORIZATION nothing", "22023", 'role "nothing" does not exist'),
        ("SET ROLE pg_monitor", "42501", 'permission denied to set role "pg_monitor"'),
    ],
)
def test_values_that_a_setting_cannot_have(
    sides: Sides, sql: str, sqlstate: str, message: str
) -> None:
    session = Session()
    error = refusal(sides.engine, sql, session=session)
    assert error.sqlstate == sqlstate
    assert error.message.startswith(message)
    assert do(sides, session, "SHOW statement_timeout") == [("0",)]
    assert session.settings == {}


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SET bytea_output = 'escape'", "bytea_output stays hex"),
    ],
)
def test_forms_of_output_stay_as_they_are(sides: Sides, sql: str, message: str) -> None:
    assert [n.message for n in run(sides.engine, sql).notices] == [message]


def test_set_config_returns_what_show_writes(sides: Sides) -> None:
    for name, value, shown in (
        ("work_mem", "4096", "4MB"),
        ("lock_timeout", "0.5h", "30min"),
        ("standard_conforming_strings", "true", "on"),
        ("DateStyle", "dmy", "ISO, DMY"),
    ):
        sql = f"SELECT set_config('{name}', '{value}', false)"
        assert do(sides, Session(), sql) == [(shown,)]


def test_settings_of_the_user_are_shown(sides: Sides) -> None:
    for name, value in (("is_superuser", "off"), ("role", "none")):
        assert do(sides, Session(), f"SHOW {name}") == [(value,)]
        assert do(sides, Session(), f"SELECT current_setting('{name}')") == [(value,)]
    assert do(sides, Session(user="ann"), "SHOW SESSION AUTHORIZATION") == [("ann",)]


def test_what_is_local_to_a_text_of_several_statements(sides: Sides) -> None:
    session = Session()
    session.in_script = True
    result = run(sides.engine, "SET LOCAL work_mem = '5MB'", session=session)
    assert not result.notices
    assert do(sides, session, "SHOW work_mem") == [("5MB",)]
    session.end_group()
    assert do(sides, session, "SHOW work_mem") == [("4MB",)]


def test_a_failed_transaction_has_the_settings_of_its_beginning(sides: Sides) -> None:
    session = Session()
    do(sides, session, "BEGIN", "SET work_mem = '5MB'", "SAVEPOINT a", "SET work_mem = '6MB'")
    session.fail()
    assert session.settings["work_mem"] == "5MB"
    do(sides, session, "ROLLBACK TO a", "RELEASE a")
    session.fail()
    assert "work_mem" not in session.settings


@pytest.mark.parametrize(
    ("sql", "sqlstate"),
    [("SELECT nothing", "25P02"), ("CREATE TABLE x ()", "25P02"), ("SELEC", "42601")],
)
def test_a_failed_transaction_refuses_all_but_wrong_syntax(
    sides: Sides, sql: str, sqlstate: str
) -> None:
    session = Session()
    do(sides, session, "BEGIN")
    session.fail()
    assert refusal(sides.engine, sql, session=session).sqlstate == sqlstate


def test_modes_cannot_change_after_a_query(sides: Sides) -> None:
    for sql in ("SELECT 1", "PREPARE p AS SELECT 1", "COPY people TO STDOUT"):
        session = Session()
        do(sides, session, "BEGIN", "SET TRANSACTION DEFERRABLE", "SHOW work_mem")
        do(sides, session, "SET TRANSACTION NOT DEFERRABLE")
        sides.engine.prepare(sql, session)
        error = refusal(sides.engine, "SET TRANSACTION DEFERRABLE", session=session)
        assert error.sqlstate == "25001"


@pytest.mark.parametrize("is_prepared_before", [True, False])
def test_a_plan_that_is_kept_begins_the_reads_of_a_transaction(
    sides: Sides, *, is_prepared_before: bool
) -> None:
    session, sql = Session(), "SELECT current_setting('lock_timeout', true)"
    statement = sides.engine.prepare(sql, Session())
    run(sides.engine, "BEGIN", session=session)
    if is_prepared_before:
        sides.engine.execute(statement, (), session, cancellation=Cancellation()).close()
    else:
        assert sides.engine.recall(sql, session) is not None
    with pytest.raises(QueryError, match="must be called before any query"):
        run(sides.engine, "SET TRANSACTION DEFERRABLE", session=session)


def test_a_mode_is_reset_without_a_warning_between_others_in_one_text(sides: Sides) -> None:
    session = Session()
    assert run(sides.engine, "RESET transaction_isolation", session=session).notices
    session.in_script = True
    assert not run(sides.engine, "RESET transaction_isolation", session=session).notices


def test_only_the_lock_of_a_reader_is_accepted(sides: Sides) -> None:
    """pg_dump takes it on every relation that it reads."""
    assert refusal(sides.engine, "LOCK people IN ACCESS SHARE MODE").sqlstate == "25P01"
    session = Session()
    run(sides.engine, "BEGIN", session=session)
    for sql in (
        "LOCK TABLE public.people IN ACCESS SHARE MODE",
        "LOCK people in access share mode",
    ):
        assert run(sides.engine, sql, session=session).kind is StatementKind.LOCK
    for sql in ("LOCK TABLE people", "LOCK TABLE people IN ROW EXCLUSIVE MODE"):
        assert refusal(sides.engine, sql).sqlstate == "25006"


def test_a_setting_of_the_client_keeps_the_name_that_it_first_had(sides: Sides) -> None:
    session = Session()
    for sql in ('SET "My".x = 1.50', "SET my.X = 2", "SHOW MY.X", "RESET my.Y", 'SHOW "My".y'):
        result = run(sides.engine, sql, session=session)
        if sql.startswith("SHOW"):
            assert [c.name for c in result.columns] == [{"X": "My.x", "y": "my.y"}[sql[-1]]]
    # Another session has its own names, though the text is the same.
    other = Session()
    run(sides.engine, "SET my.x = 1", session=other)
    assert run(sides.engine, "SHOW MY.X", session=other).columns[0].name == "my.x"


@pytest.mark.parametrize("end", ["RESET my.x", "RESET ALL", "ROLLBACK", "DISCARD ALL"])
def test_a_setting_of_the_client_is_empty_when_it_has_lost_its_value(
    sides: Sides, end: str
) -> None:
    session = Session()
    begin = ["BEGIN"] if end == "ROLLBACK" else []
    do(sides, session, *begin, "SET my.x = 1", end)
    assert do(sides, session, "SHOW my.x") == [("",)]
    assert do(sides, session, "SELECT current_setting('my.x')") == [("",)]
    assert refusal(sides.engine, "SHOW my.x").sqlstate == "42704"


def test_show_and_the_catalog_agree_on_our_own_settings(sides: Sides) -> None:
    rows = rows_of(run(sides.engine, "SELECT lower(name), setting FROM pg_settings"))
    listed = {row[0]: row[1] for row in rows}
    for name, setting in OWN_SETTINGS.items():
        assert do(sides, Session(), f"SHOW {name}") == [(setting.default,)]
        assert listed[name] == setting.default

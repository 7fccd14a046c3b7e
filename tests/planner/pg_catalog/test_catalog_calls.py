"""Catalog calls in statements over stores give the same values of the session as without stores."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from stategate.planner.errors import NotSupportedError, QueryError, UnknownNameError
from stategate.planner.planning.plan import Lookup, QueryPlan
from stategate.planner.sql import SqlEngine
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.planner.values.statement import StatementKind
from stategate.stores.spec.schema import BOOLEAN, TEXT, Row
from tests.planner.sides import Sides, build, rows_of, run
from tests.planner.world import PEOPLE, ROWS, world
from tests.support.stores import FixedCatalog, keyvalue, open_store

CALLS = [
    "current_user",
    "session_user",
    "user",
    "current_role",
    "current_catalog",
    "current_database()",
    "current_schema",
    "current_schema()",
    "pg_catalog.current_database()",
    "current_schemas(true)",
    "current_schemas(1 = 2)",
    "version()",
    "pg_catalog.version()",
    "current_setting('server_version')",
    "current_setting('stategate.note')",
    "current_setting('no.such', true)",
    "current_setting(lower('TimeZone'))",
    "current_setting(NULL)",
    "upper(current_user)",
    "current_user::text || '@' || current_database()",
    "coalesce(current_setting('no.such', true), 'none')",
    "pg_backend_pid()",
    "inet_client_addr()",
    "inet_client_port()",
    "inet_server_addr()",
    "inet_server_port()",
    "pg_is_in_recovery()",
    "txid_current()",
    "txid_current_if_assigned()",
    "pg_current_xact_id_if_assigned()",
    "pg_client_encoding()",
    "pg_my_temp_schema()",
    "pg_postmaster_start_time()",
    "pg_conf_load_time()",
    "format_type(23, NULL)",
    "has_table_privilege('people', 'select')",
    "has_table_privilege(lower('PEOPLE'), trim(' select '))",
    "has_table_privilege(CASE WHEN length('a') = 1 THEN 'people' END, upper('select'))",
    "has_schema_privilege(concat('pub', 'lic'), 'usage')",
    "to_regclass(replace('p.ople', '.', 'e'))",
    "pg_get_userbyid(length('0123456789'))",
    "has_database_privilege(current_database(), 'connect')",
    "pg_get_userbyid(10)",
    "'people'::regclass",
    "'people'::regclass::text",
    "('people'::regclass)::oid > 0",
    "'integer'::regtype",
    "'int8'::regtype::oid",
    "23::regtype",
    "'upper'::regproc",
    "CAST('pg_catalog' AS regnamespace)",
    "NULL::regclass",
    "coalesce('people'::regclass, 'pg_class'::regclass)",
    "'a ' || 'people'::regclass",
    "23 = 'integer'::regtype",
    "'people'::regclass IN ('pg_class'::regclass)",
]


@pytest.fixture(scope="module")
def sides() -> Iterator[Sides]:
    made = world()
    yield made
    made.engine.close()


def session_of(user: str) -> Session:
    return Session(user=user, settings={"stategate.note": f"for {user}"})


def ask(sides: Sides, sql: str, *parameters: object, user: str = "ann") -> list[Row]:
    return rows_of(run(sides.engine, sql, tuple(parameters), session_of(user)))


@pytest.mark.parametrize("call", CALLS)
def test_a_call_gives_the_same_with_and_without_a_store(sides: Sides, call: str) -> None:
    session = session_of("ann")
    alone = run(sides.engine, f"SELECT {call}", session=session)
    beside = run(sides.engine, f"SELECT {call} FROM people WHERE name = 'ann'", session=session)
    assert beside.columns == alone.columns
    assert rows_of(beside) == rows_of(alone)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT has_table_privilege(lower($1), 'select')",
        "SELECT has_table_privilege(lower(t.n), 'select') FROM (VALUES ($1::text)) t(n)",
        "SELECT has_table_privilege((SELECT lower($1)), 'select')",
    ],
)
def test_arguments_without_a_store_may_be_computed_of_anything(sides: Sides, sql: str) -> None:
    assert ask(sides, sql, "PEOPLE") == [(True,)]


def test_calls_give_the_values_of_the_session(sides: Sides) -> None:
    sql = (
        "SELECT current_user, session_user, user, current_role, current_database(), current_schema,"
        " current_setting('stategate.note'), pg_backend_pid(), count(*) FROM people"
    )
    for user in ("ann", "bob", "ann"):
        note = f"for {user}"
        expected = (user, user, user, user, "stategate", "public", note, os.getpid(), 6)
        assert ask(sides, sql, user=user) == [expected]


def test_a_prepared_statement_uses_the_session_that_runs_it(sides: Sides) -> None:
    sql = "SELECT current_user, current_setting('stategate.note'), $1::text, age FROM people"
    statement = sides.engine.prepare(f"{sql} WHERE name = $2", session_of("ann"))
    assert statement.parameters == (TEXT, TEXT)
    for user in ("ann", "bob"):
        found = sides.engine.execute(
            statement, ("x", "ann"), session_of(user), cancellation=Cancellation(timeout_s=60)
        )
        assert rows_of(found) == [(user, f"for {user}", "x", 30)]


def test_a_setting_is_read_when_the_statement_runs(sides: Sides) -> None:
    session = session_of("ann")
    sql = "SELECT current_setting('stategate.note') FROM people WHERE name = 'ann'"
    for value in ("one", "two"):
        session.set("stategate.note", value)
        assert rows_of(run(sides.engine, sql, session=session)) == [(value,)]


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("pg_typeof(name) = 'text'::regtype", True),
        ("'integer'::regtype = pg_typeof(name)", False),
        ("pg_typeof(name) <> 'int8'::regtype", True),
    ],
)
def test_a_type_is_compared_with_that_of_a_column(
    sides: Sides, condition: str, holds: bool
) -> None:
    assert ask(sides, f"SELECT DISTINCT {condition} FROM people") == [(holds,)]


def test_an_unknown_relation_is_an_error(sides: Sides) -> None:
    with pytest.raises(QueryError, match='relation "nosuch" does not exist'):
        ask(sides, "SELECT name, 'nosuch'::regclass FROM people")


@pytest.mark.parametrize("operand", ["name", "upper(name)", "(SELECT name)"])
def test_names_in_rows_are_not_looked_up(sides: Sides, operand: str) -> None:
    with pytest.raises(QueryError) as caught:
        ask(sides, f"SELECT {operand}::regclass FROM people")
    assert caught.value.sqlstate == "0A000"
    assert caught.value.hint is not None


def test_cached_values_of_a_session_are_not_used_for_another(sides: Sides) -> None:
    sql = (
        "SELECT current_user, current_setting('stategate.note', true),"
        " current_setting('transaction_isolation') FROM people WHERE name = 'ann'"
    )
    begin = "BEGIN ISOLATION LEVEL SERIALIZABLE"
    sessions = [session_of("ann"), session_of("bob"), Session(user="ann"), session_of("ann")]
    run(sides.engine, begin, session=sessions[3])
    told = [rows_of(run(sides.engine, sql, session=each))[0] for each in sessions * 2]
    expected = [
        ("ann", "for ann", "read committed"),
        ("bob", "for bob", "read committed"),
        ("ann", None, "read committed"),
        ("ann", "for ann", "serializable"),
    ]
    assert told == expected * 2
    sessions[3].close()


def test_cached_values_are_not_used_after_stores_change() -> None:
    people = open_store(PEOPLE)
    catalog = FixedCatalog(people)
    engine = SqlEngine(catalog)
    sql = "SELECT to_regclass('late') IS NULL FROM people RIGHT JOIN (SELECT 1) x ON true"
    statement = engine.prepare(sql, Session())
    for missing in (True, False):
        found = engine.execute(statement, (), Session(), cancellation=Cancellation(timeout_s=60))
        assert rows_of(found) == [(missing,)]
        catalog.replace(people, open_store(keyvalue("late", {"k": "text"}, {"v": "text"})))
    engine.close()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name FROM people WHERE name = current_user",
        "SELECT name FROM people WHERE name IN (user)",
        "SELECT name FROM people WHERE current_role = name AND age = 30",
        "SELECT name FROM people WHERE name = current_setting('stategate.who')",
        "SELECT name FROM (SELECT name, session_user AS me FROM people) p WHERE name = me",
        "WITH mine AS (SELECT * FROM people WHERE name = current_user) SELECT name FROM mine",
        "SELECT name FROM people WHERE name = (SELECT current_user)",
        "SELECT p.name FROM people p JOIN (SELECT current_user AS me) m ON p.name = m.me",
        "SELECT max(name) FROM people GROUP BY current_user, name HAVING name = current_user",
        "SELECT name FROM people WHERE name = 'ann' ORDER BY current_user, name",
    ],
)
def test_a_call_may_stand_anywhere(sides: Sides, sql: str) -> None:
    session = Session(user="ann", settings={"stategate.who": "ann"})
    assert rows_of(run(sides.engine, sql, session=session)) == [("ann",)]


def test_a_key_that_is_the_user_is_looked_up(sides: Sides) -> None:
    sql = "SELECT age FROM people WHERE name = current_user"
    statement = sides.engine.prepare(sql, session_of("ann"))
    assert isinstance(statement.plan, QueryPlan)
    assert isinstance(statement.plan.node, Lookup)
    assert statement.parameters == ()
    # Querying the catalog takes too long for the event loop.
    assert statement.look_up is None
    assert not sides.engine.is_inline(statement, session_of("ann"))
    assert [ask(sides, sql, user=user) for user in ("ann", "dan", "eve")] == [[(30,)], [(41,)], []]


def test_a_key_beside_a_literal_uses_the_session(sides: Sides) -> None:
    sql = "SELECT amount::text FROM orders WHERE name = current_user AND number = "
    for user in ("ann", "bob"):
        found = [ask(sides, f"{sql}{number}", user=user) for number in (1, 2, 7)]
        assert (
            found
            == {"ann": [[("9.50",)], [("1.25",)], []], "bob": [[(None,)], [], [("3.00",)]]}[user]
        )


def test_plans_of_lookups_do_not_change(sides: Sides) -> None:
    statement = sides.engine.prepare("SELECT age FROM people WHERE name = $1", Session())
    assert isinstance(statement.plan, QueryPlan)
    assert statement.plan.catalog_values is None
    assert statement.look_up is not None


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        # A branch that no row takes is not computed, so it is not an error.
        ("SELECT CASE WHEN age IS NULL THEN current_setting('no.such') END FROM people"
         " WHERE name = 'ann'", [(None,)]),
        ("SELECT coalesce(name, current_setting('no.such')) FROM people WHERE name = 'ann'",
         [("ann",)]),
        # A name from a row or a parameter.
        ("SELECT current_setting('stategate.' || city, true) FROM people WHERE name = 'ann'",
         [("north",)]),
        ("SELECT current_setting($1), current_schemas($2) FROM people WHERE name = 'ann'",
         [("for ann", ["public"])]),
    ],
)  # fmt: skip
def test_a_setting_may_be_named_by_a_row(sides: Sides, sql: str, rows: list[Row]) -> None:
    session = Session(settings={"stategate.note": "for ann", "stategate.oslo": "north"})
    statement = sides.engine.prepare(sql, session)
    parameters = ("stategate.note", False) if statement.parameters else ()
    assert statement.parameters in {(), (TEXT, BOOLEAN)}
    found = run(sides.engine, sql, parameters, session)
    assert rows_of(found) == rows


@pytest.mark.parametrize(
    "call",
    [
        "current_setting('no.such')",
        "current_setting('no.such', false)",
        "current_setting('no.' || name)",
        "CASE WHEN age > 0 THEN current_setting('no.such') END",
    ],
)
def test_an_unknown_setting_is_an_error(sides: Sides, call: str) -> None:
    with pytest.raises(QueryError, match='unrecognized configuration parameter "no') as caught:
        ask(sides, f"SELECT {call} FROM people WHERE name = 'ann'")
    assert caught.value.sqlstate == "42704"


@pytest.mark.parametrize(
    "call",
    [
        "nosuch()",
        "duckdb_settings()",
        "getvariable('session_user')",
        "pg_snooze(1)",
        "pg_sg_setting('a', true, ARRAY['a'], ARRAY['b'])",
        "current_setting()",
        "current_setting('a', true, ARRAY['a'], ARRAY['b'])",
        "pg_backend_pid(1)",
        "format_type(age, NULL)",
        "no_such_schema.version()",
    ],
)
def test_unknown_names_are_errors(sides: Sides, call: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        ask(sides, f"SELECT {call}, name FROM people")
    assert caught.value.sqlstate == ("3F000" if "schema." in call else "42883")


@pytest.mark.parametrize("call", ["set_config('a.b', 'c', false)", "pg_advisory_lock(1)"])
def test_calls_with_side_effects_are_refused_by_name(sides: Sides, call: str) -> None:
    with pytest.raises(NotSupportedError, match=call.partition("(")[0]):
        ask(sides, f"SELECT {call}, name FROM people")


@pytest.fixture(scope="module")
def with_logins() -> Iterator[Sides]:
    logins = keyvalue("logins", {"name": "text"}, {"user": "text"})
    made = build((PEOPLE, logins), {"people": ROWS["people"], "logins": [("bob", "bob")]})
    yield made
    made.engine.close()


@pytest.mark.parametrize(
    "source",
    [
        '(SELECT name AS "user" FROM people)',
        '(SELECT name FROM people) AS x ("user")',
        "logins",
        "(SELECT * FROM logins)",
        "people LEFT JOIN logins USING (name)",
        'people, LATERAL (SELECT name AS "user") l',
    ],
)
def test_user_is_the_column_where_there_is_one(with_logins: Sides, source: str) -> None:
    source = source if " AS x" in source or source[0] != "(" else f"{source} AS x"
    for name in ("user", '"user"'):
        found = ask(with_logins, f"SELECT {name} FROM {source} WHERE {name} = 'bob'")
        assert found == [("bob",)]
    most = ask(with_logins, f"WITH c AS (SELECT * FROM {source}) SELECT max(user) FROM c")
    assert most != [("ann",)]
    assert ask(with_logins, "SELECT user FROM people WHERE name = 'bob'") == [("ann",)]


def test_columns_are_named_as_postgres_names_them(sides: Sides) -> None:
    sql = "SELECT user, current_role, version(), current_setting('a.b', true), {} FROM people"
    found = run(sides.engine, sql.format("(SELECT current_catalog), current_user::text"))
    assert [column.name for column in found.columns] == [
        *("user", "current_role", "version", "current_setting", "current_catalog", "current_user"),
    ]
    found.close()


def test_a_plan_with_a_call_is_explained(sides: Sides) -> None:
    for explain in ("EXPLAIN", "EXPLAIN ANALYZE"):
        found = run(sides.engine, f"{explain} SELECT age FROM people WHERE name = current_user")
        assert found.kind is StatementKind.EXPLAIN
        assert "lookup people" in str(rows_of(found)[0])


def test_calls_beside_a_system_relation(sides: Sides) -> None:
    assert ask(sides, "SELECT current_user, name FROM stategate.stores WHERE name = 'people'") == [
        ("ann", "people")
    ]


@pytest.mark.parametrize(
    ("sql", "row"),
    [
        (
            "SELECT current_user, to_char(timestamp '2024-02-29 10:11:12', 'YYYY-MM')",
            ("ann", "2024-02"),
        ),
        ("SELECT current_database() || to_char(12345.678, 'FM99G999D9')", ("stategate12,345.7",)),
        ("SELECT current_schema, initcap('two words')", ("public", "Two Words")),
        ("SELECT set_config('application_name', 'y', false), upper('x')", ("y", "X")),
        ("SELECT 'people'::regclass::text, upper('x')", ("people", "X")),
    ],
)
def test_expressions_beside_a_call_mean_the_same_as_over_stores(
    sides: Sides, sql: str, row: Row
) -> None:
    assert ask(sides, sql) == [row]

"""SQL reaches no file, network, extension, setting or object of the process."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from stategate.planner.composing.compose import composing_definition
from stategate.planner.composing.database import DatabaseError
from stategate.planner.composing.local import LocalDatabase
from stategate.planner.errors import QueryError
from stategate.planner.postgres.refused import TABLE_FUNCTIONS
from stategate.planner.postgres.types.functions import FUNCTIONS
from stategate.planner.values.session import Session
from tests.planner.refusals import refusal
from tests.planner.sides import Sides, rows_of, run

SECRET = "kept from SQL"


@pytest.fixture(scope="module")
def secret(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("secret") / "secret.csv"
    path.write_text(f"a\n{SECRET}\n")
    return path


@pytest.mark.parametrize(
    ("sql", "sqlstate"),
    [
        ("SELECT * FROM read_csv('{path}')", "42883"),
        ("SELECT * FROM read_csv_auto('{path}')", "42883"),
        ("SELECT * FROM read_text('{path}')", "42883"),
        ("SELECT * FROM read_blob('{path}')", "42883"),
        ("SELECT * FROM read_json('{path}')", "42883"),
        ("SELECT * FROM read_parquet('{path}')", "42883"),
        ("SELECT * FROM parquet_metadata('{path}')", "42883"),
        ("SELECT * FROM sniff_csv('{path}')", "42883"),
        ("SELECT * FROM glob('/*')", "42601"),
        ("SELECT * FROM '{path}'", "42P01"),
        ('SELECT * FROM "{path}"', "42P01"),
        ("SELECT * FROM people, '{path}'", "42P01"),
        ("SELECT (SELECT content FROM read_text('{path}'))", "42703"),
        ("WITH a AS (SELECT * FROM read_text('{path}')) SELECT * FROM a", "42883"),
        ("SELECT * FROM people WHERE EXISTS (SELECT 1 FROM read_text('{path}'))", "42883"),
        ("SELECT * FROM people p, LATERAL (SELECT * FROM read_text(p.name)) x", "42883"),
        ("COPY people TO '{path}'", "42501"),
        ("COPY (SELECT 1) TO '{path}'", "42501"),
        ("EXPORT DATABASE '{path}'", "42601"),
        ("ATTACH '{path}'", "42601"),
        ("INSTALL httpfs", "42601"),
        ("LOAD httpfs", "0A000"),
        ("PRAGMA database_list", "0A000"),
        ("CALL pragma_version()", "0A000"),
        ("CHECKPOINT", "0A000"),
        ("USE memory", "0A000"),
        ("SET memory_limit = '1TB'", "42704"),
        ("SET enable_external_access = true", "42704"),
        ("SELECT getenv('HOME')", "42883"),
        ("SELECT getvariable('x') FROM people", "42883"),
        ("SELECT current_setting('memory_limit') FROM people", "42704"),
        ("SELECT current_query() FROM people", "42883"),
        ("SELECT write_log('x')", "42883"),
        ("SELECT sleep_ms(10)", "42883"),
        ("SELECT nextval('x')", "42P01"),
        ("SELECT stats(name) FROM people", "42883"),
        ("SELECT json_execute_serialized_sql(json_serialize_sql('SELECT 1'))", "42883"),
        ("SELECT * FROM duckdb_settings()", "42883"),
        ("SELECT * FROM duckdb_secrets()", "42883"),
        ("SELECT * FROM duckdb_extensions()", "42883"),
        ("SELECT * FROM duckdb_logs", "42P01"),
        ("SELECT * FROM pragma_database_list()", "42883"),
        ("SELECT * FROM query('SELECT 1')", "42883"),
        ("SELECT * FROM query_table('people')", "42883"),
        ("SELECT * FROM sqlite_master", "42P01"),
        ("SELECT * FROM main.people", "3F000"),
        ("SELECT * FROM SECRET", "42P01"),
        ("SELECT * FROM sides", "42P01"),
        ("SELECT * FROM r0", "42P01"),
        ("SELECT name FROM people, r0", "42P01"),
        ("SELECT COLUMNS('.*') FROM people", "0A000"),
        ("SELECT * FROM (PIVOT people ON city USING count(*))", "0A000"),
    ],
)
def test_process_is_out_of_reach(sides: Sides, secret: Path, sql: str, sqlstate: str) -> None:
    error = refusal(sides.engine, sql.format(path=secret))
    assert error.sqlstate == sqlstate
    assert SECRET not in f"{error.message} {error.detail} {error.hint}"


def test_unlisted_table_functions_are_refused(sides: Sides) -> None:
    """Functions that a later DuckDB adds are refused, too."""
    found = (
        duckdb.connect()
        .execute(
            "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type "
            "IN ('table', 'table_macro', 'pragma')"
        )
        .fetchall()
    )
    names = {name for (name,) in found if name.isidentifier()} - TABLE_FUNCTIONS - FUNCTIONS
    assert len(names) > 50
    for name in sorted(names):
        with pytest.raises(QueryError) as caught:
            sides.engine.prepare(f"SELECT * FROM {name}('x')", Session())
        assert caught.value.sqlstate in {"42883", "42601", "42P01"}, name


def test_composing_database_is_locked() -> None:
    """DuckDB itself refuses any statement that the planner fails to refuse."""
    database = LocalDatabase(composing_definition(memory_bytes_max=1 << 26, threads=1))
    for sql in (
        "SELECT * FROM read_text('/etc/hostname')",
        "COPY (SELECT 1) TO 'never.csv'",
        "ATTACH 'never.db'",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "SELECT * FROM cursor",
    ):
        with pytest.raises(DatabaseError):
            database.statement(sql).begin("", {}, {}, 8)
    database.close()


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT * FROM generate_series(1, 3)", [(1,), (2,), (3,)]),
        ("SELECT * FROM unnest(ARRAY['a', 'b'])", [("a",), ("b",)]),
        ("SELECT generate_series(1, 2)", [(1,), (2,)]),
    ],
)
def test_listed_table_functions_run(sides: Sides, sql: str, rows: list[tuple[object, ...]]) -> None:
    assert rows_of(run(sides.engine, sql)) == rows


@pytest.mark.parametrize(
    ("sql", "sqlstate", "position"),
    [
        ("INSERT INTO people VALUES ('x')", "25006", 1),
        ("UPDATE people SET age = 1", "25006", 1),
        ("DELETE FROM people", "25006", 1),
        ("MERGE INTO people USING orders ON true", "25006", 1),
        ("TRUNCATE people", "25006", 1),
        ("CREATE TABLE t (a int)", "25006", 1),
        ("DROP TABLE people", "25006", 1),
        ("ALTER TABLE people ADD b int", "25006", 1),
        ("GRANT SELECT ON people TO x", "25006", 1),
        ("VACUUM", "25006", 1),
        ("WITH x AS (INSERT INTO people VALUES (1) RETURNING *) SELECT * FROM x", "25006", 12),
        ("SELECT * INTO copied FROM people", "0A000", 15),
        ("NOTIFY x", "0A000", 1),
        ("DO $$ BEGIN END $$", "0A000", 1),
        ("SELECT 1; DROP TABLE people", "42601", 9),
    ],
)
def test_writes_and_commands_are_refused(
    sides: Sides, sql: str, sqlstate: str, position: int | None
) -> None:
    error = refusal(sides.engine, sql)
    assert (error.sqlstate, error.position) == (sqlstate, position)


@pytest.mark.parametrize("name", ["concat", "format", "concat_ws", "json_build_array"])
def test_variadic_call_is_refused_with_a_hint(sides: Sides, name: str) -> None:
    """PostgreSQL runs it; here the error is not a syntax error."""
    error = refusal(sides.engine, f"SELECT {name}('a', VARIADIC ARRAY['b', 'c'])")
    assert (error.sqlstate, error.message) == ("0A000", "VARIADIC is not supported")
    assert error.hint == "Write the elements as arguments of their own."


def test_whole_row_as_a_value_is_refused_with_a_hint(sides: Sides) -> None:
    """The hint is to name the columns."""
    error = refusal(sides.engine, "SELECT ROW(p.*) FROM people p")
    assert (error.sqlstate, error.message) == ("0A000", "a whole row as a value is not supported")
    assert error.hint == "Name its columns."

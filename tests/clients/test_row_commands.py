"""COPY, cursors and prepared statements over real stores, by psycopg."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import psycopg
import pytest

from tests.support.gateway import Gateway

Connection = psycopg.Connection[tuple[object, ...]]
TYPES = (
    *("text", "bool", "int2", "int2", "int4", "int8", "float4", "float8", "numeric", "text"),
    *("bytea", "date", "time", "timestamp", "timestamptz", "uuid", "json"),
)


@pytest.fixture
def connection(gateway: Gateway) -> Iterator[Connection]:
    with psycopg.connect(gateway.pg_dsn, autocommit=True) as made:
        yield made


def by_name(rows: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    return sorted(rows, key=lambda row: (row[0] is None, str(row[0])))


@pytest.mark.parametrize("sql", ["COPY users", "COPY (SELECT * FROM users)", "COPY public.users"])
def test_copy_gives_the_rows_of_select(connection: Connection, sql: str) -> None:
    expected = connection.execute("SELECT * FROM users").fetchall()
    with connection.cursor() as cursor, cursor.copy(f"{sql} TO STDOUT (FORMAT binary)") as copy:
        copy.set_types(TYPES)
        rows = list(copy.rows())
    assert len(rows) > 3
    assert by_name(rows) == by_name(expected)


def test_copy_of_a_lookup_of_columns_and_of_the_catalog(connection: Connection) -> None:
    queries = (
        ("COPY (SELECT name, visits FROM users WHERE name = 'nobody') TO STDOUT", b""),
        ("COPY (VALUES (1, 'a b'), (2, NULL)) TO STDOUT (FORMAT csv)", b"1,a b\n2,\n"),
        (
            "COPY (SELECT typname FROM pg_type WHERE oid = 25) TO STDOUT CSV HEADER",
            b"typname\ntext\n",
        ),
    )
    for sql, expected in queries:
        with connection.cursor() as cursor, cursor.copy(sql) as copy:
            assert b"".join(bytes(part) for part in copy) == expected


def test_cursors_and_parameters(connection: Connection) -> None:
    names = [name for (name,) in connection.execute("SELECT name FROM users ORDER BY name")]
    with connection.transaction(), connection.cursor("c", scrollable=True) as cursor:
        cursor.execute("SELECT name FROM users WHERE visits >= %s OR true ORDER BY name", (0,))
        assert [name for (name,) in cursor.fetchall()] == names
        cursor.scroll(-2)
        assert cursor.fetchone() == (names[-1],)


def test_execute_evaluates_its_arguments(connection: Connection) -> None:
    connection.execute("PREPARE p (text, date) AS SELECT $1 || '!', $2 + 1")
    row = connection.execute("EXECUTE p (upper('a' || 'b'), '2026-01-31')").fetchone()
    assert row is not None
    assert (row[0], str(row[1])[:10]) == ("AB!", "2026-02-01")
    with pytest.raises(psycopg.errors.UndefinedFunction) as caught:
        connection.execute("EXECUTE p (nope(1), NULL)")
    assert caught.value.diag.statement_position is None


def test_execute_takes_numbers_as_the_declared_type(connection: Connection) -> None:
    connection.execute("PREPARE p (integer, numeric) AS SELECT $1, $2 + 1")
    assert connection.execute("EXECUTE p (1.6, 1.5)").fetchone() == (2, Decimal("2.5"))
    assert connection.execute("EXECUTE p (-2.5, 1 + 1)").fetchone() == (-3, Decimal(3))


@pytest.mark.parametrize(
    ("sql", "sqlstate"),
    [
        ("COPY users FROM STDIN", "25006"),
        ("COPY users TO 'users.csv'", "42501"),
        ("COPY nope TO STDOUT", "42P01"),
        ("NOTIFY news", "0A000"),
        ("DECLARE c CURSOR FOR SELECT 1", "25P01"),
        ("FETCH nope", "34000"),
        ("EXECUTE nope", "26000"),
        ("SET ROLE somebody_else", "22023"),
    ],
)
def test_refusals(connection: Connection, sql: str, sqlstate: str) -> None:
    with pytest.raises(psycopg.Error) as caught:
        connection.execute(sql)
    assert caught.value.sqlstate == sqlstate
    assert connection.execute("SELECT 1").fetchone() == (1,)


def test_the_resets_of_connection_pools(connection: Connection) -> None:
    connection.execute("SET application_name = 'kept'")
    for sql in ("DISCARD PLANS", "DISCARD TEMP", "DISCARD SEQUENCES"):
        assert connection.execute(sql).statusmessage == sql
    assert connection.execute("SHOW application_name").fetchone() == ("kept",)
    for sql in (
        "SELECT pg_advisory_unlock_all(); CLOSE ALL; UNLISTEN *; RESET ALL",
        "DISCARD ALL",
        "DEALLOCATE ALL",
        "SET SESSION AUTHORIZATION DEFAULT",
        "RESET SESSION AUTHORIZATION",
        "SET ROLE NONE",
        "SET NAMES 'utf8'",
        "SET client_encoding TO 'UTF8'",
        "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
        "SET TIME ZONE 'UTC'",
        "SET extra_float_digits = 3",
        "SET search_path TO public, pg_catalog",
        "SET statement_timeout = '5s'",
        "SHOW TRANSACTION ISOLATION LEVEL",
        "SHOW server_version",
    ):
        connection.execute(sql)

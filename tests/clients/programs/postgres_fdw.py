"""postgres_fdw: the stores as foreign tables of a PostgreSQL, which is started for the program.

With `use_remote_estimate` it plans by the gateway's EXPLAIN, so that each statement is explained
before it is run.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from tests.clients.programs.asking import asks, lists, logs_in, marked
from tests.clients.programs.steps import (
    DATABASE,
    HOST,
    PORT,
    ROOT_CERTIFICATE,
    URL,
    USER,
    expect,
    main,
    step,
)
from tests.support.postgres import Postgres, running_postgres

_servers = contextlib.ExitStack()
_attached: list[Postgres] = []


def started() -> Postgres:
    """A PostgreSQL, which runs to the end of the program."""
    directory = Path(_servers.enter_context(tempfile.TemporaryDirectory()))
    return _servers.enter_context(running_postgres(directory / "postgres"))


def attach(postgres: Postgres, *, password: str = "", **options: str) -> None:
    """Make the gateway a foreign server, and its stores tables of schema public."""
    place = {"host": HOST, "port": str(PORT), "dbname": DATABASE, "use_remote_estimate": "true"}
    given = {**place, **options}
    with psycopg.connect(postgres.dsn, autocommit=True) as connection:
        for statement in (
            sql.SQL("CREATE EXTENSION postgres_fdw"),
            sql.SQL("CREATE SERVER gateway FOREIGN DATA WRAPPER postgres_fdw OPTIONS ({})").format(
                _options(given)
            ),
            sql.SQL("CREATE USER MAPPING FOR postgres SERVER gateway OPTIONS ({})").format(
                _options({"user": USER, "password": password})
            ),
            sql.SQL("IMPORT FOREIGN SCHEMA public FROM SERVER gateway INTO public"),
        ):
            connection.execute(statement)


def _options(given: dict[str, str]) -> sql.Composed:
    pairs = [sql.SQL("{} {}").format(sql.Identifier(n), sql.Literal(v)) for n, v in given.items()]
    return sql.SQL(", ").join(pairs)


def connect() -> psycopg.Connection[Any]:
    """Return a connection to a PostgreSQL that has the stores as foreign tables."""
    if not _attached:
        attach(postgres := started())
        _attached.append(postgres)
    return psycopg.connect(_attached[0].dsn, autocommit=True, options="-c timezone=UTC")


def remote_sql(statement: str) -> str:
    """Return the query that it sends to the gateway for a statement, if it is a single one."""
    with connect() as connection:
        lines = [row[0] for row in connection.execute(f"EXPLAIN VERBOSE {statement}")]
    (found,) = [line.split("Remote SQL: ")[1] for line in lines if "Remote SQL: " in line]
    return str(found)


def same(statement: str) -> None:
    """Expect the gateway's rows for the same statement, and at least one."""
    with connect() as theirs, psycopg.connect(URL) as ours:
        wanted = ours.execute(statement).fetchall()
        expect(theirs.execute(statement).fetchall(), wanted)
    expect(len(wanted) > 0, True)


@step
def imports_definitions() -> None:
    with connect() as connection:
        found = connection.execute(
            "SELECT attname, format_type(atttypid, atttypmod), attnotnull FROM pg_attribute"
            " WHERE attrelid = 'prices'::regclass AND attnum > 0 ORDER BY attnum"
        ).fetchall()
    expect(
        found,
        [
            *(("item", "text", False), ("valid_from", "timestamp with time zone", True)),
            *(("valid_to", "timestamp with time zone", False), ("price", "numeric(10,2)", False)),
            ("tags", "text[]", False),
        ],
    )


@step
def reads_all_stores() -> None:
    for store, key in (
        ("clicks_hourly", "page, window_start"),
        ("numbers", "id"),
        ("orders", "customer, number"),
        ("prices", "item, valid_from"),
        ("users", "name"),
    ):
        same(f"SELECT * FROM {store} ORDER BY {key}")


@step
def sends_conditions() -> None:
    for condition in (
        "id = 7",
        "id IN (1, 2, 77)",
        "id BETWEEN 5 AND 9 AND word LIKE 'word%'",
        "id < 3000 AND word IS NULL",
        "id < 20 AND (word = 'word 3' OR squared % 7 = 2) AND word <> 'word 5'",
        "abs(id - 9) < 3 AND upper(word) <> 'WORD 1'",
    ):
        statement = f"SELECT * FROM numbers WHERE {condition} ORDER BY id"
        expect(" WHERE " in remote_sql(statement), True)
        same(statement)


@step
def sends_joins_and_aggregates() -> None:
    for statement, words in (
        (
            "SELECT u.name, o.number, o.amount FROM users u JOIN orders o ON o.customer = u.name"
            " WHERE o.number > 1 ORDER BY u.name, o.number",
            "INNER JOIN",
        ),
        (
            "SELECT u.name, o.number FROM users u LEFT JOIN orders o"
            " ON o.customer = u.name AND o.number = 2 ORDER BY u.name",
            "LEFT JOIN",
        ),
        (
            "SELECT word, count(*), sum(squared), max(id), count(*) FILTER (WHERE id > 9)"
            " FROM numbers GROUP BY word HAVING count(*) > 5 ORDER BY word",
            "GROUP BY 1 HAVING",
        ),
        (
            "SELECT customer, array_agg(number ORDER BY number DESC), bool_and(number > 0),"
            " string_agg(DISTINCT note, ',' ORDER BY note) FROM orders GROUP BY 1 ORDER BY 1",
            "string_agg(DISTINCT",
        ),
    ):
        expect(words in remote_sql(statement), True)
        same(statement)


@step
def joins_its_own_rows() -> None:
    with connect() as connection:
        found = connection.execute(
            "SELECT v.id, n.word FROM (VALUES (3), (19999), (-1)) AS v (id)"
            " LEFT JOIN numbers n USING (id) ORDER BY v.id"
        ).fetchall()
    expect(found, [(-1, None), (3, "word 3"), (19_999, "word 0")])


@step
def keeps_a_snapshot_and_fetches_in_parts() -> None:
    with connect() as connection, connection.transaction():
        cursor = connection.cursor("numbers")
        cursor.execute("SELECT id FROM numbers ORDER BY id")
        expect(cursor.fetchmany(2), [(0,), (1,)])
        with connection.transaction():
            expect(connection.execute("SELECT count(*) FROM orders").fetchone(), (12,))
        expect(len(cursor.fetchall()), 19_998)


@step
def analyzes() -> None:
    with connect() as connection:
        connection.execute("ANALYZE numbers")
        counted = "SELECT reltuples::int FROM pg_class WHERE relname = 'numbers'"
        expect(connection.execute(counted).fetchone(), (20_000,))


@step
def reads_the_catalog() -> None:
    with connect() as connection:
        connection.execute("CREATE SCHEMA theirs")
        for schema, name in (("stategate", "stores"), ("pg_catalog", "pg_class")):
            connection.execute(
                f"IMPORT FOREIGN SCHEMA {schema} LIMIT TO ({name}) FROM SERVER gateway INTO theirs"
            )
        stores = connection.execute("SELECT name FROM theirs.stores ORDER BY name").fetchall()
        tables = connection.execute(
            "SELECT relname FROM theirs.pg_class WHERE relkind = 'r' AND relnamespace = 2200"
            " ORDER BY relname"
        ).fetchall()
    expect([name for (name,) in stores][:2], ["clicks_hourly", "numbers"])
    expect(tables, stores)


@step
def sees_errors() -> None:
    with connect() as connection:
        try:
            connection.execute("INSERT INTO numbers VALUES (1, 2, 'x')")
        except psycopg.errors.ReadOnlySqlTransaction:
            pass
        else:
            raise AssertionError("it was accepted")
        expect(connection.execute("SELECT word FROM numbers WHERE id = 1").fetchone(), ("word 1",))


@asks("postgres_fdw")
def ask(statement: str, parameters: Sequence[object]) -> list[tuple[Any, ...]]:
    with connect() as connection:
        return connection.execute(marked(statement, "%s"), parameters).fetchall()


@lists("postgres_fdw")
def list_columns() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    with connect() as connection:
        for store, column in connection.execute(
            "SELECT relname, attname FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid"
            " WHERE relkind = 'f' AND attnum > 0 ORDER BY relname, attnum"
        ):
            found.setdefault(store, []).append(column)
    return found


@logs_in("postgres_fdw")
def log_in(password: str) -> list[tuple[Any, ...]]:
    """It can only read tables, so it reads the user's name in the catalog."""
    postgres = started()
    # The server runs as another user, who cannot read the certificate in its place.
    directory = Path(_servers.enter_context(tempfile.TemporaryDirectory()))
    certificate = directory / "root.pem"
    shutil.copy(ROOT_CERTIFICATE, certificate)
    directory.chmod(0o755)
    certificate.chmod(0o644)
    attach(
        postgres,
        password=password,
        sslmode="verify-full",
        sslrootcert=str(certificate),
        channel_binding="require",
    )
    with psycopg.connect(postgres.dsn) as connection:
        connection.execute(
            "IMPORT FOREIGN SCHEMA pg_catalog LIMIT TO (pg_user) FROM SERVER gateway INTO public"
        )
        return connection.execute("SELECT usename::text, 7 FROM public.pg_user").fetchall()


if __name__ == "__main__":
    for variable in ("PGSSLMODE", "PGSSLROOTCERT"):  # they are for the gateway, not for PostgreSQL
        os.environ.pop(variable, None)
    os.environ["HOME"] = "/"  # the server runs as another user, who may not read this user's home
    with _servers:
        main()

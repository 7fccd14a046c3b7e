"""DuckDB with the gateway attached: questions about the demo's stores, and login.

POSTGRES_SCANNER names the extension's file. `tests/clients/test_duckdb.py` has its other tests.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import duckdb

from tests.clients.programs.asking import LOGIN_SQL, asks, inlined, lists, logs_in
from tests.clients.programs.steps import (
    DATABASE,
    HOST,
    PORT,
    ROOT_CERTIFICATE,
    USER,
    main,
)

PLACE = f"host={HOST} port={PORT} user={USER} dbname={DATABASE}"


def attach(place: str) -> duckdb.DuckDBPyConnection:
    """Return a DuckDB that has attached the gateway as `g` and made it the default."""
    connection = duckdb.connect(config={"threads": 2})
    connection.execute(f"LOAD '{os.environ['POSTGRES_SCANNER']}'")
    connection.execute("SET TimeZone = 'UTC'")
    quoted = place.replace("'", "''")
    connection.execute(f"ATTACH '{quoted}' AS g (TYPE postgres, READ_ONLY)")
    connection.execute("USE g")
    return connection


@asks("DuckDB")
def ask(sql: str, parameters: Sequence[object]) -> list[tuple[Any, ...]]:
    """Answer by a query that DuckDB runs over rows of the gateway."""
    return attach(PLACE).execute(sql, list(parameters)).fetchall()


@asks("DuckDB postgres_query")
def ask_there(sql: str, parameters: Sequence[object]) -> list[tuple[Any, ...]]:
    """Answer by a query that the gateway runs."""
    text = inlined(sql, parameters)
    return attach(PLACE).execute("FROM postgres_query('g', $1)", [text]).fetchall()


@lists("DuckDB")
def list_columns() -> dict[str, list[str]]:
    listed = attach(PLACE).execute(
        "SELECT table_name, column_name FROM duckdb_columns() WHERE database_name = 'g'"
        " AND schema_name = 'public' ORDER BY table_name, column_index"
    )
    found: dict[str, list[str]] = {}
    for store, column in listed.fetchall():
        found.setdefault(store, []).append(column)
    return found


@logs_in("DuckDB")
def log_in(password: str) -> list[tuple[Any, ...]]:
    tls = f"sslmode=verify-full sslrootcert={ROOT_CERTIFICATE}"
    connection = attach(f"{PLACE} password='{password}' {tls}")
    return connection.execute("FROM postgres_query('g', $1)", [LOGIN_SQL]).fetchall()


if __name__ == "__main__":
    main()

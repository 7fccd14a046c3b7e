"""psqlODBC by pyodbc: the queries of Excel, Power BI and Tableau.

PSQLODBC names the driver's file.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pyodbc

from tests.clients.programs.asking import LOGIN_SQL, asks, lists, logs_in, marked
from tests.clients.programs.steps import (
    DATABASE,
    HOST,
    PORT,
    ROOT_CERTIFICATE,
    USER,
    expect,
    main,
    step,
)

STORES = ["clicks_hourly", "numbers", "orders", "prices", "users"]


def connect(*, autocommit: bool = True, **options: str) -> Any:
    given = {
        "Driver": os.environ["PSQLODBC"],
        "Server": HOST,
        "Port": str(PORT),
        "Database": DATABASE,
        "UID": USER,
        **options,
    }
    text = ";".join(f"{name}={value}" for name, value in given.items())
    return pyodbc.connect(text, autocommit=autocommit, timeout=10)


def ask(sql: str, *parameters: object, **options: Any) -> list[tuple[Any, ...]]:
    connection = connect(**options)
    found = [tuple(row) for row in connection.execute(sql, *parameters).fetchall()]
    connection.close()
    return found


@step
def finds_a_key() -> None:
    for prepared in ("0", "1"):
        found = ask("SELECT word FROM numbers WHERE id = ?", 8, UseServerSidePrepare=prepared)
        expect(found, [("word 1",)])


@step
def reads_every_type() -> None:
    (row,) = ask(
        "SELECT active, tiny, small, age, visits, score, mean, balance, token, born, wakes, local,"
        " seen, device, profile FROM users WHERE name = 'ada'",
        BoolsAsChar="0",
    )
    expect(
        row,
        (
            *(True, 1, 300, 36, 9_000_000_000, 0.5, 3.25, Decimal("1234.50"), b"\x00\x01\xfe\xff"),
            *(dt.date(1815, 12, 10), dt.time(6, 30, 0, 125_000)),
            *(dt.datetime(2024, 2, 29, 13, 0, 0, 1), dt.datetime(2024, 2, 29, 12)),
            "6F1B3B0E-6A0A-4A51-9D0C-3F5F2F9B8A01",
            '{"langs": ["en", "fr"], "admin": true}',
        ),
    )


@step
def binds_types() -> None:
    found = ask(
        "SELECT number FROM orders WHERE customer = ? AND amount < ? AND placed > ? ORDER BY 1",
        *("eve", Decimal("60.5"), dt.datetime(2024, 2, 29, 12)),
    )
    expect(found, [(1,), (2,)])


@step
def lists_tables() -> None:
    connection = connect()
    cursor = connection.cursor()
    expect([row.table_name for row in cursor.tables(schema="public")], STORES)
    expect([row.table_name for row in cursor.tables(tableType="TABLE")], STORES)
    (orders,) = cursor.tables(table="orders").fetchall()
    expect((orders.table_cat, orders.table_type), (DATABASE, "TABLE"))
    connection.close()


@step
def lists_columns() -> None:
    connection = connect()
    found = connection.cursor().columns(table="orders", schema="public").fetchall()
    expect(
        [(row.column_name, row.type_name, row.nullable) for row in found],
        [
            *(("customer", "text", 1), ("number", "int4", 1), ("amount", "numeric", 1)),
            *(("placed", "timestamptz", 1), ("note", "text", 1)),
        ],
    )
    expect((found[2].column_size, found[2].decimal_digits), (12, 2))
    connection.close()


@step
def lists_keys() -> None:
    connection = connect()
    cursor = connection.cursor()
    keys = cursor.primaryKeys(table="clicks_hourly").fetchall()
    expect([(row.column_name, row.key_seq) for row in keys], [("page", 1), ("window_start", 2)])
    for given in ({"table": "orders"}, {"foreignTable": "orders"}):
        expect(cursor.foreignKeys(**given).fetchall(), [])
    connection.close()


@step
def lists_indexes() -> None:
    """The driver asks for the columns of each index until there are no more."""
    connection = connect()
    cursor = connection.cursor()
    for unique in (False, True):
        found = cursor.statistics(table="orders", unique=unique).fetchall()
        expect(
            [(row.index_name, row.ordinal_position, row.column_name) for row in found],
            [("orders_pkey", 1, "customer"), ("orders_pkey", 2, "number")],
        )
    connection.close()


@step
def lists_all_else() -> None:
    connection = connect()
    cursor = connection.cursor()
    expect(cursor.rowIdColumns(table="orders").fetchall(), [])
    expect([row.column_name for row in cursor.rowVerColumns(table="orders")], ["xmin"])
    expect("upper" in {row.procedure_name for row in cursor.procedures()}, True)
    expect(len(cursor.procedureColumns(procedure="upper").fetchall()) > 1, True)
    types = {row.type_name for row in cursor.getTypeInfo()}
    expect({"int8", "numeric", "text", "timestamptz"} <= types, True)
    connection.close()


@step
def describes_a_result() -> None:
    connection = connect()
    cursor = connection.execute("SELECT customer, number, amount AS paid, placed FROM orders")
    expect(
        [(name, kind, size, digits) for name, kind, _, size, _, digits, _ in cursor.description],
        [
            *(("customer", str, 8190, 0), ("number", int, 10, 0)),
            *(("paid", Decimal, 12, 2), ("placed", dt.datetime, 26, 6)),
        ],
    )
    connection.close()


@step
def calls_functions() -> None:
    expect(
        ask("SELECT {fn ucase(?)}, {fn length('four')}, {d '2024-01-02'}", "abc"),
        [("ABC", 4, dt.date(2024, 1, 2))],
    )
    expect(ask("{call upper(?)}", "abc"), [("ABC",)])


@step
def fetches_in_parts() -> None:
    connection = connect(autocommit=False, UseDeclareFetch="1", Fetch="700")
    expect(len(connection.execute("SELECT id FROM numbers").fetchall()), 20_000)
    connection.rollback()
    connection.close()


@step
def sees_errors() -> None:
    connection = connect()
    for sql, state in (
        ("SELECT * FROM nothing", "42P01"),
        ("SELECT 1 +", "42601"),
        ("DELETE FROM users", "25006"),
    ):
        try:
            connection.execute(sql)
        except pyodbc.Error as error:
            expect(error.args[0], state)
        else:
            raise AssertionError(f"{sql} was accepted")
    expect(tuple(connection.execute("SELECT 1").fetchone()), (1,))
    connection.close()


@asks("psqlODBC")
def ask_it(sql: str, parameters: Sequence[object]) -> list[list[object]]:
    """Expect UTC: ODBC's times have no zone, and a timestamptz is in the session's zone."""
    found = ask(marked(sql, "?"), *parameters)
    return [[_in_utc(value) for value in row] for row in found]


def _in_utc(value: object) -> object:
    return value.replace(tzinfo=dt.UTC) if isinstance(value, dt.datetime) else value


@lists("psqlODBC")
def list_columns() -> dict[str, list[str]]:
    connection = connect()
    cursor = connection.cursor()
    stores = [row.table_name for row in cursor.tables(schema="public", tableType="TABLE")]
    columns = {
        store: [row.column_name for row in cursor.columns(table=store, schema="public")]
        for store in stores
    }
    connection.close()
    return columns


@logs_in("psqlODBC")
def log_in(password: str) -> list[tuple[Any, ...]]:
    more = f"sslrootcert={ROOT_CERTIFICATE} channel_binding=require"
    given = {"PWD": f"{{{password}}}", "SSLmode": "verify-full", "pqopt": f"{{{more}}}"}
    return ask(LOGIN_SQL, **given)


if __name__ == "__main__":
    main()

"""pg8000: the extended protocol in text, pure Python."""

from __future__ import annotations

import datetime as dt
import io
import ssl
from collections.abc import Sequence
from decimal import Decimal
from typing import Any
from uuid import UUID

import pg8000.dbapi
import pg8000.native

from tests.clients.programs.asking import LOGIN_SQL, asks, logs_in, named
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

NOON = dt.datetime(2024, 2, 29, 12, tzinfo=dt.UTC)


def connect() -> pg8000.native.Connection:
    return pg8000.native.Connection(USER, host=HOST, port=PORT, database=DATABASE, timeout=30)


@step
def reads_every_type() -> None:
    connection = connect()
    (row,) = connection.run(
        "SELECT active, tiny, small, age, visits, score, mean, balance, token, born, wakes, local,"
        " seen, device, profile FROM users WHERE name = :name",
        name="ada",
    )
    expect(
        tuple(row),
        (
            *(True, 1, 300, 36, 9_000_000_000, 0.5, 3.25, Decimal("1234.50"), b"\x00\x01\xfe\xff"),
            *(dt.date(1815, 12, 10), dt.time(6, 30, 0, 125_000)),
            *(dt.datetime(2024, 2, 29, 13, 0, 0, 1), NOON),
            *(UUID("6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01"),),
            {"langs": ["en", "fr"], "admin": True},
        ),
    )
    connection.close()


@step
def names_columns() -> None:
    connection = connect()
    connection.run("SELECT count(*), max(id), 1, 'x' AS y FROM numbers")
    expect([column["name"] for column in connection.columns], ["count", "max", "?column?", "y"])
    connection.close()


@step
def prepares() -> None:
    connection = connect()
    statement = connection.prepare("SELECT word FROM numbers WHERE id = :id")
    for number in range(1, 10):
        expect(statement.run(id=number), [[f"word {number % 7}"]])
    statement.close()
    connection.close()


@step
def copies_out() -> None:
    connection = connect()
    sink = io.BytesIO()
    connection.run("COPY (SELECT id, word FROM numbers) TO STDOUT WITH (FORMAT CSV)", stream=sink)
    expect(len(sink.getvalue().splitlines()), 20_000)
    connection.close()


@step
def database_interface() -> None:
    connection = pg8000.dbapi.connect(user=USER, host=HOST, port=PORT, database=DATABASE)
    cursor = connection.cursor()
    cursor.execute("SELECT number FROM orders WHERE customer = %s ORDER BY number", ("bob",))
    expect([*cursor.fetchall()], [[-1], [1], [2], [3]])
    connection.commit()
    connection.autocommit = True
    cursor.execute("SELECT array_agg(number ORDER BY number) FROM orders WHERE customer = 'ada'")
    expect(cursor.fetchone(), [[-1, 1, 2, 3]])
    connection.close()


@step
def sees_errors_and_goes_on() -> None:
    connection = connect()
    try:
        connection.run("SELECT * FROM nothing")
    except pg8000.native.DatabaseError as error:
        expect(error.args[0]["C"], "42P01")
    else:
        raise AssertionError("it was accepted")
    expect(connection.run("SELECT 1"), [[1]])
    connection.run("START TRANSACTION")
    connection.run("ROLLBACK")
    connection.close()


@asks("pg8000")
def ask(sql: str, parameters: Sequence[object]) -> list[Any]:
    connection = connect()
    text, values = named(sql, parameters)
    rows: list[Any] = connection.run(text, **values)
    connection.close()
    return rows


@logs_in("pg8000")
def log_in(password: str) -> list[Any]:
    tls = ssl.create_default_context(cafile=ROOT_CERTIFICATE)
    place: dict[str, Any] = {"host": HOST, "port": PORT, "database": DATABASE, "timeout": 30}
    connection = pg8000.native.Connection(USER, password=password, ssl_context=tls, **place)
    rows: list[Any] = connection.run(LOGIN_SQL)
    connection.close()
    return rows


if __name__ == "__main__":
    main()

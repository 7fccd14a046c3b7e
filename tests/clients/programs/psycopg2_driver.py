"""psycopg2: simple queries with literals put into the text, named cursors, COPY."""

from __future__ import annotations

import datetime as dt
import io
import threading
import uuid
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import psycopg2
import psycopg2.extensions
import psycopg2.extras

from tests.clients.programs.asking import LOGIN_SQL, asks, logs_in, marked
from tests.clients.programs.steps import ROOT_CERTIFICATE, URL, expect, login_url, main, step


def connect() -> Any:
    return psycopg2.connect(URL, connect_timeout=10)


def ask(sql: str, *parameters: object) -> list[tuple[Any, ...]]:
    with connect() as connection, connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    connection.close()
    return rows


@step
def server_version() -> None:
    connection = connect()
    expect(connection.server_version // 10_000, 15)
    expect(connection.get_parameter_status("standard_conforming_strings"), "on")
    connection.close()


@step
def finds_a_key() -> None:
    expect(ask("SELECT word FROM numbers WHERE id = %s", 8), [("word 1",)])
    expect(ask("SELECT city FROM users WHERE name = %s", "zoë 'q\" \\ 🦆"), [("Zürich\n\t😀",)])


@step
def reads_every_type() -> None:
    (row,) = ask(
        "SELECT active, tiny, small, age, visits, score, mean, balance, token, born, wakes, local,"
        " seen, device, profile FROM users WHERE name = 'ada'"
    )
    noon = dt.datetime(2024, 2, 29, 12, tzinfo=dt.UTC)
    expect(
        (*row[:8], bytes(row[8]), *row[9:]),
        (
            *(True, 1, 300, 36, 9_000_000_000, 0.5, 3.25, Decimal("1234.50"), b"\x00\x01\xfe\xff"),
            *(dt.date(1815, 12, 10), dt.time(6, 30, 0, 125_000)),
            *(dt.datetime(2024, 2, 29, 13, 0, 0, 1), noon),
            *("6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01", {"langs": ["en", "fr"], "admin": True}),
        ),
    )


@step
def writes_every_type() -> None:
    psycopg2.extras.register_uuid()
    values = (
        *(True, 7, 1.5, Decimal("1.25"), "it's", dt.date(2024, 1, 2), dt.time(1, 2, 3)),
        *(dt.datetime(2024, 1, 2, 3, 4, 5, 6), dt.timedelta(days=1, seconds=2), uuid.UUID(int=7)),
        [1, 2, 3],
    )
    expect(ask(f"SELECT {', '.join(['%s'] * len(values))}", *values), [values])


@step
def reads_arrays() -> None:
    expect(
        ask("SELECT tags FROM prices WHERE valid_to IS NULL ORDER BY item"),
        [(["blue", None],), ([],)],
    )


@step
def groups_and_joins() -> None:
    expect(
        ask(
            "SELECT u.name, count(*) AS n, sum(o.amount) FROM users u"
            " JOIN orders o ON o.customer = u.name GROUP BY u.name ORDER BY u.name"
        ),
        [(name, 4, Decimal("128.00")) for name in ("ada", "bob", "eve")],
    )


@step
def iterates_a_named_cursor() -> None:
    connection = connect()
    with connection.cursor(name="big") as cursor:
        cursor.itersize = 3000
        cursor.execute("SELECT id FROM numbers")
        expect(len(cursor.fetchmany(10)), 10)
        expect(sum(1 for _ in cursor), 19_990)
    with connection.cursor(name="back", scrollable=True) as cursor:
        cursor.execute("SELECT id FROM numbers ORDER BY id LIMIT 100")
        cursor.scroll(50)
        expect(cursor.fetchone(), (50,))
        cursor.scroll(0, mode="absolute")
        expect(cursor.fetchone(), (0,))
    connection.close()


@step
def copies_out() -> None:
    connection = connect()
    with connection.cursor() as cursor:
        sink = io.StringIO()
        cursor.copy_expert("COPY (SELECT * FROM orders ORDER BY 1, 2) TO STDOUT CSV HEADER", sink)
        lines = sink.getvalue().splitlines()
        expect(lines[0], "customer,number,amount,placed,note")
        expect(len(lines), 13)
        sink = io.StringIO()
        cursor.copy_to(sink, "orders", columns=("customer", "number"))
        expect(sorted(sink.getvalue().splitlines())[0], "ada\t-1")
    connection.close()


@step
def sees_errors() -> None:
    connection = connect()
    with connection.cursor() as cursor:
        for sql, error in (
            ("SELECT * FROM nothing", psycopg2.errors.UndefinedTable),
            ("SELECT nothing FROM users", psycopg2.errors.UndefinedColumn),
            ("SELECT 1 +", psycopg2.errors.SyntaxError),
            ("INSERT INTO users (name) VALUES ('x')", psycopg2.errors.ReadOnlySqlTransaction),
        ):
            try:
                cursor.execute(sql)
            except error:
                connection.rollback()
            else:
                raise AssertionError(f"{sql} was accepted")
        cursor.execute("SELECT 1")
        expect(cursor.fetchone(), (1,))
    connection.close()


@step
def transactions() -> None:
    connection = connect()
    connection.set_session(isolation_level="REPEATABLE READ", readonly=True)
    with connection, connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM users")
        expect(cursor.fetchone(), (5,))
        expect(
            connection.get_transaction_status(),
            psycopg2.extensions.TRANSACTION_STATUS_INTRANS,
        )
    expect(connection.get_transaction_status(), psycopg2.extensions.TRANSACTION_STATUS_IDLE)
    connection.close()


@step
def cancels() -> None:
    connection = connect()
    timer = threading.Timer(0.3, connection.cancel)
    with connection.cursor() as cursor:
        timer.start()
        try:
            cursor.execute("SELECT count(*) FROM numbers a, numbers b, numbers c")
        except psycopg2.errors.QueryCanceled:
            connection.rollback()
        else:
            raise AssertionError("it was not cancelled")
        finally:
            timer.cancel()
        cursor.execute("SELECT 1")
        expect(cursor.fetchone(), (1,))
    connection.close()


@asks("psycopg2")
def ask_it(sql: str, parameters: Sequence[object]) -> list[tuple[Any, ...]]:
    return ask(marked(sql, "%s"), *parameters)


@logs_in("psycopg2")
def log_in(password: str) -> list[tuple[Any, ...]]:
    options = {"sslmode": "verify-full", "sslrootcert": ROOT_CERTIFICATE}
    url = login_url(password, channel_binding="require", **options)
    connection = psycopg2.connect(url, connect_timeout=10)
    with connection.cursor() as cursor:
        cursor.execute(LOGIN_SQL)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    connection.close()
    return rows


if __name__ == "__main__":
    main()

"""psycopg 3: sync, async, text and binary, prepared, pipeline, server cursors, COPY, pool reset."""

from __future__ import annotations

import datetime as dt
import io
import threading
from collections.abc import Sequence
from decimal import Decimal
from uuid import UUID

import psycopg
from psycopg import sql as compose
from psycopg.rows import dict_row

from tests.clients.programs.asking import LOGIN_SQL, asks, logs_in, marked
from tests.clients.programs.steps import ROOT_CERTIFICATE, URL, expect, login_url, main, step

NOON = dt.datetime(2024, 2, 29, 12, tzinfo=dt.UTC)
ADA = (
    *(True, 1, 300, 36, 9_000_000_000, 0.5, 3.25, Decimal("1234.50"), b"\x00\x01\xfe\xff"),
    *(dt.date(1815, 12, 10), dt.time(6, 30, 0, 125_000), dt.datetime(2024, 2, 29, 13, 0, 0, 1)),
    *(NOON, UUID("6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01"), {"langs": ["en", "fr"], "admin": True}),
)
ADAS_COLUMNS = (
    "active, tiny, small, age, visits, score, mean, balance, token, born, wakes, local, seen,"
    " device, profile"
)


def connect(*, autocommit: bool = True) -> psycopg.Connection[tuple[object, ...]]:
    return psycopg.connect(URL, connect_timeout=10, autocommit=autocommit)


@step
def reads_every_type_as_text_and_binary() -> None:
    with connect() as connection:
        for binary in (False, True):
            cursor = connection.execute(
                f"SELECT {ADAS_COLUMNS} FROM users WHERE name = %s", ["ada"], binary=binary
            )
            expect(cursor.fetchone(), ADA)


@step
def writes_every_type() -> None:
    values = (
        *(True, 7, 1 << 40, 1.5, Decimal("1.25"), "it's", dt.date(2024, 1, 2), dt.time(1, 2, 3)),
        *(dt.datetime(2024, 1, 2, 3, 4, 5, 6), NOON, dt.timedelta(days=1, seconds=2), UUID(int=7)),
        [1, 2, 3],
    )
    with connect() as connection:
        for mark in ("%s", "%t", "%b"):
            found = connection.execute(f"SELECT {', '.join([mark] * len(values))}", values)
            expect(found.fetchone(), values)


@step
def prepares() -> None:
    with connect() as connection:
        for number in range(1, 20):
            (word,) = connection.execute(
                "SELECT word FROM numbers WHERE id = %s", [number], prepare=number > 3
            ).fetchall()
            expect(word, (f"word {number % 7}",))


@step
def pipelines() -> None:
    with connect() as connection, connection.pipeline():
        cursors = [
            connection.execute("SELECT squared FROM numbers WHERE id = %s", [number])
            for number in range(300)
        ]
        expect([cursor.fetchone() for cursor in cursors], [(n * n,) for n in range(300)])


@step
def pipelines_recover() -> None:
    with connect() as connection:
        try:
            with connection.pipeline():
                connection.execute("SELECT 1")
                connection.execute("SELECT nothing FROM users")
                connection.execute("SELECT 2")
        except psycopg.errors.UndefinedColumn:
            pass
        else:
            raise AssertionError("the error was lost")
        expect(connection.execute("SELECT 3").fetchone(), (3,))


@step
def discards_all() -> None:
    """Pools do so between two users: by the extended protocol, alone in its group."""
    with connect() as connection:
        for _ in range(2):
            for number in range(1, 8):
                cursor = connection.execute("SELECT word FROM numbers WHERE id = %s", [number])
                expect(cursor.fetchone(), (f"word {number % 7}",))
            connection.execute("SET application_name = 'mine'")
            expect(connection.execute("DISCARD ALL", prepare=True).statusmessage, "DISCARD ALL")
            expect(connection.execute("SHOW application_name").fetchone(), ("",))
        try:
            with connection.pipeline():
                connection.execute("SELECT 1")
                connection.execute("DISCARD ALL")
        except psycopg.errors.ActiveSqlTransaction:
            expect(connection.execute("SELECT 2").fetchone(), (2,))
        else:
            raise AssertionError("it was accepted after another statement")


@step
def streams() -> None:
    with connect() as connection, connection.cursor() as cursor:
        expect(sum(1 for _ in cursor.stream("SELECT * FROM numbers", size=500)), 20_000)


@step
def server_cursors() -> None:
    with connect(autocommit=False) as connection:
        with connection.cursor(name="plain") as cursor:
            cursor.execute("SELECT id, word FROM numbers WHERE id < %s", [5000])
            assert cursor.description is not None
            expect([column.name for column in cursor.description], ["id", "word"])
            expect(len(cursor.fetchmany(100)), 100)
            expect(len(cursor.fetchall()), 4900)
        with connection.cursor(name="scrolls", scrollable=True, binary=True) as cursor:
            cursor.execute("SELECT id FROM numbers ORDER BY id LIMIT 100")
            cursor.scroll(10)
            expect(cursor.fetchone(), (10,))
            cursor.scroll(-5)
            expect(cursor.fetchone(), (6,))


@step
def copies_out() -> None:
    with connect() as connection, connection.cursor() as cursor:
        with cursor.copy("COPY (SELECT id, word FROM numbers ORDER BY id) TO STDOUT") as copy:
            copy.set_types(["int8", "text"])
            rows = [*copy.rows()]
        expect((len(rows), rows[:2]), (20_000, [(0, None), (1, "word 1")]))
        with cursor.copy(
            "COPY (SELECT number, amount, placed FROM orders WHERE customer = %s ORDER BY 1)"
            " TO STDOUT (FORMAT BINARY)",
            ["ada"],
        ) as copy:
            copy.set_types(["int4", "numeric", "timestamptz"])
            found = [*copy.rows()]
        expect(found[0], (-1, Decimal("-24.25"), NOON - dt.timedelta(minutes=1)))
        sink = io.BytesIO()
        with cursor.copy("COPY orders TO STDOUT WITH (FORMAT csv, HEADER true)") as copy:
            for chunk in copy:
                sink.write(chunk)
        expect(len(sink.getvalue().splitlines()), 13)


@step
def several_statements() -> None:
    with connect() as connection:
        cursor = connection.execute("SELECT 1; SELECT 'a;b' AS text; SELECT 3 WHERE false")
        expect(cursor.fetchall(), [(1,)])
        cursor.nextset()
        expect(cursor.fetchall(), [("a;b",)])
        cursor.nextset()
        expect(cursor.fetchall(), [])


@step
def transactions() -> None:
    with connect(autocommit=False) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        with connection.transaction():
            expect(connection.execute("SELECT count(*) FROM users").fetchone(), (5,))
            expect(connection.info.transaction_status.name, "INTRANS")
        with connection.transaction():
            try:
                with connection.transaction():
                    connection.execute("SELECT * FROM nothing")
            except psycopg.errors.UndefinedTable:
                expect(connection.execute("SELECT 1").fetchone(), (1,))


@step
def rows_as_dictionaries() -> None:
    with connect() as connection, connection.cursor(row_factory=dict_row) as cursor:
        name = compose.Identifier("clicks_hourly")
        query = compose.SQL("SELECT * FROM {} WHERE page = %s ORDER BY window_start LIMIT 1")
        cursor.execute(query.format(name), ["/buy"])
        row = {"page": "/buy", "window_start": NOON, "clicks": 4, "seconds": 0.0}
        expect(cursor.fetchone(), {**row, "window_end": NOON + dt.timedelta(hours=1)})


@step
def finds_a_type() -> None:
    with connect() as connection:
        info = psycopg.types.TypeInfo.fetch(connection, "timestamptz")
        assert info is not None
        expect((info.oid, info.array_oid), (1184, 1185))


@step
async def asynchronously() -> None:
    async with await psycopg.AsyncConnection.connect(URL, connect_timeout=10) as connection:
        cursor = await connection.execute("SELECT word FROM numbers WHERE id = %s", [8])
        expect(await cursor.fetchone(), ("word 1",))
        async with connection.cursor(name="plain") as named:
            await named.execute("SELECT id FROM numbers")
            expect(sum([1 async for _ in named]), 20_000)
        async with (
            connection.cursor() as copier,
            copier.copy("COPY (SELECT 1 AS one) TO STDOUT") as copy,
        ):
            expect([bytes(chunk) async for chunk in copy], [b"1\n"])


@step
def cancels() -> None:

    with connect() as connection:
        timer = threading.Timer(0.3, connection.cancel_safe)
        timer.start()
        try:
            connection.execute("SELECT count(*) FROM numbers a, numbers b, numbers c")
        except psycopg.errors.QueryCanceled:
            expect(connection.execute("SELECT 1").fetchone(), (1,))
        else:
            raise AssertionError("it was not cancelled")
        finally:
            timer.cancel()


@step
def statement_timeout() -> None:
    with connect() as connection:
        connection.execute("SET statement_timeout = '200ms'")
        try:
            connection.execute("SELECT count(*) FROM numbers a, numbers b, numbers c")
        except psycopg.errors.QueryCanceled:
            expect(connection.execute("SELECT 1").fetchone(), (1,))
        else:
            raise AssertionError("it was not stopped")


@asks("psycopg")
def ask_in_text(sql: str, parameters: Sequence[object]) -> list[tuple[object, ...]]:
    with connect() as connection:
        return connection.execute(marked(sql, "%s"), parameters).fetchall()


@asks("psycopg in binary")
def ask_in_binary(sql: str, parameters: Sequence[object]) -> list[tuple[object, ...]]:
    with connect() as connection:
        return connection.execute(marked(sql, "%b"), parameters, binary=True).fetchall()


@asks("psycopg async")
async def ask_asynchronously(sql: str, parameters: Sequence[object]) -> list[tuple[object, ...]]:
    async with await psycopg.AsyncConnection.connect(URL, connect_timeout=10) as connection:
        return await (await connection.execute(marked(sql, "%s"), parameters)).fetchall()


@logs_in("psycopg")
def log_in(password: str) -> list[tuple[object, ...]]:
    options = {"sslmode": "verify-full", "sslrootcert": ROOT_CERTIFICATE}
    url = login_url(password, channel_binding="require", **options)
    with psycopg.connect(url, connect_timeout=10) as connection:
        return connection.execute(LOGIN_SQL).fetchall()


if __name__ == "__main__":
    main()

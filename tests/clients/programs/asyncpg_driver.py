"""asyncpg: the extended protocol with binary parameters and results only."""

from __future__ import annotations

import asyncio
import datetime as dt
import io
import ssl
from collections.abc import Sequence
from decimal import Decimal
from typing import Any
from uuid import UUID

import asyncpg

from tests.clients.programs.asking import LOGIN_SQL, asks, logs_in
from tests.clients.programs.steps import ROOT_CERTIFICATE, URL, expect, login_url, main, step

NOON = dt.datetime(2024, 2, 29, 12, tzinfo=dt.UTC)


async def connect() -> Any:
    return await asyncpg.connect(URL, timeout=10)


@step
async def reads_every_type() -> None:
    connection = await connect()
    row = await connection.fetchrow(
        "SELECT active, tiny, small, age, visits, score, mean, balance, token, born, wakes, local,"
        " seen, device, profile FROM users WHERE name = $1",
        "ada",
    )
    expect(
        tuple(row),
        (
            *(True, 1, 300, 36, 9_000_000_000, 0.5, 3.25, Decimal("1234.50"), b"\x00\x01\xfe\xff"),
            *(dt.date(1815, 12, 10), dt.time(6, 30, 0, 125_000)),
            *(dt.datetime(2024, 2, 29, 13, 0, 0, 1), NOON),
            *(UUID("6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a01"),),
            '{"langs": ["en", "fr"], "admin": true}',
        ),
    )
    await connection.close()


@step
async def describes_parameters() -> None:
    connection = await connect()
    statement = await connection.prepare(
        "SELECT * FROM users WHERE name = $1 AND balance > $2 AND seen < $3 AND device <> $4"
        " AND age = ANY($5)"
    )
    names = [parameter.name for parameter in statement.get_parameters()]
    expect(names, ["text", "numeric", "timestamptz", "uuid", "int4[]"])
    rows = await statement.fetch(
        "ada", Decimal(1), NOON + dt.timedelta(days=1), UUID(int=0), [36, 37]
    )
    expect(len(rows), 1)
    await connection.close()


@step
async def cursors() -> None:
    connection = await connect()
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        count = 0
        async for _ in connection.cursor("SELECT * FROM numbers", prefetch=700):
            count += 1
        expect(count, 20_000)
        cursor = await connection.cursor("SELECT id FROM numbers ORDER BY id")
        await cursor.forward(10)
        expect((await cursor.fetchrow())["id"], 10)
        expect(len(await cursor.fetch(5)), 5)
    await connection.close()


@step
async def transactions_and_savepoints() -> None:
    connection = await connect()
    async with connection.transaction():
        try:
            async with connection.transaction():
                await connection.fetch("SELECT * FROM nothing")
        except asyncpg.UndefinedTableError:
            expect(await connection.fetchval("SELECT 1"), 1)
    await connection.close()


@step
async def copies_out() -> None:
    connection = await connect()
    for options, first in (
        ({"format": "csv", "header": True}, b"customer,number"),
        ({"format": "binary"}, b"PGCOPY\n\xff\r\n\x00"),
        ({}, b"ada\t-1"),
    ):
        sink = io.BytesIO()
        sql = "SELECT customer, number FROM orders WHERE customer = $1 ORDER BY 1, 2"
        status = await connection.copy_from_query(sql, "ada", output=sink, **options)
        expect((status, sink.getvalue().startswith(first)), ("COPY 4", True))
    sink = io.BytesIO()
    expect(await connection.copy_from_table("numbers", output=sink), "COPY 20000")
    await connection.close()


@step
async def pool_resets() -> None:
    async with asyncpg.create_pool(URL, min_size=1, max_size=3) as pool:
        for number in range(1, 8):
            async with pool.acquire() as connection:
                await connection.execute("SET application_name = 'other'")
                value = await connection.fetchval("SELECT word FROM numbers WHERE id = $1", number)
                expect(value, f"word {number % 7}")


@step
async def arrays_and_introspection() -> None:
    connection = await connect()
    row = await connection.fetchrow(
        "SELECT tags FROM prices WHERE item = 'ink' AND valid_to IS NULL"
    )
    expect(row["tags"], ["blue", None])
    expect(await connection.fetchval("SELECT $1::text[]", ["a", None]), ["a", None])
    await connection.reload_schema_state()
    await connection.close()


@step
async def sees_errors() -> None:
    connection = await connect()
    for sql, error in (
        ("SELECT * FROM nothing", asyncpg.UndefinedTableError),
        ("SELECT nothing FROM users", asyncpg.UndefinedColumnError),
        ("SELEC 1", asyncpg.PostgresSyntaxError),
        ("DELETE FROM users", asyncpg.ReadOnlySQLTransactionError),
    ):
        try:
            await connection.fetch(sql)
        except error:
            continue
        raise AssertionError(f"{sql} was accepted")
    await connection.close()


@step
async def many_at_once() -> None:
    connections = await asyncio.gather(*(connect() for _ in range(10)))
    found = await asyncio.gather(*(c.fetchval("SELECT count(*) FROM numbers") for c in connections))
    expect(found, [20_000] * 10)
    await asyncio.gather(*(c.close() for c in connections))


@step
async def cancels() -> None:
    connection = await connect()
    try:
        await connection.fetch("SELECT count(*) FROM numbers a, numbers b, numbers c", timeout=0.3)
    except TimeoutError:
        expect(await connection.fetchval("SELECT 1"), 1)
    else:
        raise AssertionError("it was not cancelled")
    await connection.close()


@asks("asyncpg")
async def ask(sql: str, parameters: Sequence[object]) -> list[Any]:
    connection = await connect()
    rows: list[Any] = await connection.fetch(sql, *parameters)
    await connection.close()
    return rows


@asks("asyncpg pool")
async def ask_a_pool(sql: str, parameters: Sequence[object]) -> list[Any]:
    async with asyncpg.create_pool(URL, min_size=1, max_size=1) as pool:
        for _ in range(2):  # the second time on a connection that the pool has reset
            rows: list[Any] = await pool.fetch(sql, *parameters)
    return rows


@logs_in("asyncpg")
async def log_in(password: str) -> list[Any]:
    tls = ssl.create_default_context(cafile=ROOT_CERTIFICATE)
    connection = await asyncpg.connect(login_url(password), ssl=tls, timeout=10)
    rows: list[Any] = await connection.fetch(LOGIN_SQL)
    await connection.close()
    return rows


if __name__ == "__main__":
    main()

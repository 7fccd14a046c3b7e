"""Lookups by the Python client, against psycopg at the same gateway.

Both run in this process, so the rate is that of the client: its own work on a lookup takes longer
than the gateway's.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections.abc import Awaitable, Callable, Sequence

import psycopg

import stategate
from tests.bench import data
from tests.bench.harness import BenchError, Line, Measured, by_turns
from tests.bench.setting import Setting

SQL = "SELECT id, visits, score, seen, city FROM users WHERE id = "
TASKS = 16
BATCH_KEYS = 1_000


def lookups(setting: Setting) -> Sequence[Line]:
    """One thread, sixteen tasks of an event loop, and a thousand keys at a time."""
    keys = _keys(setting)
    with (
        stategate.connect(setting.gateway.http_url) as db,
        psycopg.connect(setting.gateway.pg_dsn, autocommit=True) as pg,
    ):
        _check(db, pg, keys[0])
        one = by_turns(
            lambda: _rate(setting, keys, lambda key: db.execute(f"{SQL}$1", [key]).fetchone()),
            lambda: _rate(setting, keys, lambda key: pg.execute(f"{SQL}%s", (key,)).fetchone()),
            rounds=setting.rounds,
        )
        many = by_turns(
            lambda: _batches(setting, keys, lambda some: db.batch(f"{SQL}$1", some)),
            lambda: _batches(setting, keys, lambda some: _pipelined(pg, some)),
            rounds=setting.rounds,
        )
    tasks = by_turns(
        lambda: asyncio.run(_by_client(setting, keys)),
        lambda: asyncio.run(_by_psycopg(setting, keys)),
        rounds=setting.rounds,
    )
    return [
        _line("lookups, Python client, 1 thread", one),
        _line(f"lookups, Python client, {TASKS} tasks", tasks),
        _line(f"batches of {BATCH_KEYS:,} lookups, Python client", many, rival="psycopg, pipeline"),
    ]


def _line(work: str, found: tuple[float, float], rival: str = "psycopg") -> Line:
    ours, theirs = found
    return Measured(work=work, unit="lookups/s", ours=ours, rival=theirs, rival_name=rival)


def _keys(setting: Setting) -> list[str]:
    draw, last = random.Random(1), data.FIRST_KEY + setting.keys - 1
    return [str(draw.randint(data.FIRST_KEY, last)) for _ in range(10_000)]


def _check(db: stategate.Connection, pg: psycopg.Connection, key: str) -> None:
    ours = db.execute(f"{SQL}$1", [key]).fetchone()
    theirs = pg.execute(f"{SQL}%s", (key,)).fetchone()
    if ours is None or ours != theirs:
        raise BenchError(f"the clients differ on the key {key}: {ours} and {theirs}")


def _rate(setting: Setting, keys: list[str], look_up: Callable[[str], object]) -> float:
    count, begun_s = 0, time.perf_counter()
    while (elapsed_s := time.perf_counter() - begun_s) < setting.seconds:
        if look_up(keys[count % len(keys)]) is None:
            raise BenchError("a key was not found")
        count += 1
    return count / elapsed_s


def _batches(
    setting: Setting, keys: list[str], read: Callable[[list[tuple[str]]], object]
) -> float:
    sets = [(key,) for key in keys]
    count, begun_s = 0, time.perf_counter()
    while (elapsed_s := time.perf_counter() - begun_s) < setting.seconds:
        start = count % len(sets)
        read(sets[start : start + BATCH_KEYS])
        count += BATCH_KEYS
    return count / elapsed_s


def _pipelined(pg: psycopg.Connection, sets: list[tuple[str]]) -> list[object]:
    with pg.pipeline():
        cursors = [pg.execute(f"{SQL}%s", each) for each in sets]
        return [cursor.fetchone() for cursor in cursors]


async def _by_client(setting: Setting, keys: list[str]) -> float:
    async with stategate.connect_async(setting.gateway.http_url, connections_max=TASKS) as db:

        async def look_up(key: str) -> object:
            return await (await db.execute(f"{SQL}$1", [key])).fetchone()

        return await _tasks_rate(setting, keys, [look_up] * TASKS)


async def _by_psycopg(setting: Setting, keys: list[str]) -> float:
    async with contextlib.AsyncExitStack() as stack:
        makers = [
            await psycopg.AsyncConnection.connect(setting.gateway.pg_dsn, autocommit=True)
            for _ in range(TASKS)
        ]
        connections = [await stack.enter_async_context(each) for each in makers]

        def looking_up(pg: psycopg.AsyncConnection) -> Callable[[str], Awaitable[object]]:
            async def look_up(key: str) -> object:
                return await (await pg.execute(f"{SQL}%s", (key,))).fetchone()

            return look_up

        return await _tasks_rate(setting, keys, [looking_up(each) for each in connections])


async def _tasks_rate(
    setting: Setting, keys: list[str], look_ups: Sequence[Callable[[str], Awaitable[object]]]
) -> float:
    begun_s = time.perf_counter()
    until_s = begun_s + setting.seconds

    async def task(number: int, look_up: Callable[[str], Awaitable[object]]) -> int:
        count = 0
        while time.perf_counter() < until_s:
            if await look_up(keys[(number * 631 + count) % len(keys)]) is None:
                raise BenchError("a key was not found")
            count += 1
        return count

    counts = await asyncio.gather(*(task(n, each) for n, each in enumerate(look_ups)))
    return sum(counts) / (time.perf_counter() - begun_s)

"""The connection of an event loop: the same results, without a thread."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

import stategate
from stategate.gateway.http.app import create_app
from tests.gateway.client.conftest import USERS, Clicks
from tests.gateway.client.serving import app_connection, services_of
from tests.support.fake_engine import FakeEngine

pytestmark = pytest.mark.anyio


@pytest.fixture
async def over_http(fake_url: str) -> AsyncIterator[stategate.AsyncConnection]:
    async with stategate.connect_async(fake_url) as made:
        yield made


async def test_an_application_without_a_socket() -> None:
    with services_of(FakeEngine()) as services:
        async with app_connection(create_app(services)) as db:
            cursor = await db.execute("SELECT v FROM kv WHERE k = :key", {"key": 3})
            assert await cursor.fetchall() == [("value-3",)]
            assert db.position == stategate.at_least("events", 0, 41)
            with pytest.raises(stategate.ProgrammingError):
                await db.execute("SELECT * FROM nowhere")
            assert (await db.arrow("SELECT * FROM types")).num_rows == 2


async def test_rows(over_http: stategate.AsyncConnection) -> None:
    db = over_http
    async with await db.execute("SELECT n, name FROM series(5)") as cursor:
        assert cursor.rowcount in {-1, 5}
        assert await cursor.fetchone() == (0, "row 0")
        assert await cursor.fetchmany(2) == [(1, "row 1"), (2, "row 2")]
        assert [row async for row in cursor] == [(3, "row 3"), (4, "row 4")]
        assert await cursor.fetchone() is None
        assert (cursor.rowcount, cursor.position) == (5, db.position)
        assert cursor.description is not None
        assert cursor.description[0][:2] == ("n", "bigint")
    with pytest.raises(stategate.InterfaceError, match="cursor is closed"):
        await cursor.fetchone()


async def test_many_tasks_share_a_connection(over_http: stategate.AsyncConnection) -> None:
    async def look_up(key: int) -> list[tuple[object, ...]]:
        cursor = await over_http.execute("SELECT v FROM kv WHERE k = $1", [key])
        return await cursor.fetchall()

    found = await asyncio.gather(*(look_up(key) for key in range(1, 101)))
    assert found == [[(f"value-{key}",)] for key in range(1, 101)]


async def test_batches_pages_and_tables(clicks: Clicks) -> None:
    async with stategate.connect_async(clicks.url) as db:
        sql = "SELECT usr FROM clicks WHERE usr = $1"
        assert await db.batch(sql, [["u00001"], ["none"]]) == [[("u00001",)], []]
        cursor = await db.cursor().executemany(sql, [["u00001"], ["u00002"]])
        assert await cursor.fetchall() == [("u00001",), ("u00002",)]
        pages = [page async for page in db.pages("SELECT usr FROM clicks", page_rows=2_000)]
        assert [len(page) for page in pages] == [2_000, USERS - 2_000]
        assert (await db.arrow("SELECT usr FROM clicks")).num_rows == USERS
        assert len(await db.df("SELECT usr FROM clicks")) == USERS
        assert (await db.pl("SELECT usr FROM clicks")).height == USERS


async def test_a_cancelled_task_frees_its_connection(
    fake_url: str, fake_engine: FakeEngine
) -> None:
    async with stategate.connect_async(fake_url, connections_max=1) as db:
        task = asyncio.create_task(db.execute("SELECT sleep(60)"))
        fake_engine.sleeping.clear()
        await asyncio.to_thread(fake_engine.sleeping.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        cursor = await db.execute("SELECT 1")
        assert await cursor.fetchall() == [(1,)]


async def test_no_answer_in_time(over_http: stategate.AsyncConnection) -> None:
    with pytest.raises(stategate.OperationalError, match="in time"):
        await over_http.execute("SELECT sleep(60)", timeout_s=0.05)


async def test_a_closed_connection_can_do_nothing(fake_url: str) -> None:
    db = stategate.connect_async(fake_url)
    await db.close()
    await db.close()
    with pytest.raises(stategate.InterfaceError, match="connection is closed"):
        await db.execute("SELECT 1")


async def test_errors_in_the_middle(over_http: stategate.AsyncConnection) -> None:
    cursor = await over_http.execute("SELECT n, name FROM broken(2500, '58030')")
    assert len([await cursor.fetchone() for _ in range(2500)]) == 2500
    with pytest.raises(stategate.OperationalError, match="it failed"):
        await cursor.fetchone()

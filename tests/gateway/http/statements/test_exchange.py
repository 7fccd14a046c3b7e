"""Streams run at the reader's pace, and end when the reader disconnects."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import orjson
import pytest
from starlette.applications import Starlette

from stategate.gateway.http.app import create_app
from stategate.gateway.http.endpoint import Services
from stategate.gateway.settings import Settings
from stategate.gateway.statement_threads import StatementThreads
from tests.gateway.asgi import SlowClient
from tests.support.fake_engine import FakeEngine
from tests.support.waiting import WAIT_S

pytestmark = pytest.mark.anyio

FORMATS = ("application/json", "application/x-ndjson", "text/csv")


@pytest.mark.parametrize("accept", FORMATS)
async def test_a_stream_waits_for_its_reader(
    app: Starlette, engine: FakeEngine, threads: StatementThreads, accept: str
) -> None:
    client = SlowClient(app, {"sql": "SELECT n, name FROM series(100000)"}, accept=accept, room=3)
    answering = asyncio.create_task(client.run())
    await client.full.wait()
    await threads.run(int)
    await threads.run(int)
    # Each batch of the fake gives about two chunks: those that were read, one that waits to be sent
    # and one ahead, but not all hundred of them.
    assert engine.batches_made < 10
    client.read_on()
    await answering
    assert client.finished
    assert engine.batches_made == 100
    assert engine.opened == engine.closed == 1


@pytest.mark.parametrize("accept", FORMATS)
async def test_disconnecting_closes_a_stream(
    app: Starlette, engine: FakeEngine, accept: str
) -> None:
    client = SlowClient(app, {"sql": "SELECT n, name FROM series(100000)"}, accept=accept, room=3)
    answering = asyncio.create_task(client.run())
    await client.full.wait()
    client.leave()
    await answering
    assert engine.opened == engine.closed == 1
    assert engine.batches_made < 10
    assert not client.finished


async def test_disconnecting_cancels_a_running_statement(
    app: Starlette, engine: FakeEngine
) -> None:
    client = SlowClient(app, {"sql": "SELECT sleep(10)"})
    answering = asyncio.create_task(client.run())
    assert await asyncio.to_thread(engine.sleeping.wait, WAIT_S)
    client.leave()
    await answering
    assert engine.cancelled.is_set()
    assert client.status is None


async def test_a_shutdown_cancels_a_running_statement(app: Starlette, engine: FakeEngine) -> None:
    client = SlowClient(app, {"sql": "SELECT sleep(10)"})
    answering = asyncio.create_task(client.run())
    assert await asyncio.to_thread(engine.sleeping.wait, WAIT_S)
    answering.cancel()
    await answering
    assert engine.cancelled.is_set()
    assert client.status == 503
    assert orjson.loads(client.body)["error"]["sqlstate"] == "57P01"


async def test_a_shutdown_leaves_a_begun_answer_unfinished(
    app: Starlette, engine: FakeEngine
) -> None:
    client = SlowClient(app, {"sql": "SELECT n, name FROM series(100000)"}, room=3)
    answering = asyncio.create_task(client.run())
    await client.full.wait()
    answering.cancel()
    await answering
    assert engine.opened == engine.closed == 1
    assert (client.status, client.finished) == (200, False)


async def test_a_client_that_stops_reading_is_disconnected(
    services: Services, engine: FakeEngine
) -> None:
    settings = Settings(stall_timeout_ms=50, chunk_bytes=16 << 10)
    app = create_app(replace(services, settings=settings))
    client = SlowClient(app, {"sql": "SELECT n, name FROM series(100000)"}, room=3)
    await client.run()
    assert not client.finished
    assert engine.opened == engine.closed == 1


async def test_a_statement_past_its_deadline_gets_an_error(services: Services) -> None:
    app = create_app(replace(services, settings=Settings(statement_timeout_ms=20)))
    client = SlowClient(app, {"sql": "SELECT sleep(10)"})
    await client.run()
    assert client.status == 504
    assert orjson.loads(client.body)["error"]["sqlstate"] == "57014"


async def test_an_error_in_the_middle_ends_the_answer(app: Starlette) -> None:
    client = SlowClient(app, {"sql": "SELECT n, name FROM broken(3, '55S01')"}, accept="text/csv")
    await client.run()
    assert client.status == 200
    assert client.body.count(b"\r\n") == 5
    assert client.body.splitlines()[-1].startswith(b"#error,55S01,")
    assert client.finished


async def test_a_busy_gateway_refuses_with_retry_after(
    services: Services, engine: FakeEngine
) -> None:
    threads = StatementThreads(count=1, queue_max=0)
    app = create_app(replace(services, threads=threads))
    first, second = (
        SlowClient(app, {"sql": "SELECT sleep(10)"}),
        SlowClient(app, {"sql": "SELECT n, name FROM series(1)"}),
    )
    answering = asyncio.create_task(first.run())
    assert await asyncio.to_thread(engine.sleeping.wait, WAIT_S)
    await second.run()
    assert second.status == 503
    assert orjson.loads(second.body)["error"]["sqlstate"] == "53300"
    first.leave()
    await answering
    await asyncio.to_thread(threads.close)


async def test_a_missing_body_times_out(services: Services) -> None:
    app = create_app(replace(services, settings=Settings(body_timeout_ms=20)))
    client = SlowClient(app, {"sql": "SELECT 1"})
    client.hold_body()
    await client.run()
    assert client.status == 408


async def test_a_client_that_disconnects_within_its_body_gets_no_answer(app: Starlette) -> None:
    client = SlowClient(app, {"sql": "SELECT 1"})
    client.hold_body()
    client.leave()
    await client.run()
    assert client.status is None

"""Lookups by HTTP that other nodes answer: the connection waits, and no thread does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from stategate.gateway.http.app import create_app
from stategate.gateway.http.at_once import AtOnce
from stategate.gateway.http.endpoint import Services
from stategate.gateway.settings import Settings
from stategate.gateway.statement_threads import StatementThreads
from tests.gateway.http.connections import Connected
from tests.gateway.http.test_connection import query
from tests.support.later_engine import LaterEngine
from tests.support.waiting import WAIT_S

pytestmark = pytest.mark.anyio

ONE, TWO = (query(f"SELECT v FROM kv WHERE k = {key}") for key in (1, 2))


@pytest.fixture
def engine() -> LaterEngine:
    return LaterEngine()


@pytest.fixture
def services(engine: LaterEngine) -> Iterator[Services]:
    threads = StatementThreads(count=2, queue_max=8)
    yield Services(
        engine=engine,
        threads=threads,
        settings=Settings(),
        describe_stores=list,
        not_ready=list,
    )
    threads.close()


def connected(services: Services) -> Connected:
    return Connected(create_app(services), AtOnce(services))


def values(written: bytes) -> list[Any]:
    """Return the first value of each answer."""
    found = []
    for part in written.split(b"HTTP/1.1 ")[1:]:
        assert part.startswith(b"200 "), part
        found.append(json.loads(part.partition(b"\r\n\r\n")[2])["rows"][0][0])
    return found


async def until_true(holds: Callable[[], bool]) -> None:
    """Wait until a condition holds."""
    async with asyncio.timeout(WAIT_S):
        while not holds():  # noqa: ASYNC110 - what is waited for has no event
            await asyncio.sleep(0.001)


async def asked(engine: LaterEngine, questions: int) -> None:
    """Wait until other nodes were asked a number of times."""
    await until_true(lambda: len(engine.asked) >= questions)


async def written(each: Connected, answers: int) -> list[Any]:
    """Wait for a number of answers, and return their values."""
    await until_true(lambda: each.transport.written.count(b"HTTP/1.1 ") >= answers)
    return values(each.transport.written)


async def test_an_answer_of_another_node_takes_no_task(
    services: Services, engine: LaterEngine
) -> None:
    each = connected(services)
    for number, request in enumerate((ONE, TWO, ONE)):
        await each.receive([request])
        assert len(engine.asked) == number + 1
        assert not each.state.tasks
        engine.answer(number)
        await written(each, number + 1)
    assert values(each.transport.written) == ["value-1", "value-2", "value-1"]
    assert set(engine.executed_in) == {"MainThread"}


async def test_what_follows_waits_for_its_turn(services: Services, engine: LaterEngine) -> None:
    each = connected(services)
    await each.receive([ONE])
    each.connection.data_received(TWO[:20])
    assert not each.transport.reads.is_set()
    each.connection.data_received(TWO[20:] + ONE)
    engine.answer(0)
    assert await written(each, 1) == ["value-1"]
    assert each.transport.reads.is_set()
    for number in (1, 2):  # those that arrived together are answered by the application
        await asked(engine, number + 1)
        engine.answer(number)
        await written(each, number + 1)
    assert values(each.transport.written) == ["value-1", "value-2", "value-1"]


async def test_a_thread_runs_what_other_nodes_cannot_answer(
    services: Services, engine: LaterEngine
) -> None:
    each = connected(services)
    for number in range(2):  # the second one has a head that is known
        await each.receive([ONE])
        engine.answer(number, fails=True)
        await written(each, number + 1)
    engine.overdue_s = 0.01
    await each.receive([ONE])
    assert await written(each, 3) == ["value-1"] * 3
    assert len(engine.asked) == 3
    assert engine.asked[2].is_cancelled
    assert "MainThread" not in engine.executed_in[1:]


async def test_a_client_may_leave_while_other_nodes_are_asked(
    services: Services, engine: LaterEngine
) -> None:
    each = connected(services)
    await each.receive([ONE])
    each.lose()
    assert engine.asked[0].is_cancelled
    streamed = connected(services)
    streamed.connection.data_received(ONE + TWO)
    await asked(engine, 2)
    streamed.lose()
    await streamed.settle()
    assert engine.asked[1].is_cancelled


async def test_a_shutdown_waits_for_the_answer_of_another_node(
    services: Services, engine: LaterEngine
) -> None:
    each = connected(services)
    await each.receive([ONE])
    each.connection.shutdown()
    assert not each.transport.closing
    engine.answer(0)
    assert await written(each, 1) == ["value-1"]
    assert each.transport.closing

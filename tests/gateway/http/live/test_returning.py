"""`GET /v1/subscribe` for clients that come back so late that the log has to be read for them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import NoReturn

import pytest

from stategate.gateway.http.app import create_app
from stategate.gateway.http.endpoint import Services
from stategate.gateway.http.live import streams
from stategate.planner.errors import UnavailableError
from stategate.planner.live.live_query import LiveQuery
from stategate.planner.sql import LiveLimits, SqlEngine
from stategate.planner.values.live import FirstRows
from stategate.stores.hosting.local_store import LocalStore
from tests.gateway.http.conftest import CLICKS
from tests.gateway.http.live.test_subscribing import ALL, Subscriber
from tests.support.past import GivenPast, until_forgotten
from tests.support.stores import FixedCatalog, fill, open_store
from tests.support.waiting import WAIT_S

pytestmark = pytest.mark.anyio


@pytest.fixture
def past() -> GivenPast:
    made = GivenPast()
    made.stores[0] = open_store(CLICKS)
    fill(made.stores[0], [("ann", 1, 0), ("bob", 2, None)])
    return made


@pytest.fixture
def live_engine(clicks: LocalStore, past: GivenPast) -> Iterator[SqlEngine]:
    made = SqlEngine(FixedCatalog(clicks), live=LiveLimits(linger_s=0), past=past)
    yield made
    made.close()


async def away(services: Services, clicks: LocalStore) -> str:
    """Return the token of a client, after more epochs than replicas keep."""
    first = Subscriber(create_app(services), ALL)
    _, token = await first.begun()
    await first.leave()
    assert isinstance(services.engine, SqlEngine)
    until_forgotten(services.engine, [clicks])
    for epoch in range(1, 8):
        fill(clicks, [("bob", epoch, None)], epoch=epoch)
    return token


async def test_one_event_leads_to_the_present(
    live_services: Services,
    clicks: LocalStore,
    past: GivenPast,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(streams, "SILENCE_S", 0.01)
    token = await away(live_services, clicks)
    past.may_answer.clear()
    back = Subscriber(create_app(live_services), ALL, last=token)
    for _ in range(3):
        assert (await back.raw_part()) == b": \n\n", "signs of life while the log is read"
    assert live_services.threads.running == 0, "it waits without a thread"
    past.may_answer.set()
    await back.named("columns")
    _, data = await back.named("changes")
    assert (data["updated"], data["epoch"]) == ([[["bob", 2, None], ["bob", 7, None]]], 7)
    fill(clicks, [("ann", 9, 0)], epoch=8)
    _, data = await back.named("changes")
    assert (data["inserted"], data["epoch"]) == ([], 8)
    await back.leave()


async def test_a_client_is_told_why_it_starts_over(
    live_services: Services, clicks: LocalStore, past: GivenPast
) -> None:
    token = await away(live_services, clicks)
    del past.stores[0]
    back = Subscriber(create_app(live_services), ALL, last=token)
    _, data = await back.named("start_over")
    assert data["reason"] == "the changes after the token are no longer held: epoch 0 is gone"
    rows, _ = await back.begun()
    assert len(rows) == 2
    await back.leave()


async def test_a_client_that_cannot_start_over_is_told_why(
    live_services: Services, clicks: LocalStore, past: GivenPast, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: LiveQuery) -> NoReturn:
        raise UnavailableError("a partition is gone")

    token = await away(live_services, clicks)
    past.may_answer.clear()
    back = Subscriber(create_app(live_services), ALL, last=token)
    assert await asyncio.to_thread(past.is_asked.wait, WAIT_S)
    monkeypatch.setattr(LiveQuery, "first_rows", fail)
    del past.stores[0]
    past.may_answer.set()
    _, data = await back.named("error")
    assert data["error"]["message"] == "a partition is gone"
    await back.leave()


async def test_a_client_that_leaves_while_its_rows_are_read(
    live_services: Services,
    live_engine: SqlEngine,
    clicks: LocalStore,
    past: GivenPast,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    is_reading, may_read = threading.Event(), threading.Event()
    first_rows = LiveQuery.first_rows

    def wait(query: LiveQuery) -> tuple[FirstRows, int]:
        is_reading.set()
        assert may_read.wait(WAIT_S)
        return first_rows(query)

    token = await away(live_services, clicks)
    past.may_answer.clear()
    back = Subscriber(create_app(live_services), ALL, last=token)
    assert await asyncio.to_thread(past.is_asked.wait, WAIT_S)
    monkeypatch.setattr(LiveQuery, "first_rows", wait)
    del past.stores[0]
    past.may_answer.set()
    assert await asyncio.to_thread(is_reading.wait, WAIT_S)
    await back.leave()
    assert live_engine.live_counts().subscribers == 0
    may_read.set()


async def test_a_client_that_leaves_meanwhile(
    live_services: Services, live_engine: SqlEngine, clicks: LocalStore, past: GivenPast
) -> None:
    token = await away(live_services, clicks)
    past.may_answer.clear()
    back = Subscriber(create_app(live_services), ALL, last=token)
    assert await asyncio.to_thread(past.is_asked.wait, WAIT_S)
    await back.leave()
    assert live_engine.live_counts().subscribers == 0
    past.may_answer.set()

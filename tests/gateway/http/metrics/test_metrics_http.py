"""`GET /metrics`: under load, and with credentials."""

from __future__ import annotations

import asyncio
import re
import threading
import urllib.request
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from starlette.routing import Route

from stategate.gateway.http.app import create_app
from stategate.gateway.http.endpoint import Services
from stategate.gateway.statement_threads import StatementThreads
from stategate.gateway.thread_settings import thread_count
from stategate.planner.errors import LimitExceededError
from tests.gateway.credentials import PASSWORD, USER, access_of, make_users
from tests.gateway.scraping import (
    FakeNode,
    FakeStore,
    MakeMetrics,
    asking,
    labelled,
    read_text,
    running,
    told,
    value,
)
from tests.support.gateway import Gateway
from tests.support.waiting import WAIT_S

pytestmark = pytest.mark.anyio

# --- a gateway at work ---------------------------------------------------------------------------


async def test_metrics_are_served_while_all_threads_are_busy(
    services: Services, make_metrics: MakeMetrics, threads: StatementThreads
) -> None:
    gate = threading.Event()
    metrics = make_metrics(FakeNode())
    calls = [asyncio.create_task(threads.run(gate.wait, WAIT_S)) for _ in range(10)]
    await asyncio.sleep(0)
    try:
        with pytest.raises(LimitExceededError):
            await threads.run(int)
        async with asking(services, metrics) as client:
            found = read_text((await client.get("/metrics")).content)
    finally:
        gate.set()
        await asyncio.gather(*calls)
    assert value(found, "threads") == value(found, "threads_busy") == 2
    assert value(found, "threads_waiting") == 8
    idle = told(metrics)
    assert (value(idle, "threads_busy"), value(idle, "threads_waiting")) == (0, 0)


async def test_waiting_scrapes_are_limited(
    make_metrics: MakeMetrics,
) -> None:
    store = FakeStore()
    store.gate = threading.Event()
    metrics = make_metrics(FakeNode(clicks=store))
    scrapes = [asyncio.create_task(metrics.scrape("")) for _ in range(12)]
    await asyncio.sleep(0)
    store.gate.set()
    answers = await asyncio.gather(*scrapes, return_exceptions=True)
    refused = [each for each in answers if isinstance(each, LimitExceededError)]
    assert len(refused) == 3
    assert sum(isinstance(each, tuple) for each in answers) == 9


def read(url: str, accept: str = "*/*") -> tuple[bytes, str]:
    request = urllib.request.Request(url, headers={"Accept": accept})
    with urllib.request.urlopen(request, timeout=WAIT_S) as response:
        return response.read(), response.headers["Content-Type"]


def test_a_gateway_reports_its_work(gateway: Gateway) -> None:
    with psycopg.connect(gateway.pg_dsn, autocommit=True) as connection:
        before = read_text(read(f"{gateway.http_url}/metrics")[0])
        found = connection.execute("SELECT city FROM users WHERE name = 'ada'").fetchall()
        assert found == [("London",)]
        after = read_text(read(f"{gateway.http_url}/metrics")[0])
    asked = [value(each, "store_query_seconds_count", store="users") for each in (before, after)]
    assert asked[0] is not None
    assert asked[1] == asked[0] + 1
    assert value(after, "ready") == 1
    connections = labelled(after, "connections", "protocol")
    assert connections["http"] >= 1
    assert connections["postgres"] >= 1
    assert value(after, "threads") == thread_count(0)
    assert labelled(after, "store_committed_epoch", "store") == {
        "clicks_hourly": 0,
        "orders": 1,
        "users": 0,
    }
    assert ("process_resident_memory_bytes", frozenset[tuple[str, str]]()) in after
    assert ("python_gc_collections_total", frozenset({("generation", "0")})) in after


# --- access --------------------------------------------------------------------------------------


async def test_metrics_need_credentials(
    services: Services, make_metrics: MakeMetrics, tmp_path: Path
) -> None:
    metrics = make_metrics(FakeNode(clicks=FakeStore(running())))
    with access_of(make_users(tmp_path)) as access:
        async with asking(services, metrics, access) as client:
            stranger = await client.get("/metrics")
            wrong = await client.get("/metrics", auth=(USER, "wrong"))
            user = await client.get("/metrics", auth=(USER, PASSWORD))
    assert (stranger.status_code, wrong.status_code) == (401, 401)
    assert "WWW-Authenticate" in stranger.headers
    assert "stategate_" not in stranger.text + wrong.text
    assert user.status_code == 200
    assert value(read_text(user.content), "ready") == 1


async def test_the_hint_of_a_wrong_path_lists_all_paths(
    services: Services, make_metrics: MakeMetrics
) -> None:
    async with asking(services, make_metrics(FakeNode())) as client:
        hint = (await client.get("/metric")).json()["error"]["hint"]
        assert (await client.post("/metrics")).status_code == 405
    app = create_app(replace(services, metrics=make_metrics(FakeNode())))
    paths = {route.path for route in app.routes if isinstance(route, Route)}
    assert "/metrics" in paths
    files_of_pages = {"/", "/console/{name:path}", "/docs.css", "/docs.js"}
    assert paths - files_of_pages <= set(re.findall(r"/[^ ,]*[^ ,.]", hint))


async def test_metrics_are_optional(services: Services) -> None:
    async with asking(services, None) as client:
        assert (await client.get("/metrics")).status_code == 404

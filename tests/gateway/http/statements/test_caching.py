"""Versions of answers: the same until an epoch is applied, and 304 without reading rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from stategate.gateway.http.endpoint import Services
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.metrics import MeteredStore, Metrics
from stategate.stores.spec.store import ReplicaState
from tests.gateway.http.serving import serving
from tests.support.stores import fill, keyvalue, open_store

pytestmark = pytest.mark.anyio

CLICKS = keyvalue("clicks", {"usr": "text"}, {"n": "bigint"}, partitions=2)
METRICS = Metrics()


@pytest.fixture
def clicks() -> LocalStore:
    store = open_store(CLICKS)
    fill(store, [(f"u{n}", n) for n in range(10)])
    return store


@pytest.fixture
def services(clicks: LocalStore) -> Iterator[Services]:
    with serving(MeteredStore(clicks, METRICS)) as made:
        yield made


async def get(
    client: httpx.AsyncClient, sql: str, tag: str | None = None, **fields: Any
) -> httpx.Response:
    headers = {} if tag is None else {"If-None-Match": tag}
    return await client.get("/v1/query", params={"sql": sql, **fields}, headers=headers)


def reads() -> int:
    return sum(METRICS.read().queries.values())


STEADY = (
    "SELECT n FROM clicks WHERE usr = 'u1'",
    "SELECT * FROM clicks",
    "SELECT count(*) FROM clicks",
    "SELECT n % 3 AS k, sum(n) FROM clicks WHERE n > 2 GROUP BY 1 ORDER BY 1",
    "SELECT a.usr FROM clicks a JOIN clicks b ON a.n = b.n WHERE b.usr IN ('u1', 'u2')",
)


@pytest.mark.parametrize("sql", STEADY)
async def test_an_answer_is_kept_until_an_epoch_is_applied(
    client: httpx.AsyncClient, clicks: LocalStore, sql: str
) -> None:
    first = await get(client, sql)
    tag = first.headers["etag"]
    assert tag.startswith('W/"')
    assert first.headers["cache-control"] == "private, no-cache"
    assert "Accept-Encoding" in first.headers["vary"]
    assert (await get(client, sql)).headers["etag"] == tag
    before = reads()
    for known in (tag, tag.removeprefix("W/"), f'"other", {tag}', "*"):
        same = await get(client, sql, known)
        assert (same.status_code, same.content) == (304, b"")
        assert same.headers["etag"] == tag
    assert reads() == before, "rows were read"
    fill(clicks, [("u1", 100)], epoch=1)
    changed = await get(client, sql, tag)
    assert changed.status_code == 200
    assert changed.headers["etag"] != tag


async def test_a_version_is_of_statement_parameters_format_and_settings(
    client: httpx.AsyncClient,
) -> None:
    sql = "SELECT n FROM clicks WHERE usr = :usr"
    asked = [
        {"sql": sql, "param.usr": "u1"},
        {"sql": sql, "param.usr": "u2"},
        {"sql": sql + " ", "param.usr": "u1", "info": "true"},
        {"sql": sql, "param.usr": "u1", "format": "csv"},
        {"sql": "SELECT usr FROM clicks WHERE usr = :usr", "param.usr": "u1"},
    ]
    tags = [(await client.get("/v1/query", params=each)).headers["etag"] for each in asked]
    assert len(set(tags)) == len(tags)
    head = await client.head("/v1/query", params=asked[0])
    assert head.headers["etag"] == tags[0]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT now(), n FROM clicks",
        "SELECT current_user, usr FROM clicks",
        "SELECT random(), usr FROM clicks",
        "SELECT usr FROM clicks WHERE usr = 'Now'",
        "SELECT usr FROM clicks WITH BOUND (LATEST)",
        "SELECT name FROM stategate.stores",
        "SELECT relname FROM pg_class",
        "SELECT 1",
        "SHOW STORES",
    ],
)
async def test_an_answer_that_may_change_at_any_time_has_no_version(
    client: httpx.AsyncClient, sql: str
) -> None:
    response = await get(client, sql, "*")
    assert response.status_code == 200
    assert "etag" not in response.headers
    assert response.headers["cache-control"] == "no-store"


async def test_settings_and_states_that_have_no_version(
    client: httpx.AsyncClient, clicks: LocalStore
) -> None:
    assert "etag" not in (await get(client, STEADY[1], consistency="latest")).headers
    assert "etag" in (await get(client, STEADY[1], bound='{"events":{"0":0}}')).headers
    posted = await client.post("/v1/query", json={"sql": STEADY[1]})
    assert "etag" not in posted.headers
    clicks.replicas[0].state = ReplicaState.RESTORING
    partial = await get(client, STEADY[1], partial="true")
    assert partial.status_code == 200
    assert "etag" not in partial.headers

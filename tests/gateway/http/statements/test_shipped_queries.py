"""The queries of this package by name over HTTP: routed by key, for each kind of store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import httpx
import pytest

from stategate.gateway.http.endpoint import Services
from stategate.stores.spec.schema import StoreKind
from tests.gateway.http.serving import serving
from tests.support.stores import fill, keyvalue, open_store, timed, window

pytestmark = pytest.mark.anyio

PAIRS = keyvalue("pairs", {"a": "bigint", "b": "text"}, {"v": "interval"}, partitions=4)
HOURLY = window("hourly", {"k": "text"}, {"n": "bigint"}, partitions=2)
VISITS = timed(StoreKind.SESSION, "visits", {"k": "text"}, {"n": "bigint"}, partitions=2)
PRICES = timed(StoreKind.VERSIONED, "prices", {"k": "text"}, {"n": "bigint"}, partitions=2)
HOUR_US = 3_600_000_000


@pytest.fixture
def services() -> Iterator[Services]:
    stores = [open_store(each) for each in (PAIRS, HOURLY, VISITS, PRICES)]
    fill(stores[0], [(a, f"b{b}", (a, b, 0)) for a in range(4) for b in range(3)])
    fill(stores[1], [("x", h * HOUR_US, (h + 1) * HOUR_US, h) for h in range(5)])
    fill(stores[2], [("x", h * HOUR_US, (h + 1) * HOUR_US, h) for h in range(5)])
    for epoch in range(3):
        fill(stores[3], [("x", epoch)], epoch=epoch, times_us=[epoch * HOUR_US])
    described = [{"name": each.schema.name, "replicas": []} for each in stores]
    with serving(*stores) as made:
        yield replace(made, describe_stores=lambda: described)


async def ask(client: httpx.AsyncClient, store: str, name: str, **args: Any) -> httpx.Response:
    return await client.post(f"/v1/stores/{store}/query", json={"type": name, "args": args})


async def rows_of(client: httpx.AsyncClient, store: str, name: str, **args: Any) -> list[Any]:
    response = await ask(client, store, name, **args)
    assert response.status_code == 200, response.text
    results = [each["result"] for each in response.json()["partitions"]]
    return [row for result in results if result is not None for row in result["rows"]]


async def test_rows_are_estimated_in_each_partition(client: httpx.AsyncClient) -> None:
    for store, partitions in (("pairs", 4), ("hourly", 2), ("visits", 2), ("prices", 2)):
        counted = (await ask(client, store, "count")).json()["partitions"]
        about = (await ask(client, store, "approximate_count")).json()["partitions"]
        assert len(about) == partitions
        assert [each["result"] for each in about] == [each["result"] for each in counted]


async def test_one_key_asks_one_partition(client: httpx.AsyncClient) -> None:
    document = (await ask(client, "pairs", "key", key=[1, "b2"])).json()
    (partition,) = document["partitions"]
    assert partition["result"] == {
        "columns": [
            {"name": "a", "type": "bigint"},
            {"name": "b", "type": "text"},
            {"name": "v", "type": "interval"},
        ],
        "rows": [[1, "b2", "P1M2D"]],
    }
    assert document["position"] == {"events": {"0": 0}}
    missing = (await ask(client, "pairs", "key", key=[9, "b2"])).json()["partitions"]
    assert [each["result"] for each in missing] == [None]
    every = {"type": "key", "args": {"key": [1, "b2"]}, "partitions": [0, 1, 2, 3]}
    asked = (await client.post("/v1/stores/pairs/query", json=every)).json()["partitions"]
    assert [each["partition"] for each in asked] == [0, 1, 2, 3]


async def test_many_keys_ask_their_partitions(client: httpx.AsyncClient) -> None:
    keys = [[1, "b2"], [3, "b0"], [9, "x"], [1, "b2"]]
    assert sorted(await rows_of(client, "pairs", "keys", keys=keys)) == [
        [1, "b2", "P1M2D"],
        [3, "b0", "P3M"],
    ]


async def test_ranges_prefixes_and_counts(client: httpx.AsyncClient) -> None:
    rows = await rows_of(client, "pairs", "range", lower=[1], upper=[2, "b0"], columns=["a", "b"])
    assert sorted(rows) == [[1, "b0"], [1, "b1"], [1, "b2"], [2, "b0"]]
    assert len(await rows_of(client, "pairs", "range", limit=1)) <= 4
    open_end = await rows_of(client, "pairs", "range", lower=[2], lower_inclusive=False)
    assert {row[0] for row in open_end} == {3}
    assert len(await rows_of(client, "pairs", "prefix", prefix=[2])) == 3
    assert len(await rows_of(client, "pairs", "prefix", prefix=[2], text="b1")) == 1
    counts = (await ask(client, "pairs", "count", lower=[1])).json()["partitions"]
    assert sum(each["result"] for each in counts) == 9
    timed_row = await rows_of(client, "pairs", "timestamped_key", key=[0, "b0"])
    assert timed_row[0][:3] == [0, "b0", "PT0S"]


async def test_windows_sessions_and_versions(client: httpx.AsyncClient) -> None:
    hour = 3_600_000
    found = await rows_of(
        client, "hourly", "window_key", key=["x"], start_ms=hour, end_ms=2 * hour, order="desc"
    )
    assert [row[-1] if isinstance(row[-1], int) else row[1] for row in found] != []
    assert len(found) == 2
    assert len(await rows_of(client, "hourly", "window_range", start_ms=3 * hour)) == 2
    sessions = await rows_of(client, "visits", "session_key", key=["x"], latest_start_ms=hour)
    assert len(sessions) == 2
    assert len(await rows_of(client, "visits", "session_range")) == 5
    (newest,) = await rows_of(client, "prices", "versioned_key", key=["x"])
    assert newest == ["x", 2, "1970-01-01T02:00:00Z", None]
    (older,) = await rows_of(client, "prices", "versioned_key", key=["x"], as_of_ms=hour)
    assert older == ["x", 1, "1970-01-01T01:00:00Z", "1970-01-01T02:00:00Z"]
    assert len(await rows_of(client, "prices", "multi_versioned_key", key=["x"])) == 3
    assert len(await rows_of(client, "prices", "versioned_range", from_ms=hour)) == 2


@pytest.mark.parametrize(
    ("name", "args", "sqlstate", "said"),
    [
        ("key", {}, "22023", 'argument "key" is missing'),
        ("key", {"key": [1]}, "22023", "each key column: 2"),
        ("keys", {"keys": [1]}, "22023", "each key column: 2"),
        ("keys", {"keys": 1}, "22023", "list of keys"),
        ("range", {"lower": []}, "22023", "one to 2 values"),
        ("range", {"lower": [1, "b", 2]}, "22023", "one to 2 values"),
        ("range", {"order": "up"}, "22023", "neither asc nor desc"),
        ("range", {"limit": -1}, "22023", "negative"),
        ("range", {"columns": ["nope"]}, "58030", "nope"),
        ("prefix", {}, "22023", "needs a prefix"),
        ("window_key", {"key": [1, "b"]}, "0A000", 'answers no query "window_key"'),
    ],
)
async def test_wrong_arguments_are_named(
    client: httpx.AsyncClient, name: str, args: dict[str, Any], sqlstate: str, said: str
) -> None:
    error = (await ask(client, "pairs", name, **args)).json()["error"]
    assert error["sqlstate"] == sqlstate
    assert said in error["message"]


async def test_the_info_has_the_time_to_read_the_stream(client: httpx.AsyncClient) -> None:
    body = {"type": "range", "args": {}, "info": True}
    partitions = (await client.post("/v1/stores/pairs/query", json=body)).json()["partitions"]
    for each in partitions:
        assert each["info"][-1].startswith(f"read {each['rows']} rows of the stream: ")


async def test_a_store_lists_its_queries(client: httpx.AsyncClient) -> None:
    listed = (await client.get("/v1/stores/pairs")).json()["queries"]
    by_name = {each["type"]: each for each in listed}
    assert list(by_name) == sorted(by_name)
    assert by_name["key"]["args"][0] == {
        "name": "key",
        "type": ["bigint", "text"],
        "required": True,
        "is_key": True,
        "is_prefix": False,
        "is_list": False,
    }
    assert by_name["count"]["result"] == "bigint"
    for store, name in (
        ("hourly", "window_key"),
        ("visits", "session_key"),
        ("prices", "versioned_key"),
    ):
        queries = (await client.get(f"/v1/stores/{store}")).json()["queries"]
        assert name in {each["type"] for each in queries}

"""Several statements in one request: answers in order, each with its own error, and limits."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stategate.gateway.http.app import create_app
from stategate.gateway.http.endpoint import Services
from stategate.gateway.settings import Settings
from stategate.planner.engine import Result
from stategate.planner.sql import SqlEngine
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.spec.schema import Row
from stategate.stores.spec.store import ReplicaState
from tests.gateway.http.serving import serving
from tests.support.fake_engine import FakeEngine
from tests.support.stores import fill, keyvalue, open_store

pytestmark = pytest.mark.anyio

CLICKS = keyvalue(
    "clicks",
    {"usr": "text"},
    {"n": "bigint", "mean": "double", "at": "timestamptz", "paid": "decimal(9,2)"},
    partitions=4,
)
PAIRS = keyvalue("pairs", {"a": "bigint", "b": "double"}, {"v": "interval"}, partitions=2)
ROWS: list[Row] = [
    ("ada", 1, 0.5, 1_000_000, None),
    ("bob", None, float("nan"), None, None),
    ("", 3, float("-inf"), -1, None),
    *[(f"user-{n}", n, n / 2, n * 1_000_000, None) for n in range(100)],
]


@pytest.fixture
def clicks() -> LocalStore:
    store = open_store(CLICKS)
    fill(store, ROWS)
    return store


@pytest.fixture
def services(clicks: LocalStore) -> Iterator[Services]:
    pairs = open_store(PAIRS)
    fill(pairs, [(1, 0.5, (1, 2, 3)), (1, -0.0, None)])
    settings = Settings(parameters_max=3, batch_max=200, chunk_bytes=4096)
    with serving(clicks, pairs, settings=settings) as made:
        yield made


async def ask(client: httpx.AsyncClient, **fields: Any) -> httpx.Response:
    return await client.post("/v1/batch", json=fields)


BY_KEY = "SELECT * FROM clicks WHERE usr = $1"


async def test_one_statement_with_many_keys(client: httpx.AsyncClient) -> None:
    sets = [["ada"], ["nobody"], [None], ["bob"], ["ada"]]
    document = (await ask(client, sql=BY_KEY, params=sets)).json()
    assert [each["name"] for each in document["columns"]][:2] == ["usr", "n"]
    ada = ["ada", 1, 0.5, "1970-01-01T00:00:01Z", None]
    bob = ["bob", None, "NaN", None, None]
    assert [each["rows"] for each in document["results"]] == [[ada], [], [], [bob], [ada]]
    assert document["position"] == {"events": {"0": 0}}
    assert sum(each["rows"] for each in document["partitions"]) == 2
    assert {each["status"] for each in document["partitions"]} == {"ok"}
    assert document["elapsed_ms"] >= 0


async def test_each_set_has_its_own_error(client: httpx.AsyncClient) -> None:
    sets: list[Any] = [[1], ["x"], 5, [1, 2], [1] * 4, {"n": 1}]
    document = (await ask(client, sql="SELECT $1::bigint AS n", params=sets)).json()
    results = document["results"]
    assert results[0] == {"rows": [[1]]}
    errors = [each["error"]["sqlstate"] for each in results[1:]]
    assert errors == ["22P02", "08P01", "08P01", "54000", "08P01"]
    by_key = (await ask(client, sql=BY_KEY, params=[["ada"], [1, 2], ["bob"]])).json()["results"]
    assert [list(each) for each in by_key] == [["rows"], ["error"], ["rows"]]


async def test_sets_with_names(client: httpx.AsyncClient) -> None:
    sql = "SELECT n FROM clicks WHERE usr = :usr"
    sets = [{"usr": "ada"}, {"user": "ada"}, {"usr": ""}, ["ada"]]
    results = (await ask(client, sql=sql, params=sets)).json()["results"]
    assert [each.get("rows") for each in results] == [[[1]], None, [[3]], None]


async def test_different_statements(client: httpx.AsyncClient) -> None:
    statements = [
        {"sql": "SELECT n FROM clicks WHERE usr = :usr", "params": {"usr": "ada"}},
        {"sql": "SELECT nothing"},
        {"sql": "SELECT count(*) FROM clicks"},
        {"sql": "BEGIN"},
        {"sql": "SELECT usr FROM clicks"},
        {"nope": 1},
        7,
    ]
    response = await ask(client, statements=statements)
    assert response.status_code == 200
    results = response.json()["results"]
    assert results[0]["rows"] == [[1]]
    assert results[0]["position"] == {"events": {"0": 0}}
    assert results[2]["rows"] == [[103]]
    assert len(results[4]["rows"]) == 103
    assert [results[at]["error"]["sqlstate"] for at in (1, 3, 5, 6)] == [
        "42703",
        "0A000",
        "08P01",
        "08P01",
    ]


@pytest.mark.parametrize(
    ("fields", "status", "sqlstate"),
    [
        ({}, 400, "08P01"),
        ({"sql": "SELECT 1"}, 400, "08P01"),
        ({"sql": "SELECT 1", "params": []}, 400, "08P01"),
        ({"sql": "SELECT 1", "params": [[]], "statements": []}, 400, "08P01"),
        ({"statements": []}, 400, "08P01"),
        ({"statements": {"sql": "SELECT 1"}}, 400, "08P01"),
        ({"sql": "SELECT 1", "params": [[]] * 201}, 400, "54000"),
        ({"sql": "SELECT nothing", "params": [[]]}, 400, "42703"),
        ({"sql": "SET a = 1", "params": [[]]}, 501, "0A000"),
        ({"sql": "SELECT 1", "params": [[]], "format": "csv"}, 406, "08P01"),
        ({"sql": "SELECT 1", "params": [[]], "format": 1}, 400, "08P01"),
        ({"sql": "SELECT 1", "params": [[]], "extra": 1}, 400, "08P01"),
        ({"statements": [{"sql": "SELECT 1"}], "consistency": "odd"}, 400, "22023"),
        ({"statements": [{"sql": "SELECT 1"}], "bound": "odd"}, 400, "22P02"),
    ],
)
async def test_a_batch_that_cannot_run(
    client: httpx.AsyncClient, fields: dict[str, Any], status: int, sqlstate: str
) -> None:
    response = await ask(client, **fields)
    assert (response.status_code, response.json()["error"]["sqlstate"]) == (status, sqlstate)


async def test_results_as_lines(client: httpx.AsyncClient) -> None:
    sets = [["ada"], ["bob"]]
    lines = (await ask(client, sql=BY_KEY, params=sets, format="ndjson")).text.splitlines()
    parsed = [json.loads(line) for line in lines]
    assert [list(each) for each in parsed[:3]] == [["columns"], ["rows"], ["rows"]]
    assert parsed[-1]["position"] == {"events": {"0": 0}}
    statements = [{"sql": "SELECT 1 AS a"}, {"sql": "SELEKT"}]
    response = await client.post(
        "/v1/batch",
        json={"statements": statements},
        headers={"Accept": "application/x-ndjson", "Accept-Encoding": "gzip"},
    )
    first, second, last = map(json.loads, response.text.splitlines())
    assert first["rows"] == [[1]]
    assert second["error"]["sqlstate"] == "42601"
    assert list(last) == ["elapsed_ms"]


async def test_a_long_answer_is_streamed_and_compressed(client: httpx.AsyncClient) -> None:
    fields = {"sql": "SELECT * FROM clicks", "params": [[]] * 40}
    for coding in ("identity", "gzip"):
        response = await client.post("/v1/batch", json=fields, headers={"Accept-Encoding": coding})
        assert response.headers.get("content-encoding", "identity") == coding
        results = response.json()["results"]
        assert [len(each["rows"]) for each in results] == [103] * 40


async def test_settings_hold_for_all(client: httpx.AsyncClient, clicks: LocalStore) -> None:
    late = {"events": {"0": 1}}
    fields: dict[str, Any] = {"sql": BY_KEY, "params": [["ada"], ["bob"]]}
    results = (await ask(client, **fields, bound=late)).json()["results"]
    assert [each["error"]["sqlstate"] for each in results] == ["55S01", "55S01"]
    informed = (await ask(client, **fields, info=True)).json()
    assert any(each["info"] for each in informed["partitions"])
    clicks.replicas[0].state = ReplicaState.RESTORING
    everyone = {"sql": "SELECT * FROM clicks", "params": [[]]}
    failed = (await ask(client, **everyone)).json()["results"]
    assert failed[0]["error"]["retryable"]
    partial = (await ask(client, **everyone, partial=True)).json()
    assert {each["status"] for each in partial["partitions"]} == {"ok", "failed"}


async def test_a_partition_that_fails_fails_its_keys_only(
    client: httpx.AsyncClient, clicks: LocalStore
) -> None:
    clicks.replicas[0].state = ReplicaState.RESTORING
    sets = [[f"user-{n}"] for n in range(20)]
    results = (await ask(client, sql=BY_KEY, params=sets)).json()["results"]
    failed = [each for each in results if "error" in each]
    assert 0 < len(failed) < 20
    assert {each["error"]["sqlstate"] for each in failed} == {"55S04"}


@pytest.fixture
async def faking(services: Services) -> AsyncIterator[httpx.AsyncClient]:
    app = create_app(replace(services, engine=FakeEngine()))
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as made:
        yield made


async def test_a_result_that_breaks_off_has_its_error(faking: httpx.AsyncClient) -> None:
    broken = "SELECT n, name FROM broken(3, '55S01')"
    statements = [{"sql": broken}, {"sql": "SELECT bug()"}, {"sql": "SELECT 1"}]
    results = (await ask(faking, statements=statements)).json()["results"]
    assert len(results[0]["rows"]) == 3
    assert results[0]["error"]["sqlstate"] == "55S01"
    assert results[1]["error"]["message"] == "internal error"
    assert results[2]["rows"] == [[1]]
    sets = (await ask(faking, sql=broken, params=[[], []])).json()["results"]
    assert [len(each["rows"]) for each in sets] == [3, 3]
    assert all(each["error"] for each in sets)


async def test_the_whole_batch_has_one_deadline(services: Services) -> None:
    engine = FakeEngine()
    limited = replace(services.settings, statement_timeout_ms=100)
    app = create_app(replace(services, engine=engine, settings=limited))
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        response = await ask(client, sql="SELECT sleep(10)", params=[[]] * 5)
    results = response.json()["results"]
    assert [each["error"]["sqlstate"] for each in results] == ["57014"] * 5


KEYS = st.sampled_from(["ada", "bob", "", "nobody", None, "user-1", "user-2", "user-50", "é", 1])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sets=st.lists(st.tuples(KEYS) | st.just((1, 2)), min_size=1, max_size=60))
async def test_a_batch_gives_the_rows_of_single_statements(
    client: httpx.AsyncClient, sets: list[tuple[object, ...]]
) -> None:
    results = (await ask(client, sql=BY_KEY, params=sets)).json()["results"]
    for params, result in zip(sets, results, strict=True):
        body = {"sql": BY_KEY, "params": params}
        alone = (await client.post("/v1/query", json=body)).json()
        assert result.get("rows") == alone.get("rows")
        assert result.get("error") == alone.get("error")


async def test_keys_of_floats_are_looked_up_one_by_one(client: httpx.AsyncClient) -> None:
    sql = "SELECT v FROM pairs WHERE a = $1 AND b = $2"
    sets = [[1, 0.5], [1, 0], [1, "NaN"], [2, 0.5]]
    results = (await ask(client, sql=sql, params=sets)).json()["results"]
    assert [each["rows"] for each in results] == [[["P1M2DT0.000003S"]], [[None]], [], []]


async def test_runs_at_several_epochs_are_shown_by_epoch(
    client: httpx.AsyncClient, clicks: LocalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No row is said to be of an epoch that it was not read at."""
    execute, runs = SqlEngine.execute, list[int]()

    def while_it_moves(*given: Any, **more: Any) -> Result:
        runs.append(len(runs))
        if len(runs) == 2:
            fill(clicks, [("ada", 7, None, None, None)], epoch=1)
        return execute(*given, **more)

    monkeypatch.setattr(SqlEngine, "execute", while_it_moves)
    sql = "SELECT n FROM clicks WHERE usr = $1 AND n + 0 > 0"
    document = (await ask(client, sql=sql, params=[["ada"], ["ada"]])).json()
    assert [each["rows"] for each in document["results"]] == [[[1]], [[7]]]
    read = sorted((each["epoch"], each["rows"]) for each in document["partitions"])
    assert read == [(0, 1), (1, 1)]

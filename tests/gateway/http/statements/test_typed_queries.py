"""Queries by name and lookups of a key over HTTP, with real stores."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from stategate.gateway.http.app import create_app
from stategate.gateway.http.endpoint import Services
from stategate.planner.binding.relations import require_missing
from stategate.planner.sql import SqlEngine
from stategate.planner.typed import TypedQueries
from stategate.stores.hosting.host import Host
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.spec.query import BatchStream, KeyQuery, Query, RangeQuery
from stategate.stores.spec.registry import KEY, Remote, register_query
from stategate.stores.spec.schema import Key, Row, StoreKind
from stategate.stores.spec.store import ReplicaState, StorePartition, View
from tests.gateway.http.serving import serving
from tests.support.stores import fill, keyvalue, open_store

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("own_registry")]

CLICKS = keyvalue("clicks", {"usr": "text"}, {"n": "bigint", "paid": "decimal(9,2)"}, partitions=2)
PAIRS = keyvalue("pa-irs.1", {"a": "bigint", "b": "text"}, {"v": "text"}, partitions=2)
ROWS: list[Row] = [(f"user-{number}", number, None) for number in range(10)]


@dataclass(frozen=True, slots=True, kw_only=True)
class SumQuery(Query[int]):
    """The sum of a column's numbers that are not less than `least`."""

    column: str
    least: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MineQuery(Query[BatchStream]):
    """All rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OneQuery(Query[int | None]):
    """The first value of a key."""

    key: Key

    def __post_init__(self) -> None:
        """Check the arguments, as a third party may."""
        if self.key == ("refused",):
            raise ValueError("not that key")


def answer_sum(engine: StorePartition, view: View, query: SumQuery) -> int:
    if query.column == "broken":
        raise ZeroDivisionError("mine")
    batches = engine.handlers[RangeQuery](view, RangeQuery(columns=(query.column,)))
    numbers = [n or 0 for batch in batches for n in batch.column(0).to_pylist()]
    return sum(n for n in numbers if n >= query.least)


def answer_rows(engine: StorePartition, view: View, query: MineQuery) -> BatchStream:
    found: BatchStream = engine.handlers[RangeQuery](view, RangeQuery())
    return found


def answer_one(engine: StorePartition, view: View, query: OneQuery) -> int | None:
    row = engine.handlers[KeyQuery](view, KeyQuery(key=query.key))
    return None if row is None else row[0]


@pytest.fixture
def clicks(own_registry: None) -> LocalStore:
    kind = StoreKind.KEYVALUE
    arguments = {"column": "text", "least": "bigint"}
    register_query(
        kind, SumQuery, answer_sum, remote=Remote(name="sum", arguments=arguments, result="bigint")
    )
    register_query(kind, MineQuery, answer_rows, remote=Remote(name="mine"))
    register_query(
        kind, OneQuery, answer_one, remote=Remote(name="one", arguments={"key": KEY}, result="text")
    )
    store = open_store(CLICKS)
    fill(store, ROWS)
    return store


@pytest.fixture
def services(clicks: LocalStore) -> Iterator[Services]:
    pairs = open_store(PAIRS)
    fill(pairs, [(1, "x/y", "slash"), (1, "", "empty"), (-2, "é'", "quote")])
    with serving(clicks, pairs) as made:
        yield made


@pytest.fixture
async def client(services: Services) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app=create_app(services))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as made:
        yield made


async def ask(client: httpx.AsyncClient, name: str, **fields: Any) -> httpx.Response:
    return await client.post("/v1/stores/clicks/query", json={"type": name, **fields})


def error_of(response: httpx.Response) -> tuple[int, str, str]:
    error = response.json()["error"]
    return response.status_code, error["sqlstate"], error["message"]


async def test_each_partition_answers_with_its_position(client: httpx.AsyncClient) -> None:
    response = await ask(client, "sum", args={"column": "n"}, info=True)
    assert response.status_code == 200
    document = response.json()
    assert document.pop("elapsed_ms") >= 0
    partitions = document.pop("partitions")
    assert document == {"store": "clicks", "type": "sum", "position": {"events": {"0": 0}}}
    assert [each["partition"] for each in partitions] == [0, 1]
    assert sum(each["result"] for each in partitions) == 45
    for each in partitions:
        assert each.pop("info")[0].startswith("handled in MemoryPartition")
        assert {k: v for k, v in each.items() if k not in {"partition", "result"}} == {
            "store": "clicks",
            "node": "local",
            "status": "ok",
            "reason": None,
            "message": None,
            "epoch": 0,
            "rows": 0,
            "position": {"events": {"0": 0}},
        }


async def test_arguments_have_types_and_defaults(client: httpx.AsyncClient) -> None:
    for least in (7, "7"):
        response = await ask(client, "sum", args={"column": "n", "least": least})
        assert sum(each["result"] for each in response.json()["partitions"]) == 7 + 8 + 9


async def test_rows_come_with_their_columns(client: httpx.AsyncClient) -> None:
    partitions = (await ask(client, "mine")).json()["partitions"]
    assert {each["rows"] for each in partitions} == {len(p["result"]["rows"]) for p in partitions}
    assert partitions[0]["result"]["columns"] == [
        {"name": "usr", "type": "text"},
        {"name": "n", "type": "bigint"},
        {"name": "paid", "type": "decimal(9,2)"},
    ]
    rows = [tuple(row) for each in partitions for row in each["result"]["rows"]]
    assert sorted(rows) == ROWS


async def test_a_whole_key_is_a_list(client: httpx.AsyncClient) -> None:
    response = await ask(client, "one", args={"key": ["user-3"]}, partitions=[0, 1])
    assert {each["result"] for each in response.json()["partitions"]} == {None, 3}


async def test_only_the_named_partitions_are_queried(client: httpx.AsyncClient) -> None:
    response = await ask(client, "sum", args={"column": "n"}, partitions=[1])
    assert [each["partition"] for each in response.json()["partitions"]] == [1]
    assert (await ask(client, "mine", partitions=[])).json()["partitions"] == []


@pytest.mark.parametrize(
    ("fields", "status", "sqlstate", "said"),
    [
        ({"type": "nothing"}, 501, "0A000", 'answers no query "nothing"'),
        ({"type": "sum"}, 400, "22023", 'argument "column" is missing'),
        ({"type": "mine", "args": {"x": 1}}, 400, "22023", 'argument "x" does not exist'),
        ({"type": "sum", "args": {"column": 1}}, 400, "22P02", 'argument "column": a number'),
        ({"type": "one", "args": {"key": "a"}}, 400, "22023", "value for each key column: 1"),
        ({"type": "one", "args": {"key": [1, 2]}}, 400, "22023", "value for each key column: 1"),
        ({"type": "one", "args": {"key": ["refused"]}}, 400, "22023", "not that key"),
        ({"type": "mine", "partitions": [2]}, 400, "22023", "partition 2 of store"),
        ({"type": "mine", "partitions": [-1]}, 400, "08P01", 'field "partitions"'),
        ({"type": "mine", "partitions": [True]}, 400, "08P01", 'field "partitions"'),
        ({"type": "mine", "active": 1}, 400, "08P01", 'field "active"'),
        ({"type": "mine", "args": []}, 400, "08P01", 'field "args"'),
        ({"type": 1}, 400, "08P01", 'field "type"'),
        ({"type": "mine", "sql": ""}, 400, "08P01", 'field "sql" does not exist'),
        ({"type": "sum", "args": {"column": "broken"}}, 500, "58030", "ZeroDivisionError: mine"),
        ({"type": "mine", "bound": {"events": {"0": 1}}}, 503, "55S01", "is at offset 0"),
    ],
)
async def test_a_query_that_cannot_run_is_named(
    client: httpx.AsyncClient, fields: dict[str, Any], status: int, sqlstate: str, said: str
) -> None:
    found = error_of(await client.post("/v1/stores/clicks/query", json=fields))
    assert found[:2] == (status, sqlstate)
    assert said in found[2]


async def test_a_missing_store(client: httpx.AsyncClient) -> None:
    for response in (
        await client.post("/v1/stores/none/query", json={"type": "mine"}),
        await client.get("/v1/stores/none/a"),
    ):
        assert error_of(response)[1:] == ("42P01", 'store "none" does not exist')
    assert (await client.post("/v1/stores/clicks/query", content=b"{}")).status_code == 415


async def test_a_partial_answer_lists_failed_partitions(
    client: httpx.AsyncClient, clicks: LocalStore
) -> None:
    clicks.replicas[1].state = ReplicaState.RESTORING
    assert error_of(await ask(client, "mine"))[:2] == (503, "55S04")
    partitions = (await ask(client, "mine", partial=True)).json()["partitions"]
    assert [each["status"] for each in partitions] == ["ok", "failed"]
    assert (partitions[1]["reason"], partitions[1]["result"]) == ("NOT_UP_TO_BOUND", None)


async def test_a_wait_ends_when_the_bound_is_met(
    client: httpx.AsyncClient, clicks: LocalStore
) -> None:
    fill(clicks, [("late", 100, None)], epoch=1)
    bound = {"events": {"0": 1}}
    response = await ask(client, "sum", args={"column": "n"}, bound=bound, wait_ms=5000)
    assert sum(each["result"] for each in response.json()["partitions"]) == 145
    assert response.json()["position"] == bound


@pytest.mark.parametrize(("limit", "unit"), [("ROWS_MAX", "rows"), ("BYTES_MAX", "bytes")])
async def test_an_answer_has_a_limit(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, limit: str, unit: str
) -> None:
    monkeypatch.setattr(f"stategate.planner.running.answer_budget.{limit}", 9)
    response = await ask(client, "mine")
    assert error_of(response)[:2] == (400, "54000")
    assert response.json()["error"]["message"] == f"the answer has more than 9 {unit}"


# Lookups


async def look_up(client: httpx.AsyncClient, path: str) -> list[list[object]]:
    response = await client.get(f"/v1/stores/{path}")
    assert response.status_code == 200, response.text
    rows: list[list[object]] = response.json()["rows"]
    return rows


async def test_a_key_is_looked_up(client: httpx.AsyncClient) -> None:
    assert await look_up(client, "clicks/user-3") == [["user-3", 3, None]]
    assert await look_up(client, "clicks/nobody") == []
    assert await look_up(client, "clicks/query") == []
    assert await look_up(client, "clicks/a%0Ab%0A") == []
    document = (await client.get("/v1/stores/clicks/user-3?info=true")).json()
    assert [each["name"] for each in document["columns"]] == ["usr", "n", "paid"]
    assert len(document["partitions"]) == 1
    assert document["partitions"][0]["info"]


async def test_a_segment_for_each_key_column(client: httpx.AsyncClient) -> None:
    assert await look_up(client, "pa-irs.1/1/x%2Fy") == [[1, "x/y", "slash"]]
    assert await look_up(client, "pa-irs.1/1/") == [[1, "", "empty"]]
    assert await look_up(client, "pa-irs.1/-2/%C3%A9'") == [[-2, "é'", "quote"]]
    assert await look_up(client, "pa-irs.1/1/';%20--") == []


@pytest.mark.parametrize(
    ("path", "status", "sqlstate", "said"),
    [
        ("clicks/a/b", 400, "08P01", 'key columns of store "clicks" is 1, not 2'),
        ("pa-irs.1/1", 400, "08P01", 'key columns of store "pa-irs.1" is 2, not 1'),
        ("pa-irs.1/x/y", 400, "22P02", "invalid input syntax for type bigint"),
        ("clicks/%FF", 400, "08P01", "not UTF-8"),
        ("clicks/a?bound=x", 400, "22P02", "position"),
        ("clicks/a?wait_ms=x", 400, "08P01", 'field "wait_ms"'),
        ("clicks/a?sql=x", 400, "08P01", 'field "sql" does not exist'),
        ("clicks/a?info=true&info=true", 400, "08P01", 'field "info" is given twice'),
        ('clicks/a?bound={"events":{"0":9}}', 503, "55S01", "behind 9"),
    ],
)
async def test_a_lookup_that_cannot_be_made_is_named(
    client: httpx.AsyncClient, path: str, status: int, sqlstate: str, said: str
) -> None:
    found = error_of(await client.get(f"/v1/stores/{path}"))
    assert found[:2] == (status, sqlstate)
    assert said in found[2]


async def test_a_lookup_is_answered_in_any_format(client: httpx.AsyncClient) -> None:
    response = await client.get("/v1/stores/clicks/user-3", headers={"Accept": "text/csv"})
    assert response.text.splitlines() == ["usr,n,paid", "user-3,3,"]


async def test_no_store_is_unknown_before_the_log_is_read(
    services: Services, tmp_path: Path
) -> None:
    host = Host(str(tmp_path / "log"), poll_ms=60_000)
    engine = SqlEngine(host)
    opening = replace(
        services,
        engine=engine,
        require_missing=lambda name: require_missing(name, host),
        typed=TypedQueries(host),
    )
    transport = httpx.ASGITransport(app=create_app(opening))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        for response in (
            await client.get("/v1/stores/later"),
            await client.get("/v1/stores/later/key"),
            await client.post("/v1/stores/later/query", json={"type": "sum"}),
            await client.post("/v1/query", json={"sql": "SELECT * FROM later"}),
        ):
            assert error_of(response)[:2] == (503, "55S04")
            assert response.headers["Retry-After"] == "1"
        (tmp_path / "log").mkdir()
        host.start()
        missing = await client.get("/v1/stores/later")
        assert error_of(missing)[:2] == (404, "42P01")
    host.close()
    engine.close()


@pytest.mark.parametrize("clause", ["UNBOUNDED", "LATEST", "SNAPSHOT", "events[0] >= 0"])
async def test_no_clause_takes_a_monotonic_client_back(
    client: httpx.AsyncClient, clicks: LocalStore, clause: str
) -> None:
    """A request has no session before it, so that `bound` says what the client has seen."""
    for table in ("clicks", "clicks WHERE usr = 'user-3'"):
        body = {
            "sql": f"SELECT n FROM {table} WITH BOUND ({clause})",
            "consistency": "monotonic",
            "bound": {"events": {"0": 1}},
        }
        assert error_of(await client.post("/v1/query", json=body))[:2] == (503, "55S01")
    fill(clicks, ROWS, epoch=1)
    assert (await client.post("/v1/query", json=body)).json()["rows"] == [[3]]

"""Statements in a URL or as a text, named parameters, HEAD and OPTIONS, over real stores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pyarrow as pa
import pytest

from stategate.gateway.http.endpoint import Services
from stategate.gateway.settings import Settings
from tests.gateway.http.serving import serving
from tests.support.stores import fill, keyvalue, open_store

pytestmark = pytest.mark.anyio

CLICKS = keyvalue("clicks", {"usr": "text"}, {"n": "bigint"}, partitions=2)


@pytest.fixture
def services() -> Iterator[Services]:
    clicks = open_store(CLICKS)
    fill(clicks, [("ada", 1), ("bob", 2), (":ada", 3), ("null", None)])
    with serving(clicks, settings=Settings(parameters_max=3)) as made:
        yield made


async def rows_of(client: httpx.AsyncClient, **fields: Any) -> list[list[object]]:
    response = await client.get("/v1/query", params=fields)
    assert response.status_code == 200, response.text
    rows: list[list[object]] = response.json()["rows"]
    return rows


BY_NUMBER = "SELECT n FROM clicks WHERE usr = $1"
BY_NAME = "SELECT n FROM clicks WHERE usr = :key::text"


async def test_a_statement_in_a_url(client: httpx.AsyncClient) -> None:
    for _ in range(2):  # planned, then kept
        assert await rows_of(client, sql=BY_NUMBER, params='["bob"]') == [[2]]
        assert await rows_of(client, sql=BY_NUMBER, **{"param.1": "bob"}) == [[2]]
        assert await rows_of(client, sql=BY_NAME, **{"param.key": "bob"}) == [[2]]
        assert await rows_of(client, sql=BY_NAME, params='{"key": "bob"}') == [[2]]
        assert await rows_of(client, sql=BY_NAME, **{"param.key": ":ada"}) == [[3]]
        assert await rows_of(client, sql=BY_NAME, params='{"key": null}') == []
    assert await rows_of(client, sql="SELECT count(*) FROM clicks") == [[4]]


async def test_settings_in_a_url(client: httpx.AsyncClient) -> None:
    response = await client.get(
        "/v1/query", params={"sql": BY_NUMBER, "param.1": "bob", "info": "true"}
    )
    assert response.json()["partitions"][0]["info"]
    late = await client.get(
        "/v1/query",
        params={"sql": BY_NUMBER, "param.1": "bob", "bound": '{"events":{"0":9}}'},
    )
    assert (late.status_code, late.json()["error"]["sqlstate"]) == (503, "55S01")
    many = {"sql": "SELECT 1", "params": "[1,2,3,4]"}
    assert (await client.get("/v1/query", params=many)).json()["error"]["sqlstate"] == "54000"


@pytest.mark.parametrize("media_type", ["text/plain", "application/sql; charset=utf-8"])
async def test_a_statement_as_a_text(client: httpx.AsyncClient, media_type: str) -> None:
    response = await client.post(
        "/v1/query?format=csv&param.key=bob",
        content=BY_NAME,
        headers={"Content-Type": media_type},
    )
    assert (response.status_code, response.text) == (200, "n\r\n2\r\n")


async def test_named_parameters_in_json(client: httpx.AsyncClient) -> None:
    body = {"sql": BY_NAME, "params": {"key": "bob"}}
    for _ in range(2):
        assert (await client.post("/v1/query", json=body)).json()["rows"] == [[2]]
    wrong = {"sql": "SELECT :n::bigint", "params": {"n": "x"}}
    error = (await client.post("/v1/query", json=wrong)).json()["error"]
    assert error["message"].startswith("parameter :n: invalid input syntax")
    without: list[dict[str, Any]] = [{"params": {}}, {}, {"params": None}]
    for given in without:
        missing = {"sql": "SELECT :n::bigint", **given}
        error = (await client.post("/v1/query", json=missing)).json()["error"]
        assert (error["sqlstate"], error["position"]) == ("42P02", 8)
        assert error["message"] == 'parameter ":n" has no value'


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT ':n', 'a:n' -- :n",
        "SELECT 1 AS n, '2'::bigint :: text",
        "SELECT (ARRAY[1, 2])[1:n] FROM (VALUES (2)) AS v (n)",
        """SELECT 1 AS ":n\"""",
    ],
)
async def test_a_colon_is_not_always_a_parameter(client: httpx.AsyncClient, sql: str) -> None:
    answer = await client.post("/v1/query", json={"sql": sql})
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("json", "application/json"),
        ("ndjson", "application/x-ndjson"),
        ("csv", "text/csv; charset=utf-8"),
        ("tsv", "text/tab-separated-values; charset=utf-8"),
        ("arrow", "application/vnd.apache.arrow.stream"),
        ("parquet", "application/vnd.apache.parquet"),
        ("table", "text/plain; charset=utf-8"),
    ],
)
async def test_a_format_by_name(client: httpx.AsyncClient, name: str, media_type: str) -> None:
    for sql in ("SELECT usr, n FROM clicks WHERE usr = 'ada'", "SELECT usr, n FROM clicks"):
        responses = [
            await client.get("/v1/query", params={"sql": sql, "format": name}),
            await client.post("/v1/query", json={"sql": sql, "format": name}),
            await client.get("/v1/query", params={"sql": sql}, headers={"Accept": media_type}),
        ]
        assert {each.headers["content-type"] for each in responses} == {media_type}
        assert all(each.content for each in responses)
    lookup = await client.get(f"/v1/stores/clicks/ada?format={name}")
    assert lookup.headers["content-type"] == media_type


@pytest.mark.parametrize(
    "query", ["locate", "locate=", "locate&format=json", "format=JSON&locate=", "locate&wait_ms=5"]
)
async def test_where_a_key_is(client: httpx.AsyncClient, query: str) -> None:
    answer = await client.get(f"/v1/stores/clicks/ada?{query}")
    assert answer.status_code == 200, answer.text
    assert answer.json().keys() == {"store", "partition", "replicas"}


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("locate=no", 'field "locate" must be empty'),
        ("locate&format=csv", 'field "format" must be json beside locate'),
        ("locate&locate", 'field "locate" is given twice'),
        ("locate&n=1", 'field "n" does not exist'),
    ],
)
async def test_where_a_key_is_cannot_be_said(
    client: httpx.AsyncClient, query: str, message: str
) -> None:
    answer = await client.get(f"/v1/stores/clicks/ada?{query}")
    assert (answer.status_code, answer.json()["error"]["message"]) == (400, message)


async def test_arrow_of_a_url_is_read_back(client: httpx.AsyncClient) -> None:
    sql = "SELECT usr, n FROM clicks ORDER BY usr"
    response = await client.get("/v1/query", params={"sql": sql, "format": "arrow"})
    table = pa.ipc.open_stream(response.content).read_all()
    assert table.column("n").to_pylist() == [3, 1, 2, None]


async def test_head_has_the_headers_of_get(client: httpx.AsyncClient) -> None:
    for sql, status in (
        ("SELECT n FROM clicks WHERE usr = 'ada'", 200),
        ("SELECT * FROM clicks", 200),
        ("SELECT nothing", 400),
    ):
        got = await client.get("/v1/query", params={"sql": sql})
        head = await client.head("/v1/query", params={"sql": sql})
        assert got.status_code == head.status_code == status
        assert got.headers["content-type"] == head.headers["content-type"]
    assert (await client.head("/v1/stores/clicks/ada")).status_code == 200
    assert (await client.head("/healthz")).status_code == 200


@pytest.mark.parametrize(
    ("path", "allow"),
    [
        ("/v1/query", "GET, HEAD, OPTIONS, POST"),
        ("/v1/stores", "GET, HEAD, OPTIONS"),
        ("/v1/stores/clicks/query", "OPTIONS, POST"),
        ("/healthz", "GET, HEAD, OPTIONS"),
    ],
)
async def test_options_lists_the_methods(client: httpx.AsyncClient, path: str, allow: str) -> None:
    response = await client.request("OPTIONS", path)
    assert (response.status_code, response.headers["allow"]) == (204, allow)
    refused = await client.request("DELETE", path)
    assert (refused.status_code, refused.headers["allow"]) == (405, allow)

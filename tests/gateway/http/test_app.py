"""The application as a client sees it: answers, every error in one shape, readiness."""

from __future__ import annotations

import json
from dataclasses import replace

import httpx
import pyarrow as pa
import pytest

from stategate.gateway.http.app import create_app
from stategate.gateway.http.endpoint import Services
from tests.support.fake_engine import SECRET, FakeEngine

pytestmark = pytest.mark.anyio


async def ask(client: httpx.AsyncClient, sql: str, **fields: object) -> httpx.Response:
    return await client.post("/v1/query", json={"sql": sql, **fields})


async def test_a_query_is_answered(client: httpx.AsyncClient) -> None:
    response = await ask(client, "SELECT $1::bigint, $2::timestamptz", params=[5, "1970-01-01"])
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    document = response.json()
    assert document.pop("elapsed_ms") >= 0
    assert document == {
        "columns": [
            {"name": "bigint", "type": "bigint"},
            {"name": "timestamptz", "type": "timestamptz"},
        ],
        "rows": [[5, "1970-01-01T00:00:00Z"]],
        "position": {"events": {"0": 41}},
        "partitions": [
            {
                "store": "clicks",
                "partition": 0,
                "node": "local",
                "status": "ok",
                "reason": None,
                "message": None,
                "epoch": 7,
                "rows": 1,
                "info": [],
            }
        ],
    }


async def test_a_short_statement_runs_on_the_loop_once_its_text_is_known(
    client: httpx.AsyncClient, engine: FakeEngine
) -> None:
    for recalls in (False, True, True):
        engine.recalls = recalls
        response = await ask(client, "SELECT v FROM kv WHERE k = 1")
        assert response.json()["rows"] == [["value-1"]]
    assert engine.executed_in[0].startswith("statement")
    assert engine.executed_in[1:] == ["MainThread", "MainThread"]


async def test_a_long_statement_never_runs_on_the_loop(
    client: httpx.AsyncClient, engine: FakeEngine
) -> None:
    for _ in range(3):
        assert len((await ask(client, "SELECT n, name FROM series(5)")).json()["rows"]) == 5
    assert all(name.startswith("statement") for name in engine.executed_in)
    assert engine.opened == engine.closed == 3


async def test_fields_reach_the_session(client: httpx.AsyncClient) -> None:
    response = await ask(client, "SHOW ALL", wait_ms=5, consistency="latest")
    assert response.json()["rows"] == [
        ["stategate.consistency", "latest"],
        ["stategate.wait", "5ms"],
    ]


@pytest.mark.parametrize("sql", ["SELECT 1;", " SELECT 1 ; ", "SELECT 1;;", ";SELECT 1"])
async def test_semicolons_around_one_statement_are_accepted(
    client: httpx.AsyncClient, sql: str
) -> None:
    assert (await ask(client, sql)).json()["rows"] == [[1]]


async def test_an_error_position_counts_in_the_text_as_sent(client: httpx.AsyncClient) -> None:
    for sql in ("SELEKT 1", "   SELEKT 1;", ";  SELEKT 1;"):
        response = await ask(client, sql)
        assert response.json()["error"]["position"] == sql.index("SELEKT") + 1


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        ("application/x-ndjson", "application/x-ndjson"),
        ("text/csv", "text/csv; charset=utf-8"),
        ("application/vnd.apache.arrow.stream", "application/vnd.apache.arrow.stream"),
    ],
)
@pytest.mark.parametrize("sql", ["SELECT 1", "SELECT n, name FROM series(1)"])
async def test_the_accept_header_chooses_the_format(
    client: httpx.AsyncClient, accept: str, media_type: str, sql: str
) -> None:
    response = await client.post("/v1/query", json={"sql": sql}, headers={"Accept": accept})
    assert (response.status_code, response.headers["content-type"]) == (200, media_type)
    assert response.content


async def test_a_large_result_is_whole_in_each_format(client: httpx.AsyncClient) -> None:
    rows = 12_345
    sql = {"sql": f"SELECT n, name FROM series({rows})"}
    document = (await client.post("/v1/query", json=sql)).json()
    assert document["rows"] == [[n, f"row {n}"] for n in range(rows)]
    assert document["position"] == {"events": {"0": 41}}
    accept = {"Accept": "application/vnd.apache.arrow.stream"}
    arrow = await client.post("/v1/query", json=sql, headers=accept)
    assert pa.ipc.open_stream(arrow.content).read_all().num_rows == rows
    csv = await client.post("/v1/query", json=sql, headers={"Accept": "text/csv"})
    assert csv.text.count("\r\n") == rows + 1


async def test_head_reads_no_rows_beyond_the_first(
    client: httpx.AsyncClient, engine: FakeEngine
) -> None:
    response = await client.head("/v1/query?sql=SELECT n, name FROM series(1000000)")
    assert (response.status_code, response.content) == (200, b"")
    assert response.headers["content-type"] == "application/json"
    assert engine.opened == engine.closed == 1
    assert engine.batches_made < 5
    failed = await client.head("/v1/query?sql=SELECT fail('55S01')")
    assert failed.status_code == 503


# --- errors -------------------------------------------------------------------------------------

JSON_TYPE = {"Content-Type": "application/json"}


def asking(sql: str) -> bytes:
    return json.dumps({"sql": sql}).encode()


ERRORS: list[tuple[str, str, dict[str, str], bytes | None, int, str]] = [
    ("GET", "/nowhere", {}, None, 404, "08P01"),
    ("GET", "/v1/stores/", {}, None, 404, "08P01"),
    ("GET", "/v1/stores/nothing", {}, None, 404, "42P01"),
    ("GET", "/v1/query", {}, None, 400, "08P01"),
    ("PUT", "/v1/query", {}, None, 405, "08P01"),
    ("POST", "/healthz", {}, None, 405, "08P01"),
    ("POST", "/v1/query", {}, b'{"sql": "SELECT 1"}', 415, "08P01"),
    ("POST", "/v1/query", {"Content-Type": "text/html"}, b"{}", 415, "08P01"),
    ("POST", "/v1/query", {"Content-Type": "text/plain"}, b"{}", 400, "42601"),
    ("POST", "/v1/query", {"Content-Type": "text/plain"}, b"\xff", 400, "08P01"),
    ("POST", "/v1/query?info=true", JSON_TYPE, b'{"sql": "SELECT 1"}', 400, "08P01"),
    (
        "POST",
        "/v1/query",
        {**JSON_TYPE, "Accept": "image/png"},
        b'{"sql": "SELECT 1"}',
        406,
        "08P01",
    ),
    ("POST", "/v1/query", JSON_TYPE, b'{"sql": "SELECT 1", "format": "xml"}', 400, "08P01"),
    ("GET", "/v1/query?sql=SELECT%201&format=xml", {}, None, 400, "08P01"),
    ("GET", "/v1/query?sql=SELECT%201&sql=x", {}, None, 400, "08P01"),
    ("GET", "/v1/query?sql=SELECT%201&nope=1", {}, None, 400, "08P01"),
    ("GET", "/v1/query?sql=%FF", {}, None, 400, "08P01"),
    ("GET", "/v1/query?sql=SELECT%201&params=x", {}, None, 400, "08P01"),
    ("GET", "/v1/query?sql=SELECT%201", {"Accept-Encoding": "*;q=0"}, None, 406, "08P01"),
    ("GET", "/v1/query?sql=SELECT%20:a::bigint&param.b=1", {}, None, 400, "42P02"),
    ("GET", "/v1/query?sql=SELECT%20:a::bigint&param.a=1&param.b=1", {}, None, 400, "08P01"),
    ("GET", "/v1/query?sql=SELECT%20:a::bigint&param.a=x", {}, None, 400, "22P02"),
    ("POST", "/v1/query", JSON_TYPE, b"", 400, "08P01"),
    ("POST", "/v1/query", JSON_TYPE, b"[]", 400, "08P01"),
    ("POST", "/v1/query", JSON_TYPE, b'{"sqll": 1}', 400, "08P01"),
    ("POST", "/v1/query", JSON_TYPE, b'{"sql": "' + b"x" * (1 << 20) + b'"}', 413, "54000"),
    ("POST", "/v1/query", JSON_TYPE, b'{"sql": ""}', 400, "42601"),
    ("POST", "/v1/query", JSON_TYPE, b'{"sql": " ; ; "}', 400, "42601"),
    ("POST", "/v1/query", JSON_TYPE, b'{"sql": "SELEKT"}', 400, "42601"),
    ("POST", "/v1/query", JSON_TYPE, b'{"sql": "SELECT 1; SELECT 1"}', 400, "42601"),
    ("POST", "/v1/query", JSON_TYPE, b'{"sql": "SET a = 1"}', 501, "0A000"),
    ("POST", "/v1/query", JSON_TYPE, b'{"sql": "SELECT $1::bigint"}', 400, "08P01"),
    (
        "POST",
        "/v1/query",
        JSON_TYPE,
        b'{"sql": "SELECT $1::bigint", "params": ["x"]}',
        400,
        "22P02",
    ),
    ("POST", "/v1/query", JSON_TYPE, asking("SELECT fail('42P01')"), 400, "42P01"),
    ("POST", "/v1/query", JSON_TYPE, asking("SELECT fail('55S01')"), 503, "55S01"),
    ("POST", "/v1/query", JSON_TYPE, asking("SELECT fail('57014')"), 504, "57014"),
    ("POST", "/v1/query", JSON_TYPE, asking("SELECT bug()"), 500, "XX000"),
    (
        "POST",
        "/v1/query",
        JSON_TYPE,
        asking("SELECT n, name FROM broken(0, '55S01')"),
        503,
        "55S01",
    ),
    ("POST", "/v1/query", JSON_TYPE, asking("SELECT n, name FROM buggy(0)"), 500, "XX000"),
]


@pytest.mark.parametrize(("method", "path", "headers", "body", "status", "sqlstate"), ERRORS)
async def test_every_error_has_one_shape(
    client: httpx.AsyncClient,
    method: str,
    path: str,
    headers: dict[str, str],
    body: bytes | None,
    status: int,
    sqlstate: str,
) -> None:
    response = await client.request(method, path, headers=headers, content=body)
    assert response.status_code == status
    assert response.headers["content-type"] == "application/json"
    document = response.json()
    assert list(document) == ["error"]
    error = document["error"]
    assert list(error) == ["message", "sqlstate", "detail", "hint", "position", "retryable"]
    assert error["sqlstate"] == sqlstate
    assert isinstance(error["message"], str)
    assert not error["message"].endswith(".")
    assert error["retryable"] is (status == 503)
    assert ("retry-after" in response.headers) == (status == 503)
    assert SECRET not in response.text
    if status == 405:
        assert response.headers["allow"]


async def test_an_error_after_the_first_row_ends_the_document(client: httpx.AsyncClient) -> None:
    response = await ask(client, "SELECT n, name FROM broken(3, '55S01')")
    assert response.status_code == 200
    document = response.json()
    assert len(document["rows"]) == 3
    assert document["error"]["sqlstate"] == "55S01"
    assert "position" not in document


async def test_an_unexpected_error_after_the_first_row_is_not_sent(
    client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    response = await ask(client, "SELECT n, name FROM buggy(3)")
    assert response.json()["error"]["message"] == "internal error"
    assert SECRET in caplog.text
    asked = "statement='SELECT n, name FROM buggy(?)' user='stategate' client=127.0.0.1:"
    assert asked in caplog.text


# --- catalog and health -------------------------------------------------------------------------


async def test_stores_are_listed_without_their_replicas(client: httpx.AsyncClient) -> None:
    response = await client.get("/v1/stores")
    assert response.json()["stores"] == [{"name": "clicks", "kind": "keyvalue"}]


async def test_the_stores_come_with_the_addresses_of_the_gateway(services: Services) -> None:
    for listens in (None, "[::1]:7432"):
        app = create_app(replace(services, wire_address=lambda given=listens: given))  # type: ignore[misc]
        base_url = "http://localhost:7420"
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url=base_url
        ) as client:
            answer = (await client.get("/v1/stores")).json()
        assert answer["addresses"] == {"http": "localhost:7420", "postgres": listens}


async def test_a_store_is_shown_with_its_replicas(client: httpx.AsyncClient) -> None:
    response = await client.get("/v1/stores/clicks")
    assert response.json()["replicas"] == [{"partition": 0, "state": "running"}]


async def test_a_hint_is_passed_on(services: Services) -> None:
    told: list[str] = []

    async def notify(store: str) -> None:
        told.append(store)

    transport = httpx.ASGITransport(create_app(replace(services, notify=notify)))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        answer = await client.post("/v1/stores/a%20b/notify")
    assert (answer.status_code, answer.json(), told) == (202, {"status": "accepted"}, ["a b"])


async def test_a_ready_gateway_says_so(client: httpx.AsyncClient) -> None:
    assert (await client.get("/healthz")).json() == {"status": "ok"}
    assert (await client.get("/readyz")).json() == {"status": "ready"}


async def test_a_gateway_that_is_not_ready_says_why_and_is_live(services: Services) -> None:
    reasons = [f"clicks[{n}] is restoring" for n in range(25)]
    app = create_app(replace(services, not_ready=lambda: reasons))
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        assert (await client.get("/healthz")).status_code == 200
        response = await client.get("/readyz")
    assert response.status_code == 503
    assert response.headers["retry-after"] == "1"
    error = response.json()["error"]
    assert error["sqlstate"] == "55S04"
    assert error["detail"].startswith("clicks[0] is restoring; ")
    assert error["detail"].endswith("; and 5 more")


async def test_an_unexpected_error_of_the_catalog_has_the_same_shape(services: Services) -> None:
    def fail() -> list[dict[str, object]]:
        raise ZeroDivisionError(SECRET)

    app = create_app(replace(services, describe_stores=fail))
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        response = await client.get("/v1/stores")
    assert response.status_code == 500
    assert response.json()["error"]["message"] == "internal error"

"""Statements of both protocols reach a collector, in the traces of their clients."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import closing
from urllib.parse import urlencode

import httpx
import psycopg
import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from websockets.sync.client import connect as connect_socket

from stategate.gateway.errors import SettingsError
from stategate.gateway.http.app import create_app
from stategate.gateway.http.at_once import AtOnce
from stategate.gateway.http.endpoint import Services
from stategate.gateway.settings import Settings
from stategate.gateway.statement_threads import StatementThreads
from stategate.gateway.statement_traces import Traces, open_traces
from stategate.planner.engine import Engine, Session
from stategate.planner.sql import SqlEngine
from stategate.planner.typed import TypedQueries
from stategate.stores.hosting.local_store import LocalStore
from tests.gateway.client.serving import http_serving
from tests.gateway.pgwire.serving import HOST, serving
from tests.gateway.tracing.collector import Collector, collecting
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store
from tests.support.waiting import WAIT_S

pytestmark = pytest.mark.anyio

AGES = keyvalue("ages", {"name": "text"}, {"age": "bigint"}, partitions=3)
TRACE_ID, PARENT_ID = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
PARENT = f"00-{TRACE_ID}-{PARENT_ID}-01"
TAGGED = f"/*traceparent='{PARENT}'*/"
LOOKUP = "SELECT age FROM ages WHERE name = "


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    with collecting() as found:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", found.url)
        monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
        yield found


@pytest.fixture
def traces(collector: Collector) -> Iterator[Traces]:
    del collector
    made = open_traces(Settings(traces="otlp", node="n1"))
    assert made is not None
    yield made
    made.close()


def ages() -> LocalStore:
    store = open_store(AGES)
    fill(store, [(f"n{number}", number) for number in range(9)])
    return store


@pytest.fixture
def engine(traces: Traces) -> Iterator[Engine]:
    inner = SqlEngine(FixedCatalog(ages()), node="n1", watch_look_up=traces.watch_look_up)
    with closing(inner):
        yield traces.engine(inner)


@pytest.fixture
def services(traces: Traces, engine: Engine) -> Iterator[Services]:
    threads = StatementThreads(count=2, queue_max=8)
    yield Services(
        engine=engine,
        threads=threads,
        settings=Settings(),
        describe_stores=list,
        not_ready=list,
        typed=TypedQueries(FixedCatalog(ages()), watch_ask=traces.watch_ask),
        trace_of=traces.trace_of,
    )
    threads.close()


def roots(collector: Collector) -> list[Span]:
    return [span for span in collector.spans() if not span.name.startswith("partition ")]


def parents(collector: Collector) -> list[tuple[str, str]]:
    return [(each.trace_id.hex(), each.parent_span_id.hex()) for each in roots(collector)]


async def test_statements_over_http_belong_to_the_trace_of_their_header(
    collector: Collector, traces: Traces, services: Services
) -> None:
    bodies: list[dict[str, object]] = [
        {"sql": LOOKUP + "$1", "params": ["n1"]},
        {"sql": LOOKUP + "$1", "params": ["n2"]},
        {"sql": "SELECT name, count(*) FROM ages GROUP BY name"},
        {"sql": "SELECT * FROM ages", "page_rows": 4},
        {"sql": "SELECT nothing FROM ages"},
    ]
    headers = {"traceparent": PARENT}
    transport = httpx.ASGITransport(app=create_app(services))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        for body in bodies:
            await client.post("/v1/query", json=body, headers=headers)
        batch = {"sql": LOOKUP + "$1", "params": [["n1"], ["n3"]]}
        await client.post("/v1/batch", json=batch, headers=headers)
        for typed in ({"type": "key", "args": {"key": ["n1"]}}, {"type": "range"}):
            await client.post("/v1/stores/ages/query", json=typed, headers=headers)
        await client.post("/v1/query", json=bodies[0])
    at_once = AtOnce(services)
    names = [(name.encode(), value.encode()) for name, value in headers.items()]
    assert at_once.head(names, client=None, secured=False).is_special
    assert not at_once.head([], client=None, secured=False).is_special
    traces.close()
    assert set(collector.paths) == {"/v1/traces"}
    *first, last = parents(collector)
    assert first == [(TRACE_ID, PARENT_ID)] * 8
    assert last[0] != TRACE_ID
    assert last[1] == ""
    assert sum(each.status.code == 2 for each in roots(collector)) == 1
    assert collector.resource() == {
        **collector.resource(),
        "service.name": "stategate",
        "stategate.node": "n1",
        "deployment.environment.name": "test",
    }


def test_subscriptions_over_http_belong_to_the_trace_of_their_header(
    collector: Collector, traces: Traces, services: Services
) -> None:
    query = urlencode({"sql": "SELECT * FROM ages"})
    headers = {"traceparent": PARENT}
    with http_serving(services) as url:
        with httpx.stream("GET", f"{url}/v1/subscribe?{query}", headers=headers) as answer:
            assert next(answer.iter_raw()).startswith(b"event: columns")
        address = f"ws{url.removeprefix('http')}/v1/subscribe?{query}"
        with connect_socket(address, proxy=None, additional_headers=headers) as socket:
            assert "columns" in str(socket.recv(timeout=WAIT_S))
    traces.close()
    assert parents(collector) == [(TRACE_ID, PARENT_ID)] * 2
    assert {span.name for span in collector.spans()} == {"SUBSCRIBE ages"}


def test_statements_on_the_wire_belong_to_the_trace_of_their_comment(
    collector: Collector, traces: Traces, engine: Engine
) -> None:
    with (
        serving(other=engine) as served,
        psycopg.connect(
            host=HOST, port=served.port, user="joe", dbname="db", autocommit=True
        ) as client,
    ):
        for number in range(3):
            # The simple protocol, then the extended one, both by the same texts.
            client.execute(f"{LOOKUP}'n{number}' {TAGGED}".encode())
            client.execute(f"{LOOKUP}%s {TAGGED}", ("n4",), prepare=False)
        client.execute(f"SELECT name FROM ages {TAGGED};")
        next(client.cursor().stream(f"SUBSCRIBE (SELECT * FROM ages) {TAGGED}"))
        client.cancel_safe(timeout=WAIT_S)
        client.execute(f"{LOOKUP}'n5'")
    traces.close()
    *tagged, plain = parents(collector)
    assert tagged == [(TRACE_ID, PARENT_ID)] * 8
    assert plain[0] != TRACE_ID
    names = [span.name for span in collector.spans()]
    assert names.count("SELECT ages") == 8
    assert names.count("SUBSCRIBE ages") == 1
    assert names.count("partition ages") == 7 + 3


def test_the_end_does_not_wait_for_a_collector_that_is_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr("stategate.gateway.tracing.export.CLOSE_S", 0.05)
    traces = open_traces(Settings(traces="otlp"))
    assert traces is not None
    store = open_store(AGES)
    inner = SqlEngine(FixedCatalog(store), watch_look_up=traces.watch_look_up)
    with closing(inner):
        session = Session()
        look_up = traces.engine(inner).prepare(LOOKUP + "'n1'", session).look_up
        assert look_up is not None
        assert look_up((), session) is not None
    began_s = time.monotonic()
    traces.close()
    assert time.monotonic() - began_s < 5.0


def test_without_traces_nothing_is_opened() -> None:
    assert open_traces(Settings()) is None
    with pytest.raises(SettingsError, match="traces"):
        Settings(traces="yes")


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = "opentelemetry.exporter.otlp.proto.http.trace_exporter"
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.delitem(sys.modules, "stategate.gateway.tracing.export", raising=False)
    with pytest.raises(SettingsError) as caught:
        open_traces(Settings(traces="otlp"))
    assert "opentelemetry" in caught.value.message
    assert caught.value.hint == "Install it: pip install 'stategate[otel]'."

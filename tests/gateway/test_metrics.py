"""What Prometheus is told: true, complete, in its formats, and whatever else goes wrong."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import re
import threading
import time
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import Final, TypeAlias

import httpx
import psycopg
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.openmetrics import exposition as openmetrics_exposition
from prometheus_client.openmetrics import parser as openmetrics_parser
from prometheus_client.parser import text_string_to_metric_families
from starlette.routing import Route

from gateway.access import Access
from gateway.app import create_app
from gateway.committed_epochs import LOG_FRESH_S, CommittedEpochs
from gateway.metrics import Family, Metrics, Node, label_text
from gateway.routes import Services
from gateway.workers import Workers
from planner.errors import LimitExceeded
from stores.errors import FailureReason, LogError
from stores.host import Host, HostState
from stores.layers import Metrics as StoreMetrics
from stores.layers import MetricsReading
from stores.log import StoreWriter
from stores.position import EMPTY, Position, PositionBound, Progress
from stores.query import KeyQuery, RangeQuery
from stores.result import Failure, Success
from stores.schema import TIMESTAMPTZ
from stores.store import PartitionStatus, ReplicaState, Role, in_store
from tests.gateway.credentials import PASSWORD, USER, access_of, make_users
from tests.support.gateway import Gateway
from tests.support.stores import keyvalue, window
from tests.support.waiting import WAIT_S

pytestmark = pytest.mark.anyio

OPENMETRICS: Final = "application/openmetrics-text; version=1.0.0"
CLICKS = keyvalue("clicks", {"usr": "text"}, {"n": "bigint"}, partitions=2)
HOURS = window("hours", {"usr": "text"}, {"n": "bigint"}, partitions=1, retention_ms=3_600_000)

Samples: TypeAlias = dict[tuple[str, frozenset[tuple[str, str]]], float]


def samples_in(families: Iterable[Metric]) -> Samples:
    found: Samples = {}
    for family in families:
        for sample in family.samples:
            which = (sample.name, frozenset(sample.labels.items()))
            assert which not in found, f"{which} is told twice"
            found[which] = sample.value
    return found


def read_text(body: bytes) -> Samples:
    return samples_in(text_string_to_metric_families(body.decode()))


def read_openmetrics(body: bytes) -> Samples:
    parse = openmetrics_parser.text_string_to_metric_families
    return samples_in(parse(body.decode()))  # type: ignore[no-untyped-call]  # the library's


def value(found: Samples, name: str, **labels: str) -> float | None:
    return found.get((f"stategate_{name}", frozenset(labels.items())))


def labelled(found: Samples, name: str, label: str) -> dict[str, float]:
    """The values of a metric by one of its labels."""
    return {
        dict(labels)[label]: number
        for (each, labels), number in found.items()
        if each == f"stategate_{name}"
    }


class FakeStore:
    """A store that has what a test gives it; its log may fail, or hang until it is let go."""

    def __init__(self, *statuses: PartitionStatus, committed: int = -1) -> None:
        self.held = {status.partition: status for status in statuses}
        self.counts = StoreMetrics()
        self.committed = committed
        self.failure: Exception | None = None
        self.gate: threading.Event | None = None
        self.reads = 0

    def committed_epoch(self) -> int:
        self.reads += 1
        if self.gate is not None:
            assert self.gate.wait(WAIT_S)
        if self.failure is not None:
            raise self.failure
        return self.committed


class FakeNode:
    """A host of such stores, which come and go as a test wants."""

    def __init__(self, **stores: FakeStore) -> None:
        self.stores: Mapping[str, FakeStore] = stores
        self.state: Enum = HostState.RUNNING
        self.error: str | None = None
        self._all = dict(stores)

    def hold(self, **stores: FakeStore) -> None:
        self._all |= stores
        self.stores = stores

    def statuses(self) -> dict[str, dict[int, PartitionStatus]]:
        return {name: dict(store.held) for name, store in self.stores.items()}

    def metrics(self) -> dict[str, MetricsReading]:
        # As a host does: also of stores that are gone.
        return {name: store.counts.read() for name, store in self._all.items()}


def running(partition: int = 0, *, epoch: int = 7) -> PartitionStatus:
    return PartitionStatus(
        partition=partition,
        role=Role.ACTIVE,
        state=ReplicaState.RUNNING,
        progress=Progress(epoch=epoch, committed_ms=1_700_000_000_250),
    )


@pytest.fixture
def make(workers: Workers) -> Iterator[Callable[[Node], Metrics]]:
    """Makes metrics of a node, and closes them."""
    with contextlib.ExitStack() as closing:

        def make_metrics(node: Node) -> Metrics:
            made = Metrics(node, workers=workers, epochs=CommittedEpochs(wait_s=0.2))
            closing.callback(made.close)
            return made

        yield make_metrics


Make: TypeAlias = Callable[[Node], Metrics]


def told(metrics: Metrics) -> Samples:
    return read_text(metrics.text("")[0])


@contextlib.asynccontextmanager
async def asking(
    services: Services, metrics: Metrics | None, access: Access | None = None
) -> AsyncIterator[httpx.AsyncClient]:
    app = create_app(replace(services, metrics=metrics), access=access)
    transport = httpx.ASGITransport(app=app, client=("127.0.0.1", 50_000))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as made:
        yield made


# --- values --------------------------------------------------------------------------------------


def clicks_log(root: Path) -> None:
    rows = pa.table({"usr": [f"u{i}" for i in range(10)], "n": [1] * 10})
    StoreWriter(root, CLICKS).write(
        rows, position=Position.of({"events": {0: 41}}), committed_ms=1_700_000_000_250
    )


@contextlib.contextmanager
def following(root: Path, data: Path, *stores: str) -> Iterator[Host]:
    """A host that has applied all there is of these stores."""
    with contextlib.closing(Host(str(root), data, poll_ms=2)) as host:
        host.start()
        for name in stores:
            store = host.stores[name]
            for partition in range(store.schema.partitions):
                assert store.wait(partition, PositionBound.at_latest(), timeout_s=WAIT_S)
        yield host


def test_queries_are_told_as_the_host_counts_them(tmp_path: Path, make: Make) -> None:
    clicks_log(tmp_path / "log")
    with following(tmp_path / "log", tmp_path / "data", "clicks") as host:
        for _ in range(3):
            host.query(in_store("clicks").with_query(KeyQuery.with_key("u1")))
        for result in host.query(in_store("clicks").with_query(RangeQuery())).partitions.values():
            for _batch in result.value:
                pass
        absent = in_store("clicks").with_query(KeyQuery.with_key("u1")).with_partitions({7})
        host.query(absent)
        found, counted = told(make(host)), host.metrics()["clicks"]
    assert labelled(found, "store_queries_total", "type") == {"KeyQuery": 7, "RangeQuery": 2}
    assert labelled(found, "store_queries_total", "type") == counted.queries
    failures = labelled(found, "store_query_failures_total", "reason")
    assert failures == {reason.value: n for reason, n in counted.failures.items()}
    assert failures["DOES_NOT_EXIST"] == 1
    assert sum(failures.values()) == 1
    assert value(found, "store_rows_total", store="clicks") == counted.rows == 3 + 10
    assert value(found, "store_query_seconds_count", store="clicks") == 9
    assert value(found, "store_query_seconds_sum", store="clicks") == counted.time_ns / 1e9


def buckets(found: Samples) -> dict[float, float]:
    told = labelled(found, "store_query_seconds_bucket", "le")
    return {float(bound): count for bound, count in told.items()}


@given(st.lists(st.integers(0, 10**11) | st.builds(lambda n: 1 << n, st.integers(0, 40))))
def test_buckets_hold_exactly_what_their_bounds_say(times_ns: list[int]) -> None:
    store = FakeStore()
    answer = Success(value=None, position=EMPTY, epoch=0)
    for each in times_ns:
        store.counts.count_query(KeyQuery, each, answer)
    workers = Workers(threads=1, queue_max=0)
    metrics = Metrics(FakeNode(clicks=store), workers=workers)
    try:
        found = told(metrics)
    finally:
        metrics.close()
        workers.close()
    bounds = buckets(found)
    assert list(bounds) == sorted(bounds)
    assert len(bounds) == len(store.counts.read().time_counts)
    assert bounds.pop(math.inf) == len(times_ns)
    for bound_s, count in bounds.items():
        assert count == sum(each <= round(bound_s * 1e9) for each in times_ns)
    assert value(found, "store_query_seconds_count", store="clicks") == len(times_ns)
    assert value(found, "store_query_seconds_sum", store="clicks") == sum(times_ns) / 1e9


def test_a_replica_as_it_stands(tmp_path: Path, make: Make) -> None:
    hour_us = 3_600_000_000
    starts = pa.array([hour_us, 0, 3 * hour_us], TIMESTAMPTZ.arrow)
    ends = pa.array([2 * hour_us, hour_us, 4 * hour_us], TIMESTAMPTZ.arrow)
    StoreWriter(tmp_path / "log", HOURS).write(
        pa.table({"usr": ["a"] * 3, "window_start": starts, "window_end": ends, "n": [1, 2, 3]}),
        position=Position.of({"events": {0: 41}}),
        watermark_ms=7_200_500,
        committed_ms=1_700_000_000_250,
    )
    with following(tmp_path / "log", tmp_path / "data", "hours") as host:
        host.demote("hours", 0)
        found = told(make(host))
    which = {"store": "hours", "partition": "0"}
    assert value(found, "replica_epoch", **which) == 0
    assert value(found, "store_committed_epoch", store="hours") == 0
    assert labelled(found, "replica_state", "state") == {"restoring": 0, "running": 1, "closed": 0}
    assert value(found, "replica_active", **which) == 0
    assert value(found, "replica_error", **which) == 0
    assert value(found, "replica_late_rows_total", **which) == 2
    assert value(found, "replica_committed_timestamp_seconds", **which) == 1_700_000_000.25
    assert value(found, "replica_watermark_timestamp_seconds", **which) == 7200.5


def test_what_a_replica_does_not_know_is_absent(make: Make) -> None:
    new = PartitionStatus(
        partition=1, role=Role.ACTIVE, state=ReplicaState.RESTORING, progress=Progress()
    )
    found = told(make(FakeNode(clicks=FakeStore(running(), new))))
    first, second = ({"store": "clicks", "partition": each} for each in "01")
    assert value(found, "replica_active", **first) == value(found, "replica_active", **second) == 1
    assert value(found, "replica_epoch", **second) == -1
    assert value(found, "replica_state", **second, state="restoring") == 1
    assert value(found, "replica_state", **first, state="restoring") == 0
    assert value(found, "replica_committed_timestamp_seconds", **first) is not None
    for name in ("committed", "watermark"):
        assert value(found, f"replica_{name}_timestamp_seconds", **second) is None


@pytest.mark.parametrize(
    ("state", "error", "status", "ready"),
    [
        (HostState.RUNNING, None, running(), 1),
        (HostState.RESTORING, None, running(), 0),
        (HostState.RUNNING, "the log is torn", running(), 0),
        (HostState.RUNNING, None, replace(running(), error="epoch 8 is torn"), 0),
        (HostState.RUNNING, None, replace(running(), state=ReplicaState.CLOSED), 0),
    ],
)
def test_ready_is_what_readyz_says(
    make: Make, state: HostState, error: str | None, status: PartitionStatus, ready: int
) -> None:
    node = FakeNode(clicks=FakeStore(status))
    node.state, node.error = state, error
    found = told(make(node))
    assert value(found, "ready") == ready
    assert value(found, "follower_error") == (error is not None)
    assert labelled(found, "replica_error", "store") == {"clicks": status.error is not None}


def test_a_host_before_and_after_its_life(tmp_path: Path, make: Make) -> None:
    clicks_log(tmp_path / "log")
    host = Host(str(tmp_path / "log"), tmp_path / "data")
    metrics = make(host)
    assert value(told(metrics), "ready") == 0
    host.start()
    host.close()
    found = told(metrics)
    assert value(found, "ready") == 0
    assert labelled(found, "replica_state", "state") == {"restoring": 0, "running": 0, "closed": 1}


# --- the log -------------------------------------------------------------------------------------


def test_a_log_that_cannot_be_read_is_told_and_its_epoch_is_not(
    make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    torn, sound = FakeStore(running(), committed=9), FakeStore(running(), committed=8)
    metrics = make(FakeNode(sound=sound, torn=torn))
    assert labelled(told(metrics), "store_committed_epoch", "store") == {"sound": 8, "torn": 9}
    torn.failure = LogError("the directory is not there")
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            found = told(metrics)
            assert labelled(found, "store_committed_epoch", "store") == {"sound": 8}
            assert labelled(found, "store_log_readable", "store") == {"sound": 1, "torn": 0}
    assert [record.getMessage() for record in caplog.records] == [
        "log cannot be read for metrics, store=torn, error=the directory is not there"
    ]
    torn.failure = None
    assert labelled(told(metrics), "store_log_readable", "store") == {"sound": 1, "torn": 1}


def test_a_log_that_hangs_keeps_nothing_else_back(make: Make) -> None:
    hung, sound = FakeStore(running(), committed=9), FakeStore(running(), committed=8)
    hung.gate = threading.Event()
    # Of the two the one that hangs is read last: they are read by name.
    metrics = make(FakeNode(a_sound=sound, b_hung=hung))
    try:
        for _ in range(2):
            found = told(metrics)
            assert labelled(found, "store_committed_epoch", "store") == {"a_sound": 8}
            assert labelled(found, "store_log_readable", "store") == {"a_sound": 1, "b_hung": 0}
            assert labelled(found, "replica_epoch", "store") == {"a_sound": 7, "b_hung": 7}
        assert hung.reads == sound.reads == 1, "it is read again while it hangs"
    finally:
        hung.gate.set()
    deadline_s = time.monotonic() + WAIT_S
    while value(told(metrics), "store_committed_epoch", store="b_hung") != 9:
        assert time.monotonic() < deadline_s


def test_an_epoch_that_was_read_long_ago_is_not_told() -> None:
    now_s = 1000.0
    hung, sound = FakeStore(committed=9), FakeStore(committed=8)
    epochs = CommittedEpochs(wait_s=0.05, clock=lambda: now_s)
    hung.gate = threading.Event()
    stores = {"sound": sound, "hung": hung}
    try:
        assert epochs.read(stores) == {"sound": 8}
        now_s += LOG_FRESH_S
        assert epochs.read(stores) == {"sound": 8}
        now_s += 1
        assert epochs.read(stores) == {}
    finally:
        hung.gate.set()


# --- stores that come and go ---------------------------------------------------------------------


def test_a_store_that_is_gone_is_told_no_more_and_counts_on_when_it_is_back(make: Make) -> None:
    clicks, hours = FakeStore(running(), committed=7), FakeStore(running(), committed=7)
    clicks.counts.count_rows(5)
    node = FakeNode(clicks=clicks)
    metrics = make(node)
    assert labelled(told(metrics), "store_rows_total", "store") == {"clicks": 5}
    node.hold(hours=hours)
    for found in (told(metrics), read_openmetrics(metrics.text(OPENMETRICS)[0])):
        assert {dict(labels).get("store", "hours") for _, labels in found} == {"hours"}
    node.hold(clicks=clicks, hours=hours)
    assert labelled(told(metrics), "store_rows_total", "store") == {"clicks": 5, "hours": 0}


def test_answers_are_whole_while_stores_come_and_go(make: Make) -> None:
    stores = {f"s{i}": FakeStore(running(0), running(1), committed=7) for i in range(20)}
    node, stopping = FakeNode(**stores), threading.Event()

    def churn() -> None:
        turn = 0
        while not stopping.wait(0.0002):
            turn += 1
            node.hold(
                **{name: s for i, (name, s) in enumerate(stores.items()) if i % 3 != turn % 3}
            )

    metrics, thread = make(node), threading.Thread(target=churn)
    thread.start()
    try:
        for _ in range(20):
            found = told(metrics)
            logs = labelled(found, "store_log_readable", "store")
            assert set(labelled(found, "store_rows_total", "store")) == set(logs)
            assert set(labelled(found, "replica_epoch", "store")) <= set(logs)
    finally:
        stopping.set()
        thread.join(WAIT_S)


def test_a_store_that_is_new_in_the_log_is_told(tmp_path: Path, make: Make) -> None:
    clicks_log(tmp_path / "log")
    with following(tmp_path / "log", tmp_path / "data", "clicks") as host:
        metrics = make(host)
        assert labelled(told(metrics), "store_rows_total", "store") == {"clicks": 0}
        StoreWriter(tmp_path / "log", replace(CLICKS, name="others"))
        deadline_s = time.monotonic() + WAIT_S
        while "others" not in host.stores:
            assert time.monotonic() < deadline_s
            time.sleep(0.01)
        assert labelled(told(metrics), "store_rows_total", "store") == {"clicks": 0, "others": 0}


# --- the gateway ---------------------------------------------------------------------------------


async def test_metrics_come_when_all_workers_are_taken(
    services: Services, make: Make, workers: Workers
) -> None:
    gate = threading.Event()
    metrics = make(FakeNode())
    calls = [asyncio.create_task(workers.run(gate.wait, WAIT_S)) for _ in range(10)]
    await asyncio.sleep(0)
    try:
        with pytest.raises(LimitExceeded):
            await workers.run(int)
        async with asking(services, metrics) as client:
            found = read_text((await client.get("/metrics")).content)
    finally:
        gate.set()
        await asyncio.gather(*calls)
    assert value(found, "workers") == value(found, "workers_busy") == 2
    assert value(found, "workers_waiting") == 8
    idle = told(metrics)
    assert (value(idle, "workers_busy"), value(idle, "workers_waiting")) == (0, 0)


async def test_scrapes_are_answered_one_by_one_and_not_without_end(make: Make) -> None:
    store = FakeStore()
    store.gate = threading.Event()
    metrics = make(FakeNode(clicks=store))
    scrapes = [asyncio.create_task(metrics.scrape("")) for _ in range(12)]
    await asyncio.sleep(0)
    store.gate.set()
    answers = await asyncio.gather(*scrapes, return_exceptions=True)
    refused = [each for each in answers if isinstance(each, LimitExceeded)]
    assert len(refused) == 3
    assert sum(isinstance(each, tuple) for each in answers) == 9


def test_connections_are_counted_by_protocol(make: Make) -> None:
    metrics = make(FakeNode())
    assert labelled(told(metrics), "connections", "protocol") == {}
    clients = [1]
    metrics.watch_connections("http", lambda: len(clients))
    metrics.watch_connections("postgres", lambda: 3)
    clients.append(2)
    assert labelled(told(metrics), "connections", "protocol") == {"http": 2, "postgres": 3}


def test_what_runs_is_told(make: Make) -> None:
    metrics = make(FakeNode())
    ((name, labels),) = [key for key in told(metrics) if key[0] == "stategate_build_info"]
    assert name
    assert set(dict(labels)) == {"python", "version"}


def test_two_gateways_in_one_process_have_nothing_in_common(make: Make) -> None:
    first = make(FakeNode(clicks=FakeStore(running())))
    second = make(FakeNode(hours=FakeStore(running())))
    assert labelled(told(first), "replica_epoch", "store") == {"clicks": 7}
    assert labelled(told(second), "replica_epoch", "store") == {"hours": 7}


def read(url: str, accept: str = "*/*") -> tuple[bytes, str]:
    request = urllib.request.Request(url, headers={"Accept": accept})
    with urllib.request.urlopen(request, timeout=WAIT_S) as response:
        return response.read(), response.headers["Content-Type"]


def test_a_gateway_tells_what_it_does(gateway: Gateway) -> None:
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
    assert value(after, "workers") == 8
    assert labelled(after, "store_committed_epoch", "store") == {
        "clicks_hourly": 0,
        "orders": 1,
        "users": 0,
    }
    assert ("process_resident_memory_bytes", frozenset[tuple[str, str]]()) in after
    assert ("python_gc_collections_total", frozenset({("generation", "0")})) in after


# --- who may ask, and where ----------------------------------------------------------------------


async def test_metrics_are_for_those_who_may_come_in(
    services: Services, make: Make, tmp_path: Path
) -> None:
    metrics = make(FakeNode(clicks=FakeStore(running())))
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


async def test_the_hint_of_a_wrong_path_lists_all_paths(services: Services, make: Make) -> None:
    async with asking(services, make(FakeNode())) as client:
        hint = (await client.get("/metric")).json()["error"]["hint"]
        assert (await client.post("/metrics")).status_code == 405
    app = create_app(replace(services, metrics=make(FakeNode())))
    paths = {route.path for route in app.routes if isinstance(route, Route)}
    assert "/metrics" in paths
    assert paths <= set(re.findall(r"/[^ ,]*[^ ,.]", hint))


async def test_a_gateway_that_was_given_none_has_no_metrics(services: Services) -> None:
    async with asking(services, None) as client:
        assert (await client.get("/metrics")).status_code == 404


def test_every_metric_is_listed(make: Make) -> None:
    status = running()
    known = replace(status, progress=replace(status.progress, watermark_ms=1))
    store = FakeStore(known, committed=7)
    store.counts.count_query(KeyQuery, 5000, Success(value=None, position=EMPTY, epoch=0))
    metrics = make(FakeNode(clicks=store))
    metrics.watch_connections("http", int)
    heads = re.findall(r"^# TYPE (stategate_\w+)", metrics.text("")[0].decode(), re.MULTILINE)
    text = (Path(__file__).parents[2] / "gateway" / "README.md").read_text()
    # The first cells of the table; those of alerts are expressions, which only use them.
    cells = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", text, re.MULTILINE)
    listed = [name for cell in cells for name in re.findall(r"`(stategate_\w+)`", cell)]
    assert sorted(listed) == sorted(heads)


# --- formats -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("accept", "content_type"),
    [
        ("*/*", "text/plain; version=0.0.4; charset=utf-8"),
        ("text/plain;version=0.0.4;q=0.5,*/*;q=0.1", "text/plain; version=0.0.4; charset=utf-8"),
        ("application/openmetrics-text", "application/openmetrics-text; version=1.0.0; charset"),
        (
            "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
            "text/plain;version=1.0.0;q=0.4,*/*;q=0.1",
            "application/openmetrics-text; version=1.0.0; charset=utf-8; escaping=allow-utf-8",
        ),
    ],
)
async def test_the_format_is_what_the_scraper_takes(
    services: Services, make: Make, accept: str, content_type: str
) -> None:
    store = FakeStore(replace(running(), late_rows=3), committed=7)
    store.counts.count_query(
        KeyQuery, 5000, Failure(reason=FailureReason.NOT_ACTIVE, message="a standby")
    )
    async with asking(services, make(FakeNode(clicks=store))) as client:
        answer = await client.get("/metrics", headers={"Accept": accept})
    assert answer.headers["Content-Type"].startswith(content_type)
    assert answer.headers["Cache-Control"] == "no-store"
    is_openmetrics = "openmetrics" in content_type
    assert answer.content.endswith(b"# EOF\n") == is_openmetrics
    found = (read_openmetrics if is_openmetrics else read_text)(answer.content)
    assert value(found, "replica_late_rows_total", store="clicks", partition="0") == 3
    assert labelled(found, "store_query_failures_total", "reason")["NOT_ACTIVE"] == 1
    assert buckets(found)[math.inf] == 1


@pytest.mark.parametrize("kind", ["application/openmetrics-text", "text/plain"])
async def test_a_malformed_accept_header_is_the_client_s_fault(
    services: Services, make: Make, kind: str
) -> None:
    async with asking(services, make(FakeNode())) as client:
        answer = await client.get("/metrics", headers={"Accept": f"{kind};version=x"})
    assert answer.status_code == 400
    assert answer.json()["error"]["message"] == "the Accept header names a malformed version"


class Given:
    """A collector of what it is given."""

    def __init__(self, metric: Metric) -> None:
        self._metric = metric

    def collect(self) -> list[Metric]:
        return [self._metric]


NUMBERS = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@given(st.dictionaries(TEXTS, NUMBERS, min_size=1), st.booleans())
def test_our_lines_mean_what_the_library_s_mean(rows: dict[str, float], counts: bool) -> None:
    theirs = CollectorRegistry()
    if counts:
        rows = {label: abs(number) for label, number in rows.items()}
        family = Family("things_total", "counter", "Things.")
        library: Metric = CounterMetricFamily("things", "Things.", labels=["name"])
    else:
        family = Family("things", "gauge", "Things.")
        library = GaugeMetricFamily("things", "Things.", labels=["name"])
    family.add_all([label_text(name=label) for label in rows], rows.values())
    for label, number in rows.items():
        library.add_metric([label], number)  # type: ignore[attr-defined]  # both have it
    theirs.register(Given(library))
    text, openmetrics = family.text(openmetrics=False), family.text(openmetrics=True)
    assert read_text(text.encode()) == read_text(generate_latest(theirs))
    their_openmetrics = openmetrics_exposition.generate_latest(theirs)  # type: ignore[no-untyped-call]
    assert read_openmetrics(openmetrics.encode() + b"# EOF\n") == read_openmetrics(
        their_openmetrics
    )
    heads = [line for line in generate_latest(theirs).decode().split("\n") if line[:1] == "#"]
    assert [line for line in text.split("\n") if line[:1] == "#"] == heads
    heads = [line for line in their_openmetrics.decode().split("\n")[:2] if line[:1] == "#"]
    assert openmetrics.split("\n")[:2] == heads


def test_an_empty_family_is_not_told() -> None:
    assert Family("things", "gauge", "Things.").text(openmetrics=False) == ""


# --- cost ----------------------------------------------------------------------------------------


def test_a_scrape_costs_a_fraction_of_what_the_library_would_take(make: Make) -> None:
    stores = {f"s{i}": FakeStore(*(running(n) for n in range(64)), committed=7) for i in range(4)}
    metrics = make(FakeNode(**stores))
    families = list(text_string_to_metric_families(metrics.text("")[0].decode()))
    library = CollectorRegistry()
    for family in families:
        library.register(Given(family))
    ours_s, theirs_s = [], []
    for _ in range(5):
        begun_s = time.perf_counter()
        metrics.text("")
        ours_s.append(time.perf_counter() - begun_s)
        begun_s = time.perf_counter()
        generate_latest(library)
        theirs_s.append(time.perf_counter() - begun_s)
    assert min(ours_s) < min(theirs_s) / 2

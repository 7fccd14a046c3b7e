"""Metrics of stores, replicas and the node are correct, complete and current."""

from __future__ import annotations

import math
import re
import threading
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.gateway.http.metrics.exposition import Metrics
from stategate.gateway.http.metrics.live import live_families
from stategate.gateway.http.metrics.nodes import node_families
from stategate.gateway.http.metrics.reads import audit_families, opened_families, read_families
from stategate.gateway.http.metrics.spark_state import spark_families
from stategate.gateway.nodes.counts import MeasuredPeer, PeerCounts
from stategate.gateway.statement_threads import StatementThreads
from stategate.planner.engine import LiveCounts
from stategate.planner.running.read_counts import ReadCounts
from stategate.planner.syntax.options import ReadOptions
from stategate.stores.hosting.host import Host, HostState
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import EMPTY, Position, Progress
from stategate.stores.spec.query import KeyQuery, RangeQuery
from stategate.stores.spec.query_engine import EngineStatus
from stategate.stores.spec.result import Success
from stategate.stores.spec.schema import TIMESTAMPTZ
from stategate.stores.spec.store import PartitionStatus, ReplicaState, Role, in_store
from tests.gateway.scraping import (
    CLICKS,
    OPENMETRICS,
    FakeNode,
    FakeStore,
    MakeMetrics,
    buckets,
    clicks_log,
    following,
    labelled,
    read_openmetrics,
    running,
    told,
    value,
)
from tests.support.stores import window
from tests.support.waiting import WAIT_S

HOURS = window("hours", {"usr": "text"}, {"n": "bigint"}, partitions=1, retention_ms=3_600_000)

# --- values --------------------------------------------------------------------------------------


def test_query_metrics_equal_the_host_s_counters(tmp_path: Path, make_metrics: MakeMetrics) -> None:
    clicks_log(tmp_path / "log")
    with following(tmp_path / "log", tmp_path / "data", "clicks") as host:
        for _ in range(3):
            host.query(in_store("clicks").with_query(KeyQuery.with_key("u1")))
        for result in host.query(in_store("clicks").with_query(RangeQuery())).partitions.values():
            for _batch in result.value:
                pass
        absent = in_store("clicks").with_query(KeyQuery.with_key("u1")).with_partitions({7})
        host.query(absent)
        found, counted = told(make_metrics(host)), host.metrics()["clicks"]
    assert labelled(found, "store_queries_total", "type") == {"KeyQuery": 7, "RangeQuery": 2}
    assert labelled(found, "store_queries_total", "type") == counted.queries
    failures = labelled(found, "store_query_failures_total", "reason")
    assert failures == {reason.value: n for reason, n in counted.failures.items()}
    assert failures["DOES_NOT_EXIST"] == 1
    assert sum(failures.values()) == 1
    assert value(found, "store_rows_total", store="clicks") == counted.rows == 3 + 10
    assert value(found, "store_query_seconds_count", store="clicks") == 9
    assert value(found, "store_query_seconds_sum", store="clicks") == counted.time_ns / 1e9


@given(st.lists(st.integers(0, 10**11) | st.builds(lambda n: 1 << n, st.integers(0, 40))))
def test_bucket_counts_are_exact(times_ns: list[int]) -> None:
    store = FakeStore()
    answer = Success(value=None, position=EMPTY, epoch=0)
    for each in times_ns:
        store.counts.count_query(KeyQuery, each, answer)
    threads = StatementThreads(count=1, queue_max=0)
    metrics = Metrics(FakeNode(clicks=store), threads=threads)
    try:
        found = told(metrics)
    finally:
        metrics.close()
        threads.close()
    bounds = buckets(found)
    assert list(bounds) == sorted(bounds)
    assert len(bounds) == len(store.counts.read().time_counts)
    assert bounds.pop(math.inf) == len(times_ns)
    for bound_s, count in bounds.items():
        assert count == sum(each <= round(bound_s * 1e9) for each in times_ns)
    assert value(found, "store_query_seconds_count", store="clicks") == len(times_ns)
    assert value(found, "store_query_seconds_sum", store="clicks") == sum(times_ns) / 1e9


def test_the_state_of_a_replica(tmp_path: Path, make_metrics: MakeMetrics) -> None:
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
        found = told(make_metrics(host))
    which = {"store": "hours", "partition": "0"}
    assert value(found, "replica_epoch", **which) == 0
    assert value(found, "store_committed_epoch", store="hours") == 0
    assert labelled(found, "replica_state", "state") == {"restoring": 0, "running": 1, "closed": 0}
    assert value(found, "replica_active", **which) == 0
    assert value(found, "replica_error", **which) == 0
    assert value(found, "replica_late_rows_total", **which) == 2
    assert value(found, "replica_committed_timestamp_seconds", **which) == 1_700_000_000.25
    assert value(found, "replica_watermark_timestamp_seconds", **which) == 7200.5


def test_unknown_facts_of_a_replica_are_absent(make_metrics: MakeMetrics) -> None:
    new = PartitionStatus(
        partition=1, role=Role.ACTIVE, state=ReplicaState.RESTORING, progress=Progress()
    )
    found = told(make_metrics(FakeNode(clicks=FakeStore(running(), new))))
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
def test_the_ready_metric_agrees_with_readyz(
    make_metrics: MakeMetrics,
    state: HostState,
    error: str | None,
    status: PartitionStatus,
    ready: int,
) -> None:
    node = FakeNode(clicks=FakeStore(status))
    node.state, node.error = state, error
    found = told(make_metrics(node))
    assert value(found, "ready") == ready
    assert value(found, "follower_error") == (error is not None)
    assert labelled(found, "replica_error", "store") == {"clicks": status.error is not None}


def test_a_host_before_its_start_and_after_its_end(
    tmp_path: Path, make_metrics: MakeMetrics
) -> None:
    clicks_log(tmp_path / "log")
    host = Host(str(tmp_path / "log"), tmp_path / "data")
    metrics = make_metrics(host)
    assert value(told(metrics), "ready") == 0
    host.start()
    host.close()
    found = told(metrics)
    assert value(found, "ready") == 0
    assert labelled(found, "replica_state", "state") == {"restoring": 0, "running": 0, "closed": 1}


def test_connections_are_counted_by_protocol(make_metrics: MakeMetrics) -> None:
    metrics = make_metrics(FakeNode())
    assert labelled(told(metrics), "connections", "protocol") == {}
    clients = [1]
    metrics.watch_connections("http", lambda: len(clients))
    metrics.watch_connections("postgres", lambda: 3)
    clients.append(2)
    assert labelled(told(metrics), "connections", "protocol") == {"http": 2, "postgres": 3}


def test_requests_to_object_stores_are_counted_by_kind(make_metrics: MakeMetrics) -> None:
    metrics = make_metrics(FakeNode())
    assert labelled(told(metrics), "object_requests_total", "kind") == {}
    metrics.watch_requests(lambda: {"get": 3, "put": 0})
    assert labelled(told(metrics), "object_requests_total", "kind") == {"get": 3, "put": 0}


def test_kept_answers_are_counted(make_metrics: MakeMetrics) -> None:
    metrics = make_metrics(FakeNode())
    metrics.watch_kept_answers(lambda: 5)
    assert told(metrics)["stategate_kept_answers_total", frozenset()] == 5


PEER = MeasuredPeer(
    name='b"',
    is_connected=True,
    version="1.2",
    counts=PeerCounts(requests=9, replies=5, failures=3, abandoned=1, reply_s=0.25),
    overdue=2,
    answered=7,
)


def test_other_nodes_are_reported_by_name(make_metrics: MakeMetrics) -> None:
    metrics = make_metrics(FakeNode())
    assert labelled(told(metrics), "node_connected", "node") == {}
    lost = replace(PEER, name="c", is_connected=False, counts=PeerCounts())
    metrics.watch(lambda: node_families([PEER, lost], {"a": 4}))
    found = told(metrics)
    assert labelled(found, "node_connected", "node") == {'b"': 1, "c": 0}
    assert labelled(found, "node_info", "version") == {"1.2": 1}
    assert labelled(found, "node_requests_total", "node") == {'b"': 9, "c": 0}
    assert labelled(found, "node_failures_total", "node") == {'b"': 3, "c": 0}
    assert labelled(found, "node_overdue_total", "node") == {'b"': 2, "c": 2}
    assert labelled(found, "node_unreadable_total", "node") == {"a": 4, 'b"': 0, "c": 0}
    assert labelled(found, "node_reply_seconds_total", "node") == {'b"': 0.25, "c": 0}


def test_held_epochs_are_reported_with_the_age_of_the_oldest(
    tmp_path: Path, make_metrics: MakeMetrics
) -> None:
    clicks_log(tmp_path / "log")
    with following(tmp_path / "log", tmp_path / "data", "clicks") as host:
        metrics, store = make_metrics(host), host.stores["clicks"]
        assert labelled(told(metrics), "store_held_epochs", "store") == {"clicks": 0}
        assert labelled(told(metrics), "store_held_epoch_seconds", "store") == {"clicks": 0}
        holds = [store.hold(0), store.hold(0), store.hold(1)]
        found = told(metrics)
        assert value(found, "store_held_epochs", store="clicks") == 2
        assert (value(found, "store_held_epoch_seconds", store="clicks") or 0) > 0
        for hold in holds:
            assert hold is not None
            hold.release()
        assert labelled(told(metrics), "store_held_epochs", "store") == {"clicks": 0}


def test_what_statements_read_is_reported(make_metrics: MakeMetrics) -> None:
    counts, metrics = ReadCounts(), make_metrics(FakeNode())
    metrics.watch(lambda: read_families(counts))
    metrics.watch(lambda: opened_families("cursor", "cursors", 3, 1.5))
    counts.composed.add(read=40, returned=5)
    counts.refuse(ReadOptions(latest=True))
    counts.note_opened(counts)
    for found in (told(metrics), read_openmetrics(metrics.text(OPENMETRICS)[0])):
        assert value(found, "statements_total", path="composed") == 1
        assert value(found, "statement_rows_read_total", path="composed") == 40
        assert value(found, "statement_rows_returned_total", path="composed") == 5
        assert labelled(found, "bound_refusals_total", "bound")["latest"] == 1
        assert value(found, "open_streams") == 1
        assert (value(found, "open_cursors"), value(found, "open_cursor_seconds")) == (3, 1.5)


def test_the_build_is_reported(make_metrics: MakeMetrics) -> None:
    metrics = make_metrics(FakeNode())
    ((name, labels),) = [key for key in told(metrics) if key[0] == "stategate_build_info"]
    assert name
    assert set(dict(labels)) == {"python", "version"}


def test_two_gateways_in_one_process_share_no_metrics(make_metrics: MakeMetrics) -> None:
    first = make_metrics(FakeNode(clicks=FakeStore(running())))
    second = make_metrics(FakeNode(hours=FakeStore(running())))
    assert labelled(told(first), "replica_epoch", "store") == {"clicks": 7}
    assert labelled(told(second), "replica_epoch", "store") == {"hours": 7}


LIVE = LiveCounts(
    subscribers=1,
    queries=2,
    held_rows=3,
    held_bytes=4,
    events_given=5,
    slow_ended=6,
    caught_up=8,
    started_over=9,
    whole_reads=7,
)


def test_live_queries_are_counted(make_metrics: MakeMetrics) -> None:
    metrics = make_metrics(FakeNode())
    metrics.watch(live_families(lambda: LIVE))
    found = told(metrics)
    counted = ("events_total", "slow_total", "whole_reads_total", "caught_up_total")
    names = ("subscribers", "queries", "rows", "bytes", *counted, "started_over_total")
    values = [found[f"stategate_live_{name}", frozenset()] for name in names]
    assert values == list(range(1, 10))


def test_every_metric_is_listed(make_metrics: MakeMetrics) -> None:
    status = running()
    known = replace(status, progress=replace(status.progress, watermark_ms=1))
    store = FakeStore(known, committed=7)
    store.counts.count_query(KeyQuery, 5000, Success(value=None, position=EMPTY, epoch=0))
    metrics = make_metrics(FakeNode(clicks=store))
    metrics.watch_connections("http", int)
    metrics.watch_requests(lambda: {"get": 1})
    metrics.watch(spark_families(lambda: EngineStatus(state="running")))
    metrics.watch(lambda: node_families([PEER], {}))
    metrics.watch(lambda: read_families(ReadCounts()))
    metrics.watch(lambda: audit_families(0))
    for name in ("cursor", "page_snapshot"):
        metrics.watch(partial(opened_families, name, name, 0, 0.0))
    metrics.watch(live_families(lambda: LIVE))
    heads = re.findall(r"^# TYPE (stategate_\w+)", metrics.text("")[0].decode(), re.MULTILINE)
    text = (Path(__file__).parents[4] / "gateway" / "README.md").read_text()
    # The first cells of the table name metrics; those of alerts are expressions that use them.
    cells = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", text, re.MULTILINE)
    listed = [name for cell in cells for name in re.findall(r"`(stategate_\w+)`", cell)]
    assert sorted(listed) == sorted(heads)


# --- stores that come and go ---------------------------------------------------------------------


def test_a_dropped_store_disappears_and_its_counters_continue_when_it_returns(
    make_metrics: MakeMetrics,
) -> None:
    clicks, hours = FakeStore(running(), committed=7), FakeStore(running(), committed=7)
    clicks.counts.count_rows(5)
    node = FakeNode(clicks=clicks)
    metrics = make_metrics(node)
    assert labelled(told(metrics), "store_rows_total", "store") == {"clicks": 5}
    node.hold(hours=hours)
    for found in (told(metrics), read_openmetrics(metrics.text(OPENMETRICS)[0])):
        assert {dict(labels).get("store", "hours") for _, labels in found} == {"hours"}
    node.hold(clicks=clicks, hours=hours)
    assert labelled(told(metrics), "store_rows_total", "store") == {"clicks": 5, "hours": 0}


def test_answers_are_whole_while_stores_come_and_go(make_metrics: MakeMetrics) -> None:
    stores = {f"s{i}": FakeStore(running(0), running(1), committed=7) for i in range(20)}
    node, stopping = FakeNode(**stores), threading.Event()

    def churn() -> None:
        turn = 0
        while not stopping.wait(0.0002):
            turn += 1
            node.hold(
                **{name: s for i, (name, s) in enumerate(stores.items()) if i % 3 != turn % 3}
            )

    metrics, thread = make_metrics(node), threading.Thread(target=churn)
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


def test_a_new_store_is_reported(tmp_path: Path, make_metrics: MakeMetrics) -> None:
    clicks_log(tmp_path / "log")
    with following(tmp_path / "log", tmp_path / "data", "clicks") as host:
        metrics = make_metrics(host)
        assert labelled(told(metrics), "store_rows_total", "store") == {"clicks": 0}
        StoreWriter(tmp_path / "log", replace(CLICKS, name="others"))
        deadline_s = time.monotonic() + WAIT_S
        while "others" not in host.stores:
            assert time.monotonic() < deadline_s
            time.sleep(0.01)
        assert labelled(told(metrics), "store_rows_total", "store") == {"clicks": 0, "others": 0}

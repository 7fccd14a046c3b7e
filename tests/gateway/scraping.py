"""Fake nodes for metrics, and a reader of the metrics."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import Final, TypeAlias

import httpx
import pyarrow as pa
from prometheus_client.core import Metric
from prometheus_client.openmetrics import parser as openmetrics_parser
from prometheus_client.parser import text_string_to_metric_families

from stategate.gateway.access.rules import Access
from stategate.gateway.http.app import create_app
from stategate.gateway.http.endpoint import Services
from stategate.gateway.http.metrics.exposition import Metrics
from stategate.gateway.http.metrics.sources import Node
from stategate.stores.hosting.host import Host, HostState
from stategate.stores.hosting.metrics import Metrics as StoreMetrics
from stategate.stores.hosting.metrics import MetricsReading
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position, PositionBound, Progress
from stategate.stores.spec.store import PartitionStatus, ReplicaState, Role
from tests.support.stores import keyvalue
from tests.support.waiting import WAIT_S

OPENMETRICS: Final = "application/openmetrics-text; version=1.0.0"
CLICKS = keyvalue("clicks", {"usr": "text"}, {"n": "bigint"}, partitions=2)

Samples: TypeAlias = dict[tuple[str, frozenset[tuple[str, str]]], float]
MakeMetrics: TypeAlias = Callable[[Node], Metrics]
"""The function that the fixture `make_metrics` returns."""


# --- metrics --------------------------------------------------------------------------------


def samples_in(families: Iterable[Metric]) -> Samples:
    found: Samples = {}
    for family in families:
        for sample in family.samples:
            which = (sample.name, frozenset(sample.labels.items()))
            assert which not in found, f"{which} is reported twice"
            found[which] = sample.value
    return found


def read_text(body: bytes) -> Samples:
    return samples_in(text_string_to_metric_families(body.decode()))


def read_openmetrics(body: bytes) -> Samples:
    parse = openmetrics_parser.text_string_to_metric_families
    return samples_in(parse(body.decode()))  # type: ignore[no-untyped-call]  # the library's


def told(metrics: Metrics) -> Samples:
    return read_text(metrics.text("")[0])


def value(found: Samples, name: str, **labels: str) -> float | None:
    return found.get((f"stategate_{name}", frozenset(labels.items())))


def labelled(found: Samples, name: str, label: str) -> dict[str, float]:
    """Return the values of a metric by one of its labels."""
    return {
        dict(labels)[label]: number
        for (each, labels), number in found.items()
        if each == f"stategate_{name}"
    }


def buckets(found: Samples) -> dict[float, float]:
    told = labelled(found, "store_query_seconds_bucket", "le")
    return {float(bound): count for bound, count in told.items()}


# --- nodes ---------------------------------------------------------------------------------------


class FakeStore:
    """A fake store; its log may fail, or hang until it is released."""

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
    """A host of fake stores that a test can add and drop."""

    def __init__(self, **stores: FakeStore) -> None:
        self.stores: Mapping[str, FakeStore] = stores
        self.state: Enum = HostState.RUNNING
        self.error: str | None = None
        self.columns_bytes = 0
        self.open_databases = self.open_files = 0
        self._all = dict(stores)

    def hold(self, **stores: FakeStore) -> None:
        self._all |= stores
        self.stores = stores

    def statuses(self) -> dict[str, dict[int, PartitionStatus]]:
        return {name: dict(store.held) for name, store in self.stores.items()}

    def held_s(self) -> dict[str, float]:
        return dict.fromkeys(self.stores, 0.0)

    def metrics(self) -> dict[str, MetricsReading]:
        # Dropped stores are included, as in a host.
        return {name: store.counts.read() for name, store in self._all.items()}


def running(partition: int = 0, *, epoch: int = 7) -> PartitionStatus:
    return PartitionStatus(
        partition=partition,
        role=Role.ACTIVE,
        state=ReplicaState.RUNNING,
        progress=Progress(epoch=epoch, committed_ms=1_700_000_000_250),
    )


def clicks_log(root: Path) -> None:
    rows = pa.table({"usr": [f"u{i}" for i in range(10)], "n": [1] * 10})
    StoreWriter(root, CLICKS).write(
        rows, position=Position.of({"events": {0: 41}}), committed_ms=1_700_000_000_250
    )


@contextlib.contextmanager
def following(root: Path, data: Path, *stores: str) -> Iterator[Host]:
    """Return a host that has applied all epochs of these stores."""
    with contextlib.closing(Host(str(root), data, poll_ms=2)) as host:
        host.start()
        for name in stores:
            store = host.stores[name]
            for partition in range(store.schema.partitions):
                assert store.wait(partition, PositionBound.at_latest(), timeout_s=WAIT_S)
        yield host


# --- the gateway ---------------------------------------------------------------------------------


@contextlib.asynccontextmanager
async def asking(
    services: Services, metrics: Metrics | None, access: Access | None = None
) -> AsyncIterator[httpx.AsyncClient]:
    app = create_app(replace(services, metrics=metrics), access=access)
    transport = httpx.ASGITransport(app=app, client=("127.0.0.1", 50_000))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as made:
        yield made

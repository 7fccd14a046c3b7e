"""`GET /metrics`: metrics of the stores, their replicas and the gateway for Prometheus.

Scraping adds no work to queries: it reads counters that exist anyway. A dropped store's series
disappear. Labels are store names, partition numbers and fixed words; never keys, SQL or users.

We format our own metrics, because prometheus-client takes some 8 µs a line and a node of 50 stores
has 30,000 lines. The metrics of the process and the garbage collector come from that library.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from importlib.metadata import version
from typing import Final

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder
from prometheus_client.gc_collector import GCCollector
from prometheus_client.process_collector import ProcessCollector

from stategate.gateway.errors import HttpRequestError
from stategate.gateway.http.metrics.committed_epochs import CommittedEpochs
from stategate.gateway.http.metrics.families import Family, escaped, gauge, label_text
from stategate.gateway.http.metrics.joining import joined
from stategate.gateway.http.metrics.sources import Counts, Node, OtherMetrics, Replica
from stategate.gateway.statement_threads import StatementThreads

_WAITING_MAX: Final = 8
"""Scrapes that may wait for another: enough for several Prometheus servers and a browser."""


class Metrics:
    """The metrics of one gateway, in their own registry.

    Args:
        node: the stores.
        threads: the statement threads to report on.
        epochs: reads the newest epochs in the logs.
        others: the other worker processes, whose metrics are reported, too.
    """

    def __init__(
        self,
        node: Node,
        *,
        threads: StatementThreads,
        epochs: CommittedEpochs | None = None,
        others: OtherMetrics | None = None,
    ) -> None:
        self._others = others
        self._node = node
        self._threads = threads
        self._epochs = epochs or CommittedEpochs()
        self._connections: dict[str, Callable[[], int]] = {}
        self._requests: Callable[[], Mapping[str, int]] = dict
        self._kept_answers: Callable[[], int] = int
        self._more: list[Callable[[], Sequence[Family]]] = []
        self._build = label_text(version=version("stategate"), python=platform.python_version())
        # A separate thread, because metrics matter most when all others are busy.
        self._own = StatementThreads(count=1, queue_max=_WAITING_MAX)
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        GCCollector(registry=self._registry)

    def watch_connections(self, protocol: str, count: Callable[[], int]) -> None:
        """Report the number of connections of a protocol from now on."""
        self._connections[protocol] = count

    def watch_requests(self, counts: Callable[[], Mapping[str, int]]) -> None:
        """Report the number of requests to object stores, by kind, from now on."""
        self._requests = counts

    def watch_kept_answers(self, given: Callable[[], int]) -> None:
        """Report the number of kept answers that were given, from now on."""
        self._kept_answers = given

    def watch(self, families: Callable[[], Sequence[Family]]) -> None:
        """Report these metrics, too, from now on."""
        self._more.append(families)

    async def scrape(self, accept: str) -> tuple[bytes, str]:
        """Return all metrics and their content type, in the format that an Accept header prefers.

        The metrics of a worker have its number as a label.

        Raises:
            LimitExceededError: too many scrapes wait (53300).
            UnavailableError: the gateway is shutting down (57P01).
            HttpRequestError: the header is malformed.
        """
        return await self._own.run(self._all, accept)

    async def scrape_own(self, accept: str) -> str:
        """Return the metrics of this process as text, for another worker; raises as `scrape`."""
        text, _ = await self._own.run(self.text, accept)
        return text.decode()

    def _all(self, accept: str) -> tuple[bytes, str]:
        text, content_type = self.text(accept)
        if self._others is None:
            return text, content_type
        texts = {self._others.worker: text.decode(), **self._others.metrics(accept)}
        return joined(dict(sorted(texts.items()))).encode(), content_type

    def text(self, accept: str) -> tuple[bytes, str]:
        """Do the same as `scrape` in this thread; may block for `LOG_WAIT_S`."""
        try:
            encode, content_type = choose_encoder(accept)
        except (TypeError, ValueError) as error:  # the library's reaction to a malformed version
            raise HttpRequestError("the Accept header has a malformed version") from error
        openmetrics = content_type.startswith("application/openmetrics-text")
        ours = "".join(family.text(openmetrics=openmetrics) for family in self._families())
        # The library's text comes last, because it ends with the end mark of OpenMetrics.
        return ours.encode() + encode(self._registry), content_type

    def close(self) -> None:
        """Refuse further scrapes."""
        self._own.close()

    def _families(self) -> list[Family]:
        # All families are about these stores, even if stores come or go meanwhile.
        stores = dict(sorted(self._node.stores.items()))
        counts, statuses = self._node.metrics(), self._node.statuses()
        held = {name: statuses[name] for name in stores if name in statuses}
        committed = self._epochs.read(stores)
        return [
            *self._gateway_families(),
            *self._node_families(held),
            *_store_families({name: counts[name] for name in stores if name in counts}),
            *_log_families(stores, committed),
            *_replica_families(held),
            *_held_families(held, self._node.held_s()),
            *(family for families in self._more for family in families()),
        ]

    def _gateway_families(self) -> list[Family]:
        build = Family("stategate_build_info", "gauge", "Always 1; the labels have the versions.")
        build.add(self._build, 1)
        connections = Family("stategate_connections", "gauge", "Open connections, by protocol.")
        for protocol, count in self._connections.items():
            connections.add(label_text(protocol=protocol), count())
        requests = Family(
            "stategate_object_requests_total", "counter", "Requests to object stores, by kind."
        )
        for kind, sent in self._requests().items():
            requests.add(label_text(kind=kind), sent)
        kept = Family(
            "stategate_kept_answers_total", "counter", "Answers given again without a read."
        )
        kept.add("", self._kept_answers())
        threads = self._threads
        return [
            build,
            connections,
            requests,
            kept,
            gauge("stategate_threads", "Threads for statements.", threads.count),
            gauge("stategate_threads_busy", "Threads that run a statement.", threads.running),
            gauge("stategate_threads_waiting", "Calls that wait for a thread.", threads.waiting),
        ]

    def _node_families(self, held: Mapping[str, Mapping[int, Replica]]) -> list[Family]:
        is_failing = self._node.error is not None
        # The condition of `/readyz`, for the statuses that are reported with it.
        is_ready = (
            not is_failing
            and self._node.state.value == "running"
            and all(map(_answers, (each for of in held.values() for each in of.values())))
        )
        about = "1 while the log cannot be followed, or a store cannot be opened."
        return [
            gauge("stategate_ready", "1 once every replica answers.", int(is_ready)),
            gauge("stategate_follower_error", about, int(is_failing)),
            gauge(
                "stategate_columns_bytes",
                "Memory of decoded columns, for whole scans.",
                self._node.columns_bytes,
            ),
            gauge(
                "stategate_databases_open",
                "Open databases; those of the other replicas are at rest.",
                self._node.open_databases,
            ),
            gauge(
                "stategate_databases_files",
                "Files that open databases have open.",
                self._node.open_files,
            ),
        ]


def _answers(replica: Replica) -> bool:
    return replica.state.value == "running" and replica.error is None


def _store_families(stores: Mapping[str, Counts]) -> list[Family]:
    queries = Family(
        "stategate_store_queries_total", "counter", "Partition reads, by type of query."
    )
    failures = Family(
        "stategate_store_query_failures_total", "counter", "Partition reads that failed, by reason."
    )
    rows = Family("stategate_store_rows_total", "counter", "Rows read.")
    seconds = Family(
        "stategate_store_query_seconds",
        "histogram",
        "Time of a partition read, without the time that its reader took.",
    )
    for store, counts in stores.items():
        for query_type, count in sorted(counts.queries.items()):
            queries.add(label_text(store=store, type=query_type), count)
        for reason, count in counts.failures.items():
            failures.add(label_text(store=store, reason=reason.value), count)
        rows.add(label_text(store=store), counts.rows)
        _add_times(seconds, store, counts)
    return [queries, failures, rows, seconds]


def _add_times(seconds: Family, store: str, counts: Counts) -> None:
    total = 0
    for bucket, count in enumerate(counts.time_counts[:-1]):
        total += count
        # Prometheus includes the bound in the bucket, we do not; both are whole nanoseconds.
        greatest_s = (counts.bucket_ns(bucket) - 1) / 1e9
        seconds.add(label_text(store=store, le=repr(greatest_s)), total, "_bucket")
    total += counts.time_counts[-1]
    seconds.add(label_text(store=store, le="+Inf"), total, "_bucket")
    seconds.add(label_text(store=store), total, "_count")
    seconds.add(label_text(store=store), counts.time_ns / 1e9, "_sum")


def _log_families(stores: Iterable[str], committed: Mapping[str, int]) -> list[Family]:
    epoch = Family("stategate_store_committed_epoch", "gauge", "Newest epoch in the log.")
    readable = Family(
        "stategate_store_log_readable", "gauge", "0 if that epoch could not be read in time."
    )
    for store in stores:
        labels = label_text(store=store)
        readable.add(labels, int(store in committed))
        if store in committed:
            epoch.add(labels, committed[store])
    return [epoch, readable]


def _replica_families(stores: Mapping[str, Mapping[int, Replica]]) -> list[Family]:
    """Build the replicas' metrics, one metric after the other: twice as fast as by replica."""
    which = [
        f'store="{escaped(store)}",partition="{partition}"'
        for store, replicas in stores.items()
        for partition in sorted(replicas)
    ]
    replicas = [held[partition] for held in stores.values() for partition in sorted(held)]
    labels = [f"{{{each}}}" for each in which]
    epoch = Family("stategate_replica_epoch", "gauge", "Newest applied epoch; -1 before the first.")
    epoch.add_all(labels, [replica.progress.epoch for replica in replicas])
    active = Family("stategate_replica_active", "gauge", "1 if active, 0 if standby.")
    active.add_all(labels, [1 if each.role.value == "active" else 0 for each in replicas])
    error = Family("stategate_replica_error", "gauge", "1 while the replica cannot follow the log.")
    error.add_all(labels, [0 if replica.error is None else 1 for replica in replicas])
    late = Family("stategate_replica_late_rows_total", "counter", "Rows that arrived too late.")
    late.add_all(labels, [replica.late_rows for replica in replicas])
    states = _replica_states(which, [replica.state for replica in replicas])
    return [epoch, states, active, error, late, *_replica_times(labels, replicas)]


def _held_families(
    stores: Mapping[str, Mapping[int, Replica]], held_s: Mapping[str, float]
) -> list[Family]:
    """Build the metrics of epochs that readers hold, so that they cannot be forgotten."""
    count = Family("stategate_store_held_epochs", "gauge", "Epochs that readers hold.")
    age = Family(
        "stategate_store_held_epoch_seconds", "gauge", "For how long the oldest one has been held."
    )
    for store, replicas in stores.items():
        labels = label_text(store=store)
        count.add(labels, sum(replica.held_epochs for replica in replicas.values()))
        age.add(labels, held_s.get(store, 0.0))
    return [count, age]


def _replica_states(which: Sequence[str], states: Sequence[Enum]) -> Family:
    family = Family("stategate_replica_state", "gauge", "1 for its state, 0 for all others.")
    for state in type(states[0]) if states else ():
        labels = [f'{{{each},state="{state.value}"}}' for each in which]
        family.add_all(labels, [1 if each is state else 0 for each in states])
    return family


def _replica_times(labels: Sequence[str], replicas: Sequence[Replica]) -> list[Family]:
    committed = Family(
        "stategate_replica_committed_timestamp_seconds",
        "gauge",
        "Unix time at which the newest applied epoch was committed.",
    )
    watermark = Family(
        "stategate_replica_watermark_timestamp_seconds",
        "gauge",
        "Event time up to which the newest applied epoch is complete.",
    )
    for each, replica in zip(labels, replicas, strict=True):
        progress = replica.progress
        if progress.epoch >= 0:
            committed.add(each, progress.committed_ms / 1000)
        if progress.watermark_ms is not None:
            watermark.add(each, progress.watermark_ms / 1000)
    return [committed, watermark]

"""`GET /metrics`: what Prometheus is told of the stores, their replicas and the gateway.

What is read is counted elsewhere already: nothing here is on the path of a statement. Labels are
names of stores, numbers of partitions and words of ours; never a key, a text of SQL or a user.

The lines of our own metrics are written here, those of the process and of Python's collector by
prometheus-client, which takes some 8 µs for a line, and a node of 50 stores has 30,000 of them.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from importlib.metadata import version
from typing import Final, Protocol

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder
from prometheus_client.gc_collector import GCCollector
from prometheus_client.process_collector import ProcessCollector

from gateway.errors import HttpRequestError
from gateway.http.committed_epochs import CommittedEpochs, FollowedStore
from gateway.workers import Workers

_WAITING_MAX: Final = 8
"""Scrapes that wait while one is answered: some servers, and somebody with a browser."""


class Progress(Protocol):
    """How far a replica has applied its log."""

    @property
    def epoch(self) -> int:
        """The newest applied; -1 before the first."""

    @property
    def watermark_ms(self) -> int | None:
        """Event time, as of that epoch."""

    @property
    def committed_ms(self) -> int:
        """When the epoch was committed."""


class Replica(Protocol):
    """One partition of a store, as it stands."""

    @property
    def role(self) -> Enum:
        """Active or standby."""

    @property
    def state(self) -> Enum:
        """Restoring, running or closed."""

    @property
    def progress(self) -> Progress:
        """How far it is."""

    @property
    def error(self) -> str | None:
        """What keeps it from following."""

    @property
    def late_rows(self) -> int:
        """Rows that came too late."""


class Tally(Protocol):
    """How often each reason was given."""

    def items(self) -> Iterable[tuple[Enum, int]]:
        """The reasons, each with its count."""


class Counts(Protocol):
    """What a store has counted, all at one moment."""

    @property
    def queries(self) -> Mapping[str, int]:
        """By type of query."""

    @property
    def failures(self) -> Tally:
        """By reason."""

    @property
    def rows(self) -> int:
        """Rows that were given."""

    @property
    def time_ns(self) -> int:
        """Spent on all queries."""

    @property
    def time_counts(self) -> Sequence[int]:
        """Queries by their time, a number a bucket; the last has no bound."""

    def bucket_ns(self, bucket: int) -> int:
        """What took less than this is in the bucket or in one before it."""


class Node(Protocol):
    """What holds the stores of a node."""

    @property
    def stores(self) -> Mapping[str, FollowedStore]:
        """As they are now, by name."""

    @property
    def state(self) -> Enum:
        """Where it is in its life."""

    @property
    def error(self) -> str | None:
        """What keeps the log from being followed, or a store from being opened."""

    @property
    def columns_bytes(self) -> int:
        """Memory of the columns that are kept decoded."""

    def statuses(self) -> Mapping[str, Mapping[int, Replica]]:
        """Every replica, by store and partition."""

    def metrics(self) -> Mapping[str, Counts]:
        """What each store has counted, by name; also of stores that are gone."""


class Family:
    """One metric with its samples, as text.

    Args:
        name: with its unit last, and behind that `_total` if it is a counter.
        kind: gauge, counter or histogram.
        about: what it tells, in a clause.
    """

    __slots__ = ("_head", "_lines", "_name", "_openmetrics_head")

    def __init__(self, name: str, kind: str, about: str) -> None:
        self._name = name
        self._head = f"# HELP {name} {about}\n# TYPE {name} {kind}\n"
        # In OpenMetrics `_total` belongs to the sample, not to the metric.
        bare = name.removesuffix("_total")
        self._openmetrics_head = f"# HELP {bare} {about}\n# TYPE {bare} {kind}\n"
        self._lines: list[str] = []

    def add(self, labels: str, value: float, suffix: str = "") -> None:
        """One sample; its labels are as `label_text` gives them."""
        self._lines.append(f"{self._name}{suffix}{labels} {value}\n")

    def add_all(self, labels: Iterable[str], values: Iterable[float]) -> None:
        """One sample for each of the labels."""
        name = self._name
        self._lines += [f"{name}{each} {v}\n" for each, v in zip(labels, values, strict=True)]

    def text(self, *, openmetrics: bool) -> str:
        """Head and samples; nothing if there are none."""
        if not self._lines:
            return ""
        return (self._openmetrics_head if openmetrics else self._head) + "".join(self._lines)


def label_text(**values: str) -> str:
    """Labels as they stand behind a name."""
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in values.items()) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")


class Metrics:
    """What a gateway tells Prometheus. Each has a registry of its own.

    Args:
        node: the stores.
        workers: those whose load is told.
        epochs: the epochs in the logs of the stores.
    """

    def __init__(
        self, node: Node, *, workers: Workers, epochs: CommittedEpochs | None = None
    ) -> None:
        self._node = node
        self._workers = workers
        self._epochs = epochs or CommittedEpochs()
        self._connections: dict[str, Callable[[], int]] = {}
        self._build = label_text(version=version("stategate"), python=platform.python_version())
        # Its own thread: when all others are taken, this is what is looked at.
        self._own = Workers(threads=1, queue_max=_WAITING_MAX)
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        GCCollector(registry=self._registry)

    def watch_connections(self, protocol: str, count: Callable[[], int]) -> None:
        """Tell from now on how many connections there are of a protocol."""
        self._connections[protocol] = count

    async def scrape(self, accept: str) -> tuple[bytes, str]:
        """All metrics, and their content type, in the first format that an Accept header names.

        Raises:
            LimitExceededError: too many others wait for theirs (53300).
            UnavailableError: the gateway is shutting down (57P01).
            HttpRequestError: the header is malformed.
        """
        return await self._own.run(self.text, accept)

    def text(self, accept: str) -> tuple[bytes, str]:
        """The same in this thread; it may block for `LOG_WAIT_S`."""
        try:
            encode, content_type = choose_encoder(accept)
        except (TypeError, ValueError) as error:  # how the library meets a version of letters
            raise HttpRequestError("the Accept header names a malformed version") from error
        openmetrics = content_type.startswith("application/openmetrics-text")
        ours = "".join(family.text(openmetrics=openmetrics) for family in self._families())
        # The library ends what it writes with the mark that OpenMetrics has for the end.
        return ours.encode() + encode(self._registry), content_type

    def close(self) -> None:
        """Answer no more; the registry goes with this object."""
        self._own.close()

    def _families(self) -> list[Family]:
        # All that follows is of these stores, though others may come or go meanwhile.
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
        ]

    def _gateway_families(self) -> list[Family]:
        build = Family("stategate_build_info", "gauge", "Always 1; the labels tell what runs.")
        build.add(self._build, 1)
        connections = Family("stategate_connections", "gauge", "Open connections, by protocol.")
        for protocol, count in self._connections.items():
            connections.add(label_text(protocol=protocol), count())
        workers = self._workers
        return [
            build,
            connections,
            _gauge("stategate_workers", "Threads for statements.", workers.threads),
            _gauge("stategate_workers_busy", "Threads that work on one.", workers.running),
            _gauge("stategate_workers_waiting", "Calls that wait for one.", workers.waiting),
        ]

    def _node_families(self, held: Mapping[str, Mapping[int, Replica]]) -> list[Family]:
        is_failing = self._node.error is not None
        # What `/readyz` asks for, of the statuses that are told beside it.
        is_ready = (
            not is_failing
            and self._node.state.value == "running"
            and all(map(_answers, (each for of in held.values() for each in of.values())))
        )
        about = "1 while the log cannot be followed, or a store in it not opened."
        return [
            _gauge("stategate_ready", "1 once every replica answers.", int(is_ready)),
            _gauge("stategate_follower_error", about, int(is_failing)),
            _gauge(
                "stategate_columns_bytes",
                "Memory of decoded columns, for whole scans.",
                self._node.columns_bytes,
            ),
        ]


def _answers(replica: Replica) -> bool:
    return replica.state.value == "running" and replica.error is None


def _gauge(name: str, about: str, value: int) -> Family:
    family = Family(name, "gauge", about)
    family.add("", value)
    return family


def _store_families(stores: Mapping[str, Counts]) -> list[Family]:
    queries = Family(
        "stategate_store_queries_total", "counter", "Partitions asked, by type of query."
    )
    failures = Family(
        "stategate_store_query_failures_total", "counter", "Those that did not answer, by reason."
    )
    rows = Family("stategate_store_rows_total", "counter", "Rows given to readers.")
    seconds = Family(
        "stategate_store_query_seconds",
        "histogram",
        "Time that a partition took to answer, without what its reader took to read a stream.",
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
        # The bound of Prometheus is in the bucket, ours is not, and both are whole nanoseconds.
        greatest_s = (counts.bucket_ns(bucket) - 1) / 1e9
        seconds.add(label_text(store=store, le=repr(greatest_s)), total, "_bucket")
    total += counts.time_counts[-1]
    seconds.add(label_text(store=store, le="+Inf"), total, "_bucket")
    seconds.add(label_text(store=store), total, "_count")
    seconds.add(label_text(store=store), counts.time_ns / 1e9, "_sum")


def _log_families(stores: Iterable[str], committed: Mapping[str, int]) -> list[Family]:
    epoch = Family("stategate_store_committed_epoch", "gauge", "Newest epoch in the log.")
    readable = Family(
        "stategate_store_log_readable", "gauge", "0 if that epoch could not be read, or not soon."
    )
    for store in stores:
        labels = label_text(store=store)
        readable.add(labels, int(store in committed))
        if store in committed:
            epoch.add(labels, committed[store])
    return [epoch, readable]


def _replica_families(stores: Mapping[str, Mapping[int, Replica]]) -> list[Family]:
    """Metric by metric rather than replica by replica: that takes half the time."""
    which = [
        f'store="{_escaped(store)}",partition="{partition}"'
        for store, replicas in stores.items()
        for partition in sorted(replicas)
    ]
    replicas = [held[partition] for held in stores.values() for partition in sorted(held)]
    labels = [f"{{{each}}}" for each in which]
    epoch = Family("stategate_replica_epoch", "gauge", "Newest applied epoch; -1 before the first.")
    epoch.add_all(labels, [replica.progress.epoch for replica in replicas])
    active = Family("stategate_replica_active", "gauge", "1 if its role is active, 0 for standby.")
    active.add_all(labels, [1 if each.role.value == "active" else 0 for each in replicas])
    error = Family("stategate_replica_error", "gauge", "1 while it cannot follow the log.")
    error.add_all(labels, [0 if replica.error is None else 1 for replica in replicas])
    late = Family("stategate_replica_late_rows_total", "counter", "Rows that came too late.")
    late.add_all(labels, [replica.late_rows for replica in replicas])
    states = _replica_states(which, [replica.state for replica in replicas])
    return [epoch, states, active, error, late, *_replica_times(labels, replicas)]


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

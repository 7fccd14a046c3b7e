"""What `/metrics` reads: the stores of a node, their replicas and counters, and other workers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Protocol

from stategate.gateway.http.metrics.committed_epochs import FollowedStore


class Progress(Protocol):
    """How far a replica has applied its log."""

    @property
    def epoch(self) -> int:
        """The newest applied epoch; -1 before the first."""

    @property
    def watermark_ms(self) -> int | None:
        """The watermark of that epoch, in event time."""

    @property
    def committed_ms(self) -> int:
        """The commit time of that epoch."""


class Replica(Protocol):
    """The state of one partition of a store."""

    @property
    def role(self) -> Enum:
        """Active or standby."""

    @property
    def state(self) -> Enum:
        """Restoring, running or closed."""

    @property
    def progress(self) -> Progress:
        """The progress of the replica."""

    @property
    def error(self) -> str | None:
        """Why it cannot follow the log, if so."""

    @property
    def late_rows(self) -> int:
        """Rows that arrived too late."""

    @property
    def held_epochs(self) -> int:
        """Epochs that readers hold."""


class Tally(Protocol):
    """Counts by reason."""

    def items(self) -> Iterable[tuple[Enum, int]]:
        """Return the reasons with their counts."""


class Counts(Protocol):
    """A store's counters at one moment."""

    @property
    def queries(self) -> Mapping[str, int]:
        """Partition reads by query type."""

    @property
    def failures(self) -> Tally:
        """Failed partition reads by reason."""

    @property
    def rows(self) -> int:
        """Rows read."""

    @property
    def time_ns(self) -> int:
        """Time of all partition reads."""

    @property
    def time_counts(self) -> Sequence[int]:
        """Partition reads by duration, one count a bucket; the last bucket has no bound."""

    def bucket_ns(self, bucket: int) -> int:
        """Return the exclusive upper bound of a bucket."""


class Node(Protocol):
    """The stores of a node."""

    @property
    def stores(self) -> Mapping[str, FollowedStore]:
        """The current stores, by name."""

    @property
    def state(self) -> Enum:
        """Its state: restoring, running or closed."""

    @property
    def error(self) -> str | None:
        """Why the log cannot be followed or a store cannot be opened, if so."""

    @property
    def columns_bytes(self) -> int:
        """Memory of decoded columns."""

    @property
    def open_databases(self) -> int:
        """How many databases are open; those of the other replicas are at rest."""

    @property
    def open_files(self) -> int:
        """About how many files they have open."""

    def statuses(self) -> Mapping[str, Mapping[int, Replica]]:
        """Return every replica, by store and partition."""

    def held_s(self) -> Mapping[str, float]:
        """Return for how long an epoch of each store has been held."""

    def metrics(self) -> Mapping[str, Counts]:
        """Return the counters by store name, dropped stores included."""


class OtherMetrics(Protocol):
    """The metrics of the other workers."""

    @property
    def worker(self) -> int:
        """The number of this worker."""

    def metrics(self, accept: str) -> Mapping[int, str]:
        """Return the metrics of each other worker as text; it blocks."""

"""The two interfaces of the store layer: a store for its readers, a partition for its engine.

The planner sees only `Store`. Engines implement `StorePartition`; `query_partition` in
`stategate.stores.hosting.dispatch` is the only function that passes a query to one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

import pyarrow as pa
from msgspec import Struct, structs

from stategate.stores.errors import StoreError
from stategate.stores.spec.key_log import KeyLog
from stategate.stores.spec.position import UNBOUNDED, Position, PositionBound, Progress
from stategate.stores.spec.query import Query
from stategate.stores.spec.result import QueryResult, StateQueryResult
from stategate.stores.spec.schema import StoreSchema
from stategate.stores.spec.traces import Trace

R = TypeVar("R")


class Role(Enum):
    """The role of a replica: an active one answers first, a standby takes over."""

    ACTIVE = "active"
    STANDBY = "standby"


class ReplicaState(Enum):
    """The state of a replica."""

    RESTORING = "restoring"
    """It has not yet applied all epochs that the log held when it was opened."""
    RUNNING = "running"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionStatus:
    """The status of one replica."""

    partition: int
    role: Role
    state: ReplicaState
    progress: Progress
    error: str | None = None
    """Why it cannot follow the log; it still serves its last good epoch."""
    node: str | None = None
    """The other node that it is on; None for this one."""
    epoch_oldest: int = -1
    """The oldest epoch that it can still answer at."""
    pipeline: str | None = None
    """The writer of its epochs. Epochs of two stores have the same input only if it is the same."""
    late_rows: int = 0
    """Rows that were dropped since the replica was opened because no query could ever see them.

    They had expired when they came, or begin at the end of time. Tombstones count. It only grows.
    """
    held_epochs: int = 0
    """How many epochs readers keep from being forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryConfig:
    """The conditions under which a query is answered."""

    bound: PositionBound = UNBOUNDED
    active: bool = False
    """Only an active, running replica may answer; the bound must hold, too."""
    info: bool = False
    """Collect execution info."""
    at_epoch: int | None = None
    """Answer at exactly this epoch; replicas keep the last few."""


DEFAULT_CONFIG = QueryConfig()


class RequestError(StoreError, ValueError):
    """The numbers of partitions were read from a request to all of them."""


class StateQueryRequest(Struct, Generic[R], frozen=True, kw_only=True):
    """A query of a store, with the partitions to ask and their bound. Immutable.

    Build one with `in_store(...)`; each option returns a new request.
    Source: KIP-796 `StateQueryRequest`.
    """

    store: str
    query: Query[R]
    wanted: frozenset[int] | None = None
    """The partitions to ask; None asks all."""
    config: QueryConfig = DEFAULT_CONFIG

    @property
    def is_all_partitions(self) -> bool:
        """Whether all partitions of the store are asked."""
        return self.wanted is None

    @property
    def partitions(self) -> frozenset[int]:
        """The numbers of the asked partitions.

        Raises:
            RequestError: all are asked; only the store knows their number.
        """
        if self.wanted is None:
            raise RequestError("the request is to all partitions: it has no list of them")
        return self.wanted

    @property
    def position_bound(self) -> PositionBound:
        """The least that the caller accepts."""
        return self.config.bound

    def with_position_bound(self, bound: PositionBound) -> StateQueryRequest[R]:
        """Return a copy with this bound."""
        return structs.replace(self, config=replace(self.config, bound=bound))

    def with_partitions(self, partitions: Set[int]) -> StateQueryRequest[R]:
        """Return a copy for these partitions only."""
        return structs.replace(self, wanted=frozenset(partitions))

    def with_all_partitions(self) -> StateQueryRequest[R]:
        """Return a copy for all partitions; missing ones answer `NOT_PRESENT`."""
        return structs.replace(self, wanted=None)

    def require_active(self) -> StateQueryRequest[R]:
        """Return a copy that only active replicas answer; the bound must hold, too."""
        return structs.replace(self, config=replace(self.config, active=True))

    def enable_execution_info(self) -> StateQueryRequest[R]:
        """Return a copy that collects execution info."""
        return structs.replace(self, config=replace(self.config, info=True))


@dataclass(frozen=True, slots=True)
class InStore:
    """A request without its query."""

    store: str

    def with_query(self, query: Query[R]) -> StateQueryRequest[R]:
        """Return the request for this query, to all partitions."""
        return StateQueryRequest(store=self.store, query=query)


def in_store(name: str) -> InStore:
    """Begin a request: `in_store("clicks").with_query(KeyQuery.with_key("bob"))`."""
    return InStore(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One epoch of one partition; it does not change while it is referenced."""

    progress: Progress
    data: Any
    """The engine's data: a RocksDB snapshot, or the rows."""


Handler: TypeAlias = Callable[[View, Any], Any]
"""Answers one type of query: (view, query) → the query's result."""


class StorePartition(Protocol):
    """One partition in an engine: it takes rows by epochs and answers queries on views.

    Laws: `view` changes only at the end of `apply`, at once; a view taken earlier still answers as
    before; after a crash the progress is never ahead of the rows.
    """

    @property
    def view(self) -> View:
        """The newest epoch.

        Raises:
            StoreError: the partition is closed.
        """

    @property
    def handlers(self) -> Mapping[type[Query[Any]], Handler]:
        """The types of query that it answers, each with its handler."""

    def apply(
        self, progress: Progress, batches: Iterable[pa.RecordBatch], *, replace: bool = False
    ) -> None:
        """Apply the rows and the progress of one epoch, both or neither.

        Args:
            progress: the partition's progress after this epoch.
            batches: key, time and value columns, then `_timestamp` and `_deleted`.
            replace: the rows are the whole partition; all other rows are removed.
        """

    def close(self) -> None:
        """Release all resources; views stay valid while they are referenced."""


class Stop(Protocol):
    """Whether the reader of answers still waits for them, such as the planner's cancellation."""

    trace: Trace | None
    """What other nodes say whose reads they record; None if nothing is recorded."""

    @property
    def remaining_s(self) -> float | None:
        """Seconds until it waits no more, never negative; None without such a time."""

    def on_cancel(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back when it waits no more, perhaps at once; return a function that forgets it."""

    def check(self) -> None:
        """Raise the reader's own error if it waits no more."""


OnBound: TypeAlias = Callable[[bool], object]
"""A callback that gets whether a bound was met."""


class Waiting(Protocol):
    """A callback that waits for a bound."""

    def cancel(self) -> bool:
        """Stop waiting; False if the callback was called or is about to be."""


class Hold(Protocol):
    """An epoch of one partition that the replica keeps until it is released."""

    @property
    def epoch(self) -> int:
        """The epoch to ask at."""

    @property
    def is_held(self) -> bool:
        """Whether it is still kept: not released, not held too long, and the replica is open."""

    @property
    def is_missed(self) -> bool:
        """Whether the replica skipped the epoch, which was held before it came."""

    @property
    def is_misplaced(self) -> bool:
        """Whether the node that keeps it waits to be rid of it: keep the epoch elsewhere, too."""

    @property
    def committed_ms(self) -> int | None:
        """When the epoch was committed, in epoch milliseconds; None if that is not known here.

        It tells epochs of one number apart, after a store was made anew. It is not known of an
        epoch that is no longer kept or yet to come.
        """

    def release(self) -> None:
        """Let the replica forget the epoch; repeated calls do nothing."""


Target: TypeAlias = tuple[int, Query[Any], QueryConfig]
"""A partition, its query, and how to ask it."""


class Store(Protocol):
    """A store as its readers see it, here or on another node."""

    here: Store | None
    """The replicas on this node, of a store whose other partitions are asked at other nodes; those
    reads block. None if all reads are answered here."""

    @property
    def schema(self) -> StoreSchema:
        """The store's definition."""

    @property
    def is_closed(self) -> bool:
        """Whether this node has closed it, as it does when the store was made anew."""

    def query_partition(
        self, partition: int, query: Query[R], config: QueryConfig = DEFAULT_CONFIG
    ) -> QueryResult[R]:
        """Ask one partition. Problems inside of it are a `Failure`, never raised."""

    def standing(self, partition: int) -> Progress | None:
        """Return where a partition on this node stands; None if it does not answer now.

        As long as it is the same object, queries without a bound have the same answers.
        """

    def query(self, request: StateQueryRequest[R]) -> StateQueryResult[R]:
        """Ask several partitions; the result has each of them."""

    def query_each(
        self, targets: Sequence[Target], *, stop: Stop | None = None
    ) -> Iterable[QueryResult[Any]]:
        """Ask several partitions; give the answers in the order of the targets.

        Partitions that are here are asked as the answers are taken, those of other nodes at once.

        Args:
            targets: what to ask.
            stop: ends waits for other nodes, also those for the rows of a stream.
        """

    def statuses(self) -> Mapping[int, PartitionStatus]:
        """Return the status of each replica on this host, by partition."""

    def committed_epoch(self) -> int:
        """Return the newest committed epoch, applied here or not; -1 before the first.

        Raises:
            LogError: the log cannot be read now.
        """

    def unread_topics(self, position: Position, *, renew: bool = True) -> frozenset[str]:
        """Return the topics of a position that do not feed the store: bounds ignore them.

        Empty before an input is declared and an epoch applied, since any topic may feed the store.

        Args:
            position: the position of a bound.
            renew: read the definition again if there are such topics, since one may have been
                declared just now; else use the definition as of the newest epoch applied here.

        Raises:
            LogError: the definition has to be read, and cannot be now.
        """

    def wait(self, partition: int, bound: PositionBound, *, timeout_s: float) -> bool:
        """Block until a partition meets the bound; False if it does not within the time.

        Raises:
            InvalidPartitionError: the store has no such partition.
        """

    def when(self, partition: int, bound: PositionBound, callback: OnBound) -> Waiting:
        """Call back when a partition meets the bound, or when it cannot any more.

        There is no deadline: the caller keeps it and cancels.

        Args:
            partition: its number.
            bound: the bound to meet.
            callback: gets True when the bound is met, False when the replica closes or is not here.
                It runs in the thread that applies epochs, so it must hand over and return at once.
                If there is nothing to wait for, it runs in the caller's thread before this returns.

        Raises:
            InvalidPartitionError: the store has no such partition.
            TooManyWaitersError: the replica has too many waiters.
        """

    def hold(self, partition: int, epoch: int | None = None) -> Hold | None:
        """Keep an epoch of a partition, so that `at_epoch` finds it until it is released.

        Applying goes on. The hold ends by itself if the epoch is behind the newest ones for too
        long, if it is the oldest of too many, or if the replica closes. Then `is_held` is false,
        and queries at the epoch are refused.

        Args:
            partition: its number.
            epoch: its number; None for the newest. An epoch to come is kept when it comes.

        Returns:
            The hold; None if the replica is not here or has forgotten the epoch.
        """

    def follow_keys(self, partition: int) -> KeyLog | None:
        """Record the keys that epochs change while the log is referenced; None if not here."""

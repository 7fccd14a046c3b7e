"""The seams of the store layer: what a store is, what one partition of it must do.

`Store` is all that the planner sees. `StorePartition` is what an engine implements; the one
function that dispatches a query to it, `query_partition`, is in `stores.hosting.dispatch`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

import pyarrow as pa
from msgspec import Struct, structs

from stores.errors import StoreError
from stores.spec.position import UNBOUNDED, Position, PositionBound, Progress
from stores.spec.query import Query
from stores.spec.result import QueryResult, StateQueryResult
from stores.spec.schema import StoreSchema

R = TypeVar("R")


class Role(Enum):
    """What a replica is for: an active one answers first, a standby takes over."""

    ACTIVE = "active"
    STANDBY = "standby"


class ReplicaState(Enum):
    """Where a replica is in its life."""

    RESTORING = "restoring"
    """It has not yet applied what the log held when it was opened."""
    RUNNING = "running"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionStatus:
    """One replica as it stands now."""

    partition: int
    role: Role
    state: ReplicaState
    progress: Progress
    error: str | None = None
    """What keeps it from following the log; it goes on serving its last good epoch."""
    epoch_oldest: int = -1
    """The oldest epoch that it can still be asked at."""
    pipeline: str | None = None
    """Who wrote its epochs. Epochs of two stores are the same input only if this is the same."""
    late_rows: int = 0
    """Rows that were dropped since the replica was opened, as no query could ever see them.

    Windows, sessions and versions that came when they were behind the retention already, and
    versions that begin at the end of time; tombstones count, too. It only grows.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryConfig:
    """How a query is to be answered, beside what it asks."""

    bound: PositionBound = UNBOUNDED
    active: bool = False
    """Only by an active, running replica; the bound holds all the same."""
    info: bool = False
    """Collect execution info."""
    at_epoch: int | None = None
    """Answer as of this epoch, neither older nor newer; replicas keep the last few."""


DEFAULT_CONFIG = QueryConfig()


class RequestError(StoreError, ValueError):
    """A request was asked for what it does not have."""


class StateQueryRequest(Struct, Generic[R], frozen=True, kw_only=True):
    """A query of a store: which partitions, with which bound. Immutable, as are its parts.

    Build one with `in_store(...)`; each option gives a new request.
    Source: KIP-796 `StateQueryRequest`.
    """

    store: str
    query: Query[R]
    wanted: frozenset[int] | None = None
    """The partitions that were named; None asks all."""
    config: QueryConfig = DEFAULT_CONFIG

    @property
    def is_all_partitions(self) -> bool:
        """Whether all partitions of the store are asked, present or not."""
        return self.wanted is None

    @property
    def partitions(self) -> frozenset[int]:
        """The partitions that were named; none at all, if an empty set was.

        Raises:
            RequestError: all are asked, and how many they are only the store knows.
        """
        if self.wanted is None:
            raise RequestError("the request is to all partitions: it names none")
        return self.wanted

    @property
    def position_bound(self) -> PositionBound:
        """The least that the caller accepts."""
        return self.config.bound

    def with_position_bound(self, bound: PositionBound) -> StateQueryRequest[R]:
        """The same with this bound."""
        return structs.replace(self, config=replace(self.config, bound=bound))

    def with_partitions(self, partitions: Set[int]) -> StateQueryRequest[R]:
        """The same for these partitions only."""
        return structs.replace(self, wanted=frozenset(partitions))

    def with_all_partitions(self) -> StateQueryRequest[R]:
        """The same for all partitions; those that are not here answer `NOT_PRESENT`."""
        return structs.replace(self, wanted=None)

    def require_active(self) -> StateQueryRequest[R]:
        """The same, answered by active replicas only; the bound holds all the same."""
        return structs.replace(self, config=replace(self.config, active=True))

    def enable_execution_info(self) -> StateQueryRequest[R]:
        """The same with execution info."""
        return structs.replace(self, config=replace(self.config, info=True))


@dataclass(frozen=True, slots=True)
class InStore:
    """A request that still lacks its query."""

    store: str

    def with_query(self, query: Query[R]) -> StateQueryRequest[R]:
        """The request for this query."""
        return StateQueryRequest(store=self.store, query=query)


def in_store(name: str) -> InStore:
    """Begin a request: `in_store("clicks").with_query(KeyQuery.with_key("bob"))`."""
    return InStore(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One epoch of one partition, as a query sees it: it does not change while it is held."""

    progress: Progress
    data: Any
    """The engine's own: a RocksDB snapshot, or the rows."""


Handler: TypeAlias = Callable[[View, Any], Any]
"""Answers one type of query: (view, query) → the query's result."""


class StorePartition(Protocol):
    """What an engine makes of one partition: rows go in by epochs, queries are answered on views.

    Laws: `view` changes only at the end of `apply`, at once; a view taken before still answers as
    before; after a crash the progress never claims more than the rows hold.
    """

    @property
    def view(self) -> View:
        """The newest epoch.

        Raises:
            StoreError: the partition is closed.
        """

    @property
    def handlers(self) -> Mapping[type[Query[Any]], Handler]:
        """Which types of query it answers, each with its handler."""

    def apply(
        self, progress: Progress, batches: Iterable[pa.RecordBatch], *, replace: bool = False
    ) -> None:
        """Take one epoch: its rows, and the progress they make, both or neither.

        Args:
            progress: what the partition has applied afterwards.
            batches: key, time and value columns, then `_timestamp` and `_deleted`.
            replace: the rows are the whole partition; all others go.
        """

    def close(self) -> None:
        """Release what is held; views that are still read stay valid until they are dropped."""


OnBound: TypeAlias = Callable[[bool], object]
"""Told whether a bound was met."""


class Waiting(Protocol):
    """A callback that waits for a bound."""

    def cancel(self) -> bool:
        """Wait no longer; False if it was called, or is about to be."""


class Hold(Protocol):
    """An epoch of one partition that is kept from being forgotten, so that it can be asked at."""

    @property
    def epoch(self) -> int:
        """What to ask at."""

    @property
    def is_held(self) -> bool:
        """False once it is released, or was held too long, or the replica has closed."""

    @property
    def is_missed(self) -> bool:
        """Whether it was never there: held as one to come, which the replica then left out."""

    def release(self) -> None:
        """Let it be forgotten; once is enough."""


class Store(Protocol):
    """A store as a reader sees it: on this host, or reached through it."""

    @property
    def schema(self) -> StoreSchema:
        """The store's definition."""

    def query_partition(
        self, partition: int, query: Query[R], config: QueryConfig = DEFAULT_CONFIG
    ) -> QueryResult[R]:
        """Ask one partition. Never raises for what happens inside it."""

    def query(self, request: StateQueryRequest[R]) -> StateQueryResult[R]:
        """Ask several partitions; each that was asked is in the result."""

    def statuses(self) -> Mapping[int, PartitionStatus]:
        """The partitions that are held here."""

    def committed_epoch(self) -> int:
        """The newest epoch committed by the pipeline, applied here or not; -1 if there is none.

        Raises:
            LogError: the log cannot be read now.
        """

    def unread_topics(self, position: Position, *, renew: bool = True) -> frozenset[str]:
        """The topics of a position that do not feed the store, so that a bound on them is ignored.

        None of them as long as no one can tell: no input is declared and no epoch applied.

        Args:
            position: what is asked for.
            renew: read the definition again if there are some, since one may have been declared
                just now; else what it was with the newest epoch applied here.

        Raises:
            LogError: the definition has to be read, and cannot be now.
        """

    def wait(self, partition: int, bound: PositionBound, *, timeout_s: float) -> bool:
        """Block until a partition meets the bound; False if it has not by then.

        Raises:
            InvalidPartitionError: the store has no such partition.
        """

    def when(self, partition: int, bound: PositionBound, callback: OnBound) -> Waiting:
        """Call back once a partition meets the bound, or never will; the caller keeps the time.

        Args:
            partition: its number.
            bound: what it must reach.
            callback: is given True once it is met, False when the replica closes or is not here.
                It runs in the thread that applies, so it must hand over and return at once; in the
                caller's, before this returns, if there is nothing to wait for.

        Raises:
            InvalidPartitionError: the store has no such partition.
            TooManyWaitersError: the replica has as many waiters as it may.
        """

    def hold(self, partition: int, epoch: int | None = None) -> Hold | None:
        """Keep a partition from forgetting an epoch, so that `at_epoch` finds it until released.

        Applying goes on. The hold ends by itself if it is behind the newest epochs for too long, or
        is the oldest of too many, or the replica closes: `is_held` tells, and a query at its epoch
        is refused from then on.

        Args:
            partition: its number.
            epoch: which one; None for the newest. One that is yet to come is held once it is there.

        Returns:
            None if the replica is not here, or has forgotten the epoch.
        """


class StoreCatalog(Protocol):
    """The stores that can be queried, by name; they come and go while it is used."""

    @property
    def stores(self) -> Mapping[str, Store]:
        """A snapshot of the stores by name."""

    @property
    def version(self) -> int:
        """Counts up whenever a definition is added, changed or removed."""

    def is_whole(self) -> bool:
        """Whether `stores` are all that there are now: none is new, or cannot be opened.

        The log may be read for it.
        """

    def missing(self, store: str) -> StoreError:
        """Why a store is not among `stores`: an error that tells if it can be later.

        An UnknownStoreError if there is none of that name, and only if that is sure: the log has
        been read since the start.
        """


def snapshot_epoch(statuses: Iterable[PartitionStatus]) -> int | None:
    """The newest epoch at which all these partitions can answer; None if there is none.

    A partition of one store that skips an epoch answers as of the one before: nothing changed in
    it. So only the oldest and the newest epoch that each can give matter.
    """
    held = list(statuses)
    if not held or any(status.state is ReplicaState.CLOSED for status in held):
        return None
    newest = min(status.progress.epoch for status in held)
    return newest if newest >= max(status.epoch_oldest for status in held) else None


ANONYMOUS_WRITER = "python"
"""The name in commits of a writer that was given none: it does not make two stores one pipeline."""


def pipeline_of(store: str, statuses: Iterable[PartitionStatus]) -> str:
    """Whose epochs these partitions of a store have; equal for two stores if they share them."""
    found = next((s.pipeline for s in statuses if s.pipeline is not None), ANONYMOUS_WRITER)
    return f"store:{store}" if found == ANONYMOUS_WRITER else found


def snapshot_epochs(stores: Iterable[Store]) -> dict[str, int | None]:
    """The epoch to ask each of several stores at, by name; one for all of a pipeline.

    Stores of different pipelines have nothing in common: each pipeline has its own cut.
    """
    members: dict[str, list[str]] = {}
    statuses: dict[str, list[PartitionStatus]] = {}
    for store in stores:
        found = list(store.statuses().values())
        name = store.schema.name
        pipeline = pipeline_of(name, found)
        members.setdefault(pipeline, []).append(name)
        statuses.setdefault(pipeline, []).extend(found)
    return {
        name: snapshot_epoch(statuses[pipeline])
        for pipeline, names in members.items()
        for name in names
    }

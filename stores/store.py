"""The seams of the store layer: what a store is, what one partition of it must do.

`Store` is all that the planner sees. `StorePartition` is what an engine implements; the one
function that dispatches a query to it, `query_partition`, is in `stores.dispatch`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Generic, Protocol, TypeVar

from stores.position import UNBOUNDED, PositionBound, Progress
from stores.query import Query
from stores.result import QueryResult, StateQueryResult
from stores.schema import StoreSchema

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


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryConfig:
    """How a query is to be answered, beside what it asks."""

    bound: PositionBound = UNBOUNDED
    active: bool = False
    """Only by an active, running replica; the bound holds all the same."""
    info: bool = False
    """Collect execution info."""


DEFAULT_CONFIG = QueryConfig()


@dataclass(frozen=True, slots=True, kw_only=True)
class StateQueryRequest(Generic[R]):
    """A query of a store: which partitions, with which bound. Immutable, as are its parts.

    Build one with `in_store(...)`. Source: KIP-796 `StateQueryRequest`.
    """

    store: str
    query: Query[R]
    partitions: frozenset[int] | None = None
    """None asks all partitions of the store."""
    config: QueryConfig = DEFAULT_CONFIG

    def with_position_bound(self, bound: PositionBound) -> StateQueryRequest[R]:
        """The same with this bound."""
        return replace(self, config=replace(self.config, bound=bound))

    def with_partitions(self, partitions: set[int] | frozenset[int]) -> StateQueryRequest[R]:
        """The same for these partitions only."""
        return replace(self, partitions=frozenset(partitions))

    def with_all_partitions(self) -> StateQueryRequest[R]:
        """The same for all partitions."""
        return replace(self, partitions=None)

    def require_active(self) -> StateQueryRequest[R]:
        """The same, answered by active replicas only."""
        return replace(self, config=replace(self.config, active=True))

    def enable_execution_info(self) -> StateQueryRequest[R]:
        """The same with execution info."""
        return replace(self, config=replace(self.config, info=True))


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

    def wait(self, partition: int, bound: PositionBound, *, timeout_s: float) -> bool:
        """Block until a partition meets the bound; False if it has not by then."""


class StoreCatalog(Protocol):
    """The stores that can be queried, by name; they come and go while it is used."""

    @property
    def stores(self) -> Mapping[str, Store]:
        """A snapshot of the stores by name."""

    @property
    def version(self) -> int:
        """Counts up whenever a definition is added, changed or removed."""

"""The stores of the catalog's tests, and a catalog that holds them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from stategate.stores.errors import StoreError, UnknownStoreError
from stategate.stores.spec.catalog import Nodes
from stategate.stores.spec.key_log import KeyLog
from stategate.stores.spec.position import Position, PositionBound, Progress
from stategate.stores.spec.query import Query
from stategate.stores.spec.result import QueryResult, StateQueryResult
from stategate.stores.spec.schema import Column, DataType, InputTopic, StoreKind, StoreSchema
from stategate.stores.spec.store import (
    DEFAULT_CONFIG,
    Hold,
    OnBound,
    PartitionStatus,
    QueryConfig,
    StateQueryRequest,
    Stop,
    Store,
    Target,
    Waiting,
)


def columns(**types: str) -> tuple[Column, ...]:
    """Return columns by name and SQL type."""
    return tuple(Column(name=name, type=DataType.parse(kind)) for name, kind in types.items())


def keyvalue(name: str, key: tuple[Column, ...], value: tuple[Column, ...]) -> StoreSchema:
    return StoreSchema(name=name, kind=StoreKind.KEYVALUE, key=key, value=value, partitions=4)


CLICKS = keyvalue("clicks", columns(user_id="text"), columns(n="bigint", ts="timestamptz"))
USERS = keyvalue(
    "users",
    columns(id="bigint"),
    columns(
        name="text",
        active="boolean",
        balance="decimal(12,3)",
        born="date",
        seen="timestamp",
        raw="bytea",
        token="uuid",
        doc="json",
        tags="text[]",
        score="double",
    ),
)
BIG = keyvalue("big", columns(id="integer"), columns(k="text", pad="text"))
OTHER = keyvalue("other", columns(id="integer", part="text"), columns(user_id="bigint"))
V_ACTIVE = keyvalue("v_active", columns(id="bigint"), columns(name="text"))
DELAYS = StoreSchema(
    name="delays",
    kind=StoreKind.WINDOW,
    key=columns(carrier="text"),
    value=columns(total="real"),
    partitions=8,
    inputs=(InputTopic(topic="flights"),),
    window_size_ms=3_600_000,
    retention_ms=86_400_000,
)

SCHEMAS = (CLICKS, USERS, BIG, OTHER, V_ACTIVE)
"""The tables of the database in which the statements were captured, as stores."""


R = TypeVar("R")


@dataclass(slots=True, kw_only=True)
class DefinedStore:
    """A store that is only a definition: the catalog must never read one."""

    schema: StoreSchema
    address: str = "only a definition"
    here: Store | None = None

    def query_partition(
        self, partition: int, query: Query[R], config: QueryConfig = DEFAULT_CONFIG
    ) -> QueryResult[R]:
        raise AssertionError("the catalog read a partition")

    def standing(self, partition: int) -> Progress | None:
        raise AssertionError("the catalog asked for a partition")

    def query(self, request: StateQueryRequest[R]) -> StateQueryResult[R]:
        raise AssertionError("the catalog read a store")

    def query_each(
        self, targets: Sequence[Target], *, stop: Stop | None = None
    ) -> Iterable[QueryResult[Any]]:
        raise AssertionError("the catalog read a store")

    def statuses(self) -> Mapping[int, PartitionStatus]:
        raise AssertionError("the catalog asked for partitions")

    @property
    def is_closed(self) -> bool:
        raise AssertionError("the catalog asked whether it is closed")

    def committed_epoch(self) -> int:
        raise AssertionError("the catalog asked for epochs")

    def unread_topics(self, position: Position, *, renew: bool = True) -> frozenset[str]:
        raise AssertionError("the catalog asked for topics")

    def wait(self, partition: int, bound: PositionBound, *, timeout_s: float) -> bool:
        raise AssertionError("the catalog waited")

    def when(self, partition: int, bound: PositionBound, callback: OnBound) -> Waiting:
        raise AssertionError("the catalog waited")

    def hold(self, partition: int, epoch: int | None = None) -> Hold | None:
        raise AssertionError("the catalog held an epoch")

    def follow_keys(self, partition: int) -> KeyLog | None:
        raise AssertionError("the catalog asked for keys")


@dataclass(slots=True)
class DefinedStores:
    """A `StoreCatalog` whose stores can be replaced."""

    stores: Mapping[str, Store]
    version: int = 1
    nodes: Nodes | None = None

    def is_whole(self) -> bool:
        return True

    def missing(self, store: str) -> StoreError:
        return UnknownStoreError(store)

    def replace(self, *schemas: StoreSchema) -> None:
        """Replace the stores."""
        self.stores = stores_of(*schemas)
        self.version += 1


def stores_of(*schemas: StoreSchema) -> Mapping[str, Store]:
    return {schema.name: DefinedStore(schema=schema) for schema in schemas}


def defined_stores(*schemas: StoreSchema) -> DefinedStores:
    """Return a catalog of these stores."""
    return DefinedStores(stores=stores_of(*schemas))

"""Keyed, partitioned state: written as epochs to an open log, followed by replicas, and queried.

These are the names that an application needs: to write a store, host it, query it, wait for an
epoch, and look after the log. `stores.extend` has the names for new kinds, engines and queries,
`stores.spark` those for pipelines in Spark. Everything else may change without notice.
"""

from stores.codec.merging import merged_rows
from stores.errors import (
    ArgumentError,
    EpochConflictError,
    FailureReason,
    FencedError,
    LogError,
    PositionBackError,
    SchemaError,
    StoreError,
    UnknownStoreError,
)
from stores.hosting.held_epochs import held_snapshot
from stores.hosting.host import Host
from stores.hosting.metrics import MeteredStore
from stores.log.checking.repair import repair
from stores.log.checking.verification import verify
from stores.log.metadata.records import Commit
from stores.log.writing.store_writer import StoreWriter
from stores.spec.position import Position, PositionBound
from stores.spec.query import (
    FewKeysQuery,
    FirstRowsQuery,
    Interval,
    KeyQuery,
    KeysQuery,
    Order,
    RangeQuery,
    TimestampedKeyQuery,
    TimestampedRangeQuery,
)
from stores.spec.redefinition import changed_columns
from stores.spec.result import Failure, StateQueryResult, Success
from stores.spec.scans import ApproximateCountQuery, CountQuery, PrefixQuery
from stores.spec.schema import Column, DataType, InputTopic, StoreKind, StoreSchema
from stores.spec.snapshots import snapshot_epochs
from stores.spec.store import QueryConfig, Role, StateQueryRequest, Store, in_store
from stores.spec.versions import MultiVersionedKeyQuery, VersionedKeyQuery, VersionedRangeQuery
from stores.spec.windows import (
    SessionKeyQuery,
    SessionQuery,
    SessionRangeQuery,
    SessionTime,
    TimeRange,
    WindowKeyQuery,
    WindowRangeQuery,
)
from stores.upkeep.compaction import write_snapshot
from stores.upkeep.rebuild import evolve, rebuild
from stores.upkeep.retention import Retention, compact

__all__ = [
    "ApproximateCountQuery",
    "ArgumentError",
    "Column",
    "Commit",
    "CountQuery",
    "DataType",
    "EpochConflictError",
    "Failure",
    "FailureReason",
    "FencedError",
    "FewKeysQuery",
    "FirstRowsQuery",
    "Host",
    "InputTopic",
    "Interval",
    "KeyQuery",
    "KeysQuery",
    "LogError",
    "MeteredStore",
    "MultiVersionedKeyQuery",
    "Order",
    "Position",
    "PositionBackError",
    "PositionBound",
    "PrefixQuery",
    "QueryConfig",
    "RangeQuery",
    "Retention",
    "Role",
    "SchemaError",
    "SessionKeyQuery",
    "SessionQuery",
    "SessionRangeQuery",
    "SessionTime",
    "StateQueryRequest",
    "StateQueryResult",
    "Store",
    "StoreError",
    "StoreKind",
    "StoreSchema",
    "StoreWriter",
    "Success",
    "TimeRange",
    "TimestampedKeyQuery",
    "TimestampedRangeQuery",
    "UnknownStoreError",
    "VersionedKeyQuery",
    "VersionedRangeQuery",
    "WindowKeyQuery",
    "WindowRangeQuery",
    "changed_columns",
    "compact",
    "evolve",
    "held_snapshot",
    "in_store",
    "merged_rows",
    "rebuild",
    "repair",
    "snapshot_epochs",
    "verify",
    "write_snapshot",
]

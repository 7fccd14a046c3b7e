"""Keyed, partitioned state: written as epochs to an open log, followed by replicas, and queried.

These are the names that an application needs: to write a store, host it, query it, wait for an
epoch, and look after the log. `stategate.stores.extend` has the names for new kinds, engines and
queries, `stategate.stores.spark` those for pipelines in Spark. Everything else may change without
notice.
"""

from stategate.stores.codec.merging import merged_rows
from stategate.stores.errors import (
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
from stategate.stores.hosting.held_epochs import held_snapshot
from stategate.stores.hosting.host import Host
from stategate.stores.hosting.metrics import MeteredStore
from stategate.stores.log.checking.repair import repair
from stategate.stores.log.checking.verification import verify
from stategate.stores.log.metadata.records import Commit
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position, PositionBound
from stategate.stores.spec.query import (
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
from stategate.stores.spec.redefinition import changed_columns
from stategate.stores.spec.result import Failure, StateQueryResult, Success
from stategate.stores.spec.scans import ApproximateCountQuery, CountQuery, PrefixQuery
from stategate.stores.spec.schema import Column, DataType, InputTopic, StoreKind, StoreSchema
from stategate.stores.spec.snapshots import snapshot_epochs
from stategate.stores.spec.store import QueryConfig, Role, StateQueryRequest, Store, in_store
from stategate.stores.spec.versions import (
    MultiVersionedKeyQuery,
    VersionedKeyQuery,
    VersionedRangeQuery,
)
from stategate.stores.spec.windows import (
    SessionKeyQuery,
    SessionQuery,
    SessionRangeQuery,
    SessionTime,
    TimeRange,
    WindowKeyQuery,
    WindowRangeQuery,
)
from stategate.stores.upkeep.compaction import write_snapshot
from stategate.stores.upkeep.rebuild import evolve, rebuild
from stategate.stores.upkeep.retention import Retention, compact

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

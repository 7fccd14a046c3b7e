"""Public names for extensions: new kinds of store, engines and types of query.

An application that writes, hosts and queries stores imports from `stores`. The types that it gets
but seldom names are here: rows, reports, and the errors that `StoreError.retryable` tells apart. No
name is in both modules.
"""

from stores.contract import StoreContract
from stores.engines.memory.partition import MemoryPartition
from stores.errors import (
    CodecError,
    HostNotStartedError,
    HostRestoringError,
    HostStoppedError,
    InvalidPartitionError,
    LogMissingError,
    StoreMigratedError,
    StoreNotAvailableError,
    TooManyWaitersError,
    TornRecordError,
    UnknownKindError,
)
from stores.hosting.host import HostState
from stores.hosting.metrics import Metrics, MetricsReading
from stores.hosting.open_stores import Placement
from stores.log.checking.repair import Repaired
from stores.log.checking.verification import Damage, Verified
from stores.log.metadata.named_files import DataFile
from stores.log.metadata.records import Snapshot
from stores.log.state_log import StateLog, StoreLog
from stores.spec.catalog import StoreCatalog
from stores.spec.position import Progress
from stores.spec.query import Batch, BatchStream, Query, QueryArgumentError, TimestampedRow
from stores.spec.registry import KEY, Opening, RegistryError, Remote, register_kind, register_query
from stores.spec.result import QueryResult, ResultError
from stores.spec.scans import RawKeyQuery, RawScanQuery, RawStream
from stores.spec.schema import Key, Kind, Row, Value
from stores.spec.snapshots import snapshot_epoch
from stores.spec.store import (
    Handler,
    Hold,
    OnBound,
    PartitionStatus,
    ReplicaState,
    RequestError,
    StorePartition,
    View,
    Waiting,
)
from stores.spec.versions import VersionedRow
from stores.upkeep.compaction import CompactionStoppedError
from stores.upkeep.retention import Compacted, RetentionError

__all__ = [
    "KEY",
    "Batch",
    "BatchStream",
    "CodecError",
    "Compacted",
    "CompactionStoppedError",
    "Damage",
    "DataFile",
    "Handler",
    "Hold",
    "HostNotStartedError",
    "HostRestoringError",
    "HostState",
    "HostStoppedError",
    "InvalidPartitionError",
    "Key",
    "Kind",
    "LogMissingError",
    "MemoryPartition",
    "Metrics",
    "MetricsReading",
    "OnBound",
    "Opening",
    "PartitionStatus",
    "Placement",
    "Progress",
    "Query",
    "QueryArgumentError",
    "QueryResult",
    "RawKeyQuery",
    "RawScanQuery",
    "RawStream",
    "RegistryError",
    "Remote",
    "Repaired",
    "ReplicaState",
    "RequestError",
    "ResultError",
    "RetentionError",
    "Row",
    "Snapshot",
    "StateLog",
    "StoreCatalog",
    "StoreContract",
    "StoreLog",
    "StoreMigratedError",
    "StoreNotAvailableError",
    "StorePartition",
    "TimestampedRow",
    "TooManyWaitersError",
    "TornRecordError",
    "UnknownKindError",
    "Value",
    "Verified",
    "VersionedRow",
    "View",
    "Waiting",
    "register_kind",
    "register_query",
    "snapshot_epoch",
]

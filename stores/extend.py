"""Public names for extensions: new kinds of store, engines and types of query.

An application that writes, hosts and queries stores imports from `stores`. The types that it gets
but seldom names are here: rows, reports, and the errors that `StoreError.retryable` tells apart. No
name is in both modules.
"""

from stategate.stores.contract import StoreContract
from stategate.stores.engines.memory.partition import MemoryPartition
from stategate.stores.errors import (
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
from stategate.stores.hosting.host import HostState
from stategate.stores.hosting.metrics import Metrics, MetricsReading
from stategate.stores.hosting.open_stores import Placement
from stategate.stores.log.checking.repair import Repaired
from stategate.stores.log.checking.verification import Damage, Verified
from stategate.stores.log.metadata.named_files import DataFile
from stategate.stores.log.metadata.records import Snapshot
from stategate.stores.log.state_log import StateLog, StoreLog
from stategate.stores.spec.catalog import StoreCatalog
from stategate.stores.spec.position import Progress
from stategate.stores.spec.query import (
    Batch,
    BatchStream,
    Query,
    QueryArgumentError,
    TimestampedRow,
)
from stategate.stores.spec.registry import (
    KEY,
    Opening,
    RegistryError,
    Remote,
    register_kind,
    register_query,
)
from stategate.stores.spec.result import QueryResult, ResultError
from stategate.stores.spec.scans import RawKeyQuery, RawScanQuery, RawStream
from stategate.stores.spec.schema import Key, Kind, Row, Value
from stategate.stores.spec.snapshots import snapshot_epoch
from stategate.stores.spec.store import (
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
from stategate.stores.spec.versions import VersionedRow
from stategate.stores.upkeep.compaction import CompactionStoppedError
from stategate.stores.upkeep.retention import Compacted, RetentionError

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

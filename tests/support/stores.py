"""Stores for tests: schemas, rows, and hosts over the memory and RocksDB engines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from stategate.stores.codec.partitioner import partition_column
from stategate.stores.engines.memory.partition import MemoryPartition
from stategate.stores.engines.rocksdb.column_budget import ColumnBudget
from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.engines.rocksdb.row_budget import RowBudget
from stategate.stores.errors import StoreError, UnknownStoreError
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.replica import Replica
from stategate.stores.spec.arrow import physical_array
from stategate.stores.spec.catalog import Nodes
from stategate.stores.spec.position import Position, Progress
from stategate.stores.spec.schema import (
    TIMESTAMPTZ,
    Column,
    DataType,
    InputTopic,
    Row,
    StoreKind,
    StoreSchema,
    Value,
)
from stategate.stores.spec.store import Store, StorePartition


def columns(**types: str) -> tuple[Column, ...]:
    """Make columns from names and SQL types."""
    return tuple(Column(name=name, type=DataType.parse(text)) for name, text in types.items())


def keyvalue(
    name: str, key: Mapping[str, str], value: Mapping[str, str], *, partitions: int = 3
) -> StoreSchema:
    """Make the schema of a keyvalue store fed by topic `events`."""
    return StoreSchema(
        name=name,
        kind=StoreKind.KEYVALUE,
        key=columns(**key),
        value=columns(**value),
        partitions=partitions,
        inputs=(InputTopic(topic="events"),),
    )


def window(
    name: str,
    key: Mapping[str, str],
    value: Mapping[str, str],
    *,
    partitions: int = 3,
    size_ms: int = 3_600_000,
    retention_ms: int | None = None,
) -> StoreSchema:
    """Make the schema of a window store fed by topic `events`."""
    return StoreSchema(
        name=name,
        kind=StoreKind.WINDOW,
        key=columns(**key),
        value=columns(**value),
        partitions=partitions,
        inputs=(InputTopic(topic="events"),),
        window_size_ms=size_ms,
        retention_ms=retention_ms,
    )


def timed(
    kind: StoreKind,
    name: str,
    key: Mapping[str, str],
    value: Mapping[str, str],
    *,
    partitions: int = 3,
    retention_ms: int | None = None,
) -> StoreSchema:
    """Make the schema of a session or versioned store fed by topic `events`."""
    return StoreSchema(
        name=name,
        kind=kind,
        key=columns(**key),
        value=columns(**value),
        partitions=partitions,
        inputs=(InputTopic(topic="events"),),
        retention_ms=retention_ms,
    )


def batch(
    schema: StoreSchema,
    rows: Sequence[Row],
    *,
    times_us: Sequence[int | None] | None = None,
    deleted: Sequence[bool] | None = None,
) -> pa.RecordBatch:
    """Make rows as the log gives them to an engine: physical values, one per logged column."""
    found = [
        physical_array([row[i] for row in rows], column.type)
        for i, column in enumerate(schema.logged_columns)
    ]
    times: Sequence[Value] = [None] * len(rows) if times_us is None else times_us
    flags = [False] * len(rows) if deleted is None else list(deleted)
    names = [column.name for column in schema.logged_columns]
    return pa.RecordBatch.from_arrays(
        [*found, physical_array(times, TIMESTAMPTZ), pa.array(flags, pa.bool_())],
        names=[*names, "_timestamp", "_deleted"],
    )


def progress(epoch: int, offset: int | None = None, **fields: int) -> Progress:
    """Make the progress of an epoch at an offset of `events[0]`, by default the epoch's number."""
    position = Position.of({"events": {0: epoch if offset is None else offset}})
    return Progress(epoch=epoch, position=position, **fields)


def open_store(
    schema: StoreSchema,
    *,
    directory: Path | None = None,
    columns: ColumnBudget | None = None,
    rows: RowBudget | None = None,
) -> LocalStore:
    """Make a store with all its partitions, in memory, or in RocksDB below a directory."""

    def engine(partition: int) -> StorePartition:
        if directory is None:
            return MemoryPartition(schema, partition)
        path = directory / schema.name / str(partition)
        return RocksPartition(path, schema=schema, partition=partition, columns=columns, rows=rows)

    return LocalStore(
        schema,
        {
            partition: Replica(engine(partition), schema=schema, partition=partition)
            for partition in range(schema.partitions)
        },
    )


def fill(
    store: LocalStore,
    rows: Sequence[Row],
    *,
    epoch: int = 0,
    times_us: Sequence[int | None] | None = None,
) -> None:
    """Apply rows as one epoch, each to the partition of its key."""
    whole = batch(store.schema, rows, times_us=times_us)
    numbers = partition_column(whole, store.schema.key, store.schema.partitions)
    for partition, replica in store.replicas.items():
        mine = whole.filter(pa.array(numbers == partition))
        replica.apply(progress(epoch), [mine])


class FixedCatalog:
    """A `StoreCatalog` of fixed stores."""

    nodes: Nodes | None = None

    def __init__(self, *stores: Store) -> None:
        self._stores = {store.schema.name: store for store in stores}
        self._version = 1

    @property
    def stores(self) -> Mapping[str, Store]:
        """Return the stores by name."""
        return self._stores

    @property
    def version(self) -> int:
        """Return the number of changes."""
        return self._version

    def is_whole(self) -> bool:
        """Return True: the stores are complete."""
        return True

    def missing(self, store: str) -> StoreError:
        """Return the error for a store that does not exist."""
        return UnknownStoreError(f'store "{store}" does not exist')

    def replace(self, *stores: Store) -> None:
        """Replace the stores."""
        self._stores = {store.schema.name: store for store in stores}
        self._version += 1

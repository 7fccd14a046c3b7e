"""Stores of one pipeline whose rows have a known total at each epoch, for tests of snapshots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from stategate.planner.sql import SqlEngine
from stategate.planner.values.session import Session
from stategate.stores.codec.partitioner import partition_column
from stategate.stores.engines.memory.partition import MemoryPartition
from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.hosting.held_epochs import HeldEpochs
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.replica import Replica
from stategate.stores.spec.schema import Row, StoreSchema
from stategate.stores.spec.store import StorePartition
from tests.planner.sides import rows_of, run
from tests.support.stores import batch, keyvalue, progress

ACCOUNTS = keyvalue("accounts", {"id": "bigint"}, {"amount": "bigint"}, partitions=3)
LEDGER = replace(ACCOUNTS, name="ledger")
"""The same amounts, negated, written by the same pipeline."""
IDS = range(12)
TOTAL = "SELECT sum(amount), count(*) FROM accounts"
BOTH = "SELECT (SELECT sum(amount) FROM accounts), (SELECT sum(amount) FROM ledger)"
SELF_JOIN = (
    "SELECT count(*) FROM accounts a JOIN accounts b ON a.id = b.id AND a.amount <> b.amount"
)
REPEATABLE = "BEGIN ISOLATION LEVEL REPEATABLE READ"


def made(
    schema: StoreSchema, *, holds: HeldEpochs | None = None, directory: Path | None = None
) -> LocalStore:
    """Return a store of pipeline `spark:a` whose accounts hold 100 each, or -100 in the ledger."""

    def engine(partition: int) -> StorePartition:
        if directory is None:
            return MemoryPartition(schema, partition)
        path = directory / schema.name / str(partition)
        return RocksPartition(path, schema=schema, partition=partition)

    def replica(partition: int) -> Replica:
        return Replica(
            engine(partition),
            schema=schema,
            partition=partition,
            pipeline="spark:a",
            holds=holds if partition == 0 else None,
        )

    store = LocalStore(schema, {n: replica(n) for n in range(schema.partitions)})
    put(store, [(account, 100) for account in IDS], 0)
    return store


def put(
    store: LocalStore, rows: Sequence[Row], epoch: int, partitions: Sequence[int] = (0, 1, 2)
) -> None:
    """Apply the rows of an epoch to these partitions."""
    sign = -1 if store.schema.name == "ledger" else 1
    whole = batch(store.schema, [(account, sign * amount) for account, amount in rows])
    numbers = partition_column(whole, store.schema.key, store.schema.partitions)
    for partition in partitions:
        mine = whole.filter(pa.array(numbers == partition))
        store.replicas[partition].apply(progress(epoch), [mine])


def shifted(epoch: int) -> list[Row]:
    """Return all accounts after an epoch: each one changes, but their total does not."""
    return [(account, 100 + (epoch if account % 2 else -epoch)) for account in IDS]


def ask(engine: SqlEngine, sql: str, session: Session | None = None) -> list[Row]:
    return rows_of(run(engine, sql, session=session))


def held(store: LocalStore) -> int:
    return sum(len(replica._holds) for replica in store.replicas.values())


def caught_up(schema: StoreSchema, first: int, last: int) -> LocalStore:
    """Return a store that has applied these epochs, and keeps the newest of them."""
    store = made(schema)
    for epoch in range(first, last + 1):
        put(store, shifted(epoch), epoch)
    return store

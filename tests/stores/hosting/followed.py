"""Stores over a real state log that a test follows by hand, and the answers of their partitions."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from stategate.stores.engines.memory.partition import MemoryPartition
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.replica import Replica
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position, PositionBound
from stategate.stores.spec.query import RangeQuery
from stategate.stores.spec.result import Success
from stategate.stores.spec.schema import StoreSchema
from stategate.stores.spec.store import in_store
from tests.support.stores import keyvalue, window
from tests.support.values import rows_of

CLICKS = keyvalue("clicks", {"usr": "text"}, {"n": "bigint"}, partitions=3)
HOURS = window("hours", {"usr": "text"}, {"n": "bigint"}, partitions=1, retention_ms=10 * 3_600_000)
USERS = ["ann", "bob", "cid", "dan", "eve", "fay"]
SCAN = in_store("clicks").with_query(RangeQuery())


def write(root: Path, epoch: int, *, users: list[str] = USERS, n: int | None = None) -> None:
    rows = pa.table({"usr": users, "n": [epoch if n is None else n] * len(users)})
    position = Position.of({"events": {0: epoch * 10}})
    StoreWriter(root, CLICKS).write(rows, position=position, epoch=epoch)


def followed(root: Path, schema: StoreSchema = CLICKS) -> LocalStore:
    replicas = {
        number: Replica(MemoryPartition(schema, number), schema=schema, partition=number)
        for number in range(schema.partitions)
    }
    return LocalStore(schema, replicas, log=StoreLog.open(root, schema.name))


def counts(store: LocalStore) -> dict[str, int]:
    result = store.query(in_store("clicks").with_query(RangeQuery()))
    assert result.failures == {}
    return {k: v for r in result.partitions.values() for k, v in rows_of(r.value)}


def errors(store: LocalStore) -> set[str | None]:
    return {status.error for status in store.statuses().values()}


def epochs(store: LocalStore) -> set[int]:
    return {status.progress.epoch for status in store.statuses().values()}


def answered(store: LocalStore, bound: PositionBound) -> dict[int, int | str]:
    """Return partition → the epoch at which it answered, or the reason why it did not."""
    result = store.query(SCAN.with_position_bound(bound))
    return {
        number: answer.epoch if isinstance(answer, Success) else answer.reason.value
        for number, answer in result.partitions.items()
    }

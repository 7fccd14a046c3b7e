"""Hosts to test: the logs that they follow, and their answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from stategate.stores.errors import (
    HostRestoringError,
)
from stategate.stores.hosting.host import Host
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from stategate.stores.spec.query import RangeQuery
from stategate.stores.spec.schema import StoreSchema
from stategate.stores.spec.store import ReplicaState, in_store
from tests.support.stores import keyvalue
from tests.support.values import rows_of

CLICKS = keyvalue("clicks", {"usr": "text"}, {"n": "bigint"}, partitions=2)
OTHERS = keyvalue("others", {"usr": "text"}, {"n": "bigint"}, partitions=1)
SCAN = in_store("clicks").with_query(RangeQuery())


@contextmanager
def running(root: Path | str, data: Path | None = None) -> Iterator[Host]:
    host = Host(str(root), data, poll_ms=2)
    host.start()
    try:
        yield host
    finally:
        host.close()


def write(root: Path, *, n: int, schema: StoreSchema = CLICKS, users: int = 10) -> int:
    rows = pa.table({"usr": [f"u{i}" for i in range(users)], "n": [n] * users})
    position = Position.of({"events": {0: n}})
    return StoreWriter(root, schema).write(rows, position=position).epoch


def counts(host: Host) -> set[int]:
    """Return the distinct counts of all rows; empty while a partition does not answer."""
    try:
        result = host.query(SCAN)
    except HostRestoringError:
        return set()
    if result.failures:
        return set()
    return {n for r in result.partitions.values() for _, n in rows_of(r.value)}


def has_epoch(host: Host, epoch: int, store: str = "clicks") -> bool:
    """Whether all replicas of a store here answer as of an epoch, or a later one."""
    statuses = host.statuses().get(store, {}).values()
    return bool(statuses) and all(
        status.state is ReplicaState.RUNNING and status.progress.epoch >= epoch
        for status in statuses
    )

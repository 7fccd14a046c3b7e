"""A log of the stores of a chaos run that a test writes, without a pipeline or a broker."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa

from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from stategate.stores.spec.schema import InputTopic, StoreKind, StoreSchema
from stategate.stores.upkeep.rebuild import rebuild
from tests.chaos.ledger import ASKED, TOPIC, WINDOW_MS, Ledger, Operation, part_of
from tests.support.gateway import columns

RECORDS = 6
"""Records of an epoch."""
_KEYS, _EPOCHS_OF_A_WINDOW = 60, 20
_BEGIN_MS = time.time_ns() // 1_000_000 // WINDOW_MS * WINDOW_MS


def _schema(store: str) -> StoreSchema:
    is_windowed = store == "windows"
    return StoreSchema(
        name=store,
        kind=StoreKind.WINDOW if is_windowed else StoreKind.KEYVALUE,
        key=columns(key="text", part="integer"),
        value=columns(n="bigint", amount="bigint"),
        partitions=2,
        inputs=(InputTopic(topic=TOPIC),),
        window_size_ms=WINDOW_MS if is_windowed else None,
    )


@dataclass(slots=True)
class Log:
    """A log, and all who are told what is written."""

    root: Path
    ledgers: list[Ledger]
    acknowledged: deque[Operation] = field(default_factory=deque)
    schemas: dict[str, StoreSchema] = field(
        default_factory=lambda: {store: _schema(store) for store in ASKED}
    )

    def write(self, epoch: int) -> None:
        """Write records, every fourth of them a tombstone, and tell everyone."""
        first = epoch * RECORDS
        operations = [_record(number) for number in range(first, first + RECORDS)]
        for ledger in self.ledgers:
            ledger.commit(operations)
            ledger.begin(time.monotonic())  # until they are in all stores
        position = Position.of({TOPIC: {0: first + RECORDS - 1}})
        for store, schema in self.schemas.items():
            rows = self._rows(store, operations)
            StoreWriter(self.root, schema).write(rows, position=position, epoch=epoch)
        for ledger in self.ledgers:
            ledger.commit([])
        self.acknowledged.extend(operations)

    def rebuild(self, store: str) -> None:
        """Turn the key, rename a column, and change the number of partitions."""
        before = self.schemas[store]
        (n, amount) = before.value
        name = "amount" if amount.name == "amount1" else "amount1"
        after = replace(
            before,
            key=before.key[::-1],
            value=(n, replace(amount, name=name)),
            partitions=5 - before.partitions,
        )
        made = rebuild(self.root, store, after, renamed={name: amount.name})
        self.schemas[store] = made.schema

    def _rows(self, store: str, operations: Sequence[Operation]) -> pa.Table:
        """Return what an epoch changes."""
        at = {0: operations[-1].offset}
        rows = [
            self.ledgers[0].row(store, (o.key, o.at_ms) if store == "windows" else o.key, at)
            for o in operations
        ]
        n, amount = (each.name for each in self.schemas[store].value)
        made = {
            "key": [each.key for each in operations],
            "part": pa.array([part_of(each.key) for each in operations], pa.int32()),
            n: pa.array([row[0] if row else 0 for row in rows], pa.int64()),
            amount: pa.array([row[1] if row else 0 for row in rows], pa.int64()),
            "_deleted": [row is None for row in rows],
        }
        if store == "windows":
            for name, more_ms in (("window_start", 0), ("window_end", WINDOW_MS)):
                moments = [(each.at_ms + more_ms) * 1_000 for each in operations]
                made[name] = pa.array(moments, pa.timestamp("us", tz="UTC"))
        return pa.table(made)


def _record(number: int) -> Operation:
    key = number % _KEYS
    is_tombstone = (number + number // _KEYS) % 4 == 3
    return Operation(
        key=f"p0k{key}",
        number=number,
        amount=None if is_tombstone else number,
        at_ms=_BEGIN_MS + number // RECORDS // _EPOCHS_OF_A_WINDOW * WINDOW_MS,
        partition=0,
        begun_s=time.monotonic(),
        offset=number,
    )

"""A log of the stores of a chaos run whose epochs have one record each, for tests of readers."""

from __future__ import annotations

import datetime as dt
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from stores.log.writing.store_writer import StoreWriter
from stores.spec.position import Position
from stores.spec.schema import InputTopic, StoreKind, StoreSchema
from tests.chaos.ledger import TOPIC, WINDOW_MS, Ledger, Operation, part_of
from tests.support.gateway import columns

_EPOCHS_OF_A_WINDOW = 7


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

    def write(self, epoch: int) -> None:
        """Write a record, or every fourth time a tombstone, and tell everyone."""
        operation = Operation(
            key=f"p0k{epoch % 5}",
            number=epoch,
            amount=None if epoch % 4 == 3 else epoch,
            at_ms=epoch // _EPOCHS_OF_A_WINDOW * WINDOW_MS,
            partition=0,
            begun_s=time.monotonic(),
            offset=epoch,
        )
        for ledger in self.ledgers:
            ledger.begin(time.monotonic())
            ledger.commit([operation])
            ledger.begin(time.monotonic())  # until it is in all stores
        for store in ("latest", "totals", "windows"):
            position = Position.of({TOPIC: {0: epoch}})
            rows = self._rows(store, operation)
            StoreWriter(self.root, _schema(store)).write(rows, position=position, epoch=epoch)
        for ledger in self.ledgers:
            ledger.commit([])
        self.acknowledged.append(operation)

    def _rows(self, store: str, each: Operation) -> pa.Table:
        """Return what an epoch changes."""
        ledger, at = self.ledgers[0], {each.partition: each.offset}
        of = (each.key, each.at_ms) if store == "windows" else each.key
        row = ledger.row(store, of, at)
        n, amount = row or (0, 0)
        made = {
            "key": [each.key],
            "part": pa.array([part_of(each.key)], pa.int32()),
            "n": pa.array([n], pa.int64()),
            "amount": pa.array([amount], pa.int64()),
            "_deleted": [row is None],
        }
        if store == "windows":
            begin = dt.datetime.fromtimestamp(each.at_ms / 1_000, dt.UTC)
            times = [begin, begin + dt.timedelta(milliseconds=WINDOW_MS)]
            for name, moment in zip(("window_start", "window_end"), times, strict=True):
                made[name] = pa.array([moment], pa.timestamp("us", tz="UTC"))
        return pa.table(made)

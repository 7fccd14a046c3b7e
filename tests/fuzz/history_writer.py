"""Writes epochs of the stores of a history until it is killed: `python -m … ROOT PAUSE_S STORE…`.

It prints a line of JSON for each write that was acknowledged or refused, and nothing else. A write
that it had not printed when it was killed may be committed or not.
"""

from __future__ import annotations

import json
import sys
import time
from collections import deque
from collections.abc import Sequence

import pyarrow as pa

from stategate.stores.codec.partitioner import partitioner
from stategate.stores.errors import StoreError
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from stategate.stores.spec.schema import InputTopic, StoreKind, StoreSchema
from tests.fuzz.history_model import CELLS, MARKS, is_passing, is_set
from tests.support.gateway import columns

REFUSALS_MAX = 20
"""Refusals in a row after which the writer ends: another writer owns the store."""
WINDOWED = frozenset({"fine", "expired"})
"""Names of window stores; the others are keyvalue stores."""
RETENTION_MS = 4_000
_WINDOW_MS = 1_000
_FAR_US = 4_000_000_000_000_000
"""The window of cells and flags, which do not expire."""
_PASSING_FOR = 3
"""Epochs after which a mark with an odd key is deleted."""


def schema(store: str) -> StoreSchema:
    """Return the definition of a store of a history."""
    windowed = store in WINDOWED
    return StoreSchema(
        name=store,
        kind=StoreKind.WINDOW if windowed else StoreKind.KEYVALUE,
        key=columns(id="bigint"),
        value=columns(stamp="bigint"),
        partitions=3,
        inputs=(InputTopic(topic=topic_of(store)),),
        window_size_ms=_WINDOW_MS if windowed else None,
        retention_ms=RETENTION_MS if windowed else None,
    )


def topic_of(store: str) -> str:
    """Return the input topic of a store, whose name begins with the store's; faults need that."""
    return f"{store}_events"


def place(key: int) -> int:
    """Return the partition of a key in all stores of a history."""
    return _PLACE((key,))


_PLACE = partitioner(schema("good").key, schema("good").partitions)


def _start_us(key: int) -> int:
    """Return the start of a key's window in window stores; a mark has the window of its time."""
    return _FAR_US if key < MARKS else key // (1000 * _WINDOW_MS) * 1000 * _WINDOW_MS


def is_live(store: str, mark: int, stamp: int) -> bool:
    """Whether a mark has not expired yet in the epoch with a stamp, which is the watermark."""
    if store not in WINDOWED:
        return True
    return _start_us(mark) > (stamp // 1000 - RETENTION_MS) * 1000


def table(store: str, stamp: int, deleted: Sequence[int]) -> pa.Table:
    """Return the rows of an epoch: all cells and flags, its mark, and the marks that it deletes."""
    ids = [*range(MARKS), stamp, *deleted]
    gone = [CELLS <= key < MARKS and not is_set(key, stamp) for key in range(MARKS)]
    rows = {
        "id": ids,
        "stamp": [stamp] * len(ids),
        "_deleted": [*gone, False, *(True for _ in deleted)],
    }
    if store in WINDOWED:
        rows["window_start"] = pa.array(map(_start_us, ids), pa.timestamp("us", "UTC"))
    return pa.table(rows)


def main(root: str, pause_s: float, stores: Sequence[str]) -> None:
    """Write to the stores in turn."""
    writers: dict[str, StoreWriter] = {}
    passing: dict[str, deque[int]] = {store: deque() for store in stores}
    refused = 0
    while refused < REFUSALS_MAX:
        for store in stores:
            stamp = time.time_ns() // 1000
            deleted = [passing[store][0]] if len(passing[store]) > _PASSING_FOR else []
            try:
                writer = writers.get(store)
                if writer is None:
                    writer = writers[store] = StoreWriter(root, schema(store))
                commit = writer.write(
                    table(store, stamp, deleted),
                    position=Position.of({topic_of(store): {0: stamp}}),
                    watermark_ms=stamp // 1000,
                )
                told = {"store": store, "epoch": commit.epoch, "stamp": stamp, "deleted": deleted}
                print(json.dumps(told))
                refused = 0
                if deleted:
                    passing[store].popleft()
                if is_passing(stamp):
                    passing[store].append(stamp)
            except (StoreError, OSError, pa.ArrowException) as error:
                print(json.dumps({"store": store, "refused": f"{type(error).__name__}: {error}"}))
                refused += 1
            sys.stdout.flush()
            time.sleep(pause_s)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), sys.argv[3:])

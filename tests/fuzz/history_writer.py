"""Writes epochs of the stores of a history until it is killed: `python -m … ROOT PAUSE_S STORE…`.

It prints a line of JSON for each write that was acknowledged or refused, and nothing else; what it
had not printed when it was killed may be committed or not.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence

import pyarrow as pa

from stores.errors import StoreError
from stores.log import StoreWriter
from stores.position import Position
from stores.schema import InputTopic, StoreKind, StoreSchema
from tests.fuzz.history_model import CELLS
from tests.support.gateway import columns

REFUSALS_MAX = 20
"""In a row; whoever is refused so often has lost the store to another writer, and leaves."""


def schema(store: str) -> StoreSchema:
    """The definition of a store of a history."""
    return StoreSchema(
        name=store,
        kind=StoreKind.KEYVALUE,
        key=columns(id="bigint"),
        value=columns(stamp="bigint"),
        partitions=3,
        inputs=(InputTopic(topic=topic_of(store)),),
    )


def topic_of(store: str) -> str:
    """The input topic of a store; its name begins as the store's, so that faults can tell."""
    return f"{store}_events"


def table(stamp: int) -> pa.Table:
    """The rows of an epoch: all cells, and its mark."""
    return pa.table({"id": [*range(CELLS), stamp], "stamp": [stamp] * (CELLS + 1)})


def main(root: str, pause_s: float, stores: Sequence[str]) -> None:
    """Write to the stores by turns."""
    writers: dict[str, StoreWriter] = {}
    refused = 0
    while refused < REFUSALS_MAX:
        for store in stores:
            stamp = time.time_ns() // 1000
            try:
                writer = writers.get(store)
                if writer is None:
                    writer = writers[store] = StoreWriter(root, schema(store))
                position = Position.of({topic_of(store): {0: stamp}})
                commit = writer.write(table(stamp), position=position)
                print(json.dumps({"store": store, "epoch": commit.epoch, "stamp": stamp}))
                refused = 0
            except (StoreError, OSError, pa.ArrowException) as error:
                print(json.dumps({"store": store, "refused": f"{type(error).__name__}: {error}"}))
                refused += 1
            sys.stdout.flush()
            time.sleep(pause_s)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), sys.argv[3:])

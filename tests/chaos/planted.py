"""Run a gateway with a planted fault: `python -m … PARENT FAULT MODULE ARGUMENTS`.

The checker must find each fault; one that it misses would be missed in the product, too.
"""

from __future__ import annotations

import runpy
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

import pyarrow as pa

from stategate.stores.engines.rocksdb import partition, writes
from stategate.stores.hosting import dispatch, replica
from stategate.stores.spec.position import Progress
from stategate.stores.spec.store import View
from tests.chaos.planted_reads import READS
from tests.fuzz.planted import end_with_parent


def _ahead() -> None:
    """A gateway's position is ahead of its rows."""
    plain = replica.Replica.apply

    def apply(self: replica.Replica, progress: Progress, batches: Any, **more: Any) -> None:
        engine = self.engine
        assert isinstance(engine, partition.RocksPartition)
        engine._view = View(progress=progress, data=engine.view.data)
        time.sleep(0.1)
        plain(self, progress, batches, **more)

    replica.Replica.apply = apply  # type: ignore[method-assign]


def _deaf() -> None:
    """A gateway ignores bounds."""
    replica.unmet_part = lambda *_, **__: None  # type: ignore[attr-defined]
    dispatch.unmet_bound = lambda *_, **__: None  # type: ignore[attr-defined]


def _lost() -> None:
    """A gateway leaves out the rows of some epochs."""
    plain = replica.Replica.apply

    def apply(
        self: replica.Replica, progress: Progress, batches: Iterable[pa.RecordBatch], **more: Any
    ) -> None:
        plain(self, progress, [] if progress.epoch % 3 == 2 else batches, **more)

    replica.Replica.apply = apply  # type: ignore[method-assign]


def _undead() -> None:
    """A gateway ignores tombstones."""
    plain = writes.EntryWriter.add

    def add(self: writes.EntryWriter, batch: pa.RecordBatch) -> None:
        gone = pa.array([False] * batch.num_rows)
        plain(self, batch.set_column(batch.schema.get_field_index("_deleted"), "_deleted", gone))

    writes.EntryWriter.add = add  # type: ignore[method-assign]


GATEWAYS: dict[str, Callable[[], None]] = {
    "ahead": _ahead,
    "deaf": _deaf,
    "lost": _lost,
    "undead": _undead,
    **READS,
}
"""Name → what plants it."""

if __name__ == "__main__":
    parent, fault, module = sys.argv[1:4]
    end_with_parent(int(parent))
    if fault != "none":
        GATEWAYS[fault]()
    sys.argv = [module, *sys.argv[4:]]
    runpy.run_module(module, run_name="__main__", alter_sys=True)

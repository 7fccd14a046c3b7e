"""Run one of our programs with a planted fault: `python -m … PARENT FAULT MODULE ARGUMENTS`.

Each fault is a defect that the history checker must find, in the stores whose name begins with the
fault's. Unusual file systems are not defects: no answer may be wrong on them. The programs
themselves contain none of this; it is patched in from here.
"""

from __future__ import annotations

import ctypes
import dataclasses
import os
import runpy
import signal
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pyarrow as pa

from stategate.planner.planning.partition_queries import PartitionQueries
from stategate.stores.codec import segments
from stategate.stores.engines.rocksdb import partition, writes
from stategate.stores.engines.rocksdb.row_cache import ChangedKeys
from stategate.stores.hosting import dispatch, replica
from stategate.stores.log.files import directory
from stategate.stores.spec import position
from stategate.stores.spec.position import Progress
from stategate.stores.spec.store import ReplicaState, View

BUGS: Mapping[str, str] = {
    "bound": "older than its bound",
    "twice": "an epoch is not what was written",
    "lost": "acknowledged writes are lost",
    "torn": "a snapshot is of two epochs",
    "early": "rows are missing",
    "ahead": "a position is ahead of its rows",
    "stale": "a position is ahead of its rows",
    "undead": "a deleted row is still there",
    "dropped": "rows are missing",
    "expired": "acknowledged writes are lost",
}
"""Faulty stores, each with the verdict that the checker must give; other stores have no fault."""


def plant_bugs() -> None:
    """Plant all faults, each for the stores with its name."""
    _ignore_bounds()
    _apply_wrongly()
    _tear_snapshots()
    _answer_early()
    _be_ahead()
    _keep_rows()
    _drop_partitions()
    _expire_early()


def _ignore_bounds() -> None:
    """Ignore bounds: an answer may be older than allowed."""
    plain_part, plain_bound = position.unmet_part, position.unmet_bound

    def is_faulty(inputs: Any) -> bool:
        return any(topic.topic.startswith("bound") for topic in inputs)

    def part(bound: Any, progress: Any, *, inputs: Any, **more: Any) -> Any:
        return None if is_faulty(inputs) else plain_part(bound, progress, inputs=inputs, **more)

    def whole(bound: Any, progress: Any, *, inputs: Any, **more: Any) -> Any:
        return None if is_faulty(inputs) else plain_bound(bound, progress, inputs=inputs, **more)

    _replace(replica, "unmet_part", part)
    _replace(dispatch, "unmet_bound", whole)


def _apply_wrongly() -> None:
    """Apply epochs late, twice, or without their rows."""
    plain = replica.Replica.apply
    before: dict[int, list[pa.RecordBatch]] = {}

    def apply(
        self: replica.Replica,
        progress: Progress,
        batches: Iterable[pa.RecordBatch],
        *,
        replace: bool = False,
    ) -> None:
        name, rows = self.schema.name, list(batches)
        if self.state is ReplicaState.RUNNING:
            # Each partition is behind the log by a different amount, so that the fault can be seen.
            time.sleep({"bound": 0.05, "torn": 0.1 * self.partition}.get(name, 0.0))
        if name == "early" and self.progress.epoch < 0:
            time.sleep(1.0)
        given = rows
        if name.startswith("twice") and progress.epoch % 3 == 2:
            given = [*rows, *before.get(id(self), [])]
        if name.startswith("lost") and progress.epoch % 4 == 3:
            given = []
        before[id(self)] = rows
        plain(self, progress, given, replace=replace)

    _replace(replica.Replica, "apply", apply)


def _tear_snapshots() -> None:
    """Answer with the newest epoch whatever epoch is asked for."""
    plain = replica.Replica.view_at

    def view_at(self: replica.Replica, epoch: int) -> Any:
        if self.schema.name.startswith("torn") and self._views:
            return self._views[-1]
        return plain(self, epoch)

    _replace(replica.Replica, "view_at", view_at)


def _answer_early() -> None:
    """Let a restoring replica answer."""
    plain = replica.Replica.__init__

    def begin(self: replica.Replica, engine: Any, *, schema: Any, **more: Any) -> None:
        plain(self, engine, schema=schema, **more)
        if schema.name.startswith("early"):
            self._restore_to = -1
            self._update()

    _replace(replica.Replica, "__init__", begin)


def _be_ahead() -> None:
    """Advance the position before the rows."""
    plain = replica.Replica.apply

    def apply(self: replica.Replica, progress: Progress, batches: Any, **more: Any) -> None:
        engine = self.engine
        if self.schema.name == "ahead" and isinstance(engine, partition.RocksPartition):
            engine._view = View(progress=progress, data=engine.view.data)
            time.sleep(0.05)
        plain(self, progress, batches, **more)

    _replace(replica.Replica, "apply", apply)


def _keep_rows() -> None:
    """Ignore tombstones; keep looked-up rows when an epoch changes them."""
    plain = writes.EntryWriter.add

    def add(self: writes.EntryWriter, batch: pa.RecordBatch) -> None:
        name = self._layout.schema.name
        if name == "undead":
            gone = pa.array([False] * batch.num_rows)
            batch = batch.set_column(batch.schema.get_field_index("_deleted"), "_deleted", gone)
        if name == "stale":
            self._changed = ChangedKeys(wanted=True)  # which the cache of rows does not see
        plain(self, batch)

    _replace(writes.EntryWriter, "add", add)


def _drop_partitions() -> None:
    """Leave one of several partitions out."""
    plain = PartitionQueries.targets

    def targets(self: PartitionQueries, *args: Any) -> Any:
        found = plain(self, *args)
        is_faulty = self.schema.name == "dropped" and len(found) > 1
        return found[:-1] if is_faulty else found

    _replace(PartitionQueries, "targets", targets)


def _expire_early() -> None:
    """Expire windows after half of their retention."""
    plain = segments.Segments.of

    def of(schema: Any) -> segments.Segments:
        found = plain(schema)
        if schema.name != "expired":
            return found
        return dataclasses.replace(found, retention_ms=schema.retention_ms // 2)

    _replace(segments.Segments, "of", staticmethod(of))


def slow_files() -> None:
    """Delay each look at the log by 20 ms."""
    for name in ("read", "names", "has"):
        plain = getattr(directory.Directory, name)

        def slow(self: Any, *args: Any, _plain: Callable[..., Any] = plain) -> Any:
            time.sleep(0.02)
            return _plain(self, *args)

        _replace(directory.Directory, name, slow)


def late_listings() -> None:
    """Hide files younger than half a second from listings, but not from access by name."""
    plain = directory.Directory.names

    def names(self: directory.Directory, relative: str = "") -> list[str]:
        found, horizon = plain(self, relative), time.time() - 0.5
        if not relative.startswith("epochs"):
            return found
        kept = []
        for name in found:
            try:
                if os.stat(self.join(f"{relative}/{name}")).st_ctime < horizon:
                    kept.append(name)
            except FileNotFoundError:
                continue
        return kept

    _replace(directory.Directory, "names", names)


def _replace(owner: Any, name: str, value: Any) -> None:
    """Replace an attribute with a fault; fail if the attribute no longer exists."""
    if not hasattr(owner, name):
        raise AttributeError(f"{owner} has no {name}: plant the fault elsewhere")
    setattr(owner, name, value)


PLANTED: dict[str, Callable[[], None]] = {
    "none": lambda: None,
    "bugs": plant_bugs,
    "slow": slow_files,
    "late": late_listings,
}


def end_with_parent(parent: int) -> None:
    """Let this process be killed when its parent ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            sys.exit("the parent process is gone")


_PR_SET_PDEATHSIG = 1

if __name__ == "__main__":
    end_with_parent(int(sys.argv[1]))
    del sys.argv[1]
    PLANTED[sys.argv[1]]()
    module = sys.argv[2]
    sys.argv = [module, *sys.argv[3:]]
    runpy.run_module(module, run_name="__main__", alter_sys=True)

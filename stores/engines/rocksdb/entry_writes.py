"""How the rows of an epoch enter RocksDB: put or deleted by key. Versions have a module apart."""

from __future__ import annotations

import itertools
from collections import deque

import pyarrow as pa

from stores.codec.layout import Layout
from stores.engines.rocksdb.column_changes import Change
from stores.engines.rocksdb.database import Writes
from stores.engines.rocksdb.row_cache import ChangedKeys
from stores.spec.position import Progress


class EntryWriter:
    """Writes the rows of one epoch of one partition as they come.

    Args:
        layout: of the store.
        progress: of the new epoch. By its watermark rows are late.
        writes: takes the changes.
        replaces: whether the epoch is the whole store, whose rows may be of any age.
        change: takes the rows for the kept columns; None if none are kept.
        changed: takes the keys for the cache of rows.
    """

    def __init__(
        self,
        layout: Layout,
        progress: Progress,
        writes: Writes,
        *,
        replaces: bool,
        change: Change | None,
        changed: ChangedKeys,
    ) -> None:
        self._layout, self._progress, self._writes = layout, progress, writes
        self._replaces = replaces
        self._change, self._changed = change, changed
        self._late_rows = 0

    def add(self, batch: pa.RecordBatch) -> None:
        """Write logged rows."""
        if self._layout.times:
            timely = self._layout.timely(batch, self._progress)
            self._late_rows += 0 if self._replaces else batch.num_rows - timely.num_rows
            batch = timely
        entry_keys = self._layout.entry_keys(batch)
        self._changed.add(entry_keys)
        deleted = batch.column("_deleted")
        if deleted.true_count:
            flags = deleted.to_pylist()
            self._delete(list(itertools.compress(entry_keys, flags)))
            is_put = [not flag for flag in flags]
            entry_keys = list(itertools.compress(entry_keys, is_put))
            batch = batch.filter(pa.array(is_put))
        self._put(entry_keys, self._layout.encode_rows(batch, epoch=self._progress.epoch))

    def finish(self) -> int:
        """Return how many rows were dropped, because they came too late."""
        return self._late_rows

    def _put(self, entry_keys: list[bytes], rows: list[bytes]) -> None:
        if self._change is not None:
            self._change.keys += entry_keys
            self._change.rows += rows
        # A loop in C, a fifth faster than one in Python.
        deque(map(self._writes.put, entry_keys, rows), maxlen=0)

    def _delete(self, entry_keys: list[bytes]) -> None:
        if self._change is not None:
            self._change.deleted += entry_keys
        deque(map(self._writes.delete, entry_keys), maxlen=0)

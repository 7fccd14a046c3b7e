"""Writes the rows of an epoch to a RocksDB store by event time: an earlier row changes nothing.

The time of a stored row is in its header. A deleted row leaves the time of its deletion, in a range
of its own that no query reads. So the content depends only on the rows that came, not on the epochs
that they came in.
"""

from __future__ import annotations

import itertools
import struct

import pyarrow as pa

from stategate.stores.codec.layout import DATA, DATA_END, DELETIONS, DELETIONS_END, Layout
from stategate.stores.codec.rows import NO_TIME, event_times_ms
from stategate.stores.engines.rocksdb.column_changes import Change
from stategate.stores.engines.rocksdb.database import Writes
from stategate.stores.engines.rocksdb.readers import Reader
from stategate.stores.engines.rocksdb.row_cache import ChangedKeys
from stategate.stores.engines.rocksdb.writes import EntryWriter
from stategate.stores.spec.position import Progress
from stategate.stores.spec.query import Order

_DELETED_MS = struct.Struct("<q")


class LatestWriter(EntryWriter):
    """Writes the rows of one epoch of one partition that are not earlier than the stored ones.

    Args:
        layout: the layout of the store.
        reader: the reader of the epoch before, which is not shared; None if nothing of it remains.
        progress: the progress of the new epoch.
        writes: takes the changes.
        change: takes the rows for the kept columns; None if none are kept.
        changed: takes the keys for the cache of rows.
    """

    def __init__(
        self,
        layout: Layout,
        reader: Reader | None,
        progress: Progress,
        writes: Writes,
        *,
        change: Change | None,
        changed: ChangedKeys,
    ) -> None:
        super().__init__(
            layout, progress, writes, replaces=reader is None, change=change, changed=changed
        )
        self._reader = reader
        self._has_rows = _has_entries(reader, DATA, DATA_END)
        self._has_deletions = _has_entries(reader, DELETIONS, DELETIONS_END)
        self._latest_ms: dict[bytes, int] = {}
        """The event time of each key that this epoch has, whether it won or not."""
        self._deleted: set[bytes] = set()
        """Those of them whose deletion is kept."""

    def add(self, batch: pa.RecordBatch) -> None:
        """Write logged rows, as far as they are not earlier than what is there."""
        batch = self._timely(batch)
        entry_keys = self._layout.entry_keys(batch)
        found = event_times_ms(batch.column("_timestamp"), batch.num_rows)
        times = [found] * batch.num_rows if isinstance(found, int) else found.tolist()
        self._look_up(entry_keys)
        latest_ms = self._latest_ms
        is_latest = [time >= latest_ms[key] for key, time in zip(entry_keys, times, strict=True)]
        if not all(is_latest):
            entry_keys = list(itertools.compress(entry_keys, is_latest))
            times = list(itertools.compress(times, is_latest))
            batch = batch.filter(pa.array(is_latest))
        latest_ms.update(zip(entry_keys, times, strict=True))
        self._note_deletions(entry_keys, times, batch.column("_deleted").to_pylist())
        self._write(entry_keys, batch)

    def _look_up(self, entry_keys: list[bytes]) -> None:
        """Find the times of keys that this epoch did not have yet."""
        new = [key for key in entry_keys if key not in self._latest_ms]
        latest_ms = dict.fromkeys(new, NO_TIME)
        if self._reader is not None and self._has_rows:
            for key, row in zip(new, self._reader.get_all(new), strict=True):
                if row is not None:
                    latest_ms[key] = self._layout.rows.event_time_ms(row)
        if self._reader is not None and self._has_deletions:
            marks = self._reader.get_all(map(_mark, new))
            for key, mark in zip(new, marks, strict=True):
                if mark is not None:
                    (latest_ms[key],) = _DELETED_MS.unpack(mark)
                    self._deleted.add(key)
        self._latest_ms.update(latest_ms)

    def _note_deletions(
        self, entry_keys: list[bytes], times: list[int], deleted: list[bool]
    ) -> None:
        """Keep the times of deletions, and forget those of rows that are there again."""
        for key, time, is_deleted in zip(entry_keys, times, deleted, strict=True):
            if is_deleted:
                self._deleted.add(key)
                self._writes.put(_mark(key), _DELETED_MS.pack(time))
            elif key in self._deleted:
                self._deleted.remove(key)
                self._writes.delete(_mark(key))


def _mark(entry_key: bytes) -> bytes:
    """Return the key of the time at which a row was deleted."""
    return DELETIONS + entry_key[len(DATA) :]


def _has_entries(reader: Reader | None, start: bytes, end: bytes) -> bool:
    return reader is not None and any(reader.chunks(start, end, Order.ASCENDING, first_rows=1))

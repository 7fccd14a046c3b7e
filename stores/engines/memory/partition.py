"""The reference engine: rows in a sorted list, without the codecs of RocksDB.

It is the fake in every test above the store layer, and new engines are compared with it. Its
answers to queries are in `stategate.stores.engines.memory.queries`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from stategate.stores.codec.segments import END_OF_TIME, FIRST_WHOLE_MS, MICROS_MIN, Segments
from stategate.stores.engines.memory.keys import sort_key
from stategate.stores.engines.memory.queries import Entry, memory_handlers
from stategate.stores.errors import CodecError, StoreError
from stategate.stores.spec.arrow import physical_list
from stategate.stores.spec.position import Progress
from stategate.stores.spec.query import Query
from stategate.stores.spec.schema import StoreKind, StoreSchema, Value
from stategate.stores.spec.store import Handler, View


class MemoryPartition:
    """A `StorePartition` in memory."""

    def __init__(self, schema: StoreSchema, partition: int) -> None:
        self.schema, self.partition = schema, partition
        self.late_rows = 0
        """Rows dropped because no one could read them: see `PartitionStatus`."""
        self._segments = Segments.of(schema)
        self._view: View | None = View(progress=Progress(), data=())
        self._deleted_us: dict[tuple[Any, ...], int] = {}
        """When rows were deleted, in a store by event time."""
        self._handlers = memory_handlers(schema, partition)

    @property
    def view(self) -> View:
        """The newest epoch; its data are the entries, in the order of a scan of one segment."""
        if self._view is None:
            raise StoreError(f'partition {self.partition} of store "{self.schema.name}" is closed')
        return self._view

    @property
    def handlers(self) -> Mapping[type[Query[Any]], Handler]:
        """The handlers of the store's kind; see `stores/README.md`."""
        return self._handlers

    def apply(
        self, progress: Progress, batches: Iterable[pa.RecordBatch], *, replace: bool = False
    ) -> None:
        """Apply one epoch."""
        old: Sequence[Entry] = () if replace else self.view.data
        found = [entry for b in batches for entry in self._read(b, progress.epoch)]
        if replace:
            self._deleted_us = {}
        if self.schema.kind is StoreKind.VERSIONED:
            kept, late = self._versions(old, found, progress, whole=replace)
        else:
            kept, late = self._entries(old, found, progress)
            # An epoch that replaces the store may have rows of any age, so none of them is late.
            late = 0 if replace else late
        self.late_rows += late
        self._view = View(progress=progress, data=tuple(kept))

    def close(self) -> None:
        """Drop the rows."""
        self._view = None

    def _entries(
        self, old: Sequence[Entry], new: Sequence[Entry], progress: Progress
    ) -> tuple[list[Entry], int]:
        """Return the entries that have not expired, and how many new ones came too late."""
        entries = {self._identity(entry): entry for entry in old}
        for entry in new:
            identity = self._identity(entry)
            if self.schema.by_event_time and not self._is_latest(entry, entries.get(identity)):
                continue
            if entry.row is None:
                entries.pop(identity, None)
            else:
                entries[identity] = entry
        ordered = [entries[identity] for identity in sorted(entries)]
        live_from = self._segments.live_from_us(progress)

        def is_live(entry: Entry) -> bool:
            match self.schema.kind:
                case StoreKind.WINDOW:
                    return entry.start_us >= live_from
                case StoreKind.SESSION:
                    return entry.end_us >= live_from
                case _:
                    return True

        return list(filter(is_live, ordered)), len(new) - sum(map(is_live, new))

    def _is_latest(self, entry: Entry, before: Entry | None) -> bool:
        """Whether a row is not earlier than the one before it; if so, note if it is a tombstone."""
        identity = self._identity(entry)
        since = self._deleted_us.get(identity) if before is None else before.time_us
        if since is not None and (entry.time_us is None or entry.time_us < since):
            return False
        self._deleted_us.pop(identity, None)
        if entry.row is None and entry.time_us is not None:
            self._deleted_us[identity] = entry.time_us
        return True

    def _versions(
        self, old: Sequence[Entry], new: list[Entry], progress: Progress, *, whole: bool
    ) -> tuple[list[Entry], int]:
        """Return the versions that have not expired, and how many new ones were dropped."""
        history_from = self._segments.history_from_us(progress)
        earliest = MICROS_MIN if whole else history_from
        on_time = [entry for entry in new if earliest <= entry.start_us < END_OF_TIME]
        entries = {
            self._identity(entry): entry
            for entry in itertools.chain(_unexpired(old, history_from), on_time)
        }
        chains = itertools.groupby(
            [entries[identity] for identity in sorted(entries)], lambda e: sort_key(e.key)
        )
        linked = itertools.chain.from_iterable(_linked(list(chain)) for _, chain in chains)
        return _unexpired(linked, history_from), len(new) - len(on_time)

    def _identity(self, entry: Entry) -> tuple[Any, ...]:
        end_us = entry.end_us if self.schema.kind is StoreKind.SESSION else 0
        return (*sort_key(entry.key), end_us, entry.start_us)

    def _read(self, batch: pa.RecordBatch, epoch: int) -> Iterator[Entry]:
        """Yield the rows of a batch; deleted ones are tombstones."""

        def listed(columns: Iterable[Any]) -> Iterable[tuple[Value, ...]]:
            lists = [physical_list(batch.column(c.name), c.type) for c in columns]
            return zip(*lists, strict=True) if lists else itertools.repeat((), batch.num_rows)

        times = physical_list(
            batch.column("_timestamp"), self.schema.column_by_name["_timestamp"].type
        )
        columns = (
            listed(self.schema.key),
            listed(self.schema.value),
            listed(self.schema.logged_time_columns),
            times,
            batch.column("_deleted").to_pylist(),
        )
        for key, row, ends, time, deleted in zip(*columns, strict=True):
            start, end = self._times(ends, time)
            # Stored times are whole milliseconds.
            whole = None if time is None else max(time // 1000 * 1000, FIRST_WHOLE_MS)
            values = None if deleted else row
            yield Entry(key=key, start_us=start, end_us=end, row=values, epoch=epoch, time_us=whole)

    def _times(self, ends: tuple[Value, ...], time: Value) -> tuple[int, int]:
        if self.schema.kind is StoreKind.VERSIONED:
            ends = (time, END_OF_TIME)
        if None in ends:
            raise CodecError(f'a row of store "{self.schema.name}" has no time')
        return (ends[0], ends[1]) if ends else (0, 0)


def _linked(chain: list[Entry]) -> Iterator[Entry]:
    """Yield the versions of one key, each ending where the next begins."""
    for entry, following in itertools.pairwise(chain):
        yield replace(entry, end_us=following.start_us)
    yield replace(chain[-1], end_us=END_OF_TIME)


def _unexpired(entries: Iterable[Entry], history_from: int) -> list[Entry]:
    """Return the entries without versions and tombstones that are older than the history."""

    def is_kept(entry: Entry) -> bool:
        if entry.is_open:
            return entry.row is not None or entry.start_us > history_from
        return entry.end_us > history_from

    return list(filter(is_kept, entries))

"""The reference engine: rows in a sorted list. Shares no codec with RocksDB, so they can differ.

It is the fake of every test above the store layer, and what a new engine is compared with.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from stores.arrow import physical_array, physical_list
from stores.errors import CodecError, SchemaError, StoreError
from stores.position import Progress
from stores.query import (
    BATCH_ROWS,
    BatchStream,
    Interval,
    KeyQuery,
    KeysQuery,
    Order,
    Query,
    RangeQuery,
    WindowKeyQuery,
    WindowRangeQuery,
)
from stores.schema import Key, Kind, Row, StoreKind, StoreSchema, Value
from stores.segments import Segments
from stores.store import Handler, View


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    key: Key
    start_ms: int
    """Window start; 0 in stores without windows."""
    row: Row
    epoch: int
    time_us: int | None

    @property
    def sort_key(self) -> tuple[Any, ...]:
        return (*sort_key(self.key), self.start_ms)


def sort_key(key: Key) -> tuple[tuple[int, Value], ...]:
    """What Python must compare to order keys as SQL does: NULLs first, NaN last."""
    return tuple(map(_sortable, key))


def _sortable(value: Value) -> tuple[int, Value]:
    if value is None:
        return 0, 0
    if isinstance(value, float):
        return (2, 0) if math.isnan(value) else (1, value + 0.0)
    return 1, value


class MemoryPartition:
    """A `StorePartition` in memory."""

    def __init__(self, schema: StoreSchema, partition: int) -> None:
        self.schema, self.partition = schema, partition
        self._segments = Segments.of(schema)
        self._view: View | None = View(progress=Progress(), data=())
        self._handlers: dict[type[Query[Any]], Handler] = {}
        if schema.kind is StoreKind.WINDOW:
            self._handlers[WindowKeyQuery] = self._window_key
            self._handlers[WindowRangeQuery] = self._window_range
        elif schema.kind in {StoreKind.KEYVALUE, StoreKind.GLOBAL}:
            self._handlers[KeyQuery] = self._key
            self._handlers[KeysQuery] = self._many
            self._handlers[RangeQuery] = self._range

    @property
    def view(self) -> View:
        """The newest epoch, with its entries in key order as data."""
        if self._view is None:
            raise StoreError(f'partition {self.partition} of store "{self.schema.name}" is closed')
        return self._view

    @property
    def handlers(self) -> Mapping[type[Query[Any]], Handler]:
        """Key and range queries for keyvalue stores, window queries for window stores."""
        return self._handlers

    def apply(
        self, progress: Progress, batches: Iterable[pa.RecordBatch], *, replace: bool = False
    ) -> None:
        """Take one epoch."""
        old: Sequence[_Entry] = () if replace else self.view.data
        entries = {entry.sort_key: entry for entry in old}
        for batch in batches:
            for entry, deleted in self._read(batch, progress.epoch):
                if deleted:
                    entries.pop(entry.sort_key, None)
                else:
                    entries[entry.sort_key] = entry
        live_from_ms = self._segments.live_from_ms(progress)
        is_window = self.schema.kind is StoreKind.WINDOW
        kept = [entries[k] for k in sorted(entries)]
        if is_window:
            kept = [entry for entry in kept if entry.start_ms >= live_from_ms]
        self._view = View(progress=progress, data=tuple(kept))

    def close(self) -> None:
        """Drop the rows."""
        self._view = None

    def _read(self, batch: pa.RecordBatch, epoch: int) -> Iterable[tuple[_Entry, bool]]:
        def listed(columns: Iterable[Any]) -> Iterable[tuple[Value, ...]]:
            lists = [physical_list(batch.column(c.name), c.type) for c in columns]
            return zip(*lists, strict=True) if lists else itertools.repeat((), batch.num_rows)

        by_name = self.schema.column_by_name
        starts: list[Value] = [0] * batch.num_rows
        if self.schema.kind is StoreKind.WINDOW:
            micros = physical_list(batch.column("window_start"), by_name["window_start"].type)
            starts = [value // 1000 for value in micros]
        times = physical_list(batch.column("_timestamp"), by_name["_timestamp"].type)
        deleted = batch.column("_deleted").to_pylist()
        rows = zip(listed(self.schema.key), listed(self.schema.value), strict=True)
        for (key, row), start, time, gone in zip(rows, starts, times, deleted, strict=True):
            # Stored times are whole milliseconds.
            whole = None if time is None else time // 1000 * 1000
            entry = _Entry(key=key, start_ms=start, row=row, epoch=epoch, time_us=whole)
            yield entry, gone

    def _key(self, view: View, query: KeyQuery) -> Row | None:
        wanted = self._whole(query.key)
        return next((e.row for e in view.data if sort_key(e.key) == wanted), None)

    def _many(self, view: View, query: KeysQuery) -> BatchStream:
        wanted = {self._whole(key) for key in query.keys}
        found = [entry for entry in view.data if sort_key(entry.key) in wanted]
        return self._batches(found, query.columns, Order.ASCENDING, None)

    def _range(self, view: View, query: RangeQuery) -> BatchStream:
        within = _within(query.interval)
        found = [entry for entry in view.data if within(entry.key)]
        return self._batches(found, query.columns, query.order, query.limit)

    def _window_key(self, view: View, query: WindowKeyQuery) -> BatchStream:
        first, last = self._segments.readable(query.time, view.progress)
        wanted = self._whole(query.key)
        found = [
            entry
            for entry in view.data
            if sort_key(entry.key) == wanted and first <= entry.start_ms <= last
        ]
        return self._batches(found, query.columns, query.order, query.limit)

    def _window_range(self, view: View, query: WindowRangeQuery) -> BatchStream:
        first, last = self._segments.readable(query.time, view.progress)
        within = _within(query.interval)
        found = [e for e in view.data if first <= e.start_ms <= last and within(e.key)]
        found.sort(key=lambda entry: self._segments.number(entry.start_ms))
        return self._batches(found, query.columns, query.order, query.limit)

    def _whole(self, key: Key) -> tuple[tuple[int, Value], ...]:
        if len(key) != len(self.schema.key):
            raise CodecError(f"a key has {len(self.schema.key)} columns, not {len(key)}")
        return sort_key(key)

    def _batches(
        self,
        entries: Sequence[_Entry],
        columns: tuple[str, ...] | None,
        order: Order,
        limit: int | None,
    ) -> BatchStream:
        names = tuple(c.name for c in self.schema.columns) if columns is None else columns
        for name in names:
            if name not in self.schema.column_by_name:
                raise SchemaError(f'store "{self.schema.name}" has no column "{name}"')
        ordered = entries if order is Order.ASCENDING else entries[::-1]
        return BatchStream(lambda: self._cut(ordered[:limit], names))

    def _cut(self, entries: Sequence[_Entry], names: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
        for at in range(0, len(entries), BATCH_ROWS):
            chunk = entries[at : at + BATCH_ROWS]
            if not names:
                empty = pa.array([{}] * len(chunk), type=pa.struct([]))
                yield pa.RecordBatch.from_struct_array(empty)
                continue
            arrays = [self._array(chunk, name) for name in names]
            yield pa.RecordBatch.from_arrays(arrays, schema=self.schema.arrow_schema(names))

    def _array(self, entries: Sequence[_Entry], name: str) -> pa.Array:
        values = [self._value(entry, name) for entry in entries]
        return physical_array(values, self.schema.column_by_name[name].type)

    def _value(self, entry: _Entry, name: str) -> Value:
        for i, column in enumerate(self.schema.key):
            if column.name == name:
                value = entry.key[i]
                zero = column.type.kind in {Kind.REAL, Kind.DOUBLE} and value == 0
                return 0.0 if zero else value
        for i, column in enumerate(self.schema.value):
            if column.name == name:
                return entry.row[i]
        size_ms = self.schema.window_size_ms or 0
        return {
            "window_start": entry.start_ms * 1000,
            "window_end": (entry.start_ms + size_ms) * 1000,
            "_partition": self.partition,
            "_timestamp": entry.time_us,
            "_epoch": entry.epoch,
        }[name]


def _within(interval: Interval) -> Callable[[Key], bool]:
    lower = None if interval.lower is None else sort_key(interval.lower)
    upper = None if interval.upper is None else sort_key(interval.upper)

    def within(key: Key) -> bool:
        ordered = sort_key(key)
        if lower is not None:
            head = ordered[: len(lower)]
            if head < lower or (head == lower and not interval.lower_inclusive):
                return False
        if upper is not None:
            head = ordered[: len(upper)]
            return head < upper or (head == upper and interval.upper_inclusive)
        return True

    return within

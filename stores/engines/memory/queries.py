"""How the reference engine answers queries: it visits all entries of a view.

The code is written to be obviously right. Only raw queries use the codecs of RocksDB, because they
return its bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa

from stategate.stores.codec.layout import DATA, DATA_END, TOMBSTONE, Layout, encode_time
from stategate.stores.codec.segments import END_OF_TIME, Segments, first_micros, last_micros
from stategate.stores.engines.memory.keys import fit_key, has_prefix, in_interval, sort_key
from stategate.stores.errors import SchemaError
from stategate.stores.spec.arrow import physical_array
from stategate.stores.spec.position import Progress
from stategate.stores.spec.query import (
    BATCH_ROWS,
    BatchStream,
    FewKeysQuery,
    Interval,
    KeyQuery,
    KeysQuery,
    Order,
    Query,
    RangeQuery,
    TimestampedKeyQuery,
    TimestampedRangeQuery,
    TimestampedRow,
)
from stategate.stores.spec.scans import (
    ApproximateCountQuery,
    CountQuery,
    PrefixQuery,
    RawKeyQuery,
    RawScanQuery,
    RawStream,
)
from stategate.stores.spec.schema import TIMESTAMPTZ, Key, Kind, Row, StoreKind, StoreSchema, Value
from stategate.stores.spec.store import Handler, View
from stategate.stores.spec.versions import (
    MultiVersionedKeyQuery,
    VersionedKeyQuery,
    VersionedRangeQuery,
    VersionedRow,
)
from stategate.stores.spec.windows import (
    ANY_TIME,
    SessionKeyQuery,
    SessionQuery,
    SessionRangeQuery,
    SessionTime,
    TimeRange,
    WindowKeyQuery,
    WindowRangeQuery,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One row, or a tombstone in versioned stores."""

    key: Key
    start_us: int = 0
    """The start of a window, a session or a version."""
    end_us: int = 0
    """The end of a session or a version; the end of time for the latest version."""
    row: Row | None
    epoch: int
    time_us: int | None

    @property
    def is_open(self) -> bool:
        """Whether it is the latest version of its key."""
        return self.end_us == END_OF_TIME


def memory_handlers(schema: StoreSchema, partition: int) -> Mapping[type[Query[Any]], Handler]:
    """Return a handler for each query that a store of this kind answers."""
    queries = _Queries(schema, partition)
    of_kind: dict[StoreKind, dict[type[Query[Any]], Handler]] = {
        StoreKind.KEYVALUE: queries.keyvalue,
        StoreKind.GLOBAL: queries.keyvalue,
        StoreKind.WINDOW: queries.window,
        StoreKind.SESSION: queries.session,
        StoreKind.VERSIONED: queries.versioned,
    }
    found = of_kind.get(schema.kind)
    return {} if found is None else {**queries.common, **found}


_Test = Callable[[Entry], bool]


class _Queries:
    """The handlers of all kinds, by kind."""

    def __init__(self, schema: StoreSchema, partition: int) -> None:
        self.schema, self.partition = schema, partition
        self._segments = Segments.of(schema)
        self.common: dict[type[Query[Any]], Handler] = {
            PrefixQuery: self._prefix,
            CountQuery: self._count,
            ApproximateCountQuery: lambda view, _: len(view.data),
            RawKeyQuery: self._raw_key,
            RawScanQuery: self._raw_scan,
        }
        self.keyvalue: dict[type[Query[Any]], Handler] = {
            KeyQuery: self._key,
            FewKeysQuery: self._few,
            KeysQuery: self._many,
            RangeQuery: self._range,
            TimestampedKeyQuery: self._timestamped_key,
            TimestampedRangeQuery: self._timestamped_range,
        }
        self.window: dict[type[Query[Any]], Handler] = {
            WindowKeyQuery: self._window_key,
            WindowRangeQuery: self._window_range,
        }
        self.session: dict[type[Query[Any]], Handler] = {
            SessionQuery: self._session,
            SessionKeyQuery: self._session_key,
            SessionRangeQuery: self._session_range,
        }
        self.versioned: dict[type[Query[Any]], Handler] = {
            VersionedKeyQuery: self._version,
            MultiVersionedKeyQuery: self._versions,
            VersionedRangeQuery: self._version_range,
        }

    # Keyvalue stores

    def _key(self, view: View, query: KeyQuery) -> Row | None:
        return next((entry.row for entry in self._of_key(view, query.key)), None)

    def _few(self, view: View, query: FewKeysQuery) -> list[Row]:
        found = [(key, self._key(view, KeyQuery(key=key))) for key in query.keys]
        return [key + row for key, row in found if row is not None]

    def _many(self, view: View, query: KeysQuery) -> BatchStream:
        wanted = {self._whole(key) for key in query.keys}
        found = [entry for entry in view.data if sort_key(entry.key) in wanted]
        return self._batches(found, query.columns, Order.ASCENDING, None)

    def _range(self, view: View, query: RangeQuery) -> BatchStream:
        found = list(filter(self._within(query.interval), view.data))
        return self._batches(found, query.columns, query.order, query.limit)

    def _timestamped_key(self, view: View, query: TimestampedKeyQuery) -> TimestampedRow | None:
        for entry in self._of_key(view, query.key):
            assert entry.row is not None, "only versions have tombstones"
            return TimestampedRow(row=entry.row, timestamp_us=entry.time_us)
        return None

    def _timestamped_range(self, view: View, query: TimestampedRangeQuery) -> BatchStream:
        found = list(filter(self._within(query.interval), view.data))
        columns = (*(column.name for column in self.schema.columns), "_timestamp")
        return self._batches(found, columns, query.order, query.limit)

    # Windows and sessions

    def _window_key(self, view: View, query: WindowKeyQuery) -> BatchStream:
        timely = self._in_window(query.time, view.progress)
        found = list(filter(timely, self._of_key(view, query.key)))
        return self._batches(found, query.columns, query.order, query.limit)

    def _window_range(self, view: View, query: WindowRangeQuery) -> BatchStream:
        timely = self._in_window(query.time, view.progress)
        found = self._by_segment(filter(timely, filter(self._within(query.interval), view.data)))
        return self._batches(found, query.columns, query.order, query.limit)

    def _in_window(self, time: TimeRange, progress: Progress) -> _Test:
        first, last = self._segments.readable(time, progress)
        return lambda entry: first <= entry.start_us <= last

    def _session(self, view: View, query: SessionQuery) -> Row | None:
        times = query.start_us, query.end_us
        found = self._of_key(view, query.key)
        return next((e.row for e in found if (e.start_us, e.end_us) == times), None)

    def _session_key(self, view: View, query: SessionKeyQuery) -> BatchStream:
        found = list(filter(_in_session(query.time), self._of_key(view, query.key)))
        return self._batches(found, query.columns, query.order, query.limit)

    def _session_range(self, view: View, query: SessionRangeQuery) -> BatchStream:
        timely = _in_session(query.time)
        found = self._by_segment(filter(timely, filter(self._within(query.interval), view.data)))
        return self._batches(found, query.columns, query.order, query.limit)

    def _by_segment(self, entries: Iterable[Entry]) -> list[Entry]:
        number_of = self._segments.number_of
        if self.schema.kind is StoreKind.WINDOW:
            return sorted(entries, key=lambda entry: number_of(entry.start_us))
        if self.schema.kind is StoreKind.SESSION:
            return sorted(entries, key=lambda entry: number_of(entry.end_us))
        return list(entries)

    # Versions

    def _version(self, view: View, query: VersionedKeyQuery) -> VersionedRow | None:
        time_us = last_micros(query.as_of_ms)
        has_history = self._has_history(view.progress, query.as_of_ms)
        for entry in self._of_key(view, query.key):
            covers = entry.start_us <= time_us and (entry.is_open or time_us < entry.end_us)
            if covers and entry.row is not None and (entry.is_open or has_history):
                end_us = None if entry.is_open else entry.end_us
                return VersionedRow(row=entry.row, valid_from_us=entry.start_us, valid_to_us=end_us)
        return None

    def _versions(self, view: View, query: MultiVersionedKeyQuery) -> BatchStream:
        valid = self._valid(query.from_ms, query.to_ms, view.progress)
        found = list(filter(valid, self._of_key(view, query.key)))
        return self._batches(found, query.columns, query.order, query.limit)

    def _version_range(self, view: View, query: VersionedRangeQuery) -> BatchStream:
        valid = self._valid(query.from_ms, query.to_ms, view.progress)
        found = list(filter(valid, filter(self._within(query.interval), view.data)))
        return self._batches(found, query.columns, query.order, query.limit)

    def _valid(self, from_ms: int | None, to_ms: int | None, progress: Progress) -> _Test:
        """Return a test of whether a version was valid at some time of a range."""
        first, last = first_micros(from_ms), last_micros(to_ms)
        has_history = self._has_history(progress, to_ms)

        def valid(entry: Entry) -> bool:
            if entry.row is None or entry.start_us > last:
                return False
            return entry.is_open or (has_history and entry.end_us > first)

        return valid

    def _has_history(self, progress: Progress, time_ms: int | None) -> bool:
        """Return whether the history reaches back to a time."""
        return last_micros(time_ms) >= self._segments.history_from_us(progress)

    # All kinds

    def _prefix(self, view: View, query: PrefixQuery) -> BatchStream:
        begun = has_prefix(self.schema, query)
        found = self._by_segment(filter(lambda entry: begun(entry.key), _rows(view)))
        return self._batches(found, query.columns, query.order, query.limit)

    def _count(self, view: View, query: CountQuery) -> int:
        return sum(1 for _ in filter(self._within(query.interval), _rows(view)))

    def _raw_key(self, view: View, query: RawKeyQuery) -> bytes | None:
        return next((row for key, row in self._raw(view) if key == query.key_bytes), None)

    def _raw_scan(self, view: View, query: RawScanQuery) -> RawStream:
        start = max(query.start, DATA)
        end = DATA_END if query.end is None else query.end
        ordered = sorted(pair for pair in self._raw(view) if start <= pair[0] < end)
        if query.order is Order.DESCENDING:
            ordered.reverse()
        return RawStream(lambda: iter(ordered[: query.limit]))

    def _raw(self, view: View) -> Iterator[tuple[bytes, bytes]]:
        return ((self._raw_key_of(entry), self._raw_row_of(entry)) for entry in view.data)

    @cached_property
    def _layout(self) -> Layout:
        return Layout(self.schema, self.partition)

    def _raw_key_of(self, entry: Entry) -> bytes:
        layout, key = self._layout, self._layout.keys.encode(entry.key)
        start, end = entry.start_us, entry.end_us
        match self.schema.kind:
            case StoreKind.WINDOW:
                return layout.segment_of(start) + key + encode_time(start)
            case StoreKind.SESSION:
                return layout.segment_of(end) + key + encode_time(end) + encode_time(start)
            case StoreKind.VERSIONED:
                return layout.version_key(key, start, end, gone=entry.row is None)
            case _:
                return DATA + key

    def _raw_row_of(self, entry: Entry) -> bytes:
        if entry.row is None:
            return TOMBSTONE
        arrays = [
            physical_array([value], column.type)
            for value, column in zip(entry.row, self.schema.value, strict=True)
        ]
        times = physical_array([entry.time_us], TIMESTAMPTZ)
        return self._layout.rows.encode_columns(arrays, epoch=entry.epoch, times=times)[0]

    # Entries to batches

    def _of_key(self, view: View, key: Key) -> list[Entry]:
        wanted = self._whole(key)
        return [entry for entry in view.data if sort_key(entry.key) == wanted]

    def _whole(self, key: Key) -> tuple[tuple[int, Value], ...]:
        return sort_key(fit_key(self.schema, key))

    def _within(self, interval: Interval) -> _Test:
        lies = in_interval(self.schema, interval)
        return lambda entry: lies(entry.key)

    def _batches(
        self,
        entries: Sequence[Entry],
        columns: tuple[str, ...] | None,
        order: Order,
        limit: int | None,
    ) -> BatchStream:
        names = tuple(c.name for c in self.schema.columns) if columns is None else columns
        for name in names:
            if name not in self.schema.column_by_name:
                raise SchemaError(f'store "{self.schema.name}" has no column "{name}"')
        ordered = entries if order is Order.ASCENDING else entries[::-1]

        def rows(first_rows: int) -> Iterator[list[Row]]:
            found = ordered[:limit]
            for at in range(0, len(found), first_rows):
                chunk = found[at : at + first_rows]
                yield [tuple([self._value(entry, name) for name in names]) for entry in chunk]

        return BatchStream(lambda: self._slices(ordered[:limit], names), rows)

    def _slices(self, entries: Sequence[Entry], names: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
        for at in range(0, len(entries), BATCH_ROWS):
            chunk = entries[at : at + BATCH_ROWS]
            if not names:
                empty = pa.array([{}] * len(chunk), type=pa.struct([]))
                yield pa.RecordBatch.from_struct_array(empty)
                continue
            arrays = [self._array(chunk, name) for name in names]
            yield pa.RecordBatch.from_arrays(arrays, schema=self.schema.arrow_schema(names))

    def _array(self, entries: Sequence[Entry], name: str) -> pa.Array:
        values = [self._value(entry, name) for entry in entries]
        return physical_array(values, self.schema.column_by_name[name].type)

    def _value(self, entry: Entry, name: str) -> Value:
        for i, column in enumerate(self.schema.key):
            if column.name == name:
                value = entry.key[i]
                zero = column.type.kind in {Kind.REAL, Kind.DOUBLE} and value == 0
                return 0.0 if zero else value
        for i, column in enumerate(self.schema.value):
            if column.name == name:
                assert entry.row is not None, "tombstones have no row"
                return entry.row[i]
        is_versioned = self.schema.kind is StoreKind.VERSIONED
        return {
            "window_start": entry.start_us,
            "window_end": entry.end_us,
            "valid_from": entry.start_us,
            "valid_to": None if entry.is_open else entry.end_us,
            "_partition": self.partition,
            "_timestamp": entry.start_us if is_versioned else entry.time_us,
            "_epoch": entry.epoch,
        }[name]


def _rows(view: View) -> Iterator[Entry]:
    return (entry for entry in view.data if entry.row is not None)


def _in_session(time: SessionTime) -> _Test:
    """Return a test of whether the query wants a session with this start and end."""
    if time == ANY_TIME:
        return lambda entry: True
    starts = first_micros(time.earliest_start_ms), last_micros(time.latest_start_ms)
    ends = first_micros(time.earliest_end_ms), last_micros(time.latest_end_ms)
    return lambda entry: (
        starts[0] <= entry.start_us <= starts[1] and ends[0] <= entry.end_us <= ends[1]
    )

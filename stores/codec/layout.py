"""The layout of a store's entries in a database: the bytes of their keys, by kind of store.

    01 <key>                                                keyvalue and global stores
    01 <segment> <key> <window start>                       window stores
    01 <segment of end> <key> <end> <start>                 session stores
    01 <segment of valid-to> <key> <valid-to> <valid-from>  versioned stores

A segment is the 8 bytes of its number. Each time is encoded as one more key column, so the whole is
one memcomparable key. The latest version of a key ends at the end of time and is in the last
segment, which never expires. A tombstone is an entry with an empty row; the latest of a key is
in the segment of its valid-from, so that it expires.

Stores by event time also keep when a row was deleted, so that an earlier row that arrives later
does not show. Such an entry has the key of the row with 02 in place of 01.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from stategate.stores.codec.entry_rows import DecodeRows, entry_rows
from stategate.stores.codec.keys import key_codec
from stategate.stores.codec.rows import row_codec, row_getter
from stategate.stores.codec.segments import END_OF_TIME, MICROS_MAX, MICROS_MIN, Segments
from stategate.stores.errors import CodecError, SchemaError
from stategate.stores.spec.arrow import Ints, array_of_ints, int64_values
from stategate.stores.spec.position import Progress
from stategate.stores.spec.query import Batch, Interval
from stategate.stores.spec.scans import PrefixQuery
from stategate.stores.spec.schema import (
    TIMESTAMPTZ,
    VALID_FROM,
    VALID_TO,
    WINDOW_END,
    WINDOW_START,
    Column,
    Row,
    StoreKind,
    StoreSchema,
    Value,
)

DATA, DATA_END = b"\x01", b"\x02"
"""The bounds of all entries; nothing else is between them."""
DELETIONS, DELETIONS_END = DATA_END, b"\x03"
"""The bounds of the times of deletions, in stores by event time."""
TIME_BYTES = 9
"""A marker byte, and the time in microseconds with its sign bit flipped."""
PREFIX_BYTES = 9
"""DATA and a segment, before the key of a timed entry."""
DECODERS_MAX = 64
"""Number of decoders that are kept, because making one takes longer than a small read."""
_FEW_OF = 4
"""Fewer than one column in this many is few."""
TOMBSTONE = b""
"""The row of a tombstone: the key has no row."""

Bounds: TypeAlias = tuple[bytes, bytes | None]
"""A range of keys in bytes, the start inclusive, the end exclusive; None is open."""

_STORED_TIMES: dict[StoreKind, tuple[Column, ...]] = {
    StoreKind.WINDOW: (WINDOW_START,),
    StoreKind.SESSION: (WINDOW_END, WINDOW_START),
    StoreKind.VERSIONED: (VALID_TO, VALID_FROM),
}
_BIAS = 1 << 63


def encode_time(time_us: int) -> bytes:
    """Encode a time as `KeyCodec` encodes a column of times."""
    return b"\1" + (time_us + _BIAS).to_bytes(8, "big")


def decode_time(encoded: bytes) -> int:
    """Decode the bytes of `encode_time`."""
    return int.from_bytes(encoded[1:], "big") - _BIAS


def segment_bytes(number: int) -> bytes:
    """Return the first bytes of all entries of a segment."""
    return DATA + (number + _BIAS).to_bytes(8, "big")


def segment_number(entry_key: bytes) -> int:
    """Return the number of an entry's segment."""
    return int.from_bytes(entry_key[1:PREFIX_BYTES], "big") - _BIAS


LATEST = segment_bytes(1 << 62)
"""The segment of latest versions, after the segments of all times."""


class Layout:
    """The codecs and segments of one store, built once per replica.

    Raises:
        SchemaError: a column has a type that keys or rows cannot hold.
    """

    def __init__(self, schema: StoreSchema, partition: int) -> None:
        self.schema, self.partition = schema, partition
        self.times = _STORED_TIMES.get(schema.kind, ())
        self.keys, self.rows = key_codec(schema.key), row_codec(schema.value)
        self.entries = key_codec((*schema.key, *self.times)) if self.times else self.keys
        self.segments = Segments.of(schema)
        self.prefix_bytes = PREFIX_BYTES if self.times else len(DATA)
        self._decoders: dict[tuple[str, ...] | None, EntryDecoder] = {}

    def partition_column(self, count: int) -> pa.Array:
        """Return the pseudo-column `_partition` for a number of rows."""
        return pa.array(np.full(count, self.partition, dtype=np.int32))

    @property
    def filed_by(self) -> str | None:
        """The column of the time that decides the segment of an entry; None without segments."""
        return self.times[0].name if self.times else None

    @property
    def last_start(self) -> int:
        """The greatest start of a window whose end no other start has, in microseconds."""
        return MICROS_MAX - (self.schema.window_size_ms or 0) * 1000

    def entry_keys(self, batch: pa.RecordBatch) -> list[bytes]:
        """Return the entry keys of logged rows, except versions: the rows lack their ends.

        Raises:
            CodecError: a window or session has no start or no end.
        """
        times = self._times(batch)
        keys = [batch.column(column.name) for column in self.schema.key]
        if not times:
            return self.entries.encode_columns(keys, prefix=DATA)
        encoded = self.entries.encode_columns([*keys, *times])
        return list(map(operator.add, self.segments_of(int64_values(times[0])), encoded))

    def timely(self, batch: pa.RecordBatch, progress: Progress) -> pa.RecordBatch:
        """Return the logged windows or sessions that have not expired; queries show only these.

        Raises:
            CodecError: one has no start or no end.
        """
        live_from = self.segments.live_from_us(progress)
        if live_from == MICROS_MIN:
            return batch
        flags = int64_values(self._times(batch)[0]) >= live_from
        return batch if flags.all() else batch.filter(pa.array(flags))

    def _times(self, batch: pa.RecordBatch) -> list[pa.Array]:
        times = [batch.column(column.name) for column in self.times]
        for column, time in zip(self.times, times, strict=True):
            if time.null_count:
                raise CodecError(f'a row of store "{self.schema.name}" has no {column.name}')
        return times

    def latest_keys(self, batch: pa.RecordBatch) -> list[bytes]:
        """Return the entry keys of logged versions that are the latest of their keys."""
        ends = pa.array(np.full(batch.num_rows, END_OF_TIME), VALID_TO.type.arrow)
        keys = [batch.column(column.name) for column in self.schema.key]
        return self.entries.encode_columns([*keys, ends, batch.column("_timestamp")], prefix=LATEST)

    def segments_of(self, times_us: Ints) -> list[bytes]:
        """Return the first bytes of entries with these times, in microseconds."""
        numbers = (times_us // (1000 * self.segments.interval_ms)).tolist()
        segments = {number: segment_bytes(number) for number in set(numbers)}
        return [segments[number] for number in numbers]

    def segment_of(self, time_us: int) -> bytes:
        """Return the first bytes of entries with this time, in microseconds."""
        return segment_bytes(self.segments.number_of(time_us))

    def version_key(self, key_bytes: bytes, valid_from: int, valid_to: int, *, gone: bool) -> bytes:
        """Return the entry key of a version; `gone` if it is a tombstone."""
        if valid_to != END_OF_TIME:
            segment = self.segment_of(valid_to)
        elif gone:
            segment = self.segment_of(valid_from)
        else:
            segment = LATEST
        return segment + key_bytes + encode_time(valid_to) + encode_time(valid_from)

    def encode_rows(self, batch: pa.RecordBatch, *, epoch: int) -> list[bytes]:
        """Encode the value columns of logged rows."""
        arrays = [batch.column(column.name) for column in self.schema.value]
        return self.rows.encode_columns(arrays, epoch=epoch, times=batch.column("_timestamp"))

    def bounds(self, interval: Interval) -> Bounds:
        """Return the bytes of an interval of keys."""
        start, end = self.keys.range_of(interval)
        return start or b"", end

    def prefix_bounds(self, query: PrefixQuery) -> Bounds:
        """Return the bytes of the keys with the query's prefix."""
        return self.keys.range_of_prefix(query.prefix, query.text)

    def first_live_segment(self, progress: Progress) -> int:
        """Return the number of the earliest segment with entries that have not expired."""
        if self.schema.kind is StoreKind.VERSIONED:
            return self.segments.number_of(self.segments.history_from_us(progress))
        return self.segments.number_of(self.segments.live_from_us(progress))

    def is_live(self, entry_key: bytes, progress: Progress) -> bool:
        """Whether an entry has not expired."""
        if not self.times or entry_key.startswith(LATEST):
            return True
        if self.schema.kind is not StoreKind.VERSIONED:
            at = len(entry_key) - TIME_BYTES * len(self.times)
            time = decode_time(entry_key[at : at + TIME_BYTES])
            return time >= self.segments.live_from_us(progress)
        time = decode_time(entry_key[-2 * TIME_BYTES : -TIME_BYTES])
        if time == END_OF_TIME:
            time = decode_time(entry_key[-TIME_BYTES:])
        return time > self.segments.history_from_us(progress)

    def decoder(self, columns: tuple[str, ...] | None) -> EntryDecoder:
        """Return the decoder for batches of these columns; None for all of `*`.

        Raises:
            SchemaError: the store has no such column.
        """
        held = self._decoders.get(columns)
        if held is None:
            if len(self._decoders) >= DECODERS_MAX:
                self._decoders.clear()
            held = self._decoders[columns] = EntryDecoder(self, columns)
        return held


class EntryDecoder:
    """Decodes entries to batches of the wanted columns, whose places it looks up once."""

    def __init__(self, layout: Layout, columns: tuple[str, ...] | None) -> None:
        schema = layout.schema
        names = tuple(c.name for c in schema.columns) if columns is None else columns
        for name in names:
            if name not in schema.column_by_name:
                raise SchemaError(f'store "{schema.name}" has no column "{name}"')
        wanted = set(names)
        self._layout = layout
        self.names = names
        self._schema = schema.arrow_schema(names)
        self._size_us = (schema.window_size_ms or 0) * 1000
        self._is_versioned = schema.kind is StoreKind.VERSIONED
        if WINDOW_END.name in wanted:
            wanted.add(WINDOW_START.name)
        if self._is_versioned and "_timestamp" in wanted:
            wanted.add(VALID_FROM.name)
        self._key_names = [c.name for c in (*schema.key, *layout.times)]
        self._value_names = [c.name for c in schema.value]
        self._wanted_keys = [name in wanted for name in self._key_names]
        self._wanted_values = [name in wanted for name in self._value_names]
        self._wants_end = WINDOW_END.name in wanted and self._size_us
        self._wants_header = bool(wanted & {"_timestamp", "_epoch"})
        self._stored = [*self._key_names, *self._value_names]
        self.take = self._getter()
        """Takes these columns from those of the entry's key and of the value; None if there are
        others."""
        self.is_whole = self.take is not None and list(names) == self._stored
        """Whether these columns are just those."""
        self.takes_many = self.take is not None and len(names) * _FEW_OF >= len(self._stored)
        """Whether these are so many of those that decoding all of them costs little more."""

    def _getter(self) -> Callable[[Row], Row] | None:
        known = {name: f"row[{place}]" for place, name in enumerate(self._stored)}
        if self._is_versioned or not known.keys() | {WINDOW_END.name} >= set(self.names):
            return None
        if not self._wants_end:
            return row_getter([self._stored.index(name) for name in self.names])
        # As `_add_times`; a comparison takes a third of a call of `min`.
        start, last = known[WINDOW_START.name], MICROS_MAX - self._size_us
        end = f"({start} if {start} < {last} else {last}) + {self._size_us}"
        known[WINDOW_END.name] = end
        values = "".join(f"{known[name]}, " for name in self.names)
        getter: Callable[[Row], Row] = eval(f"lambda row: ({values})")
        return getter

    @cached_property
    def whole(self) -> DecodeRows:
        """Decodes all columns of the entry's key and of the value, of which `take` takes these."""
        layout = self._layout
        places = tuple(range(len(self._stored)))
        times, at = len(layout.times), layout.prefix_bytes
        return entry_rows(layout.entries, layout.rows, places, at=at, times=times)

    @cached_property
    def rows(self) -> DecodeRows:
        """Decodes these entries one by one, to tuples of physical values.

        It is faster than `batch` for some hundred entries: it calls neither Arrow nor numpy.
        """
        layout, stored, take = self._layout, self._stored, self.take
        if take is None or not self.names:
            return self._computed_rows
        if self._wants_end:
            whole = self.whole
            return lambda keys, rows: list(map(take, whole(keys, rows)))
        places = tuple([stored.index(name) for name in self.names])
        times, at = len(layout.times), layout.prefix_bytes
        return entry_rows(layout.entries, layout.rows, places, at=at, times=times)

    def batch(self, entry_keys: Sequence[bytes], rows: Sequence[bytes]) -> Batch:
        """Decode these entries."""
        count = len(rows)
        layout = self._layout
        at = layout.prefix_bytes
        arrays: dict[str, pa.Array | None] = {}
        if any(self._wanted_keys):
            found = layout.entries.decode_columns(entry_keys, self._wanted_keys, skipped=at)
            arrays.update(zip(self._key_names, found, strict=True))
        values = layout.rows.decode_columns(rows, self._wanted_values)
        arrays.update(zip(self._value_names, values, strict=True))
        if self._wants_header:
            arrays["_epoch"], arrays["_timestamp"] = layout.rows.decode_headers(rows)
        self._add_times(arrays)
        if "_partition" in self.names:
            arrays["_partition"] = layout.partition_column(count)
        if not self.names:
            # A batch without columns still has rows, which count(*) counts.
            return pa.RecordBatch.from_struct_array(pa.array([{}] * count, type=pa.struct([])))
        return pa.RecordBatch.from_arrays(
            [arrays[name] for name in self.names], schema=self._schema
        )

    def _computed_rows(self, entry_keys: Sequence[bytes], rows: Sequence[bytes]) -> list[Row]:
        """Decode entries with columns that are not stored as they are shown."""
        found: list[Row] = []
        for entry_key, row in zip(entry_keys, rows, strict=True):
            key = self._layout.entries.values(entry_key, self._layout.prefix_bytes)
            values: dict[str, Value] = dict(zip(self._key_names, key, strict=True))
            if any(self._wanted_values):
                values.update(zip(self._value_names, self._layout.rows.decode(row), strict=True))
            if self._wants_header:
                values["_epoch"], time_ms = self._layout.rows.header(row)
                values["_timestamp"] = None if time_ms is None else time_ms * 1000
            if self._wants_end:
                start = min(values[WINDOW_START.name], MICROS_MAX - self._size_us)
                values[WINDOW_END.name] = start + self._size_us
            if self._is_versioned:
                if values[VALID_TO.name] == END_OF_TIME:
                    values[VALID_TO.name] = None
                values["_timestamp"] = values[VALID_FROM.name]
            values["_partition"] = self._layout.partition
            found.append(tuple([values[name] for name in self.names]))
        return found

    def _add_times(self, arrays: dict[str, pa.Array | None]) -> None:
        """Add the time columns that are stored in another form."""
        if self._wants_end:
            starts = int64_values(arrays[WINDOW_START.name])
            # As in Kafka: a window that would end after the last time ends there.
            ends = np.minimum(starts, MICROS_MAX - self._size_us) + self._size_us
            arrays[WINDOW_END.name] = array_of_ints(ends, TIMESTAMPTZ)
        if not self._is_versioned:
            return
        if (stored := arrays.get(VALID_TO.name)) is not None:
            micros = int64_values(stored)
            arrays[VALID_TO.name] = array_of_ints(micros, TIMESTAMPTZ, micros == END_OF_TIME)
        if (valid_from := arrays.get(VALID_FROM.name)) is not None:
            # The header's event time is the same in whole milliseconds.
            arrays["_timestamp"] = valid_from

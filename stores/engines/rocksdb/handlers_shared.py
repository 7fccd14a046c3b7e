"""The parts that the RocksDB handlers of all kinds share: segments, streams, and raw queries.

Each kind has a `Scan`, which gives its live entries in a range of keys, in the order of its range
queries. Prefixes and counts are made from it.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

import pyarrow as pa
from msgspec import Struct

from stategate.stores.codec.entry_rows import DecodeRows
from stategate.stores.codec.layout import (
    DATA,
    DATA_END,
    PREFIX_BYTES,
    Bounds,
    EntryDecoder,
    Layout,
    segment_bytes,
    segment_number,
)
from stategate.stores.engines.rocksdb.range_cache import RangeCache
from stategate.stores.engines.rocksdb.readers import CHUNK_ROWS_MIN, Entries, Reader
from stategate.stores.spec.query import (
    BATCH_ROWS,
    FEW_ROWS,
    BatchStream,
    FirstRowsQuery,
    Order,
    Query,
)
from stategate.stores.spec.scans import (
    CountQuery,
    PrefixQuery,
    RawKeyQuery,
    RawScanQuery,
    RawStream,
)
from stategate.stores.spec.schema import Row
from stategate.stores.spec.store import Handler, View

SEGMENTS_READ_UNSEEN = 4
"""This many segments are read without checking first whether they have entries."""


class Scan(Protocol):
    """Reads the live entries in a range of keys."""

    def __call__(
        self, view: View, bounds: Bounds, order: Order, first_rows: int = CHUNK_ROWS_MIN
    ) -> Iterator[Entries]:
        """Return chunks of entries; they may be empty."""


def common_handlers(layout: Layout, scan: Scan) -> dict[type[Query[Any]], Handler]:
    """Return the handlers of the queries that every kind of store answers."""

    def prefix(view: View, query: PrefixQuery) -> BatchStream:
        bounds = layout.prefix_bounds(query)
        decoder = layout.decoder(query.columns)
        return stream(partial(scan, view, bounds, query.order), decoder, query.limit)

    def count(view: View, query: CountQuery) -> int:
        bounds = layout.bounds(query.interval)
        return sum(len(keys) for keys, _ in scan(view, bounds, Order.ASCENDING))

    def raw_key(view: View, query: RawKeyQuery) -> bytes | None:
        key = query.key_bytes
        if not (DATA <= key < DATA_END and len(key) > layout.prefix_bytes):
            return None
        row: bytes | None = view.data.get(key)
        return None if row is None or not layout.is_live(key, view.progress) else row

    def raw_scan(view: View, query: RawScanQuery) -> RawStream:
        return RawStream(lambda: _raw(layout, view, query))

    return {PrefixQuery: prefix, CountQuery: count, RawKeyQuery: raw_key, RawScanQuery: raw_scan}


def _raw(layout: Layout, view: View, query: RawScanQuery) -> Iterator[tuple[bytes, bytes]]:
    start = max(query.start, DATA)
    end = DATA_END if query.end is None else min(query.end, DATA_END)
    pairs = (
        pair
        for keys, rows in view.data.chunks(start, end, query.order)
        for pair in zip(keys, rows, strict=True)
        if layout.is_live(pair[0], view.progress)
    )
    # `islice` takes no number beyond `sys.maxsize`.
    return itertools.islice(pairs, None if query.limit is None else min(query.limit, sys.maxsize))


class Chunks(Protocol):
    """Begins a read of entries."""

    def __call__(self, *, first_rows: int) -> Iterator[Entries]:
        """Return chunks of entries, the first one with this many entries; they may be empty."""


def stream(chunks: Chunks, decoder: EntryDecoder, limit: int | None) -> BatchStream:
    """Return a stream that decodes chunks of entries, up to the limit."""

    def read() -> Iterator[pa.RecordBatch]:
        for keys, rows in _limited(chunks, CHUNK_ROWS_MIN, limit):
            if rows:
                yield decoder.batch(keys, rows)

    def read_rows(first_rows: int) -> Iterator[list[Row]]:
        return itertools.starmap(decoder.rows, _limited(chunks, first_rows, limit))

    return BatchStream(read, read_rows)


def _limited(chunks: Chunks, first_rows: int, limit: int | None) -> Iterator[Entries]:
    """Yield chunks of entries up to a limit, which the first chunk does not exceed either."""
    if limit is None:
        yield from chunks(first_rows=first_rows)
        return
    left = limit
    for keys, rows in chunks(first_rows=max(1, min(first_rows, left))) if left else ():
        if len(rows) >= left:
            yield keys[:left], rows[:left]
            return
        yield keys, rows
        left -= len(rows)


class Ranges(Struct, eq=False):
    """All entries in ranges of keys, one range after another, up to a limit."""

    reader: Reader
    ranges: Sequence[tuple[bytes, bytes]]
    """The ranges in the order of the read; the starts are inclusive, the ends exclusive."""
    order: Order
    decoder: EntryDecoder
    limit: int | None
    cache: RangeCache | None = None
    """Has the rows of ranges that were read before; None if they are to be read from the database.
    """

    def stream(self) -> BatchStream:
        """Return the entries as a stream."""
        return stream(self._chunks, self.decoder, self.limit)

    def _chunks(self, *, first_rows: int) -> Iterator[Entries]:
        for start, end in self.ranges:
            yield from self.reader.chunks(start, end, self.order, first_rows=first_rows)

    def first_rows(self, query: FirstRowsQuery) -> list[Row] | None:
        """Return the first rows; None as for `BatchStream.first_rows`."""
        left = query.count if self.limit is None else min(self.limit, query.count)
        cache, decoder = self.cache, self.decoder
        if cache is None or not decoder.takes_many:
            return self._read_all(decoder.rows, left, query.until_s)
        reader, order, take = self.reader, self.order, decoder.take
        found: list[Row] = []
        for start, end in self.ranges:
            if left <= 0:
                break
            rows = cache.get(reader, start, end, order, left) if start < end else []
            if rows is not None:
                left -= len(rows)
                found += rows if decoder.is_whole or take is None else map(take, rows)
                continue
            if found and time.perf_counter() > query.until_s:
                return None
            read = self._read(start, end, left, query.until_s)
            if read is None:
                return None
            # Entries that are not kept are decoded as far as they are wanted.
            is_kept = cache.admits(read)
            found += self._kept(cache, read, start, end, left) if is_kept else decoder.rows(*read)
            left -= len(read[0])
        return found

    def _kept(
        self, cache: RangeCache, read: Entries, start: bytes, end: bytes, rows_max: int
    ) -> Iterable[Row]:
        """Decode the entries that were read of a range, and cache what is known of it now."""
        keys, stored = read
        decoder, is_ascending = self.decoder, self.order is Order.ASCENDING
        rows = decoder.whole(keys, stored)
        if len(keys) == rows_max:
            # There may be more after the last one.
            start, end = (start, keys[-1] + b"\0") if is_ascending else (keys[-1], end)
        if is_ascending:
            cache.put(self.reader, start, end, read, rows)
        else:
            cache.put(self.reader, start, end, (keys[::-1], stored[::-1]), rows[::-1])
        return rows if decoder.is_whole or decoder.take is None else map(decoder.take, rows)

    def _read_all(self, decode: DecodeRows, rows_max: int, until_s: float) -> list[Row] | None:
        found: list[Row] = []
        for start, end in self.ranges:
            if len(found) >= rows_max:
                break
            if found and time.perf_counter() > until_s:
                return None
            read = self._read(start, end, rows_max - len(found), until_s)
            if read is None:
                return None
            found += decode(*read)
        return found

    def _read(self, start: bytes, end: bytes, rows_max: int, until_s: float) -> Entries | None:
        """Return the first entries of a range; None if it takes too long."""
        is_ascending = self.order is Order.ASCENDING
        read = self.reader.ascending if is_ascending else self.reader.descending
        keys, rows = read(start, end, min(FEW_ROWS, rows_max))
        count = len(keys)
        while count == FEW_ROWS and len(keys) < rows_max:
            if time.perf_counter() > until_s:
                return None
            if is_ascending:
                start = keys[-1] + b"\0"
            else:
                end = keys[-1]
            more_keys, more_rows = read(start, end, min(FEW_ROWS, rows_max - len(keys)))
            keys += more_keys
            rows += more_rows
            count = len(more_keys)
        return keys, rows


class EndRows(Struct, eq=False):
    """Rows that are kept as tuples."""

    rows: list[Row]

    def first_rows(self, query: FirstRowsQuery) -> list[Row]:
        """Return the first rows."""
        return self.rows[: query.count]


class FirstRowsFinder(Protocol):
    """Finds what has the first rows of a query without a stream."""

    def __call__(self, view: View, query: Any) -> Ranges | EndRows | None:
        """Return what has the rows; None if only a stream finds them."""


def first_rows_handler(
    finders: Mapping[type[Query[Any]], FirstRowsFinder], handlers: Handlers
) -> Callable[[View, FirstRowsQuery], list[Row] | None]:
    """Return the handler of the first rows of queries.

    Args:
        finders: finds the rows of some types of query.
        handlers: answers the others.
    """

    def first_rows(view: View, query: FirstRowsQuery) -> list[Row] | None:
        of = query.of
        find = finders.get(type(of))
        found = None if find is None else find(view, of)
        return (
            query.read(handlers[type(of)](view, of)) if found is None else found.first_rows(query)
        )

    return first_rows


def live_segments(reader: Reader, first: int, last: int, order: Order) -> Iterator[bytes]:
    """Yield the prefix of each segment that has entries, from one number to another.

    A short range also yields segments without entries: a check for entries costs a seek, and so
    does reading none.
    """
    if last - first < SEGMENTS_READ_UNSEEN:
        numbers = range(first, last + 1)
        yield from map(segment_bytes, numbers if order is Order.ASCENDING else reversed(numbers))
        return
    low, high = segment_bytes(first), segment_bytes(last + 1)
    while low < high:
        found = next(reader.chunks(low, high, order, first_rows=1), None)
        if found is None:
            return
        segment = found[0][0][:PREFIX_BYTES]
        yield segment
        if order is Order.ASCENDING:
            low = segment_bytes(segment_number(segment) + 1)
        else:
            high = segment


def segment_chunks(
    reader: Reader,
    segment: bytes,
    bounds: Bounds,
    order: Order,
    first_rows: int = CHUNK_ROWS_MIN,
) -> Iterator[Entries]:
    """Yield the entries in a range of keys of one segment; an empty chunk if there are none.

    So a read of few rows can end between segments, of which there may be thousands.
    """
    start, end = bounds
    after = segment_bytes(segment_number(segment) + 1) if end is None else segment + end
    is_empty = True
    for chunk in reader.chunks(segment + start, after, order, first_rows=first_rows):
        is_empty = False
        yield chunk
    if is_empty:
        yield [], []


class TimeFilter(Struct, frozen=True, kw_only=True):
    """Keeps entries with a time in a range of encoded times, both ends inclusive."""

    at: int
    """Where the time begins in the entry's key, counted from its end."""
    until: int | None
    """Where it ends; None for the end of the key."""
    low: bytes
    high: bytes

    def keep(self, entries: Entries) -> Entries:
        """Return the entries to keep."""
        keys, rows = entries
        at, until, low, high = self.at, self.until, self.low, self.high
        flags = [low <= key[at:until] <= high for key in keys]
        if all(flags):
            return entries
        return list(itertools.compress(keys, flags)), list(itertools.compress(rows, flags))


def rechunked(pairs: Iterator[tuple[bytes, bytes]]) -> Iterator[Entries]:
    """Yield single entries in chunks that grow, so that a few cost less than many."""
    rows_max = CHUNK_ROWS_MIN
    while chunk := list(itertools.islice(pairs, rows_max)):
        keys, rows = zip(*chunk, strict=True)
        yield list(keys), list(rows)
        rows_max = min(rows_max * 4, BATCH_ROWS)


Handlers = Mapping[type[Query[Any]], Handler]
"""The queries that a store answers, each with its handler."""

"""How RocksDB answers the queries of keyvalue and global stores."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial

from stategate.stores.codec.layout import DATA, DATA_END, Bounds, Layout
from stategate.stores.engines.rocksdb.cached_rows import CachedRows
from stategate.stores.engines.rocksdb.column_cache import PartitionColumns
from stategate.stores.engines.rocksdb.handlers_shared import (
    Handlers,
    Ranges,
    common_handlers,
    first_rows_handler,
    stream,
)
from stategate.stores.engines.rocksdb.readers import CHUNK_ROWS_MIN, Entries, Reader
from stategate.stores.engines.rocksdb.row_cache import RowCache
from stategate.stores.spec.query import (
    BATCH_ROWS,
    BatchStream,
    FewKeysQuery,
    FirstRowsQuery,
    Interval,
    KeyQuery,
    KeysQuery,
    Order,
    RangeQuery,
    TimestampedKeyQuery,
    TimestampedRangeQuery,
    TimestampedRow,
)
from stategate.stores.spec.scans import CountQuery
from stategate.stores.spec.schema import Row
from stategate.stores.spec.store import View

_EVERY_ENTRY = (DATA, DATA_END)


def keyvalue_handlers(
    layout: Layout, columns: PartitionColumns | None, rows: CachedRows
) -> Handlers:
    """Return a handler for each query that these stores answer.

    Args:
        layout: the layout of the store.
        columns: answers scans of all rows.
        rows: answers lookups of keys that were looked up before, and small ranges.
    """

    def scan(
        view: View, bounds: Bounds, order: Order, first_rows: int = CHUNK_ROWS_MIN
    ) -> Iterator[Entries]:
        start, end = bounds
        after = DATA_END if end is None else DATA + end
        chunks: Iterator[Entries] = view.data.chunks(
            DATA + start, after, order, first_rows=first_rows
        )
        return chunks

    def entry_span(interval: Interval) -> tuple[bytes, bytes]:
        start, end = layout.bounds(interval)
        return DATA + start, DATA_END if end is None else DATA + end

    def ranges_of(view: View, query: RangeQuery) -> Ranges:
        span, decoder = entry_span(query.interval), layout.decoder(query.columns)
        cache = None if query.skip_cache else rows.ranges
        return Ranges(view.data, (span,), query.order, decoder, query.limit, cache)

    def range_query(view: View, query: RangeQuery) -> BatchStream:
        ranges = ranges_of(view, query)
        found = ranges.stream()
        if ranges.ranges != (_EVERY_ENTRY,) or columns is None:
            return found
        if query.limit is None and query.order is Order.ASCENDING and not query.skip_cache:
            return columns.stream(view, ranges.decoder.names, found)
        return found

    def timestamped_range(view: View, query: TimestampedRangeQuery) -> BatchStream:
        decoder = layout.decoder((*(c.name for c in layout.schema.columns), "_timestamp"))
        span = entry_span(query.interval)
        return Ranges(view.data, (span,), query.order, decoder, query.limit).stream()

    common = common_handlers(layout, scan)

    def count(view: View, query: CountQuery) -> int:
        found = columns.count(view) if columns is not None and query == CountQuery() else None
        return common[CountQuery](view, query) if found is None else found

    handlers: Handlers = {
        **common,
        CountQuery: count,
        KeyQuery: _key_handler(layout, rows.by_key),
        FewKeysQuery: _few_keys_handler(layout, rows.by_key),
        KeysQuery: _keys_handler(layout, rows.by_key),
        RangeQuery: range_query,
        TimestampedKeyQuery: _timestamped_handler(layout),
        TimestampedRangeQuery: timestamped_range,
    }
    return {**handlers, FirstRowsQuery: first_rows_handler({RangeQuery: ranges_of}, handlers)}


_TOGETHER_MIN = 32
"""Keys of a query from which those that are not cached are read together."""


def _key_handler(layout: Layout, cache: RowCache | None) -> Callable[[View, KeyQuery], Row | None]:
    encode, decode = layout.keys.encode_whole, layout.rows.decode

    def read(view: View, query: KeyQuery) -> Row | None:
        stored = view.data.get(DATA + encode(query.key))
        return None if stored is None else decode(stored)

    if cache is None:
        return read

    def find_or_read(view: View, query: KeyQuery) -> Row | None:
        if query.skip_cache:
            return read(view, query)
        return _cached_row(cache, view.data, DATA + encode(query.key), decode)

    return find_or_read


def _few_keys_handler(
    layout: Layout, cache: RowCache | None
) -> Callable[[View, FewKeysQuery], list[Row]]:
    encode_all, decode = layout.keys.encode_all, layout.rows.decode

    def few_keys(view: View, query: FewKeysQuery) -> list[Row]:
        keys, reader = query.keys, view.data
        entry_keys = encode_all(keys, prefix=DATA)
        if cache is None:
            read = zip(keys, reader.get_all(entry_keys), strict=True)
            return [key + decode(stored) for key, stored in read if stored is not None]
        if len(keys) >= _TOGETHER_MIN:
            rows = _cached_rows(cache, reader, entry_keys, decode)
            return [key + row for key, row in zip(keys, rows, strict=True) if row is not None]
        found = []
        kept = cache.get_all(reader, entry_keys)
        for key, entry_key, cached in zip(keys, entry_keys, kept, strict=True):
            row = _cached_row(cache, reader, entry_key, decode) if cached is None else cached.row
            if row is not None:
                found.append(key + row)
        return found

    return few_keys


def _cached_rows(
    cache: RowCache, reader: Reader, keys: list[bytes], decode: Callable[[bytes], Row]
) -> list[Row | None]:
    """Return the row of each entry; those that are not cached are read together."""
    kept = cache.get_all(reader, keys)
    missing = [key for key, cached in zip(keys, kept, strict=True) if cached is None]
    if not missing:
        return [cached.row for cached in kept if cached is not None]
    read = iter(reader.get_all(missing))
    rows: list[Row | None] = []
    for key, cached in zip(keys, kept, strict=True):
        if cached is not None:
            rows.append(cached.row)
            continue
        stored = next(read)
        row = None if stored is None else decode(stored)
        if cache.admits(key):
            cache.put(reader, key, row, 0 if stored is None else len(stored))
        rows.append(row)
    return rows


def _cached_row(
    cache: RowCache, reader: Reader, key: bytes, decode: Callable[[bytes], Row]
) -> Row | None:
    """Return the row of an entry from the cache, or read it, and cache it on its second read."""
    found = cache.get(reader, key)
    if found is not None:
        return found.row
    stored = reader.get(key)
    row = None if stored is None else decode(stored)
    if cache.admits(key):
        cache.put(reader, key, row, 0 if stored is None else len(stored))
    return row


def _timestamped_handler(
    layout: Layout,
) -> Callable[[View, TimestampedKeyQuery], TimestampedRow | None]:
    def timestamped_key(view: View, query: TimestampedKeyQuery) -> TimestampedRow | None:
        row = view.data.get(DATA + layout.keys.encode_whole(query.key))
        if row is None:
            return None
        _, time_ms = layout.rows.header(row)
        time_us = None if time_ms is None else time_ms * 1000
        return TimestampedRow(row=layout.rows.decode(row), timestamp_us=time_us)

    return timestamped_key


def _keys_handler(
    layout: Layout, cache: RowCache | None
) -> Callable[[View, KeysQuery], BatchStream]:
    decode_key, decode_row, at = layout.keys.values, layout.rows.decode, layout.prefix_bytes

    def keys_query(view: View, query: KeysQuery) -> BatchStream:
        entry_keys = sorted(set(layout.keys.encode_all(query.keys, prefix=DATA)))
        decoder = layout.decoder(query.columns)

        def chunks(first_rows: int) -> Iterator[Entries]:
            del first_rows  # no other entries are read
            for start in range(0, len(entry_keys), BATCH_ROWS):
                chunk = entry_keys[start : start + BATCH_ROWS]
                rows = view.data.get_all(chunk)
                found = [row is not None for row in rows]
                yield list(itertools.compress(chunk, found)), list(itertools.compress(rows, found))

        found = stream(chunks, decoder, None)
        take = decoder.take
        if cache is None or take is None:
            return found
        return BatchStream(found.__iter__, partial(cached_rows, cache, view.data, entry_keys, take))

    def cached_rows(
        cache: RowCache,
        reader: Reader,
        entry_keys: list[bytes],
        take: Callable[[Row], Row],
        first_rows: int,
    ) -> Iterator[list[Row]]:
        for start in range(0, len(entry_keys), first_rows):
            keys = entry_keys[start : start + first_rows]
            rows = zip(keys, _cached_rows(cache, reader, keys, decode_row), strict=True)
            yield [take(decode_key(key, at) + row) for key, row in rows if row is not None]

    return keys_query

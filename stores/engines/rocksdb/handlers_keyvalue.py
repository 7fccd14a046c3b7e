"""How RocksDB answers the queries of keyvalue and global stores."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from stores.codec.layout import DATA, DATA_END, Bounds, Layout
from stores.engines.rocksdb.column_cache import PartitionColumns
from stores.engines.rocksdb.handlers_shared import Handlers, common_handlers, stream
from stores.engines.rocksdb.readers import Entries
from stores.engines.rocksdb.row_cache import RowCache
from stores.spec.query import (
    BATCH_ROWS,
    BatchStream,
    KeyQuery,
    KeysQuery,
    Order,
    RangeQuery,
)
from stores.spec.scans import CountQuery
from stores.spec.schema import Row
from stores.spec.store import View
from stores.spec.timestamped import TimestampedKeyQuery, TimestampedRangeQuery, TimestampedRow


def keyvalue_handlers(
    layout: Layout,
    columns: PartitionColumns | None = None,
    rows: RowCache | None = None,
) -> Handlers:
    """Return a handler for each query that these stores answer.

    Args:
        layout: of the store.
        columns: answers scans of all rows.
        rows: answers lookups of keys that were looked up before.
    """

    def scan(view: View, bounds: Bounds, order: Order) -> Iterator[Entries]:
        start, end = bounds
        after = DATA_END if end is None else DATA + end
        chunks: Iterator[Entries] = view.data.chunks(DATA + start, after, order)
        return chunks

    def range_query(view: View, query: RangeQuery) -> BatchStream:
        bounds = layout.bounds(query.interval)
        decoder = layout.decoder(query.columns)
        found = stream(lambda: scan(view, bounds, query.order), decoder, query.limit)
        if columns is not None and query == RangeQuery(columns=query.columns):
            return columns.stream(view, decoder.names, found)
        return found

    def timestamped_range(view: View, query: TimestampedRangeQuery) -> BatchStream:
        bounds = layout.bounds(query.interval)
        decoder = layout.decoder((*(c.name for c in layout.schema.columns), "_timestamp"))
        return stream(lambda: scan(view, bounds, query.order), decoder, query.limit)

    common = common_handlers(layout, scan)

    def count(view: View, query: CountQuery) -> int:
        found = columns.count(view) if columns is not None and query == CountQuery() else None
        return common[CountQuery](view, query) if found is None else found

    return {
        **common,
        CountQuery: count,
        KeyQuery: _key_handler(layout, rows),
        KeysQuery: _keys_handler(layout),
        RangeQuery: range_query,
        TimestampedKeyQuery: _timestamped_handler(layout),
        TimestampedRangeQuery: timestamped_range,
    }


def _key_handler(layout: Layout, cache: RowCache | None) -> Callable[[View, KeyQuery], Row | None]:
    encode, decode = layout.keys.encode_whole, layout.rows.decode

    def read(view: View, query: KeyQuery) -> Row | None:
        stored = view.data.get(DATA + encode(query.key))
        return None if stored is None else decode(stored)

    if cache is None:
        return read
    find, keep = cache.get, cache.put

    def find_or_read(view: View, query: KeyQuery) -> Row | None:
        if query.skip_cache:
            return read(view, query)
        reader, key = view.data, DATA + encode(query.key)
        found = find(reader, key)
        if found is not None:
            return found.row
        stored = reader.get(key)
        row = None if stored is None else decode(stored)
        keep(reader, key, row, 0 if stored is None else len(stored))
        return row

    return find_or_read


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


def _keys_handler(layout: Layout) -> Callable[[View, KeysQuery], BatchStream]:
    def keys_query(view: View, query: KeysQuery) -> BatchStream:
        entry_keys = sorted(set(layout.keys.encode_all(query.keys, prefix=DATA)))

        def chunks() -> Iterator[Entries]:
            for at in range(0, len(entry_keys), BATCH_ROWS):
                chunk = entry_keys[at : at + BATCH_ROWS]
                rows = view.data.get_all(chunk)
                found = [row is not None for row in rows]
                yield list(itertools.compress(chunk, found)), list(itertools.compress(rows, found))

        return stream(chunks, layout.decoder(query.columns), None)

    return keys_query

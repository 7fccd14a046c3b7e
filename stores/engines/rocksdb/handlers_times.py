"""How RocksDB answers the queries of window and session stores.

Both are read by segment, and only segments with the requested times are read.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, TypeAlias

from msgspec import Struct

from stategate.stores.codec.layout import TIME_BYTES, Bounds, Layout, encode_time, segment_bytes
from stategate.stores.codec.segments import (
    MICROS_MAX,
    MICROS_MIN,
    Segments,
    first_micros,
    last_micros,
)
from stategate.stores.engines.rocksdb.column_arrays import Within
from stategate.stores.engines.rocksdb.column_cache import PartitionColumns
from stategate.stores.engines.rocksdb.column_ends import FirstRows
from stategate.stores.engines.rocksdb.handlers_shared import (
    SEGMENTS_READ_UNSEEN,
    EndRows,
    FirstRowsFinder,
    Handlers,
    Ranges,
    TimeFilter,
    common_handlers,
    first_rows_handler,
    live_segments,
    segment_chunks,
    stream,
)
from stategate.stores.engines.rocksdb.range_cache import RangeCache
from stategate.stores.engines.rocksdb.readers import CHUNK_ROWS_MIN, Entries
from stategate.stores.spec.position import Progress
from stategate.stores.spec.query import EVERYTHING, BatchStream, FirstRowsQuery, Order, Query
from stategate.stores.spec.scans import CountQuery
from stategate.stores.spec.schema import WINDOW_START, Row
from stategate.stores.spec.store import View
from stategate.stores.spec.windows import (
    SessionKeyQuery,
    SessionQuery,
    SessionRangeQuery,
    SessionTime,
    TimeRange,
    WindowKeyQuery,
    WindowRangeQuery,
)

_KeyQuery: TypeAlias = WindowKeyQuery | SessionKeyQuery
_RangeQuery: TypeAlias = WindowRangeQuery | SessionRangeQuery


class _Times(Struct, frozen=True, kw_only=True):
    """The requested times: those that decide an entry's segment, and the starts of sessions."""

    first: int
    last: int
    starts: tuple[int, int] | None = None

    @property
    def start_filter(self) -> TimeFilter | None:
        """The filter on the start of a session; None accepts any."""
        if self.starts is None:
            return None
        low, high = map(encode_time, self.starts)
        return TimeFilter(at=-TIME_BYTES, until=None, low=low, high=high)

    def within(self, layout: Layout) -> Within:
        """Return the same condition on columns."""
        filed = {layout.times[0].name: (self.first, self.last)}
        return filed if self.starts is None else {**filed, WINDOW_START.name: self.starts}


def window_handlers(
    layout: Layout, columns: PartitionColumns | None, cached: RangeCache | None
) -> Handlers:
    """Return a handler for each query that window stores answer.

    Args:
        layout: the layout of the store.
        columns: answers queries of all keys.
        cached: answers queries of one key that were read before.
    """
    return _time_handlers(layout, columns, cached, WindowKeyQuery, WindowRangeQuery())


def session_handlers(
    layout: Layout, columns: PartitionColumns | None, cached: RangeCache | None
) -> Handlers:
    """Return a handler for each query that session stores answer; see `window_handlers`."""

    def session(view: View, query: SessionQuery) -> Row | None:
        return _session(layout, view, query)

    both = _time_handlers(layout, columns, cached, SessionKeyQuery, SessionRangeQuery())
    return {**both, SessionQuery: session}


def _time_handlers(
    layout: Layout,
    columns: PartitionColumns | None,
    cached: RangeCache | None,
    by_key: type[_KeyQuery],
    scan_all: _RangeQuery,
) -> Handlers:
    """Return the handlers of the queries that windows and sessions both have.

    Args:
        layout: the layout of the store.
        columns: answers queries of all keys.
        cached: answers queries of one key that were read before.
        by_key: the type of the queries of one key.
        scan_all: the query of all rows; queries of a range of keys have its type.
    """

    def times_of(view: View, time: TimeRange | SessionTime = scan_all.time) -> _Times:
        return _times(layout.segments, time, view.progress)

    def scan(
        view: View, bounds: Bounds, order: Order, first_rows: int = CHUNK_ROWS_MIN
    ) -> Iterator[Entries]:
        times = times_of(view)
        return _range_chunks(layout, view, bounds, times, order=order, first_rows=first_rows)

    def key_ranges(view: View, query: _KeyQuery) -> Ranges | None:
        key, times = layout.keys.encode_whole(query.key), times_of(view, query.time)
        ranges, decoder = (
            _key_ranges(layout, key, times, query.order),
            layout.decoder(query.columns),
        )
        if ranges is None:
            return None
        return Ranges(view.data, ranges, query.order, decoder, query.limit, cached)

    def key_query(view: View, query: _KeyQuery) -> BatchStream:
        ranges = key_ranges(view, query)
        if ranges is not None:
            return ranges.stream()
        key, times = layout.keys.encode_whole(query.key), times_of(view, query.time)
        chunks = partial(_key_chunks, layout, view, key, times, order=query.order)
        return stream(chunks, layout.decoder(query.columns), query.limit)

    def range_query(view: View, query: _RangeQuery) -> BatchStream:
        times, is_whole = times_of(view, query.time), query.time == scan_all.time
        return _range(layout, columns, view, query, times, is_whole=is_whole)

    common = common_handlers(layout, scan)

    def count(view: View, query: CountQuery) -> int:
        found = None
        if columns is not None and query == CountQuery():
            found = columns.count(view, times_of(view).within(layout))
        return common[CountQuery](view, query) if found is None else found

    handlers: Handlers = {
        **common,
        CountQuery: count,
        by_key: key_query,
        type(scan_all): range_query,
    }
    finders: Mapping[type[Query[Any]], FirstRowsFinder] = {
        by_key: key_ranges,
        type(scan_all): partial(_end_rows, layout, columns),
    }
    return {**handlers, FirstRowsQuery: first_rows_handler(finders, handlers)}


def _session(layout: Layout, view: View, query: SessionQuery) -> Row | None:
    key = layout.keys.encode_whole(query.key)
    if not (MICROS_MIN <= query.start_us <= MICROS_MAX):
        return None
    if not layout.segments.live_from_us(view.progress) <= query.end_us <= MICROS_MAX:
        return None
    segment = layout.segment_of(query.end_us)
    row = view.data.get(segment + key + encode_time(query.end_us) + encode_time(query.start_us))
    return None if row is None else layout.rows.decode(row)


def _times(segments: Segments, time: TimeRange | SessionTime, progress: Progress) -> _Times:
    """Return the times that can be read: windows are filed by start, sessions by end."""
    if isinstance(time, TimeRange):
        first, last = segments.readable(time, progress)
        return _Times(first=first, last=last)
    ends = TimeRange(start_ms=time.earliest_end_ms, end_ms=time.latest_end_ms)
    first, last = segments.readable(ends, progress)
    if time.earliest_start_ms is None and time.latest_start_ms is None:
        return _Times(first=first, last=last)
    starts = first_micros(time.earliest_start_ms), last_micros(time.latest_start_ms)
    return _Times(first=first, last=last, starts=starts)


def _range(
    layout: Layout,
    columns: PartitionColumns | None,
    view: View,
    query: _RangeQuery,
    times: _Times,
    *,
    is_whole: bool,
) -> BatchStream:
    """Answer a range query: from kept columns if it is of all keys, else from entries."""
    bounds, decoder, order = (
        layout.bounds(query.interval),
        layout.decoder(query.columns),
        query.order,
    )
    enough = query.first_by_time if query.limit is None else None
    chunks = partial(_range_chunks, layout, view, bounds, times, order=order, enough=enough)
    found = stream(chunks, decoder, query.limit)
    is_of_all_keys = query.interval == EVERYTHING and query.limit is None
    if columns is None or not is_of_all_keys or (order is not Order.ASCENDING and enough is None):
        return found
    first = _first_by_time(query, times)
    within = times.within(layout)
    return columns.stream(view, decoder.names, found, within, is_whole=is_whole, first=first)


def _first_by_time(query: _RangeQuery, times: _Times) -> FirstRows | None:
    """Return which rows of all keys suffice; None if kept columns cannot tell them by time."""
    enough = query.first_by_time
    if not enough or query.limit is not None or query.interval != EVERYTHING:
        return None
    return FirstRows(enough, query.order) if times.starts is None else None


def _end_rows(
    layout: Layout, columns: PartitionColumns | None, view: View, query: _RangeQuery
) -> EndRows | None:
    """Return the first rows by time if they are kept."""
    times = _times(layout.segments, query.time, view.progress)
    first = _first_by_time(query, times)
    if columns is None or first is None:
        return None
    names = layout.decoder(query.columns).names
    rows = columns.first_rows(view, names, times.within(layout), first)
    return None if rows is None else EndRows(rows)


def _key_ranges(
    layout: Layout, key: bytes, times: _Times, order: Order
) -> list[tuple[bytes, bytes]] | None:
    """Return the ranges of the entries of one key; None if segments or entries have to be checked.

    There are no more of them than segments are read without a check.
    """
    low, high = times.first, times.last
    if low > high:
        return []
    number_of = layout.segments.number_of
    first, last = number_of(low), number_of(high)
    if times.starts is not None or last - first >= SEGMENTS_READ_UNSEEN:
        return None
    start, end = _key_bounds(key, times)
    numbers = range(first, last + 1) if order is Order.ASCENDING else range(last, first - 1, -1)
    return [(segment + start, segment + end) for segment in map(segment_bytes, numbers)]


def _key_bounds(key: bytes, times: _Times) -> tuple[bytes, bytes]:
    # FF sorts after every encoded time.
    return key + encode_time(times.first), key + encode_time(times.last) + b"\xff"


def _key_chunks(
    layout: Layout, view: View, key: bytes, times: _Times, *, order: Order, first_rows: int
) -> Iterator[Entries]:
    """Yield the entries of one key, by time."""
    bounds, starts = _key_bounds(key, times), times.start_filter
    for segment in _segments(layout, view, times, order):
        chunks = segment_chunks(view.data, segment, bounds, order, first_rows)
        yield from chunks if starts is None else map(starts.keep, chunks)


def _range_chunks(
    layout: Layout,
    view: View,
    bounds: Bounds,
    times: _Times,
    *,
    order: Order,
    first_rows: int,
    enough: int | None = None,
) -> Iterator[Entries]:
    """Yield the entries in a range of keys, by segment, key and time.

    No further segment is read once there are enough entries.
    """
    at = -TIME_BYTES * len(layout.times)
    filed = TimeFilter(
        at=at,
        until=at + TIME_BYTES or None,
        low=encode_time(times.first),
        high=encode_time(times.last),
    )
    starts = times.start_filter
    edges = {layout.segment_of(times.first), layout.segment_of(times.last)}
    left = math.inf if enough is None else enough
    # Windows that would end after the last time have equal ends, in whichever segments they are.
    equal_from = layout.segment_of(layout.last_start)
    for segment in _segments(layout, view, times, order) if left else ():
        chunks = segment_chunks(view.data, segment, bounds, order, first_rows)
        if segment in edges:
            chunks = map(filed.keep, chunks)
        for chunk in chunks if starts is None else map(starts.keep, chunks):
            left -= len(chunk[0])
            yield chunk
        if left <= 0 and segment < equal_from:
            return


def _segments(layout: Layout, view: View, times: _Times, order: Order) -> Iterator[bytes]:
    if times.first > times.last:
        return iter(())
    number_of = layout.segments.number_of
    return live_segments(view.data, number_of(times.first), number_of(times.last), order)

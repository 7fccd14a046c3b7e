"""How RocksDB answers the queries of versioned stores.

The latest version of each key is in a special segment, where one seek finds it and it never
expires. A replaced version is in the segment of its end. So the version that was valid at a time is
the first one that ends after it.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from stategate.stores.codec.layout import (
    LATEST,
    TIME_BYTES,
    TOMBSTONE,
    Bounds,
    Layout,
    decode_time,
    encode_time,
    segment_number,
)
from stategate.stores.codec.segments import END_OF_TIME, MICROS_MAX, first_micros, last_micros
from stategate.stores.engines.rocksdb.handlers_shared import (
    Handlers,
    common_handlers,
    live_segments,
    rechunked,
    segment_chunks,
    stream,
)
from stategate.stores.engines.rocksdb.readers import CHUNK_ROWS_MIN, Entries, Reader
from stategate.stores.spec.position import Progress
from stategate.stores.spec.query import BatchStream, Order
from stategate.stores.spec.store import View
from stategate.stores.spec.versions import (
    MultiVersionedKeyQuery,
    VersionedKeyQuery,
    VersionedRangeQuery,
    VersionedRow,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Validity:
    """The requested versions, by their start and end."""

    after: int
    """A version ends after this time."""
    until: int
    """A version does not start after this time."""
    replaced: bool
    """Whether replaced versions can be among them."""


def version_handlers(layout: Layout) -> Handlers:
    """Return a handler for each query that versioned stores answer."""

    def scan(
        view: View, bounds: Bounds, order: Order, first_rows: int = CHUNK_ROWS_MIN
    ) -> Iterator[Entries]:
        del first_rows  # chunks are made anew, see `rechunked`
        validity = _validity(layout, None, None, view.progress)
        return _range_chunks(layout, view.data, bounds, validity, order)

    def version(view: View, query: VersionedKeyQuery) -> VersionedRow | None:
        return _as_of(layout, view, query)

    def versions(view: View, query: MultiVersionedKeyQuery) -> BatchStream:
        key = layout.keys.encode_whole(query.key)
        validity = _validity(layout, query.from_ms, query.to_ms, view.progress)
        return stream(
            lambda first_rows: _key_chunks(layout, view.data, key, validity, query.order),
            layout.decoder(query.columns),
            query.limit,
        )

    def version_range(view: View, query: VersionedRangeQuery) -> BatchStream:
        bounds = layout.bounds(query.interval)
        validity = _validity(layout, query.from_ms, query.to_ms, view.progress)
        return stream(
            lambda first_rows: _range_chunks(layout, view.data, bounds, validity, query.order),
            layout.decoder(query.columns),
            query.limit,
        )

    return {
        **common_handlers(layout, scan),
        VersionedKeyQuery: version,
        MultiVersionedKeyQuery: versions,
        VersionedRangeQuery: version_range,
    }


def latest(reader: Reader, key: bytes) -> tuple[bytes, bytes] | None:
    """Return the entry of the latest version of a key; None if it has none or was deleted."""
    start = LATEST + key
    found = next(reader.chunks(start, start + b"\xff", Order.ASCENDING, first_rows=1), None)
    return None if found is None else (found[0][0], found[1][0])


def history(
    layout: Layout, reader: Reader, key: bytes, *, after: int, up_to: int, first: int
) -> Iterator[tuple[bytes, bytes]]:
    """Yield the replaced versions of a key and its tombstones, oldest first.

    Args:
        layout: the layout of the store.
        reader: the reader of the epoch.
        key: the encoded key.
        after: only versions that end after this time.
        up_to: only versions that end no later than this time.
        first: only versions in the segment of this time or a later one.
    """
    if after >= up_to:
        return
    bounds = key + encode_time(after + 1), key + encode_time(up_to) + b"\xff"
    number_of = layout.segments.number_of
    numbers = number_of(first), number_of(up_to)
    for segment in live_segments(reader, *numbers, Order.ASCENDING):
        for keys, rows in segment_chunks(reader, segment, bounds, Order.ASCENDING):
            yield from zip(keys, rows, strict=True)


def _as_of(layout: Layout, view: View, query: VersionedKeyQuery) -> VersionedRow | None:
    key = layout.keys.encode_whole(query.key)
    time_us = last_micros(query.as_of_ms)
    newest = latest(view.data, key)
    if newest is not None and decode_time(newest[0][-TIME_BYTES:]) <= time_us:
        return _versioned_row(layout, *newest)
    if query.as_of_ms is None or time_us < layout.segments.history_from_us(view.progress):
        return None
    found = next(
        history(layout, view.data, key, after=time_us, up_to=END_OF_TIME, first=time_us), None
    )
    if found is None or found[1] == TOMBSTONE or decode_time(found[0][-TIME_BYTES:]) > time_us:
        return None
    return _versioned_row(layout, *found)


def _versioned_row(layout: Layout, entry_key: bytes, row: bytes) -> VersionedRow:
    valid_to = decode_time(entry_key[-2 * TIME_BYTES : -TIME_BYTES])
    return VersionedRow(
        row=layout.rows.decode(row),
        valid_from_us=decode_time(entry_key[-TIME_BYTES:]),
        valid_to_us=None if valid_to == END_OF_TIME else valid_to,
    )


def _validity(
    layout: Layout, from_ms: int | None, to_ms: int | None, progress: Progress
) -> _Validity:
    history_from, until = layout.segments.history_from_us(progress), last_micros(to_ms)
    return _Validity(
        after=max(first_micros(from_ms), history_from),
        until=until,
        replaced=until >= history_from,
    )


def _key_chunks(
    layout: Layout, reader: Reader, key: bytes, validity: _Validity, order: Order
) -> Iterator[Entries]:
    """Yield the versions of one key. Later segments have later versions, the last the latest."""
    replaced = key + encode_time(min(validity.after, MICROS_MAX - 1) + 1), key + b"\xff"
    for segment in _segments(layout, reader, validity, order):
        bounds = (key, key + b"\xff") if segment == LATEST else replaced
        for chunk in segment_chunks(reader, segment, bounds, order):
            yield _valid(chunk, validity, is_latest=segment == LATEST)


def _range_chunks(
    layout: Layout, reader: Reader, bounds: Bounds, validity: _Validity, order: Order
) -> Iterator[Entries]:
    """Merge the segments of a range of keys, by key, then by time."""
    sources = [
        _pairs(segment_chunks(reader, segment, bounds, order), validity, segment == LATEST)
        for segment in _segments(layout, reader, validity, order)
    ]
    merged = heapq.merge(*sources, key=_by_key, reverse=order is Order.DESCENDING)
    return rechunked(merged)


def _by_key(entry: tuple[bytes, bytes]) -> bytes:
    key = entry[0]
    return key[len(LATEST) : -2 * TIME_BYTES] + key[-TIME_BYTES:]


def _pairs(
    chunks: Iterator[Entries], validity: _Validity, is_latest: bool
) -> Iterator[tuple[bytes, bytes]]:
    for chunk in chunks:
        yield from zip(*_valid(chunk, validity, is_latest=is_latest), strict=True)


def _valid(entries: Entries, validity: _Validity, *, is_latest: bool) -> Entries:
    """Return the requested entries, without tombstones."""
    after, until = encode_time(validity.after), encode_time(validity.until)
    flags = [
        row != TOMBSTONE
        and key[-TIME_BYTES:] <= until
        and (is_latest or key[-2 * TIME_BYTES : -TIME_BYTES] > after)
        for key, row in zip(*entries, strict=True)
    ]
    if all(flags):
        return entries
    keys, rows = entries
    return list(itertools.compress(keys, flags)), list(itertools.compress(rows, flags))


def _segments(layout: Layout, reader: Reader, validity: _Validity, order: Order) -> Iterator[bytes]:
    """Return the segments to read; that of the latest versions is the last in ascending order."""
    first = layout.segments.number_of(validity.after)
    last = segment_number(LATEST) - 1
    replaced = live_segments(reader, first, last, order) if validity.replaced else iter(())
    if order is Order.ASCENDING:
        return itertools.chain(replaced, [LATEST])
    return itertools.chain([LATEST], replaced)

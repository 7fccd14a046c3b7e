"""The RocksDB engine: one database per replica. The only importer of rocksdict.

Layout, all in the default column family, for a snapshot and an iterator cover only one:

    00 "progress"                        epoch, position, watermark of what has been applied
    00 "definition"                      fingerprint of the store's definition
    01 <key>                             keyvalue and global stores: the row
    01 <segment> <key> <window start>    window stores: the row

Rows and progress of an epoch go in by one write batch. A view is made right after it; every query
of an epoch shares it (see `stores.readers`) and makes none itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
from rocksdict import (
    BlockBasedOptions,
    Cache,
    Options,
    Rdict,
    WriteBatch,
)

from stores.batches import EntryDecoder, decode_time, encode_time
from stores.errors import CodecError, StoreError
from stores.keys import KeyCodec
from stores.position import Position, Progress
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
from stores.readers import Entries, Reader
from stores.rows import RowCodec
from stores.schema import Row, StoreKind, StoreSchema
from stores.segments import Segments
from stores.store import Handler, View

_PROGRESS = b"\0progress"
_DEFINITION = b"\0definition"
_DATA = b"\x01"
_DATA_END = b"\x02"

_WRITE_BUFFER_BYTES = 16 << 20
"""Per replica: a node holds hundreds of them."""
_BLOOM_BITS_PER_KEY = 10.0
"""One false positive in a hundred lookups of a key that is not there."""


def shared_cache(capacity_bytes: int) -> Cache:
    """A block cache for all replicas of a node."""
    return Cache(capacity_bytes)


class RocksPartition:
    """A `StorePartition` over one RocksDB database.

    Args:
        path: the database's directory; one whose definition differs is emptied first.
        schema: the store.
        partition: its number.
        cache: the node's block cache.

    Raises:
        StoreError: the database cannot be opened, e.g. since another process holds it.
    """

    def __init__(
        self, path: Path, *, schema: StoreSchema, partition: int, cache: Cache | None = None
    ) -> None:
        self.schema, self.partition = schema, partition
        self._keys, self._rows = KeyCodec(schema.key), RowCodec(schema.value)
        self._segments = Segments.of(schema)
        self._path = path
        self._options = _options(cache)
        self._db = self._open()
        self._view: View | None = None
        if self._db.get(_DEFINITION) != fingerprint(schema):
            self.reset()
        else:
            self._view = self._take_view()
        self._handlers = self._make_handlers()

    @property
    def view(self) -> View:
        """The newest epoch, with its `Reader` as data."""
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
        """Take one epoch in one write batch; expired segments go in the same.

        Raises:
            StoreError: the database cannot be written.
        """
        writes = WriteBatch(raw_mode=True)
        if replace:
            writes.delete_range(_DATA, _DATA_END)
        for batch in batches:
            self._put(writes, batch, progress.epoch)
        self._drop_expired(writes, progress)
        writes.put(_PROGRESS, _encode_progress(progress))
        self._write(writes)
        # The given progress, not one read back: all partitions then share one position object,
        # which makes merging their positions a comparison of identities.
        self._view = View(progress=progress, data=self._reader())

    def reset(self) -> None:
        """Forget everything, because the log it came from is not the log there is now.

        In one write, so that a crash leaves the old or nothing; views that are read stay valid.

        Raises:
            StoreError: the database cannot be written.
        """
        writes = WriteBatch(raw_mode=True)
        writes.delete_range(_DATA, _DATA_END)
        writes.delete(_PROGRESS)
        writes.put(_DEFINITION, fingerprint(self.schema))
        self._write(writes)
        self._view = self._take_view()

    def close(self) -> None:
        """Close the database once the last view is gone. Closing twice is closing once."""
        if self._view is not None:
            self._view = None
            self._db.close()

    # Opening

    def _open(self) -> Rdict:
        self._path.mkdir(parents=True, exist_ok=True)
        try:
            return Rdict(str(self._path), self._options)
        except Exception as error:  # rocksdict raises bare Exception
            raise StoreError(f"cannot open {self._path}: {error}") from error

    def _take_view(self) -> View:
        reader = self._reader()
        return View(progress=_decode_progress(reader.get(_PROGRESS)), data=reader)

    def _reader(self) -> Reader:
        """What the database holds now; only the one thread that writes may ask."""
        iterator: Any = self._db.iter()  # its stub does not know that raw mode gives bytes
        return Reader(self._db.snapshot(), iterator)

    # Writing

    def _write(self, writes: WriteBatch) -> None:
        try:
            self._db.write(writes)
        except Exception as error:  # rocksdict raises bare Exception
            raise StoreError(f"cannot write {self._path}: {error}") from error

    def _put(self, writes: WriteBatch, batch: pa.RecordBatch, epoch: int) -> None:
        entry_keys = self._entry_keys(batch)
        deleted = batch.column("_deleted")
        if deleted.true_count:
            flags = deleted.to_pylist()
            for entry_key in itertools.compress(entry_keys, flags):
                writes.delete(entry_key)
            kept = [not flag for flag in flags]
            entry_keys = list(itertools.compress(entry_keys, kept))
            batch = batch.filter(pa.array(kept))
        rows = self._rows.encode_columns(
            [batch.column(c.name) for c in self.schema.value],
            epoch=epoch,
            times=batch.column("_timestamp"),
        )
        put = writes.put
        for entry_key, row in zip(entry_keys, rows, strict=True):
            put(entry_key, row)

    def _entry_keys(self, batch: pa.RecordBatch) -> list[bytes]:
        encoded = self._keys.encode_columns([batch.column(c.name) for c in self.schema.key])
        if self.schema.kind is not StoreKind.WINDOW:
            return [_DATA + key for key in encoded]
        starts = batch.column("window_start").cast(pa.int64()).to_pylist()
        number = self._segments.number
        return [
            self._segment(number(micros // 1000)) + key + encode_time(micros // 1000)
            for key, micros in zip(encoded, starts, strict=True)
        ]

    @staticmethod
    def _segment(number: int) -> bytes:
        return _DATA + encode_time(number)

    def _drop_expired(self, writes: WriteBatch, progress: Progress) -> None:
        if self.schema.kind is not StoreKind.WINDOW:
            return
        live = self._segments.number(self._segments.live_from_ms(progress))
        # Only when a segment has come to its end: a tombstone for every epoch would slow all reads.
        # What comes late for an older segment is not readable, and goes with the next one.
        if live > self._segments.number(self._segments.live_from_ms(self.view.progress)):
            writes.delete_range(_DATA, self._segment(live))

    # Reading

    def _make_handlers(self) -> dict[type[Query[Any]], Handler]:
        if self.schema.kind is StoreKind.WINDOW:
            return {WindowKeyQuery: self._window_key, WindowRangeQuery: self._window_range}
        if self.schema.kind in {StoreKind.KEYVALUE, StoreKind.GLOBAL}:
            return {KeyQuery: self._key_handler(), KeysQuery: self._many, RangeQuery: self._range}
        return {}

    def _key_handler(self) -> Callable[[View, KeyQuery], Row | None]:
        encode, decode = self._keys.encode_whole, self._rows.decode

        def key_query(view: View, query: KeyQuery) -> Row | None:
            row = view.data.get(_DATA + encode(query.key))
            return None if row is None else decode(row)

        return key_query

    def _many(self, view: View, query: KeysQuery) -> BatchStream:
        decoder = self._decoder(query.columns)
        entry_keys = sorted({_DATA + self._keys.encode_whole(key) for key in query.keys})

        def chunks() -> Iterator[Entries]:
            for at in range(0, len(entry_keys), BATCH_ROWS):
                chunk = entry_keys[at : at + BATCH_ROWS]
                rows = list(map(view.data.get, chunk))
                found = [row is not None for row in rows]
                yield list(itertools.compress(chunk, found)), list(itertools.compress(rows, found))

        def read() -> Iterator[pa.RecordBatch]:
            return _batches(chunks(), decoder, _split_key, limit=None)

        return BatchStream(read)

    def _range(self, view: View, query: RangeQuery) -> BatchStream:
        start, end = self._keys.range_of(query.interval)
        low, high = _DATA + (start or b""), _DATA_END if end is None else _DATA + end
        decoder = self._decoder(query.columns)

        def read() -> Iterator[pa.RecordBatch]:
            chunks = view.data.chunks(low, high, query.order)
            return _batches(chunks, decoder, _split_key, limit=query.limit)

        return BatchStream(read)

    def _window_key(self, view: View, query: WindowKeyQuery) -> BatchStream:
        key = self._keys.encode_whole(query.key)
        first, last = self._segments.readable(query.time, view.progress)
        low, high = key + encode_time(first), key + encode_time(last + 1)
        decoder = self._decoder(query.columns)

        def read() -> Iterator[pa.RecordBatch]:
            chunks = itertools.chain.from_iterable(
                view.data.chunks(segment + low, segment + high, query.order)
                for segment in self._live_segments(view.data, first, last, query.order)
            )
            return _batches(chunks, decoder, _split_window, limit=query.limit)

        return BatchStream(read)

    def _window_range(self, view: View, query: WindowRangeQuery) -> BatchStream:
        first, last = self._segments.readable(query.time, view.progress)
        low, high = encode_time(first), encode_time(last)
        decoder = self._decoder(query.columns)

        def read() -> Iterator[pa.RecordBatch]:
            chunks = (
                _between(chunk, low, high)
                for segment in self._live_segments(view.data, first, last, query.order)
                for chunk in self._segment_chunks(view.data, segment, query.interval, query.order)
            )
            return _batches(chunks, decoder, _split_window, limit=query.limit)

        return BatchStream(read)

    def _segment_chunks(
        self, reader: Reader, segment: bytes, interval: Interval, order: Order
    ) -> Iterator[Entries]:
        start, end = self._keys.range_of(interval)
        after = self._segment(decode_time(segment[1:]) + 1)
        return reader.chunks(
            segment + (start or b""), after if end is None else segment + end, order
        )

    def _live_segments(
        self, reader: Reader, first_ms: int, last_ms: int, order: Order
    ) -> Iterator[bytes]:
        """The segments that hold entries and overlap a range of window starts, in read order."""
        low = self._segment(self._segments.number(first_ms))
        high = self._segment(self._segments.number(last_ms) + 1)
        while low < high:
            found = next(reader.chunks(low, high, order, first_rows=1), None)
            if found is None:
                return
            keys, _ = found
            segment = keys[0][:9]
            yield segment
            if order is Order.ASCENDING:
                low = self._segment(decode_time(segment[1:]) + 1)
            else:
                high = segment

    def _decoder(self, columns: tuple[str, ...] | None) -> EntryDecoder:
        return EntryDecoder(
            schema=self.schema,
            partition=self.partition,
            keys=self._keys,
            rows=self._rows,
            columns=columns,
        )


def fingerprint(schema: StoreSchema) -> bytes:
    """What must be equal for the bytes of two databases to mean the same."""
    columns = [(c.name, str(c.type)) for c in (*schema.key, *schema.value)]
    # With another retention, rows that were dropped under the old one would be missing.
    times = [Segments.of(schema).interval_ms, schema.window_size_ms, schema.retention_ms]
    return orjson.dumps([1, schema.kind.value, columns, schema.partitions, times])


def _options(cache: Cache | None) -> Options:
    options = Options(raw_mode=True)
    options.create_if_missing(True)
    options.set_write_buffer_size(_WRITE_BUFFER_BYTES)
    options.set_keep_log_file_num(2)
    table = BlockBasedOptions()
    table.set_bloom_filter(_BLOOM_BITS_PER_KEY, False)  # type: ignore[arg-type] # its stub is wrong
    if cache is not None:
        table.set_block_cache(cache)
    options.set_block_based_table_factory(table)
    return options


_Split = Callable[[list[bytes]], tuple[list[bytes], list[bytes] | None]]


def _split_key(entry_keys: list[bytes]) -> tuple[list[bytes], None]:
    return [key[1:] for key in entry_keys], None


def _split_window(entry_keys: list[bytes]) -> tuple[list[bytes], list[bytes]]:
    return [key[9:-8] for key in entry_keys], [key[-8:] for key in entry_keys]


def _between(entries: Entries, low: bytes, high: bytes) -> Entries:
    """Those whose window starts lie within an encoded range, both ends inclusive."""
    keys, rows = entries
    within = [low <= key[-8:] <= high for key in keys]
    return list(itertools.compress(keys, within)), list(itertools.compress(rows, within))


def _batches(
    chunks: Iterable[Entries], decoder: EntryDecoder, split: _Split, *, limit: int | None
) -> Iterator[pa.RecordBatch]:
    left = limit
    if left == 0:
        return
    for entry_keys, entry_rows in chunks:
        rows = entry_rows[:left]
        if rows:
            key_bytes, starts = split(entry_keys[:left])
            yield decoder.batch(key_bytes, rows, starts)
        if left is not None:
            left -= len(rows)
            if not left:
                return


def _encode_progress(progress: Progress) -> bytes:
    return orjson.dumps(
        {
            "epoch": progress.epoch,
            "position": orjson.Fragment(progress.position.token()),
            "watermark_ms": progress.watermark_ms,
            "committed_ms": progress.committed_ms,
        }
    )


def _decode_progress(encoded: bytes | None) -> Progress:
    if encoded is None:
        return Progress()
    try:
        document = orjson.loads(encoded)
        return Progress(
            epoch=document["epoch"],
            position=Position.from_json(document["position"]),
            watermark_ms=document["watermark_ms"],
            committed_ms=document["committed_ms"],
        )
    except (KeyError, TypeError, orjson.JSONDecodeError) as error:
        raise CodecError("the progress record of a replica is damaged") from error

"""Writes the rows of an epoch to RocksDB: by key, and versions at their place in the key's chain.

Nearly every version follows the latest of its key. That takes two entries and a deletion, made of
bytes that exist already: the new version becomes the latest, and the one before ends where it
begins. The work is done in the order of the keys: one pass finds the latest versions, and RocksDB
takes sorted entries in half the time.

A version that comes before the latest of its key, or after a tombstone, changes the ends of its
neighbours, which have to be found. The chain of a key is read as far back as the rows of the epoch
reach, once an epoch. Only RocksDB needs this: it stores the end of each version, so that history
expires by segment.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from stategate.stores.codec.layout import (
    DATA,
    DATA_END,
    LATEST,
    PREFIX_BYTES,
    TIME_BYTES,
    TOMBSTONE,
    Layout,
    decode_time,
    segment_number,
)
from stategate.stores.codec.segments import END_OF_TIME, MICROS_MIN
from stategate.stores.engines.rocksdb.column_changes import Change
from stategate.stores.engines.rocksdb.database import Writes
from stategate.stores.engines.rocksdb.handlers_shared import live_segments
from stategate.stores.engines.rocksdb.handlers_versions import history, latest
from stategate.stores.engines.rocksdb.readers import Entry, Reader
from stategate.stores.engines.rocksdb.row_cache import ChangedKeys
from stategate.stores.errors import CodecError
from stategate.stores.spec.arrow import Ints, int64_values
from stategate.stores.spec.position import Progress
from stategate.stores.spec.query import Order


class EntryWriter:
    """Writes the rows of one epoch of one partition as they come.

    Args:
        layout: the layout of the store.
        progress: the progress of the new epoch. Its watermark decides which rows are late.
        writes: takes the changes.
        replaces: whether the epoch replaces the store; then its rows may be of any age.
        change: takes the rows for the kept columns; None if none are kept.
        changed: takes the keys for the cache of rows.
    """

    def __init__(
        self,
        layout: Layout,
        progress: Progress,
        writes: Writes,
        *,
        replaces: bool,
        change: Change | None,
        changed: ChangedKeys,
    ) -> None:
        self._layout, self._progress, self._writes = layout, progress, writes
        self._replaces = replaces
        self._change, self._changed = change, changed
        self._late_rows = 0

    def add(self, batch: pa.RecordBatch) -> None:
        """Write logged rows."""
        batch = self._timely(batch)
        self._write(self._layout.entry_keys(batch), batch)

    def finish(self) -> int:
        """Return how many rows were dropped, because they came too late."""
        return self._late_rows

    def _timely(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the rows that have not expired; count the others."""
        if not self._layout.times:
            return batch
        timely = self._layout.timely(batch, self._progress)
        self._late_rows += 0 if self._replaces else batch.num_rows - timely.num_rows
        return timely

    def _write(self, entry_keys: list[bytes], batch: pa.RecordBatch) -> None:
        self._changed.add(entry_keys)
        deleted = batch.column("_deleted")
        if deleted.true_count:
            flags = deleted.to_pylist()
            self._delete(list(itertools.compress(entry_keys, flags)))
            is_put = [not flag for flag in flags]
            entry_keys = list(itertools.compress(entry_keys, is_put))
            batch = batch.filter(pa.array(is_put))
        self._put(entry_keys, self._layout.encode_rows(batch, epoch=self._progress.epoch))

    def _put(self, entry_keys: list[bytes], rows: list[bytes]) -> None:
        if self._change is not None:
            self._change.keys += entry_keys
            self._change.rows += rows
        # This loop runs in C, and takes a fifth less time than one in Python.
        deque(map(self._writes.put, entry_keys, rows), maxlen=0)

    def _delete(self, entry_keys: list[bytes]) -> None:
        if self._change is not None:
            self._change.deleted += entry_keys
        deque(map(self._writes.delete, entry_keys), maxlen=0)


@dataclass(frozen=True, slots=True)
class _Version:
    valid_from: int
    valid_to: int
    row: bytes


@dataclass(slots=True)
class _Chain:
    """The newest versions of a key, oldest first; each ends where the next begins."""

    known_from: int
    """All versions that end after this time are here."""
    versions: list[_Version] = field(default_factory=list)

    def reaches(self, time_us: int) -> bool:
        """Return whether the version that is valid at a time, or the next one, is here."""
        if self.versions and self.versions[0].valid_from <= time_us:
            return True
        return self.known_from <= time_us


class _Chains:
    """The chains of one partition while an epoch is applied.

    Args:
        layout: the layout of the store.
        reader: the reader of the epoch before; None if nothing of it remains.
        progress: the progress of the new epoch. Its watermark decides which versions are forgotten.
        writes: takes the changes.
    """

    def __init__(
        self, layout: Layout, reader: Reader | None, progress: Progress, writes: Writes
    ) -> None:
        self._layout, self._reader, self._writes = layout, reader, writes
        self._history_from = layout.segments.history_from_us(progress)
        self._chains: dict[bytes, _Chain] = {}

    def insert(self, key: bytes, time_us: int, row: bytes) -> None:
        """Insert a version; a tombstone has the empty row."""
        versions = self._chain(key, time_us).versions
        at = bisect_right(versions, time_us, key=lambda version: version.valid_from)
        valid_to = versions[at].valid_from if at < len(versions) else END_OF_TIME
        new = _Version(time_us, valid_to, row)
        if at and versions[at - 1].valid_to > time_us:
            before = versions[at - 1]
            self._writes.delete(self._key(key, before))
            if before.valid_from == time_us:
                versions[at - 1] = new
                self._put(key, new)
                return
            ended = _Version(before.valid_from, time_us, before.row)
            versions[at - 1] = ended
            self._put(key, ended)
        versions.insert(at, new)
        self._put(key, new)

    def _put(self, key: bytes, version: _Version) -> None:
        self._writes.put(self._key(key, version), version.row)

    def _key(self, key: bytes, version: _Version) -> bytes:
        gone = version.row == TOMBSTONE
        return self._layout.version_key(key, version.valid_from, version.valid_to, gone=gone)

    def _chain(self, key: bytes, time_us: int) -> _Chain:
        """Return the chain of a key, read back to a time."""
        chain = self._chains.get(key)
        if chain is None:
            chain = self._chains[key] = self._begin(key, time_us)
        if not chain.reaches(time_us):
            self._extend(key, chain, time_us)
        return chain

    def _begin(self, key: bytes, time_us: int) -> _Chain:
        if self._reader is None:
            return _Chain(MICROS_MIN)
        newest = latest(self._reader, key)
        if newest is not None:
            version = _version(*newest)
            return _Chain(version.valid_from, [version])
        # The newest may be a tombstone, which may be in any segment.
        chain = _Chain(END_OF_TIME)
        self._extend(key, chain, time_us, all_segments=True)
        return chain

    def _extend(
        self, key: bytes, chain: _Chain, time_us: int, *, all_segments: bool = False
    ) -> None:
        """Read the versions that end after a time and are not here yet."""
        if self._reader is None:
            return
        found = history(
            self._layout,
            self._reader,
            key,
            after=time_us,
            up_to=chain.known_from,
            first=self._history_from if all_segments else time_us,
        )
        older = [_version(*entry) for entry in found]
        if older and older[0].valid_to == END_OF_TIME and older[0].valid_from <= self._history_from:
            # An expired tombstone must not matter, whether it has been removed or not.
            self._writes.delete(self._key(key, older.pop(0)))
        chain.versions[:0] = older
        chain.known_from = min(time_us, chain.known_from)


def _version(entry_key: bytes, row: bytes) -> _Version:
    return _Version(
        decode_time(entry_key[-TIME_BYTES:]),
        decode_time(entry_key[-2 * TIME_BYTES : -TIME_BYTES]),
        row,
    )


class VersionWriter:
    """Writes the versions of one epoch of one partition: collected, then ordered by key and time.

    Args:
        layout: the layout of the store.
        reader: the reader of the epoch before, which is not shared; None if nothing of it remains.
        progress: the progress of the new epoch. Its watermark decides which rows are late and which
            versions are forgotten.
        writes: takes the changes.
    """

    def __init__(
        self, layout: Layout, reader: Reader | None, progress: Progress, writes: Writes
    ) -> None:
        self._layout, self._reader, self._writes = layout, reader, writes
        self._epoch = progress.epoch
        self._history_from = layout.segments.history_from_us(progress)
        self._chains = _Chains(layout, reader, progress, writes)
        self._times: list[Ints] = []
        self._entry_keys: list[bytes] = []
        self._rows: list[bytes] = []

    def add(self, batch: pa.RecordBatch) -> None:
        """Collect logged rows.

        Raises:
            CodecError: a version has no event time.
        """
        times = batch.column("_timestamp")
        if times.null_count:
            raise CodecError(f'a version in store "{self._layout.schema.name}" has no event time')
        rows = self._layout.encode_rows(batch, epoch=self._epoch)
        deleted = batch.column("_deleted")
        if deleted.true_count:
            flags = deleted.to_pylist()
            rows = [TOMBSTONE if gone else row for row, gone in zip(rows, flags, strict=True)]
        self._times.append(int64_values(times))
        self._entry_keys += self._layout.latest_keys(batch)
        self._rows += rows

    def finish(self) -> int:
        """Write the versions.

        Returns:
            How many were dropped. They came too late, more than the retention before the watermark,
            unless the epoch replaces the store; or they begin at the end of time.
        """
        if not self._times:
            return 0
        times = np.concatenate(self._times)
        # Latest versions may be of any age, so no version is late in an epoch that replaces the
        # store.
        earliest = MICROS_MIN if self._reader is None else self._history_from
        places = np.flatnonzero((times >= earliest) & (times < END_OF_TIME)).tolist()
        # Sort by key, then by time; a version that replaces one of its own epoch stays after it.
        places.sort(key=self._entry_keys.__getitem__)
        self._follow(
            [self._entry_keys[place] for place in places],
            self._layout.segments_of(times[places]),
            [self._rows[place] for place in places],
        )
        return len(times) - len(places)

    def _follow(
        self, entry_keys: Sequence[bytes], segments: Sequence[bytes], rows: Sequence[bytes]
    ) -> None:
        """Write versions in the order of key and time, so that each follows the one before."""
        newest = self._newest(entry_keys)
        put, delete = self._writes.put, self._writes.delete
        for latest_key, segment, row in zip(entry_keys, segments, rows, strict=True):
            key = latest_key[:-TIME_BYTES]
            before = newest.get(key, _NONE)
            since, until = before[0][-TIME_BYTES:], latest_key[-TIME_BYTES:]
            if since > until or before is _ELSEWHERE:
                key_bytes = key[PREFIX_BYTES:-TIME_BYTES]
                self._chains.insert(key_bytes, decode_time(until), row)
                continue
            entry_key = latest_key if row else segment + latest_key[PREFIX_BYTES:]
            if before is not _NONE and entry_key != before[0]:
                delete(before[0])
                if since != until:
                    put(segment + key[PREFIX_BYTES:-TIME_BYTES] + until + since, before[1])
            put(entry_key, row)
            newest[key] = entry_key, row

    def _newest(self, entry_keys: Sequence[bytes]) -> dict[bytes, Entry]:
        """Return the newest version of each key, by its entry's key without the valid-from.

        A key whose newest version is a tombstone has a history but no latest version. It is
        `_ELSEWHERE`: the tombstone is in the segment where it expires.
        """
        reader = self._reader
        if reader is None or not any(reader.chunks(DATA, DATA_END, Order.ASCENDING, first_rows=1)):
            return {}
        keys = list(dict.fromkeys([entry_key[:-TIME_BYTES] for entry_key in entry_keys]))
        found = reader.first_with(keys)
        newest = {key: entry for key, entry in zip(keys, found, strict=True) if entry is not None}
        absent = [key for key, entry in zip(keys, found, strict=True) if entry is None]
        first = self._layout.segments.number_of(self._history_from)
        for segment in live_segments(reader, first, segment_number(LATEST) - 1, Order.ASCENDING):
            starts = [segment + key[PREFIX_BYTES:-TIME_BYTES] for key in absent]
            for key, entry in zip(absent, reader.first_with(starts), strict=True):
                if entry is not None:
                    newest[key] = _ELSEWHERE
        return newest


_NONE: Entry = (b"", b"")
_ELSEWHERE: Entry = (b"", b"elsewhere")

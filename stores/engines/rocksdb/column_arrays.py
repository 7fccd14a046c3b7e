"""All rows of a partition as Arrow columns, into which the changes of later epochs are merged."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from stategate.stores.codec.layout import PREFIX_BYTES, Layout, segment_bytes, segment_number
from stategate.stores.codec.segments import MICROS_MAX, MICROS_MIN
from stategate.stores.engines.rocksdb.column_changes import Change
from stategate.stores.engines.rocksdb.column_ends import END_ROWS, FirstRows, TimeEnd
from stategate.stores.spec.arrow import Ints, int64_values
from stategate.stores.spec.position import Progress
from stategate.stores.spec.query import BATCH_ROWS, Batch, BatchStream, Order, ReadRows
from stategate.stores.spec.schema import Row

Keys: TypeAlias = np.ndarray[Any, np.dtype[np.object_]]
"""Entry keys as bytes objects, in their order."""
Flags: TypeAlias = np.ndarray[Any, np.dtype[np.bool_]]
"""One boolean for each row."""
Within: TypeAlias = Mapping[str, tuple[int, int]]
"""Time columns, each with the first and the last requested time, in microseconds."""
ALL_ROWS: Within = {}

_EVER = MICROS_MIN, MICROS_MAX

BYTES_MAX = 1 << 30
"""Maximum bytes that one partition keeps: the offsets of an Arrow array end at twice as much."""
SLICE_ROWS = 65_536
"""Rows of a batch. It copies nothing, so it may be larger than one that has to be decoded."""
_SEARCHED_ROWS = 4096
"""Number of keys that are turned into objects at a time."""
_WHOLES_MAX = 16
"""Number of combinations of columns whose batches are kept."""
COMPUTED = frozenset({"_partition"})
"""Columns that are not kept, because they are computed at no cost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptColumns:
    """The columns of a partition at an epoch. Entries that have expired may be among them."""

    layout: Layout
    epoch: int
    keys: pa.Array
    """The keys of the entries, in their order."""
    columns: Mapping[str, pa.Array]
    _wholes: dict[tuple[str, ...], tuple[Batch, Sequence[Batch]]] = field(
        init=False, default_factory=dict, compare=False, repr=False
    )
    _ends: dict[Order, TimeEnd] = field(init=False, default_factory=dict, compare=False, repr=False)

    def __len__(self) -> int:
        """Return how many rows it has, expired ones included."""
        return len(self.keys)

    @property
    def size_bytes(self) -> int:
        """Return the bytes of memory that it takes."""
        size: int = self.keys.nbytes + sum(array.nbytes for array in self.columns.values())
        return size

    def holds(self, columns: Iterable[str]) -> bool:
        """Return whether batches of these columns can be made."""
        return self.columns.keys() >= set(columns) - COMPUTED

    def stream(
        self,
        columns: tuple[str, ...],
        within: Within,
        first: FirstRows | None,
        rows: ReadRows | None = None,
    ) -> BatchStream:
        """Return the requested rows.

        Args:
            columns: the columns of the batches.
            within: the requested times.
            first: the rows that suffice. With it, `within` has only the times that decide the
                segments.
            rows: reads the same rows one by one.
        """
        if first is not None and columns:
            (times,) = within.values()
            found = self._end(first.order).stream(columns, times, first.count)
            if found is not None:
                return found
        start, end = self.span(within)
        return BatchStream(lambda: self.batches(columns, within), rows, rows_in_memory=end - start)

    def first_rows(
        self, columns: tuple[str, ...], within: Within, first: FirstRows
    ) -> list[Row] | None:
        """Return the rows of `stream` as tuples; None if they are not kept so."""
        if not self.finds_soon(first):
            return None
        (times,) = within.values()
        return self._end(first.order).rows(columns, times, first.count)

    def finds_soon(self, first: FirstRows) -> bool:
        """Return whether the first rows are found in less than a millisecond."""
        if first.order in self._ends:
            return True
        begin, end = self._end_span(first.order)
        return end - begin <= SLICE_ROWS

    def _end(self, order: Order) -> TimeEnd:
        """Return the first rows in an order of time, which are searched once."""
        held = self._ends.get(order)
        if held is None:
            layout, (begin, end) = self.layout, self._end_span(order)
            times = int64_values(self.columns[layout.filed_by or ""].slice(begin, end - begin))
            is_all = end - begin == len(self)
            held = TimeEnd(layout, self.columns, begin, times, order, is_all=is_all)
            self._ends[order] = held
        return held

    def _end_span(self, order: Order) -> tuple[int, int]:
        """Return where the segments with the first rows in an order of time begin and end."""
        count = len(self)
        if count <= END_ROWS:
            return 0, count
        if order is Order.DESCENDING:
            return self._at(self.keys[count - END_ROWS].as_py()[:PREFIX_BYTES]), count
        last = segment_number(self.keys[END_ROWS - 1].as_py())
        return 0, self._at(segment_bytes(last + 1))

    def batches(self, columns: tuple[str, ...], within: Within) -> Iterator[Batch]:
        """Yield the requested rows; without columns, batches still have rows."""
        whole, slices = self._whole(columns) if columns else (None, ())
        for start, count, flags in self._inside(within):
            at, rest = divmod(start, SLICE_ROWS)
            if whole is None:
                yield _rows_only(count)
            elif flags is not None:
                yield whole.slice(start, len(flags)).filter(pa.array(flags))
            elif not rest and count == slices[at].num_rows:
                yield slices[at]
            else:
                yield whole.slice(start, count)

    def _whole(self, columns: tuple[str, ...]) -> tuple[Batch, Sequence[Batch]]:
        """Return these columns of all rows as one batch, and its slices.

        They are kept if they take little memory: who reads a slice again gets the same object.
        """
        held = self._wholes.get(columns)
        if held is not None:
            return held
        arrays = [
            self.columns[name] if name in self.columns else self.layout.partition_column(len(self))
            for name in columns
        ]
        schema = self.layout.schema.arrow_schema(columns)
        whole = pa.RecordBatch.from_arrays(arrays, schema=schema)
        starts = range(0, len(self), SLICE_ROWS)
        slices = [whole.slice(start, SLICE_ROWS) for start in starts] if starts[1:] else [whole]
        found = whole, slices
        if len(self) <= SLICE_ROWS or COMPUTED.isdisjoint(columns):
            if len(self._wholes) >= _WHOLES_MAX:
                self._wholes.clear()
            self._wholes[columns] = found
        return found

    def count(self, within: Within) -> int:
        """Return how many rows are requested."""
        return sum(count for _, count, _ in self._inside(within))

    def span(self, within: Within) -> tuple[int, int]:
        """Return where the segments with the requested rows begin and end."""
        filed_by = self.layout.filed_by
        if filed_by is None or filed_by not in within or within[filed_by] == _EVER:
            return 0, len(self)
        first, last = map(self.layout.segments.number_of, within[filed_by])
        return self._at(segment_bytes(first)), self._at(segment_bytes(last + 1))

    def _at(self, key: bytes) -> int:
        """Return where the first key begins that is not before this one."""
        keys = self.keys
        return bisect_left(range(len(keys)), key, key=lambda n: keys[n].as_py())

    def _inside(self, within: Within) -> Iterator[tuple[int, int, Flags | None]]:
        """Yield where each slice with requested rows begins, how many of them it has, and which.

        The last is a flag for each of its rows; None if all are requested.
        """
        first, end = self.span(within)
        limited = [(name, times) for name, times in within.items() if times != _EVER]
        for start in range(first, end, SLICE_ROWS):
            rows = min(SLICE_ROWS, end - start)
            flags: Flags | None = None
            for name, (low, high) in limited:
                times = int64_values(self.columns[name].slice(start, rows))
                inside = (times >= low) & (times <= high)
                flags = inside if flags is None else flags & inside
            count = rows if flags is None else int(np.count_nonzero(flags))
            if count:
                yield start, count, None if count == rows else flags

    def merged(self, changes: Sequence[Change], progress: Progress) -> KeptColumns | None:
        """Return the columns with changes merged; None if they become too large.

        Args:
            changes: the changes of the epochs since, in their order.
            progress: the progress of the last of them.
        """
        latest: dict[bytes, bytes | None] = {}
        for change in changes:
            # The log has one row or one deletion for a key and an epoch.
            latest.update(dict.fromkeys(change.deleted))
            latest.update(zip(change.keys, change.rows, strict=True))
        row_bytes = sum(len(row) for row in latest.values() if row is not None)
        if self.size_bytes + row_bytes > BYTES_MAX:
            return None
        encoded = pa.array(list(latest), type=pa.binary())
        touched = encoded.take(pc.array_sort_indices(encoded)).to_pylist()
        places, found = _search(self.keys, touched)
        stays = np.ones(len(self.keys), dtype=np.bool_)
        stays[places[found]] = False
        filed_by = self.layout.filed_by
        if filed_by is not None and filed_by in self.columns:
            live_from = self.layout.segments.live_from_us(progress)
            stays &= int64_values(self.columns[filed_by]) >= live_from
        put_keys = [key for key in touched if latest[key] is not None]
        put_rows = [row for key in touched if (row := latest[key]) is not None]
        is_put = np.array([latest[key] is not None for key in touched], dtype=np.bool_)
        # Where each put row goes among those that stay; rows for one place are in order already.
        before = np.concatenate(([0], np.cumsum(stays)))[places[is_put]]
        added = len(self.keys) + np.arange(len(put_keys))
        order = pa.array(np.insert(np.flatnonzero(stays), before, added))
        decoder = self.layout.decoder(tuple(self.columns))
        batches = [
            decoder.batch(put_keys[at : at + BATCH_ROWS], put_rows[at : at + BATCH_ROWS])
            for at in range(0, len(put_keys), BATCH_ROWS)
        ]
        columns = {
            name: pa.concat_arrays([array, *(b.column(name) for b in batches)]).take(order)
            for name, array in self.columns.items()
        }
        keys = pa.concat_arrays([self.keys, pa.array(put_keys, type=pa.binary())]).take(order)
        return replace(self, epoch=progress.epoch, keys=keys, columns=columns)


class ColumnReader:
    """Collects the columns of a partition, entry by entry.

    Args:
        layout: the layout of the entries.
        names: the columns to keep.
    """

    def __init__(self, layout: Layout, names: tuple[str, ...]) -> None:
        self.rows = self.size_bytes = 0
        self._layout, self._names = layout, names
        self._decoder = layout.decoder(names)
        self._keys: list[pa.Array] = [pa.array([], type=pa.binary())]
        self._batches: list[Batch] = []

    def add(self, keys: Sequence[bytes], rows: Sequence[bytes]) -> None:
        """Add the next entries."""
        batch, encoded = self._decoder.batch(keys, rows), pa.array(keys, type=pa.binary())
        self.rows += len(keys)
        self.size_bytes += batch.nbytes + encoded.nbytes
        self._keys.append(encoded)
        self._batches.append(batch)

    def columns(self, epoch: int) -> KeptColumns:
        """Return the columns of all entries added; `epoch` is the one they were read at."""
        schema = self._layout.schema.arrow_schema(self._names)
        columns = {
            field.name: pa.concat_arrays(
                [pa.array([], type=field.type), *(batch.column(at) for batch in self._batches)]
            )
            for at, field in enumerate(schema)
        }
        keys = pa.concat_arrays(self._keys)
        return KeptColumns(layout=self._layout, epoch=epoch, keys=keys, columns=columns)


def _rows_only(count: int) -> Batch:
    """Return a batch that has rows but no columns."""
    return pa.RecordBatch.from_struct_array(pa.array([{}] * count, type=pa.struct([])))


def _search(held: pa.Array, wanted: Sequence[bytes]) -> tuple[Ints, Flags]:
    """Return where each wanted key is, or would be, among the held ones, and whether it is there.

    It goes by slices, because a search makes an object of each held key: few at a time, none in
    slices without wanted keys, and other threads get their turn in between.

    Args:
        held: keys in ascending order.
        wanted: keys in ascending order, none of them twice.
    """
    places = np.empty(len(wanted), dtype=np.int64)
    found = np.zeros(len(wanted), dtype=np.bool_)
    begin = 0
    for start in range(0, len(held), _SEARCHED_ROWS):
        count = min(_SEARCHED_ROWS, len(held) - start)
        end = bisect_right(wanted, held[start + count - 1].as_py(), begin)
        if begin == end:
            continue
        keys = held.slice(start, count).to_numpy(zero_copy_only=False)
        asked = _key_array(wanted[begin:end])
        at = np.searchsorted(keys, asked)
        places[begin:end] = at + start
        found[begin:end] = keys[at] == asked
        begin = end
    places[begin:] = len(held)
    return places, found


def _key_array(keys: Sequence[bytes]) -> Keys:
    """Return entry keys as an array of objects; numpy would convert a list to its own bytes."""
    array: Keys = np.empty(len(keys), dtype=np.object_)
    array[:] = keys
    return array

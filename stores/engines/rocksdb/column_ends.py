"""The first and the last rows by time of kept columns, which are in the order of keys.

Those few hundred rows are found once for an epoch and kept as tuples, so that a statement for the
newest windows of all keys searches no column.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
from msgspec import Struct

from stategate.stores.codec.layout import Layout
from stategate.stores.spec.arrow import Ints, physical_list
from stategate.stores.spec.query import Batch, BatchStream, Order
from stategate.stores.spec.schema import Row

END_ROWS = 256
"""Rows of an end: a statement of few rows takes no more."""
_BYTES_MAX = 1 << 20
"""An end of larger rows is not kept as tuples."""
_LISTED_MAX = 8
"""Combinations of columns that are kept as tuples."""


class FirstRows(Struct, frozen=True):
    """The first rows in an order of time that are enough, with those equal to the last of them."""

    count: int
    """At least 1."""
    order: Order


class TimeEnd:
    """The rows with the greatest times, or the least.

    Args:
        layout: the layout of the store, whose rows have times.
        columns: all rows.
        begin: the index of the first row of `times`.
        times: the times that decide the segments of some rows; all other rows come later in
            `order`.
        order: descending for the greatest times.
        is_all: whether there are no other rows.
    """

    __slots__ = ("_columns", "_is_all", "_layout", "_listed", "_order", "_places", "_times")

    def __init__(
        self,
        layout: Layout,
        columns: Mapping[str, pa.Array],
        begin: int,
        times: Ints,
        order: Order,
        *,
        is_all: bool,
    ) -> None:
        self._layout, self._columns, self._order = layout, columns, order
        is_cut = len(times) > END_ROWS
        places = np.arange(len(times))
        if is_cut:
            kept = slice(-END_ROWS, None) if order is Order.DESCENDING else slice(END_ROWS)
            at = -END_ROWS if order is Order.DESCENDING else END_ROWS - 1
            places = np.argpartition(times, at)[kept]
        places = places[np.argsort(times[places], kind="stable")]
        self._is_all = is_all and not is_cut
        self._times: list[int] = times[places].tolist()
        self._places = pa.array(places + begin)
        self._listed: dict[tuple[str, ...], list[Row] | None] = {}

    def stream(
        self, names: tuple[str, ...], within: tuple[int, int], count: int
    ) -> BatchStream | None:
        """Return the first rows in the order of time; None if they are not all here.

        Args:
            names: the columns to return.
            within: the first and the last requested time.
            count: how many are wanted, with those equal to the last of them.
        """
        found = self._span(*within, count)
        if found is None:
            return None
        begin, end = found
        listed = self._tuples(names)

        def read() -> Iterator[Batch]:
            if begin < end:
                yield self._batch(names, begin, end)

        rows = None if listed is None else lambda _: iter((listed[begin:end],))
        return BatchStream(read, rows, rows_in_memory=end - begin)

    def rows(self, names: tuple[str, ...], within: tuple[int, int], count: int) -> list[Row] | None:
        """Return the rows of `stream` as tuples; None if they are not all here, or large."""
        found = self._span(*within, count)
        listed = None if found is None else self._tuples(names)
        return None if found is None or listed is None else listed[slice(*found)]

    def _span(self, first: int, last: int, count: int) -> tuple[int, int] | None:
        """Return where the wanted rows begin and end; None if some of them may be elsewhere."""
        times, equal_from = self._times, self._layout.last_start
        begin, end = bisect_left(times, first), bisect_right(times, last)
        # Windows that would end after the last time have equal ends.
        if self._order is Order.DESCENDING:
            if begin + count < end:
                begin = bisect_left(times, min(times[end - count], equal_from), begin, end)
            return (begin, max(begin, end)) if begin > 0 or self._is_all else None
        if begin + count < end and times[begin + count - 1] < equal_from:
            end = bisect_right(times, times[begin + count - 1], begin, end)
        return (begin, max(begin, end)) if end < len(times) or self._is_all else None

    def _batch(self, names: Sequence[str], begin: int, end: int) -> Batch:
        """Return some rows as columns."""
        places = self._places.slice(begin, end - begin)
        arrays = [
            self._layout.partition_column(end - begin)
            if name == "_partition"
            else self._columns[name].take(places)
            for name in names
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=self._layout.schema.arrow_schema(names))

    def _tuples(self, names: tuple[str, ...]) -> list[Row] | None:
        """Return all rows as tuples, which are made once; None if they are large."""
        if names in self._listed:
            return self._listed[names]
        batch = self._batch(names, 0, len(self._times))
        found: list[Row] | None = None
        if batch.nbytes <= _BYTES_MAX:
            known = self._layout.schema.column_by_name
            listed = [
                physical_list(array, known[name].type)
                for array, name in zip(batch.columns, names, strict=True)
            ]
            found = list(zip(*listed, strict=True))
        if len(self._listed) >= _LISTED_MAX:
            self._listed.clear()
        self._listed[names] = found
        return found

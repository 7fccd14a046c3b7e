"""Merge reads that are in order: the first rows of all, without reading the rest of any."""

from __future__ import annotations

import math
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from stategate.stores.spec.query import Order
from stategate.stores.spec.schema import Row

_LAST_OF = "#last of"
"""A name that no other column has. It holds the read whose last known row this is, or _NONE."""
_NONE = -1


def first_rows(
    reads: Sequence[Iterator[pa.RecordBatch]],
    columns: Sequence[tuple[str, bool]],
    order: Order,
    *,
    rows: int | None,
) -> Iterator[pa.RecordBatch]:
    """Return the first rows of all reads together, in order, without reading the rest of any.

    Rows are sorted as Arrow batches, in rounds. Among the rows read so far, those before the last
    known row of every unfinished read are final.

    Args:
        reads: reads in this order, NULLs included.
        columns: the columns of the order, each with whether its NULLs come first.
        order: the direction of every column.
        rows: the number of rows to return; None for all.
    """
    keys = _sort_keys(columns, order)
    active = dict(enumerate(reads))
    pending: pa.Table | None = None
    hungry = list(active)
    left = sys.maxsize if rows is None else rows
    while left > 0 and (active or pending is not None):
        pending = _fed(pending, active, hungry)
        if pending is None:
            return
        pending = _sorted(pending, columns, keys)
        cut, hungry = _cut(pending, active)
        ready = pending.slice(0, min(cut, left)).drop_columns([_LAST_OF])
        yield from ready.combine_chunks().to_batches()
        left -= ready.num_rows
        pending = pending.slice(cut) if cut < pending.num_rows else None


def trailing_null_held(read: Iterator[pa.RecordBatch], column: str) -> Iterator[pa.RecordBatch]:
    """Return the same rows in batches that do not end with a NULL in the column.

    Reads return the NULL of the last key column before the other rows of its group. If it is to
    come after them, it must not count as the last known row of the read.
    """
    held: pa.RecordBatch | None = None
    for batch in read:
        joined = batch if held is None else pa.concat_batches([held, batch])
        held = None
        last = joined.num_rows - 1
        if last >= 0 and not joined.column(column)[last].is_valid:
            held, joined = joined.slice(last), joined.slice(0, last)
        if joined.num_rows:
            yield joined
    if held is not None:
        yield held


def _sort_keys(columns: Sequence[tuple[str, bool]], order: Order) -> list[tuple[str, str]]:
    """Return sort keys; NULLs have a key of their own, since Arrow puts all of them at one end."""
    direction = "ascending" if order is Order.ASCENDING else "descending"
    keys: list[tuple[str, str]] = []
    for name, nulls_first in columns:
        keys.append((_null_key(name), "descending" if nulls_first else "ascending"))
        keys.append((name, direction))
    return keys


def _null_key(name: str) -> str:
    return f"#null {name}"


def _fed(
    pending: pa.Table | None, active: dict[int, Iterator[pa.RecordBatch]], hungry: Sequence[int]
) -> pa.Table | None:
    """Return the held rows, with the next rows of each read whose known rows are used up."""
    parts = [] if pending is None else [pending]
    for number in hungry:
        batch = next((b for b in active[number] if b.num_rows), None)
        if batch is None:
            del active[number]
            continue
        marks = np.full(batch.num_rows, _NONE, np.int32)
        marks[-1] = number
        parts.append(pa.Table.from_batches([batch]).append_column(_LAST_OF, pa.array(marks)))
    return pa.concat_tables(parts) if parts else None


def _sorted(
    table: pa.Table, columns: Sequence[tuple[str, bool]], keys: list[tuple[str, str]]
) -> pa.Table:
    keyed = {name: table.column(name) for name, _ in columns}
    keyed.update({_null_key(name): pc.is_null(table.column(name)) for name, _ in columns})
    indices = pc.sort_indices(pa.table(keyed), sort_keys=keys)
    return table.take(indices)


def _cut(table: pa.Table, active: dict[int, Iterator[pa.RecordBatch]]) -> tuple[int, list[int]]:
    """Return how many of the sorted rows are final, and which reads must be continued."""
    marks = table.column(_LAST_OF).to_numpy()
    places = {int(marks[at]): at for at in np.flatnonzero(marks != _NONE).tolist()}
    ends = {number: places[number] for number in active}
    cut = min(ends.values(), default=table.num_rows - 1) + 1
    return cut, [number for number, end in ends.items() if end < cut]


def first_few_rows(
    read: Callable[[int], list[list[Row]] | None],
    places: Sequence[int],
    order: Order,
    *,
    wanted: int,
    reads: int,
    rows_max: int,
) -> list[list[Row]] | None:
    """Return the first rows of several reads, which include the first ones of all.

    Most first rows of a read are not among the first rows of all reads. So each read gives a little
    more than its share. The number of rows is doubled until enough of them are known to be first.

    Args:
        read: returns a number of first rows of each read, in this order; None if it declines.
        places: the columns of the order.
        order: the direction of every column.
        wanted: how many first rows are needed.
        reads: the number of reads.
        rows_max: how many rows may be read.

    Returns:
        None if more would have to be read, or if Python may not order the values of a column.
    """
    key_of, is_ascending = itemgetter(*places), order is Order.ASCENDING
    share = wanted // reads
    # Rows are spread by a hash: one page in fifty has more rows of some read.
    each = share + 2 * math.isqrt(share) + 2
    while True:
        each = min(each, wanted)
        found = read(each) if each * reads <= rows_max else None
        if found is None or each == wanted:
            return found
        try:
            # The rows up to the last known row of each unfinished read are final.
            ends = [rows[-1] for rows in found if len(rows) == each]
            if not ends:
                return found
            if any(type(ends[0][place]) is float for place in places):
                return None  # others may be NaN
            edge = (min if is_ascending else max)(map(key_of, ends))
            if is_ascending:
                final = sum([bisect_right(rows, edge, key=key_of) for rows in found])
            else:
                final = sum(
                    [len(rows) - bisect_left(rows[::-1], edge, key=key_of) for rows in found]
                )
        except TypeError:  # one is NULL
            return None
        if final >= wanted:
            return found
        each *= 2

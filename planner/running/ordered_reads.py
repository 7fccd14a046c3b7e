"""Merge reads that are in order: the first rows of all, without reading the rest of any."""

from __future__ import annotations

import math
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from stores.spec.query import Order
from stores.spec.schema import Row

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

    Rows are sorted as Arrow batches, in rounds. Of the rows read so far, those before the last
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
    reads: Sequence[Iterator[list[Row]]],
    places: Sequence[int],
    order: Order,
    *,
    wanted: int,
    rows_max: int,
) -> tuple[list[Row], list[int]] | None:
    """Return rows that include the first ones in order, and how many each read has given.

    Reads that have gone less far than the others are continued until enough rows are known.

    Args:
        reads: chunks of rows in this order; they may be empty.
        places: the columns of the order.
        order: the direction of every column.
        wanted: how many first rows are needed.
        rows_max: how many rows may be read.

    Returns:
        None if more rows would have to be read, or a column of the order has a NULL or NaN.
    """
    key_of, is_ascending = itemgetter(*places), order is Order.ASCENDING
    rows = list[Row]()
    known: list[list[Any]] = [[] for _ in reads]
    """The keys of the rows of each read, least first."""
    lasts: dict[int, Any] = {}
    waiting: Iterable[int] = range(len(reads))
    while len(rows) <= rows_max:
        for number in waiting:
            chunk = next(filter(None, reads[number]), None)
            if chunk is None:
                lasts.pop(number, None)
                continue
            keys = list(map(key_of, chunk))
            if not _are_ordered([keys] if len(places) == 1 else list(zip(*keys, strict=True))):
                return None
            rows += chunk
            lasts[number] = keys[-1]
            if is_ascending:
                known[number] += keys
            else:
                known[number][:0] = reversed(keys)
        if not lasts:
            break
        # The rows up to the last known row of each unfinished read are final.
        if is_ascending:
            edge = min(lasts.values())
            final = sum([bisect_right(keys, edge) for keys in known])
        else:
            edge = max(lasts.values())
            final = sum([len(keys) - bisect_left(keys, edge) for keys in known])
        if final >= wanted:
            break
        waiting = [number for number, last in lasts.items() if last == edge]
    else:
        return None
    return rows, list(map(len, known))


def _are_ordered(columns: Sequence[Sequence[Any]]) -> bool:
    """Return whether Python orders the values of each column: there is no NULL and no NaN."""
    for values in columns:
        if None in values or (type(values[0]) is float and any(map(math.isnan, values))):
            return False
    return True

"""Inputs of DuckDB: few rows are read one by one, and become one batch.

Decoding a batch takes longer than decoding ten rows, and each partition returns its own batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import pyarrow as pa

from stategate.planner.planning.access import Access
from stategate.planner.planning.row_path import ROWS_MAX
from stategate.planner.planning.trials import Trials
from stategate.planner.running.gathering import Streams
from stategate.stores.spec.arrow import physical_array
from stategate.stores.spec.schema import Row

Read: TypeAlias = Callable[[], Iterator[pa.RecordBatch]]
"""Returns the rows of an access; can be called again."""


def few_first(access: Access, streams: Streams, read: Read, trials: Trials) -> Read:
    """Return a function that returns the rows of an access, as one batch if they are few.

    Args:
        access: the read of one relation.
        streams: its rows.
        read: returns all of them in batches.
        trials: whether few rows have been found before.
    """
    few: list[pa.RecordBatch] | None = None
    is_tried = not access.columns or streams.are_in_memory or trials.is_skipped

    def read_few_first() -> Iterator[pa.RecordBatch]:
        nonlocal few, is_tried
        if not is_tried:
            is_tried = True
            found = streams.take(ROWS_MAX)
            trials.note(missed=found is None)
            few = None if found is None else _batches(found[0], access)
        return read() if few is None else iter(few)

    return read_few_first


def _batches(rows: Sequence[Row], access: Access) -> list[pa.RecordBatch]:
    """Return rows, whose first columns are those of an access, as at most one batch."""
    if not rows:
        return []
    names, types = access.columns, access.schema.column_by_name
    arrays = [
        physical_array(values, types[name].type)
        for name, values in zip(names, zip(*rows, strict=True), strict=False)
    ]
    return [pa.RecordBatch.from_arrays(arrays, schema=access.arrow_schema)]

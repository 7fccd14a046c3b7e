"""All entries of a partition as rows of the log, tombstones and remembered deletions included.

Written as an epoch that replaces the store, the rows make a partition that answers like this one,
now and after any later epoch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from stategate.stores.codec.layout import (
    DATA,
    DATA_END,
    DELETIONS,
    DELETIONS_END,
    TOMBSTONE,
    Layout,
)
from stategate.stores.codec.rows import NO_TIME
from stategate.stores.engines.rocksdb.readers import Reader
from stategate.stores.spec.arrow import Ints, array_of_ints
from stategate.stores.spec.position import Progress
from stategate.stores.spec.query import Order
from stategate.stores.spec.schema import (
    DELETED_NAME,
    TIMESTAMPTZ,
    VALID_FROM,
    StoreKind,
)

_TIMESTAMP = "_timestamp"


def logged_rows(layout: Layout, reader: Reader, progress: Progress) -> Iterator[pa.Table]:
    """Yield all rows and deletions, as `stategate.stores.log.data.datafiles.shaped` takes them.

    Columns: key, times but the ends of windows, `_timestamp` and `_deleted`. Deletions have no
    value columns. Expired entries are left out: a version may be there whose end is not.

    Args:
        layout: the layout of the store.
        reader: the reader of an epoch.
        progress: the progress of the epoch.
    """
    times = [] if layout.schema.kind is StoreKind.VERSIONED else [c.name for c in layout.times]
    keys = [column.name for column in layout.schema.key]
    values = [column.name for column in layout.schema.value]
    decoder = layout.decoder((*keys, *times, *values, _TIMESTAMP))
    for found_keys, found_rows in reader.chunks(DATA, DATA_END, Order.ASCENDING):
        entries = zip(found_keys, found_rows, strict=True)
        live = [entry for entry in entries if layout.is_live(entry[0], progress)]
        if gone := [key for key, row in live if row == TOMBSTONE]:
            yield _deletions(layout, gone, None)
            live = [entry for entry in live if entry[1] != TOMBSTONE]
        if live:
            entry_keys, rows = zip(*live, strict=True)
            found = pa.Table.from_batches([decoder.batch(entry_keys, rows)])
            yield found.append_column(DELETED_NAME, pa.array(np.zeros(len(rows), np.bool_)))
    for marks, deleted in reader.chunks(DELETIONS, DELETIONS_END, Order.ASCENDING):
        yield _deletions(layout, marks, np.frombuffer(b"".join(deleted), "<i8"))


def _deletions(layout: Layout, entry_keys: Sequence[bytes], times_ms: Ints | None) -> pa.Table:
    """Return deletions; without times they are tombstones of versions, valid from their times."""
    names = [column.name for column in (*layout.schema.key, *layout.times)]
    found = layout.entries.decode_columns(
        entry_keys, [True] * len(names), skipped=layout.prefix_bytes
    )
    columns = dict(zip(names, found, strict=True))
    if times_ms is None:
        columns = {c.name: columns[c.name] for c in layout.schema.key} | {
            _TIMESTAMP: columns[VALID_FROM.name]
        }
    else:
        nulls = times_ms == NO_TIME
        micros = np.where(nulls, 0, times_ms) * 1000
        columns[_TIMESTAMP] = array_of_ints(micros, TIMESTAMPTZ, nulls)
    columns[DELETED_NAME] = pa.array(np.ones(len(entry_keys), np.bool_))
    return pa.table(columns)

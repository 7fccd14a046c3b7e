"""What an epoch writes: its rows, by the writer of the store's kind, and what expires with it."""

from __future__ import annotations

from collections.abc import Callable

from stategate.stores.codec.layout import DATA, DELETIONS, Layout, segment_bytes
from stategate.stores.engines.rocksdb.column_changes import Change
from stategate.stores.engines.rocksdb.database import WriteBatch
from stategate.stores.engines.rocksdb.latest_writes import LatestWriter
from stategate.stores.engines.rocksdb.readers import Reader
from stategate.stores.engines.rocksdb.row_cache import ChangedKeys
from stategate.stores.engines.rocksdb.writes import EntryWriter, VersionWriter
from stategate.stores.spec.position import Progress
from stategate.stores.spec.schema import StoreKind


def epoch_writer(
    layout: Layout,
    before: Callable[[], Reader] | None,
    progress: Progress,
    writes: WriteBatch,
    *,
    change: Change | None,
    changed: ChangedKeys,
) -> EntryWriter | LatestWriter | VersionWriter:
    """Return the writer of one epoch.

    Args:
        layout: the layout of the store.
        before: makes a reader of the epoch before; None if nothing of it remains.
        progress: the progress of the new epoch.
        writes: takes the changes.
        change: takes the rows for the kept columns; None if none are kept.
        changed: takes the keys for the cache of rows.
    """
    if layout.schema.kind is StoreKind.VERSIONED:
        return VersionWriter(layout, before and before(), progress, writes)
    if layout.schema.by_event_time:
        return LatestWriter(
            layout, before and before(), progress, writes, change=change, changed=changed
        )
    return EntryWriter(
        layout, progress, writes, replaces=before is None, change=change, changed=changed
    )


def drop_expired(layout: Layout, writes: WriteBatch, before: Progress, progress: Progress) -> None:
    """Remove the segments that have expired with an epoch.

    Args:
        layout: the layout of the store.
        writes: takes the removals.
        before: the progress before the epoch.
        progress: the progress of the epoch.
    """
    if not layout.times:
        return
    live = layout.first_live_segment(progress)
    # Remove rows only when a segment ends: a tombstone for each epoch would slow all reads.
    if live > layout.first_live_segment(before):
        writes.delete_range(DATA, segment_bytes(live))
        if layout.schema.by_event_time:
            expired = DELETIONS + segment_bytes(live)[len(DATA) :]
            writes.delete_range(DELETIONS, expired)

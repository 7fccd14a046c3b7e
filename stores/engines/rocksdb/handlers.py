"""The handlers of each kind of store."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from stategate.stores.codec.layout import Layout
from stategate.stores.engines.rocksdb.cached_rows import CachedRows
from stategate.stores.engines.rocksdb.column_cache import PartitionColumns
from stategate.stores.engines.rocksdb.handlers_keyvalue import keyvalue_handlers
from stategate.stores.engines.rocksdb.handlers_shared import Handlers
from stategate.stores.engines.rocksdb.handlers_times import session_handlers, window_handlers
from stategate.stores.engines.rocksdb.handlers_versions import version_handlers
from stategate.stores.spec.schema import StoreKind

_HANDLERS: Mapping[StoreKind, Callable[[Layout, PartitionColumns | None, CachedRows], Handlers]] = {
    StoreKind.KEYVALUE: keyvalue_handlers,
    StoreKind.GLOBAL: keyvalue_handlers,
    StoreKind.WINDOW: lambda layout, columns, rows: window_handlers(layout, columns, rows.ranges),
    StoreKind.SESSION: lambda layout, columns, rows: session_handlers(layout, columns, rows.ranges),
    StoreKind.VERSIONED: lambda layout, columns, rows: version_handlers(layout),
}


def handlers_of(layout: Layout, columns: PartitionColumns | None, rows: CachedRows) -> Handlers:
    """Return the handlers of a partition; none for a kind that is not of this package.

    Args:
        layout: the layout of its entries.
        columns: its kept columns; None if none are kept.
        rows: its cached rows.
    """
    of_kind = _HANDLERS.get(layout.schema.kind)
    return {} if of_kind is None else of_kind(layout, columns, rows)

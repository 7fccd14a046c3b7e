"""The decoded rows that a partition keeps: those that were looked up, and ranges that were read."""

from __future__ import annotations

from stategate.stores.codec.scalars import NESTED
from stategate.stores.engines.rocksdb.range_cache import RangeCache
from stategate.stores.engines.rocksdb.row_budget import RowBudget
from stategate.stores.engines.rocksdb.row_cache import ChangedKeys, RowCache
from stategate.stores.spec.schema import StoreKind, StoreSchema

ALL_KEYS = ChangedKeys(wanted=False)
ONE_ROW_A_KEY = frozenset({StoreKind.KEYVALUE, StoreKind.GLOBAL})
_WITH_RANGES = ONE_ROW_A_KEY | {StoreKind.WINDOW, StoreKind.SESSION}


class CachedRows:
    """The caches of one partition, which follow its epochs together.

    Args:
        schema: the store.
        budget: the memory for cached rows; None keeps none.
    """

    __slots__ = ("by_key", "ranges")

    def __init__(self, schema: StoreSchema, budget: RowBudget | None) -> None:
        self.by_key: RowCache | None = None
        self.ranges: RangeCache | None = None
        # Cached rows are returned as they are, so their values must be immutable.
        is_mutable = any(column.type.kind in NESTED for column in schema.value)
        if budget is None or not budget.capacity_bytes or is_mutable:
            return
        if schema.kind in ONE_ROW_A_KEY:
            self.by_key = RowCache(budget, columns=len(schema.value))
        if schema.kind in _WITH_RANGES:
            self.ranges = RangeCache(budget, columns=len(schema.columns))

    def begin(self) -> ChangedKeys:
        """Begin an epoch; return the collection of the keys that it changes, for `advance`."""
        return ChangedKeys(wanted=bool(self.by_key or self.ranges))

    def advance(self, view: object, changed: ChangedKeys) -> None:
        """Remove what a new view changes; it is about to be the newest.

        Args:
            view: an object that identifies the new view.
            changed: the keys whose rows may differ from the view before.
        """
        for cache in (self.by_key, self.ranges):
            if cache is not None:
                cache.advance(view, changed)

    def close(self) -> None:
        """Drop all rows, and keep none from now on."""
        for cache in (self.by_key, self.ranges):
            if cache is not None:
                cache.close()

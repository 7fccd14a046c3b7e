"""The typed queries that read a region of a store, each with the partition that answers it.

A key goes to the partition of its hash; a range goes to all partitions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TypeAlias

import pyarrow as pa
from msgspec import Struct
from msgspec.structs import replace

from stategate.planner.binding.domains import place_of, span_of
from stategate.planner.planning.key_regions import Region
from stategate.planner.planning.time_ranges import TimeBox
from stategate.stores.codec.partitioner import partition_column
from stategate.stores.spec.arrow import physical_array
from stategate.stores.spec.query import (
    FEW_ROWS,
    BatchStream,
    FewKeysQuery,
    Interval,
    KeysQuery,
    Order,
    Query,
    RangeQuery,
)
from stategate.stores.spec.schema import Key, StoreKind, StoreSchema
from stategate.stores.spec.versions import MultiVersionedKeyQuery, VersionedRangeQuery
from stategate.stores.spec.windows import (
    SessionKeyQuery,
    SessionRangeQuery,
    WindowKeyQuery,
    WindowRangeQuery,
)

Route: TypeAlias = Callable[[Key], int]
"""Returns the partition of a key."""
Target: TypeAlias = tuple[int, Query[BatchStream]]
"""A partition and its query."""

_TIMED = {StoreKind.WINDOW, StoreKind.SESSION, StoreKind.VERSIONED}
"""Kinds with rows by time; all others, including those of third parties, have one row for a key."""
KEYS_HASHED_TOGETHER = 128
"""From this number of keys on, whole columns are hashed: 1,000 keys take an eighth of the time."""


class PartitionQueries(Struct, frozen=True, kw_only=True):
    """Makes the queries for the regions of an access."""

    schema: StoreSchema
    columns: tuple[str, ...]
    """The columns that reads decode."""
    order: Order
    split: int | None
    """The index of the key column whose NULLs are read separately, and first; None if there is no
    such column."""
    only_ends: bool
    """Whether the first and the last row of each range are enough."""
    is_by_time: bool = False
    """Whether the first rows by time are enough, instead of the first by key."""

    def targets(self, region: Region, route: Route, limit: int | None) -> list[Target]:
        """Return the queries that read a region, keys before ranges.

        Args:
            region: the keys and times to read.
            route: returns the partition of a key.
            limit: the LIMIT of each query.
        """
        first_by_time, limit = (limit, None) if self.is_by_time else (None, limit)
        keys, boxes, found = region.keys, region.times.boxes, list[Target]()
        if keys and self.schema.kind not in _TIMED:
            found = self._by_keys(keys, route)
        elif keys:
            found = [(route(key), self._of_key(key, box, limit)) for key in keys for box in boxes]
        if not region.intervals:
            return found
        queries = [
            query
            for whole in region.intervals
            for interval in self._intervals(whole)
            for box in boxes
            for query in self._of_range(interval, box, limit, first_by_time)
        ]
        every = range(self.schema.partitions)
        return found + [(partition, query) for partition in every for query in queries]

    def _by_keys(self, keys: tuple[Key, ...], route: Route) -> list[Target]:
        return [
            (partition, KeysQuery(keys=tuple(found), columns=self.columns))
            for partition, found in grouped_keys(keys, self.schema, route)
        ]

    def _intervals(self, interval: Interval) -> list[Interval]:
        """Return the interval, in two parts if its NULLs are read separately."""
        split, lower = self.split, interval.lower
        if split is None:
            return [interval]
        if lower is not None and len(lower) > split and lower[split] is not None:
            return [interval]  # begins after the NULLs
        prefix = (lower or interval.upper or ())[:split]
        nulls = Interval(lower=(*prefix, None), upper=(*prefix, None))
        if span_of(interval).start > span_of(nulls).start:
            return [interval]
        rest = replace(interval, lower=(*prefix, None), lower_inclusive=False)
        if rest.upper is None and prefix:
            rest = replace(rest, upper=prefix)
        return [part for part in (nulls, rest) if not span_of(part).is_empty]

    def _of_range(
        self, interval: Interval, box: TimeBox, limit: int | None, first_by_time: int | None
    ) -> list[Query[BatchStream]]:
        order, columns = self.order, self.columns
        if self.is_by_time and first_by_time is None:
            order = Order.ASCENDING  # all rows are needed; columns in memory have this order
        match self.schema.kind:
            case StoreKind.WINDOW:
                return [
                    WindowRangeQuery(
                        interval=interval,
                        time=box.window_starts,
                        order=order,
                        limit=limit,
                        columns=columns,
                        first_by_time=first_by_time,
                    )
                ]
            case StoreKind.SESSION:
                return [
                    SessionRangeQuery(
                        interval=interval,
                        time=box.session_time,
                        order=order,
                        limit=limit,
                        columns=columns,
                        first_by_time=first_by_time,
                    )
                ]
            case StoreKind.VERSIONED:
                return [
                    VersionedRangeQuery(
                        interval=interval,
                        from_ms=box.valid_since_ms,
                        order=order,
                        limit=limit,
                        columns=columns,
                    )
                ]
            case _:
                return self._of_keyvalues(interval, limit)

    def _of_keyvalues(self, interval: Interval, limit: int | None) -> list[Query[BatchStream]]:
        if self.only_ends:
            return [
                RangeQuery(interval=interval, order=order, limit=1, columns=self.columns)
                for order in Order
            ]
        return [RangeQuery(interval=interval, order=self.order, limit=limit, columns=self.columns)]

    def _of_key(self, key: Key, box: TimeBox, limit: int | None) -> Query[BatchStream]:
        order, columns = self.order, self.columns
        match self.schema.kind:
            case StoreKind.WINDOW:
                return WindowKeyQuery(
                    key=key, time=box.window_starts, order=order, limit=limit, columns=columns
                )
            case StoreKind.SESSION:
                return SessionKeyQuery(
                    key=key, time=box.session_time, order=order, limit=limit, columns=columns
                )
            case _:
                return MultiVersionedKeyQuery(
                    key=key,
                    from_ms=box.valid_since_ms,
                    order=order,
                    limit=limit,
                    columns=columns,
                )


def few_keys(
    keys: Sequence[Key], schema: StoreSchema, route: Route
) -> list[tuple[int, FewKeysQuery]]:
    """Return the queries of few keys, in the order in which streams return the keys."""
    try:
        ordered = sorted(keys)
    except TypeError:  # some are NULL
        ordered = sorted(keys, key=place_of)
    # Between two queries, a reader sees whether the reads take too long.
    return [
        (partition, FewKeysQuery(keys=found[at : at + FEW_ROWS]))
        for partition, found in grouped_keys(ordered, schema, route)
        for at in range(0, len(found), FEW_ROWS)
    ]


def grouped_keys(
    keys: Sequence[Key], schema: StoreSchema, route: Route
) -> list[tuple[int, list[Key]]]:
    """Return the partitions of keys, each with its keys in their order."""
    if schema.partitions == 1:
        return [(0, list(keys))]
    by_partition: defaultdict[int, list[Key]] = defaultdict(list)
    if len(keys) >= KEYS_HASHED_TOGETHER:
        for key, partition in zip(keys, _partitions_of(keys, schema), strict=True):
            by_partition[partition].append(key)
    else:
        for key in keys:
            by_partition[route(key)].append(key)
    return sorted(by_partition.items())


def _partitions_of(keys: Sequence[Key], schema: StoreSchema) -> list[int]:
    columns = zip(zip(*keys, strict=True), schema.key, strict=True)
    arrays = [physical_array(values, column.type) for values, column in columns]
    batch = pa.RecordBatch.from_arrays(arrays, names=[column.name for column in schema.key])
    found: list[int] = partition_column(batch, schema.key, schema.partitions).tolist()
    return found

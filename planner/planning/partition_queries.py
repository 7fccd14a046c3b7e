"""The typed queries that read a region of a store, each with the partition that answers it.

A key goes to the partition of its hash; a range goes to all partitions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

import pyarrow as pa
from msgspec import Struct

from planner.binding.domains import span_of
from planner.planning.key_regions import Region
from planner.planning.time_ranges import TimeBox
from stores.codec.partitioner import partition_column
from stores.spec.arrow import physical_array
from stores.spec.query import BatchStream, Interval, KeysQuery, Order, Query, RangeQuery
from stores.spec.schema import Key, StoreKind, StoreSchema
from stores.spec.versions import MultiVersionedKeyQuery, VersionedRangeQuery
from stores.spec.windows import SessionKeyQuery, SessionRangeQuery, WindowKeyQuery, WindowRangeQuery

Route: TypeAlias = Callable[[Key], int]
"""Returns the partition of a key."""
Target: TypeAlias = tuple[int, Query[BatchStream]]
"""A partition and its query."""

_TIMED = {StoreKind.WINDOW, StoreKind.SESSION, StoreKind.VERSIONED}
"""Kinds with rows by time; all others, including those of third parties, have one row for a key."""
KEYS_HASHED_TOGETHER = 64
"""From this many keys on, a column is hashed at a time: eight times as fast for a thousand keys."""


class PartitionQueries(Struct, frozen=True, kw_only=True):
    """Makes the queries for the regions of an access."""

    schema: StoreSchema
    columns: tuple[str, ...]
    """The columns that reads decode."""
    order: Order
    split: int | None
    """The index of the key column whose NULLs are read apart, and first; None if none are."""
    only_ends: bool
    """Whether the first and the last row of each range are enough."""
    is_by_time: bool = False
    """Whether the first rows by time are enough, instead of the first by key."""

    def targets(self, region: Region, route: Route, limit: int | None) -> list[Target]:
        """Return the queries that read a region, keys before ranges.

        Args:
            region: what is read.
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
        by_partition: dict[int, list[Key]] = {}
        schema = self.schema
        if schema.partitions == 1:
            by_partition[0] = list(keys)
        elif len(keys) >= KEYS_HASHED_TOGETHER:
            for key, partition in zip(keys, _partitions_of(keys, schema), strict=True):
                by_partition.setdefault(partition, []).append(key)
        else:
            for key in keys:
                by_partition.setdefault(route(key), []).append(key)
        return [
            (partition, KeysQuery(keys=tuple(found), columns=self.columns))
            for partition, found in sorted(by_partition.items())
        ]

    def _intervals(self, interval: Interval) -> list[Interval]:
        """Return the interval, in two parts if its NULLs are read apart."""
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


def _partitions_of(keys: Sequence[Key], schema: StoreSchema) -> list[int]:
    columns = zip(zip(*keys, strict=True), schema.key, strict=True)
    arrays = [physical_array(values, column.type) for values, column in columns]
    batch = pa.RecordBatch.from_arrays(arrays, names=[column.name for column in schema.key])
    found: list[int] = partition_column(batch, schema.key, schema.partitions).tolist()
    return found

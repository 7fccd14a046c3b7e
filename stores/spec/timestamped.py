"""Queries that give a row with its event time. Values only; nothing here executes.

Those of windows, sessions and versions give their times anyway: these are for keyvalue stores.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from stores.spec.query import (
    EVERYTHING,
    BatchStream,
    Interval,
    Order,
    Query,
    check_limit,
    needed_key,
)
from stores.spec.schema import Key, Row


@dataclass(frozen=True, slots=True, kw_only=True)
class TimestampedRow:
    """A row with its event time."""

    row: Row
    timestamp_us: int | None
    """Microseconds since 1970, stored in whole milliseconds; None if the row has no event time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimestampedKeyQuery(Query[TimestampedRow | None]):
    """The row of one key with its event time, or None if there is no such key.

    Source: KIP-992. Handled by keyvalue and global stores; one without event times answers too.
    """

    key: Key

    def __post_init__(self) -> None:
        """Refuse an empty key."""
        needed_key(self.key)

    @staticmethod
    def with_key(*key: object) -> TimestampedKeyQuery:
        """Return the query for the key with these column values."""
        return TimestampedKeyQuery(key=key)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimestampedRangeQuery(Query[BatchStream]):
    """A `RangeQuery` whose rows end with the column `_timestamp`.

    Source: KIP-992. Handled by keyvalue and global stores.
    """

    interval: Interval = EVERYTHING
    order: Order = Order.ASCENDING
    limit: int | None = None

    def __post_init__(self) -> None:
        """Refuse a negative limit."""
        check_limit(self.limit)

    @staticmethod
    def with_range(lower: Key | None, upper: Key | None) -> TimestampedRangeQuery:
        """Return the query from `lower` to `upper`, both inclusive; None is an open end."""
        return TimestampedRangeQuery(interval=Interval(lower=lower, upper=upper))

    @staticmethod
    def with_lower_bound(lower: Key) -> TimestampedRangeQuery:
        """Return the query from `lower` on, inclusive."""
        return TimestampedRangeQuery(interval=Interval(lower=needed_key(lower)))

    @staticmethod
    def with_upper_bound(upper: Key) -> TimestampedRangeQuery:
        """Return the query up to `upper`, inclusive."""
        return TimestampedRangeQuery(interval=Interval(upper=needed_key(upper)))

    @staticmethod
    def with_no_bounds() -> TimestampedRangeQuery:
        """Return the query for all rows."""
        return TimestampedRangeQuery()

    def with_ascending_keys(self) -> TimestampedRangeQuery:
        """Return a copy in ascending key order."""
        return replace(self, order=Order.ASCENDING)

    def with_descending_keys(self) -> TimestampedRangeQuery:
        """Return a copy in descending key order."""
        return replace(self, order=Order.DESCENDING)

    def with_limit(self, rows: int) -> TimestampedRangeQuery:
        """Return a copy that gives only the first `rows`."""
        return replace(self, limit=rows)

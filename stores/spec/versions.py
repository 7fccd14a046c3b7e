"""Queries of versioned stores. Values only; nothing here executes.

A version is valid from its event time to that of the next version of its key, exclusive; the latest
has no end. A tombstone ends the version before it and is not a row. A version whose end is more
than the store's retention behind the watermark has expired; the latest never expires.
"""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import Struct
from msgspec.structs import replace

from stategate.stores.spec.query import (
    EVERYTHING,
    BatchStream,
    Interval,
    Order,
    Query,
    QueryArgumentError,
    RowsQuery,
    check_limit,
    needed_key,
)
from stategate.stores.spec.schema import Key, Row


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionedRow:
    """A row with the time in which it is valid, in microseconds since 1970."""

    row: Row
    valid_from_us: int
    """Inclusive."""
    valid_to_us: int | None
    """Exclusive; None for the latest version."""


class VersionedKeyQuery(Struct, Query[VersionedRow | None], frozen=True, kw_only=True):
    """The version of one key as of a time, by default the latest; None if no version was valid.

    Source: KIP-960. As of a time that is more than the retention behind the watermark, there is
    only the latest version, if it was valid then.
    """

    key: Key
    as_of_ms: int | None = None

    def __post_init__(self) -> None:
        """Refuse an empty key."""
        needed_key(self.key)

    @staticmethod
    def with_key(*key: object) -> VersionedKeyQuery:
        """Return the query for the latest version of the key with these column values."""
        return VersionedKeyQuery(key=key)

    def as_of(self, time_ms: int) -> VersionedKeyQuery:
        """Return a copy for the version that was valid at `time_ms`."""
        return replace(self, as_of_ms=time_ms)


class MultiVersionedKeyQuery(RowsQuery[BatchStream], frozen=True, kw_only=True):
    """The versions of one key that were valid at some time from `from_ms` to `to_ms`, inclusive.

    Source: KIP-968, by the rule that it states: a version that began before `from_ms` and was
    replaced after `to_ms` is one of them. Kafka's code can miss it.

    Raises:
        QueryArgumentError: the time ends before it begins.
    """

    key: Key
    from_ms: int | None = None
    to_ms: int | None = None
    order: Order = Order.DESCENDING
    """The order by valid-from; by default the newest comes first."""
    columns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse an empty key, a time that ends before it begins, and a negative limit."""
        needed_key(self.key)
        _check_time(self.from_ms, self.to_ms)
        check_limit(self.limit)

    @staticmethod
    def with_key(*key: object) -> MultiVersionedKeyQuery:
        """Return the query for all versions of the key with these column values."""
        return MultiVersionedKeyQuery(key=key)

    def from_time(self, time_ms: int | None) -> MultiVersionedKeyQuery:
        """Return a copy from this time on; None is an open end."""
        return replace(self, from_ms=time_ms)

    def to_time(self, time_ms: int | None) -> MultiVersionedKeyQuery:
        """Return a copy up to this time, inclusive; None is an open end."""
        return replace(self, to_ms=time_ms)

    def with_ascending_timestamps(self) -> MultiVersionedKeyQuery:
        """Return a copy with the oldest version first."""
        return replace(self, order=Order.ASCENDING)

    def with_descending_timestamps(self) -> MultiVersionedKeyQuery:
        """Return a copy with the newest version first."""
        return replace(self, order=Order.DESCENDING)


class VersionedRangeQuery(RowsQuery[BatchStream], frozen=True, kw_only=True):
    """The versions of an interval of keys that were valid at some time of a range.

    Rows come by key, then by valid-from; descending is the mirror. Source: KIP-969, which is under
    discussion; this query covers each of its 16 combinations of ends.

    Raises:
        QueryArgumentError: the time ends before it begins.
    """

    interval: Interval = EVERYTHING
    from_ms: int | None = None
    to_ms: int | None = None
    columns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse a time that ends before it begins, and a negative limit."""
        _check_time(self.from_ms, self.to_ms)
        check_limit(self.limit)

    @staticmethod
    def with_no_bounds() -> VersionedRangeQuery:
        """Return the query for all versions."""
        return VersionedRangeQuery()

    @staticmethod
    def with_key_range(lower: Key | None, upper: Key | None) -> VersionedRangeQuery:
        """Return the query for keys from `lower` to `upper`, inclusive; None is an open end."""
        return VersionedRangeQuery(interval=Interval(lower=lower, upper=upper))

    def as_of(self, time_ms: int) -> VersionedRangeQuery:
        """Return a copy for the version of each key that was valid at `time_ms`."""
        return replace(self, from_ms=time_ms, to_ms=time_ms)

    def from_time(self, time_ms: int | None) -> VersionedRangeQuery:
        """Return a copy from this time on; None is an open end."""
        return replace(self, from_ms=time_ms)

    def to_time(self, time_ms: int | None) -> VersionedRangeQuery:
        """Return a copy up to this time, inclusive; None is an open end."""
        return replace(self, to_ms=time_ms)

    def with_ascending_order(self) -> VersionedRangeQuery:
        """Return a copy in ascending order."""
        return replace(self, order=Order.ASCENDING)

    def with_descending_order(self) -> VersionedRangeQuery:
        """Return a copy in descending order."""
        return replace(self, order=Order.DESCENDING)


def _check_time(from_ms: int | None, to_ms: int | None) -> None:
    if from_ms is not None and to_ms is not None and from_ms > to_ms:
        raise QueryArgumentError(f"a time from {from_ms} ms cannot end at {to_ms} ms")

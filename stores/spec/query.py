"""Typed queries to one store partition. Values only; nothing here executes.

A query is typed by its result, so that `store.query(q)` has a known type. The set is open: an
extension subclasses `Query` and registers a handler for a kind of store. Within one partition rows
come in key order (byte order of the encoded key, which is SQL order with NULLs first); across
partitions in no order. More queries are in `stores.spec.timestamped`, `sessions`, `versions` and
`scans`.

A query gives times in milliseconds and means that instant. Rows hold times in microseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Generic, TypeAlias, TypeVar

import pyarrow as pa
from msgspec import Struct

from stores.errors import StoreError
from stores.spec.schema import Key, Row

R = TypeVar("R")

Batch: TypeAlias = pa.RecordBatch
"""Rows of one partition, with the columns of the query's `columns` in its order."""

BATCH_ROWS = 8192
"""Rows in a batch of a stream: about 1 MB, decoded in about a millisecond."""


class BatchStream:
    """The rows of one snapshot, as batches that are decoded as they are taken.

    Each iteration reads the same snapshot from its start, so the rows can be read several times.
    Few rows are read faster one by one: `few_rows`.

    Args:
        read: begins an iteration.
        few_rows: the function behind the method; None if the engine gives batches only.
    """

    __slots__ = ("_few_rows", "_read")

    def __init__(
        self,
        read: Callable[[], Iterator[Batch]],
        few_rows: Callable[[int], list[Row] | None] | None = None,
    ) -> None:
        self._read, self._few_rows = read, few_rows

    def __iter__(self) -> Iterator[Batch]:
        return self._read()

    def few_rows(self, rows_max: int) -> list[Row] | None:
        """Return all rows as tuples of physical values, in the order of the batches.

        None if there are more than `rows_max`, or the engine gives batches only: iterate then.
        """
        return None if self._few_rows is None else self._few_rows(rows_max)


class Query(Generic[R]):
    """A typed read of one partition whose result is an `R`."""

    __slots__ = ()


class QueryArgumentError(StoreError, ValueError):
    """A query was built with an argument that it does not allow."""


class Order(Enum):
    """Direction in which a range is read."""

    ASCENDING = "asc"
    DESCENDING = "desc"


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """An interval of keys. An end of None is open; a short key stands for all keys it begins.

    With key columns (a, b): lower (1,) inclusive begins at the first key with a = 1, lower (1,)
    exclusive begins after the last one.
    """

    lower: Key | None = None
    upper: Key | None = None
    lower_inclusive: bool = True
    upper_inclusive: bool = True

    def __post_init__(self) -> None:
        """Refuse an empty prefix: it could mean all keys or none."""
        if self.lower == () or self.upper == ():
            raise QueryArgumentError("an end of an interval needs at least one key column")


EVERYTHING = Interval()


def check_limit(limit: int | None) -> None:
    """Refuse a negative number of rows."""
    if limit is not None and limit < 0:
        raise QueryArgumentError(f"a limit cannot be negative: {limit}")


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeRange:
    """Window starts from `start_ms` to `end_ms`, both inclusive; None leaves an end open."""

    start_ms: int | None = None
    end_ms: int | None = None


class KeyQuery(Struct, Query[Row | None], frozen=True, kw_only=True):
    """The row of one key: one value per value column, or None if there is no such key.

    A struct, since one is made for each lookup; see `stores.spec.result`.
    Source: KIP-796 `KeyQuery`. Handled by keyvalue and global stores.
    """

    key: Key
    skip_cache: bool = False
    """Read the row from the database, even if it is cached."""

    def __post_init__(self) -> None:
        """Refuse an empty key."""
        if not self.key:
            raise QueryArgumentError("a key query needs a key")

    @staticmethod
    def with_key(*key: object) -> KeyQuery:
        """Return the query for the key with these column values."""
        return KeyQuery(key=key)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeysQuery(Query[BatchStream]):
    """The rows of many keys, as batches in key order; keys that do not exist give no row."""

    keys: tuple[Key, ...]
    columns: tuple[str, ...] | None = None
    """Columns to decode, pseudo-columns allowed; None gives all of `*`."""

    @staticmethod
    def with_keys(keys: Iterable[Key]) -> KeysQuery:
        """Return the query for these keys; a repeated key counts once."""
        return KeysQuery(keys=tuple(dict.fromkeys(keys)))


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeQuery(Query[BatchStream]):
    """The rows of an interval of keys, as batches in key order.

    Source: KIP-805 and KIP-985. Handled by keyvalue and global stores.
    """

    interval: Interval = EVERYTHING
    order: Order = Order.ASCENDING
    limit: int | None = None
    columns: tuple[str, ...] | None = None
    skip_cache: bool = False
    """Read the rows from the database, even if their columns are cached."""

    def __post_init__(self) -> None:
        """Refuse a negative limit."""
        check_limit(self.limit)

    @staticmethod
    def with_range(lower: Key | None, upper: Key | None) -> RangeQuery:
        """Return the query from `lower` to `upper`, inclusive; None is an open end (KIP-941)."""
        return RangeQuery(interval=Interval(lower=lower, upper=upper))

    @staticmethod
    def with_lower_bound(lower: Key) -> RangeQuery:
        """Return the query from `lower` on, inclusive."""
        return RangeQuery(interval=Interval(lower=needed_key(lower)))

    @staticmethod
    def with_upper_bound(upper: Key) -> RangeQuery:
        """Return the query up to `upper`, inclusive."""
        return RangeQuery(interval=Interval(upper=needed_key(upper)))

    @staticmethod
    def with_no_bounds() -> RangeQuery:
        """Return the query for all rows: a scan."""
        return RangeQuery()

    def with_limit(self, rows: int) -> RangeQuery:
        """Return a copy that gives only the first `rows`."""
        return replace(self, limit=rows)

    def with_ascending_keys(self) -> RangeQuery:
        """Return a copy in ascending key order."""
        return replace(self, order=Order.ASCENDING)

    def with_descending_keys(self) -> RangeQuery:
        """Return a copy in descending key order."""
        return replace(self, order=Order.DESCENDING)


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowKeyQuery(Query[BatchStream]):
    """The windows of one key by window start, as batches in order of window start.

    Source: KIP-806; the order option is ours. Handled by window stores.
    """

    key: Key
    time: TimeRange
    order: Order = Order.ASCENDING
    limit: int | None = None
    columns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse an empty key and a negative limit."""
        needed_key(self.key)
        check_limit(self.limit)

    @staticmethod
    def with_key_and_window_start_range(key: Key, *, start_ms: int, end_ms: int) -> WindowKeyQuery:
        """Return the query for windows that start from `start_ms` to `end_ms`, both inclusive."""
        return WindowKeyQuery(key=needed_key(key), time=TimeRange(start_ms=start_ms, end_ms=end_ms))

    def with_ascending_starts(self) -> WindowKeyQuery:
        """Return a copy in ascending order of window start."""
        return replace(self, order=Order.ASCENDING)

    def with_descending_starts(self) -> WindowKeyQuery:
        """Return a copy in descending order of window start (KIP-617)."""
        return replace(self, order=Order.DESCENDING)

    def with_limit(self, rows: int) -> WindowKeyQuery:
        """Return a copy that gives only the first `rows`."""
        return replace(self, limit=rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionTime:
    """Limits on both ends of a session, all inclusive; None sets no limit.

    `earliest_end_ms` with `latest_start_ms` asks for sessions that overlap that time, as Kafka's
    `findSessions` does. The first may be greater than the second: then sessions must cover the gap.
    """

    earliest_start_ms: int | None = None
    latest_start_ms: int | None = None
    earliest_end_ms: int | None = None
    latest_end_ms: int | None = None


ANY_TIME = SessionTime()


def overlap(*, earliest_end_ms: int, latest_start_ms: int) -> SessionTime:
    """Return the limits for sessions that end no earlier and start no later than this."""
    return SessionTime(earliest_end_ms=earliest_end_ms, latest_start_ms=latest_start_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionKeyQuery(Query[BatchStream]):
    """The sessions of one key, by end, then by start.

    Source: `findSessions` of Kafka's session stores; backward by KIP-617.
    """

    key: Key
    time: SessionTime = ANY_TIME
    order: Order = Order.ASCENDING
    limit: int | None = None
    columns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse an empty key and a negative limit."""
        needed_key(self.key)
        check_limit(self.limit)

    @staticmethod
    def with_key(*key: object) -> SessionKeyQuery:
        """Return the query for all sessions of the key with these column values."""
        return SessionKeyQuery(key=key)

    def with_overlap(self, *, earliest_end_ms: int, latest_start_ms: int) -> SessionKeyQuery:
        """Return a copy for sessions that end no earlier and start no later than this."""
        return replace(
            self, time=overlap(earliest_end_ms=earliest_end_ms, latest_start_ms=latest_start_ms)
        )

    def with_ascending_ends(self) -> SessionKeyQuery:
        """Return a copy in ascending order of end."""
        return replace(self, order=Order.ASCENDING)

    def with_descending_ends(self) -> SessionKeyQuery:
        """Return a copy in descending order of end."""
        return replace(self, order=Order.DESCENDING)

    def with_limit(self, rows: int) -> SessionKeyQuery:
        """Return a copy that gives only the first `rows`."""
        return replace(self, limit=rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowRangeQuery(Query[BatchStream]):
    """The windows of an interval of keys by window start; a scan if neither is bounded.

    Batches come by time segment, within it by key, then by window start. Handled by window stores.
    Source: KIP-806. Its query has a second form, for the sessions of one key. Here that is a type
    of its own, so that the kind of a store decides which queries it answers. The key interval and
    the order option are ours.
    """

    interval: Interval = EVERYTHING
    time: TimeRange = TimeRange()
    order: Order = Order.ASCENDING
    limit: int | None = None
    columns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse a negative limit."""
        check_limit(self.limit)

    @staticmethod
    def with_window_start_range(*, start_ms: int, end_ms: int) -> WindowRangeQuery:
        """Return the query for windows that start from `start_ms` to `end_ms`, both inclusive."""
        return WindowRangeQuery(time=TimeRange(start_ms=start_ms, end_ms=end_ms))

    @staticmethod
    def with_key(*key: object) -> SessionKeyQuery:
        """Return the query for all sessions of a key, for session stores."""
        return SessionKeyQuery(key=key)

    def with_key_range(self, lower: Key | None, upper: Key | None) -> WindowRangeQuery:
        """Return a copy for keys from `lower` to `upper`, both inclusive; None is an open end."""
        return replace(self, interval=Interval(lower=lower, upper=upper))

    def with_ascending_order(self) -> WindowRangeQuery:
        """Return a copy in ascending order."""
        return replace(self, order=Order.ASCENDING)

    def with_descending_order(self) -> WindowRangeQuery:
        """Return a copy in descending order, of segments too (KIP-617)."""
        return replace(self, order=Order.DESCENDING)

    def with_limit(self, rows: int) -> WindowRangeQuery:
        """Return a copy that gives only the first `rows`."""
        return replace(self, limit=rows)


def needed_key(key: Key | None) -> Key:
    """Return the key.

    Raises:
        QueryArgumentError: it is None or empty.
    """
    if not key:
        raise QueryArgumentError("a key is needed here; leave the bound out to have no bound")
    return key

"""Queries of window and session stores. Values only; nothing here executes.

A window is a row by key and start. A session is a row by key, start and end. Sessions of one key
come by end, then by start; sessions of many keys by time segment of their end, within it by key,
end, start. Descending is the mirror. The pipeline decides whether the end belongs to the session:
Spark's end is the last event plus the gap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from msgspec import Struct
from msgspec.structs import replace

from stategate.stores.spec.query import (
    EVERYTHING,
    BatchStream,
    Interval,
    Order,
    Query,
    RowsQuery,
    check_limit,
    needed_key,
)
from stategate.stores.spec.schema import Key, Row


class TimeRange(Struct, frozen=True, kw_only=True):
    """Window starts from `start_ms` to `end_ms`, both inclusive; None leaves an end open."""

    start_ms: int | None = None
    end_ms: int | None = None


class WindowKeyQuery(RowsQuery[BatchStream], frozen=True, kw_only=True):
    """The windows of one key by window start, as batches in order of window start.

    Source: KIP-806; the order option is ours. Handled by window stores.
    """

    key: Key
    time: TimeRange
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


class WindowRangeQuery(RowsQuery[BatchStream], frozen=True, kw_only=True):
    """The windows of an interval of keys by window start; a scan if neither is bounded.

    Batches come by time segment, within it by key, then by window start. Handled by window stores.
    Source: KIP-806. Its query has a second form, for the sessions of one key. Here that is a type
    of its own, so that the kind of a store decides which queries it answers. The key interval and
    the order option are ours.
    """

    interval: Interval = EVERYTHING
    time: TimeRange = TimeRange()
    columns: tuple[str, ...] | None = None
    first_by_time: int | None = None
    """This many rows are enough: the first in `order` of their starts, and those equal to the last
    of them. The others may be left out, different ones each time. The rows come in any order."""

    def __post_init__(self) -> None:
        """Refuse negative numbers of rows."""
        check_limit(self.limit)
        check_limit(self.first_by_time)

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


class SessionTime(Struct, frozen=True, kw_only=True):
    """Limits on both ends of a session, all inclusive; None sets no limit.

    `earliest_end_ms` with `latest_start_ms` asks for sessions that overlap that time, as Kafka's
    `findSessions` does. The first may be greater than the second: then sessions must cover the gap.
    """

    earliest_start_ms: int | None = None
    latest_start_ms: int | None = None
    earliest_end_ms: int | None = None
    latest_end_ms: int | None = None


ANY_TIME = SessionTime()


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionQuery(Query[Row | None]):
    """The row of exactly one session, or None if there is no such session.

    Source: `fetchSession` of Kafka's session stores.
    """

    key: Key
    start_us: int
    """Microseconds, as rows hold them: the session is found by its exact start."""
    end_us: int

    def __post_init__(self) -> None:
        """Refuse an empty key."""
        needed_key(self.key)

    @staticmethod
    def with_session(key: Key, *, start_ms: int, end_ms: int) -> SessionQuery:
        """Return the query for the session of `key` with this start and end."""
        return SessionQuery(key=key, start_us=start_ms * 1000, end_us=end_ms * 1000)


class SessionsQuery(RowsQuery[BatchStream], frozen=True, kw_only=True):
    """A query of the sessions that meet limits on their ends."""

    time: SessionTime = ANY_TIME

    def with_overlap(self, *, earliest_end_ms: int, latest_start_ms: int) -> Self:
        """Return a copy for sessions that end no earlier and start no later than this."""
        time = SessionTime(earliest_end_ms=earliest_end_ms, latest_start_ms=latest_start_ms)
        return replace(self, time=time)


class SessionKeyQuery(SessionsQuery, frozen=True, kw_only=True):
    """The sessions of one key, by end, then by start.

    Source: `findSessions` of Kafka's session stores; backward by KIP-617.
    """

    key: Key
    columns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse an empty key and a negative limit."""
        needed_key(self.key)
        check_limit(self.limit)

    @staticmethod
    def with_key(*key: object) -> SessionKeyQuery:
        """Return the query for all sessions of the key with these column values."""
        return SessionKeyQuery(key=key)

    def with_ascending_ends(self) -> SessionKeyQuery:
        """Return a copy in ascending order of end."""
        return replace(self, order=Order.ASCENDING)

    def with_descending_ends(self) -> SessionKeyQuery:
        """Return a copy in descending order of end."""
        return replace(self, order=Order.DESCENDING)


class SessionRangeQuery(SessionsQuery, frozen=True, kw_only=True):
    """The sessions of an interval of keys; a scan if neither keys nor time are bounded.

    Batches come by segment of the session's end, within it by key, end, start.
    Source: `findSessions` and `fetch` over keys and over time; backward by KIP-617.
    """

    interval: Interval = EVERYTHING
    columns: tuple[str, ...] | None = None
    first_by_time: int | None = None
    """This many rows are enough: the first in `order` of their ends, and those equal to the last of
    them. The others may be left out, different ones each time. The rows come in any order."""

    def __post_init__(self) -> None:
        """Refuse negative numbers of rows."""
        check_limit(self.limit)
        check_limit(self.first_by_time)

    @staticmethod
    def with_no_bounds() -> SessionRangeQuery:
        """Return the query for all sessions."""
        return SessionRangeQuery()

    @staticmethod
    def with_key_range(lower: Key | None, upper: Key | None) -> SessionRangeQuery:
        """Return the query for keys from `lower` to `upper`, inclusive; None is an open end."""
        return SessionRangeQuery(interval=Interval(lower=lower, upper=upper))

    @staticmethod
    def with_end_range(*, earliest_end_ms: int, latest_end_ms: int) -> SessionRangeQuery:
        """Return the query for sessions that end in this time, both ends inclusive."""
        time = SessionTime(earliest_end_ms=earliest_end_ms, latest_end_ms=latest_end_ms)
        return SessionRangeQuery(time=time)

    def with_ascending_order(self) -> SessionRangeQuery:
        """Return a copy in ascending order."""
        return replace(self, order=Order.ASCENDING)

    def with_descending_order(self) -> SessionRangeQuery:
        """Return a copy in descending order, of segments too."""
        return replace(self, order=Order.DESCENDING)

"""Queries of session stores. Values only; nothing here executes.

A session is a row by key, start and end. Sessions of one key come by end, then by start; sessions
of many keys by time segment of their end, within it by key, end, start. Descending is the mirror.
The pipeline decides whether the end belongs to the session: Spark's end is the last event plus the
gap. `SessionKeyQuery`, for one key, is in `stores.spec.query`, since `WindowRangeQuery` makes one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from stores.spec.query import (
    ANY_TIME,
    EVERYTHING,
    BatchStream,
    Interval,
    Order,
    Query,
    SessionTime,
    check_limit,
    needed_key,
    overlap,
)
from stores.spec.schema import Key, Row


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


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRangeQuery(Query[BatchStream]):
    """The sessions of an interval of keys; a scan if neither keys nor time are bounded.

    Batches come by segment of the session's end, within it by key, end, start.
    Source: `findSessions` and `fetch` over keys and over time; backward by KIP-617.
    """

    interval: Interval = EVERYTHING
    time: SessionTime = ANY_TIME
    order: Order = Order.ASCENDING
    limit: int | None = None
    columns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse a negative limit."""
        check_limit(self.limit)

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

    def with_overlap(self, *, earliest_end_ms: int, latest_start_ms: int) -> SessionRangeQuery:
        """Return a copy for sessions that end no earlier and start no later than this."""
        return replace(
            self, time=overlap(earliest_end_ms=earliest_end_ms, latest_start_ms=latest_start_ms)
        )

    def with_ascending_order(self) -> SessionRangeQuery:
        """Return a copy in ascending order."""
        return replace(self, order=Order.ASCENDING)

    def with_descending_order(self) -> SessionRangeQuery:
        """Return a copy in descending order, of segments too."""
        return replace(self, order=Order.DESCENDING)

    def with_limit(self, rows: int) -> SessionRangeQuery:
        """Return a copy that gives only the first `rows`."""
        return replace(self, limit=rows)

"""One subscriber of a live query: its place in the list of events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from planner.errors import LimitExceededError
from planner.live.limits import TOO_SLOW, too_slow
from planner.live.live_query import LiveQuery
from planner.live.tokens import Mark
from planner.values.live import FirstRows, LiveEvent
from stores.spec.schema import Column


class Counter(Protocol):
    """What counts subscribers and their events."""

    def given(self) -> None:
        """Count an event that a subscriber has taken."""

    def left(self, subscription: LiveSubscription, query: LiveQuery | None, *, slow: bool) -> None:
        """Note that a subscriber has left."""


class LiveSubscription:
    """One subscriber; see `Subscription`.

    Args:
        keeper: counts the subscribers.
        on_ready: called in any thread when there are events, or the query has ended.
    """

    def __init__(self, keeper: Counter, on_ready: Callable[[], None]) -> None:
        self._keeper = keeper
        self._on_ready = on_ready
        self._query: LiveQuery | None = None
        self._end_listing: Callable[[], None] | None = None
        self._number = 0
        self._is_slow = self._is_closed = False
        self.columns: tuple[Column, ...] = ()
        self.first: FirstRows | None = None
        self.start_over: str | None = None

    def open(self, query: LiveQuery, end_listing: Callable[[], None]) -> None:
        """Take a query to read; `end_listing` is called at the end."""
        self._query, self._end_listing = query, end_listing
        self.columns = query.columns

    def start(self, after: Mark | None) -> None:
        """Begin with the present rows, or go on after some epochs if the events are there.

        Raises:
            QueryError: the query has ended.
        """
        query = self._opened
        number = None if after is None else query.number_after(after)
        if number is None:
            self.first, self._number = query.first_rows()
        else:
            self._number = number
        if after is not None and number is None:
            self.start_over = "the changes after the token are no longer held"

    def wake(self) -> None:
        """Note that there are events, or that the query has ended."""
        self._on_ready()

    def check(self) -> None:
        """Raise if it does not go on; see `Subscription`."""
        if self.first is not None and self.first.is_late:
            self._is_slow = True
            raise too_slow()
        self._event()

    def take(self) -> LiveEvent | None:
        """Return the next event, if there is one; see `Subscription`."""
        self.first = None
        event = self._event()
        if event is not None:
            self._number += 1
            self._keeper.given()
        return event

    def close(self) -> None:
        """End it; repeated calls do nothing."""
        if self._is_closed:
            return
        self._is_closed = True
        self.first = None
        if self._end_listing is not None:
            self._end_listing()
        self._keeper.left(self, self._query, slow=self._is_slow)

    @property
    def _opened(self) -> LiveQuery:
        assert self._query is not None, "it has a query once it is returned"
        return self._query

    def _event(self) -> LiveEvent | None:
        try:
            return self._opened.event(self._number)
        except LimitExceededError as error:
            self._is_slow = self._is_slow or error.sqlstate == TOO_SLOW
            raise

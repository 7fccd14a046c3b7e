"""One subscriber of a live query: its place in the list of events."""

from __future__ import annotations

import logging
from collections.abc import Callable
from copy import copy
from typing import Protocol

from stategate.planner.errors import InternalError, LimitExceededError, QueryError
from stategate.planner.live.limits import TOO_SLOW, too_slow
from stategate.planner.live.live_query import LiveQuery
from stategate.planner.live.tokens import Seen
from stategate.planner.values.live import FirstRows, LiveEvent
from stategate.stores.spec.schema import Column

logger = logging.getLogger(__name__)


class Counter(Protocol):
    """What counts subscribers and their events."""

    def given(self) -> None:
        """Count an event that a subscriber has taken."""

    def came_back(self, *, starts_over: bool) -> None:
        """Count a client whose events were gone: it goes on by the log, or starts over."""

    def left(self, subscription: LiveSubscription, query: LiveQuery | None, *, slow: bool) -> None:
        """Note that a subscriber has left."""


class LiveSubscription:
    """One subscriber; see `Subscription`.

    Args:
        keeper: counts the subscribers.
        on_ready: called in any thread when there are events, or the query has ended.
        require_rights: raises PermissionDeniedError if its user may not read the rows any more.
        may_start_over: whether it begins with first rows if it cannot go on.
        user: whose it is.
    """

    def __init__(
        self,
        keeper: Counter,
        on_ready: Callable[[], None],
        require_rights: Callable[[], None],
        *,
        may_start_over: bool = True,
        user: str = "",
    ) -> None:
        self.user = user
        """Whose it is."""
        self._keeper, self._require_rights = keeper, require_rights
        self._may_start_over = may_start_over
        self._on_ready = on_ready
        self._query: LiveQuery | None = None
        self._end_listing: Callable[[], None] | None = None
        self._number = 0
        self._catch_up: LiveEvent | None = None
        """The event to begin with, which comes before that of the number."""
        self._refused: QueryError | None = None
        """Why it could not begin after it had waited; its reader gets it."""
        self._is_slow = self._is_closed = False
        self.columns: tuple[Column, ...] = ()
        self.stores: tuple[str, ...] = ()
        self.has_begun = False
        self.first: FirstRows | None = None
        self.start_over: str | None = None

    def open(self, query: LiveQuery, end_listing: Callable[[], None]) -> None:
        """Take a query to read; `end_listing` is called at the end."""
        self._query, self._end_listing = query, end_listing
        self.columns, self.stores = query.columns, query.stores

    def start(self, after: Seen | None) -> bool:
        """Begin with the present rows, or go on after what was seen if the events are there.

        Returns:
            False if they are not: `go_on` is to be called.

        Raises:
            QueryError: the query has ended.
        """
        query = self._opened
        if after is None:
            self.first, self._number = query.first_rows()
        elif (number := query.number_after(after)) is not None:
            self._number = number
        elif not self._catches_up(after):
            return False
        self.has_begun = True
        return True

    def go_on(self, after: Seen | None, problem: str | None) -> None:
        """Go on after what was seen by an event that was added to the query, or start over.

        If it may not start over, it fails (72000), and its reader gets the error. The first rows
        are not read here, for others wait for this thread: see `begin`.

        Args:
            after: what was seen; None if that is not known.
            problem: why it has to start over; None if the event is there.
        """
        try:
            # It has waited, and the right may have been withdrawn meanwhile.
            self._require_rights()
            if problem is None and not self._catches_up(after):
                problem = "the changes after the token took too much memory"
        except QueryError as error:
            self._refused = error
        except Exception:  # the outermost call for this client, which must not wait for ever
            logger.exception("a live query cannot be read")
            self._refused = InternalError("the live query failed")
        if problem is not None and self._refused is None and not self._may_start_over:
            self._refused = QueryError(
                f"cannot go on after the token: {problem}",
                hint="Forget the rows, and SUBSCRIBE without AFTER.",
                sqlstate="72000",
            )
            self._keeper.came_back(starts_over=True)
        if problem is None and self._refused is None:
            self._keeper.came_back(starts_over=False)
        if problem is None or self._refused is not None:
            self.has_begun = True
        else:
            self.start_over = problem
        self._on_ready()

    def begin(self) -> None:
        """Read the first rows, if it has to start over; see `Subscription`."""
        if self.has_begun or self.start_over is None:
            return
        self._require_rights()
        self.first, self._number = self._opened.first_rows()
        self._keeper.came_back(starts_over=True)
        self.has_begun = True

    def _catches_up(self, after: Seen | None) -> bool:
        event = None if after is None else self._opened.catch_up(after)
        if event is not None:
            self._catch_up, self._number = event, event.number + 1
        return event is not None

    def wake(self) -> None:
        """Note that there are events, or that the query has ended."""
        self._on_ready()

    def check(self) -> None:
        """Raise if it does not go on; see `Subscription`."""
        if not self.has_begun:
            return
        if self.first is not None and self.first.is_late:
            self._is_slow = True
            raise too_slow()
        self._event()

    def take(self) -> LiveEvent | None:
        """Return the next event, if there is one; see `Subscription`."""
        if not self.has_begun:
            return None
        self.first = None
        event = self._event()
        if self._catch_up is not None:
            event, self._catch_up = self._catch_up, None
        elif event is not None:
            self._number += 1
        if event is not None:
            self._keeper.given()
        return event

    def close(self, *, slow: bool = False) -> None:
        """End it; repeated calls do nothing. See `Subscription`."""
        if self._is_closed:
            return
        self._is_closed = True
        self.first = self._catch_up = None
        if self._end_listing is not None:
            self._end_listing()
        self._keeper.left(self, self._query, slow=slow or self._is_slow)

    @property
    def _opened(self) -> LiveQuery:
        assert self._query is not None, "it has a query once it is returned"
        return self._query

    def _event(self) -> LiveEvent | None:
        self._require_rights()
        if self._refused is not None:
            raise copy(self._refused)
        try:
            return self._opened.event(self._number)
        except LimitExceededError as error:
            self._is_slow = self._is_slow or error.sqlstate == TOO_SLOW
            raise

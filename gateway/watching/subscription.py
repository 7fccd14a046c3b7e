"""Subscriptions, which are watched until they have begun: they may go on for days."""

from __future__ import annotations

import threading
from collections.abc import Callable

from stategate.gateway.watching.statements import Watched
from stategate.planner.engine import Column, FirstRows, LiveEvent, QueryError, Subscription


def open_watched(
    subscribe: Callable[[Callable[[], None]], Subscription],
    span: Watched,
    sql: str,
    on_ready: Callable[[], None],
) -> Subscription:
    """Open a subscription, and watch it until it has begun or failed.

    Args:
        subscribe: opens it, with what is called when it is ready.
        span: watches it.
        sql: the text of its statement.
        on_ready: called when it is ready.
    """
    if not span.is_recording:
        return subscribe(on_ready)
    waiting: list[WatchedSubscription] = []

    def note() -> None:
        for each in tuple(waiting):
            each.note()
        on_ready()

    try:
        inner = subscribe(note)
    except BaseException as error:
        span.fail(sql, error)
        raise
    watched = WatchedSubscription(inner, span, sql, waiting.clear)
    waiting.append(watched)
    return inner if watched.note() else watched


class WatchedSubscription:
    """A subscription that is watched until it has begun; see `Subscription`.

    Args:
        inner: the subscription.
        span: watches it.
        sql: the text of its statement.
        on_end: called when it has begun or failed; it forgets this.
    """

    def __init__(
        self, inner: Subscription, span: Watched, sql: str, on_end: Callable[[], None]
    ) -> None:
        self._inner, self._span, self._sql = inner, span, sql
        self._on_end = on_end
        self._lock = threading.Lock()

    def note(self) -> bool:
        """Note if it has begun; return whether it has."""
        inner = self._inner
        if not inner.has_begun:
            return False
        first = inner.first
        try:
            inner.check()
        except QueryError as error:
            self._fail(error)
        else:
            rows, epoch = (0, None) if first is None else (len(first.rows), first.moment.epoch)
            self._end(rows=rows, epoch=epoch)
        return True

    def _end(self, *, rows: int | None, epoch: int | None) -> None:
        with self._lock:
            self._span.end_beginning(self._sql, self._inner.stores, rows=rows, epoch=epoch)
        self._on_end()

    def _fail(self, error: BaseException) -> None:
        with self._lock:
            self._span.fail(self._sql, error)
        self._on_end()

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the rows."""
        return self._inner.columns

    @property
    def stores(self) -> tuple[str, ...]:
        """The names of the stores that are read."""
        return self._inner.stores

    @property
    def has_begun(self) -> bool:
        """Whether it has begun."""
        return self._inner.has_begun

    @property
    def first(self) -> FirstRows | None:
        """The rows to begin with."""
        return self._inner.first

    @property
    def start_over(self) -> str | None:
        """Why it has to start over."""
        return self._inner.start_over

    def begin(self) -> None:
        """Read the first rows if it has to start over."""
        try:
            self._inner.begin()
        except BaseException as error:
            self._fail(error)
            raise
        self.note()

    def check(self) -> None:
        """Return normally if it goes on."""
        self._inner.check()

    def take(self) -> LiveEvent | None:
        """Return the next event."""
        return self._inner.take()

    def close(self, *, slow: bool = False) -> None:
        """End it; note that if it never began."""
        self._inner.close(slow=slow)
        self._end(rows=None, epoch=None)

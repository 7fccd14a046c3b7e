"""Reads a live query on an event loop: waits for its events without a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TypeVar

from stategate.gateway.statement_threads import StatementThreads
from stategate.planner.engine import (
    Cancellation,
    Engine,
    LiveEvent,
    QueryError,
    Row,
    Session,
    Statement,
    Subscription,
)

T = TypeVar("T")
_TAKEN_MAX = 64
"""Events that are taken at once; a subscriber that is behind writes no more before it waits."""


class LiveReader:
    """The events of one subscription, for one task of the event loop.

    Args:
        subscription: the subscription; closed with this.
        ready: set when there are events.
        threads: read the first rows of one that waited, and has to start over.
    """

    def __init__(
        self, subscription: Subscription, ready: asyncio.Event, threads: StatementThreads
    ) -> None:
        self.subscription = subscription
        self._ready, self._threads = ready, threads
        self._beginning: asyncio.Future[None] | None = None
        """Reads those rows."""

    async def begun(self, cancellation: Cancellation, *, timeout_s: float | None = None) -> bool:
        """Wait until the subscription goes on after its token, or has first rows.

        Returns:
            False if the time is up before.

        Raises:
            QueryError: it cannot begin, or the cancellation was used.
        """
        return await self._until(self._has_begun, cancellation, timeout_s) is not None

    def _has_begun(self) -> bool:
        subscription = self.subscription
        if self._beginning is not None:
            if self._beginning.done():
                self._beginning.result()
        elif not subscription.has_begun and subscription.start_over is not None:
            reading = self._threads.run_patiently(subscription.begin)
            self._beginning = asyncio.ensure_future(reading)
            self._beginning.add_done_callback(self._note)
        return subscription.has_begun

    def _note(self, done: asyncio.Future[None]) -> None:
        if not done.cancelled():
            done.exception()  # no one may be there any more to see it
        self._ready.set()

    async def events(
        self, cancellation: Cancellation, *, timeout_s: float | None = None
    ) -> Sequence[LiveEvent]:
        """Return the next events; an empty sequence when the time is up.

        Raises:
            QueryError: the subscription has ended, or the cancellation was used.
        """
        return await self._until(self._taken, cancellation, timeout_s) or ()

    async def _until(
        self, look: Callable[[], T], cancellation: Cancellation, timeout_s: float | None
    ) -> T | None:
        """Look whenever there may be news, and return what is found; None when the time is up."""
        loop = asyncio.get_running_loop()
        forget = cancellation.on_cancel(partial(_set_soon, loop, self._ready))
        try:
            async with asyncio.timeout(timeout_s):
                while True:
                    self._ready.clear()
                    cancellation.check()
                    if found := look():
                        return found
                    await self._ready.wait()
        except TimeoutError:
            return None
        finally:
            forget()

    def at_hand(self) -> Sequence[LiveEvent]:
        """Return the events that are there, without waiting.

        Raises:
            QueryError: the subscription has ended.
        """
        return self._taken()

    def close(self, *, slow: bool = False) -> None:
        """End the subscription, as that of a client which reads too slowly if `slow`."""
        if self._beginning is not None:
            self._beginning.cancel()
        self.subscription.close(slow=slow)

    def _taken(self) -> Sequence[LiveEvent]:
        found: list[LiveEvent] = []
        try:
            while len(found) < _TAKEN_MAX and (event := self.subscription.take()) is not None:
                found.append(event)
        except QueryError:
            # Events before the end are given first; the next call raises it again.
            if not found:
                raise
        return found


async def open_live(
    engine: Engine,
    threads: StatementThreads,
    statement: Statement,
    parameters: Row,
    session: Session,
    *,
    token: str | None,
    cancellation: Cancellation,
    may_start_over: bool = True,
) -> LiveReader:
    """Subscribe in a thread; see `Engine.subscribe`.

    It may have to be waited for by `LiveReader.begun`, which takes no thread meanwhile.

    Raises:
        QueryError: the statement cannot be subscribed to now.
    """
    ready = asyncio.Event()
    subscribe = partial(
        engine.subscribe,
        statement,
        parameters,
        session,
        token=token,
        on_ready=partial(_set_soon, asyncio.get_running_loop(), ready),
        cancellation=cancellation,
        may_start_over=may_start_over,
    )
    subscribed = await threads.run(
        subscribe,
        cancellation=cancellation,
        on_abandon=_close,
        statement=(statement.sql, session),
    )
    return LiveReader(subscribed, ready, threads)


def _close(subscription: Subscription) -> None:
    subscription.close()


def _set_soon(loop: asyncio.AbstractEventLoop, event: asyncio.Event) -> None:
    """Set an event from any thread, if its loop still runs."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(event.set)

"""Reads a live query on an event loop: waits for its events without a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from gateway.statement_threads import StatementThreads
from planner.engine import (
    Cancellation,
    Engine,
    LiveEvent,
    QueryError,
    Row,
    Session,
    Statement,
    Subscription,
)

_TAKEN_MAX = 64
"""Events that are taken at once; a subscriber that is behind writes no more before it waits."""


class LiveReader:
    """The events of one subscription, for one task of the event loop.

    Args:
        subscription: the subscription; closed with this.
        ready: set when there are events.
    """

    def __init__(self, subscription: Subscription, ready: asyncio.Event) -> None:
        self.subscription = subscription
        self._ready = ready

    async def events(
        self, cancellation: Cancellation, *, timeout_s: float | None = None
    ) -> Sequence[LiveEvent]:
        """Return the next events; an empty sequence when the time is up.

        Raises:
            QueryError: the subscription has ended, or the cancellation was used.
        """
        loop = asyncio.get_running_loop()
        forget = cancellation.on_cancel(partial(_set_soon, loop, self._ready))
        try:
            async with asyncio.timeout(timeout_s):
                while True:
                    self._ready.clear()
                    cancellation.check()
                    if found := self._taken():
                        return found
                    await self._ready.wait()
        except TimeoutError:
            return ()
        finally:
            forget()

    def at_hand(self) -> Sequence[LiveEvent]:
        """Return the events that are there, without waiting.

        Raises:
            QueryError: the subscription has ended.
        """
        return self._taken()

    def close(self) -> None:
        """End the subscription."""
        self.subscription.close()

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
) -> LiveReader:
    """Subscribe in a thread; see `Engine.subscribe`.

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
    )
    return LiveReader(await threads.run(subscribe, on_abandon=_close), ready)


def _close(subscription: Subscription) -> None:
    subscription.close()


def _set_soon(loop: asyncio.AbstractEventLoop, event: asyncio.Event) -> None:
    """Set an event from any thread, if its loop still runs."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(event.set)

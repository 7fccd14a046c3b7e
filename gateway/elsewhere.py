"""Lookups that other nodes answer, while the event loop goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from stategate.gateway.overdue import overdue
from stategate.planner.engine import Asked, Cancellation, Engine, LookedUp, LookUp, Row, Session


class Elsewhere:
    """A lookup that other nodes have been asked for.

    Args:
        take: gets the rows; None if a thread has to run the statement.
    """

    __slots__ = ("_asked", "_began_s", "_take", "is_over")

    def __init__(self, take: Callable[[LookedUp | None], object]) -> None:
        self._take = take
        self.is_over = False
        """Whether the rows have come, or no one waits for them."""

    def start(self, asked: Asked, within_s: float | None) -> None:
        """Wait for the answer.

        If it is overdue, a thread asks again, and knows what to do about a node that is slow.

        Args:
            asked: the question.
            within_s: when to give up in any case; None for no such time.
        """
        self._asked = asked
        timers = overdue()
        self._began_s = timers.loop.time()
        overdue_s = asked.overdue_s
        timers.add(
            self, self._began_s + (overdue_s if within_s is None else min(overdue_s, within_s))
        )

    @property
    def waited_s(self) -> float:
        """How long ago the nodes were asked."""
        return overdue().loop.time() - self._began_s

    def on_found(self, found: LookedUp | None) -> None:
        """Pass on the rows."""
        if not self.is_over:
            self.is_over = True
            # It holds the rows, or a statement, and the timers hold this until it is due.
            take, self._take = self._take, _ignore
            take(found)

    def on_overdue(self) -> None:
        """Wait no longer; see `Awaited`."""
        if not self.is_over:
            self._asked.cancel(is_overdue=True)
            self.on_found(None)

    def give_up(self) -> None:
        """Let a thread run the statement."""
        self._asked.cancel()
        self.on_found(None)

    def cancel(self) -> None:
        """Wait no more, and pass on nothing."""
        self._asked.cancel()
        self.is_over, self._take = True, _ignore


def _ignore(found: LookedUp | None) -> None:
    """Do nothing: no one waits for the rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """What has happened to a statement that other nodes did not answer on the event loop."""

    waited_s: float
    """How long it has run."""
    is_cancelled: bool
    """Whether the client has cancelled it."""


def begin_elsewhere(
    engine: Engine,
    look_up: LookUp,
    parameters: Row,
    session: Session,
    take: Callable[[LookedUp | None], object],
    *,
    within_s: float | None = None,
) -> LookedUp | Elsewhere | None:
    """Look up few rows wherever they are; see `Engine.begin_look_up`.

    Args:
        engine: asks the nodes.
        look_up: the fast way of a statement.
        parameters: its parameters.
        session: its session.
        take: gets the rows of other nodes, after this has returned; see `Elsewhere`.
        within_s: how long to wait at most.

    Raises:
        QueryError: as the lookup does.
    """
    elsewhere = Elsewhere(take)
    found = engine.begin_look_up(look_up, parameters, session, elsewhere.on_found)
    if found is None or type(found) is LookedUp:
        return found
    assert not isinstance(found, LookedUp), "it is no other struct"
    elsewhere.start(found, within_s)
    return elsewhere


async def rows_elsewhere(
    engine: Engine,
    look_up: LookUp,
    parameters: Row,
    session: Session,
    *,
    cancellation: Cancellation,
) -> LookedUp | None:
    """Return few rows, wherever they are; None if a thread has to run the statement.

    Raises:
        QueryError: as the lookup does; 57014 if it is cancelled.
    """
    loop = asyncio.get_running_loop()
    rows: asyncio.Future[LookedUp | None] = loop.create_future()

    def take(found: LookedUp | None) -> None:
        if not rows.done():
            rows.set_result(found)

    begun = begin_elsewhere(engine, look_up, parameters, session, take)
    if not isinstance(begun, Elsewhere):
        return begun

    def give_up() -> None:
        loop.call_soon_threadsafe(take, None)

    forget = cancellation.on_cancel(give_up)
    try:
        found = await rows
    finally:
        forget()
        begun.cancel()
    cancellation.check()
    return found

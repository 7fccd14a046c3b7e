"""Reading a live query on an event loop."""

from __future__ import annotations

import asyncio
import threading

import pytest

from stategate.gateway.live import LiveReader
from stategate.gateway.statement_threads import StatementThreads
from stategate.planner.engine import Cancellation, FirstRows, LiveEvent, Moment
from stategate.planner.errors import QueryCancelledError
from stategate.stores.spec.position import EMPTY
from stategate.stores.spec.schema import Column
from tests.support.waiting import WAIT_S

pytestmark = pytest.mark.anyio


class StartsOver:
    """A `Subscription` that has waited, and has to start over.

    Args:
        may_read: set once its first rows can be read.
    """

    columns: tuple[Column, ...] = ()
    stores: tuple[str, ...] = ()
    has_begun = False
    first: FirstRows | None = None
    start_over: str | None = "the changes are gone"

    def __init__(self, may_read: threading.Event) -> None:
        self._may_read = may_read

    def begin(self) -> None:
        """Read the rows."""
        assert self._may_read.wait(WAIT_S)
        moment = Moment(token="", epoch=0, epochs={}, position=EMPTY)
        self.first, self.has_begun = FirstRows(rows=(), moment=moment), True

    def check(self) -> None:
        """Go on."""

    def take(self) -> LiveEvent | None:
        """Return no event."""

    def close(self, *, slow: bool = False) -> None:
        """End it."""


async def test_more_clients_start_over_than_may_wait_for_a_thread() -> None:
    threads, may_read = StatementThreads(count=2, queue_max=1), threading.Event()
    readers = [LiveReader(StartsOver(may_read), asyncio.Event(), threads) for _ in range(12)]
    waiting = [asyncio.create_task(each.begun(Cancellation(WAIT_S))) for each in readers]
    for _ in range(3):
        await asyncio.sleep(0)
    assert (threads.running, threads.waiting) == (1, 0)
    assert not await readers[0].begun(Cancellation(WAIT_S), timeout_s=0.01)
    may_read.set()
    assert await asyncio.gather(*waiting) == [True] * 12
    assert all(each.subscription.first is not None for each in readers)
    threads.close()


async def test_a_client_that_starts_over_can_be_cancelled() -> None:
    threads, may_read = StatementThreads(count=2, queue_max=1), threading.Event()
    reader = LiveReader(StartsOver(may_read), asyncio.Event(), threads)
    cancellation = Cancellation(WAIT_S)
    waiting = asyncio.create_task(reader.begun(cancellation))
    await asyncio.sleep(0)
    cancellation.cancel()
    with pytest.raises(QueryCancelledError):
        await waiting
    reader.close()
    may_read.set()
    threads.close()

"""The one crossing from the event loop to threads: what may block runs here, and nowhere else.

Below the gateway all code is synchronous. A call occupies a thread for as long as it runs; a stream
does so only while it makes its next item, so that few threads serve many streams, each in turn.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from planner.errors import LimitExceededError, QueryError, UnavailableError

T = TypeVar("T")
U = TypeVar("U")
V = TypeVar("V")

logger = logging.getLogger(__name__)


class _End:
    """What `next` gives when an iterator has no more."""


_END = _End()
_FINISHED_AT_ONCE = 2
"""Items of one stream: more would have its reader wait for less, and all others for longer."""


class Workers:
    """Bounded threads behind a bounded queue, first come, first served.

    Args:
        threads: how many calls run at once.
        queue_max: how many more may wait; a call beyond them is refused, for a queue that only
            grows answers nobody in time.
    """

    def __init__(self, *, threads: int, queue_max: int) -> None:
        if threads < 1 or queue_max < 0:
            raise ValueError("workers need at least one thread and no negative queue")
        self._threads = threads
        self._queue_max = queue_max
        self._pending = 0
        self.closed = False
        self._lock = threading.Lock()
        self._executor = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="worker")

    @property
    def threads(self) -> int:
        """How many calls may run at once."""
        return self._threads

    @property
    def running(self) -> int:
        """How many calls have a thread."""
        return min(self._pending, self._threads)

    @property
    def waiting(self) -> int:
        """How many calls wait for a thread."""
        return max(0, self._pending - self._threads)

    async def run(
        self, fn: Callable[..., T], *args: object, on_abandon: Callable[[T], None] | None = None
    ) -> T:
        """Call `fn(*args)` in a worker thread and give what it gives.

        A caller that is cancelled while it waits leaves at once. A call that has not begun is then
        dropped; one that runs goes on, so cancel what it works on too.

        Args:
            fn: what to call.
            args: its arguments.
            on_abandon: receives the value of a call whose caller has left, to release it.

        Raises:
            LimitExceededError: as many calls wait as may (53300).
            UnavailableError: the workers are closed (57P01).
        """
        self._admit()
        future = self._submit(fn, *args)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            future.add_done_callback(lambda done: _abandon(done, on_abandon))
            raise

    async def release(self, fn: Callable[[], None]) -> None:
        """Call `fn()`, which gives back what a statement holds; never refused, always finished.

        The call runs to its end even if the caller is cancelled. Once the workers are closed it
        runs where it is made.
        """
        await asyncio.shield(asyncio.wrap_future(self._submit_release(fn)))

    async def stream_through(
        self, iterator: Iterator[T], finish: Callable[[T], U]
    ) -> AsyncGenerator[U, None]:
        """What `finish` makes of the items of `iterator`, in their order.

        The first item is finished alone, and given at once. From then on two are finished side by
        side while the next is made, and while the reader has its way with what it was given. As
        for the rest, see `stream`.
        """
        loop, changed = asyncio.get_running_loop(), asyncio.Event()

        def submit(fn: Callable[..., V], *args: object) -> Future[V]:
            future = self._submit(fn, *args)
            future.add_done_callback(lambda _: _call_soon(loop, changed.set))
            return future

        making = submit(next, iterator, _END)
        finishing: deque[Future[U]] = deque()
        room = 1
        try:
            while True:
                changed.clear()
                if finishing and finishing[0].done():
                    finished = finishing.popleft().result()
                    room = _FINISHED_AT_ONCE
                    yield finished
                elif making.done() and not _has_item(making) and not finishing:
                    making.result()
                    return
                elif making.done() and _has_item(making) and len(finishing) < room:
                    finishing.append(submit(finish, making.result()))
                    making = submit(next, iterator, _END)
                else:
                    await changed.wait()
        finally:
            for each in finishing:
                each.cancel()
            if not making.done() or _has_item(making):
                await asyncio.shield(asyncio.wrap_future(self._close_after(making, iterator)))

    async def stream(self, iterator: Iterator[T]) -> AsyncGenerator[T, None]:
        """The items of `iterator`, each made in a worker thread, at most one ahead of the reader.

        Items of a stream that has begun are never refused. When the reader stops early, by
        `aclose()` (see `contextlib.aclosing`), cancellation or an error of its own, the iterator
        is closed in a worker, after the item in the making.

        Raises:
            UnavailableError: the workers are closed (57P01).
        """
        ahead = self._submit(next, iterator, _END)
        ended = False
        try:
            while True:
                try:
                    item = await asyncio.wrap_future(ahead)
                except Exception:
                    ended = True
                    raise
                if isinstance(item, _End):
                    ended = True
                    return
                ahead = self._submit(next, iterator, _END)
                yield item
        finally:
            if not ended:
                await asyncio.shield(asyncio.wrap_future(self._close_after(ahead, iterator)))

    def close(self) -> None:
        """Refuse all new calls and wait for those that run; those that wait are refused too."""
        self.closed = True
        self._executor.shutdown(wait=True)

    def _admit(self) -> None:
        if self.waiting >= self._queue_max and self._pending >= self._threads:
            raise LimitExceededError(
                "too many statements are waiting for a worker",
                detail=f"{self._threads} run and {self.waiting} wait.",
                hint="Retry later, or raise workers_queue_max or workers_threads.",
                sqlstate="53300",
            )

    def _submit(self, fn: Callable[..., T], *args: object) -> Future[T]:
        def call() -> T:
            if self.closed:
                raise _closing()
            return fn(*args)

        return self._enqueue(call)

    def _submit_release(self, fn: Callable[[], None]) -> Future[None]:
        try:
            return self._enqueue(fn)
        except UnavailableError:
            return _called(fn)

    def _enqueue(self, call: Callable[[], T]) -> Future[T]:
        try:
            future = self._executor.submit(call)
        except RuntimeError as error:
            raise _closing() from error
        with self._lock:
            self._pending += 1
        future.add_done_callback(self._count_down)
        return future

    def _count_down(self, _: object) -> None:
        with self._lock:
            self._pending -= 1

    def _close_after(self, ahead: Future[T | _End], iterator: Iterator[T]) -> Future[None]:
        """Close an iterator once it makes no item: a generator cannot be closed while it runs."""
        closed: Future[None] = Future()
        close: Callable[[], None] = getattr(iterator, "close", _nothing)

        def begin(done: Future[T | _End]) -> None:
            _log_unseen(done)
            self._submit_release(close).add_done_callback(lambda end: _copy(end, closed))

        ahead.cancel()
        ahead.add_done_callback(begin)
        return closed


def _has_item(made: Future[T | _End]) -> bool:
    """Whether what is done gave an item: no error, and not the end."""
    return made.exception() is None and not isinstance(made.result(), _End)


def _call_soon(loop: asyncio.AbstractEventLoop, callback: Callable[[], object]) -> None:
    """Call back on a loop from any thread, if it still runs."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(callback)


def _nothing() -> None:
    """Close an iterator that has no `close`."""


def _closing() -> UnavailableError:
    return UnavailableError("the gateway is shutting down", sqlstate="57P01")


def _called(fn: Callable[[], None]) -> Future[None]:
    future: Future[None] = Future()
    try:
        fn()
    except Exception as error:  # what a worker thread does: the future carries it to who waits
        future.set_exception(error)
    else:
        future.set_result(None)
    return future


def _copy(source: Future[None], target: Future[None]) -> None:
    if target.cancelled():
        _log_unseen(source)
    elif (error := source.exception()) is not None:
        target.set_exception(error)
    else:
        target.set_result(None)


def _abandon(done: Future[T], on_abandon: Callable[[T], None] | None) -> None:
    _log_unseen(done)
    if on_abandon is not None and not done.cancelled() and done.exception() is None:
        on_abandon(done.result())


def _log_unseen(done: Future[T]) -> None:
    """Log a failure that no caller is left to see; the end of a cancelled statement is none."""
    error = None if done.cancelled() else done.exception()
    if error is not None and not isinstance(error, QueryError):
        logger.error("abandoned call failed", exc_info=error)

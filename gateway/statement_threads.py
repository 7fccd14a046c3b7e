"""The only crossing from the event loop to threads: all blocking calls run here.

Below the gateway all code is synchronous. A call occupies a thread while it runs. A stream occupies
one only while it makes its next item, so a few threads serve many streams in turn.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator, Callable, Hashable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from typing import Any, TypeVar

from stategate.gateway.access.places import user_share
from stategate.gateway.fair_threads import NOBODY, FairThreads, Job, OnWait, Owner, closing
from stategate.gateway.recent_users import RecentUsers
from stategate.gateway.settings import Settings
from stategate.gateway.thread_settings import thread_count
from stategate.planner.engine import Cancellation, Rights, RunningQueries, Session, Waits
from stategate.planner.errors import QueryError, UnavailableError

T = TypeVar("T")
U = TypeVar("U")
V = TypeVar("V")

logger = logging.getLogger(__name__)


class _End:
    """Returned by `next` when an iterator is exhausted."""


_END = _End()
_SHORT_LEAST = 4
"""Threads of short calls. With fewer, one that takes long would be a user's whole share."""
_BESIDE_OTHERS = 4
"""One in so many threads is the share of a user who is not alone: half of the cores. With more, 400
clients of one user who scan make lookups of another four times as slow, and not three."""
_FINISHED_AT_ONCE = 2
"""Items of one stream that are finished at once. More would speed up its reader and delay
others."""


class StatementThreads:
    """A bounded number of threads with a bounded queue, in which users take turns.

    Short calls have threads of their own, half as many but four at least, which long calls cannot
    take: what looks short may take long, and a user must still see it, and end it.

    Args:
        count: how many calls run at once.
        queue_max: how many more may wait; further calls are refused, because an unbounded queue
            would answer no one in time.
        of_user_max: returns how many calls of a user run at once; 0 is three quarters if no other
            user has read lately, and one quarter otherwise.
        queries: lists the statements that wait; None for nowhere.
    """

    def __init__(
        self,
        *,
        count: int,
        queue_max: int,
        of_user_max: Callable[[str], int] = lambda _: 0,
        queries: RunningQueries | None = None,
    ) -> None:
        if count < 1 or queue_max < 0:
            raise ValueError("there must be at least one thread and no negative queue")
        self.users = users = RecentUsers()
        """Those who read; who answers a lookup without a thread notes its user, too."""
        alone, beside_others = user_share(count), max(1, count // _BESIDE_OTHERS)

        def most(user: str) -> int:
            return of_user_max(user) or (alone if users.is_alone(user) else beside_others)

        short = max(_SHORT_LEAST, count // 2)
        self._long = self._lane = FairThreads(
            count=count, queue_max=queue_max, of_user_max=most, name="statement"
        )
        of_short = user_share(short)
        self._short = FairThreads(
            count=short, queue_max=queue_max, of_user_max=lambda _: of_short, name="statement_short"
        )
        self._owner = NOBODY
        self._queries = queries
        self._patient = asyncio.Semaphore(max(1, count // 2))

    def of(self, user: str | None, connection: Hashable = None) -> StatementThreads:
        """Return these threads for the calls of one connection of a user."""
        return self._with(_owner=Owner(user, connection))

    @property
    def short(self) -> StatementThreads:
        """These threads for calls that are short: plans, the catalog, the state of the gateway."""
        return self._with(_lane=self._short)

    def _with(self, **others: object) -> StatementThreads:
        """Return the same threads for other calls; `copy` takes five times as long."""
        theirs = object.__new__(StatementThreads)
        theirs.__dict__.update(self.__dict__, **others)
        return theirs

    @property
    def count(self) -> int:
        """How many calls may run at once, besides short ones."""
        return self._long.count

    @property
    def running(self) -> int:
        """How many calls run."""
        return self._long.running + self._short.running

    @property
    def waiting(self) -> int:
        """How many calls wait for a thread."""
        return self._long.waiting + self._short.waiting

    @property
    def closed(self) -> bool:
        """Whether new calls are refused."""
        return self._long.closed

    async def run(
        self,
        fn: Callable[..., T],
        *args: object,
        cancellation: Cancellation | None = None,
        on_abandon: Callable[[T], None] | None = None,
        statement: tuple[str, Session] | None = None,
    ) -> T:
        """Call `fn(*args)` in a thread and return its result.

        A cancelled caller leaves at once. A call that has not begun is then dropped; one that runs
        goes on, so cancel its work too.

        Args:
            fn: the function to call.
            args: its arguments.
            cancellation: ends the wait for a thread; `fn` looks at it itself.
            on_abandon: releases the result of a call whose caller has left.
            statement: the text and the session that are listed while the call waits.

        Raises:
            LimitExceededError: the queue is full (53300).
            QueryCancelledError: it was cancelled, or its time was up, before it began (57014).
            UnavailableError: the threads are closed (57P01).
        """
        self._lane.admit(self._owner)
        on_wait: OnWait | None = None
        if statement is not None and self._queries is not None and cancellation is not None:
            on_wait = partial(self._queries.wait, *statement, cancellation)
        job = self._submit(fn, *args, on_wait=on_wait)
        try:
            return await _outcome(job, cancellation)
        except asyncio.CancelledError:
            job.add_done_callback(lambda done: _abandon(done, on_abandon))
            raise
        finally:
            # The traceback of its error has this frame; only the collector would free both.
            del job

    async def run_patiently(self, fn: Callable[..., T], *args: object) -> T:
        """Call as `run`, for calls of which many may come at once.

        They take at most half of the threads, and no place in the queue before.

        Raises:
            LimitExceededError: the queue is full of others (53300).
            UnavailableError: the threads are closed (57P01).
        """
        async with self._patient:
            return await self.run(fn, *args)

    async def wait(self, waits: Waits | None, cancellation: Cancellation | None = None) -> None:
        """Wait for all that a result waits for, if anything; a thread works only in between.

        Raises:
            QueryError: the statement fails.
        """
        while waits is not None and waits.now is not None:
            now = asyncio.wrap_future(waits.now)
            await asyncio.wait([now])
            now.exception()  # `go_on` raises it
            await self.run(waits.go_on, cancellation=cancellation)

    async def release(self, fn: Callable[[], None]) -> None:
        """Call `fn()`, which releases a statement's resources; never refused, always finished.

        The call runs to its end even if the caller is cancelled. After the threads are closed it
        runs in the calling thread.
        """
        await asyncio.shield(asyncio.wrap_future(self._submit_release(fn)))

    async def stream_through(
        self,
        iterator: Iterator[T],
        finish: Callable[[T], U],
        cancellation: Cancellation | None = None,
    ) -> AsyncGenerator[U, None]:
        """Yield `finish(item)` for each item of `iterator`, in order.

        The first item is finished alone and yielded at once. Then two items are finished at a time
        while the next is made and while the reader works. Otherwise like `stream`.
        """
        loop, changed = asyncio.get_running_loop(), asyncio.Event()

        def submit(fn: Callable[..., V], *args: object) -> Job[V]:
            job = self._submit(fn, *args)
            job.add_done_callback(lambda _: _call_soon(loop, changed.set))
            return job

        making = submit(next, iterator, _END)
        finishing: deque[Job[U]] = deque()
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
                    with _giving_up(cancellation, making, *finishing):
                        await changed.wait()
        finally:
            for each in finishing:
                each.cancel()
            if not making.done() or making.gave_up or _has_item(making):
                await asyncio.shield(asyncio.wrap_future(self._close_after(making, iterator)))
            del making, finishing  # as in `run`

    async def stream(
        self, iterator: Iterator[T], cancellation: Cancellation | None = None
    ) -> AsyncGenerator[T, None]:
        """Yield the items of `iterator`, each made in a thread, at most one ahead of the reader.

        The items of a begun stream are never refused. When the reader stops early, by `aclose()`
        (see `contextlib.aclosing`), cancellation or its own error, the iterator is closed in a
        thread, after the item in progress.

        Raises:
            UnavailableError: the threads are closed (57P01).
        """
        ahead = self._submit(next, iterator, _END)
        ended = False
        try:
            while True:
                try:
                    item = await _outcome(ahead, cancellation)
                except Exception:
                    ended = not ahead.gave_up
                    raise
                if isinstance(item, _End):
                    ended = True
                    return
                ahead = self._submit(next, iterator, _END)
                yield item
        finally:
            if not ended:
                await asyncio.shield(asyncio.wrap_future(self._close_after(ahead, iterator)))
            del ahead  # as in `run`

    def close(self) -> None:
        """Refuse new and waiting calls, and wait for the running ones."""
        self._long.close()
        self._short.close()

    def _submit(self, fn: Callable[..., T], *args: object, on_wait: OnWait | None = None) -> Job[T]:
        def call() -> T:
            if self._lane.closed:
                raise closing()
            return fn(*args)

        if self._owner.user is not None and self._lane is self._long:
            self.users.note(self._owner.user)
        return self._lane.submit(self._owner, call, on_wait)

    def _submit_release(self, fn: Callable[[], None]) -> Future[None]:
        # Many may be released at once, and what they hold is wanted by others.
        try:
            return self._short.submit(NOBODY, fn)
        except UnavailableError:
            return _called(fn)

    def _close_after(self, ahead: Future[T | _End], iterator: Iterator[T]) -> Future[None]:
        """Close an iterator after its current item: a running generator cannot be closed."""
        closed: Future[None] = Future()
        close: Callable[[], None] = getattr(iterator, "close", _nothing)

        def begin(done: Future[T | _End]) -> None:
            _log_unseen(done)
            self._submit_release(close).add_done_callback(lambda end: _copy(end, closed))

        ahead.cancel()
        ahead.add_done_callback(begin)
        return closed


def open_threads(settings: Settings, rights: Rights, queries: RunningQueries) -> StatementThreads:
    """Return the threads of a gateway."""
    return StatementThreads(
        count=thread_count(settings.threads),
        queue_max=settings.threads_queue_max,
        of_user_max=lambda user: rights.limits_of(user).statements,
        queries=queries,
    )


def _giving_up(cancellation: Cancellation | None, *jobs: Job[Any]) -> AbstractContextManager[None]:
    """End those jobs that wait for a thread once they are cancelled, or their time is up."""
    if cancellation is None or not any(job.waits for job in jobs):
        return nullcontext()

    def give_up() -> None:
        for job in jobs:
            job.give_up(cancellation)

    return cancellation.interrupting(give_up)


async def _outcome(job: Job[T], cancellation: Cancellation | None) -> T:
    future = asyncio.wrap_future(job)
    try:
        if not job.has_waited:
            return await future
        with _giving_up(cancellation, job):
            await asyncio.wait((future,))
        return future.result()
    except asyncio.CancelledError:
        future.cancel()
        raise
    finally:
        del job, future  # as in `run`


def _has_item(made: Future[T | _End]) -> bool:
    """Whether a finished call made an item: no error, and not the end."""
    return made.exception() is None and not isinstance(made.result(), _End)


def _call_soon(loop: asyncio.AbstractEventLoop, callback: Callable[[], object]) -> None:
    """Schedule a callback on a loop from any thread, if the loop still runs."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(callback)


def _nothing() -> None:
    """Close an iterator that has no `close`."""


def _called(fn: Callable[[], None]) -> Future[None]:
    future: Future[None] = Future()
    try:
        fn()
    except Exception as error:  # as in a thread, the future carries the error to the waiter
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
    """Log an error that no caller can receive, unless it is a cancelled statement's QueryError."""
    error = None if done.cancelled() else done.exception()
    if error is not None and not isinstance(error, QueryError):
        logger.error("abandoned call failed", exc_info=error)

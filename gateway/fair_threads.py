"""Threads whose waiting calls take turns: users, and within a user its connections.

First come, first served would let one client with many long calls keep all others waiting.
"""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future, InvalidStateError, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from stategate.gateway.access.places import user_share
from stategate.planner.engine import LENDING, Cancellation, Interrupting
from stategate.planner.errors import LimitExceededError, QueryError, UnavailableError

T = TypeVar("T")


LENT_MAX = 256
"""Calls that wait for an epoch at once, in threads besides those that work; more keep their place.
A thread that waits takes some 100 kB."""


class Owner(NamedTuple):
    """Whose call it is."""

    user: str | None
    """None for the gateway itself, which no share limits."""
    connection: Hashable = None


OnWait: TypeAlias = Callable[[], Callable[[], None]]
"""Called when a call begins to wait for a thread; returns what is called when it waits no longer.
Both must not block."""
NOBODY = Owner(None)
"""The owner of the gateway's own calls."""


class FairQueue(Generic[T]):
    """What waits, in the order in which it may begin; not thread-safe.

    Args:
        of_user_max: returns how many of a user may run at once.
    """

    def __init__(self, of_user_max: Callable[[str], int]) -> None:
        self._of_user_max = of_user_max
        self._waiting: dict[str | None, dict[Hashable, deque[T]]] = {}
        """By user and connection; the first ones are next."""
        self._sizes: defaultdict[str | None, int] = defaultdict(int)
        self._running: defaultdict[str | None, int] = defaultdict(int)
        self._size = 0

    def __len__(self) -> int:
        """Return how many wait."""
        return self._size

    def begin(self, owner: Owner) -> bool:
        """Let one run at once, until `done`; return whether none waits and it may."""
        user = owner.user
        if self._size or (user is not None and self._running[user] >= self._of_user_max(user)):
            return False
        self._running[user] += 1
        return True

    def go_on(self, owner: Owner) -> None:
        """Let one run until `done`, whatever waits and whatever the limit of its user is."""
        self._running[owner.user] += 1

    def waiting_of(self, user: str | None) -> int:
        """Return how many of a user wait."""
        return self._sizes.get(user, 0)

    def put(self, owner: Owner, item: T) -> None:
        """Let one wait behind those of its connection."""
        mine = self._waiting.setdefault(owner.user, {})
        mine.setdefault(owner.connection, deque()).append(item)
        self._sizes[owner.user] += 1
        self._size += 1

    def take(self) -> T | None:
        """Return the next one, which runs until `done`; None if none may run now."""
        for user, mine in self._waiting.items():
            if user is not None and self._running[user] >= self._of_user_max(user):
                continue
            connection = next(iter(mine))
            item = mine[connection][0]
            self._running[user] += 1
            # The next one of this user, and of this connection, comes after those of others.
            self._waiting[user] = self._waiting.pop(user)
            mine[connection] = mine.pop(connection)
            self.remove(Owner(user, connection), item)
            return item
        return None

    def done(self, owner: Owner) -> None:
        """Note that one which was taken has ended."""
        self._running[owner.user] -= 1
        if not self._running[owner.user]:
            del self._running[owner.user]

    def remove(self, owner: Owner, item: T) -> bool:
        """Let one wait no longer; return whether it did."""
        mine = self._waiting.get(owner.user, {})
        queue = mine.get(owner.connection)
        if queue is None or item not in queue:
            return False
        queue.remove(item)
        self._sizes[owner.user] -= 1
        self._size -= 1
        if not queue:
            del mine[owner.connection]
        if not mine:
            del self._waiting[owner.user], self._sizes[owner.user]
        return True


class Job(Future[T]):
    """The outcome of a call that waits for a thread or runs.

    Args:
        owner: whose it is.
        call: the call.
        threads: where it waits.
    """

    def __init__(self, owner: Owner, call: Callable[[], T], threads: FairThreads) -> None:
        super().__init__()
        self.owner = owner
        self.has_waited = False
        """Whether it was not begun at once."""
        self.gave_up = False
        """Whether it was ended while it waited."""
        self.end_wait: Callable[[], None] | None = None
        """Called once it waits no longer."""
        self._call: Callable[[], T] | None = call
        self._threads = threads

    @property
    def waits(self) -> bool:
        """Whether it has not begun, and will not soon."""
        return self.has_waited and not self.running() and not self.done()

    def cancel(self) -> bool:
        """Let it never begin; return whether that was in time."""
        self._threads.forget(self)
        return super().cancel()

    def waits_no_longer(self) -> None:
        """Note that it begins, or never will."""
        end, self.end_wait = self.end_wait, None
        if end is not None:
            end()

    def give_up(self, cancellation: Cancellation) -> None:
        """End a call that waits with the error of its cancellation; one that runs goes on."""
        if not self._threads.forget(self):
            return
        try:
            cancellation.check()
        except QueryError as error:
            self.gave_up, self._call = True, None
            with suppress(InvalidStateError):  # its caller has left in this moment
                self.set_exception(error)

    def run(self, on_end: Callable[[], None]) -> None:
        """Call, unless it was cancelled.

        Args:
            on_end: called before the outcome is known, so that who gets it finds a free thread.
        """
        if self.end_wait is not None:
            self.waits_no_longer()
        call, self._call = self._call, None  # what it holds is freed at its end
        if not self.set_running_or_notify_cancel() or call is None:
            on_end()
            return
        try:
            value = call()
        except BaseException as error:
            on_end()
            self.set_exception(error)
            del self  # the error's traceback has this frame
        else:
            on_end()
            self.set_result(value)


class _Return:
    """A call that has lent its place, and waits for one."""

    def __init__(self) -> None:
        self.has_place = threading.Event()


class FairThreads:
    """A bounded number of threads with a bounded queue.

    A call that waits for an epoch lends its place to another one, and gets one again in its turn.

    Args:
        count: how many calls run at once.
        queue_max: how many more may wait.
        of_user_max: returns how many of a user run at once.
        name: the beginning of the threads' names.
    """

    def __init__(
        self, *, count: int, queue_max: int, of_user_max: Callable[[str], int], name: str
    ) -> None:
        self.count = count
        """How many calls may run at once."""
        self._queue_max = queue_max
        self._queue = FairQueue[Job[Any] | _Return](of_user_max)
        self._taken = deque[Job[Any]]()
        """Calls whose thread is about to begin them."""
        self._running = self._lent = 0
        self.closed = False
        self._lock = threading.Lock()
        # Threads are started as they are needed.
        self._executor = ThreadPoolExecutor(max_workers=count + LENT_MAX, thread_name_prefix=name)

    @property
    def running(self) -> int:
        """How many calls run."""
        return self._running

    @property
    def waiting(self) -> int:
        """How many calls wait for a thread."""
        return len(self._queue)

    def admit(self, owner: Owner) -> None:
        """Refuse a call for which there is no place.

        Raises:
            LimitExceededError: too many wait (53300), of all users or of this one.
        """
        with self._lock:
            waiting = len(self._queue)
            if self._running + waiting < self.count:
                return
            mine = self._queue.waiting_of(owner.user)
        if waiting >= self._queue_max:
            raise LimitExceededError(
                "too many statements are waiting for a thread",
                detail=f"{self._running} run and {waiting} wait.",
                hint="Retry later, or raise threads_queue_max or threads.",
                sqlstate="53300",
            )
        if owner.user is not None and mine >= user_share(self._queue_max):
            raise LimitExceededError(
                f'too many statements of user "{owner.user}" are waiting for a thread',
                detail=f"{mine} of this user wait, and {waiting} in all.",
                hint="Retry later, or raise threads_queue_max, threads or threads_of_user_max.",
                sqlstate="53300",
            )

    def submit(self, owner: Owner, call: Callable[[], T], on_wait: OnWait | None = None) -> Job[T]:
        """Let a call run as soon as it is its turn; `admit` is asked before.

        Args:
            owner: whose call it is.
            call: the call.
            on_wait: called if it has to wait.

        Raises:
            UnavailableError: the threads are closed (57P01).
        """
        job = Job(owner, call, self)
        with self._lock:
            if self.closed:
                raise closing()
            if self._running < self.count and self._queue.begin(owner):
                self._start(job)
            else:
                job.has_waited = True
                job.end_wait = None if on_wait is None else on_wait()
                self._queue.put(owner, job)
                self._begin()
        return job

    def forget(self, job: Job[Any]) -> bool:
        """Let a call wait no longer; return whether it did."""
        with self._lock:
            found = self._queue.remove(job.owner, job)
        if found:
            job.waits_no_longer()
        return found

    def close(self) -> None:
        """Refuse new and waiting calls, and wait for the running ones."""
        with self._lock:
            self.closed = True
        self._executor.shutdown(wait=True)

    def _begin(self) -> None:
        """Occupy the threads that are free, as long as there are calls for them."""
        if self.closed:
            return  # no more threads: those that work take what waits
        while self._running < self.count and (job := self._queue.take()) is not None:
            self._start(job)

    def _start(self, job: Job[Any] | _Return) -> None:
        self._running += 1
        if isinstance(job, _Return):
            job.has_place.set()
            return
        self._taken.append(job)  # an argument would be in a frame below that of its error
        self._executor.submit(self._work)

    def _work(self) -> None:
        mine = deque[Job[Any]]((self._taken.popleft(),))
        while mine:
            job = mine.popleft()
            LENDING.lend = partial(self._lend, job.owner)
            job.run(partial(self._end, job.owner, mine))
            del job  # who waits for the outcome holds it, and no idle thread

    def _end(self, owner: Owner, mine: deque[Job[Any]]) -> None:
        """Note the end of a call; its thread goes on with the next one, if there is any."""
        with self._lock:
            self._queue.done(owner)
            following = self._queue.take()
            if isinstance(following, Job):
                mine.append(following)
            else:
                self._running -= 1
                if following is not None:
                    self._start(following)
            self._begin()  # its user may run more than when they began to wait

    def _lend(self, owner: Owner) -> Callable[[bool, Interrupting], None]:
        """Let another call run in the place of one that waits; return what waits for a place."""
        with self._lock:
            if self._lent >= LENT_MAX:
                return _keep
            self._lent += 1
            self._running -= 1
            self._queue.done(owner)
            self._begin()
        return partial(self._take_back, owner)

    def _take_back(self, owner: Owner, in_turn: bool, interrupting: Interrupting) -> None:
        back = _Return()
        with self._lock:
            if self.closed or not in_turn:
                self._queue.go_on(owner)
                self._start(back)
            elif self._running < self.count and self._queue.begin(owner):
                self._start(back)
            else:
                self._queue.put(owner, back)
                self._begin()
        if not back.has_place.is_set():
            with interrupting(partial(self._go_on, owner, back)):
                back.has_place.wait()
        with self._lock:
            self._lent -= 1

    def _go_on(self, owner: Owner, back: _Return) -> None:
        """Give a cancelled call its place out of turn; it ends at once."""
        with self._lock:
            if self._queue.remove(owner, back):
                self._queue.go_on(owner)
                self._start(back)


def _keep(in_turn: bool, interrupting: Interrupting) -> None:
    """Do nothing: the place was not lent."""


def closing() -> UnavailableError:
    """Return the error of calls after the end."""
    return UnavailableError("the gateway is shutting down", sqlstate="57P01")

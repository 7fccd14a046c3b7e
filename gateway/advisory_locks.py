"""The advisory locks of all sessions, as PostgreSQL's lock manager gives them.

A session that must wait is queued at the lock. A lock is given in the order of its queue, but a
session that holds the lock in one mode and wants another goes before those that wait for it. Before
a session waits, the sessions that wait for each other are followed. If they are a circle, the order
of a queue is changed, and if that does not help, the session gets an error.

Source: `src/backend/storage/lmgr/README`, `lock.c`, `proc.c` and `deadlock.c` of PostgreSQL.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Container, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

from stategate.planner.engine import ListedLock, LockKey, Mode, QueryError

LOCKS_MAX = 10_000
"""Locks that are held or waited for at once: about what PostgreSQL has room for, which is 64 for
each of its 100 connections, in some megabytes."""


@dataclass(slots=True, eq=False)
class _Request:
    pid: int
    key: LockKey
    mode: Mode
    given: Future[bool] = field(default_factory=Future)


@dataclass(slots=True)
class _Lock:
    holders: dict[int, set[Mode]] = field(default_factory=dict)
    queue: list[_Request] = field(default_factory=list)

    def holding_up(self, request: _Request) -> Iterator[int]:
        """Yield the sessions that hold the lock so that a request must wait."""
        for pid, modes in self.holders.items():
            if pid != request.pid and any(map(request.mode.conflicts, modes)):
                yield pid

    def ahead_of(self, request: _Request) -> Iterator[_Request]:
        """Yield requests before one in the queue for which it must wait.

        Those before another that waits for the same are left out: that one waits for them.
        """
        for other in reversed(self.queue[: self.queue.index(request)]):
            if other.mode.conflicts(request.mode):
                yield other
                if other.mode is Mode.EXCLUSIVE:
                    return


class AdvisoryLocks:
    """The locks of a gateway; the `LockTable` of its sessions."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._locks: dict[LockKey, _Lock] = {}
        self._waiting: dict[int, _Request] = {}
        self._count = 0
        """How many locks sessions hold or wait for."""

    def request(self, pid: int, key: LockKey, mode: Mode, *, waits: bool) -> Future[bool]:
        """Ask for a lock that the session does not hold in this mode; see `LockTable`."""
        request = _Request(pid, key, mode)
        with self._mutex:
            try:
                self._request(request, waits=waits)
            except QueryError as error:
                self._forget(key)
                request.given.set_exception(error)
        return request.given

    def _request(self, request: _Request, *, waits: bool) -> None:
        if self._count >= LOCKS_MAX:
            raise QueryError(
                "out of shared memory",
                detail=f"Sessions hold or wait for {self._count} advisory locks.",
                hint="Unlock those that are no longer needed.",
                sqlstate="53200",
            )
        lock = self._locks.setdefault(request.key, _Lock())
        if not waits:
            is_free = not any(other.mode.conflicts(request.mode) for other in lock.queue)
            if is_free and not any(lock.holding_up(request)):
                self._give(lock, request)
            else:
                self._forget(request.key)
                request.given.set_result(False)
            return
        mine = lock.holders.get(request.pid, set())
        place = next(
            (at for at, each in enumerate(lock.queue) if any(map(each.mode.conflicts, mine))),
            len(lock.queue),
        )
        lock.queue.insert(place, request)
        self._waiting[request.pid] = request
        self._count += 1
        self._give_next(request.key)
        if not request.given.done():
            self._break_circles(request)

    def withdraw(self, pid: int) -> None:
        """End the wait of a session, if it waits."""
        with self._mutex:
            if (request := self._waiting.get(pid)) is not None:
                self._leave_queue(request)
                request.given.set_result(False)

    def release(self, pid: int, key: LockKey, mode: Mode) -> None:
        """Release a lock, and give it to those who wait for it."""
        with self._mutex:
            self._release(pid, key, mode)

    def release_all(self, pid: int) -> None:
        """Release all locks of a session."""
        with self._mutex:
            for key in [key for key, lock in self._locks.items() if pid in lock.holders]:
                for mode in tuple(self._locks[key].holders[pid]):
                    self._release(pid, key, mode)

    def listed(self) -> Sequence[ListedLock]:
        """Return the locks that are held or waited for."""
        with self._mutex:
            return [*self._listed()]

    def _listed(self) -> Iterator[ListedLock]:
        for key, lock in self._locks.items():
            for pid, modes in lock.holders.items():
                for mode in modes:
                    yield ListedLock(pid=pid, **key._asdict(), mode=mode.value, granted=True)
            for at, request in enumerate(lock.queue):
                ahead = [r.pid for r in lock.queue[:at] if r.mode.conflicts(request.mode)]
                yield ListedLock(
                    pid=request.pid,
                    **key._asdict(),
                    mode=request.mode.value,
                    granted=False,
                    blockers=tuple(dict.fromkeys([*lock.holding_up(request), *ahead])),
                )

    # --- with the mutex --------------------------------------------------------------------------

    def _give(self, lock: _Lock, request: _Request) -> None:
        lock.holders.setdefault(request.pid, set()).add(request.mode)
        self._count += 1
        request.given.set_result(True)

    def _give_next(self, key: LockKey) -> None:
        """Give a lock to those in its queue who need not wait longer."""
        lock = self._locks[key]
        ahead: set[Mode] = set()
        for request in tuple(lock.queue):
            if any(map(request.mode.conflicts, ahead)) or any(lock.holding_up(request)):
                ahead.add(request.mode)
            else:
                self._leave(lock, request)
                self._give(lock, request)
            if Mode.EXCLUSIVE in ahead:
                return

    def _leave_queue(self, request: _Request) -> None:
        """Take a request out of its queue; others may no longer have to wait for it."""
        self._leave(self._locks[request.key], request)
        self._give_next(request.key)
        self._forget(request.key)

    def _leave(self, lock: _Lock, request: _Request) -> None:
        lock.queue.remove(request)
        del self._waiting[request.pid]
        self._count -= 1

    def _release(self, pid: int, key: LockKey, mode: Mode) -> None:
        lock = self._locks[key]
        lock.holders[pid].remove(mode)
        self._count -= 1
        if not lock.holders[pid]:
            del lock.holders[pid]
        self._give_next(key)
        self._forget(key)

    def _forget(self, key: LockKey) -> None:
        """Forget a lock that no session holds or waits for."""
        lock = self._locks.get(key)
        if lock is not None and not lock.holders and not lock.queue:
            del self._locks[key]

    # --- deadlocks -------------------------------------------------------------------------------

    def _break_circles(self, request: _Request) -> None:
        """See to it that a new request does not wait for itself.

        Raises:
            QueryError: it would wait for itself in any order of the queues (40P01).
        """
        before: dict[LockKey, list[_Request]] = {}
        turned: set[frozenset[int]] = set()
        while (circle := self._circle(request)) is not None:
            step = next((each for each in circle if each.may_turn(turned)), None)
            if step is None or step.ahead is None:
                for key, order in before.items():
                    self._locks[key].queue[:] = order
                self._leave_queue(request)
                raise _deadlock(circle)
            turned.add(step.pair)
            queue = self._locks[step.request.key].queue
            before.setdefault(step.request.key, [*queue])
            queue.remove(step.request)
            queue.insert(queue.index(step.ahead), step.request)
        for key in before:
            self._give_next(key)

    def _circle(self, request: _Request) -> list[_Step] | None:
        """Return the steps from a request to its own session; None if it waits for others only."""
        reached: dict[int, _Step] = {}
        following = deque([request])
        while following and request.pid not in reached:
            for step in self._steps(following.popleft()):
                if step.pid not in reached:
                    reached[step.pid] = step
                    if step.pid in self._waiting:
                        following.append(self._waiting[step.pid])
        if request.pid not in reached:
            return None
        steps = deque([reached[request.pid]])
        while steps[0].request is not request:
            steps.appendleft(reached[steps[0].request.pid])
        return [*steps]

    def _steps(self, waiting: _Request) -> Iterator[_Step]:
        lock = self._locks[waiting.key]
        for pid in lock.holding_up(waiting):
            yield _Step(waiting, pid)
        for ahead in lock.ahead_of(waiting):
            yield _Step(waiting, ahead.pid, ahead)


@dataclass(frozen=True, slots=True)
class _Step:
    """A request that waits for a session."""

    request: _Request
    pid: int
    """The session that it waits for."""
    ahead: _Request | None = None
    """The request of that session, if it is only before this one in the queue."""

    @property
    def pair(self) -> frozenset[int]:
        """The two sessions."""
        return frozenset((self.request.pid, self.pid))

    def may_turn(self, turned: Container[frozenset[int]]) -> bool:
        """Whether the two can change places, and have not done so."""
        return self.ahead is not None and self.pair not in turned


def _deadlock(circle: Sequence[_Step]) -> QueryError:
    lines = [
        f"Process {step.request.pid} waits for {step.request.mode.value} on advisory lock "
        f"{[*step.request.key]}; blocked by process {step.pid}."
        for step in circle
    ]
    return QueryError("deadlock detected", detail="\n".join(lines), sqlstate="40P01")

"""Who runs next: users take turns, and within a user its connections."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.gateway import fair_threads
from stategate.gateway.fair_threads import FairQueue, FairThreads, Owner
from stategate.gateway.recent_users import RecentUsers
from stategate.gateway.statement_threads import StatementThreads
from stategate.planner.engine import Cancellation, RunningQueries, Session
from stategate.planner.errors import LimitExceededError, QueryCancelledError
from stategate.stores.hosting.blocking import blocked
from tests.support.waiting import WAIT_S, until

pytestmark = pytest.mark.anyio


def emptied(queue: FairQueue[str]) -> list[str]:
    """Return all that waits, in turn; each ends before the next begins."""
    found = []
    while (item := queue.take()) is not None:
        found.append(item)
        queue.done(Owner(item[0]))
    return found


def test_the_first_of_one_user_comes_before_the_second_of_another() -> None:
    queue = FairQueue[str](lambda _: 1)
    for number in range(100):
        queue.put(Owner("a", number % 7), f"a{number}")
    queue.put(Owner("b"), "b")
    queue.put(Owner("c"), "c")
    order = emptied(queue)
    assert order[:3] == ["a0", "b", "c"]
    assert len(order) == 102


def test_connections_of_a_user_take_turns() -> None:
    queue = FairQueue[str](lambda _: 1)
    for name in ("a1", "a2", "a3"):
        queue.put(Owner("a", "x"), name)
    queue.put(Owner("a", "y"), "a4")
    assert emptied(queue) == ["a1", "a4", "a2", "a3"]


def test_a_user_has_its_share_and_no_more_until_one_of_its_ends() -> None:
    queue = FairQueue[str](lambda _: 2)
    for name in ("a1", "a2", "a3"):
        queue.put(Owner("a"), name)
    assert [queue.take(), queue.take(), queue.take()] == ["a1", "a2", None]
    queue.put(Owner("b"), "b1")
    assert queue.take() == "b1"
    queue.done(Owner("a"))
    assert queue.take() == "a3"


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 2)), max_size=40))
def test_between_two_of_a_user_each_other_that_waits_has_one(owners: list[tuple[str, int]]) -> None:
    queue = FairQueue[str](lambda _: 1)
    for number, owner in enumerate(owners):
        queue.put(Owner(*owner), f"{owner[0]}{number}")
    order = emptied(queue)
    assert sorted(order) == sorted(f"{user}{n}" for n, (user, _) in enumerate(owners))
    users = [item[0] for item in order]
    for at, user in enumerate(users):
        if user in users[at + 1 :]:
            until = users.index(user, at + 1)
            assert set(users[until:]) <= set(users[at:until]), "who waits has had a turn"


class Held:
    """Threads of which some are held until `free` is called.

    Args:
        count: the threads.
    """

    def __init__(self, count: int, queue_max: int = 8, of_user_max: int = 0) -> None:
        self.threads = StatementThreads(
            count=count,
            queue_max=queue_max,
            of_user_max=lambda _: of_user_max,
        )
        self._gate = threading.Event()
        self.calls: list[asyncio.Task[bool]] = []

    async def hold(self, user: str, count: int, *, short: bool = False) -> None:
        mine = self.threads.of(user)
        mine = mine.short if short else mine
        for _ in range(count):
            self.calls.append(asyncio.create_task(mine.run(self._gate.wait, WAIT_S)))
        await asyncio.sleep(0)

    async def free(self) -> None:
        self._gate.set()
        assert all(await asyncio.gather(*self.calls))
        self.threads.close()


async def test_one_user_leaves_threads_to_others_and_all_leave_those_of_short_calls() -> None:
    held = Held(4)
    await held.hold("ann", 4)
    assert (held.threads.running, held.threads.waiting) == (3, 1)
    assert await held.threads.of("bob").run(int) == 0
    await held.hold("bob", 1)
    assert held.threads.running == 4
    assert await held.threads.of("ann").short.run(int) == 0
    await held.free()


async def test_a_user_has_fewer_threads_while_others_read() -> None:
    held = Held(8)
    held.threads.users.note("bob")  # by a lookup, which takes no thread
    await held.hold("ann", 3)
    assert (held.threads.running, held.threads.waiting) == (2, 1)
    await held.hold("bob", 3)
    assert (held.threads.running, held.threads.waiting) == (4, 2)
    await held.free()


def test_a_user_is_alone_once_others_have_not_read_for_a_second() -> None:
    now = 0.0
    users = RecentUsers(lambda: now)
    users.note("ann")
    assert users.is_alone("ann")
    users.note("bob")
    assert not users.is_alone("ann")
    now = 5.0
    assert not users.is_alone("ann"), "bob may have read since"
    users.note("ann")
    assert not users.is_alone("ann"), "bob may have read until now"
    now = 6.5
    assert users.is_alone("ann")
    users.note("ann")
    assert users.is_alone("ann")


def test_all_that_a_user_may_run_begin_once_it_may_be_more() -> None:
    most, first, gate = 1, threading.Event(), threading.Event()
    threads = FairThreads(count=4, queue_max=8, of_user_max=lambda _: most, name="held")
    calls = [
        threads.submit(Owner("ann"), partial(each.wait, WAIT_S)) for each in (first, *[gate] * 4)
    ]
    assert (threads.running, threads.waiting) == (1, 4)
    most = 3
    first.set()
    assert calls[0].result(WAIT_S)
    assert (threads.running, threads.waiting) == (3, 1)
    gate.set()
    assert all(call.result(WAIT_S) for call in calls)
    threads.close()


async def test_a_user_is_answered_beside_a_short_call_that_takes_long() -> None:
    held = Held(1)
    await held.hold("ann", 1, short=True)
    assert await held.threads.of("ann").short.run(int) == 0
    await held.free()


@pytest.mark.parametrize("timed", [True, False], ids=["timeout", "cancel"])
async def test_a_wait_for_a_thread_ends_with_its_statement(*, timed: bool) -> None:
    held, begun = Held(1), threading.Event()
    await held.hold("ann", 1)
    cancellation = Cancellation(0 if timed else None)
    waiting = asyncio.create_task(held.threads.run(begun.set, cancellation=cancellation))
    await asyncio.sleep(0)
    if not timed:
        assert held.threads.waiting == 1
        cancellation.cancel()
    with pytest.raises(QueryCancelledError) as ended:
        await waiting
    assert ended.value.sqlstate == "57014"
    assert held.threads.waiting == 0
    await held.free()
    assert not begun.is_set()


async def test_a_stream_that_waits_for_a_thread_is_cancelled_and_closed() -> None:
    held, closed = Held(1), Future[None]()

    class Numbers:
        def __iter__(self) -> Numbers:
            return self

        def __next__(self) -> int:
            raise AssertionError("it never has a thread")

        def close(self) -> None:
            closed.set_result(None)

    for streamed in (held.threads.stream, lambda it, c: held.threads.stream_through(it, str, c)):
        closed = Future[None]()
        await held.hold("ann", 1 - held.threads.running)
        cancellation = Cancellation()
        stream = streamed(Numbers(), cancellation)
        reading = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0)
        cancellation.cancel()
        with pytest.raises(QueryCancelledError):
            await reading
        await asyncio.wait_for(asyncio.wrap_future(closed), WAIT_S)
    await held.free()


async def test_one_user_cannot_fill_the_queue() -> None:
    held = Held(1, queue_max=4)
    await held.hold("ann", 4)
    with pytest.raises(LimitExceededError, match='user "ann"') as refused:
        await held.threads.of("ann").run(int)
    assert refused.value.sqlstate == "53300"
    await held.hold("bob", 1)
    with pytest.raises(LimitExceededError, match="too many statements are waiting for a thread"):
        await held.threads.of("bob").run(int)
    await held.free()


async def test_a_user_may_have_a_limit_of_its_own() -> None:
    limits = {"ann": 1, "bob": 3}
    threads = StatementThreads(count=4, queue_max=8, of_user_max=lambda user: limits[user])
    gate = threading.Event()
    calls = [
        asyncio.create_task(threads.of(user).run(gate.wait, WAIT_S))
        for user in ("ann", "ann", "bob")
    ]
    await asyncio.sleep(0)
    assert (threads.running, threads.waiting) == (2, 1)
    gate.set()
    assert all(await asyncio.gather(*calls))
    threads.close()


@pytest.mark.parametrize("cancels", [True, False])
async def test_a_statement_is_listed_while_it_waits(*, cancels: bool) -> None:
    queries, gate, seen = RunningQueries(lambda: 7), threading.Event(), list[int]()
    threads = StatementThreads(count=1, queue_max=8, queries=queries)
    session, cancellation = Session(user="ann"), Cancellation()
    running = asyncio.create_task(threads.run(gate.wait, WAIT_S))
    waiting = asyncio.create_task(
        threads.run(
            lambda: seen.append(len(queries.own())),
            cancellation=cancellation,
            statement=("SELECT 2", session),
        )
    )
    await asyncio.sleep(0)
    (listed,) = queries.own()
    assert (listed.sql, listed.user, listed.state) == ("SELECT 2", "ann", "waiting")
    assert listed.pid == -listed.number
    if cancels:
        assert queries.cancel(listed.pid)
        with pytest.raises(QueryCancelledError):
            await waiting
    assert len(queries.own()) == (not cancels)
    gate.set()
    await running
    if not cancels:
        await waiting
    assert seen == [] if cancels else [0], "it is listed by whoever runs it"
    assert not queries.own()
    threads.close()


def threads_of(count: int) -> FairThreads:
    return FairThreads(count=count, queue_max=16, of_user_max=lambda _: count, name="tested")


class Waiter:
    """A call that waits until it is told, and then works until it is told."""

    def __init__(self, threads: FairThreads, owner: Owner) -> None:
        self.waits, self.works = threading.Event(), threading.Event()
        self.told, self.ends = threading.Event(), threading.Event()
        self.met = True
        self.cancellation = Cancellation()
        self.job = threads.submit(owner, self._call)
        assert self.waits.wait(WAIT_S)

    def _wait(self) -> bool:
        self.waits.set()
        assert self.told.wait(WAIT_S)
        return self.met

    def _call(self) -> bool:
        met = blocked(self._wait, self.told.set, self.cancellation.interrupting)
        self.works.set()
        assert self.ends.wait(WAIT_S)
        return met

    def end(self) -> None:
        self.told.set()
        self.ends.set()
        assert self.job.result(WAIT_S) is self.met


def test_calls_run_in_the_places_of_those_that_wait() -> None:
    threads = threads_of(1)
    waiters = [Waiter(threads, Owner("a", number)) for number in range(3)]
    assert threads.submit(Owner("a"), lambda: 1).result(WAIT_S) == 1
    assert threads.submit(Owner("b"), lambda: 2).result(WAIT_S) == 2
    for each in waiters:
        each.end()
    threads.close()
    assert threads.running == threads.waiting == 0


def test_a_call_that_has_waited_goes_on_in_its_turn() -> None:
    threads = threads_of(1)
    waiter, ends = Waiter(threads, Owner("a")), threading.Event()
    working = threads.submit(Owner("b"), lambda: ends.wait(WAIT_S))
    behind = threads.submit(Owner("c"), waiter.works.is_set)
    waiter.told.set()
    until(lambda: threads.waiting == 2)
    assert not waiter.works.is_set()
    ends.set()
    assert working.result(WAIT_S)
    assert not behind.result(WAIT_S)
    assert waiter.works.wait(WAIT_S)
    waiter.end()
    threads.close()


def test_a_call_that_waits_for_its_turn_again_can_be_cancelled() -> None:
    threads = threads_of(1)
    waiter, ends = Waiter(threads, Owner("a")), threading.Event()
    working = threads.submit(Owner("b"), lambda: ends.wait(WAIT_S))
    waiter.told.set()
    until(lambda: threads.waiting == 1)
    assert not waiter.works.is_set()
    waiter.cancellation.cancel()
    assert waiter.works.wait(WAIT_S)
    waiter.end()
    ends.set()
    assert working.result(WAIT_S)
    threads.close()
    assert threads.running == threads.waiting == 0


def test_a_call_that_has_waited_in_vain_goes_on_at_once() -> None:
    threads = threads_of(1)
    waiter, ends = Waiter(threads, Owner("a")), threading.Event()
    working = threads.submit(Owner("b"), lambda: ends.wait(WAIT_S))
    waiter.met = False
    waiter.end()
    ends.set()
    assert working.result(WAIT_S)
    threads.close()
    assert threads.running == 0


def test_calls_that_wait_end_after_the_threads_are_closed() -> None:
    threads = threads_of(1)
    waiters = [Waiter(threads, Owner("a", number)) for number in range(2)]
    closer = threading.Thread(target=threads.close)
    closer.start()
    until(lambda: threads.closed)
    for each in waiters:
        each.end()
    closer.join(WAIT_S)
    assert not closer.is_alive()


def test_beyond_a_number_a_call_that_waits_keeps_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fair_threads, "LENT_MAX", 1)
    threads = threads_of(1)
    first, second = (Waiter(threads, Owner("a", number)) for number in range(2))
    third = threads.submit(Owner("a"), second.works.is_set)
    assert threads.waiting == 1
    second.end()
    assert third.result(WAIT_S)
    first.end()
    threads.close()

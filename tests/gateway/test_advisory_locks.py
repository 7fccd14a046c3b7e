"""Advisory locks as a table: no two sessions hold a lock that conflicts, and no wait is forever."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.gateway import advisory_locks
from stategate.gateway.advisory_locks import AdvisoryLocks
from stategate.planner.engine import LockKey, Mode, QueryError
from stategate.planner.errors import LimitExceededError
from stategate.planner.pg_catalog.advisory_calls import lock_steps
from stategate.planner.values.advisory_locks import LOCKS_OF_SESSION_MAX, SessionLocks
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session

EXCLUSIVE, SHARED = Mode.EXCLUSIVE, Mode.SHARED
KEYS = [LockKey(0, number, 1) for number in range(3)]
ONE, TWO, THREE = KEYS


class Table:
    """A table, with names for what sessions do in it."""

    def __init__(self) -> None:
        self.locks = AdvisoryLocks()

    def wait(self, pid: int, key: LockKey, mode: Mode = EXCLUSIVE) -> Future[bool]:
        return self.locks.request(pid, key, mode, waits=True)

    def have(self, pid: int, key: LockKey, mode: Mode = EXCLUSIVE) -> bool:
        return self.wait(pid, key, mode).done()

    def may(self, pid: int, key: LockKey, mode: Mode = EXCLUSIVE) -> bool:
        return self.locks.request(pid, key, mode, waits=False).result(0)


@pytest.fixture
def table() -> Table:
    return Table()


def error_of(given: Future[bool]) -> str | None:
    error = given.exception(0)
    return error.sqlstate if isinstance(error, QueryError) else None


def test_shared_locks_are_held_together(table: Table) -> None:
    assert table.have(1, ONE, SHARED)
    assert table.may(2, ONE, SHARED)
    assert not table.may(3, ONE)
    assert table.may(3, TWO)


def test_a_lock_is_given_in_the_order_of_the_queue(table: Table) -> None:
    assert table.have(1, ONE)
    waiting = [table.wait(2, ONE, SHARED), table.wait(3, ONE), table.wait(4, ONE, SHARED)]
    table.locks.release(1, ONE, EXCLUSIVE)
    assert [each.done() for each in waiting] == [True, False, False]
    assert not table.may(5, ONE, SHARED)  # it would overtake the third
    table.locks.release(2, ONE, SHARED)
    assert [each.done() for each in waiting] == [True, True, False]


def test_a_holder_goes_before_those_who_wait_for_it(table: Table) -> None:
    assert table.have(1, ONE, SHARED)
    other = table.wait(2, ONE)
    assert table.have(1, ONE)  # as PostgreSQL: it would wait for its own shared lock
    table.locks.release_all(1)
    assert other.result(0)


def test_a_withdrawn_wait_lets_others_pass(table: Table) -> None:
    assert table.have(1, ONE, SHARED)
    first, second = table.wait(2, ONE), table.wait(3, ONE, SHARED)
    table.locks.withdraw(2)
    assert (first.result(0), second.result(0)) == (False, True)
    table.locks.withdraw(2)


def test_a_lock_that_is_given_to_one_who_is_gone_is_released(table: Table) -> None:
    cancellation = Cancellation()
    assert table.have(1, ONE)
    locks = SessionLocks(table.locks, pid=2)
    session = Session()
    session._locks = locks
    call = lock_steps("pg_advisory_lock", ["0"], session, cancellation, [])
    wait = next(call)
    table.locks.release(1, ONE, EXCLUSIVE)
    assert wait.result(0)
    call.close()
    assert table.may(3, ONE)


def test_a_session_that_ends_releases_what_it_was_given(table: Table) -> None:
    locks = SessionLocks(table.locks, pid=1)
    assert locks.request(ONE, EXCLUSIVE, waits=True).result(0)
    locks.close()
    assert table.may(2, ONE)


def test_a_session_cannot_take_all_locks(table: Table) -> None:
    locks = SessionLocks(table.locks, pid=1)
    for number in range(LOCKS_OF_SESSION_MAX):
        key = LockKey(0, number, 2)
        assert locks.request(key, EXCLUSIVE, waits=False).result(0)
        locks.hold(key, EXCLUSIVE, None)
    assert locks.request(LockKey(0, 0, 2), EXCLUSIVE, waits=False).result(0)
    with pytest.raises(LimitExceededError) as caught:
        locks.request(LockKey(0, LOCKS_OF_SESSION_MAX, 2), EXCLUSIVE, waits=False)
    assert caught.value.sqlstate == "53200"


def test_a_deadlock_fails_the_last_request(table: Table) -> None:
    assert table.have(1, ONE)
    assert table.have(2, TWO)
    first = table.wait(1, TWO)
    second = table.wait(2, ONE)
    assert error_of(second) == "40P01"
    assert not first.done()
    table.locks.release_all(2)
    assert first.result(0)


def test_two_holders_of_a_shared_lock_cannot_both_have_it_alone(table: Table) -> None:
    assert table.have(1, ONE, SHARED)
    assert table.have(2, ONE, SHARED)
    assert not table.have(1, ONE)
    assert error_of(table.wait(2, ONE)) == "40P01"


def test_the_order_of_a_queue_is_changed_to_end_a_circle(table: Table) -> None:
    assert table.have(1, ONE, SHARED)
    assert table.have(2, TWO)
    alone = table.wait(3, ONE)  # for 1
    shared = table.wait(2, ONE, SHARED)  # for 3, which is only before it in the queue
    assert not shared.done()
    last = table.wait(1, TWO)  # for 2
    assert shared.result(0)
    assert not last.done()
    assert not alone.done()
    table.locks.release_all(2)
    assert last.result(0)
    table.locks.release_all(1)
    assert alone.result(0)


def test_too_many_locks(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advisory_locks, "LOCKS_MAX", 3)
    assert table.have(1, ONE)
    assert table.have(1, TWO)
    assert not table.have(2, ONE)  # a wait counts, too
    assert error_of(table.wait(3, THREE)) == "53200"
    table.locks.withdraw(2)
    assert table.have(3, THREE)


def test_locks_are_listed_with_those_who_hold_them_up(table: Table) -> None:
    assert table.have(7, ONE, SHARED)
    table.wait(8, ONE)
    table.wait(9, ONE, SHARED)
    listed = [(each.pid, each.mode, each.granted, each.blockers) for each in table.locks.listed()]
    assert listed == [
        (7, "ShareLock", True, ()),
        (8, "ExclusiveLock", False, (7,)),
        (9, "ShareLock", False, (8,)),
    ]


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["wait", "try", "release", "withdraw", "end"]),
        st.integers(1, 4),
        st.sampled_from(KEYS),
        st.sampled_from(Mode),
    ),
    max_size=40,
)


class Sessions:
    """Sessions that do what they can, one thing at a time, and what must hold of them."""

    def __init__(self) -> None:
        self.table = Table()
        self.held: set[tuple[int, LockKey, Mode]] = set()
        self.waiting: dict[int, tuple[LockKey, Mode, Future[bool]]] = {}

    def step(self, what: str, pid: int, key: LockKey, mode: Mode) -> None:
        asks: dict[str, Callable[[int, LockKey, Mode], object]] = {
            "wait": self._wait,
            "try": self._try,
            "release": self._release,
        }
        if what == "withdraw":
            self.table.locks.withdraw(pid)
        elif what == "end":
            self.table.locks.withdraw(pid)
            self.table.locks.release_all(pid)
            self.held = {each for each in self.held if each[0] != pid}
        elif pid not in self.waiting:
            asks[what](pid, key, mode)
        self._note()

    def _wait(self, pid: int, key: LockKey, mode: Mode) -> None:
        if (pid, key, mode) not in self.held:
            self.waiting[pid] = key, mode, self.table.wait(pid, key, mode)

    def _try(self, pid: int, key: LockKey, mode: Mode) -> None:
        if (pid, key, mode) not in self.held and self.table.may(pid, key, mode):
            self.held.add((pid, key, mode))

    def _release(self, pid: int, key: LockKey, mode: Mode) -> None:
        if (pid, key, mode) in self.held:
            self.table.locks.release(pid, key, mode)
            self.held.remove((pid, key, mode))

    def _note(self) -> None:
        for pid, (key, mode, asked) in tuple(self.waiting.items()):
            if asked.done():
                del self.waiting[pid]
                if asked.exception(0) is None and asked.result(0):
                    self.held.add((pid, key, mode))

    def check(self) -> None:
        """Check that nothing conflicts, and that whoever waits waits for one who does not."""
        for pid, key, mode in self.held:
            for other, same, its in self.held:
                assert pid == other or key != same or not mode.conflicts(its)
        blockers = {each.pid: each.blockers for each in self.table.locks.listed() if each.blockers}
        assert blockers.keys() == self.waiting.keys()
        free = {pid for pid in range(1, 5) if pid not in blockers}
        while more := {pid for pid in blockers.keys() - free if free.issuperset(blockers[pid])}:
            free |= more
        assert blockers.keys() <= free, "sessions wait for each other"


@given(STEPS)
def test_law_of_sessions(steps: list[tuple[str, int, LockKey, Mode]]) -> None:
    sessions = Sessions()
    for step in steps:
        sessions.step(*step)
        sessions.check()
    for pid in range(1, 5):
        sessions.step("end", pid, ONE, EXCLUSIVE)
        sessions.check()
    assert sessions.table.locks.listed() == []

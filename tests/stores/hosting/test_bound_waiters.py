"""Waiters are found exactly when their bound is met, and not checked before."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.stores.engines.memory.partition import MemoryPartition
from stategate.stores.errors import TooManyWaitersError
from stategate.stores.hosting.bound_waiters import Waiters
from stategate.stores.hosting.replica import Replica
from stategate.stores.spec.position import (
    Measure,
    Position,
    PositionBound,
    Progress,
    Unmet,
    measured,
    unmet_part,
)
from tests.support.stores import keyvalue, progress

CLICKS = keyvalue("clicks", {"k": "text"}, {"n": "bigint"}, partitions=1)


class Follower:
    """Progress that a test advances; it counts how often bounds are checked."""

    def __init__(self) -> None:
        self.progress, self.now_ms, self.looks = Progress(), 0, 0
        self.waiters = Waiters()

    def look(self, bound: PositionBound) -> Unmet | None:
        self.looks += 1
        return unmet_part(
            bound, self.progress, inputs=CLICKS.inputs, partition=0, now_ms=self.now_ms
        )

    def go(self, progress: Progress, now_ms: int = 0) -> None:
        self.progress, self.now_ms = progress, now_ms

        def reached(measure: Measure) -> int | None:
            return measured(measure, progress, now_ms)

        for waiter in self.waiters.take_met(reached, self.look):
            waiter.call(True)


def at(offset: int, partition: int = 0) -> PositionBound:
    return PositionBound.at(Position.of({"events": {partition: offset}}))


BOUNDS = st.builds(
    PositionBound,
    epoch=st.none() | st.integers(0, 6),
    lag_ms_max=st.none() | st.integers(0, 6),
    position=st.dictionaries(st.integers(0, 1), st.integers(0, 6)).map(
        lambda offsets: Position.of({"events": offsets, "unread": {0: 1}})
    ),
)


@given(
    bounds=st.lists(BOUNDS, max_size=12),
    steps=st.lists(st.tuples(*[st.integers(0, 3)] * 4), max_size=6),
    cancelled=st.sets(st.integers(0, 11)),
)
def test_each_waiter_is_called_once_when_its_bound_is_first_met(
    bounds: list[PositionBound],
    steps: list[tuple[int, int, int, int]],
    cancelled: set[int],
) -> None:
    """The plain rule: each step calls the waiters whose bound is met and that still wait."""
    follower, told = Follower(), dict.fromkeys(range(len(bounds)), 0)
    waiting = {}
    for number, bound in enumerate(bounds):

        def tell(met: bool, number: int = number) -> None:
            assert met
            told[number] += 1

        waiter = follower.waiters.add(bound, tell, follower.look)
        if waiter is None:
            assert follower.look(bound) is None
        else:
            waiting[number] = waiter
    for number in cancelled & waiting.keys():
        assert waiting[number].cancel()
        assert not waiting.pop(number).cancel()
    epoch, offsets, clock = -1, [0, 0], 0
    for epochs, first, second, age in steps:
        epoch, clock = epoch + 1 + epochs, clock + 10
        offsets = [offsets[0] + first, offsets[1] + second]
        position = Position.of({"events": dict(enumerate(offsets))})
        follower.go(Progress(epoch=epoch, position=position, committed_ms=clock - age), clock)
        for number in list(waiting):
            if follower.look(bounds[number]) is None:
                assert told[number] == 1
                assert not waiting.pop(number).cancel()
            else:
                assert told[number] == 0
    assert len(follower.waiters) == len(waiting)


def test_waiters_that_cannot_be_met_are_not_checked() -> None:
    follower = Follower()
    for number in range(1000):
        follower.waiters.add(at(100 + number), lambda _: None, follower.look)
        follower.waiters.add(PositionBound(epoch=100 + number), lambda _: None, follower.look)
    follower.looks = 0
    for epoch in range(50):
        follower.go(progress(epoch))
    assert follower.looks == 0
    follower.go(progress(104))
    assert follower.looks == 0
    assert len(follower.waiters) == 1990


@pytest.mark.parametrize(("bound", "looks"), [(at(1), 0), (at(1).merge(at(1, 1)), 2)])
def test_waiters_with_the_same_bound_are_checked_once(bound: PositionBound, looks: int) -> None:
    """There is no check at all if the bound has only the measure of their queue."""
    follower = Follower()
    told: list[bool] = []
    for _ in range(1000):
        follower.waiters.add(bound, told.append, follower.look)
    follower.looks = 0
    for second in range(2):
        position = Position.of({"events": {0: 1, 1: second}})
        follower.go(Progress(epoch=second, position=position))
    assert (len(told), follower.looks, len(follower.waiters)) == (1000, looks, 0)


def test_cancelled_waiters_leave_nothing_behind() -> None:
    """Repeated waits for a bound that is never met must not fill the memory."""
    follower = Follower()
    for number in range(10_000):
        waiter = follower.waiters.add(at(100 + number), lambda _: None, follower.look)
        assert waiter is not None
        waiter.cancel()
    queued = sum(len(queue) for queue in follower.waiters._queues.values())
    assert queued <= 64
    assert follower.waiters._groups == {}


def test_the_number_of_waiters_is_limited() -> None:
    waiters = Waiters(waiters_max=2)
    unmet = Unmet("epoch", 1, "")
    for _ in range(2):
        waiters.add(at(1), lambda _: None, lambda _: unmet)
    with pytest.raises(TooManyWaitersError, match="2 callers wait") as full:
        waiters.add(at(1), lambda _: None, lambda _: unmet)
    assert full.value.retryable
    for waiter in waiters.take_all():
        waiter.call(False)
    assert len(waiters) == 0
    assert waiters.add(at(1), lambda _: None, lambda _: unmet) is not None


def test_a_failing_callback_is_logged_and_stops_no_other(
    caplog: pytest.LogCaptureFixture,
) -> None:
    engine = MemoryPartition(CLICKS, 0)
    replica = Replica(engine, schema=CLICKS, partition=0)
    told: list[bool] = []

    def fail(met: bool) -> None:
        raise RuntimeError("mine")

    for callback in (fail, told.append):
        replica.when(at(3), callback)
    with caplog.at_level(logging.ERROR):
        replica.apply(progress(3), [])
    assert told == [True]
    assert "a callback that waited for a bound failed" in caplog.text


def test_every_waiter_is_called_while_epochs_are_applied() -> None:
    """Some threads add and cancel waiters, while another applies epochs."""
    replica = Replica(MemoryPartition(CLICKS, 0), schema=CLICKS, partition=0)
    told = [0] * 2000
    cancelled = [False] * len(told)

    def telling(number: int) -> Callable[[bool], None]:
        def tell(met: bool) -> None:
            told[number] += 1

        return tell

    def come(first: int) -> None:
        for number in range(first, len(told), 2):
            waiting = replica.when(at(number % 200), telling(number))
            if number % 3 == 0:
                cancelled[number] = waiting.cancel()

    threads = [threading.Thread(target=come, args=(first,)) for first in range(2)]
    for thread in threads:
        thread.start()
    for epoch in range(200):
        replica.apply(progress(epoch), [])
    for thread in threads:
        thread.join()
    assert [n for n, gone in zip(told, cancelled, strict=True) if n != (not gone)] == []
    replica.close()
    late: list[bool] = []
    assert not replica.when(at(0), late.append).cancel()
    assert late == [False]


def test_a_bound_that_is_met_while_its_first_waiter_is_added_is_noticed() -> None:
    """The thread that applies the epoch must not conclude that no one waits."""
    waiters, told, taking = Waiters(), list[bool](), list[threading.Thread]()

    def apply() -> None:
        for waiter in waiters.take_met(lambda measure: 1, lambda bound: None):
            waiter.call(True)

    def look(bound: PositionBound) -> Unmet | None:
        unmet = unmet_part(bound, Progress(), inputs=CLICKS.inputs, partition=0, now_ms=0)
        if not taking:
            taking.append(threading.Thread(target=apply))
            taking[0].start()
            taking[0].join(0.05)  # as far as it gets while this waiter is being added
        return unmet

    assert waiters.add(PositionBound(epoch=1), told.append, look) is not None
    taking[0].join()
    assert told == [True]

"""What is awaited is told when it is overdue, with few timers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from stategate.gateway.overdue import Overdue, overdue


@dataclass
class Handle:
    """A timer of the loop."""

    at_s: float
    call: Callable[[], object]
    is_cancelled: bool = False

    def cancel(self) -> None:
        """Stop it."""
        self.is_cancelled = True


@dataclass
class Loop:
    """The part of an event loop that is used, with a time of its own."""

    now_s: float = 0.0
    handles: list[Handle] = field(default_factory=list)

    def call_at(self, at_s: float, call: Callable[[], object]) -> Handle:
        """Start a timer."""
        self.handles.append(Handle(at_s, call))
        return self.handles[-1]

    def call_soon(self, call: Callable[[], object]) -> None:
        """Call a function now: what is told does not change the timers."""
        call()

    def run_until(self, until_s: float) -> None:
        """Let time pass."""
        while due := [h for h in self.handles if not h.is_cancelled and h.at_s <= until_s]:
            first = min(due, key=lambda handle: handle.at_s)
            self.handles.remove(first)
            self.now_s = max(self.now_s, first.at_s)
            first.call()
        self.now_s = until_s


@dataclass
class Waiter:
    """Keeps when it was told."""

    loop: Loop
    told: list[tuple[float, Waiter]]
    is_over: bool = False

    def on_overdue(self) -> None:
        """Note the time."""
        assert not self.is_over
        self.is_over = True
        self.told.append((self.loop.now_s, self))


def timers_of(loop: Any) -> Overdue:
    return Overdue(loop)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(1, 20)),
        st.tuples(st.just("end"), st.integers(0, 20)),
        st.tuples(st.just("pass"), st.integers(0, 10)),
    ),
    max_size=40,
)


@given(steps=STEPS)
def test_each_is_told_in_its_time_unless_it_is_over(steps: list[tuple[str, int]]) -> None:
    loop = Loop()
    timers = timers_of(loop)
    told: list[tuple[float, Waiter]] = []
    due: list[tuple[float, Waiter]] = []
    ended: set[int] = set()
    for step, number in steps:
        if step == "add":
            due.append((loop.now_s + number, Waiter(loop, told)))
            timers.add(due[-1][1], due[-1][0])
        elif step == "end" and number < len(due):
            waiter = due[number][1]
            if not waiter.is_over:
                ended.add(id(waiter))
            waiter.is_over = True
        elif step == "pass":
            loop.run_until(loop.now_s + number)
        assert sum(not handle.is_cancelled for handle in loop.handles) <= 1
    loop.run_until(loop.now_s + 100)
    wanted = sorted((each for each in due if id(each[1]) not in ended), key=lambda each: each[0])
    assert [(at, id(waiter)) for at, waiter in told] == [(at, id(w)) for at, w in wanted]
    assert not [handle for handle in loop.handles if not handle.is_cancelled]


def test_what_comes_in_time_takes_no_timer_each() -> None:
    loop = Loop()
    timers = timers_of(loop)
    for number in range(1_000):
        waiter = Waiter(loop, [])
        timers.add(waiter, loop.now_s + 10)
        waiter.is_over = True
        loop.run_until(number / 100)
    assert len(loop.handles) == 1
    loop.run_until(30)
    assert loop.handles == []


def test_each_event_loop_has_its_own() -> None:
    async def of_loop() -> tuple[bool, bool]:
        return overdue() is overdue(), overdue().loop is asyncio.get_running_loop()

    for _ in range(2):
        assert asyncio.run(of_loop()) == (True, True)

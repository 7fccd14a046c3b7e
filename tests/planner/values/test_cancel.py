"""Cancellation and deadlines of statements, from any thread, and alarms from one thread."""

from __future__ import annotations

import threading

import pytest

from stategate.planner.errors import QueryCancelledError
from stategate.planner.values.cancel import Alarms, Cancellation


def test_check_passes_until_cancel() -> None:
    cancellation = Cancellation()
    cancellation.check()
    assert cancellation.remaining_s is None
    cancellation.cancel()
    with pytest.raises(QueryCancelledError, match="due to user request"):
        cancellation.check()


def test_check_raises_after_the_deadline() -> None:
    cancellation = Cancellation(timeout_s=0)
    assert cancellation.remaining_s == 0
    with pytest.raises(QueryCancelledError, match="due to statement timeout"):
        cancellation.check()
    long = Cancellation(timeout_s=1000)
    long.check()
    assert long.remaining_s is not None
    assert 900 < long.remaining_s <= 1000


def test_callbacks_run_once() -> None:
    cancellation, ran = Cancellation(), []
    cancellation.on_cancel(lambda: ran.append("before"))
    forget = cancellation.on_cancel(lambda: ran.append("forgotten"))
    forget()
    forget()
    cancellation.cancel()
    cancellation.cancel()
    assert ran == ["before"]
    cancellation.on_cancel(lambda: ran.append("after"))
    assert ran == ["before", "after"]


def test_interrupt_is_called_at_the_deadline() -> None:
    interrupted = threading.Event()
    with Cancellation(timeout_s=0.01).interrupting(interrupted.set):
        assert interrupted.wait(30)


def test_interrupt_is_not_called_after_the_block() -> None:
    ran: list[str] = []
    cancellation = Cancellation(timeout_s=1000)
    with cancellation.interrupting(lambda: ran.append("interrupted")):
        pass
    cancellation.cancel()
    assert ran == []


def test_calls_are_made_in_order_of_time() -> None:
    alarms, made, done = Alarms(), list[str](), threading.Event()
    with alarms._changed:  # no call is made before all are known
        alarms.after(0, done.set)
        alarms.after(-100, lambda: made.append("second"))
        alarms.after(-200, lambda: made.append("first"))
    assert done.wait(10)
    assert made == ["first", "second"]


def test_cancelled_call_is_not_made() -> None:
    alarms, made, done = Alarms(), list[str](), threading.Event()
    with alarms._changed:
        alarms.after(-100, lambda: made.append("never")).cancel()
        alarms.after(0, done.set)
    assert done.wait(10)
    assert made == []


def test_failing_call_is_logged_and_the_next_is_made(
    caplog: pytest.LogCaptureFixture,
) -> None:
    alarms, done, none = Alarms(), threading.Event(), list[int]()
    alarms.after(0, lambda: none.remove(1))
    alarms.after(0, done.set)
    assert done.wait(10)
    assert "an alarm failed" in caplog.text


def test_cancelled_calls_are_dropped() -> None:
    alarms = Alarms()
    for _ in range(25_000):
        alarms.after(1_000, threading.Event().set).cancel()
    assert len(alarms._heap) < 20_000

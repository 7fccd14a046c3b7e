"""Calls at a given time, made by one thread."""

from __future__ import annotations

import threading

import pytest

from planner.values.alarms import Alarms


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

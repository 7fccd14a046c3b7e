"""Cancel and deadline, from any thread, seen by whoever works on a statement."""

from __future__ import annotations

import threading

import pytest

from planner.errors import QueryCancelledError
from planner.values.cancel import Cancellation


def test_nothing_happens_until_it_is_cancelled() -> None:
    cancellation = Cancellation()
    cancellation.check()
    assert cancellation.remaining_s is None
    cancellation.cancel()
    with pytest.raises(QueryCancelledError, match="due to user request"):
        cancellation.check()


def test_the_deadline_ends_it() -> None:
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


def test_work_that_cannot_look_is_interrupted_at_the_deadline() -> None:
    interrupted = threading.Event()
    with Cancellation(timeout_s=0.01).interrupting(interrupted.set):
        assert interrupted.wait(30)


def test_work_that_is_done_is_not_interrupted() -> None:
    ran: list[str] = []
    cancellation = Cancellation(timeout_s=1000)
    with cancellation.interrupting(lambda: ran.append("interrupted")):
        pass
    cancellation.cancel()
    assert ran == []

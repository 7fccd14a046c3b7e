"""A program of streaming queries ends as it should, also if the JVM ends first."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, cast

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from stategate.stores.spark import run
from stategate.stores.spark.ending import Batches
from tests.support.process import ROOT, blocked_signals


class JvmGoneError(Exception):
    """As py4j raises it."""


@dataclass(slots=True)
class FakeQuery:
    """A query that may fail, and whose JVM may be gone."""

    name: str = "clicks"
    error: Exception | None = None
    is_gone: bool = False
    gets: signal.Signals | None = None
    """The signal that comes with the first question."""
    calls: list[str] = field(default_factory=list)

    @property
    def isActive(self) -> bool:
        self._call("isActive")
        return self.error is None

    def exception(self) -> Exception | None:
        if self.gets is not None:
            number, self.gets = self.gets, None
            os.kill(os.getpid(), number)
        self._call("exception")
        return self.error

    def stop(self) -> None:
        self._call("stop")

    def _call(self, name: str) -> None:
        self.calls.append(name)
        if self.is_gone:
            raise JvmGoneError("Answer from Java side is empty")


class FakeSession:
    """A session that can be stopped."""

    def __init__(self) -> None:
        self.is_stopped = False
        self.sparkContext = self

    def setLogLevel(self, level: str) -> None:
        """Do nothing."""

    def stop(self) -> None:
        self.is_stopped = True


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """Restore the handlers of signals."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def status(query: FakeQuery) -> tuple[int, bool]:
    """Return the exit status, and whether the session was stopped."""
    session = FakeSession()
    given: Any = [query]
    ended = run(cast(SparkSession, session), cast(list[StreamingQuery], given))
    return ended, session.is_stopped


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_the_queries(number: signal.Signals) -> None:
    query = FakeQuery(gets=number)
    assert status(query) == (0, True)
    assert query.calls[-1] == "stop"


@pytest.mark.timeout(60)
def test_a_signal_that_was_blocked_stops_the_queries() -> None:
    """A program inherits blocked signals from whatever started it."""
    with blocked_signals(signal.SIGTERM):
        assert status(FakeQuery(gets=signal.SIGTERM)) == (0, True)


@pytest.mark.timeout(60, method="thread")
def test_a_signal_may_come_at_any_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its handler interrupts the program between two lines, also while a lock is held."""
    monkeypatch.setattr(sys.modules[run.__module__], "_POLL_S", 0.001)
    for moment in range(40, 160):
        lines = itertools.count()

        was_handled, was_late = list[bool](), threading.Event()

        def signalling(frame: FrameType, event: str, argument: object) -> Any:
            del frame, argument
            if event == "line" and next(lines) == moment:  # noqa: B023 - traced in this iteration
                is_ignored = signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
                was_handled.append(not is_ignored)  # noqa: B023
                signal.raise_signal(signal.SIGTERM)
            return signalling

        def stop() -> None:
            was_late.set()  # noqa: B023
            os.kill(os.getpid(), signal.SIGINT)

        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it may come before there is a handler
        stopping = threading.Timer(0.5, stop)
        stopping.start()
        before = sys.gettrace()
        sys.settrace(signalling)
        try:
            assert status(FakeQuery()) == (0, True)
        finally:
            sys.settrace(before)
            stopping.cancel()
        assert was_late.is_set() is not any(was_handled)


def test_a_failed_query_ends_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert status(FakeQuery(error=RuntimeError("no disk"))) == (1, True)
    assert 'query "clicks" failed: ' in capsys.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_that_ends_the_jvm_too_is_no_failure(
    number: signal.Signals, capsys: pytest.CaptureFixture[str]
) -> None:
    """Service managers signal all processes of a service."""
    assert status(FakeQuery(gets=number, is_gone=True))[0] == 0
    assert capsys.readouterr().err == ""


def test_a_jvm_that_ends_by_itself_is_a_failure() -> None:
    with pytest.raises(JvmGoneError):
        status(FakeQuery(is_gone=True))


# --- batches that run when the program ends ------------------------------------------------------

PROGRAM = """
import threading, time
from stategate.stores.spark.ending import BATCHES

begun = threading.Event()

def batches():
    for name in ("first", "second"):
        with BATCHES.running():
            begun.set()
            time.sleep(0.5)
            print(name, flush=True)
        time.sleep(0.3)

threading.Thread(target=batches, daemon=True).start()
begun.wait()
"""


def test_a_program_waits_for_its_batch_and_begins_no_other() -> None:
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert (found.stdout, found.stderr) == ("first\n", "")


def test_the_wait_has_an_end() -> None:
    batches, begun, ended = Batches(), threading.Event(), threading.Event()

    def run() -> None:
        with batches.running():
            begun.set()
            ended.wait()

    thread = threading.Thread(target=run)
    thread.start()
    begun.wait()
    before = time.monotonic()
    assert not batches.end(timeout_s=0.05)
    assert time.monotonic() - before >= 0.05
    ended.set()
    thread.join()


def test_a_program_without_a_batch_ends_at_once() -> None:
    assert Batches().end(timeout_s=0.0)


def test_a_batch_that_fails_has_ended() -> None:
    batches = Batches()
    try:
        with batches.running():
            raise ValueError
    except ValueError:
        pass
    assert batches.end(timeout_s=0.0)

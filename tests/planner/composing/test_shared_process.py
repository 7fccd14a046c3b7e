"""A shared composing process whose threads fail tells whoever would wait for them."""

from __future__ import annotations

import socket
import sys

import pytest

from stategate.planner.composing import frames
from stategate.planner.composing.messages import NUMBERS, Kind, ProcessLimits
from stategate.planner.composing.process_main import Guest, Lane, Process
from tests.planner.composing.databases import WAIT_S
from tests.support.process import started
from tests.support.waiting import until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="workers need a Unix")

SHARED = """
import os, socket, sys
from stategate.planner.composing import shared_process
from stategate.planner.composing.messages import ProcessLimits
line = socket.socket(fileno=int(sys.argv[1]))
shared_process.main(line, ProcessLimits(memory_bytes=1 << 30), os.getppid())
"""
NO_NUMBERS = b"?"
"""The head of a frame that the thread of a gateway process cannot serve."""


class NoMemory(Process):
    """Has no memory for a request."""

    def __init__(self) -> None:
        super().__init__(ProcessLimits(memory_bytes=1 << 30))
        self.ends: list[Lane] = []

    def spend(self) -> None:
        """Note that the process is spent."""
        self.is_spent = True

    def begun(self, lane: Lane) -> None:
        """Fail."""
        raise MemoryError

    def ended(self, lane: Lane) -> None:
        """Note that a lane has ended."""
        self.ends.append(lane)


def test_a_lane_that_fails_ends_and_spends_the_process() -> None:
    process = NoMemory()
    guest = Guest(process)
    lane, theirs = socket.socketpair()
    with lane:
        lane.settimeout(WAIT_S)
        guest.control(frames.Frame(Kind.LANE, NUMBERS.pack(1, 0), None, (theirs.detach(),)))
        frames.send(lane, Kind.NEXT)
        assert frames.receive(lane) is None
    until(lambda: len(process.ends) == 1)
    assert process.is_spent
    assert not guest.lanes


def test_a_gateway_process_that_cannot_be_served_has_left() -> None:
    line, theirs = socket.socketpair()
    with theirs:
        line.settimeout(WAIT_S)
        command = [sys.executable, "-c", SHARED, str(theirs.fileno())]
        with started(command, pass_fds=[theirs.fileno()]) as process, line:
            theirs.close()
            with joined(line, 7) as control:
                frames.send(control, Kind.DROP, NO_NUMBERS)
                told = [frames.receive(line), frames.receive(line)]
                assert [(each.kind, each.head) for each in told if each] == [
                    (Kind.SPENT, NUMBERS.pack(0, 0)),
                    (Kind.LEFT, NUMBERS.pack(7, 0)),
                ]
            # Its lanes end, too; with the last of them the process does, because it is spent.
            with joined(line, 8) as control:
                lane, its_end = socket.socketpair()
                with lane, its_end:
                    frames.send(control, Kind.LANE, NUMBERS.pack(1, 0), fds=[its_end.fileno()])
                    its_end.close()
                    frames.send(control, Kind.DROP, NO_NUMBERS)
                    lane.settimeout(WAIT_S)
                    assert lane.recv(1) == b""
                assert process.wait(WAIT_S) == 0


def joined(line: socket.socket, stay: int) -> socket.socket:
    """Return the control socket of another gateway process."""
    ours, theirs = socket.socketpair()
    with theirs:
        frames.send(line, Kind.JOIN, NUMBERS.pack(stay, 0), fds=[theirs.fileno()])
    return ours

"""The gateway's end of the fork server: it kills processes without waiting."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

from stategate.planner.composing import frames
from stategate.planner.composing.forkserver import ForkServer
from stategate.planner.composing.messages import NUMBERS, ForkKind
from stategate.planner.composing.process_pool import ProcessPool, SharedProcesses
from tests.support.waiting import WAIT_S


def test_a_kill_during_another_call_happens_after_it() -> None:
    """Python's collector may end processes in the thread that is starting one."""
    server = ForkServer()
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.settimeout(5)
        server._control = ours
        with server._lock:
            server.kill(7)  # this would wait forever
        server.kill(8)
        for pid in (7, 8):
            frame = frames.receive(theirs)
            assert frame is not None
            assert (frame.kind, bytes(frame.head)) == (ForkKind.KILL, NUMBERS.pack(pid, 0))
        server._control = None


def test_a_pool_that_is_collected_during_a_call_is_left_after_it() -> None:
    """Python's collector may find the pool in the thread that asks its fork server."""
    pool = ProcessPool(shared=SharedProcesses(forks=Path("/nowhere.sock"), first=0, count=1))
    forks, collect = pool._forks, pool._finalizer
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.settimeout(WAIT_S)
        forks._control = ours
        with forks._lock:
            collecting = threading.Thread(target=collect, daemon=True)
            collecting.start()
            collecting.join(WAIT_S)
            assert not collecting.is_alive(), "it waits for the call, which may be below it"
            assert forks._control is ours, "the call that is under way needs it"
        forks.give_alone()
        assert frames.receive(theirs) is not None, "what that call sent"
        assert frames.receive(theirs) is None, "it is closed"

"""The gateway's end of the fork server: it kills processes without waiting."""

from __future__ import annotations

import socket

from planner.composing import frames
from planner.composing.forkserver import ForkServer
from planner.composing.messages import NUMBERS, ForkKind


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

"""Where composing processes come from: a process that has imported all they need, and forks.

A process of its own does so because the gateway cannot: it has threads. A composing process is
there in some milliseconds so, where Python and the libraries take half a second.
"""

from __future__ import annotations

import atexit
import os
import pickle
import socket
import subprocess
import sys
import threading
from collections import deque
from contextlib import suppress

from planner.composing import frames
from planner.composing.messages import NUMBERS, ForkKind, ProcessLimits

_END_S = 5.0


class ForkServer:
    """The gateway's end. Safe to use from many threads; started with the first process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._doomed: deque[int] = deque()
        """Processes to kill, by whoever has the lock next."""
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def start(self, control: socket.socket, limits: ProcessLimits) -> None:
        """Start a composing process that serves `control`, of which it gets a copy.

        Raises:
            OSError: no process can be started.
        """
        try:
            with self._lock:
                head = pickle.dumps(limits)
                try:
                    frames.send(self._running(), ForkKind.START, head, fd=control.fileno())
                except OSError:
                    self._end()  # it has died: the next one does it
                    frames.send(self._running(), ForkKind.START, head, fd=control.fileno())
        finally:
            self._kill_doomed()

    def kill(self, pid: int) -> None:
        """Kill a composing process, if it still runs; does not block.

        It is killed by its parent, which alone knows whether the id is still its.
        """
        self._doomed.append(pid)
        self._kill_doomed()

    def _kill_doomed(self) -> None:
        """Kill all that are to be killed, unless another call is in the middle of something.

        The other call kills them when it ends. It may be in this same thread, if Python's collector
        found unused processes in the middle of it; waiting for the lock would then be a deadlock.
        """
        while self._doomed and self._lock.acquire(blocking=False):
            try:
                while self._doomed:
                    pid = self._doomed.popleft()
                    if self._control is not None:
                        with suppress(OSError):
                            frames.send(self._control, ForkKind.KILL, NUMBERS.pack(pid, 0))
            finally:
                self._lock.release()

    def close(self) -> None:
        """End it, and with it all that it has started."""
        with self._lock:
            self._end()

    def _running(self) -> socket.socket:
        if self._control is None:
            ours, theirs = socket.socketpair()
            try:
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "planner.composing.forkserver_main"],
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    env=_environment(),
                    start_new_session=True,  # what a terminal sends is for the gateway
                )
            except BaseException:
                ours.close()
                raise
            finally:
                theirs.close()
            self._control = ours
        return self._control

    def _end(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            try:
                self._process.wait(_END_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None


def _environment() -> dict[str, str]:
    """This process's, with its path of modules, and with few threads and little set aside.

    What is set aside counts as taken for the limit on memory: a stack of 8 MB for each thread, and
    128 MB of Arrow's own allocator.
    """
    mine = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONWARNINGS": "ignore"}
    numpy = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    arrow = {"ARROW_DEFAULT_MEMORY_POOL": "system", "ARROW_IO_THREADS": "1"}
    return {**os.environ, **mine, **numpy, **arrow}


FORK_SERVER = ForkServer()
"""That of this process."""

atexit.register(FORK_SERVER.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=FORK_SERVER.__init__)  # type: ignore[misc]

"""The fork server: a process with all imports done, which forks composing processes.

A fork takes a few milliseconds; starting Python and importing the libraries takes half a second.
The gateway itself cannot fork safely, because it has threads.
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
    """The gateway's end; it starts the server when it is first used. Safe for many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._doomed: deque[int] = deque()
        """Processes that the next holder of the lock kills."""
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def start(self, control: socket.socket, limits: ProcessLimits) -> None:
        """Start a composing process, which gets a copy of `control`.

        Raises:
            OSError: the process cannot be started.
        """
        try:
            with self._lock:
                head = pickle.dumps(limits)
                try:
                    frames.send(self._running(), ForkKind.START, head, fd=control.fileno())
                except OSError:
                    self._end()  # the fork server has died: start another
                    frames.send(self._running(), ForkKind.START, head, fd=control.fileno())
        finally:
            self._kill_doomed()

    def kill(self, pid: int) -> None:
        """Kill a composing process, if it still runs. Does not block.

        Its parent, the fork server, kills it: only the parent knows whether the id is still valid.
        """
        self._doomed.append(pid)
        self._kill_doomed()

    def _kill_doomed(self) -> None:
        """Kill the doomed processes; if another call holds the lock, that call kills them.

        The other call may be in this very thread, if the garbage collector found unused processes
        during it. Waiting for the lock would then be a deadlock.
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
        """End the fork server and all composing processes."""
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
                    start_new_session=True,  # signals of the terminal are for the gateway
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
    """Return this process's environment with its module path and with few threads.

    Reserved memory counts towards the memory limit: a stack of 8 MB for each thread, and 128 MB for
    Arrow's own allocator.
    """
    mine = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONWARNINGS": "ignore"}
    numpy = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    arrow = {"ARROW_DEFAULT_MEMORY_POOL": "system", "ARROW_IO_THREADS": "1"}
    return {**os.environ, **mine, **numpy, **arrow}


FORK_SERVER = ForkServer()
"""The fork server of this process."""

atexit.register(FORK_SERVER.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=FORK_SERVER.__init__)  # type: ignore[misc]

"""The fork server: a process with all imports done, which forks composing processes.

A fork takes a few milliseconds; starting Python and importing the libraries takes half a second.
The gateway itself cannot fork safely, because it has threads. A gateway of several processes has
one fork server, to which they connect.
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
from pathlib import Path
from typing import NoReturn

from stategate.planner.composing import frames
from stategate.planner.composing.messages import NUMBERS, ForkKind, ProcessLimits, Start

_END_S = 5.0
_ANSWER_S = 5.0
"""How long a shared fork server may take to answer; it waits a second for killed processes."""


class ForkServer:
    """The gateway's end. Safe for many threads.

    Args:
        path: the socket of a fork server that several gateway processes share; None to start one
            when it is first used.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._doomed: deque[tuple[ForkKind, int]] = deque()
        """Processes that the next holder of the lock kills."""
        self._is_unwanted = False
        """Whether the next holder of the lock ends the connection."""
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    @property
    def is_shared(self) -> bool:
        """Whether several gateway processes use it."""
        return self._path is not None

    def start(
        self, control: socket.socket, limits: ProcessLimits, *, place: int | None = None
    ) -> None:
        """Start a composing process, which gets a copy of `control`.

        Args:
            control: the end of the process of a pair of sockets.
            limits: its limits.
            place: join the shared process at this place; it is started if it is missing.

        Raises:
            OSError: the process cannot be started.
        """
        try:
            with self._lock:
                head = pickle.dumps(Start(limits=limits, place=place))
                try:
                    frames.send(self._running(), ForkKind.START, head, fds=[control.fileno()])
                except OSError:
                    self._end()  # the fork server has died: start another
                    frames.send(self._running(), ForkKind.START, head, fds=[control.fileno()])
        finally:
            self._catch_up()

    def kill(self, pid: int) -> None:
        """Kill a composing process to end a statement. Does not block.

        Its parent, the fork server, kills it: only the parent knows whether the id is still valid.
        """
        self._doomed.append((ForkKind.KILL, pid))
        self._catch_up()

    def end_failed(self, pid: int) -> None:
        """Kill a composing process that has failed, if it still runs. Does not block."""
        self._doomed.append((ForkKind.FAILED, pid))
        self._catch_up()

    def was_killed(self, pid: int) -> bool:
        """Return whether a shared process has ended without a fault of its statements.

        Another gateway process may have had it killed, or the fork server itself has ended.
        """
        return self._ask(ForkKind.WAS_KILLED, pid, otherwise=True)

    def take_alone(self) -> bool:
        """Take the right to run a statement alone in a process; return whether it is free.

        Of all gateway processes one has it, until it gives it back or ends.
        """
        return not self.is_shared or self._ask(ForkKind.ALONE, 0, otherwise=False)

    def give_alone(self) -> None:
        """Give that right back."""
        if self.is_shared:
            with self._lock, suppress(OSError):
                frames.send(self._running(), ForkKind.NOT_ALONE, NUMBERS.pack(0, 0))
            self._catch_up()

    def _ask(self, kind: ForkKind, number: int, *, otherwise: bool) -> bool:
        """Return the answer of a shared fork server; `otherwise` if it has none."""
        try:
            with self._lock:
                try:
                    control = self._running()
                    frames.send(control, kind, NUMBERS.pack(number, 0))
                    frame = frames.receive(control, is_alone=True)
                except OSError:
                    frame = None
                if frame is None:
                    self._end()
                    return otherwise
                return bool(NUMBERS.unpack(frame.head)[1])
        finally:
            self._catch_up()

    def _catch_up(self) -> None:
        """Do what could not wait for the lock; if another call holds it, that call does so.

        The other call may be in this very thread, if the garbage collector found unused processes
        during it. Waiting for the lock would then be a deadlock.
        """
        while (self._doomed or self._is_unwanted) and self._lock.acquire(blocking=False):
            try:
                while self._doomed:
                    kind, pid = self._doomed.popleft()
                    if self._control is not None:
                        with suppress(OSError):
                            frames.send(self._control, kind, NUMBERS.pack(pid, 0))
                if self._is_unwanted:
                    self._is_unwanted = False
                    self._end()
            finally:
                self._lock.release()

    def leave(self) -> None:
        """End the connection to a fork server that is shared. Does not block.

        A call that is under way ends it afterwards.
        """
        self._is_unwanted = True
        self._catch_up()

    def close(self) -> None:
        """End the fork server and its processes; leave one that is shared."""
        with self._lock:
            self._end()

    def _running(self) -> socket.socket:
        if self._control is None and self._path is not None:
            control = socket.socket(socket.AF_UNIX)
            try:
                control.settimeout(_ANSWER_S)
                control.connect(str(self._path))
            except BaseException:
                control.close()
                raise
            self._control = control
        if self._control is None:
            ours, theirs = socket.socketpair()
            try:
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "stategate.planner.composing.forkserver_main"],
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


def become_shared(listener: socket.socket, owner: socket.socket) -> NoReturn:
    """Replace this process by a fork server for several gateway processes.

    Args:
        listener: they connect to it.
        owner: once its other end and all connections are closed, all composing processes end.
            What comes from there is sent back.
    """
    with open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), 1)
    numbers = [each.fileno() for each in (listener, owner)]
    for number in numbers:
        os.set_inheritable(number, True)
    program = [sys.executable, "-m", "stategate.planner.composing.shared_forkserver"]
    os.execve(sys.executable, [*program, *map(str, numbers)], _environment())


FORK_SERVER = ForkServer()
"""The fork server of this process."""

atexit.register(FORK_SERVER.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=FORK_SERVER.__init__)  # type: ignore[misc]

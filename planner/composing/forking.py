"""The composing processes that a fork server has started: forked, killed and reaped."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import NoReturn, Protocol

_KILLED_S = 1.0
"""How long to wait for killed processes; releasing a gigabyte takes 0.1 s."""
_LOOK_S = 0.002


class Closing(Protocol):
    """A resource of the fork server."""

    def close(self) -> None:
        """Close it."""


class Children:
    """The processes of one fork server, which has a single thread."""

    def __init__(self) -> None:
        self.pids: set[int] = set()
        """The processes that run, as far as is known."""
        self._killed: set[int] = set()
        self._ended: list[int] = []
        """The processes that `reap` has not returned yet."""
        self._wake, self.woken = socket.socketpair()
        """`woken` can be read once a process has ended; then call `reap`."""
        self._wake.setblocking(False)
        self.woken.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        # A process inherits blocked signals from the program that has started it.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
        signal.set_wakeup_fd(self._wake.fileno(), warn_on_full_buffer=False)

    def fork(self, run: Callable[[int], NoReturn], closed: Iterable[Closing]) -> int:
        """Start a process; return its id.

        Args:
            run: runs in the process and gets the id of the fork server; if it fails, the process
                ends.
            closed: is closed there first.

        Raises:
            OSError: there is no memory or no process for it.
        """
        self._await_killed()
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            try:
                signal.set_wakeup_fd(-1)
                for each in (self._wake, self.woken, *closed):
                    each.close()
                run(parent)
            except Exception as error:
                print(f"a composing process has failed error={error!r}", file=sys.stderr)
            finally:  # whatever happens, it must not go on as a second fork server
                os._exit(1)
        self.pids.add(pid)
        return pid

    def kill(self, pid: int) -> None:
        """Kill a process, unless it has been reaped."""
        if pid in self.pids:
            self._killed.add(pid)
            os.kill(pid, signal.SIGKILL)

    def kill_all(self) -> None:
        """Kill all processes."""
        for pid in self.pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def reap(self) -> list[int]:
        """Return the processes that have ended since the last call."""
        with suppress(BlockingIOError):
            self.woken.recv(1024)
        self._reap()
        ended, self._ended = self._ended, []
        return ended

    def _reap(self) -> None:
        while self.pids:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            self._ended.append(pid)
            self.pids.discard(pid)
            code = os.waitstatus_to_exitcode(status)
            if pid not in self._killed and code != 0:
                print(f"a composing process ended by itself status={code}", file=sys.stderr)
            self._killed.discard(pid)

    def _await_killed(self) -> None:
        """Wait until killed processes have released their memory for the next one."""
        until = time.monotonic() + _KILLED_S
        self._reap()
        while self._killed and time.monotonic() < until:
            time.sleep(_LOOK_S)
            self._reap()

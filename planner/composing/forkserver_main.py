"""The fork server's process: one thread that starts, kills and reaps composing processes."""

from __future__ import annotations

import gc
import os
import pickle
import selectors
import signal
import socket
import sys
import time
from contextlib import suppress
from importlib.abc import MetaPathFinder

from planner.composing import frames, process_main
from planner.composing.messages import NUMBERS, ForkKind, ProcessLimits

_CONTROL_FD = 0
_KILLED_S = 1.0
"""How long to wait for killed processes; releasing a gigabyte takes 0.1 s."""
_LOOK_S = 0.002


class _Absent(MetaPathFinder):
    """Hides libraries that Arrow and DuckDB would import to accept their objects.

    No such objects are passed here, and pandas takes half a second and 40 MB.
    """

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        if fullname in {"pandas", "polars"}:
            raise ModuleNotFoundError(f"no {fullname} in composing processes", name=fullname)


def main() -> None:
    """Serve requests for processes until the gateway closes the socket."""
    sys.meta_path.insert(0, _Absent())
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    gc.collect()
    gc.freeze()
    _Forking(socket.socket(fileno=_CONTROL_FD)).serve()
    os._exit(0)


class _Forking:
    """Forks, kills and reaps composing processes."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._wake, self._woken = socket.socketpair()
        self._wake.setblocking(False)
        self._woken.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wake.fileno(), warn_on_full_buffer=False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(control, selectors.EVENT_READ)
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._children: set[int] = set()
        self._killed: set[int] = set()

    def serve(self) -> None:
        """Serve requests until the gateway is gone, then kill all processes."""
        while True:
            ready = {key.fileobj for key, _ in self._selector.select()}
            if self._woken in ready:
                with suppress(BlockingIOError):
                    self._woken.recv(1024)
                self._reap()
            if self._control in ready and not self._serve_one():
                break
        for pid in self._children:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def _serve_one(self) -> bool:
        try:
            frame = frames.receive(self._control, with_fd=True)
        except OSError:
            return False
        if frame is None:
            return False
        if frame.kind == ForkKind.KILL:
            pid, _ = NUMBERS.unpack(frame.head)
            if pid in self._children:
                self._killed.add(pid)
                os.kill(pid, signal.SIGKILL)
        elif frame.fd is not None:
            self._start(socket.socket(fileno=frame.fd), pickle.loads(frame.head))
        return True

    def _start(self, control: socket.socket, limits: ProcessLimits) -> None:
        self._await_killed()
        parent = os.getpid()
        try:
            pid = os.fork()
        except OSError as error:
            print(f"a composing process cannot be started: {error.strerror}", file=sys.stderr)
        else:
            if pid == 0:
                self._leave()
                process_main.main(control, limits, parent)
            self._children.add(pid)
        control.close()

    def _await_killed(self) -> None:
        """Wait until killed processes have released their memory for the next one."""
        until = time.monotonic() + _KILLED_S
        self._reap()
        while self._killed and time.monotonic() < until:
            time.sleep(_LOOK_S)
            self._reap()

    def _leave(self) -> None:
        """Close the fork server's resources in a new process."""
        signal.set_wakeup_fd(-1)
        self._selector.close()
        for each in (self._control, self._wake, self._woken):
            each.close()
        os.open(os.devnull, os.O_RDONLY)  # standard input again

    def _reap(self) -> None:
        while self._children:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            self._children.discard(pid)
            code = os.waitstatus_to_exitcode(status)
            if pid not in self._killed and code != 0:
                print(f"a composing process ended by itself status={code}", file=sys.stderr)
            self._killed.discard(pid)


if __name__ == "__main__":
    main()

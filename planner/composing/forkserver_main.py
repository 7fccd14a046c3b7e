"""The fork server's process: one thread that starts, kills and reaps composing processes.

This one serves a single gateway process; `shared_forkserver` serves several.
"""

from __future__ import annotations

import gc
import os
import pickle
import selectors
import signal
import socket
import sys
from importlib.abc import MetaPathFinder
from typing import NoReturn

from stategate.planner.composing import frames, process_main
from stategate.planner.composing.forking import Children
from stategate.planner.composing.messages import NUMBERS, ForkKind, Start

_CONTROL_FD = 0


class _Absent(MetaPathFinder):
    """Hides libraries that Arrow and DuckDB would import to accept their objects.

    No such objects are passed here, and pandas takes half a second and 40 MB.
    """

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        if fullname in {"pandas", "polars"}:
            raise ModuleNotFoundError(f"no {fullname} in composing processes", name=fullname)


def prepare() -> None:
    """Prepare this process to fork composing processes."""
    sys.meta_path.insert(0, _Absent())
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    gc.collect()
    gc.freeze()


def main() -> None:
    """Serve requests for processes until the gateway closes the socket."""
    prepare()
    _Forking(socket.socket(fileno=_CONTROL_FD)).serve()
    os._exit(0)


class _Forking:
    """Forks, kills and reaps composing processes."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._children = Children()
        self._selector = selectors.DefaultSelector()
        self._selector.register(control, selectors.EVENT_READ)
        self._selector.register(self._children.woken, selectors.EVENT_READ)

    def serve(self) -> None:
        """Serve requests until the gateway is gone, then kill all processes."""
        while True:
            ready = {key.fileobj for key, _ in self._selector.select()}
            if self._children.woken in ready:
                self._children.reap()
            if self._control in ready and not self._serve_one():
                break
        self._children.kill_all()

    def _serve_one(self) -> bool:
        try:
            frame = frames.receive(self._control, fds_max=1)
        except OSError:
            return False
        if frame is None:
            return False
        if frame.kind in (ForkKind.KILL, ForkKind.FAILED):
            self._children.kill(NUMBERS.unpack(frame.head)[0])
        elif frame.fd is not None:
            self._start(socket.socket(fileno=frame.fd), pickle.loads(frame.head))
        return True

    def _start(self, control: socket.socket, asked: Start) -> None:
        def run(parent: int) -> NoReturn:
            os.open(os.devnull, os.O_RDONLY)  # standard input again
            process_main.main(control, asked.limits, parent)

        with control:
            try:
                self._children.fork(run, (self._selector, self._control))
            except OSError as error:
                print(f"a composing process cannot be started: {error.strerror}", file=sys.stderr)


if __name__ == "__main__":
    main()

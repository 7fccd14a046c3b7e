"""The fork server of the processes that compose the statements of all workers.

If it ends, its processes end with it, and the statements in them begin again with the next one.
Until then the connections of the workers wait in the supervisor's socket. One that hangs, as if it
was stopped or its memory is being swapped, would let no further process start: it is killed.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import time
from contextlib import suppress
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path

logger = logging.getLogger(__name__)

_CONNECTIONS_MAX = 128
"""Workers that may wait for it; there are fewer."""
_END_S = 5.0
_LIVED_S = 10.0
"""A server that lived for less is replaced after a pause, because the next one may end, too."""
_PAUSE_S = 1.0
_LOOK_S = 2.0
"""How often the supervisor asks the server whether it serves."""
_LOOKS_MAX = 5
"""Looks in a row without an answer, ten seconds, after which the server hangs. They are counted,
and not the seconds: the supervisor may have been stopped, too."""
_FIRST_LOOKS_MAX = 60
"""The same while it starts, which takes a second, and far longer on a busy machine."""


def run_composing(listener: socket.socket, owner: socket.socket) -> None:
    """Serve the workers until the supervisor and they have gone; the process ends then.

    Args:
        listener: the workers connect to it.
        owner: the other end is the supervisor's.
    """
    # The supervisor ends it; a terminal sends signals to it, too, even while it starts.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # kept by the program that replaces this one
    from stategate.gateway.wiring import serve_composing  # noqa: PLC0415 - the supervisor needs no engine

    serve_composing(listener, owner)


class ComposingServer:
    """The supervisor's side: it starts the fork server, and another one whenever it ends.

    Args:
        context: starts the process.
        path: the socket for the workers.
    """

    def __init__(self, context: ForkServerContext, path: Path) -> None:
        self._context = context
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen(_CONNECTIONS_MAX)
        self._process: ForkServerProcess | None = None
        self._pid: int | None = None
        self._owner: socket.socket | None = None
        self._started_s = 0.0
        self._unanswered, self._has_answered = 0, False
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The id of its process, or None while no process runs."""
        return self._pid

    def start(self) -> None:
        """Start it, in the running loop.

        Raises:
            OSError, EOFError: there are too many processes or files, or no memory.
        """
        ours, theirs = socket.socketpair()
        with theirs:
            process = self._context.Process(
                target=run_composing,
                args=(self._listener, theirs),
                name="stategate-composing",
            )
            try:
                process.start()
            except BaseException:
                ours.close()
                raise
        ours.setblocking(False)
        self._process, self._pid, self._owner = process, process.pid, ours
        self._started_s = time.monotonic()
        self._unanswered, self._has_answered = 0, False
        self._ask(ours)
        asyncio.get_running_loop().call_later(_LOOK_S, self._look, process)
        asyncio.get_running_loop().add_reader(process.sentinel, self._on_end, process)
        logger.info("fork server started pid=%d", process.pid)

    def close(self) -> None:
        """End the server and all composing processes."""
        self._closed = True
        if self._process is not None and self._owner is not None:
            asyncio.get_running_loop().remove_reader(self._process.sentinel)
            self._owner.close()
            self._process.join(_END_S)
            if self._process.exitcode is None:
                self._process.kill()
                self._process.join()
            self._process.close()
            self._pid = None
        self._listener.close()

    def _look(self, process: ForkServerProcess) -> None:
        """Kill the server if it has not answered for long; ask it again if it has."""
        owner = self._owner
        if self._closed or owner is None or self._process is not process:
            return
        if self._answers(owner):
            self._unanswered, self._has_answered = 0, True
            self._ask(owner)
        else:
            self._unanswered += 1
        if self._unanswered >= (_LOOKS_MAX if self._has_answered else _FIRST_LOOKS_MAX):
            logger.error("fork server hangs and is killed pid=%s", process.pid)
            process.kill()
            return
        asyncio.get_running_loop().call_later(_LOOK_S, self._look, process)

    @staticmethod
    def _answers(owner: socket.socket) -> bool:
        """Return whether an answer has come. The end of the connection is not one."""
        try:
            return owner.recv(1) != b""
        except OSError:  # nothing has come, or it was reset
            return False

    @staticmethod
    def _ask(owner: socket.socket) -> None:
        with suppress(OSError):  # it has ended
            owner.send(b"?")

    def _on_end(self, process: ForkServerProcess) -> None:
        asyncio.get_running_loop().remove_reader(process.sentinel)
        process.join()
        logger.error("fork server ended and is replaced status=%s", process.exitcode)
        process.close()
        if self._owner is not None:
            self._owner.close()
        self._process = self._pid = self._owner = None
        lived_s = time.monotonic() - self._started_s
        self._start_later(0.0 if lived_s > _LIVED_S else _PAUSE_S)

    def _start_later(self, delay_s: float) -> None:
        asyncio.get_running_loop().call_later(delay_s, self._start_again)

    def _start_again(self) -> None:
        if self._closed:
            return
        try:
            self.start()
        except (OSError, EOFError) as error:
            logger.error("fork server not started, trying again error=%s", error)
            self._start_later(_PAUSE_S)

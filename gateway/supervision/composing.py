"""The fork server of the processes that compose the statements of all workers.

If it ends, its processes end with it, and the statements in them begin again with the next one.
Until then the connections of the workers wait in the supervisor's socket.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import time
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path

logger = logging.getLogger(__name__)

_CONNECTIONS_MAX = 128
"""Workers that may wait for it; there are fewer."""
_END_S = 5.0
_LIVED_S = 10.0
"""A server that lived for less is replaced after a pause, because the next one may end, too."""
_PAUSE_S = 1.0


def run_composing(listener: socket.socket, owner: socket.socket) -> None:
    """Serve the workers until the supervisor and they have gone; the process ends then.

    Args:
        listener: the workers connect to it.
        owner: the other end is the supervisor's.
    """
    # The supervisor ends it; a terminal sends signals to it, too, even while it starts.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # kept by the program that replaces this one
    from gateway.wiring import serve_composing  # noqa: PLC0415 - the supervisor needs no engine

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
        self._owner: socket.socket | None = None
        self._started_s = 0.0
        self._closed = False

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
        self._process, self._owner = process, ours
        self._started_s = time.monotonic()
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
        self._listener.close()

    def _on_end(self, process: ForkServerProcess) -> None:
        asyncio.get_running_loop().remove_reader(process.sentinel)
        process.join()
        logger.error("fork server ended and is replaced status=%s", process.exitcode)
        process.close()
        if self._owner is not None:
            self._owner.close()
        self._process = self._owner = None
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

"""Threads that take turns at watching many sockets; who sees one ready attends to it.

No thread hands work to another: the one that watches does the work itself, and the next one begins
to watch. There are as many as work at once, up to a limit.
"""

from __future__ import annotations

import logging
import selectors
import socket
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias, cast

logger = logging.getLogger(__name__)

Serve: TypeAlias = Callable[[], int]
"""Does one piece of work for a socket that is ready; gives what to wait for next, 0 for nothing."""
READ, WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE


class SocketPool:
    """The threads, and the sockets that they watch.

    Args:
        name: of the threads.
        threads_max: how many there may be.
    """

    def __init__(self, name: str, *, threads_max: int) -> None:
        self._name, self._threads_max = name, threads_max
        self._selector = selectors.DefaultSelector()
        self._watching = threading.Lock()
        self._lock = threading.Lock()
        self._ready: deque[tuple[socket.socket, Serve]] = deque()
        self._threads = self._idle = 0

    def add(self, sock: socket.socket, serve: Serve) -> None:
        """Watch a socket until `serve` gives 0, or it fails; for reading at first."""
        self._watch(sock, serve, READ)
        self._engage()

    def drop(self, sock: socket.socket) -> None:
        """Watch a socket no more; to be called before it is closed."""
        with suppress(ValueError, KeyError, OSError):
            self._selector.unregister(sock)

    def _engage(self) -> None:
        """See to it that some thread watches.

        Raises:
            RuntimeError: no thread watches, and none can be started.
        """
        with self._lock:
            if self._idle or self._threads >= self._threads_max:
                return
            self._threads += 1
            self._idle += 1
        try:
            threading.Thread(target=self._run, name=self._name, daemon=True).start()
        except RuntimeError:  # no memory for its stack: those that work now watch afterwards
            with self._lock:
                self._threads -= 1
                self._idle -= 1
                if not self._threads:
                    raise

    def _watch(self, sock: socket.socket, serve: Serve, events: int) -> None:
        with suppress(ValueError, OSError):  # closed in the meantime
            try:
                self._selector.register(sock, events, serve)
            except KeyError:  # one that was closed while it was watched had its number
                self.drop(sock)
                self._selector.register(sock, events, serve)

    def _run(self) -> None:
        while True:
            with self._watching:
                sock, serve = self._next()
            with self._lock:
                self._idle -= 1
            self._engage()
            try:
                events = serve()
            except Exception:  # the outermost loop of a thread that others need
                logger.exception("a socket could not be served")
                events = 0
            if events:
                self._watch(sock, serve, events)
            with self._lock:
                self._idle += 1

    def _next(self) -> tuple[socket.socket, Serve]:
        while not self._ready:
            for key, _ in self._selector.select():
                with suppress(ValueError, KeyError, OSError):
                    self._selector.unregister(key.fileobj)
                self._ready.append((cast(socket.socket, key.fileobj), key.data))
        return self._ready.popleft()

"""A pool of threads that serve many sockets (the leader/followers pattern).

One thread waits for all idle sockets. When one is ready, it serves that socket itself and another
thread begins to wait, so no thread hands work to another. Threads are started as they are needed.
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
"""Serves a socket that is ready once; returns the events to wait for next, or 0 to stop."""
READ, WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE


class SocketPool:
    """Threads and the sockets that they serve.

    Args:
        name: the name of the threads.
        threads_max: the maximum number of threads.
    """

    def __init__(self, name: str, *, threads_max: int) -> None:
        self._name, self._threads_max = name, threads_max
        self._selector = selectors.DefaultSelector()
        self._watching = threading.Lock()
        self._registering = threading.Lock()
        """Held while sockets are registered and unregistered. Without it, a socket's number may
        belong to another socket by the time it is used."""
        self._lock = threading.Lock()
        self._ready: deque[tuple[socket.socket, Serve]] = deque()
        self._threads = self._idle = 0

    def add(self, sock: socket.socket, serve: Serve) -> None:
        """Serve a socket when it can be read, until `serve` returns 0.

        If that fails, the socket is shut, so that no one waits at its other end.
        """
        self._watch(sock, serve, READ)
        self._engage()

    def drop(self, sock: socket.socket) -> None:
        """Stop serving a socket; call this before closing it."""
        with self._registering:
            self._unregister(sock)

    def _unregister(self, sock: socket.socket) -> None:
        with suppress(ValueError, KeyError, OSError):
            self._selector.unregister(sock)

    def _engage(self) -> None:
        """Start a thread if none is idle.

        Raises:
            RuntimeError: there are no threads, and none can be started.
        """
        with self._lock:
            if self._idle or self._threads >= self._threads_max:
                return
            self._threads += 1
            self._idle += 1
        try:
            threading.Thread(target=self._run, name=self._name, daemon=True).start()
        except (RuntimeError, MemoryError):  # none for its stack: busy threads serve later
            with self._lock:
                self._threads -= 1
                self._idle -= 1
                if not self._threads:
                    raise

    def _watch(self, sock: socket.socket, serve: Serve, events: int) -> None:
        with self._registering, suppress(ValueError, OSError):  # it was closed meanwhile
            try:
                self._selector.register(sock, events, serve)
            except KeyError:  # a socket with the same number was closed without `drop`
                self._unregister(sock)
                self._selector.register(sock, events, serve)

    def _run(self) -> None:
        while True:
            # A call of its own: while it waits, nothing of the last socket is held.
            try:
                self._serve_next()
            except Exception:  # as without memory; without this thread no one might watch
                logger.exception("a socket could not be awaited")

    def _serve_next(self) -> None:
        with self._watching:
            sock, serve = self._next()
        with self._lock:
            self._idle -= 1
        try:
            self._engage()
            events = serve()
            if events:
                self._watch(sock, serve, events)
        except Exception:  # the outermost loop of a thread that serves others, too
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            logger.exception("a socket could not be served")
        finally:
            with self._lock:
                self._idle += 1

    def _next(self) -> tuple[socket.socket, Serve]:
        while not self._ready:
            for key, _ in self._selector.select():
                sock = cast(socket.socket, key.fileobj)
                # In this order: without memory for the queue, it stays watched.
                self._ready.append((sock, key.data))
                with self._registering:
                    self._unregister(sock)
        return self._ready.popleft()

"""Connections for threads: takes the steps of the client over blocking sockets."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
import time
import weakref
from collections import deque
from typing import Final

from stategate.errors import DatabaseError
from stategate.failures import (
    closed,
    disconnected,
    no_free_connection,
    not_connected,
    out_of_time,
)
from stategate.http_messages import Requests, Response, address_of
from stategate.steps import Close, Pause, Read, Reply, Send, Step

CONNECT_TIMEOUT_S: Final = 10.0
"""How long to wait for a connection: longer than a lost packet delays it."""
READ_BYTES: Final = 64 << 10
_LEAST_S: Final = 0.001
"""The shortest timeout; a socket with none at all would not wait."""


class HttpTransport:
    """Takes the steps of the client in any thread.

    Args:
        connections_max: connections in use at a time, and as many that are not.
        tls: how gateways are verified; None trusts the system's authorities.
    """

    def __init__(self, *, connections_max: int, tls: ssl.SSLContext | None) -> None:
        self._requests, self._tls = Requests(), tls
        self._room = threading.BoundedSemaphore(connections_max)
        # The oldest ones are dropped; a deque is changed by one thread at a time.
        self._idle: deque[tuple[str, socket.socket]] = deque()
        self._idle_max = connections_max
        self._busy: weakref.WeakSet[_Body] = weakref.WeakSet()
        self._is_closed = False
        self.lock = threading.RLock()
        """Held for moments; a body that is collected may need it in the thread that holds it."""

    def take(self, step: Step) -> object:
        """Take a step and return its result."""
        match step:
            case Send():
                return self._send(step)
            case Read():
                return step.reply.body.read()
            case Close():
                step.reply.body.give_up()
            case Pause():
                time.sleep(step.seconds)
        return None

    def close(self) -> None:
        """Close all connections."""
        with self.lock:
            self._is_closed = True
            busy = list(self._busy)
        for body in busy:
            body.give_up()
        with contextlib.suppress(IndexError):
            while True:
                self._idle.pop()[1].close()

    def _send(self, step: Send) -> Reply:
        deadline_s = time.monotonic() + step.timeout_s
        if not self._room.acquire(timeout=step.timeout_s):
            raise no_free_connection()
        body = _Body(self, step)
        try:
            with self.lock:
                if self._is_closed:
                    raise closed()
                self._busy.add(body)
            request = self._requests.of(step)
            while (kept := self._kept(step.url)) is not None:
                body.connection = kept
                # The gateway may have closed it while it was idle: then it has not read this.
                with contextlib.suppress(DatabaseError):
                    body.begin(request, deadline_s)
                    break
                body.drop()
                if time.monotonic() >= deadline_s:
                    raise out_of_time()
            else:
                body.connection = self._connected(step, deadline_s)
                body.begin(request, deadline_s)
        except BaseException:
            body.give_up()
            raise
        response = body.response
        return Reply(step.url, response.status, response.header(b"retry-after"), body)

    def _kept(self, url: str) -> socket.socket | None:
        """Return the connection to a gateway that was used last; None without one."""
        for _ in range(len(self._idle)):
            try:
                found, connection = self._idle.pop()
            except IndexError:
                break
            if found == url:
                return connection
            self._idle.appendleft((found, connection))
        return None

    def _connected(self, step: Send, deadline_s: float) -> socket.socket:
        host, port, secured = address_of(step.url)
        left_s = max(_LEAST_S, deadline_s - time.monotonic())
        try:
            made = socket.create_connection((host, port), min(CONNECT_TIMEOUT_S, left_s))
            try:
                made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                return self._context().wrap_socket(made, server_hostname=host) if secured else made
            except BaseException:
                made.close()
                raise
        except (OSError, UnicodeError) as error:
            raise not_connected(step.url, error) from error

    def _context(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = ssl.create_default_context()
        return self._tls

    def ended(self, url: str, connection: socket.socket | None) -> None:
        """Note that a response has ended.

        Args:
            url: the URL of its gateway.
            connection: takes another request; None without one.
        """
        if connection is not None:
            self._idle.append((url, connection))
            if len(self._idle) > self._idle_max or self._is_closed:
                with contextlib.suppress(IndexError):
                    self._idle.popleft()[1].close()
        self._room.release()


class _Body:
    """The body of a response, and the connection that it comes by."""

    def __init__(self, transport: HttpTransport, step: Send) -> None:
        self._transport = transport
        self._timeout_s = step.part_timeout_s
        self._is_ended = False
        self.url = step.url
        self.connection: socket.socket | None = None
        self.response = Response()

    def begin(self, request: bytes, deadline_s: float) -> None:
        """Send the request and read the head of its response."""
        connection = self.connection
        assert connection is not None, "it has just been made"
        try:
            connection.settimeout(max(_LEAST_S, deadline_s - time.monotonic()))
            connection.sendall(request)
        except OSError as error:
            raise disconnected(error) from error
        while not self.response.is_headed:
            self._receive(deadline_s - time.monotonic())
        if self.response.is_whole:
            self._end()

    def read(self) -> bytes:
        """Return the next part of the body; empty at its end."""
        while True:
            if part := self.response.taken():
                return part
            if self._is_ended:
                return b""
            self._receive(self._timeout_s)
            if self.response.is_whole:
                self._end()

    def _receive(self, timeout_s: float) -> None:
        connection = self.connection
        assert connection is not None, "the response is not whole"
        try:
            connection.settimeout(max(_LEAST_S, timeout_s))
            self.response.feed(connection.recv(READ_BYTES))
        except TimeoutError as error:
            raise out_of_time() from error
        except OSError as error:
            raise disconnected(error) from error

    def drop(self) -> None:
        """Close the connection, and be ready for another one."""
        if self.connection is not None:
            self.connection.close()
        self.connection, self.response = None, Response()

    def _end(self) -> None:
        if self._ends():
            connection, self.connection = self.connection, None
            if connection is not None and not self.response.keeps_alive:
                connection.close()
                connection = None
            self._transport.ended(self.url, connection)

    def give_up(self) -> None:
        """Close the connection, unless the response has ended; any thread may do so."""
        if self._ends():
            if self.connection is not None:
                with contextlib.suppress(OSError):  # wakes the thread that reads
                    self.connection.shutdown(socket.SHUT_RDWR)
                self.connection.close()
            self._transport.ended(self.url, None)

    def _ends(self) -> bool:
        with self._transport.lock:
            was_ended, self._is_ended = self._is_ended, True
        return not was_ended

    def __del__(self) -> None:
        """Close the connection of a response that no one reads to its end."""
        self.give_up()

"""The link between the supervisor and a worker, a pair of sockets.

The supervisor accepts connections and passes them down the link, so that it can give each to the
worker with the fewest. With SO_REUSEPORT the kernel would draw a worker for each connection: in one
case of eight, four clients of two workers would all have the same worker. The supervisor sends
`Order`s of one byte, which may come with a socket. The worker sends `Note`s of one byte.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from enum import Enum

logger = logging.getLogger(__name__)

_READ_BYTES = 4096


class Order(Enum):
    """An order of the supervisor to a worker."""

    SERVE_HTTP = b"H"
    """Serve the HTTP connection that comes with the order."""
    SERVE_POSTGRES = b"P"
    """Serve the connection of the Postgres wire that comes with the order."""
    RELOAD = b"R"
    """Read users and certificates again."""
    STOP = b"S"
    """Let statements end within the grace period, then end."""
    STOP_NOW = b"N"
    """End without a grace period."""


class Note(Enum):
    """A message of a worker to the supervisor."""

    READY = b"r"
    """All replicas of the worker answer."""
    CLOSED_HTTP = b"h"
    """An HTTP connection has ended."""
    CLOSED_POSTGRES = b"p"
    """A connection of the Postgres wire has ended."""


_LOST = {Order.SERVE_HTTP: Note.CLOSED_HTTP, Order.SERVE_POSTGRES: Note.CLOSED_POSTGRES}
"""What ends a connection whose socket did not arrive: the worker may open no more files."""


class SupervisorEnd:
    """The supervisor's end of a link.

    Args:
        link: a connected socket.
        on_note: called with each note.
    """

    def __init__(self, link: socket.socket, on_note: Callable[[Note], None]) -> None:
        link.setblocking(False)
        self._link, self._on_note = link, on_note
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(link, self._read)

    def send(self, order: Order, connection: socket.socket | None = None) -> bool:
        """Send an order; return whether the worker could take it.

        A worker that has ended cannot, nor one that hangs with some hundred unread orders.
        """
        descriptors = [] if connection is None else [connection.fileno()]
        try:
            socket.send_fds(self._link, [order.value], descriptors)
        except OSError:
            return False
        return True

    def close(self) -> None:
        """Close the link; a worker that still runs stops."""
        self._loop.remove_reader(self._link)
        self._link.close()

    def _read(self) -> None:
        try:
            notes = self._link.recv(_READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            notes = b""
        if not notes:
            # The worker has ended, which its process reports as well.
            self._loop.remove_reader(self._link)
        for note in notes:
            self._on_note(Note(bytes((note,))))


class WorkerEnd:
    """A worker's end of a link.

    Args:
        link: a connected socket.
    """

    def __init__(self, link: socket.socket) -> None:
        link.setblocking(False)
        self._link = link
        self._unsent = bytearray()
        self._loop: asyncio.AbstractEventLoop | None = None

    def listen(
        self,
        *,
        serve: Mapping[Order, Callable[[socket.socket], None]],
        obey: Mapping[Order, Callable[[], None]],
    ) -> None:
        """Follow orders from now on, in the running loop; the end of the supervisor counts as STOP.

        Args:
            serve: for each order that comes with a connection, the function that takes it.
            obey: for each other order, the function to call.
        """
        loop = self._loop = asyncio.get_running_loop()

        def read() -> None:
            try:
                while True:
                    # A read of several bytes would not tell which order came with the socket.
                    order, descriptors, _, _ = socket.recv_fds(self._link, 1, 1)
                    if not order:
                        break
                    if descriptors:
                        connection = socket.socket(fileno=descriptors[0])
                        connection.setblocking(False)
                        serve[Order(order)](connection)
                    elif (lost := _LOST.get(Order(order))) is not None:
                        logger.warning("connection lost, too many open files")
                        self.note(lost)
                    else:
                        obey[Order(order)]()
            except BlockingIOError:
                return
            except OSError:
                pass
            loop.remove_reader(self._link)
            obey[Order.STOP]()

        loop.add_reader(self._link, read)

    def note(self, note: Note) -> None:
        """Send a note to the supervisor, now or as soon as it reads."""
        self._unsent += note.value
        self._send()

    def _send(self) -> None:
        assert self._loop is not None, "it listens"
        self._loop.remove_writer(self._link)
        try:
            del self._unsent[: self._link.send(self._unsent)]
        except BlockingIOError:
            pass
        except OSError:
            # The supervisor has ended, so no one counts connections.
            self._unsent.clear()
        if self._unsent:
            self._loop.add_writer(self._link, self._send)

    def close(self) -> None:
        """Close the link."""
        if self._loop is not None:
            self._loop.remove_reader(self._link)
            self._loop.remove_writer(self._link)
        with suppress(OSError):
            self._link.close()

"""Serves connections that another process has accepted."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable
from functools import partial
from typing import Any

logger = logging.getLogger(__name__)

_adopting: set[asyncio.Task[Any]] = set()
"""The tasks of connections that are being set up; the loop itself holds them only weakly."""


def adopt(
    connection: socket.socket,
    make_protocol: Callable[[], asyncio.BaseProtocol],
    *,
    on_failed: Callable[[], None],
    **tls: Any,
) -> None:
    """Serve an accepted connection in the running loop.

    Args:
        connection: the socket, which the transport of the loop owns from now on.
        make_protocol: makes the protocol that serves it.
        on_failed: called if the connection cannot be set up, for instance because its TLS
            handshake fails. Otherwise the protocol is told when the connection is closed.
        tls: as for `loop.connect_accepted_socket`.
    """
    loop = asyncio.get_running_loop()
    task = loop.create_task(loop.connect_accepted_socket(make_protocol, connection, **tls))
    _adopting.add(task)
    task.add_done_callback(partial(_set_up, connection, on_failed))


def _set_up(
    connection: socket.socket, on_failed: Callable[[], None], task: asyncio.Task[Any]
) -> None:
    _adopting.discard(task)
    error = asyncio.CancelledError() if task.cancelled() else task.exception()
    if error is not None:
        logger.debug("connection not set up, error=%s", error)
        connection.close()
        on_failed()

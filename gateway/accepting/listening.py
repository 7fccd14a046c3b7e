"""Listening sockets: bound to an address of the settings, or refused with one sentence."""

from __future__ import annotations

import os
import socket
import sys

from stategate.gateway.addresses import Address, host_port, parse_address
from stategate.gateway.errors import ServeError
from stategate.gateway.settings import Settings

BACKLOG = 512
"""Connections that the kernel queues before they are accepted. A burst of all clients fits."""


def listen(name: str, text: str, settings: Settings) -> socket.socket:
    """Return a listening socket that does not block.

    Args:
        name: the setting that has the address.
        text: its value.
        settings: the settings of the gateway, with the limits of connections.

    Raises:
        ServeError: the address is in use or not of this machine.
        SettingsError: the address does not parse.
    """
    address = parse_address(name, text)
    try:
        found = socket.getaddrinfo(
            address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        family, _, _, _, where = found[0]
        listener = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise cannot_listen(name, address, error) from error
    try:
        if sys.platform != "win32":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            # Accepted connections inherit it. Without it, closing the connection of a client that
            # vanished would wait forever for its unread data.
            listener.setsockopt(
                socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, settings.stall_timeout_ms
            )
        listener.bind(where)
        listener.listen(BACKLOG)
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        raise cannot_listen(name, address, error) from error
    return listener


def cannot_listen(name: str, address: Address, error: OSError) -> ServeError:
    """Return the error for an address that is in use or not of this machine."""
    reason = error.strerror or str(error)
    if error.errno is not None and not isinstance(error, socket.gaierror):
        reason = os.strerror(error.errno)  # some event loops repeat the address in their message
    return ServeError(
        f"cannot listen on {host_port(address.host, address.port)}: {reason.lower()}",
        hint=f"Choose another address with --{name}.",
    )


def shown_address(listener: socket.socket) -> str:
    """Return the address of a listening socket, HOST:PORT."""
    host, port = listener.getsockname()[:2]
    return host_port(host, port)

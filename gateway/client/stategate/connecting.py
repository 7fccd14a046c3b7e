"""Makes connections."""

from __future__ import annotations

import ssl
from collections.abc import Sequence
from typing import TypedDict, Unpack

from stategate.async_transport import AsyncHttpTransport
from stategate.connections import AsyncConnection, Connection
from stategate.credentials import authorization, checked_urls
from stategate.errors import InterfaceError
from stategate.position import EMPTY, Position
from stategate.requesting import (
    TIMEOUT_S,
    WAIT_S,
    Defaults,
    check_names,
    seconds,
)
from stategate.session import Session
from stategate.transport import HttpTransport

CONNECTIONS_MAX = 10
"""Connections of a pool: enough for the threads of a program that waits for a gateway."""


class ConnectOptions(TypedDict, total=False):
    """How a connection reads, and how it is authenticated."""

    user: str
    password: str
    token: str
    """A bearer token, in place of user and password. Without any of these, they come from
    STATEGATE_TOKEN, or from STATEGATE_USER and STATEGATE_PASSWORD."""
    tls: ssl.SSLContext
    """How gateways are verified; by default against the system's authorities and SSL_CERT_FILE."""
    timeout_s: float
    """How long to wait for the first rows of a statement, with all attempts; and then for each
    further part. 30 by default."""
    wait_s: float
    """How long a gateway waits for a bound before it refuses. 5 by default."""
    attempts_max: int | None
    """How often a request is sent at most; 1 never tries again. None, the default, sends it again
    until `timeout_s` is over."""
    monotonic: bool
    """Whether no statement reads less than an earlier one. True by default."""
    position: Position
    """What was read already, by another program or another run."""
    connections_max: int
    """Connections at a time, and so also the most results that are open. 10 by default."""


def connect(url: str | Sequence[str], **options: Unpack[ConnectOptions]) -> Connection:
    """Return a connection for threads; it connects when it is first used.

    Args:
        url: `http://host:port` or `https://…`; or several gateways of one log, which are asked in
            turn when one does not answer.
        options: see `ConnectOptions`.

    Raises:
        InterfaceError: an argument is wrong, or credentials would be sent in clear.
    """
    session = _session(url, options)
    transport = HttpTransport(connections_max=_connections_max(options), tls=options.get("tls"))
    return Connection(session, transport)


def connect_async(url: str | Sequence[str], **options: Unpack[ConnectOptions]) -> AsyncConnection:
    """Return a connection for an event loop; see `connect`."""
    session = _session(url, options)
    transport = AsyncHttpTransport(
        connections_max=_connections_max(options), tls=options.get("tls")
    )
    return AsyncConnection(session, transport)


def _session(url: str | Sequence[str], options: ConnectOptions) -> Session:
    check_names(options, ConnectOptions)
    urls = checked_urls(url)
    found = authorization(
        urls,
        user=options.get("user"),
        password=options.get("password"),
        token=options.get("token"),
    )
    attempts_max = options.get("attempts_max")
    defaults = Defaults(
        urls=urls,
        headers=() if found is None else (("Authorization", found),),
        timeout_s=seconds(options.get("timeout_s", TIMEOUT_S), "timeout_s"),
        wait_s=seconds(options.get("wait_s", WAIT_S), "wait_s"),
        attempts_max=None if attempts_max is None else _whole(attempts_max, "attempts_max"),
        monotonic=options.get("monotonic", True),
    )
    return Session(defaults, position=options.get("position", EMPTY))


def _connections_max(options: ConnectOptions) -> int:
    return _whole(options.get("connections_max", CONNECTIONS_MAX), "connections_max")


def _whole(value: int, name: str) -> int:
    if type(value) is not int or value < 1:
        raise InterfaceError(f"{name} is a number from 1 on, not {value!r}")
    return value

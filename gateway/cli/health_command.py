"""`stategate health`: asks the gateway of this machine whether it answers, for containers."""

from __future__ import annotations

import ipaddress
import re
import socket
import ssl
import sys
import time
from pathlib import Path
from typing import Annotated, Final

import typer

from stategate.gateway.addresses import Address, parse_address
from stategate.gateway.errors import UnreachableError
from stategate.gateway.settings import Settings
from stategate.gateway.settings_sources import load_settings

_TIMEOUT_S: Final = 4.0
"""How long all of it may take: the images give 5 s."""
_ANSWER_BYTES_MAX: Final = 64 << 10
_STATUS: Final = re.compile(rb"HTTP/1\.[01] (\d{3}) ")


def health(
    *,
    ready: Annotated[
        bool, typer.Option("--ready", help="Ask also whether all replicas answer.")
    ] = False,
    config: Annotated[
        Path | None,
        typer.Option(help="TOML file of settings; STATEGATE_CONFIG names one too."),
    ] = None,
) -> None:
    """Ask the gateway on this machine whether it answers; exit with 1 if not.

    The address is that of `serve` with the same environment and file, with TLS or without.
    """
    settings = load_settings(config=str(config) if config else None)
    path = "/readyz" if ready else "/healthz"
    try:
        status = ask(settings, path)
    except (OSError, UnreachableError) as error:
        print(f"no answer: {error}", file=sys.stderr)
        raise typer.Exit(1) from None
    if status != 200:
        print(f"{path} says {status}", file=sys.stderr)
        raise typer.Exit(1)


def ask(settings: Settings, path: str) -> int:
    """Return the status of a path of the gateway with these settings.

    Raises:
        OSError: nothing listens there, or it does not answer.
        UnreachableError: whatever answers is no gateway.
    """
    until_s = time.monotonic() + _TIMEOUT_S
    address = _near(parse_address("http", settings.http))
    has_tls = bool(settings.tls_certificate)
    # The certificate may be named on the command line of `serve`, which is not known here.
    for secured in (has_tls, not has_tls) if _is_loopback(address.host) else (has_tls,):
        answer = _exchange(settings, address, path, secured=secured, until_s=until_s)
        if (found := _STATUS.match(answer)) is not None:
            return int(found[1])
    raise UnreachableError("it does not speak HTTP")


def _near(address: Address) -> Address:
    """Return where this machine reaches an address that it listens on."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(address.host, address.host)
    return Address(host, address.port)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _exchange(
    settings: Settings, address: Address, path: str, *, secured: bool, until_s: float
) -> bytes:
    """Return the beginning of the answer to a request; empty if nothing answers."""
    request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
    with socket.create_connection(address, timeout=_left_s(until_s)) as plain:
        if (header := _header(settings, plain)) is not None:
            plain.sendall(header)
        try:
            with _secured(settings, address, plain) if secured else plain as connection:
                connection.settimeout(_left_s(until_s))
                connection.sendall(request)
                return _received(connection, until_s)
        except (ssl.SSLError, ConnectionError):
            return b""


def _left_s(until_s: float) -> float:
    return max(0.001, until_s - time.monotonic())


def _secured(settings: Settings, address: Address, plain: socket.socket) -> ssl.SSLSocket:
    """Return the connection in TLS.

    On loopback the certificate proves nothing, and it is made for other names. Elsewhere it has to
    be ours.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    if _is_loopback(address.host):
        context.verify_mode = ssl.CERT_NONE
    else:
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
        context.load_verify_locations(settings.tls_certificate)
    return context.wrap_socket(plain)


def _header(settings: Settings, connection: socket.socket) -> bytes | None:
    """Return the header of the PROXY protocol, if the gateway wants one from this machine."""
    if settings.proxy_protocol in {"off", "pg"}:
        return None
    from stategate.gateway.access.peers import Proxies  # noqa: PLC0415 - few need them
    from stategate.gateway.access.proxy_header import LOCAL_HEADER  # noqa: PLC0415

    source = connection.getsockname()[0]
    return LOCAL_HEADER if Proxies(settings.proxies.split(",")).trusts(source) else None


def _received(connection: socket.socket, until_s: float) -> bytes:
    received = b""
    while b"\r\n" not in received and len(received) < _ANSWER_BYTES_MAX:
        connection.settimeout(_left_s(until_s))
        piece = connection.recv(_ANSWER_BYTES_MAX)
        if not piece:
            break
        received += piece
    return received

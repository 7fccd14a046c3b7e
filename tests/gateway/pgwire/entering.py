"""Clients that log in, by libpq and by hand, with and without TLS."""

from __future__ import annotations

import ssl
import subprocess

import psycopg

from tests.gateway.credentials import (
    PASSWORD,
    USER,
)
from tests.gateway.pgwire import wire
from tests.gateway.pgwire.serving import HOST, Serving


def told(error: tuple[str, bytes]) -> dict[str, str]:
    """Return the fields of an ErrorResponse."""
    kind, body = error
    assert kind == "E"
    return wire.error_fields(body)


def options(gateway: Serving, **more: str) -> dict[str, str]:
    """Return libpq's parameters to log in as USER."""
    return {
        "host": "localhost",
        "hostaddr": HOST,
        "port": str(gateway.port),
        "user": USER,
        "dbname": "db",
        "password": PASSWORD,
        **more,
    }


def connect(gateway: Serving, **more: str) -> psycopg.Connection[tuple[object, ...]]:
    return psycopg.connect(psycopg.conninfo.make_conninfo(**options(gateway, **more)))


BOUND = "p=tls-server-end-point,,"
"""The GS2 header of a client that binds to the certificate."""


class TlsClient(wire.RawClient):
    """A raw client inside TLS.

    Args:
        port: the server's port.
        alpn: the protocol that it offers; if given, TLS begins without an SSLRequest.
    """

    def __init__(self, port: int, *, alpn: str | None = None, direct: bool = False) -> None:
        super().__init__(HOST, port)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        if alpn is not None:
            context.set_alpn_protocols([alpn])
        if not direct:
            self.send(wire.SSL_REQUEST)
            assert self.read_exactly(1) == b"S"
        self.tls = context.wrap_socket(self.socket)
        self.socket = self.tls

    def __enter__(self) -> TlsClient:
        return self


def binding_of(client: TlsClient) -> bytes:
    """Return a certificate's channel binding, computed by openssl and not by our own code."""
    certificate = client.tls.getpeercert(binary_form=True)
    assert certificate is not None
    return bytes.fromhex(
        subprocess.run(
            ["openssl", "dgst", "-sha256", "-r"],
            input=certificate,
            capture_output=True,
            check=True,
            timeout=20,
        ).stdout.decode()[:64]
    )

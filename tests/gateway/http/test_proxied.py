"""HTTP clients behind proxies that speak the PROXY protocol, with TLS and without."""

from __future__ import annotations

import socket
import ssl
from pathlib import Path

import pytest

from stategate.gateway.access.rules import Access
from stategate.gateway.access.tls import Tls
from stategate.gateway.http.endpoint import Services
from stategate.gateway.settings import Settings
from tests.gateway.client.serving import http_serving
from tests.gateway.credentials import PASSWORD, USER, access_of, make_users
from tests.gateway.http.test_authentication import basic
from tests.support.certificates import make_authority, make_server
from tests.support.proxy_headers import LOCAL, line, told
from tests.support.waiting import WAIT_S

OURS = Settings(proxies="127.0.0.1", proxy_protocol="http")
CLIENT = "203.0.113.7"


def ask(
    url: str,
    header: bytes,
    *,
    context: ssl.SSLContext | None = None,
    source: str = "127.0.0.1",
    **headers: str,
) -> bytes:
    """Return the answer to a request after a header; empty if the connection is closed."""
    lines = ["GET /v1/query?sql=SELECT+1 HTTP/1.1", "Host: localhost", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    host, port = url.rpartition("//")[2].split(":")
    with socket.create_connection((host, int(port)), WAIT_S, (source, 0)) as plain:
        plain.sendall(header)
        connection = plain if context is None else context.wrap_socket(plain)
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        answer = b""
        try:
            while piece := connection.recv(65_536):
                answer += piece
        except ConnectionResetError:
            pass
        connection.close()
    return answer


@pytest.mark.parametrize("header", [line(CLIENT), told(CLIENT), line("127.0.0.1"), told("::1")])
def test_a_client_behind_a_proxy_is_not_on_this_machine(services: Services, header: bytes) -> None:
    with http_serving(services, access=Access(), settings=OURS) as url:
        assert b" 403 " in ask(url, header)
        assert b"loopback only" in ask(url, header)
        assert b" 200 " in ask(url, LOCAL)
        assert b" 200 " in ask(url, b"", source="127.0.0.2")
        assert ask(url, b"") == b""
        assert b" 400 " in ask(url, header, source="127.0.0.2")


def test_failed_logins_count_for_the_client(services: Services, tmp_path: Path) -> None:
    signed = make_server(tmp_path, authority=make_authority(tmp_path))
    tls = Tls(certificate=signed.certificate, key=signed.key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with (
        access_of(make_users(tmp_path), failures_max=2) as access,
        http_serving(services, access=access, tls=tls, settings=OURS) as url,
    ):
        found = [
            ask(url, header, context=context, **basic(USER, "wrong"))
            for header in (line(CLIENT), told(CLIENT), line(CLIENT))
        ]
        assert [b" 401 " in each for each in found] == [True, True, False]
        assert b" 429 " in found[-1]
        assert b" 200 " in ask(url, line("203.0.113.8"), context=context, **basic(USER, PASSWORD))
        assert b" 200 " in ask(
            url, b"", context=context, source="127.0.0.2", **basic(USER, PASSWORD)
        )


def test_a_client_that_a_proxy_names_is_no_proxy(services: Services) -> None:
    """It may send X-Forwarded-For, but that is not trusted."""
    with http_serving(services, access=Access(), settings=OURS) as url:
        assert b" 403 " in ask(url, line(CLIENT), X_Forwarded_For="127.0.0.1")


def test_web_sockets_have_the_named_address(services: Services) -> None:
    key = "dGhlIHNhbXBsZSBub25jZQ=="
    with http_serving(services, access=Access(), settings=OURS) as url:
        host, port = url.rpartition("//")[2].split(":")
        for header, status in ((line(CLIENT), b" 403 "), (LOCAL, b" 101 ")):
            with socket.create_connection((host, int(port)), WAIT_S) as connection:
                connection.sendall(
                    header
                    + f"GET /v1/subscribe?sql=SELECT+1 HTTP/1.1\r\nHost: localhost\r\n"
                    f"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: {key}\r\n"
                    "Sec-WebSocket-Version: 13\r\n\r\n".encode()
                )
                assert status in connection.recv(65_536)

"""Clients of the wire behind proxies that speak the PROXY protocol."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from stategate.gateway.access.peers import Proxies
from stategate.gateway.access.rules import Access, AccessRules
from stategate.gateway.access.tls import Tls
from stategate.gateway.pgwire import PgLimits
from tests.gateway.credentials import PASSWORD, USER, access_of
from tests.gateway.pgwire import wire
from tests.gateway.pgwire.entering import told as fields_of
from tests.gateway.pgwire.scram_client import ScramClient, log_in, read_request
from tests.gateway.pgwire.serving import Serving, serving
from tests.support.certificates import Signed
from tests.support.proxy_headers import LOCAL, line, told

PROXY, OTHER = "127.0.0.1", "127.0.0.2"
CLIENT = "203.0.113.7"
OURS = Proxies([PROXY])
LIMITS = PgLimits(unauthenticated_of_address_max=3, startup_timeout_s=0.3, sweep_s=0.02)


@pytest.fixture(scope="module")
def anyone() -> Iterator[Serving]:
    """Serve without passwords, also to clients on other machines."""
    access = Access(rules=AccessRules(anonymous=True))
    with serving(access=access, proxies=OURS) as running:
        yield running
    access.close()


def listed(gateway: Serving) -> list[tuple[str | None, int | None]]:
    return [(each.address, each.port) for each in gateway.server.own_sessions()]


@pytest.mark.parametrize("header", [line(CLIENT, 4711), told(CLIENT, 4711)], ids=["1", "2"])
@pytest.mark.parametrize("at_once", [True, False])
def test_sessions_have_the_address_that_the_proxy_names(
    anyone: Serving, header: bytes, *, at_once: bool
) -> None:
    with anyone.connect() as client:
        if at_once:
            client.send(header + wire.startup(user=USER))
            assert client.read_until("Z", "E")[-1][0] == "Z"
        else:
            client.send(header)
            assert client.login()[-1][0] == "Z"
        assert client.ask("SELECT 1")[-1] == ("Z", b"I")
        assert listed(anyone) == [(CLIENT, 4711)]
    assert anyone.eventually(lambda: not listed(anyone))


def test_a_header_may_be_cut_anywhere(anyone: Serving) -> None:
    for header in (line(CLIENT), told(CLIENT)):
        with anyone.connect() as client:
            client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for byte in header + wire.startup(user=USER):
                client.send(bytes((byte,)))
            assert client.read_until("Z", "E")[-1][0] == "Z"


def test_a_check_of_the_proxy_itself_counts_as_the_proxy(anyone: Serving) -> None:
    with anyone.connect() as client:
        client.send(LOCAL)
        assert client.login()[-1][0] == "Z"
        assert listed(anyone)[0][0] == PROXY


@pytest.mark.parametrize(
    "first", [wire.startup(user=USER), b"PROXY TCP9\r\n", b"garbage", b"\r\n\r\n?"]
)
def test_a_listed_proxy_must_send_a_header(anyone: Serving, first: bytes) -> None:
    with anyone.connect() as client:
        client.send(first)
        assert client.at_end()


def test_only_the_first_header_counts(anyone: Serving) -> None:
    with anyone.connect() as client:
        client.send(line(CLIENT) + line("192.0.2.1") + wire.startup(user=USER))
        assert fields_of(client.read())["C"] == "08P01"


@pytest.mark.parametrize("header", [line(PROXY), told(CLIENT), LOCAL])
def test_a_header_from_elsewhere_is_a_protocol_error(anyone: Serving, header: bytes) -> None:
    with anyone.connect(source=OTHER) as client:
        client.send(header + wire.startup(user=USER))
        assert fields_of(client.read())["C"] == "08P01"
    with anyone.connect(source=OTHER) as client:
        assert client.login()[-1][0] == "Z"


def test_without_the_setting_a_header_is_a_protocol_error() -> None:
    with serving() as gateway, gateway.connect() as client:
        client.send(line(CLIENT) + wire.startup(user=USER))
        assert fields_of(client.read())["C"] == "08P01"


@pytest.mark.parametrize(
    "header", [line(CLIENT), line("127.0.0.1"), told("::1"), b"PROXY UNKNOWN\r\n"]
)
def test_no_client_behind_a_proxy_is_on_this_machine(header: bytes) -> None:
    with serving(proxies=OURS) as gateway:
        with gateway.connect() as client:
            client.send(header + wire.startup(user=USER))
            assert "loopback only" in fields_of(client.read())["M"]
        with gateway.connect(source=OTHER) as client:
            assert client.login()[-1][0] == "Z"


def test_tls_begins_after_the_header(users: Path, signed: Signed) -> None:
    tls = Tls(certificate=signed.certificate, key=signed.key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["postgresql"])
    with (
        access_of(users, tls_required=True) as access,
        serving(access=access, tls=tls, proxies=OURS) as gateway,
    ):
        for direct in (True, False):
            with gateway.connect() as client:
                client.send(told(CLIENT))
                if not direct:
                    client.send(wire.SSL_REQUEST)
                    assert client.read_exactly(1) == b"S"
                client.socket = context.wrap_socket(client.socket)
                assert log_in(client, ScramClient(PASSWORD), user=USER)[-1] == ("Z", b"I")
                assert listed(gateway)[0][0] == CLIENT
            assert gateway.eventually(lambda: not listed(gateway))
        with gateway.connect() as client:
            client.send(told(CLIENT) + wire.startup(user=USER))
            assert "without encryption" in fields_of(client.read())["M"]


def test_direct_tls_may_come_in_one_piece_with_the_header(users: Path, signed: Signed) -> None:
    tls = Tls(certificate=signed.certificate, key=signed.key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["postgresql"])
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    inside = context.wrap_bio(incoming, outgoing)
    with pytest.raises(ssl.SSLWantReadError):
        inside.do_handshake()
    with (
        access_of(users) as access,
        serving(access=access, tls=tls, proxies=OURS) as gateway,
        gateway.connect() as client,
    ):
        client.send(told(CLIENT) + outgoing.read())
        while not is_shaken(inside):
            incoming.write(client.socket.recv(65_536))
        assert inside.selected_alpn_protocol() == "postgresql"


def is_shaken(inside: ssl.SSLObject) -> bool:
    try:
        inside.do_handshake()
    except ssl.SSLWantReadError:
        return False
    return True


def test_failed_logins_count_for_the_client_and_not_for_the_proxy(users: Path) -> None:
    def begun(address: str) -> wire.RawClient:
        client = gateway.connect()
        client.send(line(address))
        return client

    with (
        access_of(users, failures_max=2) as access,
        serving(access=access, proxies=OURS) as gateway,
    ):
        for _ in range(2):
            with begun(CLIENT) as client:
                error = log_in(client, ScramClient("wrong"), user=USER)[-1]
                assert fields_of(error)["C"] == "28P01"
        with begun(CLIENT) as client:
            client.send(wire.startup(user=USER))
            assert fields_of(client.read())["C"] == "28000"
        with begun("203.0.113.8") as client:
            assert log_in(client, ScramClient(PASSWORD), user=USER)[-1][0] == "Z"


def test_connections_count_for_the_client_and_not_for_the_proxy(users: Path) -> None:
    limits = PgLimits(unauthenticated_of_address_max=3)
    with (
        access_of(users) as access,
        serving(access=access, limits=limits, proxies=OURS) as gateway,
        ExitStack() as closing,
    ):
        for number in range(12):
            client = closing.enter_context(gateway.connect())
            client.send(line(f"203.0.113.{number // 3}") + wire.startup(user=USER))
            read_request(client, 10)
        more = closing.enter_context(gateway.connect())
        more.send(line("203.0.113.1") + wire.startup(user=USER))
        assert more.at_end()


def test_a_header_has_to_come_in_time() -> None:
    with (
        serving(limits=LIMITS, proxies=OURS) as gateway,
        gateway.connect() as silent,
        gateway.connect() as slow,
    ):
        slow.send(b"PROXY ")
        assert silent.at_end()
        assert slow.at_end()


def test_connections_without_a_header_end_with_the_server() -> None:
    with serving(proxies=OURS) as gateway:
        client = gateway.connect()
        assert gateway.eventually(lambda: len(gateway.server._proxied or ()) == 1)
    with client:
        assert client.at_end()


def test_a_given_connection_that_ends_before_its_header_is_reported() -> None:
    closed: list[str] = []
    with serving(proxies=OURS) as gateway, socket.create_server((PROXY, 0)) as listener:

        async def adopt(connection: socket.socket) -> None:
            gateway.server.adopt(connection, lambda: closed.append("closed"))

        for first in (b"", b"garbage", line(CLIENT)):
            with socket.create_connection(listener.getsockname()) as client:
                given, _ = listener.accept()
                given.setblocking(False)
                gateway.run(adopt(given))
                client.sendall(first)
            assert gateway.eventually(lambda: closed == ["closed"])
            closed.clear()

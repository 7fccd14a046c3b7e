"""TLS of the wire: requests for it, handshakes that fail or hang, new certificates."""

from __future__ import annotations

import ssl
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stategate.gateway.access.tls import Tls
from stategate.gateway.pgwire import PgLimits
from tests.gateway.credentials import (
    PASSWORD,
    USER,
    access_of,
)
from tests.gateway.pgwire import wire
from tests.gateway.pgwire.entering import BOUND, TlsClient, binding_of, told
from tests.gateway.pgwire.scram_client import (
    PLUS,
    ScramClient,
    log_in,
)
from tests.gateway.pgwire.serving import HOST, Serving, serving
from tests.support.certificates import Signed, make_authority, make_server, openssl
from tests.support.waiting import WAIT_S


def test_direct_tls_needs_our_name(guarded: Serving) -> None:
    with TlsClient(guarded.port, alpn="postgresql", direct=True) as client:
        assert client.tls.selected_alpn_protocol() == "postgresql"
        assert log_in(client, ScramClient(PASSWORD), user=USER)[-1] == ("Z", b"I")
    for name in (None, "http/1.1"):
        with TlsClient(guarded.port, alpn=name, direct=True) as client:
            client.send(wire.startup(user=USER))
            with pytest.raises((EOFError, OSError)):
                client.read()


def test_encryption_can_be_requested_only_once(guarded: Serving) -> None:
    with guarded.connect() as client:
        client.send(wire.GSSENC_REQUEST)
        assert client.read_exactly(1) == b"N"
        client.send(wire.GSSENC_REQUEST)
        assert told(client.read())["C"] == "08P01"
    for request in (wire.SSL_REQUEST, wire.GSSENC_REQUEST):
        with TlsClient(guarded.port) as client:
            client.send(request)
            assert told(client.read())["C"] == "08P01"


def test_clear_text_after_an_ssl_request_is_refused(guarded: Serving) -> None:
    with guarded.connect() as client:
        client.send(wire.SSL_REQUEST + wire.startup(user="mallory"))
        assert told(client.read())["C"] == "08P01"
        assert client.at_end()


@pytest.mark.parametrize("direct", [False, True])
def test_a_handshake_that_fails_ends_the_connection(guarded: Serving, direct: bool) -> None:
    before = len(guarded.server._clients)
    with guarded.connect() as client:
        if not direct:
            client.send(wire.SSL_REQUEST)
            assert client.read_exactly(1) == b"S"
        client.send(b"\x16this is no ClientHello, but it is long enough to be looked at")
        while not client.at_end():
            pass
    assert guarded.eventually(lambda: len(guarded.server._clients) == before)


@pytest.mark.parametrize("sent", [b"", b"\x16", b"\x16\x03\x01\x02\x00\x01"])
@pytest.mark.parametrize("direct", [False, True])
def test_a_client_that_leaves_during_the_handshake(
    guarded: Serving, sent: bytes, direct: bool
) -> None:
    before = len(guarded.server._clients)
    with guarded.connect() as client:
        if not direct:
            client.send(wire.SSL_REQUEST)
            assert client.read_exactly(1) == b"S"
        client.send(sent)
    assert guarded.eventually(lambda: len(guarded.server._clients) == before)


@pytest.mark.parametrize("direct", [False, True])
def test_a_stop_does_not_wait_for_handshakes(signed: Signed, direct: bool) -> None:
    tls = Tls(certificate=signed.certificate, key=signed.key)
    with serving(tls=tls) as gateway, gateway.connect() as client:
        if direct:
            client.send(b"\x16\x03\x01\x02\x00\x01")
        else:
            client.send(wire.SSL_REQUEST)
            assert client.read_exactly(1) == b"S"
        assert gateway.eventually(lambda: any(each._securing for each in gateway.server._clients))
        begun = time.monotonic()
        gateway.run(gateway.server.stop(grace_s=WAIT_S))
        assert time.monotonic() - begun < WAIT_S / 2
        assert not gateway.server._clients
        assert client.at_end()


def test_a_handshake_that_never_ends_is_cut_off(signed: Signed) -> None:
    tls = Tls(certificate=signed.certificate, key=signed.key)
    limits = PgLimits(startup_timeout_s=0.2, sweep_s=0.02)
    with serving(tls=tls, limits=limits) as gateway, gateway.connect() as client:
        client.send(b"\x16\x03\x01")
        assert client.at_end()
        assert gateway.eventually(lambda: not gateway.server._clients)


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_a_direct_handshake_split_anywhere(guarded: Serving, data: st.DataObject) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["postgresql"])
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = context.wrap_bio(incoming, outgoing)
    with guarded.connect() as client:
        client.socket.setsockopt(6, 1, 1)

        def send() -> None:
            whole = outgoing.read()
            at = data.draw(st.integers(0, len(whole)))
            client.socket.sendall(whole[:at])
            client.socket.sendall(whole[at:])

        while True:
            try:
                tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                send()
                incoming.write(client.socket.recv(65_536))
        tls.write(wire.startup(user=USER))
        send()
        answer = b""
        while not answer:
            try:
                answer = tls.read(1000)
            except ssl.SSLWantReadError:
                incoming.write(client.socket.recv(65_536))
        assert answer[:1] == b"R"


def test_a_new_certificate_is_shown_without_a_restart(users: Path, tmp_path: Path) -> None:
    authority = make_authority(tmp_path)
    old = make_server(tmp_path, authority=authority)
    with (
        access_of(users) as access,
        serving(access=access, tls=Tls(certificate=old.certificate, key=old.key)) as gateway,
    ):

        def shown() -> bytes:
            with TlsClient(gateway.port) as client:
                scram = ScramClient(PASSWORD, header=BOUND, binding=binding_of(client))
                assert log_in(client, scram, user=USER, mechanism=PLUS)[-1] == ("Z", b"I")
                certificate = client.tls.getpeercert(binary_form=True)
            assert certificate is not None
            return certificate

        first = shown()
        new = make_server(tmp_path, authority=authority, name="new")
        old.certificate.write_bytes(new.certificate.read_bytes())
        assert shown() == first, "the key does not belong to this certificate yet"
        old.key.write_bytes(new.key.read_bytes())
        second = shown()
        assert second != first
        assert second == ssl.PEM_cert_to_DER_cert(new.certificate.read_text())


def test_old_tls_is_refused(guarded: Serving) -> None:
    done = subprocess.run(
        ["openssl", "s_client", "-starttls", "postgres", "-tls1_1", "-cipher", "ALL:@SECLEVEL=0",
         "-connect", f"{HOST}:{guarded.port}"],
        input=b"", capture_output=True, timeout=20, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    assert b"Cipher is (NONE)" in done.stdout
    assert b"OpenSSL 3" in openssl("version")

"""Who is let in by the wire: SCRAM, passwords, trust; by raw messages and by real clients."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import struct
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gateway.access import Method
from gateway.pgwire import PgLimits
from gateway.tls import Tls
from gateway.users import remove_user, set_password
from tests.gateway.credentials import (
    OTHER,
    OTHER_PASSWORD,
    PASSWORD,
    USER,
    access_of,
    make_users,
)
from tests.gateway.pgwire import wire
from tests.gateway.pgwire.scram_client import (
    PLAIN,
    PLUS,
    ScramClient,
    initial,
    log_in,
    read_request,
    response,
)
from tests.gateway.pgwire.serving import HOST, Serving, serving
from tests.support.certificates import Signed, make_authority, make_server, openssl


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("authentication")


@pytest.fixture(scope="module")
def users(directory: Path) -> Path:
    return make_users(directory)


@pytest.fixture(scope="module")
def signed(directory: Path) -> Signed:
    return make_server(directory, authority=make_authority(directory))


@pytest.fixture(scope="module")
def guarded(users: Path, signed: Signed) -> Iterator[Serving]:
    """SCRAM with a certificate: what a gateway beyond loopback should be."""
    tls = Tls(certificate=signed.certificate, key=signed.key)
    with access_of(users) as access, serving(access=access, tls=tls) as running:
        yield running


def told(error: tuple[str, bytes]) -> dict[str, str]:
    kind, body = error
    assert kind == "E"
    return wire.error_fields(body)


def options(gateway: Serving, **more: str) -> dict[str, str]:
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


# --- real clients --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "more",
    [
        {"sslmode": "disable"},
        {"sslmode": "disable", "require_auth": "scram-sha-256"},
        {"sslmode": "require"},
        {"sslmode": "require", "channel_binding": "require"},
        {"sslmode": "require", "channel_binding": "disable"},
        {"sslmode": "require", "sslnegotiation": "direct", "channel_binding": "require"},
        {"sslmode": "require", "ssl_max_protocol_version": "TLSv1.2"},
        {"min_protocol_version": "3.2", "max_protocol_version": "3.2"},
        {"user": OTHER, "password": OTHER_PASSWORD, "channel_binding": "require"},
        {"user": OTHER, "password": "Pafi ß"},
    ],
    ids=lambda more: " ".join(f"{name}={value}" for name, value in more.items()),
)
def test_libpq_is_let_in(guarded: Serving, more: dict[str, str]) -> None:
    with connect(guarded, **more) as connection:
        assert connection.pgconn.ssl_in_use == (more.get("sslmode") != "disable")
        rows = connection.execute("SELECT * FROM series(20000)").fetchall()
        assert len(rows) == 20_000


@pytest.mark.parametrize("negotiation", ["postgres", "direct"])
def test_libpq_verifies_the_certificate(
    guarded: Serving, signed: Signed, directory: Path, negotiation: str
) -> None:
    verify = {"sslmode": "verify-full", "sslnegotiation": negotiation}
    with connect(guarded, **verify, sslrootcert=str(signed.authority)) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    stranger, _ = make_authority(directory, name="stranger")
    with pytest.raises(psycopg.OperationalError, match="certificate verify failed"):
        connect(guarded, **verify, sslrootcert=str(stranger))


@pytest.mark.parametrize("user", [USER, "nobody"])
def test_a_wrong_password_and_a_stranger_are_told_the_same(guarded: Serving, user: str) -> None:
    for more in ({"sslmode": "disable"}, {"channel_binding": "require"}):
        with pytest.raises(psycopg.OperationalError) as refused:
            connect(guarded, user=user, password="wrong", **more)
        assert f'FATAL:  password authentication failed for user "{user}"' in str(refused.value)


def test_libpq_cancels_with_a_long_key_and_over_tls(guarded: Serving) -> None:
    with connect(guarded, max_protocol_version="3.2", sslmode="require") as connection:
        connection.execute("SELECT 1")

        async def cancel() -> None:
            await asyncio.to_thread(guarded.engine.sleeping.wait, 10)
            await asyncio.to_thread(connection.cancel_safe)

        async def both() -> None:
            asking = asyncio.to_thread(connection.execute, "SELECT sleep(60)")
            await asyncio.gather(asking, cancel())

        with pytest.raises(psycopg.errors.QueryCanceled):
            asyncio.run(both())


def test_asyncpg_over_tls(guarded: Serving, signed: Signed) -> None:
    """asyncpg knows no channel binding; it is let in without, as by PostgreSQL."""

    async def work(**more: object) -> object:
        connection = await asyncpg.connect(
            host="localhost", port=guarded.port, user=USER, database="db", timeout=10, **more
        )
        try:
            return await connection.fetchval("SELECT 1")
        finally:
            await connection.close()

    context = ssl.create_default_context(cafile=str(signed.authority))
    assert asyncio.run(work(password=PASSWORD, ssl=context)) == 1
    with_name = ssl.create_default_context(cafile=str(signed.authority))
    with_name.set_alpn_protocols(["postgresql"])
    assert asyncio.run(work(password=PASSWORD, ssl=with_name, direct_tls=True)) == 1
    with pytest.raises(asyncpg.InvalidPasswordError):
        asyncio.run(work(password="wrong", ssl=context))
    with pytest.raises(asyncpg.InvalidPasswordError):
        asyncio.run(work(password="wrong", ssl=False))


@pytest.mark.skipif(shutil.which("psql") is None, reason="psql is not on PATH")
def test_psql(guarded: Serving, signed: Signed) -> None:
    def psql(**more: str) -> subprocess.CompletedProcess[str]:
        info = psycopg.conninfo.make_conninfo(**options(guarded, **more))
        command = ["psql", info, "-X", "-At", "-w", "-c", "SELECT 1", "-c", r"\conninfo"]
        return subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)

    done = psql(sslmode="require", channel_binding="require")
    assert done.stdout.startswith("1\n"), done.stderr
    assert "SSL connection" in done.stdout
    done = psql(sslmode="verify-full", sslrootcert=str(signed.authority))
    assert done.stdout.startswith("1\n"), done.stderr
    done = psql(sslmode="require", password="wrong")
    assert (done.returncode, done.stdout) == (2, "")
    assert 'FATAL:  password authentication failed for user "joe"' in done.stderr


# --- SCRAM by hand -------------------------------------------------------------------------------


def test_what_the_server_offers_and_proves(guarded: Serving) -> None:
    with guarded.connect() as client:
        client.send(wire.startup(user=USER))
        assert read_request(client, 10) == PLAIN.encode() + b"\0\0"
        scram = ScramClient(PASSWORD)
        client.send(initial(PLAIN, scram.first()))
        client.send(response(scram.last(read_request(client, 11))))
        assert scram.accepts(read_request(client, 12))
        assert read_request(client, 0) == b""
        assert client.read_until("Z")[-1] == ("Z", b"I")


def test_a_mechanism_may_be_chosen_before_the_first_message(guarded: Serving) -> None:
    with guarded.connect() as client:
        client.send(wire.startup(user=USER))
        read_request(client, 10)
        client.send(initial(PLAIN, None))
        assert read_request(client, 11) == b""
        scram = ScramClient(PASSWORD)
        client.send(response(scram.first()))
        client.send(response(scram.last(read_request(client, 11))))
        assert client.read_until("Z", "E")[-1] == ("Z", b"I")


def test_a_stranger_looks_like_a_user(guarded: Serving, users: Path) -> None:
    def challenge(user: str) -> dict[str, str]:
        with guarded.connect() as client:
            client.send(wire.startup(user=user))
            read_request(client, 10)
            client.send(initial(PLAIN, ScramClient("x").first()))
            answer = read_request(client, 11).decode()
        return dict(part.split("=", 1) for part in answer.split(","))

    real, stranger, again, other = map(challenge, (USER, "nobody", "nobody", "nobody2"))
    assert stranger["s"] == again["s"] != other["s"]
    assert {len(each["s"]) for each in (real, stranger, other)} == {len(real["s"])}
    assert {each["i"] for each in (real, stranger, other)} == {"4096"}
    assert stranger["r"] != again["r"]
    with access_of(users) as access, serving(access=access) as restarted:
        guarded_port, guarded.port = guarded.port, restarted.port
        try:
            assert challenge("nobody")["s"] == stranger["s"], "a restart tells them apart"
        finally:
            guarded.port = guarded_port


@pytest.mark.parametrize("user", [USER, "nobody"])
def test_no_proof_fits_by_chance(guarded: Serving, user: str) -> None:
    with guarded.connect() as client:
        messages = log_in(client, ScramClient("wrong"), user=user)
        assert len(messages) == 1, "nothing is proved to who has proved nothing"
        fields = told(messages[0])
        assert (fields["S"], fields["C"]) == ("FATAL", "28P01")
        assert fields["M"] == f'password authentication failed for user "{user}"'
        assert client.at_end()


FIRSTS = [
    b"",
    b"n",
    b"n,,",
    b"n,,n=,r=",
    b"n,,n=",
    b"n,,r=x",
    b"x,,n=,r=abc",
    b"n,,n=,r=\xff",
    b"n,,n=,r=a\0b",
    "n,,n=,r=ä".encode(),
    b"p=tls-unique,,n=,r=abc",
    b"p=tls-server-end-point,,n=,r=abc",
]


@pytest.mark.parametrize("first", FIRSTS)
def test_a_malformed_first_message(guarded: Serving, first: bytes) -> None:
    with guarded.connect() as client:
        client.send(wire.startup(user=USER))
        read_request(client, 10)
        client.send(initial(PLAIN, first))
        fields = told(client.read())
        assert (fields["S"], fields["C"]) == ("FATAL", "08P01")
        assert client.at_end()
    with guarded.connect() as other:
        assert log_in(other, ScramClient(PASSWORD), user=USER)[-1] == ("Z", b"I")


@pytest.mark.parametrize(
    ("first", "expected"),
    [(b"n,a=root,n=,r=abc", "0A000"), (b"n,,m=x,n=,r=abc", "0A000")],
)
def test_what_scram_has_and_we_have_not(guarded: Serving, first: bytes, expected: str) -> None:
    with guarded.connect() as client:
        client.send(wire.startup(user=USER))
        read_request(client, 10)
        client.send(initial(PLAIN, first))
        assert told(client.read())["C"] == expected


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda last: b"", "08P01"),
        (lambda last: last[:-4], "08P01"),
        (lambda last: last + b",x=1", "08P01"),
        (lambda last: last.replace(b"c=biws", b"c=eSws"), "08P01"),
        (lambda last: last.replace(b",r=", b",r=x"), "08P01"),
        (lambda last: last.replace(b",r=", b",q="), "08P01"),
        (lambda last: last.replace(b",p=", b",p=!"), "08P01"),
        (lambda last: last.replace(b",p=", b",x=1,p="), "28P01"),
    ],
)
def test_a_final_message_that_was_changed(guarded: Serving, change: object, expected: str) -> None:
    assert callable(change)
    with guarded.connect() as client:
        client.send(wire.startup(user=USER))
        read_request(client, 10)
        scram = ScramClient(PASSWORD)
        client.send(initial(PLAIN, scram.first()))
        client.send(response(change(scram.last(read_request(client, 11)))))
        assert told(client.read())["C"] == expected
        assert client.at_end()


@pytest.mark.parametrize(
    "noise",
    [
        wire.query("SELECT 1"),
        wire.framed("p", b""),
        wire.framed("p", b"SCRAM-SHA-256"),
        wire.framed("p", b"SCRAM-SHA-256\0\0\0\0\x09n,,"),
        initial("PLAIN", b"\0joe\0secret"),
        initial(PLUS, b"p=tls-server-end-point,,n=,r=abc"),
        b"p\0\1\0\0",
        b"\x16\x03\x01\0\0",
    ],
)
def test_what_is_no_answer_to_the_request(guarded: Serving, noise: bytes) -> None:
    with guarded.connect() as client:
        client.send(wire.startup(user=USER))
        read_request(client, 10)
        client.send(noise)
        assert told(client.read())["C"] == "08P01"
        assert client.at_end()


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.binary(max_size=80), min_size=1, max_size=3), st.booleans())
def test_any_noise_is_refused_and_the_server_lives(
    guarded: Serving, noise: list[bytes], proper: bool
) -> None:
    with guarded.connect() as client:
        client.send(wire.startup(user=USER))
        read_request(client, 10)
        if proper:
            client.send(initial(PLAIN, ScramClient(PASSWORD).first()))
            read_request(client, 11)
        client.send(initial(PLAIN, noise[0]), *map(response, noise[1:]))
        kind, body = client.read()
        if kind == "E":
            assert wire.error_fields(body)["C"] in {"08P01", "0A000", "28P01", "28000"}
        else:
            assert kind == "R"
            assert struct.unpack_from(">I", body) == (11,)
    with guarded.connect() as other:
        other.send(wire.startup(user=USER))
        read_request(other, 10)


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_messages_split_anywhere(guarded: Serving, data: st.DataObject) -> None:
    """The server sees the same login however its bytes arrive."""

    def send(client: wire.RawClient, whole: bytes) -> None:
        at = data.draw(st.integers(0, len(whole)))
        client.socket.sendall(whole[:at])
        client.socket.sendall(whole[at:])

    with guarded.connect() as client:
        client.socket.setsockopt(6, 1, 1)  # no delay: what is sent apart arrives apart
        send(client, wire.startup(user=USER))
        read_request(client, 10)
        scram = ScramClient(PASSWORD)
        send(client, initial(PLAIN, scram.first()))
        send(client, response(scram.last(read_request(client, 11))))
        assert client.read_until("Z", "E")[-1] == ("Z", b"I")


# --- channel binding -----------------------------------------------------------------------------


class TlsClient(wire.RawClient):
    """A raw client inside TLS.

    Args:
        port: of the server.
        alpn: what it offers; with it, it asks for TLS directly.
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
    """By the openssl program, so that our own reading of certificates is not asked."""
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


BOUND = "p=tls-server-end-point,,"


def test_channel_binding_by_hand(guarded: Serving) -> None:
    with TlsClient(guarded.port) as client:
        client.send(wire.startup(user=USER))
        assert read_request(client, 10) == f"{PLUS}\0{PLAIN}\0\0".encode()
        scram = ScramClient(PASSWORD, header=BOUND, binding=binding_of(client))
        client.send(initial(PLUS, scram.first()))
        client.send(response(scram.last(read_request(client, 11))))
        assert scram.accepts(read_request(client, 12))


@pytest.mark.parametrize(
    ("mechanism", "header", "binding", "expected"),
    [
        (PLUS, BOUND, b"\0" * 32, "28000"),
        (PLUS, BOUND, b"", "28000"),
        (PLAIN, "y,,", b"", "28000"),
        (PLUS, "n,,", b"", "08P01"),
        (PLUS, "y,,", b"", "08P01"),
        (PLAIN, BOUND, b"", "08P01"),
        (PLUS, "p=tls-unique,,", b"x", "08P01"),
    ],
)
def test_channel_binding_that_does_not_bind(
    guarded: Serving, mechanism: str, header: str, binding: bytes, expected: str
) -> None:
    scram = ScramClient(PASSWORD, header=header, binding=binding)
    with TlsClient(guarded.port) as client:
        client.send(wire.startup(user=USER))
        read_request(client, 10)
        client.send(initial(mechanism, scram.first()))
        kind, body = client.read()
        if kind == "R":
            client.send(response(scram.last(body[4:])))
            kind, body = client.read()
        assert told((kind, body))["C"] == expected


def test_a_client_that_hears_of_no_binding_is_let_in_without_tls(guarded: Serving) -> None:
    with guarded.connect() as client:
        assert log_in(client, ScramClient(PASSWORD, header="y,,"), user=USER)[-1] == ("Z", b"I")


# --- TLS -----------------------------------------------------------------------------------------


def test_direct_tls_needs_our_name(guarded: Serving) -> None:
    with TlsClient(guarded.port, alpn="postgresql", direct=True) as client:
        assert client.tls.selected_alpn_protocol() == "postgresql"
        assert log_in(client, ScramClient(PASSWORD), user=USER)[-1] == ("Z", b"I")
    for name in (None, "http/1.1"):
        with TlsClient(guarded.port, alpn=name, direct=True) as client:
            client.send(wire.startup(user=USER))
            with pytest.raises((EOFError, OSError)):
                client.read()


def test_encryption_is_asked_for_once(guarded: Serving) -> None:
    with guarded.connect() as client:
        client.send(wire.GSSENC_REQUEST)
        assert client.read_exactly(1) == b"N"
        client.send(wire.GSSENC_REQUEST)
        assert told(client.read())["C"] == "08P01"
    for request in (wire.SSL_REQUEST, wire.GSSENC_REQUEST):
        with TlsClient(guarded.port) as client:
            client.send(request)
            assert told(client.read())["C"] == "08P01"


def test_clear_text_behind_the_request_for_tls_is_refused(guarded: Serving) -> None:
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
        gateway.run(gateway.server.stop(grace_s=3))
        assert time.monotonic() - begun < 1
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
        assert shown() == first, "the key does not belong to it yet"
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


# --- passwords, trust, limits --------------------------------------------------------------------


def test_a_password_in_clear_is_taken_over_tls(users: Path, signed: Signed) -> None:
    tls = Tls(certificate=signed.certificate, key=signed.key)
    with (
        access_of(users, method=Method.PASSWORD) as access,
        serving(access=access, tls=tls) as gateway,
    ):
        for user, password in ((USER, PASSWORD), (OTHER, OTHER_PASSWORD)):
            with connect(gateway, user=user, password=password, sslmode="require") as connection:
                assert connection.execute("SELECT 1").fetchone() == (1,)
        for user in (USER, "nobody"):
            with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
                connect(gateway, user=user, password="wrong", sslmode="require")
        with TlsClient(gateway.port) as client:
            client.send(wire.startup(user=USER))
            read_request(client, 3)
            client.send(wire.framed("p", b"no end"))
            assert told(client.read())["C"] == "08P01"


def test_users_come_and_go_while_it_runs(tmp_path: Path) -> None:
    path = make_users(tmp_path)
    with access_of(path) as access, serving(access=access) as gateway:
        connect(gateway, sslmode="disable").close()
        set_password(path, name=USER, password="new")
        connect(gateway, password="new", sslmode="disable").close()
        with pytest.raises(psycopg.OperationalError):
            connect(gateway, sslmode="disable")
        remove_user(path, name=USER)
        with pytest.raises(psycopg.OperationalError):
            connect(gateway, password="new", sslmode="disable")


def test_too_many_failures_are_refused_unheard(users: Path) -> None:
    with access_of(users, failures_max=3) as access, serving(access=access) as gateway:
        for _ in range(3):
            with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
                connect(gateway, password="wrong", sslmode="disable")
        with pytest.raises(psycopg.OperationalError, match="too many failed attempts"):
            connect(gateway, sslmode="disable")


def test_attempts_begun_together_are_counted_one_by_one(users: Path) -> None:
    with access_of(users, failures_max=3) as access, serving(access=access) as gateway:
        clients = [gateway.connect() for _ in range(8)]
        lasts = []
        for client in clients:
            client.send(wire.startup(user=USER))
            read_request(client, 10)
            scram = ScramClient("wrong")
            client.send(initial(PLAIN, scram.first()))
            lasts.append(scram.last(read_request(client, 11)))
        for client, last in zip(clients, lasts, strict=True):
            client.send(response(last))
        codes = sorted(told(client.read())["C"] for client in clients)
        for client in clients:
            client.socket.close()
    assert codes == ["28000"] * 5 + ["28P01"] * 3


def test_authentication_takes_no_longer_than_it_may(users: Path) -> None:
    limits = PgLimits(startup_timeout_s=0.3, sweep_s=0.02)
    with access_of(users) as access, serving(access=access, limits=limits) as gateway:
        with gateway.connect() as silent:
            silent.send(wire.startup(user=USER))
            read_request(silent, 10)
            fields = told(silent.read())
            assert fields["M"] == "canceling authentication due to timeout"
        # A byte now and then is no progress.
        with gateway.connect() as slow, pytest.raises((BrokenPipeError, ConnectionResetError)):
            trickle(gateway, slow, wire.startup(user="x" * 5000))


def trickle(gateway: Serving, client: wire.RawClient, whole: bytes) -> None:
    for byte in whole:
        client.send(bytes((byte,)))
        gateway.run(asyncio.sleep(0.01))


def test_without_users_loopback_is_let_in_and_no_password_is_taken() -> None:
    with serving() as gateway, gateway.connect() as client:
        client.send(wire.startup(user="anybody") + wire.framed("p", b"secret\0"))
        messages = client.read_until("E")
        assert messages[0] == ("R", b"\0\0\0\0")
        assert told(messages[-1])["C"] == "08P01"


def test_no_password_is_logged(guarded: Serving, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("DEBUG"), pytest.raises(psycopg.OperationalError):
        connect(guarded, password="a secret that was mistyped")
    assert "authentication failed, user='joe', client=127.0.0.1 (TLS)" in caplog.text
    assert "mistyped" not in caplog.text

"""Authentication of the wire: real clients, passwords, trust, and limits on failures."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import subprocess
from pathlib import Path

import asyncpg
import psycopg
import pytest

from stategate.gateway.access.changing_users import remove_user, set_password
from stategate.gateway.access.rules import Method
from stategate.gateway.access.tls import Tls
from stategate.gateway.pgwire import PgLimits
from tests.gateway.credentials import (
    OTHER,
    OTHER_PASSWORD,
    PASSWORD,
    USER,
    access_of,
    make_users,
)
from tests.gateway.pgwire import wire
from tests.gateway.pgwire.entering import TlsClient, connect, options, told
from tests.gateway.pgwire.event_loops import run_to_the_end
from tests.gateway.pgwire.scram_client import (
    PLAIN,
    ScramClient,
    initial,
    read_request,
    response,
)
from tests.gateway.pgwire.serving import Serving, serving
from tests.support.certificates import Signed, make_authority

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
def test_libpq_logs_in(guarded: Serving, more: dict[str, str]) -> None:
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
def test_a_wrong_password_and_an_unknown_user_get_the_same_error(
    guarded: Serving, user: str
) -> None:
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
    """asyncpg has no channel binding and logs in without it, as to PostgreSQL."""

    async def work(**more: object) -> object:
        connection = await asyncpg.connect(
            host="localhost", port=guarded.port, user=USER, database="db", timeout=10, **more
        )
        try:
            return await connection.fetchval("SELECT 1")
        finally:
            await connection.close()

    context = ssl.create_default_context(cafile=str(signed.authority))
    assert run_to_the_end(work(password=PASSWORD, ssl=context)) == 1
    with_name = ssl.create_default_context(cafile=str(signed.authority))
    with_name.set_alpn_protocols(["postgresql"])
    assert run_to_the_end(work(password=PASSWORD, ssl=with_name, direct_tls=True)) == 1
    with pytest.raises(asyncpg.InvalidPasswordError):
        run_to_the_end(work(password="wrong", ssl=context))
    with pytest.raises(asyncpg.InvalidPasswordError):
        run_to_the_end(work(password="wrong", ssl=False))


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


# --- passwords, trust, limits --------------------------------------------------------------------


def test_a_plaintext_password_is_accepted_over_tls(users: Path, signed: Signed) -> None:
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


def test_too_many_failures_are_refused_unchecked(users: Path) -> None:
    with access_of(users, failures_max=3) as access, serving(access=access) as gateway:
        for _ in range(3):
            with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
                connect(gateway, password="wrong", sslmode="disable")
        with pytest.raises(psycopg.OperationalError, match="too many failed attempts"):
            connect(gateway, sslmode="disable")
        # Others behind the same address, such as a NAT, are admitted.
        connect(gateway, user=OTHER, password=OTHER_PASSWORD, sslmode="disable").close()


def test_guessed_names_and_users_are_refused_alike(users: Path) -> None:
    def answers(gateway: Serving, user: str) -> list[str]:
        found = []
        for _ in range(5):
            with pytest.raises(psycopg.OperationalError) as refused:
                connect(gateway, user=user, password="wrong", sslmode="disable")
            found.append(str(refused.value).partition("FATAL:")[2].replace(user, "…"))
        return found

    with access_of(users, failures_max=3) as access, serving(access=access) as gateway:
        told = answers(gateway, USER)
        assert told == answers(gateway, "nobody") == answers(gateway, "no one")
        assert ["too many" in each for each in told] == [False] * 3 + [True] * 2


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


def test_authentication_has_a_time_limit(users: Path) -> None:
    limits = PgLimits(startup_timeout_s=0.3, sweep_s=0.02)
    with access_of(users) as access, serving(access=access, limits=limits) as gateway:
        with gateway.connect() as silent:
            silent.send(wire.startup(user=USER))
            read_request(silent, 10)
            fields = told(silent.read())
            assert fields["M"] == "canceling authentication due to timeout"
        # A byte now and then does not count as progress.
        with gateway.connect() as slow, pytest.raises((BrokenPipeError, ConnectionResetError)):
            trickle(gateway, slow, wire.startup(user="x" * 5000))


def trickle(gateway: Serving, client: wire.RawClient, whole: bytes) -> None:
    for byte in whole:
        client.send(bytes((byte,)))
        gateway.run(asyncio.sleep(0.01))


def test_without_users_loopback_needs_no_password() -> None:
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

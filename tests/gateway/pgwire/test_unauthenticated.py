"""Limits of unauthenticated clients: their number, time and bytes."""

from __future__ import annotations

import struct
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from stategate.gateway.access.tls import Tls
from stategate.gateway.pgwire import PgLimits
from stategate.gateway.pgwire.protocol.connection import Connection, State
from stategate.gateway.pgwire.protocol.errors import RemoteProtocolError
from stategate.gateway.pgwire.protocol.server_messages import AuthenticationSASL
from tests.gateway.credentials import PASSWORD, USER, access_of, make_users
from tests.gateway.pgwire import wire
from tests.gateway.pgwire.scram_client import (
    PLAIN,
    ScramClient,
    initial,
    log_in,
    read_request,
    response,
)
from tests.gateway.pgwire.serving import Serving, serving
from tests.support.certificates import make_authority, make_server

LIMITS = PgLimits(
    connections_max=20, unauthenticated_of_address_max=4, startup_timeout_s=2.0, sweep_s=0.05
)


@pytest.fixture(scope="module")
def users(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_users(tmp_path_factory.mktemp("users"))


@pytest.fixture
def few(users: Path) -> Iterator[Serving]:
    """Serve at most four unauthenticated clients per address, for two seconds."""
    with access_of(users) as access, serving(access=access, limits=LIMITS) as running:
        yield running


def asked_for_a_password(gateway: Serving) -> wire.RawClient:
    client = gateway.connect()
    client.send(wire.startup(user=USER))
    read_request(client, 10)
    return client


def test_one_address_cannot_take_all_places(few: Serving) -> None:
    with ExitStack() as closing:
        for _ in range(6):  # authenticated clients do not count
            friend = closing.enter_context(few.connect())
            assert log_in(friend, ScramClient(PASSWORD), user=USER)[-1][0] == "Z"
            assert friend.ask("SELECT 1")[-1][0] == "Z"
        half_open = [closing.enter_context(few.connect()) for _ in range(2)]
        asked = [closing.enter_context(asked_for_a_password(few)) for _ in range(2)]
        with few.connect() as refused:
            assert refused.at_end()
        # A cancel request is unauthenticated, too; sessions are not affected.
        assert friend.ask("SELECT 1")[-1][0] == "Z"
        half_open.pop().socket.close()
        assert few.eventually(lambda: len(few.server._unauthenticated) == 3)
        again = closing.enter_context(few.connect())
        assert log_in(again, ScramClient(PASSWORD), user=USER)[-1][0] == "Z"
        assert again.ask("SELECT 1")[-1][0] == "Z"
        for each in (*half_open, *asked):
            if each in asked:
                each.read_until("E")
            assert each.at_end()
        assert few.eventually(lambda: len(few.server._unauthenticated) == 0)


def test_a_few_addresses_cannot_lock_others_out(users: Path) -> None:
    limits = replace(LIMITS, connections_max=2, unauthenticated_max=12, startup_timeout_s=60.0)
    with (
        access_of(users) as access,
        serving(access=access, limits=limits) as running,
        ExitStack() as closing,
    ):
        for address in ("127.0.0.2", "127.0.0.3", "127.0.0.4"):
            for _ in range(4):
                closing.enter_context(running.connect(source=address))
        assert running.eventually(lambda: len(running.server._unauthenticated) == 12)
        for _ in range(2):
            friend = closing.enter_context(running.connect())
            assert log_in(friend, ScramClient(PASSWORD), user=USER)[-1][0] == "Z"
        assert friend.ask("SELECT 1")[-1][0] == "Z"
        assert running.server.connections == 2


def test_a_handshake_counts_until_it_ends(users: Path, tmp_path: Path) -> None:
    signed = make_server(tmp_path, authority=make_authority(tmp_path))
    tls = Tls(certificate=signed.certificate, key=signed.key)
    with (
        access_of(users) as access,
        serving(access=access, tls=tls, limits=LIMITS) as running,
        ExitStack() as closing,
    ):
        for _ in range(4):
            client = closing.enter_context(running.connect())
            client.send(wire.SSL_REQUEST)
            assert client.read_exactly(1) == b"S"
        with running.connect() as refused:
            assert refused.at_end()
        closing.pop_all().close()
        assert running.eventually(lambda: len(running.server._unauthenticated) == 0)
        with running.connect() as client:
            client.send(wire.SSL_REQUEST)
            assert client.read_exactly(1) == b"S"


@pytest.mark.parametrize("kind", ["Q", "P", "B", "F", "d"])
def test_unauthenticated_clients_cannot_send_long_messages(few: Serving, kind: str) -> None:
    with asked_for_a_password(few) as client:
        client.send(kind.encode() + struct.pack(">I", 8 << 20))
        ((_, body),) = client.read_until("E")
        # The connection ends immediately, not when the message is complete or the time is up, which
        # has a code of its own.
        assert wire.error_fields(body)["C"] == "08P01"
        assert client.at_end()


def test_long_messages_are_accepted_once_a_client_is_authenticated() -> None:
    """The limit belongs to the state, not to the connection."""
    connection = Connection(message_bytes_max=1 << 20, startup_bytes_max=10_000)
    connection.receive_data(wire.startup(user="joe"))
    connection.next_event()
    connection.send(AuthenticationSASL(mechanisms=(PLAIN,)))
    connection.receive_data(b"Q" + struct.pack(">I", 1 << 19))
    with pytest.raises(RemoteProtocolError, match="length"):
        connection.next_event()
    connection = Connection(message_bytes_max=1 << 20, startup_bytes_max=10_000)
    connection.state = State.IDLE
    connection.receive_data(b"Q" + struct.pack(">I", 1 << 19))
    assert connection.next_event() is None


@pytest.mark.parametrize("stage", ["silent", "startup", "asked", "begun"])
def test_single_bytes_do_not_extend_the_timeout_of_any_stage(few: Serving, stage: str) -> None:
    begun = time.monotonic()
    client = few.connect() if stage in {"silent", "startup"} else asked_for_a_password(few)
    with client:
        rest = initial(PLAIN, b"n,,n=,r=" + b"x" * 500)
        if stage == "startup":
            rest = wire.startup(user="x" * 500)
        if stage == "begun":
            client.send(initial(PLAIN, ScramClient(PASSWORD).first()))
            read_request(client, 11)
        client.socket.settimeout(0.05)
        at = 0
        while time.monotonic() - begun < 20:
            try:
                if stage != "silent":
                    client.send(rest[at : at + 1])
                    at += 1
                if not client.socket.recv(1000):
                    break
            except TimeoutError:
                continue
            except OSError:
                break
    assert 1.9 < time.monotonic() - begun < 19
    assert few.eventually(lambda: len(few.server._unauthenticated) == 0)


def test_a_nonce_and_a_proof_are_valid_once(few: Serving) -> None:
    """A recorded exchange cannot be replayed."""
    with few.connect() as client:
        client.send(wire.startup(user=USER))
        read_request(client, 10)
        scram = ScramClient(PASSWORD)
        first = initial(PLAIN, scram.first())
        client.send(first)
        challenge = read_request(client, 11)
        final = response(scram.last(challenge))
        client.send(final)
        client.read_until("Z")
    with few.connect() as client:
        client.send(wire.startup(user=USER))
        read_request(client, 10)
        client.send(first)
        assert read_request(client, 11) != challenge
        client.send(final)
        ((_, body),) = client.read_until("E")
        assert wire.error_fields(body)["C"] == "08P01"
        assert client.at_end()

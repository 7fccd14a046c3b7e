"""A relay hands on all bytes in order, late, slowly or not at all, as its directions say."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.support.relay import Relay
from tests.support.waiting import until


@pytest.fixture
def server() -> Iterator[socket.socket]:
    """Give a server that sends back what it gets."""
    listening = socket.create_server(("127.0.0.1", 0))

    def echo(taken: socket.socket) -> None:
        with taken:
            while data := taken.recv(1 << 16):
                taken.sendall(data)

    def serve() -> None:
        while True:
            try:
                taken, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=echo, args=[taken], daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    yield listening
    listening.shutdown(socket.SHUT_RDWR)
    listening.close()


@pytest.fixture
def relay(server: socket.socket) -> Iterator[Relay]:
    with closing(Relay(server.getsockname()[1])) as made:
        yield made


@pytest.fixture
def client(relay: Relay) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", relay.port), timeout=10) as made:
        yield made


def echoed(client: socket.socket, data: bytes) -> bytes:
    sending = threading.Thread(target=client.sendall, args=[data])
    sending.start()
    found = b""
    while len(found) < len(data):
        found += client.recv(1 << 16)
    sending.join()
    return found


def test_all_bytes_come_back_in_order(client: socket.socket) -> None:
    data = bytes(range(256)) * 4096
    assert echoed(client, data) == data


def test_a_delay_counts_once_for_all_that_is_sent_together(
    client: socket.socket, relay: Relay
) -> None:
    relay.there.delay_s, relay.back.delay_s = 0.2, 0.1
    began = time.monotonic()
    data = b"x" * (1 << 18)
    assert echoed(client, data) == data
    assert 0.3 <= time.monotonic() - began < 2


def test_a_narrow_link_takes_its_time(client: socket.socket, relay: Relay) -> None:
    relay.there.bytes_per_s = 100_000
    began = time.monotonic()
    assert echoed(client, b"x" * 50_000) == b"x" * 50_000
    assert time.monotonic() - began >= 0.5


def test_a_direction_that_stalls_keeps_what_it_takes(client: socket.socket, relay: Relay) -> None:
    relay.back.bytes_left = 10
    client.sendall(b"x" * 10)
    assert client.recv(100) == b"x" * 10
    client.sendall(b"kept")
    client.settimeout(0.1)
    with pytest.raises(TimeoutError):
        client.recv(100)
    assert relay.there.passed == 14
    relay.heal()
    client.settimeout(10)
    assert client.recv(100) == b"kept"


def test_a_link_that_is_cut_ends_and_takes_no_connections(
    client: socket.socket, relay: Relay
) -> None:
    assert echoed(client, b"x") == b"x"
    relay.cut()

    def has_ended(connection: socket.socket) -> bool:
        try:
            return connection.recv(100) == b""
        except ConnectionError:
            return True

    assert has_ended(client)
    with socket.create_connection(("127.0.0.1", relay.port), timeout=10) as other:
        assert has_ended(other)
    relay.heal()
    with socket.create_connection(("127.0.0.1", relay.port), timeout=10) as other:
        assert echoed(other, b"again") == b"again"


def test_the_end_of_a_connection_is_handed_on(client: socket.socket, relay: Relay) -> None:
    assert echoed(client, b"x") == b"x"
    client.shutdown(socket.SHUT_WR)
    assert client.recv(100) == b""
    until(lambda: not relay._links)

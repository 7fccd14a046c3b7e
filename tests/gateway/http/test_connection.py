"""Limits of HTTP connections, tested with raw bytes over sockets."""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.gateway.conftest import FakeGateway
from tests.gateway.credentials import PASSWORD, USER, make_users
from tests.gateway.http.test_authentication import basic
from tests.support.waiting import WAIT_S

Start = Callable[..., FakeGateway]
pytestmark = pytest.mark.server
TIMEOUT_S = 0.5


class Raw:
    """A connection that reads answers."""

    def __init__(self, url: str, *, source: str = "127.0.0.1") -> None:
        parts = urlsplit(url)
        assert parts.hostname is not None
        self.socket = socket.create_connection(
            (parts.hostname, parts.port or 0), timeout=WAIT_S, source_address=(source, 0)
        )

    def close(self) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def answer(self) -> bytes:
        """Read one answer with a Content-Length."""
        received = b""
        while b"\r\n\r\n" not in received:
            piece = self.socket.recv(1 << 16)
            if not piece:
                return received
            received += piece
        head, _, body = received.partition(b"\r\n\r\n")
        (length,) = [int(line[15:]) for line in head.split(b"\r\n") if line[:15].lower() == LENGTH]
        while len(body) < length:
            body += self.socket.recv(1 << 16)
        return head + b"\r\n\r\n" + body

    def ended_after_s(self) -> float:
        """Return the seconds until the other end closed, or a very long time."""
        begun = time.monotonic()
        try:
            while self.socket.recv(1 << 16):
                pass
        except TimeoutError:
            return float("inf")
        except ConnectionResetError:
            pass
        return time.monotonic() - begun


LENGTH = b"content-length:"
GET = b"GET /v1/stores HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture(scope="module")
def hasty() -> Iterator[str]:
    """A gateway with half a second for a head and for a body."""
    gateway = FakeGateway(f"body_timeout_ms={int(TIMEOUT_S * 1000)}")
    yield gateway.url()
    assert gateway.end(signal.SIGTERM)[0] == 0


@pytest.fixture
def raw(hasty: str) -> Iterator[Raw]:
    made = Raw(hasty)
    yield made
    made.close()


@pytest.mark.parametrize(
    "first", [b"", b"G", b"GET / HTTP/1.1\r\n", b"GET / HTTP/1.1\r\nHost: localhost\r\nX: y\r\n"]
)
def test_a_head_that_does_not_end_is_cut_off(raw: Raw, first: bytes) -> None:
    raw.send(first)
    assert TIMEOUT_S * 0.8 < raw.ended_after_s() < 5


def test_sending_single_bytes_does_not_extend_the_time(raw: Raw) -> None:
    begun = time.monotonic()
    raw.send(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ")
    raw.socket.settimeout(TIMEOUT_S / 10)
    while time.monotonic() - begun < WAIT_S:
        try:
            raw.send(b"a")
            if not raw.socket.recv(1):
                break
        except TimeoutError:
            continue
        except OSError:
            break
    assert time.monotonic() - begun < 5


def test_the_head_of_a_further_request_has_the_same_time_limit(raw: Raw) -> None:
    for _ in range(2):
        raw.send(GET)
        assert raw.answer().startswith(b"HTTP/1.1 200")
    raw.send(GET[:-2])
    assert TIMEOUT_S * 0.8 < raw.ended_after_s() < 5


def test_an_idle_connection_of_a_known_client_stays(raw: Raw) -> None:
    raw.send(GET)
    assert raw.answer().startswith(b"HTTP/1.1 200")
    raw.socket.settimeout(TIMEOUT_S * 3)
    assert raw.ended_after_s() == float("inf")
    raw.send(GET)
    assert raw.answer().startswith(b"HTTP/1.1 200")


def test_an_unread_body_does_not_hold_the_connection(raw: Raw) -> None:
    raw.send(b"POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nx")
    assert raw.answer().startswith(b"HTTP/1.1 404")
    raw.send(b"x")
    assert raw.ended_after_s() < 5


def test_a_connection_is_reusable_after_an_unread_body(raw: Raw) -> None:
    raw.send(b"POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nx")
    assert raw.answer().startswith(b"HTTP/1.1 404")
    raw.send(b"yz" + GET)
    assert raw.answer().startswith(b"HTTP/1.1 200")


def test_waiting_for_a_long_answer_is_not_a_timeout(raw: Raw) -> None:
    body = b'{"sql": "SELECT n, name FROM series(300000)"}'
    raw.send(
        b"POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    )
    received = raw.socket.recv(1000)
    # Half a request follows, as a pipelining client may send it; then the client reads slowly.
    raw.send(GET[:20])
    time.sleep(TIMEOUT_S * 2)
    while b'"elapsed_ms":' not in received:
        more = raw.socket.recv(1 << 20)
        assert more, "the connection was closed before the end of the answer"
        received = received[-100:] + more


@pytest.mark.parametrize("line", [b"X: " + b"a" * 8000 + b"\r\n", b"a" * 8000])
def test_an_endless_head_is_refused(raw: Raw, line: bytes) -> None:
    raw.send(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ")
    received = b""
    try:
        for _ in range(100):
            raw.send(line)
        received = raw.answer()
    except OSError:
        pass  # it closed before everything was sent
    assert raw.ended_after_s() < 5
    assert not received or received.startswith(b"HTTP/1.1 431")


@pytest.mark.parametrize(
    "smuggled",
    [
        b"POST /v1/query HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + GET,
        b"POST /v1/query HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: 0\r\n\r\n",
        b"POST /v1/query HTTP/1.1\r\nHost: a\r\nContent-Length: +4\r\n\r\nabcd" + GET,
        b"POST /v1/query HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n" + GET,
        b"POST /v1/query HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + GET,
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /v1/stores/clicks/k?a=\xff HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"CONNECT evil.example:80 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"\0\0\0\x08\x04\xd2\x16\x2f",
    ],
)
def test_ambiguous_framing_is_refused(raw: Raw, smuggled: bytes) -> None:
    raw.send(smuggled)
    received = raw.answer()
    assert received.startswith(b"HTTP/1.1 400")
    assert b"200 OK" not in received
    assert raw.ended_after_s() < 5


# --- one address among many ----------------------------------------------------------------------


def test_one_address_cannot_take_all_places(start_gateway: Start, tmp_path: Path) -> None:
    users = make_users(tmp_path)
    gateway = start_gateway(
        f"users={users}", "unauthenticated_of_address_max=5", "http_connections_max=20"
    )
    url = gateway.url()
    credentials = "".join(f"{k}: {v}\r\n" for k, v in basic(USER, PASSWORD).items()).encode()
    known = GET[:-2] + credentials + b"\r\n"
    with ExitStack() as closing:

        def connect() -> Raw:
            made = Raw(url)
            closing.callback(made.close)
            return made

        # Authenticated clients do not count: there can be more of them.
        friends = [connect() for _ in range(5)]
        for each in friends:
            each.send(known)
            assert each.answer().startswith(b"HTTP/1.1 200")
        unauthenticated = [connect() for _ in range(5)]
        for each in unauthenticated:
            each.send(GET)
            assert each.answer().startswith(b"HTTP/1.1 401")
        assert connect().ended_after_s() < 5
        for each in friends:
            each.send(known)
            assert each.answer().startswith(b"HTTP/1.1 200")
        # An unauthenticated idle connection is soon closed, and makes room.
        assert max(each.ended_after_s() for each in unauthenticated) < WAIT_S
        late = connect()
        late.send(known)
        assert late.answer().startswith(b"HTTP/1.1 200")
    status, _, err = gateway.end(signal.SIGTERM)
    assert status == 0
    assert PASSWORD not in err


def test_trusted_proxies_are_a_setting(start_gateway: Start) -> None:
    gateway = start_gateway("proxies=127.0.0.1", "allow_anonymous=true", FORWARDED_ALLOW_IPS="*")
    told, url = GET[:-2] + b"X-Forwarded-For: 192.0.2.1\r\n\r\n", gateway.url()
    for source in ("127.0.0.1", "127.0.0.2"):
        made = Raw(url, source=source)
        made.send(told)
        assert made.answer().startswith(b"HTTP/1.1 200")
        made.close()
    gateway.end(signal.SIGTERM)
    # A forwarded client is not on this machine, whether the proxy is trusted or not.
    for setting in ("proxies=", "proxies=127.0.0.1"):
        gateway = start_gateway(setting, FORWARDED_ALLOW_IPS="*")
        url = gateway.url()
        for claimed in (b"192.0.2.1", b"127.0.0.1", b"::1", b"x"):
            made = Raw(url)
            made.send(GET[:-2] + b"X-Forwarded-For: " + claimed + b"\r\n\r\n")
            assert made.answer().startswith(b"HTTP/1.1 403")
            made.close()
        gateway.end(signal.SIGTERM)


def test_four_addresses_cannot_lock_out_a_fifth(start_gateway: Start, tmp_path: Path) -> None:
    """Unauthenticated connections share places of their own."""
    users = make_users(tmp_path)
    gateway = start_gateway(
        f"users={users}",
        "unauthenticated_of_address_max=5",
        "unauthenticated_max=20",
        "http_connections_max=3",
    )
    credentials = "".join(f"{k}: {v}\r\n" for k, v in basic(USER, PASSWORD).items()).encode()
    known, url = GET[:-2] + credentials + b"\r\n", gateway.url()
    with ExitStack() as closing:

        def connect(source: str) -> Raw:
            made = Raw(url, source=source)
            closing.callback(made.close)
            return made

        flood = [connect(f"127.0.0.{n}") for n in range(2, 6) for _ in range(5)]
        friends = [connect("127.0.0.1") for _ in range(3)]
        for _ in range(2):
            for each in friends:
                each.send(known)
                assert each.answer().startswith(b"HTTP/1.1 200")
        # All places are taken; other connections do not take them.
        last = connect("127.0.0.1")
        last.send(known)
        assert last.answer().startswith(b"HTTP/1.1 503")
        # But whoever restarts a gateway that does not answer gets an answer.
        for path in (b"/healthz", b"/readyz?verbose"):
            watcher = connect("127.0.0.1")
            watcher.send(known.replace(b"/v1/stores", path))
            assert watcher.answer().startswith(b"HTTP/1.1 200"), path
        assert flood[0].ended_after_s() < 5


# --- clients that disconnect ---------------------------------------------------------------------


def query(sql: str, accept: str = "application/json", **fields: object) -> bytes:
    body = json.dumps({"sql": sql, **fields}).encode()
    head = (
        "POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Accept: {accept}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


LEFT = [
    GET,
    query("SELECT 1"),
    query("SELECT v FROM kv WHERE k = 1"),
    query("SELECT sleep(0.02)"),
    query("SELECT nonsense"),
    *(
        query(f"SELECT * FROM {relation}", accept)
        for relation in ("series(100000)", "broken(50000)")
        for accept in ("application/json", "text/csv", "application/vnd.apache.arrow.stream")
    ),
]


def test_a_disconnecting_client_is_not_a_server_error(start_gateway: Start) -> None:
    """It may disconnect at any moment of a request, of an answer, and of pipelined requests."""
    gateway = start_gateway()
    url = gateway.url()
    for number, request in enumerate(LEFT):
        following = request + LEFT[number - 1] + LEFT[number - 2]
        for sent in (request[:30], request[:-1], request, following, following[:-3]):
            for read_bytes, resets in ((0, True), (0, False), (1, True), (65536, False)):
                client = Raw(url)
                client.send(sent)
                if read_bytes:
                    client.socket.settimeout(0.02)
                    with contextlib.suppress(OSError):
                        client.socket.recv(read_bytes)
                if resets:
                    now = struct.pack("ii", 1, 0)
                    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, now)
                client.close()
    last = Raw(url)
    last.send(GET)
    assert last.answer().startswith(b"HTTP/1.1 200")
    last.close()
    status, _, err = gateway.end(signal.SIGTERM)
    assert status == 0
    assert "Traceback" not in err
    assert "Error" not in err

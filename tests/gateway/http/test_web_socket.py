"""`/v1/subscribe` as a WebSocket, over real sockets: messages, handshakes, limits and ends."""

from __future__ import annotations

import base64
import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx
import orjson
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection
from websockets.sync.client import connect as connect_socket
from websockets.typing import Origin, Subprotocol

from stategate.gateway.access.changing_users import add_token, remove_user
from stategate.gateway.access.tls import Tls
from stategate.gateway.http.endpoint import Services
from stategate.gateway.http.origins import AllowedOrigins
from stategate.gateway.settings import Settings
from stategate.planner.sql import SqlEngine
from stategate.stores.hosting.local_store import LocalStore
from tests.gateway.client.serving import http_serving
from tests.gateway.credentials import PASSWORD, USER, access_of, make_users
from tests.gateway.http.live.test_subscribing import ALL
from tests.gateway.http.test_authentication import basic, bearer
from tests.support.certificates import make_authority, make_server
from tests.support.stores import fill
from tests.support.waiting import WAIT_S, until

pytestmark = pytest.mark.server

TOOLS, EVIL = "https://tools.example:8443", "https://evil.example"
KEY = "dGhlIHNhbXBsZSBub25jZQ=="
HANDSHAKE = {
    "Host": "localhost",
    "Connection": "keep-alive, Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Key": KEY,
    "Sec-WebSocket-Version": "13",
}


@pytest.fixture
def url(live_services: Services) -> Iterator[str]:
    with http_serving(live_services) as made:
        yield made


@contextmanager
def subscribed(
    url: str, fields: Mapping[str, str] | None = None, **given: Any
) -> Iterator[ClientConnection]:
    """Open a WebSocket, by default to all rows."""
    query = urlencode({"sql": ALL} if fields is None else fields)
    address = f"ws{url.removeprefix('http')}/v1/subscribe?{query}"
    options = {"proxy": None, "ping_interval": None, "open_timeout": WAIT_S, **given}
    with connect_socket(address, close_timeout=WAIT_S, **options) as made:
        yield made


def received(connection: ClientConnection) -> dict[str, Any]:
    text = connection.recv(timeout=WAIT_S)
    assert isinstance(text, str)
    found: dict[str, Any] = orjson.loads(text)
    return found


def begun(connection: ClientConnection) -> tuple[list[list[object]], str]:
    """Return the first rows, and the token at their end."""
    assert received(connection)["event"] == "columns"
    rows: list[list[object]] = []
    while (message := received(connection))["event"] == "rows":
        rows += message["rows"]
    assert message["event"] == "progress"
    return rows, message["token"]


def ended(connection: ClientConnection) -> tuple[dict[str, Any] | None, int, str]:
    """Return the last message, if one comes before the end, the close code and the reason."""
    last: dict[str, Any] | None = None
    while True:
        try:
            last = received(connection)
        except ConnectionClosed as closed:
            frame = closed.rcvd
            break
    assert frame is not None, "the connection was cut off"
    return last, frame.code, frame.reason


def refused(url: str, **given: Any) -> tuple[int, str]:
    """Return the status and the SQLSTATE of a refused handshake."""
    with pytest.raises(InvalidStatus) as raised, subscribed(url, **given):
        pass
    response = raised.value.response
    return response.status_code, orjson.loads(response.body or b"")["error"]["sqlstate"]


def raw(url: str, head: bytes) -> socket.socket:
    """Return a connection on which these bytes have been sent."""
    parts = urlsplit(url)
    assert parts.hostname is not None
    made = socket.create_connection((parts.hostname, parts.port or 0), timeout=WAIT_S)
    made.sendall(head)
    return made


def head_of(headers: Mapping[str, str], *, line: str = "GET /v1/subscribe HTTP/1.1") -> bytes:
    lines = [line, *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def status_of(connection: socket.socket) -> int:
    """Return the status of an answer, and read its head."""
    answer = b""
    while b"\r\n\r\n" not in answer:
        piece = connection.recv(1)
        assert piece, answer
        answer += piece
    return int(answer.split(b" ", 2)[1])


def rest_of(connection: socket.socket) -> bytes:
    """Return all bytes until the end."""
    parts = []
    with suppress(ConnectionResetError):
        while piece := connection.recv(1 << 16):
            parts.append(piece)
    return b"".join(parts)


# --- messages ------------------------------------------------------------------------------------


def test_the_messages_are_those_of_server_sent_events(url: str, clicks: LocalStore) -> None:
    def lines(stream: httpx.Response) -> Iterator[str]:
        for line in stream.iter_lines():
            if line.startswith("data: "):
                yield line.removeprefix("data: ")

    asked = httpx.stream("GET", f"{url}/v1/subscribe", params={"sql": ALL}, timeout=WAIT_S)
    with asked as stream, subscribed(url) as connection:
        others = lines(stream)
        for _ in range(3):
            assert connection.recv(timeout=WAIT_S) == next(others)
        # A line end, and a text that looks like the frame of an event.
        fill(clicks, [("x\ndata: y\n\n", 3, None), ("bob", 4, None)], epoch=1)
        text = connection.recv(timeout=WAIT_S)
        assert text == next(others)
        found = orjson.loads(text)
        assert found["inserted"] == [["x\ndata: y\n\n", 3, None]]
        assert found["updated"] == [[["bob", 2, None], ["bob", 4, None]]]
        fill(clicks, [], epoch=2)
        text = connection.recv(timeout=WAIT_S)
        assert text == next(others)
        assert orjson.loads(text)["event"] == "progress"


def test_a_client_goes_on_after_a_token(url: str, clicks: LocalStore) -> None:
    with subscribed(url) as staying:
        rows, token = begun(staying)
        assert rows == [["ann", 1, "1970-01-01T00:00:00Z"], ["bob", 2, None]]
        fill(clicks, [("cid", 3, None)], epoch=1)
        expected = received(staying)
        for fields, headers in (
            ({"sql": ALL, "token": token}, {}),
            ({"sql": ALL}, {"Last-Event-ID": token}),
        ):
            with subscribed(url, fields, additional_headers=headers) as returned:
                assert received(returned)["event"] == "columns"
                assert received(returned) == expected


def test_parameters_and_a_long_statement(url: str) -> None:
    spaces = " " * 20_000
    fields = {"sql": f"SELECT n {spaces} FROM clicks WHERE usr = :usr", "param.usr": "bob"}
    with subscribed(url, fields) as connection:
        assert begun(connection)[0] == [[2]]


def test_a_client_that_leaves_ends_its_subscription(url: str, live_engine: SqlEngine) -> None:
    with subscribed(url) as connection:
        begun(connection)
        assert live_engine.live_counts().subscribers == 1
    until(lambda: live_engine.live_counts().subscribers == 0)


@pytest.mark.parametrize(
    ("fields", "sqlstate", "code"),
    [
        ({}, "08P01", 1008),
        ({"sql": "SELEC"}, "42601", 1008),
        ({"sql": ALL, "token": "x"}, "22023", 1008),
        ({"sql": "SELECT now() FROM clicks"}, "0A000", 1008),
        ({"sql": ALL, "bound": '{"events": {"0": 9}}'}, "55S01", 1013),
    ],
)
def test_an_error_is_the_last_message(
    url: str, fields: Mapping[str, str], sqlstate: str, code: int
) -> None:
    with subscribed(url, fields) as connection:
        last, *ending = ended(connection)
    assert last is not None
    assert (last["event"], last["error"]["sqlstate"]) == ("error", sqlstate)
    assert ending == [code, sqlstate]


def test_a_query_that_fails_later_says_why(url: str, clicks: LocalStore) -> None:
    with subscribed(url, {"sql": "SELECT 1 / n FROM clicks"}) as connection:
        begun(connection)
        fill(clicks, [("bob", 0, None)], epoch=1)
        last, *ending = ended(connection)
    assert last is not None
    assert last["error"]["sqlstate"] == "22012"
    assert ending == [1008, "22012"]


# --- ends ----------------------------------------------------------------------------------------


def test_clients_are_told_when_the_gateway_ends(
    live_services: Services, live_engine: SqlEngine
) -> None:
    with ExitStack() as stack:
        serving = ExitStack()
        url = serving.enter_context(http_serving(live_services))
        connection = stack.enter_context(subscribed(url))
        begun(connection)
        live_engine.end_live()
        serving.close()
        last, code, _ = ended(connection)
    assert last is not None
    assert (last["event"], last["error"]["sqlstate"]) == ("error", "57P01")
    assert code == 1001


def test_a_client_that_does_not_answer_the_end_does_not_delay_it(
    live_services: Services, live_engine: SqlEngine
) -> None:
    line = f"GET /v1/subscribe?{urlencode({'sql': ALL})} HTTP/1.1"
    with ExitStack() as stack:
        serving = ExitStack()
        url = serving.enter_context(http_serving(live_services))
        connection = stack.enter_context(closing(raw(url, head_of(HANDSHAKE, line=line))))
        assert status_of(connection) == 101
        seen = b""
        while b"progress" not in seen:
            seen += connection.recv(1 << 16)
        live_engine.end_live()
        begun_s = time.monotonic()
        serving.close()
        assert time.monotonic() - begun_s < 5
        assert b"57P01" in rest_of(connection)


def test_a_connection_ends_with_its_lifetime(live_services: Services) -> None:
    short = replace(live_services, settings=Settings(live_lifetime_ms=50))
    with http_serving(short) as url, subscribed(url) as connection:
        begun(connection)
        assert ended(connection)[1:] == (1000, "go on after the last token")


@pytest.mark.parametrize(
    ("message", "code"),
    [("x", 1008), (b"x", 1003), (["a", "b"], 1008), ("x" * 2_000, 1009), (b"x" * 2_000, 1009)],
)
def test_a_client_that_sends_a_message_is_disconnected(
    url: str, live_engine: SqlEngine, message: Any, code: int
) -> None:
    with subscribed(url) as connection:
        begun(connection)
        with suppress(ConnectionClosed):  # perhaps before the second of two fragments
            connection.send(message)
        assert ended(connection)[1] == code
    until(lambda: live_engine.live_counts().subscribers == 0)


def test_a_client_that_answers_no_ping_is_disconnected(
    live_services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stategate.gateway.http.server.PING_INTERVAL_S", 0.05)
    monkeypatch.setattr("stategate.gateway.http.server.PING_TIMEOUT_S", 0.3)
    with http_serving(live_services) as url, subscribed(url) as answering:
        line = f"GET /v1/subscribe?{urlencode({'sql': ALL})} HTTP/1.1"
        with closing(raw(url, head_of(HANDSHAKE, line=line))) as silent:
            assert status_of(silent) == 101
            assert (1011).to_bytes(2, "big") in rest_of(silent)
        begun(answering)
        assert answering.ping().wait(WAIT_S)


def test_limits_of_requests_do_not_hold_for_what_comes_after(
    live_services: Services, clicks: LocalStore
) -> None:
    hasty = replace(live_services, settings=Settings(body_timeout_ms=200, keep_alive_ms=1_000))
    with http_serving(hasty) as url, subscribed(url) as connection:
        begun(connection)
        time.sleep(1.3)
        fill(clicks, [("cid", 3, None)], epoch=1)
        assert received(connection)["event"] == "changes"


# --- handshakes ----------------------------------------------------------------------------------


def without(name: str) -> dict[str, str]:
    return {each: value for each, value in HANDSHAKE.items() if each != name}


REQUESTS: list[tuple[str, Mapping[str, str], int]] = [
    ("GET /v1/subscribe?x=1 HTTP/1.1", HANDSHAKE, 101),
    ("GET /v1/subscribe HTTP/1.1", {**HANDSHAKE, "Upgrade": "WebSocket"}, 101),
    ("GET /v1/subscribe HTTP/1.1", {**HANDSHAKE, "Content-Length": "0"}, 101),
    ("GET /v1/subscribe HTTP/1.1", without("Sec-WebSocket-Key"), 400),
    ("GET /v1/subscribe HTTP/1.1", {**HANDSHAKE, "Sec-WebSocket-Key": "x" * 9_000}, 400),
    ("GET /v1/subscribe HTTP/1.1", {**HANDSHAKE, "Sec-WebSocket-Key": "short"}, 400),
    ("GET /v1/subscribe HTTP/1.1", {**HANDSHAKE, "Sec-WebSocket-Key": "é" * 12}, 400),
    ("GET /v1/subscribe HTTP/1.1", {**HANDSHAKE, "Sec-WebSocket-Version": "12"}, 426),
    ("GET /v1/subscribe HTTP/1.1", without("Sec-WebSocket-Version"), 426),
    ("GET /v1/subscribe HTTP/1.1", {**HANDSHAKE, "X-Long": "x" * 20_000}, 101),
    ("GET /v1/subscribe HTTP/1.1", {**HANDSHAKE, "Host": "evil.example"}, 403),
    # Answered as if no upgrade had been asked for.
    ("GET /v1/subscribe HTTP/1.1", without("Connection"), 400),
    ("GET /v1/subscribe HTTP/1.1", {**HANDSHAKE, "Upgrade": "h2c"}, 400),
    ("GET /v1/subscribe HTTP/1.0", HANDSHAKE, 400),
    ("GET /v1/subscribe HTTP/1.1", {**HANDSHAKE, "Content-Length": "1"}, 400),
    ("GET /v1/subscribe HTTP/1.1", {**HANDSHAKE, "Transfer-Encoding": "chunked"}, 400),
    ("POST /v1/subscribe HTTP/1.1", HANDSHAKE, 405),
    ("GET /healthz HTTP/1.1", HANDSHAKE, 200),
]
"""The line and the headers of a request, and the status of its answer."""


def test_what_becomes_a_web_socket(url: str, caplog: pytest.LogCaptureFixture) -> None:
    for line, headers, status in REQUESTS:
        with closing(raw(url, head_of(headers, line=line))) as connection:
            assert status_of(connection) == status, (line, headers)
    assert not [each for each in caplog.records if each.levelname == "ERROR"]


def test_a_request_before_the_handshake_is_answered_first(url: str) -> None:
    """Its answer may not end the connection later."""
    first = head_of({"Host": "localhost"}, line="GET /healthz HTTP/1.1")
    handshake = head_of(HANDSHAKE, line=f"GET /v1/subscribe?{urlencode({'sql': ALL})} HTTP/1.1")
    with closing(raw(url, first)) as connection:
        assert status_of(connection) == 200
        connection.recv(100)
        connection.sendall(handshake)
        assert status_of(connection) == 101
    # Sent together, the handshake is a request like others, since the answers have an order.
    with closing(raw(url, first + handshake)) as connection:
        assert status_of(connection) == 200
        connection.recv(len(b'{"status":"ok"}'))
        assert status_of(connection) == 200


@pytest.mark.parametrize(
    ("headers", "is_allowed"),
    [
        ({"Origin": EVIL}, False),
        ({"Origin": "null"}, False),
        ({"Origin": "http://localhost:1"}, False),
        ({"Origin": EVIL, "Sec-Fetch-Site": "cross-site"}, False),
        ({"Origin": EVIL, "Sec-Fetch-Site": "none"}, False),
        ({"Origin": TOOLS}, True),
        ({"Origin": "http://{host}"}, True),
        ({"Origin": "https://public.example", "Sec-Fetch-Site": "same-origin"}, True),
    ],
)
def test_no_page_of_another_origin_opens_one(
    live_services: Services, headers: dict[str, str], is_allowed: bool
) -> None:
    with http_serving(live_services, origins=AllowedOrigins([TOOLS])) as url:
        given = dict(headers)
        origin = Origin(given.pop("Origin").format(host=urlsplit(url).netloc))
        if is_allowed:
            with subscribed(url, origin=origin, additional_headers=given) as connection:
                assert len(begun(connection)[0]) == 2
        else:
            assert refused(url, origin=origin, additional_headers=given) == (403, "42501")


def protocols(scheme: str, credentials: str) -> list[Subprotocol]:
    """Return the subprotocols of a page."""
    text = base64.urlsafe_b64encode(credentials.encode()).decode().rstrip("=")
    return [Subprotocol("stategate"), Subprotocol(f"stategate.{scheme}.{text}")]


def test_credentials(live_services: Services, tmp_path: Path) -> None:
    users = make_users(tmp_path)
    token = add_token(users, name=USER)
    with (
        access_of(users) as access,
        http_serving(live_services, access=access, origins=AllowedOrigins([TOOLS])) as url,
    ):
        given: dict[str, Any]
        for given in (
            {"additional_headers": basic(USER, PASSWORD)},
            {"additional_headers": bearer(token)},
            {"subprotocols": protocols("bearer", token)},
            {"subprotocols": protocols("basic", f"{USER}:{PASSWORD}")},
            {"subprotocols": protocols("bearer", token), "origin": Origin(TOOLS)},
            # Those that the page has chosen count more than those that the browser adds.
            {
                "subprotocols": protocols("bearer", token),
                "additional_headers": basic(USER, "wrong"),
            },
            {
                "additional_headers": basic(USER, PASSWORD),
                "origin": Origin(f"http://{urlsplit(url).netloc}"),
            },
        ):
            with subscribed(url, **given) as connection:
                assert len(begun(connection)[0]) == 2
                chosen = "stategate" if "subprotocols" in given else None
                assert connection.subprotocol == chosen
        for given, sqlstate in (
            ({}, "28000"),
            ({"additional_headers": basic(USER, "wrong")}, "28P01"),
            ({"subprotocols": protocols("bearer", "wrong")}, "28P01"),
            ({"subprotocols": protocols("basic", f"{USER}:wrong")}, "28P01"),
            ({"subprotocols": protocols("basic", USER)}, "28000"),
            ({"subprotocols": [Subprotocol("stategate.bearer.!")]}, "28P01"),
            ({"subprotocols": [*protocols("bearer", token), *protocols("bearer", "x")]}, "28000"),
            # The browser has kept these for the gateway, and the page did not ask for them.
            ({"additional_headers": basic(USER, PASSWORD), "origin": Origin(TOOLS)}, "28000"),
        ):
            assert refused(url, **given) == (401, sqlstate), given


def test_it_ends_with_its_user(live_services: Services, tmp_path: Path) -> None:
    users = make_users(tmp_path)
    token = add_token(users, name="robot")
    with (
        access_of(users) as access,
        http_serving(live_services, access=access) as url,
        subscribed(url, additional_headers=bearer(token)) as gone,
        subscribed(url, additional_headers=basic(USER, PASSWORD)) as stays,
    ):
        begun(gone)
        begun(stays)
        remove_user(users, name="robot")
        # The gateway notices it with the next credentials, or within a second.
        assert httpx.get(f"{url}/v1/stores", headers=basic(USER, PASSWORD)).status_code == 200
        last, code, reason = ended(gone)
        assert last is not None
        assert last["error"]["sqlstate"] == "28000"
        assert (code, reason) == (1008, "28000")
        stays.ping().wait(WAIT_S)
        assert len(access.sessions) == 1


def test_it_works_over_tls(live_services: Services, tmp_path: Path) -> None:
    signed = make_server(tmp_path, authority=make_authority(tmp_path))
    tls = Tls(certificate=signed.certificate, key=signed.key)
    users = make_users(tmp_path)
    trusting = ssl.create_default_context(cafile=signed.authority)
    with (
        access_of(users, tls_required=True) as access,
        http_serving(live_services, access=access, tls=tls) as url,
        subscribed(url, ssl=trusting, additional_headers=basic(USER, PASSWORD)) as connection,
    ):
        assert len(begun(connection)[0]) == 2


def test_connections_have_a_limit(live_services: Services) -> None:
    few = replace(live_services, settings=Settings(http_connections_max=2))
    with http_serving(few) as url:
        for _ in range(3):
            with ExitStack() as stack:
                one, two = (stack.enter_context(admitted(url)) for _ in range(2))
                begun(one)
                begun(two)
                with pytest.raises(InvalidStatus) as raised, subscribed(url):
                    pass
                assert raised.value.response.status_code == 503


@contextmanager
def admitted(url: str) -> Iterator[ClientConnection]:
    """Subscribe once a place is free, which it is when the gateway has seen a client leave."""
    until_s = time.monotonic() + WAIT_S
    with ExitStack() as stack:
        while True:
            try:
                found = stack.enter_context(subscribed(url))
                break
            except InvalidStatus:
                assert time.monotonic() < until_s, "no place became free"
                time.sleep(0.01)
        yield found

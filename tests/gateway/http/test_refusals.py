"""Requests that break HTTP are refused in their turn, and end the connection."""

from __future__ import annotations

import asyncio
import re

import orjson
import pytest
from starlette.types import Receive, Scope, Send

from stategate.gateway.http.app import create_app
from stategate.gateway.http.at_once import AtOnce
from stategate.gateway.http.endpoint import Services
from tests.gateway.client.serving import http_serving
from tests.gateway.http.connections import Connected
from tests.gateway.http.test_connection import Raw
from tests.support.waiting import WAIT_S

pytestmark = pytest.mark.anyio

HOST = b"Host: localhost\r\n"
GOOD = b"GET /first HTTP/1.1\r\n" + HOST + b"\r\n"
UNHOSTED = b"GET / HTTP/1.1\r\nAccept: */*\r\n\r\n"
TWICE = b"GET / HTTP/1.1\r\n" + HOST + b"HOST: evil.example\r\n\r\n"
MALFORMED = b"GET / HTTP/9.9.9\r\n\r\n"
CHUNKED = b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n"
BROKEN_BODY = CHUNKED + b"zz\r\n\r\n"
REFUSED = [UNHOSTED, TWICE, MALFORMED, BROKEN_BODY]


class Waiting:
    """An application that answers when it is told to."""

    def __init__(self) -> None:
        self.asked: asyncio.Queue[str] = asyncio.Queue()
        self.may_begin, self.may_end = asyncio.Event(), asyncio.Event()
        self.has_begun = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.asked.put_nowait(scope["path"])
        await self.may_begin.wait()
        headers = [(b"content-length", b"2")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"a", "more_body": True})
        self.has_begun.set()
        await self.may_end.wait()
        await send({"type": "http.response.body", "body": b"b"})


def statuses(written: bytes) -> list[int]:
    return [int(each) for each in re.findall(rb"HTTP/1\.1 (\d+)", written)]


def assert_refused(connected: Connected) -> None:
    body = connected.transport.written.rpartition(b"\r\n\r\n")[2]
    assert orjson.loads(body)["error"]["sqlstate"] == "08P01"
    assert b"connection: close" in connected.transport.written
    assert connected.transport.closing


@pytest.mark.parametrize("refused", REFUSED)
async def test_a_request_that_breaks_http_is_refused(services: Services, refused: bytes) -> None:
    for at_once in (None, AtOnce(services)):
        connected = Connected(create_app(services), at_once)
        await connected.receive([refused])
        assert statuses(connected.transport.written) == [400]
        assert_refused(connected)
        connected.lose()


@pytest.mark.parametrize("refused", REFUSED)
@pytest.mark.parametrize("at_once", [True, False])
async def test_it_is_refused_after_the_answers_of_earlier_requests(
    refused: bytes, *, at_once: bool
) -> None:
    app = Waiting()
    connected = Connected(app, None)
    pieces = [GOOD + refused + GOOD] if at_once else [GOOD, refused, GOOD]
    for piece in pieces:
        connected.connection.data_received(piece)
    assert await asyncio.wait_for(app.asked.get(), WAIT_S) == "/first"
    assert connected.transport.written == b""
    app.may_begin.set()
    app.may_end.set()
    await connected.settle()
    assert statuses(connected.transport.written) == [200, 400]
    assert app.asked.empty()
    assert_refused(connected)
    connected.lose()


async def test_a_malformed_body_ends_an_answer_that_has_begun() -> None:
    app = Waiting()
    app.may_begin.set()
    connected = Connected(app, None)
    connected.connection.data_received(CHUNKED)
    await asyncio.wait_for(app.asked.get(), WAIT_S)
    await asyncio.wait_for(app.has_begun.wait(), WAIT_S)
    connected.connection.data_received(b"zz\r\n")
    assert connected.transport.closing
    app.may_end.set()
    await connected.settle()
    assert statuses(connected.transport.written) == [200]
    connected.lose()


async def test_a_client_that_leaves_before_its_refusal_is_forgotten() -> None:
    app = Waiting()
    connected = Connected(app, None)
    connected.connection.data_received(GOOD + MALFORMED)
    await asyncio.wait_for(app.asked.get(), WAIT_S)
    connected.lose()
    app.may_begin.set()
    app.may_end.set()
    await connected.settle()
    assert connected.ends == 1


@pytest.mark.parametrize("head", [b"", HOST])
async def test_old_clients_need_no_host(services: Services, head: bytes) -> None:
    connected = Connected(create_app(services), AtOnce(services))
    await connected.receive([b"GET /healthz HTTP/1.0\r\n" + head + b"\r\n"])
    assert statuses(connected.transport.written) == [200]
    connected.lose()


ASKED = [
    (b"GET /healthz HTTP/1.1\r\n" + HOST, 200),
    (b"GET /v1/query?sql=SELECT%201 HTTP/1.1\r\n" + HOST, 200),
    (b"GET /nowhere HTTP/1.1\r\n" + HOST, 404),
    (b"GET /v1/query?sql=SELEKT HTTP/1.1\r\n" + HOST, 400),
    (b"GET / HTTP/1.1\r\n", 400),
    (b"nonsense\r\n", 400),
    (b"GET / HTTP/1.1\r\nX: " + b"x" * 100_000, 431),
    (b"GET /v1/subscribe HTTP/1.1\r\nUpgrade: websocket\r\nConnection: upgrade\r\n", 400),
    (b"GET /v1/subscribe HTTP/1.1\r\nUpgrade: websocket\r\nConnection: upgrade\r\n" + HOST, 426),
]


@pytest.mark.parametrize(("head", "status"), ASKED)
def test_no_answer_is_taken_for_another_type(services: Services, head: bytes, status: int) -> None:
    with http_serving(services) as url:
        connection = Raw(url)
        connection.send(head + b"\r\n")
        answer = connection.answer()
        connection.close()
    assert statuses(answer) == [status]
    assert answer.lower().count(b"\r\nx-content-type-options: nosniff\r\n") == 1

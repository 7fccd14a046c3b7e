"""WebSockets whose clients read slowly or never: an application, a connection, no sockets."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import orjson
import pytest
from starlette.applications import Starlette
from starlette.types import ASGIApp, Message, Scope

from stategate.gateway.http.app import create_app
from stategate.gateway.http.endpoint import Services
from stategate.gateway.http.web_socket import WebSocketConnection
from stategate.gateway.settings import Settings
from stategate.planner.sql import SqlEngine
from stategate.stores.hosting.local_store import LocalStore
from tests.gateway.http.connections import Connected
from tests.gateway.http.live.test_subscribing import ALL
from tests.support.stores import fill
from tests.support.waiting import WAIT_S

pytestmark = pytest.mark.anyio

HANDSHAKE = (
    b"GET /v1/subscribe?sql=SELECT+*+FROM+clicks HTTP/1.1\r\nHost: localhost\r\n"
    b"Connection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
PING = b"\x89\x80\x00\x00\x00\x00"


@pytest.fixture
def services(live_services: Services) -> Services:
    return live_services


async def until_written(connected: Connected, part: bytes) -> WebSocketConnection:
    """Wait for some bytes; return the connection after its upgrade."""
    async with asyncio.timeout(WAIT_S):
        while part not in connected.transport.written:  # noqa: ASYNC110 - nothing signals it
            await asyncio.sleep(0.001)
    (socket,) = connected.state.connections
    assert isinstance(socket, WebSocketConnection)
    return socket


class SlowSocket:
    """A WebSocket that reads when it is told to."""

    def __init__(self, app: ASGIApp) -> None:
        scope: Scope = {
            "type": "websocket",
            "path": "/v1/subscribe",
            "raw_path": b"/v1/subscribe",
            "root_path": "",
            "query_string": urlencode({"sql": ALL}).encode(),
            "http_version": "1.1",
            "scheme": "ws",
            "client": ("127.0.0.1", 50_000),
            "headers": [],
            "subprotocols": [],
        }
        incoming: asyncio.Queue[Message] = asyncio.Queue()
        incoming.put_nowait({"type": "websocket.connect"})
        self._sent: asyncio.Queue[Message] = asyncio.Queue()
        self.reading = asyncio.Event()
        self.reading.set()
        self._scope, self._incoming = scope, incoming
        self.task = asyncio.create_task(self._run(app))

    async def _run(self, app: ASGIApp) -> None:
        await app(self._scope, self._incoming.get, self._take)

    async def _take(self, message: Message) -> None:
        await self.reading.wait()
        await self._sent.put(message)

    async def message(self) -> Message:
        """Return what is sent next."""
        return await asyncio.wait_for(self._sent.get(), WAIT_S)

    async def event(self) -> dict[str, Any]:
        """Return the next message of the live query."""
        message = await self.message()
        assert message["type"] == "websocket.send"
        found: dict[str, Any] = orjson.loads(message["text"])
        return found

    async def begun(self) -> None:
        """Read the first rows."""
        assert (await self.message())["type"] == "websocket.accept"
        while (await self.event())["event"] != "progress":
            pass


async def test_a_slow_client_is_told_and_disconnected(
    app: Starlette, clicks: LocalStore, live_engine: SqlEngine
) -> None:
    slow, quick = SlowSocket(app), SlowSocket(app)
    await slow.begun()
    await quick.begun()
    slow.reading.clear()
    text = "x" * 500
    epoch = 0
    while live_engine.live_counts().held_bytes < 150_000 or epoch < 200:
        epoch += 1
        fill(clicks, [(f"{text}{n}", epoch, None) for n in range(20)], epoch=epoch)
        while (await quick.event())["epoch"] < epoch:
            pass
    slow.reading.set()
    while (event := await slow.event())["event"] != "error":
        pass
    assert event["error"]["sqlstate"] == "53400"
    assert await slow.message() == {"type": "websocket.close", "code": 1013, "reason": "53400"}
    await asyncio.wait_for(slow.task, WAIT_S)
    assert live_engine.live_counts().slow_ended == 1
    quick.task.cancel()
    await asyncio.wait_for(quick.task, WAIT_S)


async def test_a_client_that_stops_reading_is_disconnected(
    live_services: Services, clicks: LocalStore, live_engine: SqlEngine
) -> None:
    short = replace(live_services, settings=Settings(stall_timeout_ms=50))
    stalled = SlowSocket(create_app(short))
    await stalled.begun()
    stalled.reading.clear()
    fill(clicks, [("cid", 3, None)], epoch=1)
    await asyncio.wait_for(stalled.task, WAIT_S)
    counts = live_engine.live_counts()
    assert (counts.subscribers, counts.slow_ended) == (0, 1)


async def test_a_stream_that_no_one_reads_is_cut_off(
    live_services: Services,
    clicks: LocalStore,
    live_engine: SqlEngine,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It counts as slow, and is no error of the server, whose log says nothing of it."""
    caplog.set_level("INFO")
    short = replace(live_services, settings=Settings(stall_timeout_ms=50))
    connected = Connected(create_app(short), None)
    stream = b"GET /v1/subscribe?sql=SELECT+*+FROM+clicks HTTP/1.1\r\nHost: localhost\r\n\r\n"
    await connected.receive([stream], whole=False)
    async with asyncio.timeout(WAIT_S):
        while b"progress" not in connected.transport.written:  # noqa: ASYNC110 - nothing signals it
            await asyncio.sleep(0.001)
    connected.connection.pause_writing()
    fill(clicks, [("cid", 3, None)], epoch=1)
    await connected.settle()
    counts = live_engine.live_counts()
    assert (counts.subscribers, counts.slow_ended) == (0, 1)
    assert connected.transport.aborted
    messages = [(each.levelname, each.getMessage()) for each in caplog.records]
    assert ("INFO", "client disconnected: the client has stopped reading") in messages
    assert not [each for each in messages if each[0] not in {"INFO", "DEBUG"}]
    connected.lose()


async def test_a_connection_is_handed_over_and_left(app: Starlette) -> None:
    connected = Connected(app, None)
    await connected.receive([HANDSHAKE], pauses=True, whole=False)
    socket = await until_written(connected, b"progress")
    assert connected.transport.get_protocol() is socket
    assert connected.transport.written.startswith(b"HTTP/1.1 101 ")
    assert not connected.unauthenticated
    assert connected.ends == 0
    socket.connection_lost(None)
    await connected.settle()
    assert connected.ends == 1
    assert not connected.state.connections


async def test_pings_are_answered_while_the_client_reads(app: Starlette) -> None:
    connected = Connected(app, None)
    await connected.receive([HANDSHAKE], whole=False)
    socket = await until_written(connected, b"progress")
    count = len(connected.transport.writes)
    socket.data_received(PING)
    assert connected.transport.writes[count:] == [b"\x8a\x00"]
    socket.pause_writing()
    for _ in range(100):
        socket.data_received(PING * 100)
    assert len(connected.transport.writes) == count + 1
    socket.resume_writing()
    socket.data_received(PING)
    assert connected.transport.writes[count + 1 :] == [b"\x8a\x00"]
    socket.connection_lost(None)
    await connected.settle()


async def test_pieces_of_a_message_are_not_kept(app: Starlette) -> None:
    connected = Connected(app, None)
    await connected.receive([HANDSHAKE], whole=False)
    socket = await until_written(connected, b"progress")
    socket.data_received(b"\x01\x80\x00\x00\x00\x00")
    socket.data_received(b"\x00\x80\x00\x00\x00\x00" * 1_000)
    assert (len(socket.frames), socket.queue.qsize()) == (0, 1)
    await until_written(connected, (1008).to_bytes(2, "big"))
    await connected.settle()
    socket.data_received(b"\x00\x80\x00\x00\x00\x00" * 1_000)
    assert len(socket.frames) == 0
    assert socket.queue.qsize() <= 1
    socket.connection_lost(None)
    await connected.settle()


async def test_unread_data_of_an_earlier_answer_counts(app: Starlette) -> None:
    connected = Connected(app, None)
    connected.connection.pause_writing()
    await connected.receive([HANDSHAKE], pauses=True, whole=False)
    assert connected.transport.written == b""
    (socket,) = connected.state.connections
    assert isinstance(socket, WebSocketConnection)
    socket.resume_writing()
    await until_written(connected, b"progress")
    socket.connection_lost(None)
    await connected.settle()

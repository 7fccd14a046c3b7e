"""`GET /v1/subscribe`: events, resuming, and clients that read slowly or leave."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
import orjson
import pytest
from starlette.applications import Starlette
from starlette.types import ASGIApp, Message, Scope

from stategate.gateway.access.changing_users import add_token, revoke_tokens
from stategate.gateway.http.app import create_app
from stategate.gateway.http.endpoint import Services
from stategate.gateway.http.openapi.document import OPERATIONS
from stategate.gateway.http.requests.fields import SUBSCRIBE_FIELDS
from stategate.gateway.settings import Settings
from stategate.planner.engine import FIRST_ROWS
from stategate.planner.sql import SqlEngine
from stategate.stores.hosting.local_store import LocalStore
from tests.gateway.credentials import access_of, make_users
from tests.support.stores import fill
from tests.support.waiting import WAIT_S

pytestmark = pytest.mark.anyio

ALL = "SELECT * FROM clicks ORDER BY usr"


@pytest.fixture
def services(live_services: Services) -> Services:
    return live_services


class Subscriber:
    """A client of the endpoint, which reads as many parts of the answer as it is told to."""

    def __init__(
        self,
        app: ASGIApp,
        sql: str,
        *,
        last: str | None = None,
        bearer: str | None = None,
        **fields: str,
    ) -> None:
        self._app = app
        headers = [] if last is None else [(b"last-event-id", last.encode())]
        headers += [] if bearer is None else [(b"authorization", f"Bearer {bearer}".encode())]
        self._scope: Scope = {
            "type": "http",
            "method": "GET",
            "path": "/v1/subscribe",
            "raw_path": b"/v1/subscribe",
            "root_path": "",
            "query_string": urlencode({"sql": sql, **fields}).encode(),
            "http_version": "1.1",
            "scheme": "http",
            "client": ("127.0.0.1", 50_000),
            "headers": headers,
        }
        self._incoming: asyncio.Queue[Message] = asyncio.Queue()
        self._incoming.put_nowait({"type": "http.request", "body": b""})
        self._parts: asyncio.Queue[Message] = asyncio.Queue()
        self.reading = asyncio.Event()
        self.reading.set()
        self._text = b""
        self.head: Message = {}
        self.task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        await self._app(self._scope, self._incoming.get, self._take)

    async def _take(self, message: Message) -> None:
        await self.reading.wait()
        await self._parts.put(message)

    async def event(self) -> tuple[str, str | None, dict[str, Any]]:
        """Return the name, the id and the data of the next event; skip comments."""
        async with asyncio.timeout(WAIT_S):
            while b"\n\n" not in self._text:
                message = await self._parts.get()
                if message["type"] == "http.response.start":
                    self.head = message
                    continue
                self._text += message["body"]
                assert message.get("more_body") or b"\n\n" in self._text, "the stream has ended"
        one, _, self._text = self._text.partition(b"\n\n")
        fields = dict(line.split(b": ", 1) for line in one.split(b"\n"))
        if b"event" not in fields:
            return await self.event()
        name, last = fields[b"event"].decode(), fields.get(b"id")
        data = orjson.loads(fields[b"data"])
        assert data.pop("event") == name
        return name, None if last is None else last.decode(), data

    async def raw_part(self) -> bytes:
        """Return the next part of the answer as it is."""
        async with asyncio.timeout(WAIT_S):
            while True:
                message = await self._parts.get()
                if message["type"] != "http.response.start":
                    return bytes(message["body"])

    async def named(self, name: str) -> tuple[str | None, dict[str, Any]]:
        """Return the id and the data of the next event, which has this name."""
        found, last, data = await self.event()
        assert found == name, data
        return last, data

    async def begun(self) -> tuple[list[list[object]], str]:
        """Return the first rows, and the id at their end."""
        await self.named("columns")
        rows: list[list[object]] = []
        while (event := await self.event())[0] == "rows":
            rows += event[2]["rows"]
        assert event[0] == "progress"
        assert event[1] is not None
        return rows, event[1]

    async def leave(self) -> None:
        """Close the connection."""
        self._incoming.put_nowait({"type": "http.disconnect"})
        self.reading.set()
        await asyncio.wait_for(self.task, WAIT_S)


async def test_a_client_that_is_cut_off_in_its_first_rows_gets_them_anew(
    app: Starlette, clicks: LocalStore
) -> None:
    """It has forgotten the token of its earlier rows, and has a part of the new ones."""
    first = Subscriber(app, ALL, last=None)
    token, _ = await first.named("columns")
    await first.leave()
    again = Subscriber(app, ALL, last=token)
    begun, data = await again.named("start_over")
    assert data["reason"] == "its first rows were not complete"
    assert begun == data["token"] == token
    rows, _ = await again.begun()
    assert len(rows) == 2
    await again.leave()


async def test_first_rows_then_changes_with_their_positions(
    app: Starlette, clicks: LocalStore, live_engine: SqlEngine
) -> None:
    subscriber = Subscriber(app, ALL)
    _, columns = await subscriber.named("columns")
    assert columns == {
        "columns": [
            {"name": "usr", "type": "text"},
            {"name": "n", "type": "bigint"},
            {"name": "at", "type": "timestamptz"},
        ],
        "token": FIRST_ROWS,
    }
    assert subscriber.head["status"] == 200
    headers = dict(subscriber.head["headers"])
    assert headers[b"content-type"] == b"text/event-stream"
    assert headers[b"cache-control"] == b"no-store"
    _, first = await subscriber.named("rows")
    assert first == {"rows": [["ann", 1, "1970-01-01T00:00:00Z"], ["bob", 2, None]]}
    token, moment = await subscriber.named("progress")
    assert moment == {
        "epoch": 0,
        "epochs": {"clicks": 0},
        "position": {"events": {"0": 0}},
        "token": token,
    }
    fill(clicks, [("bob", 3, None), ("cid", 4, None)], epoch=1)
    last, changes = await subscriber.named("changes")
    assert last == changes["token"]
    assert changes["epoch"] == 1
    assert changes["position"] == {"events": {"0": 1}}
    assert changes["inserted"] == [["cid", 4, None]]
    assert changes["updated"] == [[["bob", 2, None], ["bob", 3, None]]]
    assert changes["deleted"] == []
    fill(clicks, [], epoch=2)
    assert (await subscriber.named("progress"))[1]["epoch"] == 2
    await subscriber.leave()
    assert live_engine.live_counts().subscribers == 0


async def test_a_client_goes_on_after_its_last_event(app: Starlette, clicks: LocalStore) -> None:
    staying = Subscriber(app, ALL)
    _, token = await staying.begun()
    for epoch in (1, 2, 3):
        fill(clicks, [("bob", epoch, None)], epoch=epoch)
    expected = [await staying.event() for _ in range(3)]
    for fields in ({"last": token}, {"token": token}, {"last": token, "token": "ignored"}):
        returned = Subscriber(app, ALL, **fields)
        await returned.named("columns")
        assert [await returned.event() for _ in range(3)] == expected
        await returned.leave()
    middle = Subscriber(app, ALL, last=expected[1][1])
    await middle.named("columns")
    assert await middle.event() == expected[2]
    await middle.leave()
    await staying.leave()


async def test_a_client_that_was_away_for_too_long_starts_over(
    app: Starlette, clicks: LocalStore
) -> None:
    away = Subscriber(app, ALL)
    _, token = await away.begun()
    await away.leave()
    staying = Subscriber(app, ALL)
    await staying.begun()
    for epoch in range(1, 300):
        fill(clicks, [], epoch=epoch)
        while (await staying.event())[2]["epoch"] < epoch:
            pass
    returned = Subscriber(app, ALL, last=token)
    _, data = await returned.named("start_over")
    assert data == {
        "reason": "the changes after the token are no longer held",
        "token": FIRST_ROWS,
    }
    rows, _ = await returned.begun()
    assert len(rows) == 2
    await returned.leave()
    await staying.leave()


async def test_parameters_and_settings(app: Starlette, clicks: LocalStore) -> None:
    where = "SELECT n FROM clicks WHERE usr = :usr"
    one = Subscriber(app, where, **{"param.usr": "bob"})
    assert (await one.begun())[0] == [[2]]
    await one.leave()
    numbered = Subscriber(app, "SELECT n FROM clicks WHERE usr = $1", params='["ann"]')
    assert (await numbered.begun())[0] == [[1]]
    await numbered.leave()
    waiting = Subscriber(app, ALL, bound='{"events": {"0": 1}}', wait_ms="10000")
    await asyncio.sleep(0.02)
    fill(clicks, [("bob", 3, None)], epoch=1)
    assert (await waiting.begun())[0][1] == ["bob", 3, None]
    await waiting.leave()


@pytest.mark.parametrize(
    ("fields", "status", "sqlstate"),
    [
        ({}, 400, "08P01"),
        ({"sql": "SELEC"}, 400, "42601"),
        ({"sql": "SELECT * FROM nope"}, 400, "42P01"),
        ({"sql": "SELECT 1; SELECT 2"}, 400, "42601"),
        ({"sql": "SELECT now() FROM clicks"}, 501, "0A000"),
        ({"sql": "SHOW STORES"}, 501, "0A000"),
        ({"sql": f"SUBSCRIBE ({ALL})"}, 501, "0A000"),
        ({"sql": ALL, "token": "x"}, 400, "22023"),
        ({"sql": ALL, "bound": '{"events": {"0": 9}}'}, 503, "55S01"),
        ({"sql": ALL, "format": "csv"}, 400, "08P01"),
        ({"sql": ALL, "partial": "true"}, 501, "0A000"),
        ({"sql": "SELECT n FROM clicks WHERE usr = $1"}, 400, "08P01"),
    ],
)
async def test_errors_before_the_first_event_are_answers(
    client: httpx.AsyncClient, fields: Mapping[str, str], status: int, sqlstate: str
) -> None:
    response = await client.get("/v1/subscribe", params=fields)
    assert response.status_code == status, response.text
    assert response.json()["error"]["sqlstate"] == sqlstate


async def test_head_checks_the_statement(client: httpx.AsyncClient) -> None:
    response = await client.head("/v1/subscribe", params={"sql": ALL})
    assert (response.status_code, response.content) == (200, b"")
    assert response.headers["content-type"] == "text/event-stream"
    assert (await client.head("/v1/subscribe", params={"sql": "x"})).status_code == 400


async def test_a_slow_client_is_told_and_disconnected(
    app: Starlette, clicks: LocalStore, live_engine: SqlEngine
) -> None:
    slow, quick = Subscriber(app, ALL), Subscriber(app, ALL)
    await slow.begun()
    await quick.begun()
    slow.reading.clear()
    text = "x" * 500
    epoch = 0
    while live_engine.live_counts().held_bytes < 150_000 or epoch < 200:
        epoch += 1
        fill(clicks, [(f"{text}{n}", epoch, None) for n in range(20)], epoch=epoch)
        while (await quick.event())[2]["epoch"] < epoch:
            pass
        assert live_engine.live_counts().held_bytes <= 200_000
    slow.reading.set()
    events: list[tuple[str, str | None, dict[str, Any]]] = []
    while not events or events[-1][0] != "error":
        events.append(await slow.event())
    assert events[-1][2]["error"]["sqlstate"] == "53400"
    assert len(events) < epoch
    await asyncio.wait_for(slow.task, WAIT_S)
    assert live_engine.live_counts().slow_ended == 1
    await quick.leave()


async def test_a_query_that_ends_says_why(
    app: Starlette, clicks: LocalStore, live_engine: SqlEngine
) -> None:
    dividing = Subscriber(app, "SELECT 1 / n FROM clicks")
    await dividing.begun()
    fill(clicks, [("bob", 0, None)], epoch=1)
    _, data = await dividing.named("error")
    assert data["error"]["sqlstate"] == "22012"
    ending = Subscriber(app, ALL)
    await ending.begun()
    live_engine.end_live()
    _, data = await ending.named("error")
    assert (data["error"]["sqlstate"], data["error"]["retryable"]) == ("57P01", True)
    for each in (dividing, ending):
        await asyncio.wait_for(each.task, WAIT_S)


@pytest.mark.parametrize("lifetime_ms", [1, 50])
async def test_a_stream_ends_with_its_lifetime(services: Services, lifetime_ms: int) -> None:
    short = replace(services, settings=Settings(live_lifetime_ms=lifetime_ms))
    transport = httpx.ASGITransport(app=create_app(short))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        response = await client.get("/v1/subscribe", params={"sql": ALL})
    assert response.status_code == 200
    assert "event: progress" in response.text
    assert "event: error" not in response.text


def test_its_fields_are_described() -> None:
    named = [each["name"] for each in OPERATIONS["GET", "/v1/subscribe"]["parameters"]]
    assert named == [*SUBSCRIBE_FIELDS, "Last-Event-ID"]


async def test_a_live_query_ends_with_its_user(
    services: Services, clicks: LocalStore, tmp_path: Path
) -> None:
    path = make_users(tmp_path)
    tokens = {user: add_token(path, name=user) for user in ("robot", "other")}
    with access_of(path) as access:
        app = create_app(services, access=access)
        gone, stays = (Subscriber(app, ALL, bearer=token) for token in tokens.values())
        await gone.begun()
        await stays.begun()
        revoke_tokens(path, name="robot")
        access.look()
        _, data = await gone.named("error")
        assert data["error"]["sqlstate"] == "28000"
        assert "removed" in data["error"]["detail"]
        assert not data["error"]["retryable"]
        await asyncio.wait_for(gone.task, WAIT_S)
        fill(clicks, [("eve", 7, None)], epoch=2)
        assert (await stays.named("changes"))[1]["inserted"]
        await stays.leave()
        assert not len(access.sessions)

"""No route shows a row of a store that the user may not read, however hot plans and answers are."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from stategate.gateway.access.changing_users import add_token, remove_user, set_stores
from stategate.gateway.http.app import create_app
from stategate.gateway.http.at_once import AtOnce
from stategate.gateway.http.endpoint import Services
from stategate.gateway.settings import Settings
from stategate.gateway.statement_threads import StatementThreads
from stategate.planner.engine import Rights
from stategate.planner.sql import SqlEngine
from stategate.planner.typed import TypedQueries
from tests.gateway.credentials import OTHER, USER, access_of, make_users
from tests.gateway.http.connections import Connected, body_of
from tests.gateway.http.odd_requests import posted
from tests.gateway.http.test_authentication import bearer
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

pytestmark = pytest.mark.anyio

SECRETS = keyvalue("secrets", {"k": "text"}, {"v": "text"}, partitions=2)
OPEN = keyvalue("totals_1", {"k": "text"}, {"v": "text"}, partitions=2)
MARK = "topsecret"
ONE = "SELECT v FROM secrets WHERE k = 'a'"
PARAMETER = "SELECT v FROM secrets WHERE k = $1"
ALL = "SELECT k, v FROM secrets"


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A gateway with two users, of whom one is limited."""

    services: Services
    rights: Rights
    users: Path
    tokens: dict[str, str]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    stores = [open_store(schema) for schema in (SECRETS, OPEN)]
    for store in stores:
        fill(store, [("a", f"{MARK} of {store.schema.name}"), ("b", MARK)])
    rights, catalog = Rights(), FixedCatalog(*stores)
    engine, threads = SqlEngine(catalog, rights=rights), StatementThreads(count=2, queue_max=8)
    users = make_users(tmp_path_factory.mktemp("users"))
    tokens = {name: add_token(users, name=name) for name in (USER, OTHER)}
    set_stores(users, name=USER, stores=["totals_*"])
    documents = [{"name": each.schema.name, "replicas": []} for each in stores]
    services = Services(
        engine=engine,
        threads=threads,
        settings=Settings(),
        describe_stores=lambda: documents,
        not_ready=list,
        rights=rights,
        typed=TypedQueries(catalog, rights=rights),
    )
    yield World(services=services, rights=rights, users=users, tokens=tokens)
    services.pages.close()
    threads.close()
    engine.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """A connection of each user, with the shortcut, and the application alone."""

    world: World
    connected: dict[str, Connected]
    client: httpx.AsyncClient

    async def ask(self, user: str, method: str, target: str, body: object) -> tuple[int, bytes]:
        """Send a request through the shortcut; return the status and the whole answer."""
        token = f"Authorization: Bearer {self.world.tokens[user]}\r\n"
        if method == "POST":
            request = posted(target, body, token)
        else:
            request = f"{method} {target} HTTP/1.1\r\nHost: localhost\r\n{token}\r\n".encode()
        written = self.connected[user].transport
        begun = len(written.written)
        await self.connected[user].receive([request])
        answer = written.written[begun:]
        return int(answer.split(b" ", 2)[1]), answer

    async def ask_app(self, user: str, method: str, target: str, body: object) -> tuple[int, bytes]:
        """Send a request to the application alone."""
        answer = await self.client.request(
            method,
            target,
            json=body if method == "POST" else None,
            headers=bearer(self.world.tokens[user]),
        )
        return answer.status_code, answer.content


@pytest.fixture
async def asking(world: World) -> AsyncIterator[Asking]:
    with access_of(world.users, rights=world.rights) as access:
        app = create_app(world.services, access=access)
        at_once = AtOnce(world.services, access=access)
        transport = httpx.ASGITransport(app=app, client=("127.0.0.1", 50_000))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            yield Asking(
                world=world,
                connected={name: Connected(app, at_once) for name in world.tokens},
                client=client,
            )


def url(sql: str, **more: object) -> str:
    fields = "".join(f"&{name}={value}" for name, value in more.items())
    return f"/v1/query?sql={quote(sql, safe='')}{fields}"


REQUESTS: list[tuple[str, str, object]] = [
    ("POST", "/v1/query", {"sql": ONE}),
    ("POST", "/v1/query", {"sql": ONE, "format": "ndjson"}),
    ("POST", "/v1/query", {"sql": ONE, "format": "csv"}),
    ("POST", "/v1/query", {"sql": PARAMETER, "params": ["a"]}),
    ("POST", "/v1/query", {"sql": PARAMETER, "params": ["a"], "bound": {"events": {"0": 0}}}),
    ("POST", "/v1/query", {"sql": PARAMETER, "params": ["a"], "consistency": "latest"}),
    ("POST", "/v1/query", {"sql": "SELECT v FROM secrets WHERE k IN ('a', 'b')"}),
    ("POST", "/v1/query", {"sql": ALL}),
    ("POST", "/v1/query", {"sql": ALL, "format": "arrow"}),
    ("POST", "/v1/query", {"sql": "SELECT upper(v), v FROM secrets"}),
    ("POST", "/v1/query", {"sql": "SELECT s.v FROM totals_1 t JOIN secrets s ON s.k = t.k"}),
    ("POST", "/v1/query", {"sql": ALL, "page_rows": 1}),
    ("POST", "/v1/query", {"sql": ALL, "page_rows": 1, "consistency": "snapshot"}),
    ("GET", url(ONE), None),
    ("GET", url(ALL, format="tsv"), None),
    ("GET", url(ALL, page_rows=1), None),
    ("GET", "/v1/stores/secrets/a", None),
    ("GET", "/v1/stores/secrets/a?format=ndjson", None),
    ("POST", "/v1/stores/secrets/query", {"type": "key", "args": {"key": ["a"]}}),
    ("POST", "/v1/stores/secrets/query", {"type": "range"}),
]


@pytest.mark.parametrize(("method", "target", "body"), REQUESTS)
async def test_a_request_is_refused_or_answered_by_who_asks(
    asking: Asking, method: str, target: str, body: object
) -> None:
    for ask in (asking.ask, asking.ask_app, asking.ask):
        for _ in range(3):
            status, answer = await ask(OTHER, method, target, body)
            assert status == 200, answer
            assert MARK.encode() in answer
            status, answer = await ask(USER, method, target, body)
            assert (status, b'"sqlstate":"42501"' in answer) == (403, True), answer
            assert b"permission denied for table secrets" in answer
            assert MARK.encode() not in answer
        mine = (
            target.replace("secrets", "totals_1"),
            json.dumps(body).replace("secrets", "totals_1"),
        )
        status, answer = await ask(USER, method, mine[0], json.loads(mine[1]))
        assert (status, MARK.encode() in answer) == (200, True), answer


@pytest.mark.parametrize(
    "body",
    [
        {"sql": PARAMETER, "params": [["a"], ["b"]]},
        {"sql": "SELECT upper(v), v FROM secrets WHERE k = $1", "params": [["a"], ["b"]]},
        {"statements": [{"sql": ONE}, {"sql": ALL}]},
    ],
)
async def test_each_statement_of_a_batch_is_refused(asking: Asking, body: object) -> None:
    for _ in range(3):
        _, answer = await asking.ask(OTHER, "POST", "/v1/batch", body)
        assert answer.count(MARK.encode()) >= 2
        _, answer = await asking.ask(USER, "POST", "/v1/batch", body)
        assert MARK.encode() not in answer
        assert answer.count(b'"42501"') == 2


async def test_the_version_of_an_answer_is_no_answer(asking: Asking) -> None:
    """A tag that the user has from a time with the right gets no 304."""
    headers, before = bearer(asking.world.tokens[USER]), asking.world.users.read_bytes()
    try:
        set_stores(asking.world.users, name=USER, stores=["secrets"])
        tag = (await asking.client.get(url(ALL), headers=headers)).headers["etag"]
        known = {**headers, "If-None-Match": tag}
        assert (await asking.client.get(url(ALL), headers=known)).status_code == 304
    finally:
        asking.world.users.write_bytes(before)
    assert (await asking.client.get(url(ALL), headers=known)).status_code == 403


async def test_a_token_of_a_page_gives_no_page(asking: Asking) -> None:
    for more in ({}, {"consistency": "snapshot"}):
        body = {"sql": ALL, "page_rows": 1, **more}
        _, first = await asking.ask_app(OTHER, "POST", "/v1/query", body)
        token = json.loads(first)["next"]
        for ask in (asking.ask_app, asking.ask):
            status, answer = await ask(USER, "POST", "/v1/query", {"sql": ALL, "next": token})
            assert status >= 400
            assert MARK.encode() not in answer


async def test_only_the_stores_of_a_user_are_listed(asking: Asking) -> None:
    for user, names in ((OTHER, ["secrets", "totals_1"]), (USER, ["totals_1"])):
        _, answer = await asking.ask_app(user, "GET", "/v1/stores", None)
        assert [each["name"] for each in json.loads(answer)["stores"]] == names
        status, _ = await asking.ask_app(user, "GET", "/v1/stores/secrets", None)
        assert status == (200 if user == OTHER else 403)


async def test_every_route_of_a_store_and_every_subscription_is_refused(asking: Asking) -> None:
    document: dict[str, Any] = (
        await asking.client.get("/openapi.json", headers=bearer(asking.world.tokens[USER]))
    ).json()
    routes = [path for path in document["paths"] if path.startswith("/v1/stores/{name}")]
    assert len(routes) >= 4, "a new route is asked, too"
    asked = [
        (method.upper(), path.replace("{name}", "secrets").replace("{key}", "a"))
        for path in routes
        for method in document["paths"][path]
        if method in {"get", "post"}
    ]
    asked += [
        ("GET", "/v1/stores/secrets/a?locate"),
        ("GET", f"/v1/subscribe?sql={quote(ALL)}"),
    ]
    for method, target in asked:
        body = {"type": "key", "args": {"key": ["a"]}}
        status, answer = await asking.ask_app(USER, method, target, body)
        assert (status, MARK.encode() in answer) == (403, False), (method, target, answer)


async def test_a_change_of_the_file_counts_from_the_next_request(asking: Asking) -> None:
    world, request = asking.world, ("POST", "/v1/query", {"sql": ONE})
    before = world.users.read_bytes()
    try:
        assert (await asking.ask(USER, *request))[0] == 403
        set_stores(world.users, name=USER, stores=["totals_*", "secrets"])
        for _ in range(3):
            status, answer = await asking.ask(USER, *request)
            assert (status, MARK.encode() in body_of(answer)) == (200, True)
        set_stores(world.users, name=USER, stores=["totals_1"])
        assert (await asking.ask(USER, *request))[0] == 403
        remove_user(world.users, name=USER)
        assert (await asking.ask(USER, *request))[0] == 401
    finally:
        world.users.write_bytes(before)

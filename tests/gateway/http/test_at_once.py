"""Pages, queries by name and unchanged answers that take one write and no task."""

from __future__ import annotations

import gzip
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pytest

from stategate.gateway.access.rules import Method
from stategate.gateway.http.app import create_app
from stategate.gateway.http.at_once import AtOnce
from stategate.planner.engine import Statement
from stategate.planner.sql import SqlEngine
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.spec.schema import Row
from tests.gateway.credentials import access_of
from tests.gateway.http.connections import Connected, body_of
from tests.gateway.http.odd_requests import posted
from tests.gateway.http.serving import serving
from tests.support.stores import fill, keyvalue, open_store

pytestmark = pytest.mark.anyio

SCHEMA = keyvalue("numbers", {"n": "bigint"}, {"text": "text"}, partitions=3)
ROWS: list[Row] = [(n, f"row {n}") for n in range(40)]
SQL = "SELECT n, text FROM numbers"


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A gateway over one store, and a connection to it."""

    store: LocalStore
    connected: Connected

    async def ask(self, request: bytes) -> tuple[bytes, bytes]:
        """Return the head and the body of the answer."""
        written = self.connected.transport
        begun = len(written.written)
        await self.connected.receive([request])
        answer = written.written[begun:]
        return answer.partition(b"\r\n\r\n")[0], body_of(answer)

    def ask_at_once(self, request: bytes) -> bytes:
        """Return the answer, which takes one write."""
        before = len(self.connected.transport.writes)
        self.connected.connection.data_received(request)
        assert not self.connected.state.tasks
        (answer,) = self.connected.transport.writes[before:]
        return bytes(answer)

    def needs_thread(self, request: bytes) -> bool:
        """Whether a request is left to the application."""
        before = len(self.connected.transport.writes)
        self.connected.connection.data_received(request)
        return len(self.connected.transport.writes) == before and bool(self.connected.state.tasks)

    async def page(self, **fields: object) -> dict[str, Any]:
        _, body = await self.ask(posted("/v1/query", {"sql": SQL, **fields}))
        page: dict[str, Any] = json.loads(body)
        return page


@contextmanager
def serving_pages() -> Iterator[Served]:
    store = open_store(SCHEMA)
    with serving(store) as services, access_of(None, method=Method.TRUST) as access:
        app, at_once = create_app(services, access=access), AtOnce(services, access=access)
        yield Served(store=store, connected=Connected(app, at_once))


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    with serving_pages() as found:
        yield found


async def test_a_page_takes_one_write_once_it_is_planned(served: Served) -> None:
    fill(served.store, ROWS)
    request = posted("/v1/query", {"sql": SQL, "page_rows": 7})
    _, whole = await served.ask(request)
    answer = served.ask_at_once(request)
    assert b"\r\nstategate-next: " in answer
    page, first = json.loads(body_of(answer)), json.loads(whole)
    assert page | {"elapsed_ms": 0} == first | {"elapsed_ms": 0}
    # The second page has another text, which is planned once, too.
    following = posted("/v1/query", {"sql": SQL, "next": page["next"]})
    _, planned = await served.ask(following)
    again = json.loads(body_of(served.ask_at_once(following)))
    assert again | {"elapsed_ms": 0} == json.loads(planned) | {"elapsed_ms": 0}
    assert [row[0] for row in again["rows"]] == list(range(7, 14))


@pytest.mark.parametrize("rows", [1, 3, 13, 40, 41, 250])
async def test_all_pages_together_are_the_rows(served: Served, rows: int) -> None:
    fill(served.store, ROWS)
    for _ in range(2):
        found, token = [], None
        while True:
            more = {"page_rows": rows} if token is None else {"next": token}
            page = await served.page(**more)
            found += page["rows"]
            token = page["next"]
            if token is None:
                break
        assert found == [list(row) for row in ROWS]


async def test_a_next_page_is_no_older_than_the_page_before(served: Served) -> None:
    """One partition is behind the page before: the answer waits, or is an error, but never old."""
    fill(served.store, ROWS)
    for _ in range(2):
        page = await served.page(page_rows=7)
        assert (await served.page(next=page["next"]))["rows"][0][0] == 7
    fill(served.store, [(1, "new")], epoch=1)
    newer = await served.page(page_rows=7)
    with serving_pages() as behind:
        fill(behind.store, ROWS)
        page = await behind.page(page_rows=7)
        await behind.page(next=page["next"])  # plans the second page
        refused = await behind.page(next=newer["next"], wait_ms=0)
        assert refused["error"]["sqlstate"] == "55S01"


async def test_a_page_is_compressed_as_the_client_accepts_it(served: Served) -> None:
    fill(served.store, [(n, "long text " * 20) for n in range(40)])
    plain = posted("/v1/query", {"sql": SQL, "page_rows": 20})
    await served.ask(plain)
    short = served.ask_at_once(
        posted("/v1/query", {"sql": SQL, "page_rows": 20}, "Accept-Encoding: gzip\r\n")
    )
    assert b"\r\ncontent-encoding: gzip" in short
    assert b"\r\nvary: " in short
    whole, coded = body_of(served.ask_at_once(plain)), body_of(short)
    assert len(coded) < len(whole) / 2
    page, same = json.loads(whole), json.loads(gzip.decompress(coded))
    assert page | {"elapsed_ms": 0} == same | {"elapsed_ms": 0}


async def test_a_snapshot_and_a_long_page_need_a_thread(served: Served) -> None:
    fill(served.store, ROWS)
    for more in ({"page_rows": 7, "consistency": "snapshot"}, {"page_rows": 251}):
        assert (await served.page(**more))["rows"][0] == [0, "row 0"]
        assert served.needs_thread(posted("/v1/query", {"sql": SQL, **more}))
        await served.connected.settle()


async def test_a_page_of_long_rows_needs_a_thread(served: Served) -> None:
    fill(served.store, [(n, "x" * 10_000) for n in range(10)])
    request = posted("/v1/query", {"sql": SQL, "page_rows": 8})
    await served.ask(request)
    assert served.needs_thread(request)
    await served.connected.settle()


async def test_a_lookup_without_a_read_does_not_pass_by_a_bound(served: Served) -> None:
    """No row has a NULL key, but a topic that feeds no store is an error all the same."""
    fill(served.store, ROWS)
    document = {"sql": "SELECT text FROM numbers WHERE n = $1", "params": [None]}
    await served.ask(posted("/v1/query", document))
    for _ in range(2):
        _, body = await served.ask(posted("/v1/query", {**document, "bound": {"nope": {"0": 5}}}))
        assert json.loads(body)["error"]["sqlstate"] == "42704"


async def test_a_query_by_name_of_a_key_takes_one_write(served: Served) -> None:
    fill(served.store, ROWS)
    for key, rows in ((["7"], [[7, "row 7"]]), (["99"], None)):
        document = {"type": "key", "args": {"key": key}}
        found = json.loads(
            body_of(served.ask_at_once(posted("/v1/stores/numbers/query", document)))
        )
        (partition,) = found["partitions"]
        assert (partition["result"] and partition["result"]["rows"]) == rows
        assert partition["rows"] == len(rows or ())


@pytest.mark.parametrize(
    ("document", "sqlstate"),
    [
        ({"type": "key"}, "22023"),
        ({"type": "key", "args": {"key": ["x"]}}, "22P02"),
        ({"type": "nonsense"}, "0A000"),
        ({"type": 1}, "08P01"),
    ],
)
async def test_a_wrong_query_by_name_is_refused_at_once(
    served: Served, document: object, sqlstate: str
) -> None:
    answer = served.ask_at_once(posted("/v1/stores/numbers/query", document))
    assert json.loads(body_of(answer))["error"]["sqlstate"] == sqlstate


async def test_an_unchanged_answer_takes_one_write(served: Served) -> None:
    fill(served.store, ROWS)
    get = f"GET /v1/query?sql={quote('SELECT max(n) FROM numbers')} HTTP/1.1\r\nHost: localhost\r\n"
    head, _ = await served.ask(f"{get}\r\n".encode())
    (tag,) = [line[6:] for line in head.split(b"\r\n") if line.startswith(b"etag: ")]
    asked = get.encode() + b"If-None-Match: " + tag + b"\r\n\r\n"
    answer = served.ask_at_once(asked)
    assert answer.startswith(b"HTTP/1.1 304 ")
    assert b"\r\netag: " + tag + b"\r\n" in answer
    fill(served.store, [(99, "new")], epoch=1)
    _, body = await served.ask(asked)
    assert json.loads(body)["rows"] == [[99]]


async def test_a_version_is_looked_for_once(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(served.store, ROWS)
    looks: list[Statement] = []
    look = SqlEngine.answer_version

    def counted(engine: SqlEngine, statement: Statement, *given: Any) -> str | None:
        looks.append(statement)
        return look(engine, statement, *given)

    monkeypatch.setattr(SqlEngine, "answer_version", counted)
    get = f"GET /v1/query?sql={quote('SELECT min(n) FROM numbers')} HTTP/1.1\r\nHost: localhost\r\n"
    old = f'{get}If-None-Match: "old"\r\n\r\n'.encode()
    tags = set()
    for _ in range(3):
        looks.clear()
        head, body = await served.ask(old)
        assert json.loads(body)["rows"] == [[0]]
        assert len(looks) == 1
        tags |= {line for line in head.split(b"\r\n") if line.startswith(b"etag: ")}
    (tag,) = tags
    asked = get.encode() + b"If-None-Match: " + tag[6:] + b"\r\n\r\n"
    assert served.ask_at_once(asked).startswith(b"HTTP/1.1 304 ")
    fill(served.store, [(-1, "new")], epoch=1)
    looks.clear()
    head, body = await served.ask(asked)  # by a head that was kept
    assert (json.loads(body)["rows"], len(looks)) == ([[-1]], 1)
    assert b"etag: " in head
    assert tag not in head

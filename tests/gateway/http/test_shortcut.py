"""A connection with the shortcut writes the bytes that the application alone would have written."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace as replace_field
from starlette.types import ASGIApp

from stategate.gateway.access.changing_users import add_token, remove_user
from stategate.gateway.access.rules import Method
from stategate.gateway.http.app import create_app
from stategate.gateway.http.at_once import AtOnce
from stategate.gateway.http.connection import HttpLimits
from stategate.gateway.http.endpoint import Services
from stategate.gateway.settings import Settings
from stategate.gateway.statement_threads import StatementThreads
from stategate.planner.engine import Session, Statement
from stategate.planner.sql import SqlEngine
from stategate.planner.typed import TypedQueries
from stategate.stores.hosting.metrics import MeteredStore, Metrics
from stategate.stores.spec.schema import Row
from tests.gateway.credentials import PASSWORD, USER, access_of, make_users
from tests.gateway.http.connections import Connected, body_of
from tests.gateway.http.odd_requests import lookups, pieces, requests
from tests.gateway.http.test_authentication import basic, bearer
from tests.gateway.http.test_connection import GET, query
from tests.support.fake_engine import SECRET, FakeEngine
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

pytestmark = pytest.mark.anyio

CLICKS = keyvalue(
    "clicks",
    {"usr": "text"},
    {"n": "bigint", "paid": "decimal(9,2)", "mean": "double", "seen": "timestamptz"},
    partitions=2,
)
PAIRS = keyvalue("pa-irs.1", {"a": "bigint", "b": "text"}, {"v": "text[]"}, partitions=2)
SINGLE = keyvalue("single", {"a": "bigint", "b": "text"}, {"v": "text"}, partitions=1)
ROWS: list[Row] = [
    ("ada", 1, None, 0.5, 1_000_000),
    ("zoë", 2**63 - 1, None, float("nan"), None),
    ("a/b", None, None, None, -1),
    ("", -1, None, float("-inf"), 1),
]
ONE = query("SELECT usr, n FROM clicks WHERE usr = 'ada'")


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """The gateway that both connections serve."""

    services: Services
    engine: SqlEngine
    metrics: Metrics
    users: Path
    token: str

    @property
    def reads(self) -> int:
        """How many keys were read, or had an answer that was kept."""
        return self.metrics.read().queries.get("KeyQuery", 0) + self.engine.kept_answers_given()


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    clicks, pairs = open_store(CLICKS), open_store(PAIRS)
    fill(clicks, ROWS)
    fill(pairs, [(1, "x/y", ["slash", None]), (1, "", []), (-2, "é'", None)])
    single = open_store(SINGLE)
    fill(single, [(a, str(b), None) for a in range(4) for b in range(a)])
    metrics = Metrics()
    catalog = FixedCatalog(*(MeteredStore(each, metrics) for each in (clicks, pairs, single)))
    threads, engine = StatementThreads(count=2, queue_max=8), SqlEngine(catalog)
    users = make_users(tmp_path_factory.mktemp("users"))
    token = add_token(users, name=USER)
    services = Services(
        engine=engine,
        threads=threads,
        settings=Settings(body_bytes_max=2_000, parameters_max=3),
        describe_stores=list,
        not_ready=list,
        typed=TypedQueries(catalog),
    )
    with pytest.MonkeyPatch.context() as patch:
        # Answers have their elapsed time, and the console's a nonce.
        still = SimpleNamespace(perf_counter=lambda: 0.0)
        of_statements = ("exchange", "lookups", "paging", "queries", "typed_queries")
        for name in ("at_once", *(f"statements.{each}" for each in of_statements)):
            patch.setattr(f"stategate.gateway.http.{name}.time", still)
        patch.setattr("stategate.gateway.http.console_routes.secrets.token_urlsafe", str)
        yield World(services=services, engine=engine, metrics=metrics, users=users, token=token)
    threads.close()
    engine.close()


# --- the law -------------------------------------------------------------------------------------


@contextmanager
def served(world: World, method: Method) -> Iterator[tuple[ASGIApp, AtOnce]]:
    """An application and its shortcut, with their own access control."""
    users = world.users if method is not Method.TRUST else None
    with access_of(users, method=method) as access:
        yield (
            create_app(world.services, access=access),
            AtOnce(world.services, access=access),
        )


def both(
    world: World,
    arriving: list[bytes],
    *,
    method: Method = Method.TRUST,
    pauses: bool = False,
    whole: bool = True,
    client: str = "127.0.0.1",
    secured: bool = False,
) -> tuple[Connected, Connected]:
    """Deliver the same bytes to a plain connection and to one with the shortcut."""

    async def run() -> tuple[Connected, Connected]:
        made: list[Connected] = []
        reads: list[int] = []
        for has_shortcut in (False, True):
            with served(world, method) as (app, at_once):
                shortcut = at_once if has_shortcut else None
                before = world.reads
                each = Connected(app, shortcut, client=client, secured=secured)
                await each.receive(arriving, pauses=pauses, whole=whole)
                each.lose()
                await each.settle()
                made.append(each)
                reads.append(world.reads - before)
        # A page is read when it comes first, and may be given again then.
        has_pages = any(b"page_rows" in each for each in arriving)
        assert has_pages or reads[0] == reads[1], "the counters differ"
        return made[0], made[1]

    return asyncio.run(run())


def assert_same(plain: Connected, short: Connected) -> None:
    assert short.transport.written == plain.transport.written
    assert short.state.total_requests == plain.state.total_requests


@given(arriving=pieces(), pauses=st.booleans(), secured=st.booleans())
def test_the_bytes_are_those_of_the_application(
    world: World, arriving: list[bytes], *, pauses: bool, secured: bool
) -> None:
    assert_same(*both(world, arriving, pauses=pauses, secured=secured))


@given(
    data=st.data(),
    client=st.sampled_from(["127.0.0.1", "::1", "::ffff:127.0.0.1", "192.0.2.7"]),
    method=st.sampled_from([Method.TRUST, Method.SCRAM]),
    secured=st.booleans(),
)
def test_the_same_clients_are_admitted(
    world: World, data: st.DataObject, client: str, method: Method, *, secured: bool
) -> None:
    known = [bearer(world.token), bearer(""), basic(USER, PASSWORD), basic(USER, "no"), {}]
    arriving = []
    for _ in range(data.draw(st.integers(1, 3))):
        credentials = data.draw(st.sampled_from(known))
        lines = "".join(f"{name}: {value}\r\n" for name, value in credentials.items())
        begin, end = data.draw(lookups() | requests()).split(b"\r\n", 1)
        arriving.append(begin + b"\r\n" + lines.encode() + end)
    assert_same(*both(world, arriving, method=method, client=client, secured=secured))


# --- requests that the shortcut takes ------------------------------------------------------------

KEYS = [
    ONE,
    query("SELECT usr, n FROM clicks WHERE usr = 'unknown'"),
    b"GET /v1/stores/clicks/ada HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /v1/stores/pa-irs.1/1/x%2Fy HTTP/1.1\r\nHost: [::1]:7420\r\nAccept: */*\r\n\r\n",
]


@contextmanager
def connected(
    world: World, *, services: Services | None = None, **given: Any
) -> Iterator[Connected]:
    """A connection with the shortcut."""
    with access_of(None, method=Method.TRUST) as access:
        served = services or world.services
        app, at_once = create_app(served, access=access), AtOnce(served, access=access)
        yield Connected(app, at_once, **given)


@pytest.mark.parametrize("request_", KEYS)
async def test_a_planned_lookup_takes_one_write_and_no_task(world: World, request_: bytes) -> None:
    with connected(world) as each:
        await each.receive([request_])  # plans it
        before = len(each.transport.writes)
        for _ in range(3):
            each.connection.data_received(request_)
            assert not each.state.tasks
        writes = each.transport.writes[before:]
        assert len(writes) == 3
        assert all(b"200 OK" in written and b'"rows":[' in written for written in writes)
        # Pipelined requests, too; those above the limit wait for their turn.
        each.connection.data_received(request_ * 70)
        assert len(each.transport.writes) == before + 3 + 64
        await each.settle()
        assert each.transport.written.count(b"HTTP/1.1 200") == 1 + 3 + 70


@pytest.mark.parametrize(
    ("sql", "parameters"),
    [
        ("SELECT * FROM clicks WHERE usr = $1", [["ada"], ["zoë"], ["-"], ["ada"], [None]]),
        ("SELECT count(*), min(b) FROM single WHERE a = $1", [[1], [2], [3], [0], [2]]),
        ("SELECT b FROM single WHERE a = $1 ORDER BY b LIMIT 1", [[1], [2], [3], [0], [2]]),
        ("SELECT b FROM single WHERE a = $1 ORDER BY b DESC", [[3], [0], [1]]),
        ('SELECT v FROM "pa-irs.1" WHERE a = $1', [[1], [-2], [5]]),
        ("SELECT n FROM clicks WHERE usr IN ($1, 'zoë') ORDER BY n", [["ada"], ["-"], ["ada"]]),
    ],
)
async def test_an_answer_is_that_of_the_engine(
    world: World, sql: str, parameters: list[list[object]]
) -> None:
    """A request that names a setting, even its default, is answered by the whole engine."""
    with connected(world) as each:
        for params in [parameters[0], *parameters]:
            bodies = []
            plain = query(sql, params=params)
            for request in (plain, query(sql, params=params, partial=False)):
                begun = len(each.transport.written)
                await each.receive([request])
                bodies.append(body_of(each.transport.written[begun:]))
            assert bodies[0] == bodies[1]


def test_the_text_of_a_statement_is_left_to_the_application(world: World) -> None:
    request = query("SELECT 1").replace(b"application/json", b"text/plain")  # so it is no SQL
    plain, short = both(world, [request, request])
    assert_same(plain, short)
    assert short.transport.written.count(b"HTTP/1.1 400") == 2


async def test_an_answer_follows_the_epoch(world: World) -> None:
    catalog = FixedCatalog(store := open_store(CLICKS))
    engine = SqlEngine(catalog)
    fill(store, ROWS)
    own = replace(world.services, engine=engine, typed=TypedQueries(catalog))
    with connected(world, services=own) as each:
        for epoch in range(3):
            fill(store, [("ada", 100 + epoch, None, None, None)], epoch=1 + epoch)
            for _ in range(2):
                await each.receive([ONE])
                assert b'[["ada",%d]]' % (100 + epoch) in each.transport.writes[-1]
                assert b'"epoch":%d,' % (1 + epoch) in each.transport.writes[-1]
    engine.close()


def same_length(*names: str) -> list[bytes]:
    return [query("SELECT n FROM clicks WHERE usr = $1", params=[name]) for name in names]


async def test_known_headers_are_not_parsed_again(world: World) -> None:
    ada, bob, unknown = same_length("ada", "bob", "unknown")
    with connected(world) as each:
        await each.receive([ada])  # plans it
        await each.receive([ada])  # keeps its headers
        each.connection.parser = None  # type: ignore[assignment]
        for request in (ada, bob):
            each.connection.data_received(request)
            assert b"200 OK" in each.transport.writes[-1]
        # A body of another length has another head.
        with pytest.raises(AttributeError):
            each.connection.data_received(unknown)


@pytest.mark.parametrize(
    "other",
    [
        ONE.replace(b"HTTP/1.1", b"HTTP/1.0"),
        ONE.replace(b"HTTP/1.1", b"HTTP/2.0"),
        ONE.replace(b" HTTP/1.1", b""),
        ONE.replace(b"POST ", b"GET "),
        ONE.replace(b"POST ", b"POST  "),
        ONE.replace(b"POST ", b"post "),
        ONE.replace(b"/v1/query", b"/v1/stores/clicks/ada"),
        ONE.replace(b"/v1/query", b"/v1/query "),
        b"\r\n" + ONE,
        b"\r\n\r\n" + ONE,
        ONE + b"\r\n",
        ONE + b"\r\n\r\n" + ONE,
        ONE.replace(b"\r\n", b"\n"),
        ONE[:-1],
        ONE[: ONE.index(b"{")],
        b"\r\n\r\n",
        b"\r\n",
        b"X",
    ],
)
def test_requests_that_only_resemble_a_known_one_are_parsed(world: World, other: bytes) -> None:
    for client in ("127.0.0.1", "192.0.2.7"):
        assert_same(*both(world, [ONE, ONE, ONE, other], client=client, whole=False, pauses=True))


def test_who_is_admitted_is_decided_for_each_request(world: World) -> None:
    asyncio.run(_revoke(world))


async def _revoke(world: World) -> None:
    token = add_token(world.users, name="brief")
    header = "".join(f"{name}: {value}" for name, value in bearer(token).items()).encode()
    request = ONE.replace(b"\r\n", b"\r\n" + header + b"\r\n", 1)
    with served(world, Method.SCRAM) as (app, at_once):
        each = Connected(app, at_once)
        await each.receive([request] * 3)
        assert each.transport.written.count(b"200 OK") == 3
        remove_user(world.users, name="brief")
        await each.receive([request])
        assert b"HTTP/1.1 401" in each.transport.written


# --- limits --------------------------------------------------------------------------------------


@pytest.mark.parametrize("request_", KEYS)
async def test_the_limit_of_connections_holds(world: World, request_: bytes) -> None:
    with connected(world, connections_max=0) as each:
        await each.receive([request_, request_])
        assert each.transport.written.startswith(b"HTTP/1.1 503 Service Unavailable")
        assert b"200 OK" not in each.transport.written


async def test_an_idle_connection_is_closed(world: World) -> None:
    with connected(world, keep_alive_s=0) as each:
        for _ in range(2):
            each.connection.data_received(ONE)
            assert not each.transport.closing
        await asyncio.sleep(0.01)
        assert each.transport.closing


@pytest.mark.parametrize("first", [b"", ONE[:1], ONE[:60]])
async def test_a_head_that_does_not_end_is_cut_off(world: World, first: bytes) -> None:
    with connected(world, limits=HttpLimits(head_timeout_s=0.01)) as each:
        await each.receive([ONE + first])
        assert not each.transport.closing
        await asyncio.sleep(0.05)
        assert each.transport.closing is bool(first)


async def test_an_endless_head_is_refused(world: World) -> None:
    with connected(world, limits=HttpLimits(head_bytes_max=1_000)) as each:
        await each.receive([GET[:-2] + b"X: ", b"a" * 900, b"a" * 900])
        assert each.transport.written.startswith(b"HTTP/1.1 431")
        assert each.transport.closing


async def test_a_body_that_does_not_end_is_the_applications(world: World) -> None:
    hasty = replace(world.services, settings=Settings(body_timeout_ms=10))
    with connected(world, services=hasty) as each:
        await each.receive([ONE, ONE[:-1]])
        assert b"HTTP/1.1 408" in each.transport.writes[-2]


async def test_nothing_is_written_while_the_client_does_not_read(world: World) -> None:
    with connected(world) as each:
        await each.receive([ONE])
        before = len(each.transport.writes)
        each.connection.pause_writing()
        each.connection.data_received(ONE * 3)
        await asyncio.sleep(0.01)
        assert len(each.transport.writes) == before
        each.connection.resume_writing()
        await each.settle()
        assert each.transport.written.count(b"200 OK") == 4


@pytest.mark.parametrize("arriving", [b"", ONE[:40]])
async def test_a_connection_without_a_request_ends_at_a_shutdown(
    world: World, arriving: bytes
) -> None:
    with connected(world) as each:
        await each.receive([ONE + arriving])
        each.connection.shutdown()
        assert each.transport.closing
        before = each.transport.written
        each.connection.data_received(ONE[40:] + ONE)
        await each.settle()
        assert each.transport.written == before


async def test_a_request_that_arrives_is_answered_before_a_shutdown(world: World) -> None:
    with connected(world) as each:
        await each.receive([ONE])
        each.connection.data_received(ONE[:-1])
        each.connection.shutdown()
        assert not each.transport.closing
        each.connection.data_received(ONE[-1:])
        await each.settle()
        assert b"connection: close" in each.transport.writes[-2]
        assert each.transport.closing


@pytest.mark.parametrize("at", [1, 40, len(ONE) - 1, len(ONE), len(ONE) + 40])
async def test_a_client_may_disconnect_at_any_moment(
    world: World, at: int, caplog: pytest.LogCaptureFixture
) -> None:
    with connected(world) as each:
        await each.receive([ONE])
        each.connection.data_received((ONE + ONE)[:at])
        each.lose()
        await each.settle()
    assert not [record for record in caplog.records if record.levelname in {"WARNING", "ERROR"}]


# --- errors --------------------------------------------------------------------------------------


async def test_an_internal_error_is_logged_once_and_hidden(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    def look_up(*_: object) -> None:
        raise RuntimeError(SECRET)

    class Broken(FakeEngine):
        def recall(self, sql: str, session: Session, **given: Any) -> Statement | None:
            found = super().recall(sql, session, **given)
            return found and replace_field(found, look_up=look_up)

    broken = replace(world.services, engine=Broken(), typed=None)
    request = query("SELECT v FROM kv WHERE k = 1")
    answers = []
    for at_once in (None, AtOnce(broken)):
        each = Connected(create_app(broken), at_once)
        await each.receive([request])
        answers.append(each.transport.written)
        (logged,) = [record for record in caplog.records if record.levelname == "ERROR"]
        assert "SELECT v FROM kv" in logged.message
        caplog.clear()
    assert answers[0] == answers[1]
    assert answers[0].startswith(b"HTTP/1.1 500 ")
    assert b"XX000" in answers[0]
    assert SECRET.encode() not in answers[0]

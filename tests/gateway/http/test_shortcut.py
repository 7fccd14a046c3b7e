"""A connection with the shortcut writes the bytes that the application alone would have written."""

from __future__ import annotations

import asyncio
import itertools
import json
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

from gateway.access.rules import Method
from gateway.access.users import add_token, remove_user
from gateway.http.app import create_app
from gateway.http.at_once import AtOnce
from gateway.http.connection import HttpLimits
from gateway.http.endpoint import Services
from gateway.settings import Settings
from gateway.statement_threads import StatementThreads
from planner.engine import Session, Statement
from planner.sql import SqlEngine
from planner.typed import TypedQueries
from stores.hosting.metrics import MeteredStore, Metrics
from stores.spec.schema import Row
from tests.gateway.credentials import PASSWORD, USER, access_of, make_users
from tests.gateway.http.connections import Connected, body_of
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
        for name in ("at_once", "statements.exchange", "statements.lookups", "routes"):
            patch.setattr(f"gateway.http.{name}.time", still)
        patch.setattr("gateway.http.console_routes.secrets.token_urlsafe", str)
        yield World(services=services, engine=engine, metrics=metrics, users=users, token=token)
    threads.close()
    engine.close()


# --- the law -------------------------------------------------------------------------------------

STATEMENTS = (
    "SELECT * FROM clicks WHERE usr = 'ada'",
    "SELECT n, mean FROM clicks WHERE usr = $1;  ",
    'SELECT v FROM "pa-irs.1" WHERE a = $1 AND b = $2',
    "SELECT n, mean FROM clicks WHERE usr = :key::text",
    "SELECT usr FROM clicks WHERE usr = $1 WITH PARTIAL",
    "SELECT usr FROM clicks WHERE usr = $1 WITH BOUND (events[0] >= 9)",
    "SELECT count(*) FROM clicks",
    "SELECT n FROM clicks WHERE usr = 'ada'; SELECT 1",
    "SELECT nonsense FROM clicks",
    "SHOW stategate.wait",
    "BEGIN",
    "",
    ";",
    "SELECT n FROM clicks WHERE usr = '\ud800'",
    "SELECT n FROM clicks WHERE usr = 'zoë'",
    "SELECT n FROM clicks WHERE usr = current_user",
    'SELECT v FROM "pa-irs.1" WHERE a IN (1, -2)',
    "SELECT count(*) FROM single WHERE a = $1",
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)
PARAMETERS = st.sampled_from(
    [
        *[["ada"], ["zoë"], ["unknown"], [None], [""], [1, "x/y"], ["1", ""], [-2.0, "é'"], []],
        *[[1] * 4, {"key": "ada"}, {"key": None}, {"key": 1}, {"kye": "ada"}, {}],
        {"key": "", "a": 1},
    ]
)
DOCUMENTS = st.fixed_dictionaries(
    {"sql": st.sampled_from(STATEMENTS)},
    optional={
        "params": PARAMETERS | JSON,
        "format": st.sampled_from(["json", "JSON", "csv", "odd"]) | JSON,
        "wait_ms": st.just(0) | JSON,
        "partial": st.booleans() | JSON,
        "consistency": st.sampled_from(["eventual", "Eventual", "odd"]),
        "bound": st.just({"events": {"0": 0}}) | JSON,
        "unknown": JSON,
    },
)
LOOKUPS = st.fixed_dictionaries(
    {"sql": st.sampled_from(STATEMENTS[:5])}, optional={"params": PARAMETERS}
)
BODIES = (
    LOOKUPS.map(lambda document: json.dumps(document).encode())
    | LOOKUPS.map(lambda document: json.dumps(document, ensure_ascii=False).encode())
    | (DOCUMENTS | JSON).map(lambda document: json.dumps(document).encode())
    | st.binary(max_size=20)
    | st.just(b'{"sql": "' + b"a" * 2_000 + b'"}')
)
TARGETS = st.sampled_from(
    [
        *["/v1/query", "/v1/query", "/v1/query", "/v1/query", "/v1/query?a=b", "/v1/%71uery"],
        *["/v1/query?format=csv", "/v1/query?sql=SELECT%201", "/v1/query/"],
        *["/v1/query#a", "//v1/query", "http://localhost/v1/query", "/", "*", "/healthz"],
        *["/v1/stores/clicks/ada", "/v1/stores/clicks/ada", "/v1/stores/clicks/unknown"],
        *["/v1/stores/clicks/%61da", "/v1/stores/clicks/zo%C3%AB", "/v1/stores/clicks/a%2Fb"],
        *["/v1/stores/clicks/a/b", "/v1/stores/clicks/", "/v1/stores/clicks//"],
        *["/v1/stores/clicks/%FF", "/v1/stores/clicks/a%0Ab", "/v1/stores/clicks/a%0a"],
        *["/v1/stores/clicks/%", "/v1/stores/clicks/%zz", "/v1/stores/clicks/%00", "/v1/stores/"],
        "/v1/stores/clicks",
        *["/v1/stores/clicks/ada?wait_ms=0", "/v1/stores/clicks/ada?a", "/v1/stores/clicks/ada?"],
        *["/v1/stores/clicks/ada#b", "/v1/stores/clicks/query", "/v1/stores/%63licks/ada"],
        *["/v1/stores/pa-irs.1/1/x%2Fy", "/v1/stores/pa-irs.1/1/", "/v1/stores/pa-irs.1/x/y"],
        *["/v1/stores/pa-irs.1/-2/%C3%A9'", "/v1/stores/nope/ada", "/v1/stores//ada"],
        *['/v1/stores/clicks/a"b', "/v1/stores/clicks/a|b", "/v1/stores/clicks/a%20b;c=d,e"],
    ]
)
HEADERS = st.lists(
    st.sampled_from(
        [
            *["Accept: text/csv", "Accept: */*", "Accept: ", "Accept: application/json;q=0"],
            *["accept: application/x-ndjson, text/csv;q=0.5", "ACCEPT: application/json"],
            *["Accept: image/png", "Accept-Encoding: gzip", "Accept-Encoding: br, *;q=0"],
            *["Content-Type: text/plain", "content-type: Application/JSON ; charset=x"],
            *["Host: evil.example", "Host: [::1]:7420", "Host:", "host: 127.0.0.1"],
            *["X-Forwarded-For: 192.0.2.1", "Forwarded: for=192.0.2.1", "X-Real-IP: ::1"],
            *["Connection: close", "Connection: keep-alive", "Connection: Keep-Alive, TE"],
            *["Connection: upgrade", "Connection: Upgrade, HTTP2-Settings", "Upgrade: websocket"],
            *["Upgrade: h2c", "Expect: 100-continue", "Expect: 100-Continue", "Expect: other"],
            *["Authorization: Bearer wrong", "Authorization: Basic wrong", "Authorization: x"],
            *["X-Odd: \xe9\xff", "X-Long: " + "a" * 3_000, "X-Empty:", "Cookie: a=b", "TE: x"],
            *["Keep-Alive: timeout=1", "Range: bytes=0-1", "If-None-Match: *"],
            *["Origin: http://localhost", "Origin: https://evil.example", "Origin: null"],
            *["Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-origin"],
            *["Accept-Encoding: identity;q=0.0", "Accept-Encoding: gzip;q=0.6,*;q=0.3"],
        ]
    ),
    max_size=3,
)


@st.composite
def requests(draw: st.DrawFn) -> bytes:
    """Draw a whole request, well framed but otherwise as odd as possible."""
    target = draw(TARGETS)
    usual = "POST" if "query" in target else "GET"
    method = draw(st.sampled_from([usual] * 6 + ["GET", "POST", "HEAD", "PUT", "OPTIONS"]))
    version = draw(st.sampled_from(["1.1"] * 8 + ["1.0"]))
    lines = [f"{method} {target} HTTP/{version}", "Host: localhost"]
    lines += draw(st.just([]) | HEADERS)
    body = b""
    if draw(st.booleans()) or method == "POST":
        body = draw(BODIES)
        if draw(st.integers(0, 7)):
            lines.append("Content-Type: application/json")
        if version == "1.1" and not draw(st.integers(0, 7)):
            lines.append("Transfer-Encoding: chunked")
            end = draw(st.sampled_from([b"0\r\n\r\n", b"0\r\nAccept: text/csv\r\n\r\n"]))
            body = (b"%x\r\n%b\r\n" % (len(body), body) if body else b"") + end
        else:
            lines.append(f"Content-Length: {len(body)}")
    lines[1:] = draw(st.permutations(lines[1:]))
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


@st.composite
def lookups(draw: st.DrawFn) -> bytes:
    """Draw a request of the kind that most clients send."""
    path = draw(st.sampled_from([None, "clicks/ada", "clicks/zo%C3%AB", "clicks/-", "pa-irs.1/1/"]))
    more = draw(st.sampled_from(["", "", "", "Connection: close\r\n", "Accept: text/csv\r\n"]))
    if path is not None:
        return f"GET /v1/stores/{path} HTTP/1.1\r\nHost: localhost\r\n{more}\r\n".encode()
    body = json.dumps(draw(LOOKUPS)).encode()
    head = "POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}{more}Content-Length: {len(body)}\r\n\r\n".encode() + body


@st.composite
def pieces(draw: st.DrawFn) -> list[bytes]:
    """Draw requests as they may arrive: one by one, all together, or split anywhere."""
    arriving = draw(st.lists(lookups() | requests(), min_size=1, max_size=6))
    if draw(st.booleans()):
        # Once more with the same headers, which the connection knows by then.
        arriving += draw(st.permutations(arriving))
    if draw(st.booleans()):
        return arriving
    data = b"".join(arriving)
    cuts = draw(st.just([]) | st.lists(st.integers(0, len(data)), max_size=4))
    ends = [0, *sorted(cuts), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(ends) if start < end]


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
        assert reads[0] == reads[1], "the counters differ"
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

"""Statements that wait for a bound hold no thread, by either protocol."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import psycopg
import pyarrow as pa
import pytest

from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from tests.gateway.real_gateway import PEOPLE, RealGateway
from tests.support.waiting import WAIT_S, until

pytestmark = [pytest.mark.server, pytest.mark.timeout(180)]

ROW = pa.table(
    {
        "name": ["n1"],
        "age": pa.array([1], pa.int32()),
        "seen": pa.array([1], pa.timestamp("us", "UTC")),
    }
)
LATER = f"WITH BOUND (events[0] >= 2), WAIT '{WAIT_S:.0f} s'"
LOOKUP = f"SELECT age FROM people WHERE name = 'n1' {LATER}"
SCAN = f"SELECT count(*) FROM people WHERE age >= 0 {LATER}"


@pytest.fixture
def gateway(tmp_path: Path) -> Iterator[RealGateway]:
    found = RealGateway(tmp_path, "threads=1")
    try:
        found.wait_until_ready()
        yield found
    finally:
        found.end()


def waiting_for_a_bound(gateway: RealGateway) -> int:
    metrics = httpx.get(f"http://127.0.0.1:{gateway.http_port}/metrics", timeout=WAIT_S).text
    return sum(map(int, re.findall(r"(?m)^stategate_bound_waiting(?:{.*})? (\d+)$", metrics)))


@pytest.mark.parametrize("sql", [LOOKUP, SCAN])
def test_what_waits_for_its_bound_is_listed_and_cancelled(gateway: RealGateway, sql: str) -> None:
    def wait() -> str | None:
        with gateway.connect() as session:
            try:
                session.execute(sql.encode())
            except psycopg.Error as error:
                return error.sqlstate
        return None

    with ThreadPoolExecutor(1) as clients, gateway.connect() as session:
        waiting = clients.submit(wait)
        until(lambda: waiting_for_a_bound(gateway) == 1)
        listed = "SELECT pid FROM stategate.queries WHERE sql = %s"
        ((pid,),) = session.execute(listed, [sql]).fetchall()
        assert session.execute("SELECT pg_cancel_backend(%s)", [pid]).fetchone() == (True,)
        assert waiting.result(WAIT_S) == "57014"


@pytest.mark.parametrize(
    ("path", "asked", "listed"),
    [
        ("batch", {"statements": [{"sql": SCAN}]}, SCAN),
        (
            "stores/people/query",
            {
                "type": "key",
                "args": {"key": ["n1"]},
                "bound": {"events": {"0": 2}},
                "wait_ms": int(WAIT_S) * 1000,
            },
            "POST /v1/stores/people/query key",
        ),
    ],
)
def test_requests_that_wait_for_their_bound_are_listed_and_cancelled(
    gateway: RealGateway, path: str, asked: dict[str, object], listed: str
) -> None:
    url = f"http://127.0.0.1:{gateway.http_port}/v1/{path}"
    with ThreadPoolExecutor(1) as clients, gateway.connect(user="stategate") as session:
        waiting = clients.submit(httpx.post, url, json=asked, timeout=2 * WAIT_S)
        until(lambda: waiting_for_a_bound(gateway) == 1 or waiting.done())
        assert not waiting.done(), waiting.result().text
        found = "SELECT pid FROM stategate.queries WHERE sql = %s"
        ((pid,),) = session.execute(found, [listed]).fetchall()
        assert session.execute("SELECT pg_cancel_backend(%s)", [pid]).fetchone() == (True,)
        assert "57014" in waiting.result(WAIT_S).text


def test_others_are_answered_beside_statements_that_wait(
    gateway: RealGateway, tmp_path: Path
) -> None:
    def by_wire(sql: str) -> object:
        with gateway.connect() as session:
            return session.execute(sql.encode()).fetchone()

    def by_http(sql: str) -> object:
        url = f"http://127.0.0.1:{gateway.http_port}/v1/query"
        rows = httpx.post(url, json={"sql": sql}, timeout=WAIT_S).json()["rows"]
        return tuple(rows[0])

    ways: tuple[Callable[[str], object], ...] = (by_wire, by_http)
    with ThreadPoolExecutor(12) as clients:
        waiting = [clients.submit(way, sql) for sql in 3 * (LOOKUP, SCAN) for way in ways]
        until(lambda: waiting_for_a_bound(gateway) == len(waiting))
        for number, way in enumerate(2 * ways):
            assert way(f"SELECT count(*) + {number} FROM people WHERE age < 5") == (5 + number,)
            assert way(f"SELECT age + {number} FROM people WHERE name = 'n3'") == (3 + number,)
        assert not any(each.done() for each in waiting)
        writer = StoreWriter(str(tmp_path / "log"), PEOPLE)
        writer.write(ROW, position=Position.of({"events": {0: 2}}))
        answers = [each.result(WAIT_S) for each in waiting]
    assert sorted(map(str, answers)) == ["(1,)"] * 6 + ["(1000,)"] * 6

"""Pages over HTTP: every row once, from the newest state or from one snapshot; and tokens."""

from __future__ import annotations

import base64
import io
import threading
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stategate.gateway.http.endpoint import Services
from stategate.gateway.http.page_snapshots import SNAPSHOT_S, SNAPSHOTS_MAX, Alarm, PageSnapshots
from stategate.planner.engine import Session
from stategate.planner.errors import SnapshotTooOldError
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.spec.schema import Row
from tests.gateway.http.serving import serving
from tests.support.stores import fill, keyvalue, open_store
from tests.support.waiting import until

pytestmark = pytest.mark.anyio

TIMES = keyvalue("times", {"at": "timestamptz", "usr": "text"}, {"n": "bigint"}, partitions=3)
ROWS: list[Row] = [(None if n % 7 == 0 else n * 1_500_000, f"u{n}", n) for n in range(40)]


@pytest.fixture
def times() -> LocalStore:
    store = open_store(TIMES)
    fill(store, ROWS)
    return store


@pytest.fixture
def services(times: LocalStore) -> Iterator[Services]:
    with serving(times) as made:
        yield made


SQL = "SELECT * FROM times"


async def pages_of(client: httpx.AsyncClient, **fields: Any) -> list[dict[str, Any]]:
    """Return all pages."""
    found: list[dict[str, Any]] = []
    token = None
    while not found or token is not None:
        response = await client.post("/v1/query", json={"sql": SQL, **fields, "next": token})
        assert response.status_code == 200, response.text
        found.append(response.json())
        token = found[-1]["next"]
        assert response.headers.get("stategate-next") == token
    return found


def names(pages: list[dict[str, Any]]) -> list[str]:
    return [row[1] for page in pages for row in page["rows"]]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)
@given(rows=st.integers(1, 50), consistency=st.sampled_from(["eventual", "snapshot", "latest"]))
async def test_pages_have_every_row_once(
    client: httpx.AsyncClient, services: Services, rows: int, consistency: str
) -> None:
    pages = await pages_of(client, page_rows=rows, consistency=consistency)
    assert all(len(page["rows"]) <= rows for page in pages)
    assert len(pages) == -(-40 // rows)
    assert sorted(names(pages)) == sorted(row[1] for row in ROWS)
    ats = [row[0] or "" for page in pages for row in page["rows"]]
    assert ats == sorted(ats)
    assert len(services.pages) == 0


async def test_pages_with_parameters_and_a_url(client: httpx.AsyncClient) -> None:
    asked = {
        "sql": "SELECT usr, at FROM times WHERE n >= :least",
        "param.least": "38",
        "page_rows": "1",
    }
    first = (await client.get("/v1/query", params=asked)).json()
    assert first["rows"] == [["u38", "1970-01-01T00:00:57Z"]]
    second = (await client.get("/v1/query", params={**asked, "next": first["next"]})).json()
    assert second["rows"] == [["u39", "1970-01-01T00:00:58.500000Z"]]
    assert second["next"] is None


@pytest.mark.parametrize("name", ["csv", "tsv", "arrow", "parquet", "table", "ndjson"])
async def test_pages_in_other_formats(client: httpx.AsyncClient, name: str) -> None:
    asked = {"sql": SQL, "page_rows": 25, "format": name}
    first = await client.post("/v1/query", json=asked)
    token = first.headers["stategate-next"]
    second = await client.post("/v1/query", json={**asked, "next": token})
    assert "stategate-next" not in second.headers
    if name == "csv":
        assert (first.text + second.text).count("\r\n") == 42
    if name == "parquet":
        assert pq.read_table(io.BytesIO(second.content)).num_rows == 15


async def test_a_snapshot_does_not_change_between_pages(
    client: httpx.AsyncClient, times: LocalStore, services: Services
) -> None:
    asked = {"sql": SQL, "page_rows": 10, "consistency": "snapshot"}
    first = (await client.post("/v1/query", json=asked)).json()
    assert len(services.pages) == 1
    for epoch in range(1, 6):
        fill(times, [(None, f"new-{epoch}", epoch), (10**12, f"late-{epoch}", 0)], epoch=epoch)
    found, token = [first], first["next"]
    while token:
        page = (await client.post("/v1/query", json={**asked, "next": token})).json()
        assert page["position"] == first["position"]
        found.append(page)
        token = page["next"]
    assert sorted(names(found)) == sorted(row[1] for row in ROWS)
    assert len(services.pages) == 0


async def test_without_a_snapshot_pages_go_on_in_the_newest_state(
    client: httpx.AsyncClient, times: LocalStore
) -> None:
    asked = {"sql": SQL, "page_rows": 30}
    first = (await client.post("/v1/query", json=asked)).json()
    fill(times, [(10**12, "late", 0)], epoch=1)
    second = (await client.post("/v1/query", json={**asked, "next": first["next"]})).json()
    assert names([second])[-1] == "late"
    assert second["position"] == {"events": {"0": 1}}


def tampered(token: str) -> str:
    raw = bytearray(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    raw[-3] ^= 1
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


async def test_a_token_is_checked(client: httpx.AsyncClient) -> None:
    asked: dict[str, Any] = {"sql": SQL, "page_rows": 10, "consistency": "snapshot"}
    token = (await client.post("/v1/query", json=asked)).json()["next"]
    for fields, sqlstate in (
        ({"next": tampered(token)}, "22023"),
        ({"next": "x"}, "22023"),
        ({"next": "é"}, "22023"),
        ({"next": token, "sql": "SELECT at, usr FROM times"}, "22023"),
        ({"next": token, "page_rows": 0}, "54000"),
        ({"next": token, "page_rows": 10_001}, "54000"),
        ({"next": token, "page_rows": "1"}, "08P01"),
        ({"next": 1}, "08P01"),
        ({"sql": "SELECT * FROM times ORDER BY n"}, "0A000"),
    ):
        response = await client.post("/v1/query", json={**asked, **fields})
        assert response.json()["error"]["sqlstate"] == sqlstate, fields


async def test_a_value_that_is_nested_too_deep_is_refused(client: httpx.AsyncClient) -> None:
    value = "[" * 5_000 + "]" * 5_000
    response = await client.post(
        "/v1/query",
        content=f'{{"sql": "SELECT 1", "page_rows": 10, "params": [{value}]}}',
        headers={"Content-Type": "application/json"},
    )
    assert response.json()["error"]["sqlstate"] == "54000"


async def test_a_snapshot_that_is_gone_can_be_begun_again(
    client: httpx.AsyncClient, services: Services
) -> None:
    asked = {"sql": SQL, "page_rows": 10, "consistency": "snapshot"}
    token = (await client.post("/v1/query", json=asked)).json()["next"]
    services.pages.close()
    response = await client.post("/v1/query", json={**asked, "next": token})
    error = response.json()["error"]
    assert (response.status_code, error["sqlstate"], error["retryable"]) == (503, "72000", True)


def test_snapshots_are_bounded_in_number_and_time() -> None:
    now = [0.0]
    held = PageSnapshots(clock=lambda: now[0])
    first = [held.open(Session(user="ada"))[0] for _ in range(SNAPSHOTS_MAX)]
    held.take(first[0], "ada")
    with pytest.raises(SnapshotTooOldError):
        held.take(first[1], "bob")
    held.open(Session(user="ada"))
    assert len(held) == SNAPSHOTS_MAX
    held.take(first[0], "ada")
    with pytest.raises(SnapshotTooOldError):
        held.take(first[1], "ada")
    now[0] = 1000.0
    with pytest.raises(SnapshotTooOldError):
        held.take(first[0], "ada")
    assert len(held) == 0


class Alarms:
    """A clock, and the calls that are yet to come."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.due: list[tuple[float, Callable[[], None]]] = []

    def set(self, delay_s: float, call: Callable[[], None]) -> Alarm:
        due = self.now_s + delay_s, call
        self.due.append(due)

        class Cancel:
            def cancel(_: Cancel) -> None:
                self.due.remove(due)

        return Cancel()

    def advance(self, seconds: float) -> None:
        end_s = self.now_s + seconds
        while self.due and self.due[0][0] <= end_s:
            self.now_s, call = self.due.pop(0)
            call()
        self.now_s = end_s


class WatchedSession(Session):
    """A session that notes when it is closed."""

    def __init__(self, closed: list[str], name: str = "closed") -> None:
        super().__init__()
        self._closed, self._name = closed, name

    def close(self) -> None:
        self._closed.append(self._name)


def test_a_snapshot_is_released_in_time_though_no_page_is_asked_for() -> None:
    alarms, closed = Alarms(), list[str]()
    held = PageSnapshots(lambda: alarms.now_s, alarms.set)
    first, _ = held.open(WatchedSession(closed, "first"))
    alarms.advance(SNAPSHOT_S / 2)
    held.open(WatchedSession(closed, "second"))
    held.take(first, "stategate")
    assert held.oldest_age_s() == SNAPSHOT_S / 2
    assert len(alarms.due) == 1
    alarms.advance(SNAPSHOT_S / 4)
    third, _ = held.open(WatchedSession(closed, "third"))
    held.release(third)
    assert closed == ["third"]
    alarms.advance(SNAPSHOT_S / 4)
    assert closed == ["third"]
    alarms.advance(SNAPSHOT_S / 2)
    assert closed == ["third", "second", "first"]
    assert (len(held), held.oldest_age_s(), alarms.due) == (0, 0.0, [])


def test_nothing_is_awaited_without_a_snapshot() -> None:
    alarms, closed = Alarms(), list[str]()
    held = PageSnapshots(lambda: alarms.now_s, alarms.set)
    name, _ = held.open(WatchedSession(closed))
    held.release(name)
    assert alarms.due == []
    held.open(WatchedSession(closed))
    held.close()
    assert (closed, alarms.due) == (["closed"] * 2, [])


def test_the_thread_of_the_snapshots_ends_with_them() -> None:
    held = PageSnapshots()
    held.open(Session())
    assert "page-snapshots" in {thread.name for thread in threading.enumerate()}
    held.close()
    until(lambda: "page-snapshots" not in {thread.name for thread in threading.enumerate()})


def test_a_snapshot_that_is_being_read_is_released_afterwards() -> None:
    closed: list[str] = []
    held = PageSnapshots()
    name, snapshot = held.open(WatchedSession(closed))
    with snapshot.reading():
        held.release(name)
        assert closed == []
    assert closed == ["closed"]

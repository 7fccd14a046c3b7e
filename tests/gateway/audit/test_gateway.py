"""A gateway with an audit: each protocol passes there, and so do logins and acts."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from tests.gateway.credentials import PASSWORD, USER, make_users
from tests.support.gateway import Gateway, running_gateway, write_stores
from tests.support.waiting import until

pytestmark = pytest.mark.server
SQL = "SELECT age FROM users WHERE name = 'ada'"
SHAPE = "SELECT age FROM users WHERE name = ?"
AUTH = (USER, PASSWORD)


class Audited:
    """A gateway with users, and its audit."""

    def __init__(self, gateway: Gateway, path: Path) -> None:
        self.gateway, self.path = gateway, path
        self._read = 0

    def post(self, path: str, body: object, auth: tuple[str, str] = AUTH) -> httpx.Response:
        return httpx.post(f"{self.gateway.http_url}{path}", json=body, auth=auth, timeout=30)

    def connected(self, password: str = PASSWORD) -> psycopg.Connection[Any]:
        dsn = f"postgresql://127.0.0.1:{self.gateway.pg_port}/stategate"
        return psycopg.connect(dsn, user=USER, password=password, autocommit=True)

    def take(self, event: str, **fields: object) -> dict[str, Any]:
        """Return the next line like this, once it is written."""
        found: list[dict[str, Any]] = []

        def is_there() -> bool:
            for line in self.lines()[self._read :]:
                self._read += 1
                if {"event": event, **fields}.items() <= line.items():
                    found.append(line)
                    return True
            return False

        until(is_there)
        return found[0]

    def lines(self) -> list[dict[str, Any]]:
        # The last line may not be whole yet.
        return [json.loads(each) for each in self.path.read_text().split("\n")[:-1]]


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Audited]:
    directory = tmp_path_factory.mktemp("audited")
    write_stores(directory / "log")
    audit, users = directory / "audit.jsonl", make_users(directory)
    arguments = ["--users", str(users), "--set", f"audit={audit}"]
    with running_gateway(directory / "log", directory, arguments=arguments) as gateway:
        yield Audited(gateway, audit)


def statement(**fields: object) -> dict[str, object]:
    usual: dict[str, object] = {
        "node": "local",
        "event": "statement",
        "user": USER,
        "client": "127.0.0.1",
        "kind": "SELECT",
        "statement": SHAPE,
        "stores": ["users"],
        "rows": 1,
        "sqlstate": "00000",
    }
    return {**usual, **fields}


def has(found: dict[str, Any], wanted: dict[str, object]) -> bool:
    return {name: found.get(name) for name in wanted} == wanted


@pytest.mark.parametrize("time", ["first", "with a kept plan"])
def test_http(audited: Audited, time: str) -> None:
    assert audited.post("/v1/query", {"sql": SQL}).json()["rows"] == [[36]]
    found = audited.take("statement", protocol="http")
    assert has(found, statement())


def test_batch(audited: Audited) -> None:
    body = {"sql": "SELECT age FROM users WHERE name = $1", "params": [["ada"], ["nobody"]]}
    assert audited.post("/v1/batch", body).status_code == 200
    found = audited.take("statement", protocol="batch")
    assert has(found, statement(statement=body["sql"], runs=2))


def test_a_query_by_name(audited: Audited) -> None:
    body = {"type": "key", "args": {"key": ["ada"]}}
    assert audited.post("/v1/stores/users/query", body).status_code == 200
    found = audited.take("statement", protocol="http")
    assert has(found, statement(statement=None, kind="key"))


def test_live(audited: Audited) -> None:
    url = f"{audited.gateway.http_url}/v1/subscribe"
    asked = {"sql": "SELECT name FROM users WHERE name > 'x'"}
    with httpx.stream("GET", url, params=asked, auth=AUTH, timeout=30) as answer:
        next(answer.iter_lines())
        found = audited.take("statement", protocol="live")
    shape = "SELECT name FROM users WHERE name > ?"
    assert has(found, statement(kind="SUBSCRIBE", statement=shape, rows=found["rows"]))


def test_the_wire(audited: Audited) -> None:
    with audited.connected() as db:
        login = audited.take("login", protocol="wire")
        assert has(login, {"user": USER, "client": "127.0.0.1", "sqlstate": "00000"})
        for _ in range(2):
            db.execute("SELECT age FROM users WHERE name = %s", ["ada"])
            found = audited.take("statement", protocol="wire")
            assert has(found, statement(statement="SELECT age FROM users WHERE name = $1"))
        with pytest.raises(psycopg.Error):
            db.execute("SELECT 'secret'::int")
        found = audited.take("statement", protocol="wire")
        assert has(found, statement(statement="SELECT ?::int", stores=[], rows=0, sqlstate="22P02"))


def test_refused_logins(audited: Audited) -> None:
    assert audited.post("/v1/query", {"sql": SQL}, (USER, "wrong")).status_code == 401
    refused = {"client": "127.0.0.1", "sqlstate": "28P01"}
    assert has(audited.take("login", protocol="http"), {"user": USER, **refused})
    with pytest.raises(psycopg.Error):
        audited.connected("wrong")
    assert has(audited.take("login", protocol="wire"), {"user": USER, **refused})
    # A password in the field of the name.
    assert audited.post("/v1/query", {"sql": SQL}, (PASSWORD, "x")).status_code == 401
    assert has(audited.take("login", protocol="http"), {"user": None, **refused})


def test_acts_on_other_sessions(audited: Audited) -> None:
    with audited.connected() as other, audited.connected() as db:
        pid = other.info.backend_pid
        with suppress(psycopg.Error):
            db.execute("SELECT pg_cancel_backend(%s)", [pid])
        act = {"user": USER, "client": "127.0.0.1", "protocol": "wire", "of": pid, "found": True}
        assert has(audited.take("cancel"), act)
        db.execute("SELECT pg_terminate_backend(%s)", [pid])
        assert has(audited.take("terminate"), act)


def test_a_reload_goes_on_in_a_new_file(audited: Audited) -> None:
    audited.post("/v1/query", {"sql": "SELECT 1 AS last"})
    audited.take("statement", statement="SELECT ? AS last")
    audited.path.rename(audited.path.with_suffix(".1"))
    audited.gateway.process.signal(signal.SIGHUP)
    until(audited.path.exists)
    until(lambda: len(audited.lines()) >= 2)
    assert {line["event"] for line in audited.lines()} == {"reload", "users"}
    audited._read = len(audited.lines())


def test_no_secret_is_in_the_file(audited: Audited) -> None:
    written = "".join(path.read_text() for path in audited.path.parent.glob("audit*"))
    for secret in (PASSWORD, "secret", "ada", "wrong"):
        assert secret not in written

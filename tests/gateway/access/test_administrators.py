"""An administrator sees, cancels and ends what others run or wait for, by either protocol."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any

import httpx
import psycopg
import pytest

from stategate.gateway.access.changing_users import set_admin, set_limits, set_password
from tests.gateway.real_gateway import RealGateway
from tests.support.waiting import WAIT_S, until

pytestmark = [pytest.mark.server, pytest.mark.timeout(180)]

LONG = "SELECT count(*) FROM people a, people b, people c, people d WHERE a.age + b.age < c.age"
SECOND = LONG.replace("<", ">")
CALLER = "ann", "bob", "root"


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealGateway]:
    directory = tmp_path_factory.mktemp("administrators")
    users = directory / "users.txt"
    for name in CALLER:
        set_password(users, name=name, password=name)
    set_admin(users, name="root", is_admin=True)
    set_limits(users, name="ann", words=["connections=2"])
    found = RealGateway(
        directory, f"users={users}", "threads=1", "pg_connections_max=7", "admin_connections=2"
    )
    try:
        with connected(found, "bob") as session:
            running = "SELECT count(*) FROM stategate.partitions WHERE state <> 'running'"
            until(lambda: session.execute(running).fetchone() == (0,))
        yield found
    finally:
        found.end()


def connected(gateway: RealGateway, user: str) -> psycopg.Connection[Any]:
    dsn = f"host=127.0.0.1 port={gateway.port} dbname=stategate"
    return psycopg.connect(dsn, user=user, password=user, autocommit=True)


def posted(gateway: RealGateway, user: str, sql: str) -> httpx.Response:
    url = f"http://127.0.0.1:{gateway.http_port}/v1/query"
    return httpx.post(url, json={"sql": sql}, auth=(user, user), timeout=WAIT_S)


def listed(session: psycopg.Connection[Any]) -> dict[tuple[str, str], tuple[int, str | None]]:
    """Return `pid` and text of each long statement, by user and state."""
    rows = session.execute(
        "SELECT username, state, pid, sql FROM stategate.queries WHERE pid <> pg_backend_pid()"
    )
    return {(user, state): (pid, sql) for user, state, pid, sql in rows.fetchall()}


class Both:
    """A request that runs, and a statement that waits."""

    def __init__(
        self,
        request: Future[httpx.Response],
        statement: Future[psycopg.Cursor[Any]],
        session: psycopg.Connection[Any],
    ) -> None:
        self.request, self.statement, self.session = request, statement, session


@contextmanager
def both(gateway: RealGateway, admin: psycopg.Connection[Any]) -> Iterator[Both]:
    """Ann's request has the only thread, and bob's statement waits for it."""
    with ExitStack() as stack:
        pool = stack.enter_context(ThreadPoolExecutor(2))
        bob = stack.enter_context(connected(gateway, "bob"))
        running = pool.submit(posted, gateway, "ann", LONG)
        until(lambda: ("ann", "running") in listed(admin))
        waiting = pool.submit(bob.execute, SECOND)
        until(lambda: ("bob", "waiting") in listed(admin))
        try:
            yield Both(running, waiting, bob)
        finally:
            for pid, _ in listed(admin).values():
                admin.execute("SELECT pg_cancel_backend(%s)", (pid,))


@contextmanager
def watched(
    gateway: RealGateway,
) -> Iterator[tuple[psycopg.Connection[Any], psycopg.Connection[Any], Both]]:
    """Sessions of an administrator and of ann, while her request runs and bob waits."""
    with (
        connected(gateway, "root") as admin,
        connected(gateway, "ann") as ann,
        both(gateway, admin) as two,
    ):
        yield admin, ann, two


def test_an_administrator_sees_all_and_others_only_their_own(gateway: RealGateway) -> None:
    with watched(gateway) as (admin, ann, two):
        assert listed(admin)["bob", "waiting"] == (two.session.info.backend_pid, SECOND)
        assert listed(admin)["ann", "running"][1] == LONG
        assert listed(ann)["bob", "waiting"][1] is None
        assert listed(ann)["ann", "running"][1] == LONG
        activity = "SELECT state, wait_event, query FROM pg_stat_activity WHERE usename = 'bob'"
        assert admin.execute(activity).fetchall() == [("active", "StatementThread", SECOND)]
        assert ann.execute(activity).fetchall() == [(None, None, "<insufficient privilege>")]


def test_an_administrator_cancels_what_waits_and_what_runs(gateway: RealGateway) -> None:
    with watched(gateway) as (admin, ann, two):
        seen = listed(admin)
        for pid, _ in (seen["bob", "waiting"],):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                ann.execute("SELECT pg_cancel_backend(%s)", (pid,))
            assert admin.execute("SELECT pg_cancel_backend(%s)", (pid,)).fetchone() == (True,)
        with pytest.raises(psycopg.errors.QueryCanceled):
            two.statement.result(WAIT_S)
        assert ("bob", "waiting") not in listed(admin)
        pid = seen["ann", "running"][0]
        assert pid < 0, "a request has no session on the wire"
        # By HTTP as well as by the wire.
        ended = posted(gateway, "root", f"SELECT pg_terminate_backend({pid})")
        assert ended.json()["rows"] == [[True]]
        answer = two.request.result(WAIT_S)
        assert answer.json()["error"]["sqlstate"] == "57014"
        assert admin.execute("SELECT pg_cancel_backend(%s)", (pid,)).fetchone() == (False,)


def test_a_user_ends_its_own_request(gateway: RealGateway) -> None:
    with watched(gateway) as (_, ann, two):
        pid, _ = listed(ann)["ann", "running"]
        assert ann.execute("SELECT pg_cancel_backend(%s)", (pid,)).fetchone() == (True,)
        assert two.request.result(WAIT_S).json()["error"]["sqlstate"] == "57014"


def test_a_user_has_its_connections_and_administrators_the_last_ones(gateway: RealGateway) -> None:
    with ExitStack() as stack:

        def connect(user: str) -> None:
            stack.enter_context(connected(gateway, user))

        def full(user: str) -> str:
            with pytest.raises(psycopg.OperationalError) as refused:
                connect(user)
            return str(refused.value)

        until(lambda: posted(gateway, "root", "SELECT count(*) FROM pg_stat_activity").json())
        connect("ann")
        connect("ann")
        assert 'too many connections for role "ann"' in full("ann")
        for _ in range(3):
            connect("bob")
        assert "reserved for administrators" in full("bob")
        connect("root")


def test_a_user_has_its_connections_of_http(gateway: RealGateway) -> None:
    url = f"http://127.0.0.1:{gateway.http_port}/v1/query"
    with ExitStack() as stack:
        clients = [
            stack.enter_context(httpx.Client(auth=("ann", "ann"), timeout=WAIT_S)) for _ in range(3)
        ]
        answers = [client.post(url, json={"sql": "SELECT 1"}) for client in clients]
        assert [answer.status_code for answer in answers] == [200, 200, 503]
        error = answers[2].json()["error"]
        assert (error["sqlstate"], error["retryable"]) == ("53300", True)
        assert error["message"] == 'too many connections for role "ann"'
        health = clients[2].get(f"http://127.0.0.1:{gateway.http_port}/readyz")
        assert health.status_code == 200
        clients[0].close()
        until(lambda: clients[2].post(url, json={"sql": "SELECT 1"}).status_code == 200)

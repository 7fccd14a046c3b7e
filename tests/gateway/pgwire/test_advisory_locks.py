"""Advisory locks of sessions of the Postgres wire, by psycopg."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack
from typing import Any

import psycopg
import pytest

from tests.gateway.pgwire.serving import HOST, Serving, serving
from tests.planner.postgres.world import engine
from tests.support.waiting import WAIT_S

Connection = psycopg.Connection[Any]
Connect = Callable[[], Connection]
Ask = Callable[[Connection, str], "Future[Any]"]
WAITS = "SELECT count(*) FROM pg_locks WHERE NOT granted"


@pytest.fixture(scope="module")
def served() -> Iterator[Serving]:
    asked = engine()
    with serving(other=asked) as running:
        yield running
    asked.close()


@pytest.fixture
def connect(served: Serving) -> Iterator[Callable[[], Connection]]:
    with ExitStack() as opened:

        def connected() -> Connection:
            made = psycopg.connect(
                host=HOST, port=served.port, user="joe", dbname="db", autocommit=True
            )
            return opened.enter_context(made)

        yield connected
    assert served.eventually(lambda: not listed(served)), "a session has left a lock"


def listed(served: Serving) -> list[object]:
    assert served.server.locks is not None
    return [*served.server.locks.listed()]


@pytest.fixture
def waiting(served: Serving) -> Ask:
    """Return a function that asks for a lock in another thread, once the session waits for it."""

    def ask(connection: Connection, sql: str) -> Future[Any]:
        before, asked = waits(served), Future[Any]()

        def run() -> None:
            try:
                asked.set_result(connection.execute(sql).fetchall())
            except psycopg.Error as error:
                asked.set_exception(error)

        threading.Thread(target=run, daemon=True).start()
        assert served.eventually(lambda: waits(served) > before)
        return asked

    return ask


def waits(served: Serving) -> int:
    assert served.server.locks is not None
    return sum(not each.granted for each in served.server.locks.listed())


def one(connection: Connection, sql: str) -> Any:
    rows = connection.execute(sql).fetchall()
    return rows[0][0] if len(rows[0]) == 1 else rows[0]


def test_a_session_counts_its_locks(connect: Connect) -> None:
    ann, bob = connect(), connect()
    twice = "SELECT pg_advisory_lock(x), pg_try_advisory_lock(x) FROM generate_series(1, 2) AS x"
    assert ann.execute(twice).fetchall() == [("", True), ("", True)]
    assert one(bob, "SELECT pg_try_advisory_lock(1), pg_try_advisory_lock_shared(2)") == (
        False,
        False,
    )
    assert one(ann, "SELECT pg_advisory_unlock(1)") is True
    assert one(bob, "SELECT pg_try_advisory_lock(1)") is False
    assert one(ann, "SELECT pg_advisory_unlock(1), pg_advisory_unlock(1)") == (True, False)
    assert one(bob, "SELECT pg_try_advisory_lock(1)") is True
    ann.execute("SELECT pg_advisory_unlock_all()")
    assert one(bob, "SELECT pg_try_advisory_lock(2)") is True


def test_unlocking_what_is_not_held_gives_a_warning(connect: Connect) -> None:
    ann, told = connect(), []
    ann.add_notice_handler(lambda notice: told.append((notice.severity, notice.message_primary)))
    assert one(ann, "SELECT pg_advisory_unlock_shared(1, 2)") is False
    assert told == [("WARNING", "you don't own a lock of type ShareLock")]


def test_keys_are_listed_as_postgresql_lists_them(connect: Connect) -> None:
    ann = connect()
    ann.execute("SELECT pg_advisory_lock(-1), pg_advisory_lock_shared(-2, 3)")
    sql = (
        "SELECT locktype, classid, objid, objsubid, mode, granted FROM pg_locks"
        " WHERE pid = pg_backend_pid() ORDER BY objsubid"
    )
    assert ann.execute(sql).fetchall() == [
        ("advisory", 4294967295, 4294967295, 1, "ExclusiveLock", True),
        ("advisory", 4294967294, 3, 2, "ShareLock", True),
    ]


def test_a_statement_waits_for_its_locks_in_turn(connect: Connect, waiting: Ask) -> None:
    ann, bob, eve = connect(), connect(), connect()
    ann.execute("SELECT pg_advisory_lock(1), pg_advisory_lock(2)")
    asked = waiting(bob, "SELECT pg_advisory_lock(1), pg_advisory_lock(2), 7")
    blocked, by = bob.info.backend_pid, ann.info.backend_pid
    assert one(eve, f"SELECT pg_blocking_pids({blocked})") == [by]
    assert one(eve, f"SELECT state FROM pg_stat_activity WHERE pid = {blocked}") == "active"
    ann.execute("SELECT pg_advisory_unlock(1)")
    assert one(eve, f"SELECT pg_blocking_pids({blocked})") == [by]
    ann.execute("SELECT pg_advisory_unlock(2)")
    assert asked.result(WAIT_S) == [("", "", 7)]


def test_waiting_sessions_hold_no_thread(connect: Connect, waiting: Ask) -> None:
    ann = connect()
    ann.execute("SELECT pg_advisory_lock(1)")
    asked = [waiting(connect(), "SELECT pg_advisory_xact_lock_shared(1)") for _ in range(8)]
    assert one(ann, WAITS) == 8  # with four threads
    ann.execute("SELECT pg_advisory_unlock(1)")
    assert [each.result(WAIT_S) for each in asked] == [[("",)]] * 8


@pytest.mark.parametrize(
    ("setting", "error"),
    [
        ("lock_timeout", psycopg.errors.LockNotAvailable),
        ("statement_timeout", psycopg.errors.QueryCanceled),
    ],
)
def test_a_wait_ends_in_time(connect: Connect, setting: str, error: type[Exception]) -> None:
    ann, bob = connect(), connect()
    ann.execute("SELECT pg_advisory_lock(1)")
    bob.execute(f"SET {setting} = '100ms'")
    with pytest.raises(error):
        bob.execute("SELECT pg_advisory_lock(2), pg_advisory_lock(1)")
    bob.execute(f"RESET {setting}")
    assert one(bob, "SELECT pg_advisory_unlock(2)") is True  # as PostgreSQL: it was held


def test_a_wait_can_be_cancelled(connect: Connect, waiting: Ask) -> None:
    ann, bob = connect(), connect()
    ann.execute("SELECT pg_advisory_lock(1)")
    asked = waiting(bob, "SELECT pg_advisory_lock(1)")
    assert one(ann, f"SELECT pg_cancel_backend({bob.info.backend_pid})") is True
    assert isinstance(asked.exception(WAIT_S), psycopg.errors.QueryCanceled)
    assert one(bob, WAITS) == 0


def test_a_client_that_leaves_waits_no_more(served: Serving, connect: Connect) -> None:
    ann, bob = connect(), connect()
    ann.execute("SELECT pg_advisory_lock(1)")
    bob.pgconn.send_query(b"SELECT pg_advisory_lock(1)")
    bob.pgconn.flush()
    assert served.eventually(lambda: waits(served) == 1)
    bob.close()
    assert served.eventually(lambda: waits(served) == 0)


def test_a_deadlock_ends_with_an_error(connect: Connect, waiting: Ask) -> None:
    ann, bob = connect(), connect()
    ann.execute("SELECT pg_advisory_lock(1)")
    bob.execute("SELECT pg_advisory_lock(2)")
    asked = waiting(ann, "SELECT pg_advisory_lock(2)")
    with pytest.raises(psycopg.errors.DeadlockDetected, match="blocked by process"):
        bob.execute("SELECT pg_advisory_lock(1)")
    bob.close()
    assert asked.result(WAIT_S) == [("",)]


ENDS = ["COMMIT", "ROLLBACK", "ROLLBACK TO s", "SELECT 1 / 0"]


@pytest.mark.parametrize("end", ENDS)
def test_a_transaction_holds_its_locks_until_it_ends(connect: Connect, end: str) -> None:
    ann, bob = connect(), connect()
    ann.execute("BEGIN")
    ann.execute("SELECT pg_advisory_xact_lock(1), pg_advisory_lock(3)")
    ann.execute("SAVEPOINT s")
    ann.execute("SELECT pg_advisory_xact_lock(1), pg_advisory_xact_lock_shared(2)")
    ann.execute("SAVEPOINT t")
    ann.execute("RELEASE t")
    tried = "SELECT pg_try_advisory_xact_lock(1), pg_try_advisory_xact_lock(2)"
    assert one(ann, "SELECT pg_advisory_unlock(1)") is False  # only the transaction holds it
    assert one(bob, tried) == (False, False)
    try:
        ann.execute(end)
    except psycopg.errors.DivisionByZero:
        assert one(bob, tried) == (False, True)
        ann.execute("ROLLBACK")
    else:
        # Without the savepoint, the transaction goes on with what it held before.
        assert one(bob, tried) == ((False, True) if end == "ROLLBACK TO s" else (True, True))
        ann.execute("COMMIT")
    assert one(bob, tried) == (True, True)
    assert one(bob, "SELECT pg_try_advisory_lock(3)") is False


def test_a_statement_alone_is_a_transaction(connect: Connect) -> None:
    ann, bob = connect(), connect()
    ann.execute("SELECT pg_advisory_xact_lock(1)")
    assert one(bob, "SELECT pg_try_advisory_xact_lock(1)") is True
    with ann.pipeline():
        held = ann.execute("SELECT pg_advisory_xact_lock(1)")
        tried = ann.execute("SELECT count(*) FROM pg_locks")
    assert held.fetchall() == [("",)]
    assert tried.fetchall() == [(1,)]
    both = "SELECT pg_advisory_xact_lock(1); SELECT count(*) FROM pg_locks WHERE granted"
    cursor = ann.execute(both)
    cursor.nextset()
    assert cursor.fetchall() == [(1,)]
    assert one(bob, "SELECT pg_try_advisory_xact_lock(1)") is True


def test_discard_all_unlocks(connect: Connect) -> None:
    ann, bob = connect(), connect()
    ann.execute("SELECT pg_advisory_lock(1)")
    ann.execute("DISCARD ALL")
    assert one(bob, "SELECT pg_try_advisory_lock(1)") is True


def test_prepared_statements_and_cursors_wait(connect: Connect, waiting: Ask) -> None:
    ann, bob = connect(), connect()
    ann.execute("SELECT pg_advisory_lock(1)")
    bob.execute("PREPARE p AS SELECT pg_advisory_lock(1)")
    asked = waiting(bob, "EXECUTE p")
    ann.execute("SELECT pg_advisory_unlock(1)")
    assert asked.result(WAIT_S) == [("",)]
    bob.execute("BEGIN")
    asked = waiting(ann, "DECLARE c CURSOR WITH HOLD FOR SELECT pg_advisory_lock(1)")
    bob.execute("SELECT pg_advisory_unlock(1)")
    assert isinstance(asked.exception(WAIT_S), psycopg.ProgrammingError)  # it has no rows
    assert ann.execute("FETCH ALL FROM c").fetchall() == [("",)]
    with ann.cursor().copy("COPY (SELECT pg_try_advisory_lock(1)) TO STDOUT") as copy:
        assert [bytes(each) for each in copy] == [b"t\n"]


def test_parameters(connect: Connect) -> None:
    ann = connect()
    for prepare in (False, True):
        found = ann.execute(
            "SELECT pg_advisory_lock(%s), pg_try_advisory_lock(%s, %s), pg_advisory_unlock(%s)",
            (7, 1, 2, 7),
            prepare=prepare,
            binary=prepare,
        )
        row = found.fetchone()
        assert row is not None
        assert row[1:3] == (True, True)


def test_locks_are_not_taken_over_stores(connect: Connect) -> None:
    with pytest.raises(psycopg.errors.FeatureNotSupported, match="pg_advisory_lock"):
        connect().execute("SELECT pg_advisory_lock(id) FROM samples")

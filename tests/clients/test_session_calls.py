"""Functions of the session in statements over stores, by psycopg."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from psycopg import conninfo

from tests.support.gateway import Gateway

CALLS = "current_user, session_user, current_database(), current_setting(%s)"

Connection = psycopg.Connection[tuple[object, ...]]


@contextmanager
def connected(gateway: Gateway, user: str) -> Iterator[Connection]:
    dsn = conninfo.make_conninfo(gateway.pg_dsn, user=user, application_name=f"of {user}")
    with psycopg.connect(dsn, autocommit=True) as connection:
        yield connection


def test_each_session_sees_its_own_values(gateway: Gateway) -> None:
    told: list[tuple[object, ...] | None] = []
    with connected(gateway, "ann") as ann, connected(gateway, "bob") as bob:
        for _ in range(2):
            for connection in (ann, bob):
                found = connection.execute(
                    f"SELECT {CALLS}, count(*) FROM users", ["application_name"], prepare=True
                )
                told.append(found.fetchone())
    rows = told[0][-1] if told[0] is not None else 0
    expected = [(user, user, "stategate", f"of {user}", rows) for user in ("ann", "bob")]
    assert told == [*expected, *expected]


def test_a_setting_counts_from_the_next_statement_on(gateway: Gateway) -> None:
    sql = "SELECT DISTINCT current_setting('application_name') FROM users"
    with connected(gateway, "ann") as ann:
        assert ann.execute(sql).fetchone() == ("of ann",)
        with ann.transaction():
            ann.execute("SET LOCAL application_name = 'passing'")
            assert ann.execute(sql).fetchone() == ("passing",)
        assert ann.execute(sql).fetchone() == ("of ann",)
        assert ann.info.parameter_status("application_name") == "of ann"


def test_functions_without_a_result_are_described_as_void(gateway: Gateway) -> None:
    with connected(gateway, "ann") as ann:
        for binary in (False, True):
            found = ann.execute("SELECT pg_advisory_unlock_all()", binary=binary)
            assert found.description is not None
            assert found.description[0].type_code == 2278
            assert found.pgresult is not None
            assert found.pgresult.get_value(0, 0) == b""


def test_commands_with_a_query_use_values_of_the_session(gateway: Gateway) -> None:
    sql = "SELECT DISTINCT current_user FROM users"
    with connected(gateway, "ann") as ann:
        with ann.cursor().copy(f"COPY ({sql}) TO STDOUT") as copy:
            assert b"".join(bytes(block) for block in copy) == b"ann\n"
        ann.execute(f"PREPARE mine AS {sql} WHERE current_user = $1")
        assert ann.execute("EXECUTE mine ('ann')").fetchall() == [("ann",)]
        with ann.transaction(), ann.cursor("held") as cursor:
            assert cursor.execute(sql).fetchall() == [("ann",)]


def test_a_users_sessions_are_listed_and_can_be_ended(gateway: Gateway) -> None:
    with connected(gateway, "ann") as ann, connected(gateway, "ann") as other:
        pid = other.info.backend_pid
        assert other.execute("SELECT pg_backend_pid()").fetchone() == (pid,)
        sql = (
            "SELECT usename, application_name, state FROM pg_stat_activity WHERE pid = %s"
            " AND client_addr IS NOT NULL"
        )
        assert ann.execute(sql, [pid]).fetchone() == ("ann", "of ann", "idle")
        with connected(gateway, "bob") as bob, pytest.raises(psycopg.Error) as refused:
            bob.execute("SELECT pg_terminate_backend(%s::int)", [pid])
        assert refused.value.sqlstate == "42501"
        found = ann.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = %s", [pid]
        )
        assert found.fetchone() == (True,)
        with pytest.raises(psycopg.OperationalError):
            other.execute("SELECT 1")
        assert ann.execute("SELECT pg_cancel_backend(%s::int)", [pid]).fetchone() == (False,)

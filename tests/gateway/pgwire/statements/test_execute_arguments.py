"""The arguments of EXECUTE become values of the parameters' types by assignment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from tests.gateway.pgwire.serving import HOST, Serving, serving
from tests.planner.postgres.world import engine

Connection = psycopg.Connection[Any]


@pytest.fixture(scope="module")
def served() -> Iterator[Serving]:
    asked = engine()
    with serving(other=asked) as running:
        yield running
    asked.close()


@pytest.fixture
def connection(served: Serving) -> Iterator[Connection]:
    with psycopg.connect(
        host=HOST, port=served.port, user="joe", dbname="db", autocommit=True
    ) as made:
        yield made


def executed(connection: Connection, kind: str, argument: str) -> str | None:
    """Return the SQLSTATE of an EXECUTE with an argument, or its only value as a text."""
    connection.execute(f"PREPARE p ({kind}) AS SELECT $1".encode())
    found = connection.pgconn.exec_(f"EXECUTE p ({argument})".encode())
    if found.status == psycopg.pq.ExecStatus.FATAL_ERROR:
        state = found.error_field(psycopg.pq.DiagnosticField.SQLSTATE)
        return None if state is None else state.decode()
    value = found.get_value(0, 0)
    return None if value is None else value.decode()


@pytest.mark.parametrize(
    ("kind", "argument", "value"),
    [
        ("integer", "5.6", "6"),
        ("integer", "5::bigint", "5"),
        ("integer", "('5')", "5"),
        ("integer", "NULL", None),
        ("boolean", "'t'", "t"),
        ("integer[]", "ARRAY[1.5]", "{2}"),
        ("text", "true", "true"),
        ("text", "5", "5"),
        ("date", "'2020-01-01 10:00'::timestamp", "2020-01-01"),
        ("json", "'1'::jsonb", "1"),
        ("regclass", "'pg_class'::text", "pg_class"),
        ("inet", "'10.0.0.1/32'", "10.0.0.1"),
    ],
)
def test_an_argument_is_assigned(
    connection: Connection, kind: str, argument: str, value: str | None
) -> None:
    assert executed(connection, kind, argument) == value


@pytest.mark.parametrize(
    ("kind", "argument"),
    [
        ("integer", "'5'::text"),
        ("integer", "NULL::text"),
        ("integer", "true"),
        ("integer", "now()"),
        ("integer", "'1'::jsonb"),
        ("boolean", "1"),
        ("date", "20200101"),
        ("uuid", "'x'::text"),
        ("integer[]", "1"),
        ("integer[]", "ARRAY['1'::text]"),
    ],
)
def test_an_argument_that_only_a_written_cast_takes_is_refused(
    connection: Connection, kind: str, argument: str
) -> None:
    assert executed(connection, kind, argument) == "42804"

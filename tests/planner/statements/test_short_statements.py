"""Which statements may take the threads that scans cannot take: those that read little, surely."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stategate.planner.sql import SqlEngine
from stategate.planner.values.session import Session
from tests.support.stores import FixedCatalog, keyvalue, open_store

PEOPLE = keyvalue("people", {"name": "text"}, {"age": "integer"})


@pytest.fixture(scope="module")
def engine() -> Iterator[SqlEngine]:
    engine = SqlEngine(FixedCatalog(open_store(PEOPLE)))
    yield engine
    engine.close()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 + 1",
        "SELECT * FROM pg_class",
        "SELECT * FROM stategate.queries",
        "SELECT pid FROM stategate.queries q WHERE state = 'waiting' ORDER BY pid LIMIT 3",
        "SELECT count(*) FROM stategate.partitions",
        "SELECT username, count(*) FROM stategate.queries GROUP BY username",
        "SELECT pg_cancel_backend(7)",
        "SELECT age FROM people WHERE name = 'ann'",
        "SHOW timezone",
        "EXPLAIN SELECT * FROM people",
    ],
)
def test_short(engine: SqlEngine, sql: str) -> None:
    assert engine.is_short(engine.prepare(sql, Session()))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM people",
        "SELECT count(*) FROM people",
        "SELECT * FROM stategate.queries, people",
        "SELECT * FROM stategate.queries q JOIN stategate.nodes n ON true",
        "SELECT * FROM stategate.queries q, stategate.nodes n",
        "SELECT count(*) FROM stategate.nodes, generate_series(1, 1000000000)",
        """SELECT 'FROM "r0" AS "x"' FROM stategate.nodes, generate_series(1, 1000000000)""",
        "SELECT generate_series(1, 1000000000) FROM stategate.nodes",
        "SELECT generate_series(1, 1000000000)",
        "SELECT (SELECT count(*) FROM people)",
        "SELECT array_length(ARRAY(SELECT generate_series(1, 1000000000)), 1)",
        "SELECT * FROM generate_series(1, 1000000000)",
        "EXPLAIN ANALYZE SELECT * FROM people",
    ],
)
def test_long(engine: SqlEngine, sql: str) -> None:
    assert not engine.is_short(engine.prepare(sql, Session()))

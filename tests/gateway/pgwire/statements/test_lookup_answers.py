"""Queries that differ only in literals from the one before are answered like all others."""

from __future__ import annotations

import pytest

from planner.engine import Session, Statement
from planner.sql import EngineLimits, SqlEngine
from tests.bench.costs import wire_session
from tests.gateway.pgwire import wire
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

PAGE = "SELECT v FROM kv WHERE a > '{}' AND a < '{}' AND n IN ({}, {}) ORDER BY a LIMIT 2;"
TEXTS = [
    *(PAGE.format(*each) for each in [("b", "x", 1, 2), ("c", "y", 3, 4), ("a", "z", 0, 9)]),
    PAGE.format("d", "f", 1, 1),  # answered by the template from here on
    PAGE.format("a", "c", 0, 1),
    PAGE.format("", "it''s", 0, 1),
    PAGE.format("a", "x", 1.5, 1),
    PAGE.format("a", "x' OR a = 'b", 1, 1),
    PAGE.format("a", "x", 1, "'x'"),
    PAGE.format("a", "c", 0, 1).replace("2;", "1;"),
]


class CountingEngine(SqlEngine):
    """An engine that counts the statements that are looked up by their text."""

    recalled = 0

    def recall(self, sql: str, session: Session, **given: object) -> Statement | None:
        self.recalled += 1
        return super().recall(sql, session)


@pytest.fixture(scope="module")
def catalog() -> FixedCatalog:
    store = open_store(keyvalue("kv", {"a": "text"}, {"n": "bigint", "v": "text"}))
    fill(store, [(a, at % 3, f"value of {a}") for at, a in enumerate("abcdefg")])
    return FixedCatalog(store)


def test_a_query_with_other_literals_is_answered_as_one_that_is_planned(
    catalog: FixedCatalog,
) -> None:
    engine = CountingEngine(catalog)
    forgetful = SqlEngine(catalog, limits=EngineLimits(statements_max=0))
    recalled: list[int] = []
    try:
        with wire_session(engine) as ours, wire_session(forgetful) as theirs:
            for sql in TEXTS:
                before = engine.recalled
                assert ours.ask(wire.query(sql)) == theirs.ask(wire.query(sql)), sql
                recalled.append(engine.recalled - before)
    finally:
        engine.close()
        forgetful.close()
    assert recalled == [1, 1, 1, 0, 0, 1, 1, 1, 1, 1]

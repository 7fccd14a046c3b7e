"""Queries that differ only in literals from the one before are answered like all others."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from stategate.planner.engine import DataType, Session, Statement
from stategate.planner.sql import EngineLimits, SqlEngine
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

    def recall(
        self, sql: str, session: Session, *, parameter_types: Sequence[DataType | None] = ()
    ) -> Statement | None:
        self.recalled += 1
        return super().recall(sql, session, parameter_types=parameter_types)


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


RUN = wire.execute("") + wire.SYNC
ONE, SOME = "SELECT n, v FROM kv WHERE a = $1", "SELECT v FROM kv WHERE a IN ($1, $2) ORDER BY a;"


def parsed(sql: str, *keys: bytes | None, described: bool = False, **formats: list[int]) -> bytes:
    """Return a round that begins with its text."""
    bind = wire.bind("", "", keys, **formats)
    return wire.parse("", sql) + bind + (wire.describe("P", "") if described else b"") + RUN


ROUNDS = {
    "planned": parsed(ONE, b"a"),
    "by its text": parsed(ONE, b"b"),
    "by its form": parsed(ONE, b"c"),
    "described": parsed(ONE, b"d", described=True),
    "in binary": parsed(ONE, b"e", result_formats=[1]),
    "without a row": parsed(ONE, b"xyz", result_formats=[1]),
    "of NULL": parsed(ONE, None),
    "of two keys": parsed(SOME, b"a", b"b"),
    "of other keys": parsed(SOME, b"c", b"a"),
    "of the last text": wire.bind("", "", [b"d", b"e"]) + RUN,
    "of the first text": parsed(ONE, b"a"),
    "of the first text again": wire.bind("", "", [b"b"]) + RUN,
    "a query between": wire.query("SELECT n FROM kv WHERE a = 'a'"),
    "of no text": wire.bind("", "", [b"b"]) + RUN,
    "of a text again": parsed(ONE, b"f"),
    "of the text again": wire.bind("", "", [b"g"]) + RUN,
    "of a wrong number of keys": parsed(ONE, b"a", b"b"),
    "that is not UTF-8": parsed(ONE, b"\xff"),
    "of a broken text": parsed("SELECT FROM WHERE $1", b"a"),
    "of a number": wire.parse("", ONE, [20]) + wire.bind("", "", [b"1"]) + RUN,
    "after errors": parsed(ONE, b"a"),
    "of a literal": parsed("SELECT v FROM kv WHERE a = 'c'"),
    "of a literal again": parsed("SELECT v FROM kv WHERE a = 'c'"),
}


def test_a_round_that_begins_with_its_text_is_answered_as_one_that_is_planned(
    catalog: FixedCatalog,
) -> None:
    engine = CountingEngine(catalog)
    forgetful = SqlEngine(catalog, limits=EngineLimits(statements_max=0))
    recalled: dict[str, int] = {}
    try:
        with wire_session(engine) as ours, wire_session(forgetful) as theirs:
            for name, sent in ROUNDS.items():
                before = engine.recalled
                assert ours.ask(sent) == theirs.ask(sent), name
                recalled[name] = engine.recalled - before
    finally:
        engine.close()
        forgetful.close()
    assert recalled["by its text"] == 1
    assert recalled["by its form"] == recalled["without a row"] == 0
    assert recalled["of other keys"] == 1
    assert recalled["of the last text"] == recalled["of the text again"] == 0


def test_a_text_is_answered_at_once_again_after_its_store_has_changed() -> None:
    columns = {"n": "bigint", "v": "text"}
    older = open_store(keyvalue("kv", {"a": "text"}, columns))
    newer = open_store(keyvalue("kv", {"a": "text"}, {**columns, "added": "text"}))
    fill(older, [("a", 1, "x")])
    fill(newer, [("a", 1, "x", None)])
    catalog = FixedCatalog(older)
    engine = CountingEngine(catalog)
    sent = parsed(ONE, b"a")
    with wire_session(engine) as client:
        answers = [client.ask(sent) for _ in range(3)]
        catalog.replace(newer)
        answers += [client.ask(sent) for _ in range(3)]
        before = engine.recalled
        answers.append(client.ask(sent))
    engine.close()
    assert engine.recalled == before
    assert len(set(answers)) == 1

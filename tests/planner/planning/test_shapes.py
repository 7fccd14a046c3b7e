"""Texts that differ in their literals: the same plan, and the values that each of them has."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from planner.planning.shapes import Template, parameterize, template_of
from planner.sql import SqlEngine
from planner.values.session import Session
from planner.values.statement import Statement
from stores.spec.schema import BIGINT, TEXT, Row
from tests.planner.sides import looked_up
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

PIECES = st.sampled_from(
    [
        *("SELECT v FROM kv WHERE k", " = ", "'", "''", "\\", '"', '"a', "1", "x", " ", "$1"),
        *("--", ";", "/*", "E'", "e", ".", "\n", "\u0663", "\u00e9"),
    ]
)
TEXTS = st.lists(PIECES, max_size=9).map("".join)


@given(TEXTS, TEXTS, TEXTS, TEXTS)
@example("a '", "x", "y", "'")
@example("a '", "x", "y''", "'")
@example("a ", "1", "23", " ")
@example("a ", "1", "\u0663", "")
def test_a_template_gives_what_lift_takes_out(
    head: str, first: str, second: str, tail: str
) -> None:
    """Check texts with the same head and tail as one with a single literal."""
    parameterized = parameterize(head + first + tail)
    if parameterized is None or len(parameterized.literals) != 1:
        return
    begin, end = parameterized.last
    text = head + first + tail
    assert text[begin:end].replace("''", "'") == parameterized.literals[0]
    template = Template(text[:begin], text[end:], BIGINT if parameterized.types[0] else TEXT)
    other = text[:begin] + second + text[end:]
    found = template.literals(other)
    if found is not None:
        again = parameterize(other)
        assert again is not None
        assert (again.shape, again.types) == (parameterized.shape, parameterized.types)
        assert (str(found[0]),) == tuple(
            each if again.types[0] is None else str(int(each)) for each in again.literals
        )


@pytest.fixture(scope="module")
def engine() -> SqlEngine:
    numbers = open_store(keyvalue("numbers", {"n": "bigint"}, {"v": "text"}))
    fill(numbers, [(n, f"value {n}") for n in range(100)])
    words = open_store(keyvalue("words", {"w": "text", "x": "text"}, {"v": "bigint"}))
    fill(words, [(f"w{n}", "x", n) for n in range(100)])
    return SqlEngine(FixedCatalog(numbers, words))


def by_shape(engine: SqlEngine, sql: str) -> Statement:
    """The statement of a text whose shape has come often enough to be planned."""
    session = Session()
    for number in (90, 91, 92):
        engine.prepare(re.sub("7", str(number), sql), session)
    statement = engine.recall(sql, session)
    assert statement is not None
    return statement


@pytest.mark.parametrize(
    ("sql", "other", "row"),
    [
        (
            "SELECT v FROM numbers WHERE n = 7",
            "SELECT v FROM numbers WHERE n = 8",
            ("value 8",),
        ),
        (
            "  SELECT v, n FROM numbers WHERE n = '7'",
            "  SELECT v, n FROM numbers WHERE n = '9'",
            ("value 9", 9),
        ),
    ],
)
def test_a_text_like_another_is_looked_up_without_a_plan(
    engine: SqlEngine, sql: str, other: str, row: Row
) -> None:
    statement = by_shape(engine, sql)
    template = template_of(sql + " ;", statement)
    assert template is not None
    literals = template.literals(other + " ;")
    assert literals is not None
    assert statement.look_up is not None
    found = statement.look_up(literals, Session())
    assert found is not None
    assert found.rows == (row,)
    assert looked_up(statement, (), Session()) != (row,)
    assert template.literals(other) is None
    for odd in ("x", "''", "8'8", "\\8", "", "9" * 19):
        assert template.literals(other.replace("8", odd).replace("9", odd) + " ;") is None


def test_texts_with_more_literals_have_no_template(engine: SqlEngine) -> None:
    sql = "SELECT v FROM words WHERE w = 'w7' AND x = 'x'"
    assert template_of(sql, by_shape(engine, sql)) is None
    alone = "SELECT v FROM numbers WHERE n = 7 AND v LIKE 'v%'"
    assert template_of(alone, engine.prepare(alone, Session())) is None

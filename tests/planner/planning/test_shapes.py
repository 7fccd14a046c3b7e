"""Texts that differ in their literals share a plan, and each has its own values."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stategate.planner.planning.shapes import Template, parameterize, template_of
from stategate.planner.sql import SqlEngine
from stategate.planner.values.session import Session
from stategate.planner.values.statement import Statement
from stategate.planner.values.times.time_settings import PLAIN_TIMES
from stategate.stores.spec.schema import BIGINT, TEXT, DataType, Row, decimal_type
from tests.planner.sides import looked_up
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

PIECES = st.sampled_from(
    [
        *("SELECT v FROM kv WHERE k", " = ", "'", "''", "\\", '"', '"a', "1", "x", " ", "$1"),
        *("--", ";", "/*", "E'", "e", ".", "\n", "\u0663", "\u00e9"),
    ]
)
TEXTS = st.lists(PIECES, max_size=9).map("".join)


TAILS = st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=3)
"""For each literal: a text, another one, and the text that follows."""


@given(TEXTS, TAILS)
@example("a '", [("x", "y", "'")])
@example("a '", [("x", "y''", "'")])
@example("a ", [("1", "23", " ")])
@example("a ", [("1", "\u0663", "")])
@example("a '", [("x", "y", "', '"), ("z", "', '", "'")])
@example("a '", [("x", "y", "' < "), ("1", "1.5", " x")])
@example("a ", [("1", "2", " x "), ("3", "4 x 5", " x "), ("6", "7", "")])
def test_a_template_returns_the_literals_that_parameterize_takes_out(
    head: str, parts: list[tuple[str, str, str]]
) -> None:
    """Check texts that differ only between the same pieces."""
    text, other, spans = head, head, []
    for first, second, after in parts:
        spans.append((len(text), len(text) + len(first)))
        text, other = text + first + after, other + second + after
    parameterized = parameterize(text)
    if parameterized is None or list(parameterized.spans) != spans:
        return
    found = [text[begin:end].replace("''", "'") for begin, end in spans]
    assert list(parameterized.literals) == found
    if any(each is not None and each != BIGINT for each in parameterized.types):
        return
    template = Template(
        head=head,
        between=tuple(after for _, _, after in parts[:-1]),
        tail=parts[-1][2],
        data_types=tuple(TEXT if each is None else each for each in parameterized.types),
        times=PLAIN_TIMES,
    )
    values = template.literals(other)
    if values is not None:
        again = parameterize(other)
        assert again is not None
        assert (again.shape, again.types) == (parameterized.shape, parameterized.types)
        assert list(map(str, values)) == [
            text if type_ is None else str(int(text))
            for text, type_ in zip(again.literals, again.types, strict=True)
        ]


@pytest.mark.parametrize(
    ("sql", "types"),
    [
        ("a 1 b 'x' c 2.50", (BIGINT, None, decimal_type(3, 2))),
        ("a = 123456789012345678", (BIGINT,)),
        ("a = 1234567890123456789", None),
        ("a = 1e3 b = .5 c = 1. d = 1.5e2 e1 = a.1 1x", None),
        ("a = 'x' -- b", None),
        ("a = E'x'", None),
        ("a = $1 AND b = 2", None),
    ],
)
def test_literals_have_the_types_of_postgres(
    sql: str, types: tuple[DataType | None, ...] | None
) -> None:
    found = parameterize(sql)
    assert (None if found is None else found.types) == types


@pytest.fixture(scope="module")
def engine() -> SqlEngine:
    numbers = open_store(keyvalue("numbers", {"n": "bigint"}, {"v": "text"}))
    fill(numbers, [(n, f"value {n}") for n in range(100)])
    words = open_store(keyvalue("words", {"w": "text", "x": "text"}, {"v": "bigint"}))
    fill(words, [(f"w{n}", "x", n) for n in range(100)])
    return SqlEngine(FixedCatalog(numbers, words))


def by_shape(engine: SqlEngine, sql: str) -> Statement:
    """Return the statement of a text whose shape has occurred often enough to be planned."""
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
    template = template_of(sql + " ;", statement, PLAIN_TIMES)
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


def test_a_template_can_have_several_literals(engine: SqlEngine) -> None:
    sql = "SELECT v FROM words WHERE w = 'w7' AND x = 'x'"
    template = template_of(sql, by_shape(engine, sql), PLAIN_TIMES)
    assert template is not None
    assert template.literals(sql.replace("w7", "w10").replace("'x'", "'y'")) == ("w10", "y")
    assert template.literals(sql.replace("' AND", "' or")) is None


def test_a_text_planned_by_itself_has_no_template(engine: SqlEngine) -> None:
    alone = "SELECT v FROM numbers WHERE n = 7 AND v LIKE 'v%'"
    assert template_of(alone, engine.prepare(alone, Session()), PLAIN_TIMES) is None

"""What the grammar draws: every record, every clause and every kind of place."""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest

from stategate.planner.records.functions import RECORDS
from tests.fuzz.grammar.calls import EVERY, NOT_DRAWN
from tests.fuzz.grammar.statements import Case, Statements
from tests.fuzz.tree import spelled

COUNT = 6000


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return [Statements(random.Random(number)).case() for number in range(COUNT)]


@pytest.fixture(scope="module")
def texts(cases: list[Case]) -> list[str]:
    return [spelled(case.root) for case in cases]


def test_every_record_is_drawn_or_has_a_reason_not_to_be(texts: list[str]) -> None:
    assert EVERY.keys() | NOT_DRAWN.keys() == RECORDS.keys()
    called = {name for text in texts for name in re.findall(r"(\w+)\(", text)}
    assert not EVERY.keys() - called


@pytest.mark.parametrize(
    "pattern",
    [
        r" FULL JOIN .* USING \(",
        r" NATURAL LEFT JOIN ",
        r"JOIN \([^S].* RIGHT JOIN ",
        r" WHERE .* IS NULL.* LEFT JOIN | LEFT JOIN .* WHERE .* IS NULL",
        r" LATERAL \(SELECT ",
        r"\) UNION .* INTERSECT .* EXCEPT |EXCEPT .* UNION ",
        r"GROUP BY DISTINCT ",
        r"GROUPING SETS ",
        r" HAVING .*\(SELECT ",
        r" FILTER \(WHERE .* / ",
        r"FILTER \(WHERE .*\) OVER ",
        r" WINDOW w AS .*, v AS \(w ",
        r"::jsonb.* GROUP BY ",
        r"ORDER BY [^,]*::jsonb",
        r"WITH RECURSIVE ",
        r"ORDER BY 1 LIMIT 1\)",
        r"\[\]\[\]\)\[",
        r"date_trunc\([^',]*unit",
        r"(~|regexp_\w+\().*\bregex[,)]",
        r"WITH TIES",
        r"OVER \(w ROWS|OVER \(v ",
        r"DISTINCT ON ",
    ],
)
def test_clauses_are_drawn(texts: list[str], pattern: str) -> None:
    assert sum(re.search(pattern, text) is not None for text in texts) > 1


def test_sessions_have_zones_and_statements_are_told_apart(cases: list[Case]) -> None:
    zones = Counter(case.zone for case in cases)
    assert len(zones) > 5
    assert COUNT / 2 < zones["UTC"] < COUNT
    assert sum(case.strict for case in cases) > COUNT / 10
    assert sum(case.may_fail for case in cases) < COUNT / 2


def test_the_same_seed_gives_the_same_case() -> None:
    one, other = (Statements(random.Random(7)).case() for _ in range(2))
    assert one == other

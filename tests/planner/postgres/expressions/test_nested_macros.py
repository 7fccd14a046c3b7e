"""Nested macros: no value is written more often with each level, and they mean what they did."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlglot import exp

from stategate.planner.binding.bind import bind
from stategate.planner.binding.relations import vocabulary_of_stores
from stategate.planner.postgres.expressions.nested_macros import COPIES_MAX, reads
from stategate.planner.syntax.parse import parse
from stategate.planner.syntax.with_clause import NO_CLAUSE
from tests.planner.sides import Sides
from tests.planner.world import world
from tests.support.stores import FixedCatalog

Grow = Callable[[str], str]
KINDS: dict[str, Grow] = {
    "upper": "upper({})".format,
    "initcap": "initcap({})".format,
    "nullif": "nullif({}, 'a')".format,
    "split_part": "split_part({}, '-', 1)".format,
    "case": "CASE {} WHEN 'ANN' THEN 'ann' WHEN 'BOB' THEN 'bob' ELSE 'dan' END".format,
    "overlay": "overlay({} placing 'n' from 2 for 1)".format,
    "array_to_string": "array_to_string(ARRAY[{}, 'x'], '-')".format,
    "substring": "substring({} from 1 for 9)".format,
}
SIMPLE: dict[str, Callable[[str], str | None]] = {
    "upper": lambda text: text.upper(),
    "nullif": lambda text: None if text == "a" else text,
    "split_part": lambda text: text.split("-")[0],
    "substring": lambda text: text[:9],
}
"""What some of them return, in Python."""


@pytest.fixture(scope="module")
def sides() -> Iterator[Sides]:
    opened = world()
    yield opened
    opened.close()


def nested(kinds: list[str], size: int) -> str:
    return reduce(lambda text, k: KINDS[kinds[k % len(kinds)]](text), range(size), "name")


def copies(node: exp.Expr) -> int:
    """Return how often DuckDB writes the innermost value of an expression."""
    return max((copies(each) * reads(node, each) for each in node.iter_expressions()), default=1)


kinds = st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=3)
CHECKED = settings(
    max_examples=max(5, settings().max_examples // 10),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@given(kinds=kinds)
def test_no_value_is_written_more_often_with_each_level(sides: Sides, kinds: list[str]) -> None:
    tree = parse(f"SELECT {nested(kinds, 16)} FROM people").tree
    assert tree is not None
    vocabulary = vocabulary_of_stores(FixedCatalog(*sides.stores))
    assert copies(bind(tree, NO_CLAUSE, vocabulary).translate().tree) <= COPIES_MAX


@given(kinds=st.lists(st.sampled_from(sorted(SIMPLE)), min_size=1, max_size=3))
@CHECKED
def test_they_mean_the_same(sides: Sides, kinds: list[str]) -> None:
    asked = nested(kinds, 12)
    found = sides.ours(f"SELECT name, {asked} FROM people WHERE name IS NOT NULL")
    for name, value in found:
        expected = name
        for k in range(12):
            expected = None if expected is None else SIMPLE[kinds[k % len(kinds)]](expected)
        assert value == expected


@given(kinds=kinds)
@CHECKED
def test_equal_ones_are_groups(sides: Sides, kinds: list[str]) -> None:
    asked = nested(kinds, 7)
    grouped = sides.ours(f"SELECT {asked}, count(*) FROM people GROUP BY {asked}")
    assert sum(count for _, count in grouped) == 6

"""Ranges of pages: a range of all pages is the whole relation, any other is refused."""

from __future__ import annotations

import pytest
from sqlglot import exp

from stategate.planner.binding.desugar import drop_page_ranges
from stategate.planner.errors import NotSupportedError
from stategate.planner.syntax.parse import parse
from tests.planner.sides import rows_of, run
from tests.planner.world import world

ALL = "ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid"


def query(sql: str) -> exp.Query:
    tree = parse(sql).tree
    assert isinstance(tree, exp.Query)
    return tree


@pytest.mark.parametrize(
    ("where", "left"),
    [
        (f" WHERE {ALL}", ""),
        (f" WHERE {ALL} AND n > 1", " WHERE n > 1"),
        (f" WHERE n > 1 AND ({ALL}) AND k = 2", " WHERE n > 1 AND k = 2"),
        (f" WHERE n > 1 OR {ALL}", " WHERE n > 1 OR TRUE"),
        (" WHERE n BETWEEN 1 AND 2", " WHERE n BETWEEN 1 AND 2"),
    ],
)
def test_a_range_of_all_pages_is_not_a_condition(where: str, left: str) -> None:
    tree = query(f"SELECT n FROM t{where} LIMIT 3")
    assert drop_page_ranges([*tree.find_all(exp.Between)]) is (ALL in where)
    assert tree == query(f"SELECT n FROM t{left} LIMIT 3")


@pytest.mark.parametrize(
    "ends", [("(0,0)", "(1000,0)"), ("(1000,0)", "(4294967295,0)"), ("(1,0)", "(2,0)")]
)
def test_some_pages_are_refused(ends: tuple[str, str]) -> None:
    low, high = ends
    tree = query(f"SELECT 1 FROM t WHERE ctid BETWEEN '{low}' AND '{high}'::tid")
    with pytest.raises(NotSupportedError, match="no pages"):
        drop_page_ranges([*tree.find_all(exp.Between)])


def test_a_clause_with_more_conditions_is_refused() -> None:
    tree = query(f"SELECT 1 FROM t WHERE {ALL}")
    (between,) = tree.find_all(exp.Between)
    between.set("negate", True)
    with pytest.raises(NotSupportedError, match="BETWEEN with NEGATE"):
        drop_page_ranges([between])


def test_the_engine_reads_all_pages() -> None:
    engine = world().engine
    assert rows_of(run(engine, f"SELECT count(*) FROM people WHERE {ALL}")) == [(6,)]
    with pytest.raises(NotSupportedError):
        run(engine, "SELECT 1 FROM people WHERE ctid BETWEEN '(0,0)'::tid AND '(9,0)'::tid")

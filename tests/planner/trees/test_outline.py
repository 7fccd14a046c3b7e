"""The outline of a tree has the places of names and estimates rows; plans keep no tree."""

from __future__ import annotations

import gc

import pytest
from sqlglot import exp

from stategate.planner.syntax.parse import parse
from stategate.planner.trees.outline import Outline, outline
from tests.planner.postgres.world import engine
from tests.planner.sides import run


def of(sql: str) -> Outline:
    tree = parse(sql).tree
    assert tree is not None
    return outline(tree)


def test_first_places_of_names() -> None:
    found = of("SELECT upper(name), 'x', name, t.\"Name\" FROM people WHERE upper(city) = 'x'")
    assert found.position("name") == 14
    assert found.position("upper(VARCHAR)") == 8
    assert found.position("t.name") == 14
    assert found.position("x") == 21
    assert found.position("nothing") is None


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT a FROM t", 1000),
        ("SELECT count(*) FROM t", 1),
        ("SELECT a FROM t GROUP BY a", 100),
        ("SELECT a FROM t ORDER BY a LIMIT 7", 7),
        ("SELECT a FROM t LIMIT $1", 1000),
    ],
)
def test_rows(sql: str, rows: float) -> None:
    assert of(sql).rows(1000) == rows


def test_plans_keep_no_trees() -> None:
    """Thousands of plans are cached, and the garbage collector visits all their objects."""
    gc.collect()
    before = trees()
    made = engine()
    for n in range(20):
        run(made, f"SELECT upper(t), count(*) + {n} FROM samples WHERE id <> {n} GROUP BY 1")
    gc.collect()
    assert trees() - before < 10
    made.close()


def trees() -> int:
    return sum(isinstance(each, exp.Select) for each in gc.get_objects())

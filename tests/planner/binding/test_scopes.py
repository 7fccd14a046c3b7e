"""A scope that is made without walking the tree is the one that sqlglot makes."""

from __future__ import annotations

import pytest
from sqlglot import exp
from sqlglot.optimizer.scope import Scope, traverse_scope

from stategate.planner.binding.scopes import scopes_of
from stategate.planner.syntax.parse import parse
from stategate.planner.trees.nodes import CALLS, Nodes, kinds

SIMPLE = (
    "SELECT name FROM orders",
    "SELECT o.name, o.* FROM public.orders AS o WHERE o.number = $1 ORDER BY name LIMIT 2",
    "SELECT * FROM orders",
    "SELECT DISTINCT paid AS p, count(*) AS c FROM orders GROUP BY paid HAVING count(*) > 1",
    "SELECT sum(number) OVER (PARTITION BY name ORDER BY due) FROM orders",
)
OTHERS = (
    "SELECT 1",
    "SELECT name FROM orders, people",
    "SELECT name FROM orders JOIN people USING (name)",
    "SELECT name FROM (SELECT name FROM orders) AS o",
    "SELECT (SELECT max(number) FROM orders)",
    "SELECT name FROM orders WHERE name IN (SELECT name FROM people)",
    "SELECT name FROM orders WHERE EXISTS (SELECT 1)",
    "SELECT name FROM orders WHERE number = ANY(ARRAY(SELECT 1))",
    "SELECT name FROM orders UNION SELECT name FROM people",
    "WITH w AS (SELECT 1 AS a) SELECT a FROM w",
    "SELECT name, x FROM orders, LATERAL (SELECT 1) AS l (x)",
    "SELECT name, x FROM orders, unnest(ARRAY[1, 2]) AS u (x)",
    "SELECT x FROM generate_series(1, 2) AS g (x)",
    "SELECT x FROM (VALUES (1), (2)) AS v (x)",
    "SELECT name FROM (orders)",
    "(SELECT name FROM orders) LIMIT 1",
)


def _tree(sql: str) -> exp.Query:
    tree = parse(sql).tree
    assert tree is not None
    return tree


def _said(scopes: list[Scope]) -> list[tuple[object, ...]]:
    return [
        (
            scope.expression,
            [(name, id(node)) for name, (node, _) in scope.selected_sources.items()],
            scope.is_root,
            scope.parent is None,
            len(scope.set_operation_scopes),
        )
        for scope in scopes
    ]


@pytest.mark.parametrize("sql", SIMPLE)
def test_the_scope_of_one_table_is_made_directly(sql: str) -> None:
    tree = _tree(sql)
    (made,) = scopes_of(tree, Nodes(tree))
    (found,) = traverse_scope(tree)
    assert _said([made]) == _said([found])
    # Names that may mean a result column, and stars, belong to this scope, too.
    assert set(map(id, made.columns)) >= set(map(id, found.columns))
    assert found._collected
    assert not made._collected


@pytest.mark.parametrize("sql", OTHERS)
def test_other_scopes_are_found_by_sqlglot(sql: str) -> None:
    tree = _tree(sql)
    scopes = scopes_of(tree, Nodes(tree))
    assert _said(scopes) == _said(traverse_scope(tree))
    assert {type(scope) for scope in scopes} <= {Scope}


def test_kinds_include_all_subclasses() -> None:
    found = kinds(exp.Binary, exp.Literal)
    assert {exp.Binary, exp.EQ, exp.Literal} <= found
    assert all(issubclass(kind, exp.Binary | exp.Literal) for kind in found)
    nodes = Nodes(_tree("SELECT lower(name) FROM orders WHERE number = 1"))
    assert nodes.has(found)
    assert not nodes.has(kinds(exp.Subquery))
    assert {type(node) for node in nodes.among(CALLS)} == {exp.Lower}

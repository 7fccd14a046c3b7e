"""Nodes with types or arguments that the planner does not know are never read."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
from sqlglot import exp

from stategate import planner
from stategate.planner.binding import comparisons, predicate_reader
from stategate.planner.binding.bind import bind
from stategate.planner.binding.predicate_reader import PredicateReader
from stategate.planner.binding.predicates import Predicate
from stategate.planner.binding.relations import vocabulary_of_stores
from stategate.planner.errors import InvalidSyntaxError, NotSupportedError, QueryError
from stategate.planner.postgres.expressions.calls import CALLS
from stategate.planner.postgres.rewrite import RULES
from stategate.planner.postgres.types.operands import COMPARISONS
from stategate.planner.syntax.parse import parse
from stategate.planner.syntax.with_clause import NO_CLAUSE
from stategate.planner.trees.dialect import DIALECT
from stategate.planner.trees.known_arguments import ARGUMENTS, UNREAD, is_known
from stategate.stores.spec.schema import BIGINT
from tests.planner.sides import run
from tests.planner.world import ORDERS, world

TYPES = sorted(
    {
        kind
        for kind in vars(exp).values()
        if inspect.isclass(kind) and issubclass(kind, exp.Expression)
    },
    key=lambda kind: kind.__name__,
)
"""All types of nodes; types that are not an Expression are only base classes."""
READERS = (
    "binding/predicate_reader",
    "binding/comparisons",
    "values/constants",
    "planning/draft",
    "planning/rules/count_rows",
    "planning/rules/read_first_rows",
    "planning/rules/read_key_ends",
)
"""Modules that read conditions and SELECT lists."""
CONDITIONS = (
    "name = 'a'",
    "name IN ('a', 'b')",
    "name NOT IN ('a', 'b')",
    "(name, number) IN (('a', 1), ('b', 2))",
    "number BETWEEN 1 AND 2",
    "number NOT BETWEEN -1 AND 2 + 3",
    "name LIKE 'a%'",
    "NOT (name NOT LIKE 'a%')",
    "name ~ '^abc'",
    "name ^@ 'a'",
    "paid",
    "paid IS TRUE",
    "number IS NOT NULL",
    "number IS NOT DISTINCT FROM 3",
    "number = ANY(ARRAY[1, 2])",
    "number = ANY($1)",
    "number <= $1",
    "number::bigint = 7",
    "due::date = '2020-01-01'",
    "date_trunc('day', due) = timestamptz '2020-01-01'",
    "due + interval '1 day' > timestamptz '2020-01-01'",
    "due > now() - interval '1 hour'",
    "name = 'a' AND (number > 1 OR number < -5)",
    "name = 'a' || 'b' COLLATE \"C\"",
)
STATEMENTS = (
    "SELECT name FROM orders WHERE name = 'a' ORDER BY name, number DESC LIMIT 1 OFFSET 2",
    "SELECT DISTINCT o.name AS n FROM public.orders AS o JOIN people p USING (name)",
    "SELECT sum(number) FILTER (WHERE paid) FROM orders GROUP BY name, ROLLUP (paid) HAVING true",
    "WITH RECURSIVE w (a) AS (SELECT 1) SELECT * FROM w, LATERAL (SELECT a) x (b)",
    "SELECT rank() OVER (PARTITION BY name ORDER BY number ROWS 1 PRECEDING) FROM orders",
    "(SELECT 1 FETCH FIRST 2 ROWS ONLY) UNION ALL (SELECT 2) EXCEPT VALUES (1), (2)",
    "SELECT number::decimal(3, 1), (SELECT max(due) FROM orders) FROM orders",
    "SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY number) FROM orders",
)


def test_unlisted_types_and_arguments_are_unread() -> None:
    assert len(TYPES) > 900
    for kind in TYPES:
        listed = ARGUMENTS.get(kind)
        for name in (*kind.arg_types, "of_a_later_release"):
            node = kind()
            node.args[name] = exp.true()
            assert is_known(node) is (listed is not None and name in listed), kind
            node.args[name] = None
            assert is_known(node) is (listed is not None), kind


def test_listed_arguments_exist() -> None:
    for kind, names in ARGUMENTS.items():
        assert names <= {*kind.arg_types}, kind


def test_nodes_with_rules_are_listed() -> None:
    called = {
        kind
        for kind in TYPES
        if issubclass(kind, exp.Func)
        for name in kind.sql_names()
        if name.lower() in CALLS and name in DIALECT.parser().FUNCTIONS
    }
    read = {
        *RULES,
        *predicate_reader._ATOMS,
        *predicate_reader._NEGATED_ATOMS,
        *COMPARISONS,
        *comparisons._FUNCTIONS,
    }
    assert (read | called) - set(ARGUMENTS) == set()


@pytest.mark.parametrize("name", READERS)
def test_readers_strip_nodes_by_known_node_only(name: str) -> None:
    text = (Path(planner.__file__).parent / f"{name}.py").read_text()
    assert "known_node(" in text
    assert "strip(" not in text.replace("rstrip(", "")


def read(tree: exp.Expr) -> Predicate:
    found = PredicateReader(
        column_of=lambda column: ORDERS.column_by_name.get(column.name),
        parameter_type=lambda number: BIGINT,
    )
    return found.predicate(tree)


def described(predicate: Predicate) -> tuple[object, ...]:
    shown = [[str(c).split(" at 0x")[0] for c in disjunct] for disjunct in predicate.disjuncts]
    return (predicate.exact, *shown)


@pytest.mark.parametrize("where", CONDITIONS)
def test_condition_with_an_unknown_argument_is_not_read(where: str) -> None:
    tree = parse(f"SELECT 1 FROM orders WHERE {where}").tree
    assert tree is not None
    for at, _ in enumerate(tree.args["where"].this.walk()):
        copy = tree.copy().args["where"]
        node = list(copy.this.walk())[at]
        if not isinstance(node, exp.Condition | exp.Tuple | exp.Interval | exp.Var):
            continue
        if isinstance(node.parent, exp.Parameter):
            continue  # its number
        without = copy.copy()
        list(without.this.walk())[at].replace(UNREAD.copy())
        node.args["of_a_later_release"] = exp.true()
        found = read(copy.this)
        assert not found.exact
        assert described(found) == described(read(without.this))


@pytest.mark.parametrize("sql", STATEMENTS)
def test_clause_with_an_unknown_argument_is_refused(sql: str) -> None:
    sides = world()
    tree = parse(sql).tree
    assert tree is not None
    bind(tree.copy(), NO_CLAUSE, vocabulary_of_stores(sides.engine._catalog))
    for at, of in enumerate(tree.walk()):
        if isinstance(of, exp.Condition | exp.Query) and not isinstance(of, exp.Select):
            continue
        copy = tree.copy()
        list(copy.walk())[at].args["of_a_later_release"] = exp.true()
        with pytest.raises((NotSupportedError, InvalidSyntaxError)):
            bind(copy, NO_CLAUSE, vocabulary_of_stores(sides.engine._catalog))


@pytest.mark.parametrize(
    "sql", ["SELECT sum(number) FROM orders", "SELECT concat(name, 'x') FROM orders"]
)
def test_rewriting_of_an_unknown_node_is_refused(sql: str) -> None:
    tree = parse(sql).tree
    assert tree is not None
    next(tree.find_all(exp.Func)).args["of_a_later_release"] = True
    bound = bind(tree, NO_CLAUSE, vocabulary_of_stores(world().engine._catalog))
    with pytest.raises(NotSupportedError):
        bound.translate()


@pytest.mark.parametrize(
    ("sql", "sqlstate"),
    [
        ("SELECT 1 LIMIT 5 PERCENT", "42601"),
        ("SELECT name FROM orders GROUP BY ALL", "0A000"),
        ("SELECT name FROM orders SORT BY name", "0A000"),
        ("SELECT AS STRUCT name FROM orders", "0A000"),
        ("SELECT 1 UNION BY NAME SELECT 1", "0A000"),
        ("SELECT o.name FROM orders o ANTI JOIN people p ON o.name = p.name", "0A000"),
    ],
)
def test_clauses_of_other_databases_are_refused(sql: str, sqlstate: str) -> None:
    with pytest.raises(QueryError) as error:
        run(world().engine, sql)
    assert error.value.sqlstate == sqlstate

"""Volatile values are computed once, however often a macro or comparison reads them."""

from __future__ import annotations

import pytest
from sqlglot import exp

from stategate.planner.binding.bind import bind
from stategate.planner.binding.relations import vocabulary_of_stores
from stategate.planner.composing.compose import to_duckdb
from stategate.planner.errors import NotSupportedError
from stategate.planner.postgres.expressions.volatile import VOLATILE
from stategate.planner.syntax.parse import parse
from stategate.planner.syntax.with_clause import NO_CLAUSE
from stategate.stores.spec.catalog import StoreCatalog
from tests.planner.sides import rows_of, run
from tests.planner.world import world
from tests.support.stores import FixedCatalog

CATALOG: StoreCatalog = FixedCatalog()


def translated(sql: str) -> exp.Expr:
    tree = parse(sql).tree
    assert tree is not None
    bound = bind(tree, NO_CLAUSE, vocabulary_of_stores(CATALOG))
    bound.translate()
    return bound.tree


@pytest.mark.parametrize(
    ("value", "possible"),
    [
        ("length(substring('abcdefghij', (random() * 5)::int, 2)) IN (1, 2)", {True}),
        ("width_bucket((random() * 10)::int, 2, 8, 3) BETWEEN 0 AND 4", {True}),
        ("concat(random() < 0.5)", {"t", "f"}),
        (
            "CASE (random() * 2)::int WHEN 0 THEN 'a' WHEN 1 THEN 'b' WHEN 2 THEN 'c' END",
            set("abc"),
        ),
        ("(random() * 2)::int IN (0, 1, 2)", {True}),
        ("nullif((random() * 1.2)::int, 1)", {0, None}),
        ("upper(initcap(CASE WHEN random() < 0.5 THEN '' ELSE 'a' END))", {"", "A"}),
        (
            "overlay('abc' placing 'X' from 1 + random()::int for 1 + random()::int)",
            {"Xbc", "Xc", "aXc", "aX"},
        ),
        (
            "(date '2020-01-01' + (random() * 3)::int, interval '1 day') "
            "OVERLAPS (date '2020-01-01', date '2020-01-09')",
            {True},
        ),
        ("format('%3s', CASE WHEN random() < 0.5 THEN '' ELSE 'abc' END)", {"   ", "abc"}),
        ("CASE random()::int WHEN (SELECT 0) THEN 'a' WHEN (SELECT 1) THEN 'b' END", set("ab")),
        ("CASE random()::int WHEN 0 THEN EXISTS (SELECT 1) WHEN 1 THEN true END", {True}),
        ("random()::int IN ((SELECT 0), 1)", {True}),
        (
            "CASE (random() * 2)::int WHEN 0 THEN 0 WHEN s.x - s.x + (SELECT 1) THEN 1 "
            "WHEN (SELECT 2 WHERE s.x > 0) THEN 2 END",
            {0, 1, 2},
        ),
    ],
)
def test_volatile_value_is_computed_once(value: str, possible: set[object]) -> None:
    rows = rows_of(run(world().engine, f"SELECT {value} FROM generate_series(1, 2000) s (x)"))
    assert {row[0] for row in rows} == possible


def test_volatile_value_beside_aggregates_and_captured_columns() -> None:
    sql = "SELECT upper(min(name) || random()::text) < 'Z', count(*) FROM people"
    assert rows_of(run(world().engine, sql)) == [(True, 6)]
    sql = "SELECT count(*) FROM people WHERE width_bucket(random(), -1, age, 3) > 9"
    assert rows_of(run(world().engine, sql)) == [(0,)]


@pytest.mark.parametrize("name", sorted(VOLATILE))
def test_each_volatile_function_is_held(name: str) -> None:
    tree = translated(f"SELECT upper({name}()::text)")
    assert "LIST_TRANSFORM" in to_duckdb(tree).upper()


def test_names_of_the_statement_are_not_reused() -> None:
    tree = translated("SELECT upper(gen_random_uuid()::text || once0) FROM (SELECT 'a' AS once0) s")
    (held,) = tree.find_all(exp.Lambda)
    assert held.expressions[0].name == "once1"


@pytest.mark.parametrize(
    "value",
    [
        "CASE random() WHEN 1 THEN 2 IN (SELECT 1) WHEN 2 THEN true END",
        "CASE random() WHEN 1 THEN 2 = ANY (SELECT 1) WHEN 2 THEN true END",
        "(random(), 1) < (0.5, 2)",
        "(0.5, 1) >= (random(), 2)",
        "(random(), 1) IN ((0.5, 1), (0.6, 2))",
    ],
)
def test_values_that_cannot_be_held_are_refused(value: str) -> None:
    with pytest.raises(NotSupportedError):
        run(world().engine, f"SELECT {value}")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT random() > 0.5, floor(random() * 10), upper('a')",
        "SELECT CASE WHEN random() < 0.5 THEN 1 END",
        "SELECT random() IN (SELECT 2)",
        "SELECT upper(x) FROM (SELECT gen_random_uuid()::text AS x) s",
    ],
)
def test_other_values_are_not_held(sql: str) -> None:
    assert translated(sql).find(exp.Lambda) is None

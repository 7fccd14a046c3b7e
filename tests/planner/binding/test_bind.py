"""Binding: the columns that are read, stars, joins and refusals."""

from __future__ import annotations

import pytest

from stategate.planner.binding.bind import bind
from stategate.planner.binding.bound import Bound
from stategate.planner.binding.relations import vocabulary_of_stores
from stategate.planner.errors import QueryError
from stategate.planner.syntax.parse import parse
from stategate.planner.syntax.with_clause import NO_CLAUSE
from tests.planner.world import STORES
from tests.support.stores import FixedCatalog, open_store

CATALOG = FixedCatalog(*(open_store(schema) for schema in STORES))


def bound_of(sql: str) -> Bound:
    tree = parse(sql).tree
    assert tree is not None
    return bind(tree, NO_CLAUSE, vocabulary_of_stores(CATALOG))


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("SELECT name FROM people", {"people": ("name",)}),
        ("SELECT 1 FROM people", {"people": ("_partition",)}),
        ("SELECT count(*) FROM people", {"people": ("_partition",)}),
        ("SELECT * FROM people", {"people": ("name", "age", "score", "city")}),
        ("SELECT p FROM people p", {"people": ("name", "age", "score", "city")}),
        ("SELECT age AS n FROM people ORDER BY n", {"people": ("age",)}),
        ("SELECT clicks FROM clicks", {"clicks": ("clicks",)}),
        ("SELECT _epoch, city FROM people", {"people": ("city", "_epoch")}),
        (
            "SELECT p.* FROM people p JOIN visits v ON p.name = v.name",
            {"people": ("name", "age", "score", "city"), "visits": ("name",)},
        ),
        (
            "SELECT * FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.name = p.name)",
            {"people": ("name", "age", "score", "city"), "visits": ("name",)},
        ),
        (
            "SELECT x.name FROM (SELECT * FROM visits) x, people",
            {"people": ("name",), "visits": ("at", "name")},
        ),
        ("SELECT a FROM visits AS v (a)", {"visits": ("at", "name")}),
    ],
)
def test_only_needed_columns_are_read(sql: str, columns: dict[str, tuple[str, ...]]) -> None:
    assert {s.relation.name: s.columns for s in bound_of(sql).sources} == columns


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("SELECT * FROM visits v, people p", ["at", "name", "name", "age", "score", "city"]),
        ("SELECT * FROM (SELECT 1 AS x) s, visits", ["x", "at", "name"]),
        ("SELECT * FROM visits JOIN people USING (name)", ["name", "at", "age", "score", "city"]),
        ("SELECT * FROM visits NATURAL JOIN people", ["name", "at", "age", "score", "city"]),
        (
            "SELECT * FROM visits NATURAL JOIN stock",
            ["at", "name", "item", "day", "amount"],
        ),
        (
            "SELECT p.*, v.* FROM visits v JOIN people p USING (name)",
            ["name", "age", "score", "city", "at", "name"],
        ),
        ("WITH c (a) AS (SELECT * FROM visits) SELECT * FROM c", ["a", "name"]),
        ("SELECT * FROM visits UNION SELECT at, name FROM visits", ["at", "name"]),
        ("SELECT *, _partition FROM visits", ["at", "name", "_partition"]),
        ("SELECT * FROM (SELECT *, _epoch FROM visits) x", ["at", "name", "_epoch"]),
        ("SELECT * FROM (visits CROSS JOIN stock)", ["at", "name", "item", "day", "amount"]),
        ("SELECT * EXCLUDE (at) FROM visits", None),
        ("SELECT * FROM generate_series(1, 2)", ["generate_series"]),
    ],
)
def test_result_columns(sql: str, names: list[str] | None) -> None:
    found = bound_of(sql).names()
    assert (None if found is None else list(found)) == names


def test_each_mention_of_a_store_is_one_source() -> None:
    bound = bound_of("SELECT a.age FROM people a, people b WHERE a.name = 'x' AND b.name > 'y'")
    assert [source.name for source in bound.sources] == ["r0", "r1"]
    assert [len(source.predicate.conditions) for source in bound.sources] == [1, 1]


@pytest.mark.parametrize(
    ("sql", "counts"),
    [
        ("SELECT 1 FROM people p JOIN visits v ON p.name = 'a' AND v.name = 'b'", [1, 1]),
        ("SELECT 1 FROM people p LEFT JOIN visits v ON p.name = 'a' AND v.name = 'b'", [0, 1]),
        ("SELECT 1 FROM people p RIGHT JOIN visits v ON p.name = 'a' AND v.name = 'b'", [1, 0]),
        ("SELECT 1 FROM people p FULL JOIN visits v ON p.name = 'a' AND v.name = 'b'", [0, 0]),
        ("SELECT 1 FROM people p LEFT JOIN visits v ON true WHERE v.name = 'b'", [0, 1]),
        ("SELECT 1 FROM people p LEFT JOIN visits v ON true WHERE v.name IS NULL", [0, 0]),
        ("SELECT 1 FROM people p JOIN visits v ON true WHERE v.name IS NULL", [0, 1]),
        ("SELECT 1 FROM people p JOIN visits v ON p.name = v.name WHERE p.name = 'b'", [1, 1]),
        ("SELECT 1 FROM people p LEFT JOIN visits v USING (name) WHERE name = 'b'", [1, 1]),
        ("SELECT 1 FROM people p FULL JOIN visits v USING (name) WHERE name = 'b'", [1, 1]),
        ("SELECT 1 FROM people p FULL JOIN visits v USING (name) WHERE name IS NULL", [1, 1]),
    ],
)
def test_conditions_are_pushed_through_joins(sql: str, counts: list[int]) -> None:
    found = bound_of(sql).sources
    assert [len(source.predicate.conditions) for source in found] == counts


_JOINED = "SELECT 1 FROM people p {} JOIN visits v ON p.name = v.name WHERE "


@pytest.mark.parametrize(
    ("sql", "counts"),
    [
        (_JOINED.format("LEFT") + "p.name = 'b'", [1, 1]),
        (_JOINED.format("LEFT") + "p.name = 'b' AND v.at IS NULL", [1, 1]),
        (_JOINED.format("LEFT") + "p.name = 'b' OR v.at IS NULL", [0, 0]),
        (_JOINED.format("LEFT") + "p.age = 1 AND v.at IS NOT NULL", [1, 1]),
        (_JOINED.format("RIGHT") + "v.name IN ('a', 'b') AND p.age IS NULL", [1, 1]),
        (_JOINED.format("FULL") + "p.name = 'b' AND v.at IS NULL", [1, 1]),
        (_JOINED.format("FULL") + "p.age = 1 AND v.at IS NOT NULL", [1, 1]),
        (_JOINED.format("FULL") + "p.age = 1 OR v.at IS NOT NULL", [0, 0]),
        (
            "SELECT 1 FROM stock s LEFT JOIN (people p JOIN visits v ON p.name = v.name) "
            "ON p.name = 'a' WHERE v.at IS NULL",
            [0, 1, 1],
        ),
        (
            "SELECT 1 FROM stock s LEFT JOIN people p JOIN visits v ON p.name = v.name "
            "ON p.name = 'a' WHERE v.at IS NOT NULL",
            [0, 1, 2],
        ),
        (
            "SELECT 1 FROM people p LEFT JOIN visits v ON p.name = v.name, stock s "
            "RIGHT JOIN people q ON q.name = 'b' WHERE p.name IS NULL AND q.age = 1",
            [1, 1, 0, 1],
        ),
        ("SELECT 1 FROM people p NATURAL LEFT JOIN visits v WHERE p.name = 'b'", [1, 1]),
        (
            "SELECT 1 FROM people p LEFT JOIN (SELECT * FROM visits) v ON true WHERE p.age = 1 "
            "AND v.name IS NULL",
            [0, 1],
        ),
    ],
)
def test_conditions_move_below_joins_by_their_laws(sql: str, counts: list[int]) -> None:
    found = bound_of(sql).sources
    assert [len(source.predicate.conditions) for source in found] == counts


@pytest.mark.parametrize(
    ("sql", "sqlstate"),
    [
        ("SELECT $0", "42P02"),
        ("SELECT $70000", "42P02"),
        ("SELECT name FROM people WHERE age = $1 AND name = $1", "42883"),
        ("SELECT 1 FROM people a, visits a", "42712"),
        ("SELECT 1 FROM visits AS v (a, b, c)", "42P10"),
        ("SELECT name FROM people WHERE due - due > 5", "42703"),
        ("SELECT name FROM people WHERE age - age > 5", None),
    ],
)
def test_refusals(sql: str, sqlstate: str | None) -> None:
    if sqlstate is None:
        bound_of(sql)
        return
    with pytest.raises(QueryError) as caught:
        bound_of(sql)
    assert caught.value.sqlstate == sqlstate

"""Qualified columns, and names of a statement that look like the planner's own."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stategate.planner.composing.functions.macros import MACROS
from stategate.planner.errors import NotSupportedError, UnknownNameError
from tests.planner.sides import Sides, build
from tests.planner.world import world
from tests.support.stores import keyvalue

EXAMPLES = settings().max_examples
_LAMBDAS = {name for macro in MACROS for name in re.findall(r"lambda (\w+):", macro)}
_MACROS = {macro.strip().split("(", maxsplit=1)[0] for macro in MACROS}
_PARAMETERS = {
    name.strip() for macro in MACROS for name in macro.split(")")[0].split("(")[1].split(",")
}
INTERNAL = sorted(
    {
        *_LAMBDAS,
        *_PARAMETERS,
        *_MACROS,
        "r0",
        "r1",
        "r2",
        "R0",
        "R1",
        "rr0",
        "rR1",
        "pg_sg_time_text",
    }
)
"""Names that the planner chooses itself, and those of its macros' parts."""

STATEMENTS = [
    "WITH {0} AS (SELECT 1 AS {1}) SELECT count(*) FROM people",
    "WITH {0} AS (SELECT 1 AS {1}), {2} AS (SELECT 2 AS {1}) "
    "SELECT {0}.{1}, {2}.{1}, one.name FROM {0}, {2}, people one ORDER BY one.name",
    "SELECT {0}.name, {1}.number FROM people {0} JOIN orders {1} ON {0}.name = {1}.name "
    "ORDER BY 1, 2",
    "SELECT {1} FROM (SELECT name AS {1}, age AS {2} FROM people) {0} ORDER BY {1}, {2}",
    "SELECT age AS {0}, (SELECT count(*) FROM orders {2} WHERE {2}.name = {1}.name) "
    "FROM people {1} ORDER BY {0}",
    "WITH RECURSIVE {0}({1}) AS (SELECT 1 UNION ALL SELECT {1} + 1 FROM {0} WHERE {1} < 3) "
    "SELECT {0}.{1}, {2}.name FROM {0}, people {2} ORDER BY 1, 2",
    "SELECT {1}, (SELECT min({2}.number) AS {1} FROM orders {2} WHERE {1} < {2}.number) AS {2} "
    "FROM (SELECT age AS {1} FROM people) {0} ORDER BY {1}",
    "SELECT array_replace({1}, {2}, {0}), array_positions({1}, {2}), array_remove({1}, {0}) "
    "FROM (SELECT ARRAY[1, 2, 2] AS {1}, 2 AS {2}, age AS {0} FROM people) one ORDER BY 1",
    "SELECT split_part({1}, {0}, {2}), initcap({1}), string_to_array({1}, {0}, {1}) "
    "FROM (SELECT coalesce(name, 'a-b') AS {1}, '-' AS {0}, 1 AS {2} FROM people) one ORDER BY 1",
    "SELECT array_to_string({1}, ',', {2}), overlay({2} placing {0} from 1), {1}::text "
    "FROM (SELECT ARRAY['a', NULL, name] AS {1}, ',' AS {0}, 'none' AS {2} FROM people) one "
    "ORDER BY 1",
    "SELECT {1} / {2}, width_bucket({1}, {2}, {0}, 4), substring('abcdef' from {0}::int) "
    "FROM (SELECT 7.0 AS {1}, 2.0 AS {2}, coalesce(age, 3) + 5.0 AS {0} FROM people) one "
    "ORDER BY 3",
    "SELECT json_extract_path({1}, {2}), json_typeof({1}), {1}::jsonb ? {2} FROM "
    "(SELECT '{{\"a\": [1]}}'::json AS {1}, 'a' AS {2}, name AS {0} FROM people) one ORDER BY {0}",
]


@pytest.fixture(scope="module")
def sides() -> Sides:
    return world()


@given(
    statement=st.sampled_from(STATEMENTS),
    names=st.lists(st.sampled_from(INTERNAL), min_size=3, max_size=3, unique=True),
)
@settings(max_examples=EXAMPLES // 2, suppress_health_check=[HealthCheck.too_slow])
def test_names_mean_nothing_to_the_planner(sides: Sides, statement: str, names: list[str]) -> None:
    spelled = [f'"{name}"' for name in names]
    expected = sides.ours(statement.format("first_name", "second_name", "third_name"))
    assert expected
    assert sides.ours(statement.format(*spelled)) == expected


@pytest.mark.parametrize("name", sorted(_MACROS)[:3])
def test_a_statement_cannot_call_a_macro(sides: Sides, name: str) -> None:
    with pytest.raises(UnknownNameError, match="does not exist"):
        sides.ours(f"SELECT {name}(1) FROM people")


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ('SELECT "A", a FROM (SELECT 1 AS "A", 2 AS a) x', [(1, 2)]),
        (
            'WITH "A" AS (SELECT 1 AS x), a AS (SELECT 2 AS x) SELECT "A".x, a.x FROM "A", a',
            [(1, 2)],
        ),
        (
            'SELECT "Id", id, "ID" FROM (SELECT "Id", 5 AS id, 6 AS "ID" FROM "Mixed") x '
            'WHERE "Id" = 1',
            [(1, 5, 6)],
        ),
        # The relation is read with columns that are not mentioned, as its own name is a column's.
        (
            'SELECT one FROM (SELECT 1 AS one) x UNION SELECT "Age" FROM people AS one,'
            ' (SELECT 3) AS x ("Age") ORDER BY 1',
            [(1,), (3,)],
        ),
        (
            'SELECT count("Mixed"), max(id) FROM "Mixed", (SELECT 7) AS x (id)',
            [(3, 7)],
        ),
    ],
)
def test_names_may_differ_only_in_case(sides: Sides, sql: str, rows: list[tuple[int, ...]]) -> None:
    assert sides.ours(sql) == rows


@pytest.fixture(scope="module")
def colliding() -> Sides:
    """Two stores whose columns differ only in case."""
    one = keyvalue("one", {"id": "bigint"}, {"Name": "text"})
    two = keyvalue("two", {"id": "bigint"}, {"name": "text", "n": "bigint"})
    return build(
        (one, two), {"one": [(1, "a"), (2, "b")], "two": [(1, "c", 5), (2, "d", 6), (3, "e", 7)]}
    )


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ('SELECT "Name", name FROM one JOIN two ON one.id = two.id', [("a", "c"), ("b", "d")]),
        (
            'SELECT upper("Name"), upper(name) FROM one JOIN two USING (id)',
            [("A", "C"), ("B", "D")],
        ),
        (
            'SELECT x.name, x."Name" FROM (SELECT one."Name", two.name FROM one, two) x '
            "WHERE x.name = 'e'",
            [("e", "a"), ("e", "b")],
        ),
        ("SELECT * FROM one NATURAL JOIN two", [(1, "a", "c", 5), (2, "b", "d", 6)]),
        ('SELECT t."Name", n FROM two AS t ("Name") WHERE "Name" > 1', [(2, 6), (3, 7)]),
        ('SELECT "N", one.id FROM one JOIN two AS t ("N") ON "N" = one.id', [(1, 1), (2, 2)]),
        (
            'SELECT "Name", sum(n) FROM one JOIN two ON two.id > one.id GROUP BY "Name"',
            [("a", 13), ("b", 7)],
        ),
        (
            'SELECT (SELECT max(name) FROM two WHERE two.id = one.id AND "Name" < name) FROM one',
            [("c",), ("d",)],
        ),
        ('SELECT count(one), max("Name"), max(name) FROM one JOIN two USING (id)', [(2, "b", "d")]),
        (
            'SELECT "Name", name, t, g FROM one JOIN two USING (id), (SELECT 1 AS t) t, '
            "generate_series(2, 2) g",
            [("a", "c", 1, 2), ("b", "d", 1, 2)],
        ),
        (
            # `least` copies its operands.
            """SELECT id FROM two WHERE name = 'd'
            AND least('a' <> ALL (SELECT t."Name" FROM one AS t), NULL::boolean, true) = false""",
            [(2,)],
        ),
        (
            'SELECT two, "Name", name FROM one JOIN (SELECT id AS k, name FROM two) AS x (two) '
            "ON two = id",
            [(1, "a", "c"), (2, "b", "d")],
        ),
        (
            "SELECT row_to_json(one), row_to_json(two) FROM one JOIN two USING (id)",
            [
                ('{"id":1,"Name":"a"}', '{"id":1,"name":"c","n":5}'),
                ('{"id":2,"Name":"b"}', '{"id":2,"name":"d","n":6}'),
            ],
        ),
        (
            'WITH x AS (SELECT "Name", name FROM one JOIN two USING (id)) SELECT to_json(x) FROM x',
            [('{"Name":"a","name":"c"}',), ('{"Name":"b","name":"d"}',)],
        ),
    ],
)
def test_columns_of_stores_may_differ_only_in_case(
    colliding: Sides, sql: str, rows: list[tuple[object, ...]]
) -> None:
    assert sorted(colliding.ours(sql)) == rows


@pytest.mark.parametrize(
    "sql",
    [
        'SELECT one, "Name", name FROM one JOIN two USING (id)',
        'SELECT x FROM (SELECT "Name", name FROM one JOIN two USING (id)) x',
    ],
)
def test_a_whole_row_whose_names_differ_only_in_case_is_refused(colliding: Sides, sql: str) -> None:
    """It would have the name that a column has in DuckDB."""
    with pytest.raises(NotSupportedError, match="a whole row"):
        colliding.ours(sql)


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("public.orders.name", 'missing FROM-clause entry for table "orders"'),
        ("stategate.people.name", 'invalid reference to FROM-clause entry for table "people"'),
    ],
)
def test_a_schema_must_be_that_of_the_relation(sides: Sides, column: str, message: str) -> None:
    with pytest.raises(UnknownNameError) as error:
        sides.ours(f"SELECT {column} FROM people")
    assert (error.value.message, error.value.sqlstate) == (message, "42P01")
    assert error.value.position == len("SELECT ") + 1

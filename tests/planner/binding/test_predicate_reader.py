"""WHERE clauses and the predicates on columns that are read from them."""

from __future__ import annotations

from decimal import Decimal

import pytest

from stategate.planner.binding.predicate_reader import PredicateReader
from stategate.planner.binding.predicates import DISJUNCTS_MAX, Predicate, describe_condition
from stategate.planner.errors import QueryError
from stategate.planner.syntax.parse import parse
from stategate.planner.trees.known_arguments import conjuncts, disjuncts
from stategate.planner.values.constants import number_of
from stategate.stores.spec.schema import BIGINT, TEXT, DataType, Value
from tests.planner.world import ORDERS


def read(where: str, parameter: DataType = TEXT) -> str:
    """Return the predicate that is read from a WHERE on `orders`, as SQL.

    A leading ~ means that DuckDB decides the rest.
    """
    found = predicate(where, parameter)
    said = [" and ".join(map(describe_condition, each)) or "any" for each in found.disjuncts]
    return ("" if found.exact else "~") + (" or ".join(said) or "none")


def predicate(where: str, parameter: DataType = TEXT) -> Predicate:
    tree = parse(f"SELECT 1 FROM orders WHERE {where}").tree
    assert tree is not None
    reader = PredicateReader(
        column_of=lambda column: ORDERS.column_by_name.get(column.name),
        parameter_type=lambda number: parameter,
    )
    return reader.predicate(tree.args["where"].this)


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ("name = 'a'", "name = 'a'"),
        ("'a' = name", "name = 'a'"),
        ("5 < number", "number > 5"),
        ("5 >= number", "number <= 5"),
        ("number = -5", "number = -5"),
        ("number = -(-5)", "number = -(-5)"),
        ("number <> 5", "number < 5 or number > 5"),
        ("number BETWEEN 1 AND 2", "number >= 1 and number <= 2"),
        ("number NOT BETWEEN 1 AND 2", "number < 1 or number > 2"),
        ("number BETWEEN SYMMETRIC 2 AND 1", "~any"),
        ("name IN ('a', 'b')", "name in ('a', 'b')"),
        ("name IN ('a', city)", "~any"),
        ("name NOT IN ('a')", "name < 'a' or name > 'a'"),
        ("(name, number) IN (('a', 1), ('b', 2))", "(name, number) in (('a', 1), ('b', 2))"),
        ("(name, number) IN (('a', 1), ('b', amount))", "~any"),
        ("(name, name) IN (('a', 'b'))", "~any"),
        ("name = 'a' AND (number > 1 AND paid)", "name = 'a' and number > 1 and paid = true"),
        ("NOT paid", "paid = false"),
        ("paid IS TRUE", "paid = true"),
        ("paid IS NOT TRUE", "~any"),
        ("name = 'a' OR name IN ('b', 'c')", "name in ('a', 'b', 'c')"),
        ("name = 'a' OR number = 1", "name = 'a' or number = 1"),
        ("name = 'a' OR upper(name) = 'B'", "~any"),
        ("name = 'a' AND upper(name) = 'B'", "~name = 'a'"),
        ("name = 'a' OR true", "any"),
        ("name = 'a' AND false", "none"),
        ("NULL", "none"),
        ("1 = 0 OR name = 'a'", "name = 'a'"),
        ("'a' = 'a'", "any"),
        ("NOT name = 'a'", "name < 'a' or name > 'a'"),
        (
            "NOT (name = 'a' OR number > 1)",
            "name < 'a' and number <= 1 or name > 'a' and number <= 1",
        ),
        ("name = elsewhere", "~any"),
        ("name = 'a'::text", "name = CAST('a' AS TEXT)"),
        ("name = 'a'::varchar(3)", "~any"),
        ("number = 5::bigint", "number = CAST(5 AS BIGINT)"),
        ("number::numeric(30,2) = 5.5", "number = 5.5"),
        ("number::double precision = 5", "~any"),
        ("number::integer = 5", "~any"),
        ("name = $1", "name = $1"),
        ("name = $1::text", "name = $1"),
        ("name = ANY($1)", "~any"),
        ("name = ANY(ARRAY['a', 'b'])", "name in ('a', 'b')"),
        ("name = ANY(ARRAY['a', 'b']::text[])", "name in ('a', 'b')"),
        ("name = ANY(ARRAY[1]::int[])", "~any"),
        ("name IN ('a','b','c','d','e','f')", "name in ('a', 'b', 'c', 'd', 'e', … 6 values)"),
        ("due > date '2020-01-01'", "due > CAST('2020-01-01' AS DATE)"),
        ("due > interval '1 day'", "~any"),
        (
            "due::date = '2020-01-01'",
            "due >= the start of '2020-01-01' and due < the end of '2020-01-01'",
        ),
        ("date_trunc('hour', due) > '2020-01-01 00:30'", "due >= the end of '2020-01-01 00:30'"),
        ("due + interval '1 day' < '2020-01-01'", "due < '2020-01-01'"),
        ("due + interval '1 month' < '2020-01-01'", "~any"),
        ("name IS NULL", "name is null"),
        ("name = 'a' OR name IS NULL", "(name = 'a' or name is null)"),
        ("name IS NOT NULL", "name is not null"),
        ("name IS NOT DISTINCT FROM 'a'", "name = 'a'"),
        ("name IS NOT DISTINCT FROM NULL", "name is null"),
        ("name LIKE 'ab%'", "name >= 'ab' and name < 'ac'"),
        ("name LIKE 'ab'", "name = 'ab'"),
        ("name LIKE 'a%b'", "~name >= 'a' and name < 'b'"),
        ("name LIKE '%'", "name is not null"),
        ("name LIKE 'a!%' ESCAPE '!'", "name = 'a%'"),
        ("name LIKE 'a!%%' ESCAPE '!'", "name >= 'a%' and name < 'a&'"),
        ("name LIKE 'a%%' ESCAPE '%'", "name = 'a%'"),
        ("name LIKE 'a_%' ESCAPE '_'", "name = 'a%'"),
        ("name LIKE 'a\\b%' ESCAPE ''", "name >= 'a\\b' and name < 'a\\c'"),
        ("name LIKE 'a\\_%'", "name >= 'a_' and name < 'a`'"),
        ("name LIKE 'a\\'", "~name is not null"),
        ("name LIKE 'a%\\'", "~name >= 'a' and name < 'b'"),
        ("name LIKE '\U0010ffff%'", "name >= '\U0010ffff'"),
        ("name LIKE '\ud7ff%'", "name >= '\ud7ff' and name < '\ue000'"),
        ("starts_with(name, 'a%')", "name >= 'a%' and name < 'a&'"),
        ("name ~ '^abc'", "~name >= 'abc' and name < 'abd'"),
        ("name ~ '^ab|c'", "~any"),
        ("name ~ 'abc'", "~any"),
    ],
)
def test_predicates_of_conditions(where: str, found: str) -> None:
    assert read(where) == found


def test_too_many_alternatives_are_read_as_fewer() -> None:
    both = " AND ".join(f"(name = 'a' OR number = {i})" for i in range(8))
    found = predicate(both)
    assert not found.exact
    assert len(found.disjuncts) <= DISJUNCTS_MAX
    assert read(" OR ".join(f"name > '{i}'" for i in range(DISJUNCTS_MAX + 1))) == "~any"


def test_arrays_of_parameters() -> None:
    assert read("name = ANY($1)", DataType.parse("text[]")) == "name = any ($1)"
    assert read("number = ANY($1)", DataType.parse("double[]")) == "~any"


@pytest.mark.parametrize(
    ("where", "declared", "found"),
    [
        ("number = $1::bigint", "smallint", "number = $1"),
        ("number = $1::integer::bigint", "smallint", "number = $1"),
        ("number = $1::numeric", "integer", "number = $1"),
        ("number = $1::numeric", "decimal(38,0)", "number = $1"),
        ("number > $1::smallint", "bigint", "number > $1 as smallint"),
        ("number IN ($1::int, 5::smallint)", "smallint", "number in ($1, CAST(5 AS SMALLINT))"),
        ("number = $1::double precision", "integer", "~any"),
        ("name = $1::varchar", "text", "name = $1"),
        ("name = $1::varchar(3)", "text", "~any"),
        ("name LIKE $1::varchar", "text", "~name >= the start of $1 and name < the end of $1"),
        ("due = $1::timestamptz", "timestamp", "due = $1"),
        ("due = $1::timestamptz", "date", "due = $1 as timestamp with time zone"),
        ("due = $1::timestamp(0)", "timestamp", "due = $1 as timestamp without time zone"),
        ("number = ANY($1::bigint[])", "integer[]", "number = any ($1)"),
        ("number = ANY($1::smallint[])", "bigint[]", "number = any ($1) as smallint"),
        ("name = ANY($1::varchar(3)[])", "text[]", "~any"),
        ("name = ANY(ARRAY['abcd']::varchar(3)[])", "text", "~any"),
        (
            "number = ANY(ARRAY[1, 2]::smallint[])",
            "text",
            "number in (CAST(1 AS SMALLINT), CAST(2 AS SMALLINT))",
        ),
        ("number = 5::smallint::integer", "text", "number = CAST(CAST(5 AS SMALLINT) AS INT)"),
        ("number = 5::numeric(4,1)", "text", "number = CAST(5 AS DECIMAL(4, 1))"),
        ("number = 100000::smallint", "text", "~any"),
    ],
)
def test_casts_of_values(where: str, declared: str, found: str) -> None:
    assert read(where, DataType.parse(declared)) == found


def test_a_double_too_large_to_be_exact_is_left_to_duckdb() -> None:
    assert read("number = 1e3") == "number = 1000."
    assert read("number = 1e45") == "~any"


def test_the_error_of_a_wrong_literal_points_at_it() -> None:
    with pytest.raises(QueryError) as caught:
        predicate("number = 'five'")
    assert (caught.value.sqlstate, caught.value.position) == ("22P02", 37)


@pytest.mark.parametrize(
    ("text", "value", "data_type"),
    [
        ("5", 5, "bigint"),
        ("9223372036854775808", Decimal("9223372036854775808"), "decimal(19,0)"),
        ("2.50", Decimal("2.50"), "decimal(3,2)"),
        (".5", Decimal("0.5"), "decimal(1,1)"),
        ("1e3", 1000.0, "double"),
        ("1" * 40, float("1" * 40), "double"),
    ],
)
def test_numbers(text: str, value: Value, data_type: str) -> None:
    assert number_of(text) == (value, DataType.parse(data_type))


def test_long_chains_do_not_recurse_deeply() -> None:
    tree = parse("SELECT 1 WHERE " + " OR ".join(["a"] * 3000)).tree
    assert tree is not None
    where = tree.args["where"].this
    assert (len(disjuncts(where)), len(conjuncts(where))) == (3000, 1)


def test_a_whole_number_is_a_bigint() -> None:
    assert number_of("0")[1] == BIGINT

"""From a WHERE to conditions on columns."""

from __future__ import annotations

from decimal import Decimal

import pytest

from planner.access import describe_condition
from planner.errors import QueryError
from planner.parse import parse
from planner.predicates import Condition, Reader, conjuncts, disjuncts, number_of
from stores.schema import BIGINT, TEXT, DataType, Value
from tests.planner.world import ORDERS


def read(where: str, parameter: DataType = TEXT) -> list[str]:
    """The conditions of a WHERE on `orders`, as SQL."""
    return [describe_condition(condition) for condition in conditions(where, parameter)]


def conditions(where: str, parameter: DataType = TEXT) -> list[Condition]:
    tree = parse(f"SELECT 1 FROM orders WHERE {where}").tree
    assert tree is not None
    reader = Reader(
        column_of=lambda column: column.name if column.name in ORDERS.column_by_name else None,
        type_of=lambda name: ORDERS.column_by_name[name].type,
        parameter_type=lambda number: parameter,
    )
    return reader.conditions(tree.args["where"].this)


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ("name = 'a'", ["name = 'a'"]),
        ("'a' = name", ["name = 'a'"]),
        ("5 < number", ["number > 5"]),
        ("5 >= number", ["number <= 5"]),
        ("number = -5", ["number = -5"]),
        ("number = -(-5)", ["number = -(-5)"]),
        ("number BETWEEN 1 AND 2", ["number >= 1", "number <= 2"]),
        ("number BETWEEN SYMMETRIC 2 AND 1", []),
        ("name IN ('a', 'b')", ["name in ('a', 'b')"]),
        ("name IN ('a', city)", []),
        ("name NOT IN ('a')", []),
        (
            "name = 'a' AND (number > 1 AND paid = true)",
            ["name = 'a'", "number > 1", "paid = TRUE"],
        ),
        ("name = 'a' OR name IN ('b', 'c')", ["name in ('a', 'b', 'c')"]),
        ("name = 'a' OR number = 1", []),
        ("name = 'a' OR name > 'b'", []),
        ("NOT name = 'a'", []),
        ("name = elsewhere", []),
        ("name = upper('a')", []),
        ("name = 'a'::text", ["name = CAST('a' AS TEXT)"]),
        ("name = 'a'::varchar(3)", []),
        ("name = $1", ["name = $1"]),
        ("name = ANY($1)", []),
        ("name = ANY(ARRAY['a', 'b'])", ["name in ('a', 'b')"]),
        ("name = ANY(ARRAY['a', 'b']::text[])", ["name in ('a', 'b')"]),
        ("name = ANY(ARRAY[1]::int[])", []),
        (
            "name IN ('a','b','c','d','e','f','g')",
            ["name in ('a', 'b', 'c', 'd', 'e', … 7 values)"],
        ),
        ("due > date '2020-01-01'", ["due > CAST('2020-01-01' AS DATE)"]),
        ("due > interval '1 day'", []),
        ("name IS NULL", []),
        ("name LIKE 'a%'", []),
    ],
)
def test_conditions(where: str, found: list[str]) -> None:
    assert read(where) == found


def test_arrays_of_parameters() -> None:
    assert read("name = ANY($1)", DataType.parse("text[]")) == ["name = any ($1)"]
    assert read("number = ANY($1)", DataType.parse("double[]")) == []


def test_a_double_too_large_to_be_exact_is_left_to_duckdb() -> None:
    assert read("number = 1e3") == ["number = 1e3"]
    assert read("number = 1e17") == []


def test_a_literal_that_is_no_value_points_at_itself() -> None:
    with pytest.raises(QueryError) as caught:
        conditions("number = 'five'")
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


def test_long_chains_are_no_deep_recursion() -> None:
    tree = parse("SELECT 1 WHERE " + " OR ".join(["a"] * 3000)).tree
    assert tree is not None
    where = tree.args["where"].this
    assert (len(disjuncts(where)), len(conjuncts(where))) == (3000, 1)


def test_bigint_is_what_a_whole_number_is() -> None:
    assert number_of("0")[1] == BIGINT

"""The table of operators against PostgreSQL's, and the choice among them.

`pg_operator.tsv` has the operators of PostgreSQL 15 for types that values can have here: the symbol
and both sides, the left one empty for an operator before its operand. `AT_TIME_ZONE` is a function
there.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from stategate.planner.errors import InvalidValueError, QueryCancelledError, UnknownNameError
from stategate.planner.postgres.operator_checks import MissingOperator
from stategate.planner.postgres.types.type_choice import choose
from stategate.planner.records.operators import INFIX, PREFIX, UNSUPPORTED

LISTED = {
    tuple(line.split("\t"))
    for line in (Path(__file__).parent / "pg_operator.tsv").read_text().splitlines()
}
FOREIGN = {"timetz", "point", "anyrange", "anymultirange", "anyelement"}
"""Types that no value has here; their operators make a bare text mean several."""
MISSING = {("+", "aclitem[]", "aclitem"), ("-", "aclitem[]", "aclitem")}
"""Operators that fail as if they did not exist."""


def test_the_tables_have_the_operators_of_postgres() -> None:
    infix = {(symbol, *sides) for symbol, every in INFIX.items() for sides in every}
    prefix = {(symbol, "", side) for symbol, every in PREFIX.items() for (side,) in every}
    ours = {each for each in infix | prefix if FOREIGN.isdisjoint(each)}
    assert ours == {each for each in LISTED if len(each) == 3} - MISSING


def test_each_unsupported_operator_exists() -> None:
    for symbol, operands in UNSUPPORTED:
        assert operands in (INFIX if len(operands) == 2 else PREFIX)[symbol]


@pytest.mark.parametrize(
    ("symbol", "given", "found"),
    [
        ("+", "integer bigint", "integer,bigint"),
        ("+", "date unknown", "date,integer date,interval date,time"),
        ("+", "bigint oid", ""),
        ("-", "unknown text", "jsonb,text"),
        ("-", "date unknown", "date,date"),
        ("||", "unknown unknown", "text,text"),
        ("||", "integer unknown", "anynonarray,text"),
        ("||", "integer[] decimal", "anycompatiblearray,anycompatible"),
        ("||", "integer[] text", ""),
        ("=", "integer decimal", "decimal,decimal"),
        ("=", "varchar unknown", "text,text"),
        ("=", "double oid", ""),
        ("=", "regclass integer", "oid,oid"),
        ("=", "integer[] smallint[]", ""),
        ("<<", "unknown smallint", "smallint,integer integer,integer bigint,integer"),
        ("^", "integer bigint", "double,double"),
        ("^", "integer decimal", "decimal,decimal"),
        ("%", "real smallint", ""),
        ("AT_TIME_ZONE", "date unknown", "timestamptz,text"),
    ],
)
def test_choice(symbol: str, given: str, found: str) -> None:
    expected = [tuple(each.split(",")) for each in found.split()]
    assert choose(INFIX[symbol], tuple(given.split())) == expected


def test_a_statement_that_ends_is_not_one_without_an_operator() -> None:
    missing = MissingOperator("text + integer", 0, position=10, start=8)
    assert missing.is_after(QueryCancelledError("canceling statement"))
    assert missing.is_after(InvalidValueError("a value", position=3))
    assert not missing.is_after(InvalidValueError("a value", position=9))
    assert not missing.is_after(UnknownNameError("a function", position=3))

"""The list of allowed functions, compared with all functions of the installed DuckDB."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress

import duckdb
import pytest
from sqlglot.dialects.postgres import Postgres

from stategate.planner.composing.functions.macros import MACROS
from stategate.planner.composing.functions.python_functions import PYTHON_FUNCTIONS
from stategate.planner.errors import QueryError
from stategate.planner.pg_catalog.recognise import CALLABLE_OVER_STORES
from stategate.planner.postgres.refused import TABLE_FUNCTIONS
from stategate.planner.postgres.types.functions import FUNCTIONS, RESULTS, SAME_AS_FIRST
from stategate.planner.values.session import Session
from tests.planner.sides import Sides

VOLATILE = {"random", "gen_random_uuid", "uuid", "uuidv4", "uuidv7"}
"""Volatile functions that are harmless."""
CATALOG = {*CALLABLE_OVER_STORES, "nextval", "currval", "setval"}
"""Functions that the catalog's database answers or refuses, not the stores' database."""


def known(kinds: str) -> list[str]:
    found = (
        duckdb.connect()
        .execute(
            "SELECT DISTINCT function_name FROM duckdb_functions() "
            f"WHERE function_type IN ({kinds})"
        )
        .fetchall()
    )
    return sorted(name for (name,) in found if name.isidentifier())


def refused(sides: Sides, sql: str) -> bool:
    try:
        sides.engine.prepare(sql, Session())
    except QueryError as error:
        # Names are resolved before functions, also where DuckDB's syntax is read as a name.
        return error.sqlstate in {"42883", "42601", "0A000", "42703"}
    return False


def test_unlisted_functions_of_duckdb_are_refused(sides: Sides) -> None:
    """Functions that a later DuckDB adds are refused, too."""
    names = known("'scalar', 'aggregate', 'macro', 'window', 'pragma', 'table', 'table_macro'")
    others = [
        name
        for name in names
        if name not in FUNCTIONS | CATALOG and not name.startswith(("pg_", "has_"))
    ]
    assert len(others) > 500
    for name in others:
        for call in (f"{name}('x')", f"{name}()", f"{name}(name)", f'"{name}"(name, 1)'):
            assert refused(sides, f"SELECT {call} FROM people"), call
        if name not in TABLE_FUNCTIONS:
            assert refused(sides, f"SELECT * FROM people p, {name}(p.name)"), name


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT age FROM people WHERE getenv(name) = 'x'",
        "SELECT age FROM people ORDER BY getenv(name)",
        "SELECT age FROM people GROUP BY age, getenv('HOME')",
        "SELECT sum(age) FILTER (WHERE getenv('HOME') = '') FROM people",
        "SELECT sum(age) OVER (PARTITION BY getenv('HOME')) FROM people",
        "SELECT CASE WHEN getenv('HOME') = '' THEN 1 END FROM people",
        "SELECT (SELECT getenv('HOME')) FROM people",
        "SELECT list_transform([1], x -> getenv('HOME')) FROM people",
        "SELECT 'HOME'.getenv() FROM people",
        "SELECT list_aggregate([1], getenv('HOME')) FROM people",
        "WITH RECURSIVE t AS (SELECT 1 AS a UNION ALL SELECT getenv('A')::int FROM t) "
        "SELECT a FROM t, people",
        "VALUES (getenv('HOME'))",
        "SELECT 1 FROM people LIMIT getenv('HOME')",
        "SELECT pg_sg_whole('1') FROM people",
        "SELECT pg_sg_number_text('1', '9') FROM people",
        'SELECT "GETENV"(name) FROM people',
        'SELECT main."getenv"(name) FROM people',
        "SELECT system.main.getenv(name) FROM people",
        "SELECT {fn getenv('HOME')} FROM people",
        "SELECT error('x') FROM people",
    ],
)
def test_unlisted_function_is_refused_in_every_clause(sides: Sides, sql: str) -> None:
    with pytest.raises(QueryError) as caught:
        sides.engine.prepare(sql, Session())
    assert caught.value.sqlstate in {"42883", "42703", "42601", "0A000", "3F000"}


def test_listed_functions_read_only_their_arguments() -> None:
    volatile = (
        duckdb.connect()
        .execute(
            "SELECT DISTINCT function_name FROM duckdb_functions() "
            "WHERE function_type IN ('scalar', 'macro') "
            "AND (has_side_effects OR stability = 'VOLATILE')"
        )
        .fetchall()
    )
    assert {name for (name,) in volatile} & FUNCTIONS <= VOLATILE


def test_functions_with_result_types_can_be_called() -> None:
    assert set(RESULTS) <= FUNCTIONS | {"str_position"}  # the name under which POSITION is parsed
    assert set(SAME_AS_FIRST) <= FUNCTIONS


def test_macros_have_a_prefix() -> None:
    assert all(macro.startswith("pg_sg_") for macro in MACROS)


def test_names_of_macros_are_unique() -> None:
    """Functions in Python count, too: of two with one name, only the later one is called."""
    names = [macro.partition("(")[0] for macro in MACROS]
    assert [name for name, count in Counter([*names, *PYTHON_FUNCTIONS]).items() if count > 1] == []
    assert not any(name.startswith("pg_sg_") for name in FUNCTIONS)


@pytest.mark.parametrize(
    "given", ["", "1", "'a', 'b'", "1, 2, 3", "ARRAY[1], 'a', 2, 3", "DATE '2020-01-01', name"]
)
def test_names_that_the_parser_knows_are_run_or_refused(sides: Sides, given: str) -> None:
    """sqlglot reads functions of all dialects, and fails with some arguments of a few."""
    for name in sorted({*Postgres.Parser.FUNCTIONS, *Postgres.Parser.FUNCTION_PARSERS}):
        with suppress(QueryError):
            sides.engine.prepare(f"SELECT {name}({given}) FROM people", Session())


@pytest.mark.parametrize("given", ["", "1", "name"])
def test_a_call_that_is_used_before_it_is_checked_is_run_or_refused(
    sides: Sides, given: str
) -> None:
    """The type of a call is asked for wherever it stands, also of one without its arguments."""
    for name in sorted(FUNCTIONS):
        sql = f"SELECT (SELECT count(w.*) FROM (SELECT {name}({given})) AS w) FROM people"
        with suppress(QueryError):
            sides.engine.prepare(sql, Session())

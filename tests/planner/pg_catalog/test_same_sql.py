"""SQL means the same whether it reads a catalog relation, a store, or nothing."""

from __future__ import annotations

from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stategate.planner.errors import QueryError
from stategate.planner.postgres.types.functions import FUNCTIONS
from stategate.planner.sql import SqlEngine
from stategate.stores.spec.schema import Row
from tests.planner.postgres.corpus import files, read
from tests.planner.sides import Sides, comparable, rows_of, run

VOLATILE = {
    *("random", "gen_random_uuid", "uuid", "uuidv4", "uuidv7", "now", "clock_timestamp"),
    *("statement_timestamp", "transaction_timestamp", "current_timestamp", "localtimestamp"),
    *("current_time", "localtime", "age"),
}
PLACES = (
    "",
    " FROM pg_class WHERE oid = 1259",
    " FROM (SELECT relname FROM pg_catalog.pg_class LIMIT 1) AS c",
    " FROM people WHERE name = 'ann'",
)
"""FROM clauses over the catalog, which answers, and over a store, where DuckDB composes."""
Outcome: TypeAlias = tuple[list[str], list[Row]] | str


def outcome(engine: SqlEngine, sql: str) -> Outcome:
    """Return types and rows of a statement, or the SQLSTATE of its error."""
    try:
        result = run(engine, sql)
        rows = [comparable(row) for row in rows_of(result)]
        return [str(column.type) for column in result.columns], rows
    except QueryError as error:
        return f"{error.sqlstate} {error.message}"


def constant_statements() -> list[str]:
    """Statements of the corpus that read nothing and can be followed by FROM.

    Functions with side effects cannot: they are refused beside a store.
    """
    entries = [entry.sql for path in files() for entry in read(path)]
    words = (
        " FROM ",
        " ORDER ",
        " LIMIT ",
        "UNION",
        "VALUES",
        "current_",
        "now()",
        "session",
        " WHERE ",
        " HAVING ",
        "SELECT *",
        "advisory",
        "set_config",
        ";",
    )
    return [
        sql
        for sql in entries
        if sql.startswith("SELECT ") and not any(w.lower() in sql.lower() for w in words)
    ]


@pytest.mark.parametrize(("number", "sql"), list(enumerate(constant_statements())))
def test_the_corpus(sides: Sides, number: int, sql: str) -> None:
    """The catalog takes turns with its two places; `test_every_function` has all of them."""
    bare, of_catalog, in_subquery, of_store = PLACES
    places = (bare, in_subquery if number % 2 else of_catalog, of_store)
    first, *others = (outcome(sides.engine, sql + place) for place in places)
    assert others == [first] * len(others)


ARGUMENTS = (
    *("'abc'", "'a,b'", "''", "NULL", "1", "-2", "2.5", "2.5::float8", "255", "true"),
    *("ARRAY[3,1,2]", "ARRAY['a','b']", "date '2024-02-29'", "interval '90 minutes'"),
    *("timestamp '2024-02-29 12:34:56'", "'{\"a\": 1}'::json", "'YYYY'", "'month'"),
)


@settings(max_examples=2 * settings().max_examples)
@given(
    name=st.sampled_from(sorted(FUNCTIONS - VOLATILE)),
    given_=st.lists(st.sampled_from(ARGUMENTS), max_size=3),
)
def test_every_function(sides: Sides, name: str, given_: list[str]) -> None:
    sql = f"SELECT {name}({', '.join(given_)})"
    bare, *others = (outcome(sides.engine, sql + place) for place in PLACES)
    assert others == [bare] * len(others)

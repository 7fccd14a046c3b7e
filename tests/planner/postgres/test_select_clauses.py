"""Functions in FROM that return one value."""

from __future__ import annotations

import pytest

from stategate.planner.errors import QueryError
from stategate.planner.sql import SqlEngine
from stategate.stores.spec.schema import Row
from tests.planner.sides import rows_of, run
from tests.planner.world import world


@pytest.fixture(scope="module")
def engine() -> SqlEngine:
    return world().engine


@pytest.mark.parametrize(
    ("sql", "names", "rows"),
    [
        ("SELECT * FROM upper($1) AS result", ["result"], [("A",)]),
        ("SELECT * FROM pg_catalog.upper($1)", ["upper"], [("A",)]),
        ("SELECT r.x FROM upper($1) AS r (x)", ["x"], [("A",)]),
        ("SELECT * FROM upper($1) WITH ORDINALITY AS t (a, n)", ["a", "n"], [("A", 1)]),
        (
            "SELECT p.name, u FROM people p, upper(p.name || $1) AS u WHERE name = 'ann'",
            ["name", "u"],
            [("ann", "ANNA")],
        ),
        ("SELECT * FROM lower($1) AS a JOIN lower('A') AS b ON a = b", ["a", "b"], [("a", "a")]),
    ],
)
def test_function_of_one_value_is_one_row(
    engine: SqlEngine, sql: str, names: list[str], rows: list[Row]
) -> None:
    """JDBC sends the first one for `{? = call upper(?)}`."""
    result = run(engine, sql, ("a",))
    assert [column.name for column in result.columns] == names
    assert rows_of(result) == rows


@pytest.mark.parametrize(
    ("call", "sqlstate"),
    [
        ("getenv('HOME')", "42883"),
        ("sum(1)", "42883"),
        ("other.upper('a')", "3F000"),
        ("system.main.upper('a')", "0A000"),
    ],
)
def test_other_functions_in_from_are_unknown(engine: SqlEngine, call: str, sqlstate: str) -> None:
    for sql in (f"SELECT * FROM {call}", f"SELECT * FROM people, {call}"):
        with pytest.raises(QueryError) as caught:
            run(engine, sql)
        assert caught.value.sqlstate == sqlstate

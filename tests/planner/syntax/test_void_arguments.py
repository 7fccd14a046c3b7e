"""Void parameters are removed from calls: pgjdbc writes them for `{? = call f(?)}`."""

from __future__ import annotations

import pytest

from stategate.planner.errors import QueryError
from stategate.planner.syntax.parse import parse
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.catalog_types import VOID
from stategate.planner.values.session import Session
from stategate.stores.spec.schema import INTEGER, TEXT, DataType, Row
from tests.planner.sides import rows_of
from tests.planner.world import world


@pytest.mark.parametrize(
    ("sql", "types", "wanted"),
    [
        ("SELECT * FROM upper($1,$2) AS r", [VOID, TEXT], "SELECT * FROM upper(   $2) AS r"),
        ("SELECT now( $1 )", [VOID], "SELECT now(    )"),
        ("SELECT f(a, $1, $2)", [VOID, VOID], "SELECT f(a        )"),
        ("SELECT f($1, $2, $3)", [VOID, VOID, TEXT], "SELECT f(        $3)"),
        ("SELECT f($2, $1, g($3, $1))", [VOID], "SELECT f($2    , g($3    ))"),
        ('SELECT "f"(ARRAY[1, $1], $1)', [VOID], 'SELECT "f"(ARRAY[1, $1]    )'),
        ("SELECT f($1 || 'a')", [VOID], "SELECT f($1 || 'a')"),
        ("SELECT 1 WHERE 1 IN ($1, $2)", [VOID], "SELECT 1 WHERE 1 IN ($1, $2)"),
        ("SELECT ($1, $2)", [VOID], "SELECT ($1, $2)"),
        ("SELECT f('$1', $1)", [VOID], "SELECT f('$1'    )"),
        ("SELECT f($1)", [TEXT], "SELECT f($1)"),
        ("SELECT f($1)", [], "SELECT f($1)"),
    ],
)
def test_void_arguments_are_removed(sql: str, types: list[DataType | None], wanted: str) -> None:
    assert parse(sql, types).sql == wanted


@pytest.mark.parametrize(
    ("sql", "types", "parameters", "wanted"),
    [
        ("select * from upper($1,$2) as result", [VOID, TEXT], (None, "abc"), "ABC"),
        ("select * from substr($1,$2,$3) as r", [VOID, TEXT, INTEGER], (None, "abc", 2), "bc"),
        ("select * from current_database($1) as result", [VOID], (None,), "stategate"),
        ("select upper($1, max(name)) from people", [VOID], (None,), "DAN"),
    ],
)
def test_calls_are_answered(sql: str, types: list[DataType], parameters: Row, wanted: str) -> None:
    engine, session = world().engine, Session()
    statement = engine.prepare(sql, session, parameter_types=types)
    assert statement.parameters == tuple(types)
    result = engine.execute(statement, parameters, session, cancellation=Cancellation(60))
    assert rows_of(result) == [(wanted,)]


def test_a_void_parameter_is_not_a_value() -> None:
    with pytest.raises(QueryError) as caught:
        world().engine.prepare("SELECT $1 + 1", Session(), parameter_types=[VOID])
    assert caught.value.sqlstate == "42883"

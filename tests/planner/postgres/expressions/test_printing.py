"""Rows, maps and arrays of them have no text, except rows that are written as ROW(…)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stategate.planner.errors import QueryError
from stategate.planner.sql import SqlEngine
from stategate.planner.values.session import Session
from tests.planner.sides import rows_of, run
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

THINGS = keyvalue(
    "things",
    {"id": "integer"},
    {"s": 'struct("a" integer, "b" text)', "m": "map(text, integer)", "l": 'struct("a" integer)[]'},
)


@pytest.fixture(scope="module")
def engine() -> Iterator[SqlEngine]:
    store = open_store(THINGS)
    fill(store, [(1, {"a": 1, "b": "x y"}, [("k", 1)], [{"a": 1}])])
    made = SqlEngine(FixedCatalog(store))
    yield made
    made.close()


VALUES = [
    *("s", "m", "l", "t", "ROW(s)", "ROW(1, m)", "ROW(t)", "ROW(t.*)", "(t.s)", "coalesce(s, s)"),
    *("(SELECT s)", "(SELECT t)", "CASE WHEN true THEN ROW(1, s) END", "ARRAY[ROW(1, m)]"),
    *("ARRAY[s]", "ARRAY[t]", "array_agg(s)", "array_agg(t)", "max(s)", "to_array.x"),
]
FORMS = [
    *("{}::text", "CAST({} AS varchar(3))", "concat({}, 'a')", "concat_ws('-', 'a', {})"),
    *("format('%s', {})", "format('%L', {})", "'a' || {}", "quote_literal({})"),
    *("quote_nullable({})", "ROW(1, {})::text", "ARRAY[{}]::text", "ARRAY[{}]::text[]"),
    "array_to_string(ARRAY[{}], ',')",
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("value", VALUES)
def test_text_of_a_row_or_map_is_refused(engine: SqlEngine, form: str, value: str) -> None:
    source = "things t CROSS JOIN (SELECT ARRAY[s] AS x FROM things) to_array"
    with pytest.raises(QueryError) as raised:
        rows_of(run(engine, f"SELECT {form.format(value)} FROM {source}", session=Session()))
    assert raised.value.sqlstate in {"0A000", "42883"}


def test_hint_shows_what_to_write(engine: SqlEngine) -> None:
    with pytest.raises(QueryError, match="as a text is not supported") as raised:
        run(engine, "SELECT t::text FROM things t", session=Session())
    assert raised.value.sqlstate == "0A000"
    assert "ROW(a, b)::text" in str(raised.value.hint)
    texts = "ROW(id)::text, to_json(s)::text"
    found = rows_of(run(engine, f"SELECT {texts} FROM things", session=Session()))
    assert [tuple(row) for row in found] == [("(1)", '{"a":1,"b":"x y"}')]

"""Origins of result columns, as RowDescription reports them."""

from __future__ import annotations

import pytest

from stategate.planner.binding.column_origins import ResultColumn
from stategate.planner.sql import SqlEngine
from stategate.planner.values.session import Session
from stategate.stores.spec.schema import TEXT, Column
from tests.planner.sides import rows_of, run
from tests.planner.world import world


@pytest.fixture(scope="module")
def engine() -> SqlEngine:
    return world().engine


def named(engine: SqlEngine, sql: str) -> list[str | None]:
    """Return `relation.column` for each result column, as the catalog names it."""
    found: list[str | None] = []
    for column in engine.prepare(sql, Session()).columns:
        if not isinstance(column, ResultColumn):
            found.append(None)
            continue
        asked = (
            "SELECT c.relname || '.' || a.attname FROM pg_class c JOIN pg_attribute a"
            f" ON a.attrelid = c.oid WHERE c.oid = {column.table_oid} AND attnum = {column.number}"
        )
        ((name,),) = rows_of(run(engine, asked))
        found.append(name)
    return found


@pytest.mark.parametrize(
    ("sql", "origins"),
    [
        ("SELECT name, age FROM people WHERE name = 'ann'", ["people.name", "people.age"]),
        ("SELECT age AS years, age + 1, 1 FROM people", ["people.age", None, None]),
        ("SELECT max(age), name FROM people GROUP BY name", [None, "people.name"]),
        ("SELECT p.b FROM people AS p (a, b)", ["people.age"]),
        ("SELECT q.n FROM (SELECT name AS n FROM people) AS q", ["people.name"]),
        ("WITH q AS (SELECT * FROM people) SELECT q.age FROM q", ["people.age"]),
        ("SELECT o.name, p.age FROM orders o JOIN people p USING (name)", None),
        ("SELECT name FROM people UNION SELECT name FROM orders", [None]),
        ("SELECT _partition, name FROM people", [None, "people.name"]),
        ("SELECT relname, c.oid::int8 FROM pg_class c", ["pg_class.relname", None]),
        ("SELECT attname, xmin FROM pg_attribute", ["pg_attribute.attname", None]),
        ("SELECT table_name FROM information_schema.tables", ["tables.table_name"]),
        ("SELECT kind FROM stategate.stores", ["stores.kind"]),
    ],
)
def test_columns_of_relations(
    engine: SqlEngine, sql: str, origins: list[str | None] | None
) -> None:
    found = named(engine, sql)
    assert found == origins if origins is not None else found[1] == "people.age"


def test_stars(engine: SqlEngine) -> None:
    columns = [column.name for column in engine.prepare("SELECT * FROM people", Session()).columns]
    assert named(engine, "SELECT * FROM people") == [f"people.{name}" for name in columns]


def test_the_origin_does_not_count_for_equality() -> None:
    plain = Column(name="a", type=TEXT)
    origin = ResultColumn(name="a", type=TEXT, table_oid=1, number=1)
    assert plain == origin
    assert origin == plain
    assert hash(plain) == hash(origin)
    assert origin != Column(name="b", type=TEXT)

"""Grouping by a primary key is grouping by all columns of its relation."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.errors import QueryError
from stategate.planner.sql import SqlEngine
from stategate.planner.values.statement import Result
from stategate.stores.spec.schema import Row
from tests.planner.sides import comparable, ordered, rows_of, run
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

COLUMNS = ("id", "part", "n", "word")


@pytest.fixture(scope="module")
def engine(shared_process: None) -> Iterator[SqlEngine]:
    facts = open_store(
        keyvalue("facts", {"id": "integer", "part": "integer"}, {"n": "integer", "word": "text"})
    )
    fill(facts, [(n, n % 2, n % 3 if n % 4 else None, "ab"[n % 2]) for n in range(8)])
    others = open_store(keyvalue("others", {"id": "integer"}, {"n": "integer", "word": "text"}))
    fill(others, [(n, n % 5, "xyz"[n % 3]) for n in range(0, 12, 2)])
    made = SqlEngine(FixedCatalog(facts, others))
    yield made
    made.close()


ITEMS = (
    *("f.n", "f.word", "f.n + 1", "upper(f.word)", "coalesce(f.n, 0) + count(*)", "max(f.n) = f.n"),
    *("count(*)", "count(o.id)", "sum(o.n)", "(SELECT max(x.n) FROM others x WHERE x.id > f.n)"),
    *("rank() OVER (ORDER BY f.word, f.id, f.part)", "f.*", "CASE WHEN f.n > 1 THEN f.word END"),
)
JOINS = ("", "LEFT ", "RIGHT ", "FULL ")


@given(
    items=st.lists(st.sampled_from(ITEMS), min_size=1, max_size=3, unique=True),
    side=st.sampled_from(JOINS),
    having=st.sampled_from(["", " HAVING f.n > 0", " HAVING f.word <> 'b' OR count(*) > 1"]),
    order=st.sampled_from(["", " ORDER BY f.word", " ORDER BY f.n DESC, count(*)"]),
)
def test_it_is_grouping_by_all_columns(
    engine: SqlEngine, items: list[str], side: str, having: str, order: str
) -> None:
    sql = f"SELECT {', '.join(items)} FROM facts f {side}JOIN others o ON f.id = o.id"
    found = run(engine, f"{sql} GROUP BY f.id, f.part{having}{order}")
    every = ", ".join(f"f.{each}" for each in COLUMNS)
    wanted = run(engine, f"{sql} GROUP BY {every}{having}{order}")
    assert [each.name for each in found.columns] == [each.name for each in wanted.columns]
    assert _rows(found) == _rows(wanted), sql


def _rows(result: Result) -> list[Row]:
    return ordered([*map(comparable, rows_of(result))])


@pytest.mark.parametrize(
    "groups",
    [
        "f.id",
        "f.part",
        "f.id + 0, f.part",
        "ROLLUP (f.id, f.part)",
        "GROUPING SETS ((f.id), (f.part))",
    ],
)
def test_less_than_a_key_groups_nothing_else(engine: SqlEngine, groups: str) -> None:
    with pytest.raises(QueryError) as error:
        run(engine, f"SELECT f.word FROM facts f GROUP BY {groups}")
    assert error.value.sqlstate == "42803"

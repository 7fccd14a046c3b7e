"""Pages: all rows, each once, in the order of the key; and what has no pages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.engine import Cancellation, Row, Session
from stategate.planner.errors import NotSupportedError
from stategate.planner.sql import SqlEngine
from tests.planner.sides import rows_of
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

PAIRS = keyvalue("pairs", {"a": "bigint", "b": "text"}, {"v": "bigint"}, partitions=3)
ROWS: list[Row] = [
    (None if a == 0 else a, None if n == 0 else f"k{n}", 10 * a + n)
    for a in range(5)
    for n in range(4)
]


@pytest.fixture(scope="module")
def engine() -> Iterator[SqlEngine]:
    pairs = open_store(PAIRS)
    fill(pairs, ROWS)
    made = SqlEngine(FixedCatalog(pairs))
    yield made
    made.close()


def read(engine: SqlEngine, sql: str, parameters: Row) -> list[Row]:
    session = Session()
    statement = engine.prepare(sql, session)
    return rows_of(engine.execute(statement, parameters, session, cancellation=Cancellation()))


STATEMENTS = (
    ("SELECT * FROM pairs", ()),
    ("SELECT v, b, a FROM pairs AS p WHERE v > 3 OR v < 2", ()),
    ("SELECT b AS a, a AS b FROM pairs WHERE v >= $1 -- a comment", (7,)),
    ("SELECT a, b FROM pairs p WHERE b IN (SELECT b FROM pairs WHERE v < 3) WITH PARTIAL", ()),
    ("SELECT a + 1 AS a, pairs.a AS k, b FROM pairs WHERE a IS NOT NULL", ()),
)


@given(sql=st.sampled_from(STATEMENTS), rows=st.integers(1, 25))
def test_pages_have_all_rows_once_in_the_order_of_the_key(
    engine: SqlEngine, sql: tuple[str, Row], rows: int
) -> None:
    text, parameters = sql
    pages = engine.paged(text, Session(), cancellation=Cancellation())
    found: list[Row] = []
    page = read(engine, pages.text(rows, None), parameters)
    while page:
        assert len(page) <= rows
        found += page
        last = [page[-1][at] for at in pages.key]
        after = pages.text(rows, [value is None for value in last])
        page = read(engine, after, (*parameters, *(v for v in last if v is not None)))
    everything = read(engine, text, parameters)
    assert len(found) == len(everything)
    assert set(found) == set(everything)
    keys = [[(value is not None, value or 0) for value in _key(row, pages.key)] for row in found]
    assert keys == sorted(keys)


def _key(row: Row, places: tuple[int, ...]) -> list[object]:
    """Return the key as numbers, so that all values compare."""
    return [int(v[1:]) if isinstance(v := row[at], str) else v for at in places]


def test_a_page_is_a_short_range_of_the_store(engine: SqlEngine) -> None:
    pages = engine.paged("SELECT * FROM pairs WHERE v > 1", Session(), cancellation=Cancellation())
    lines = [
        row[0]
        for row in read(
            engine,
            "EXPLAIN " + pages.text(5, [False, False]).replace("$1", "1").replace("$2", "'k1'"),
            (),
        )
    ]
    assert lines[0].startswith("stream; limit 5")
    assert "range pairs" in lines[1]
    assert "first 5 by a, b asc" in lines[1]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM pairs ORDER BY a",
        "SELECT * FROM pairs LIMIT 1",
        "SELECT DISTINCT a, b FROM pairs",
        "SELECT a, v FROM pairs",
        "SELECT a, b, row_number() OVER () FROM pairs",
        "SELECT p.a, p.b FROM pairs p JOIN pairs q ON p.v = q.v",
        "SELECT a, b FROM pairs UNION SELECT a, b FROM pairs",
        "WITH x AS (SELECT 1) SELECT a, b FROM pairs",
        "SELECT a, b FROM (SELECT a, b FROM pairs) AS q",
        "SELECT a, b FROM pairs GROUP BY a, b",
        "SELECT count(*) FROM pairs",
        "SELECT a, b, unnest(ARRAY[1, 2]) FROM pairs",
        "SELECT x, y FROM pairs AS p(x, y)",
        "SELECT a, b FROM pairs TABLESAMPLE SYSTEM (10)",
        "SELECT 1",
        "SHOW STORES",
        "SELECT oid FROM pg_class",
        "SELECT * FROM stategate.stores",
        "EXPLAIN SELECT a, b FROM pairs",
    ],
)
def test_other_statements_have_no_pages(engine: SqlEngine, sql: str) -> None:
    with pytest.raises(NotSupportedError, match="has no pages"):
        engine.paged(sql, Session(), cancellation=Cancellation())


def test_a_text_is_planned_once_until_a_definition_changes() -> None:
    catalog = FixedCatalog(open_store(PAIRS))
    engine = SqlEngine(catalog)
    try:
        pages = [
            engine.paged("SELECT * FROM pairs", Session(), cancellation=Cancellation())
            for _ in range(2)
        ]
        assert pages[0] is pages[1]
        assert [str(each) for each in pages[0].types] == ["bigint", "text"]
        catalog.replace(open_store(keyvalue("pairs", {"k": "date"}, {"v": "bigint"})))
        changed = engine.paged("SELECT * FROM pairs", Session(), cancellation=Cancellation())
        assert [str(each) for each in changed.types] == ["date"]
    finally:
        engine.close()

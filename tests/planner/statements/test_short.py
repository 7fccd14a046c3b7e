"""Which statements have the threads for short ones: none that can take long."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stategate.planner.sql import SqlEngine
from stategate.planner.values.session import Session
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

CLICKS = keyvalue("clicks", {"usr": "text"}, {"n": "bigint"}, partitions=2)


@pytest.fixture(scope="module")
def engine() -> Iterator[SqlEngine]:
    store = open_store(CLICKS)
    fill(store, [("ann", 1)])
    made = SqlEngine(FixedCatalog(store))
    yield made
    made.close()


@pytest.mark.parametrize(
    ("sql", "is_short"),
    [
        ("SELECT 1", True),
        ("SELECT upper('a') WHERE false", True),
        ("SELECT * FROM clicks WHERE usr = 'ann'", True),
        ("SELECT oid FROM pg_class", True),
        ("SHOW STORES", True),
        ("SHOW TimeZone", True),
        ("SET DateStyle = 'ISO'", True),
        ("EXPLAIN SELECT * FROM clicks", True),
        ("EXPLAIN ANALYZE SELECT * FROM clicks", False),
        ("SELECT * FROM clicks", False),
        ("SELECT count(*) FROM generate_series(1, 1000000000)", False),
        ("SELECT count(*) FROM (VALUES (1), (2)) v(a), (VALUES (1), (2)) w(b)", False),
        ("WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT n FROM t", False),
        ("SELECT count(*) FROM clicks a, clicks b", False),
    ],
)
def test_short_statements_make_few_rows(engine: SqlEngine, sql: str, is_short: bool) -> None:
    assert engine.is_short(engine.prepare(sql, Session())) == is_short

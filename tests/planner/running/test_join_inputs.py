"""Joins by lookup: the rows that are read from each store."""

from __future__ import annotations

import pytest

from stategate.planner.sql import SqlEngine
from stategate.stores.spec.schema import Row
from tests.planner.sides import ordered, rows_of, run
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

BIG = keyvalue("big", {"id": "bigint"}, {"v": "bigint"}, partitions=2)
PARTS = keyvalue("parts", {"id": "bigint", "at": "bigint"}, {"v": "bigint"}, partitions=2)
FEW = keyvalue("few", {"n": "bigint"}, {"id": "integer", "at": "bigint"}, partitions=2)
ROWS = 2_000


@pytest.fixture(scope="module")
def engine() -> SqlEngine:
    stores = [open_store(schema) for schema in (BIG, PARTS, FEW)]
    fill(stores[0], [(i, i * i) for i in range(ROWS)])
    fill(stores[1], [(i // 4, i % 4, i) for i in range(ROWS)])
    fill(stores[2], [(n, n * 7, n % 4) for n in range(10)] + [(10, None, None)])
    return SqlEngine(FixedCatalog(*stores))


def rows_read(engine: SqlEngine, sql: str, store: str) -> tuple[list[Row], int]:
    """Return the rows of a statement, and how many rows of a store were read for them."""
    result = run(engine, sql)
    rows = rows_of(result)
    return ordered(rows), sum(a.rows for a in result.partitions if a.store == store)


SEVENS = [(n, (n * 7) ** 2) for n in range(10)]


@pytest.mark.parametrize(
    ("sql", "rows", "read_max"),
    [
        ("SELECT f.n, b.v FROM few f JOIN big b ON b.id = f.id", SEVENS, 10),
        ("SELECT f.n, b.v FROM big b, few f WHERE b.id = f.id", SEVENS, 10),
        ("SELECT f.n, b.v FROM big b RIGHT JOIN few f USING (id)", [*SEVENS, (10, None)], 10),
        (
            "SELECT n, (SELECT v FROM big WHERE big.id = f.id) FROM few f WHERE n = 3",
            SEVENS[3:4],
            1,
        ),
        ("SELECT v FROM big WHERE id IN (SELECT id FROM few WHERE n < 2)", [(0,), (49,)], 2),
        (
            "SELECT v FROM big b WHERE EXISTS (SELECT 1 FROM few f WHERE f.id = b.id AND f.n = 1)",
            [(49,)],
            1,
        ),
        (
            "SELECT n FROM few f WHERE n < 2 AND NOT EXISTS (SELECT 1 FROM big WHERE id = f.id)",
            [],
            2,
        ),
    ],
)
def test_few_rows_are_looked_up_in_the_other_store(
    engine: SqlEngine, sql: str, rows: list[Row], read_max: int
) -> None:
    found, read = rows_read(engine, sql, "big")
    assert found == ordered(rows)
    assert read <= read_max


def test_keys_of_two_columns(engine: SqlEngine) -> None:
    sql = "SELECT f.n, p.v FROM few f JOIN parts p ON p.id = f.id AND p.at = f.at WHERE f.n < 3"
    assert rows_read(engine, sql, "parts") == (ordered([(0, 0), (1, 29), (2, 58)]), 3)


def test_the_first_column_of_a_key_finds_ranges(engine: SqlEngine) -> None:
    sql = "SELECT f.n, count(*) FROM few f JOIN parts p ON p.id = f.id WHERE f.n < 3 GROUP BY f.n"
    assert rows_read(engine, sql, "parts") == (ordered([(0, 4), (1, 4), (2, 4)]), 12)


def test_the_preserved_side_of_an_outer_join_is_read_whole(engine: SqlEngine) -> None:
    sql = "SELECT count(*), count(f.n) FROM big b LEFT JOIN few f ON b.id = f.id"
    assert rows_read(engine, sql, "big") == ([(ROWS, 10)], ROWS)
    missing = "SELECT count(*) FROM big b LEFT JOIN few f ON b.id = f.id WHERE f.n IS NULL"
    assert rows_read(engine, missing, "big")[0] == [(ROWS - 10,)]
    negated = "SELECT count(*) FROM big WHERE id NOT IN (SELECT id FROM few WHERE id IS NOT NULL)"
    assert rows_read(engine, negated, "big") == ([(ROWS - 10,)], ROWS)


def test_many_keys_are_read_by_a_scan(engine: SqlEngine) -> None:
    sql = "SELECT count(*) FROM parts p JOIN big b ON b.id = p.v"
    found, read = rows_read(engine, sql, "big")
    assert (found, read) == ([(ROWS,)], ROWS)

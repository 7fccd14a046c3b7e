"""Few keys that are looked up one by one, in the caller's thread."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from planner.sql import SqlEngine
from planner.values.session import Session
from planner.values.statement import LookedUp
from stores.codec.partitioner import partitioner
from stores.spec.schema import Row, StoreSchema
from tests.planner.sides import build
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

AGES = keyvalue("ages", {"name": "text"}, {"age": "integer", "city": "text"}, partitions=3)
ROWS: list[Row] = [("ann", 30, "Oslo"), ("bob", None, "Rome"), ("cid", 20, None), (None, 5, "Bern")]


def look_up(sql: str, parameters: Row = (), session: Session | None = None) -> LookedUp:
    return look_up_in(AGES, ROWS, sql, parameters, session)


def look_up_in(
    schema: StoreSchema, rows: Sequence[Row], sql: str, parameters: Row, session: Session | None
) -> LookedUp:
    store = open_store(schema)
    fill(store, rows)
    session = session or Session()
    statement = SqlEngine(FixedCatalog(store)).prepare(sql, session)
    assert statement.look_up is not None
    found = statement.look_up(statement.literals or parameters, session)
    assert found is not None
    return found


def test_each_partition_is_told_once_with_the_rows_it_had() -> None:
    session = Session()
    found = look_up("SELECT age FROM ages WHERE name IN ('ann', 'bob', 'no', 'cid')", (), session)
    route = partitioner(AGES.key, AGES.partitions)
    names = ["ann", "bob", "no", "cid"]
    assert sorted(found.rows, key=str) == [(20,), (30,), (None,)]
    assert sorted((partition, rows) for _, partition, _, rows in found.reads) == [
        (partition, sum(route((name,)) == partition for name in names if name != "no"))
        for partition in sorted({route((name,)) for name in names})
    ]
    assert session.seen == found.position


@pytest.mark.parametrize(
    ("where", "parameters"),
    [
        ("name IN ($1, $2)", ("ann", None)),
        ("name IN ($1, $2)", ("ann", "ann")),
        ("name = $1 OR name IS NULL", ("ann",)),
        ("name IN ('ann', 'cid', $1) AND age > $2", ("bob", 20)),
        ("name IN ('ann', 'bob') AND city IN ('Rome', $1)", ("Bern",)),
        ("name = ANY($1)", (["ann", None, "cid", "ann"],)),
        ("name IN ('ann', 'bob', 'cid') AND _partition = $1", (1,)),
    ],
)
@pytest.mark.parametrize(
    "select",
    [
        "SELECT * FROM ages WHERE {}",
        "SELECT city, name FROM ages WHERE {} ORDER BY name DESC LIMIT 2",
        "SELECT count(*), max(age) FROM ages WHERE {}",
        "SELECT DISTINCT city FROM ages WHERE {}",
    ],
)
def test_keys_are_looked_up_as_duckdb_finds_them(select: str, where: str, parameters: Row) -> None:
    sides = build([AGES], {"ages": ROWS})
    # It checks the lookup, the row path and DuckDB against each other.
    sides.ours(select.format(where), parameters)


@pytest.mark.parametrize("key", ["double", "real"])
@pytest.mark.parametrize("where", ["x = $1", "x IN ($1, '2')"])
def test_a_key_is_shown_as_it_is_stored(key: str, where: str) -> None:
    schema = keyvalue("points", {"x": key}, {"y": "integer"})
    sql = f"SELECT x, y FROM points WHERE {where}"
    found = look_up_in(schema, [(0.0, 1)], sql, (-0.0,), None)
    ((x, y),) = found.rows
    assert isinstance(x, float)
    assert (math.copysign(1, x), y) == (1, 1)

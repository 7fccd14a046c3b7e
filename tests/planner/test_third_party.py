"""SQL over a store whose kind a third party has registered: it is read as a keyvalue store is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from stategate.planner.sql import SqlEngine
from stategate.stores.engines.memory.partition import MemoryPartition
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.replica import Replica
from stategate.stores.spec.registry import Opening, register_kind
from stategate.stores.spec.schema import Row
from stategate.stores.spec.store import StorePartition
from tests.planner.sides import rows_of, run
from tests.support.stores import FixedCatalog, fill, keyvalue

PLAIN = keyvalue("mine", {"a": "text", "b": "integer"}, {"v": "bigint"}, partitions=2)


def open_mine(opening: Opening) -> StorePartition:
    return MemoryPartition(PLAIN, opening.partition)


MINE = replace(PLAIN, kind=register_kind("test_third_party_mine", open_mine))


@pytest.fixture
def engine() -> Iterator[SqlEngine]:
    replicas = {
        number: Replica(MemoryPartition(PLAIN, number), schema=MINE, partition=number)
        for number in range(MINE.partitions)
    }
    store = LocalStore(MINE, replicas)
    fill(store, [(a, b, 10 * b) for a in "xyz" for b in range(3)])
    yield SqlEngine(FixedCatalog(store))
    store.close()


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ("a = 'x' AND b = 1", [("x", 1, 10)]),
        ("a = 'x' AND b IN (0, 2, 9)", [("x", 0, 0), ("x", 2, 20)]),
        ("a = 'y' AND b > 0", [("y", 1, 10), ("y", 2, 20)]),
        ("a LIKE 'z%' AND v < 20", [("z", 0, 0), ("z", 1, 10)]),
        ("v = 20", [("x", 2, 20), ("y", 2, 20), ("z", 2, 20)]),
        ("a = 'nobody' AND b = 1", []),
    ],
)
def test_it_is_read_by_key(engine: SqlEngine, where: str, found: list[Row]) -> None:
    assert rows_of(run(engine, f"SELECT * FROM mine WHERE {where} ORDER BY a, b")) == found


def test_its_least_and_greatest_key_and_its_joins(engine: SqlEngine) -> None:
    assert rows_of(run(engine, "SELECT min(a), max(a), count(*) FROM mine")) == [("x", "z", 9)]
    descending = "SELECT a, b FROM mine ORDER BY a DESC, b DESC LIMIT 2"
    assert rows_of(run(engine, descending)) == [("z", 2), ("z", 1)]
    joined = "SELECT m.v FROM mine m JOIN (VALUES ('y', 2)) k(a, b) ON m.a = k.a AND m.b = k.b"
    assert rows_of(run(engine, joined)) == [(20,)]

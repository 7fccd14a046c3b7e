"""Execution info says what a query has read, also a registered one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from stategate.stores.engines.rocksdb.column_budget import ColumnBudget
from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.engines.rocksdb.row_budget import RowBudget
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.spec.query import BatchStream, KeyQuery, Query, RangeQuery
from stategate.stores.spec.registry import register_query
from stategate.stores.spec.scans import CountQuery
from stategate.stores.spec.schema import StoreKind
from stategate.stores.spec.store import QueryConfig, StorePartition, View
from tests.support.stores import fill, keyvalue, open_store

pytestmark = pytest.mark.usefixtures("own_registry")

COUNTS = keyvalue("counts", {"k": "text"}, {"n": "bigint"}, partitions=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mine(Query[Any]):
    """A query that asks for what a test says."""

    ask: ClassVar[Callable[[StorePartition, View], Any]]


def answer(engine: StorePartition, view: View, query: Mine) -> Any:
    return type(query).ask(engine, view)


@pytest.fixture
def store(own_registry: None, tmp_path: Path) -> Iterator[LocalStore]:
    register_query(StoreKind.KEYVALUE, Mine, answer)
    made = open_store(
        COUNTS, directory=tmp_path, rows=RowBudget(1 << 20), columns=ColumnBudget(1 << 20)
    )
    fill(made, [("a", 1), ("b", 2)])
    for _ in range(3):
        assert made.query_partition(0, KeyQuery.with_key("a"), QueryConfig())
    yield made
    made.close()


def source(store: LocalStore, query: Query[Any], *, at_epoch: int | None = None) -> str:
    found = store.query_partition(0, query, QueryConfig(info=True, at_epoch=at_epoch))
    return found.info[0].partition(" ns")[2]


def of_mine(store: LocalStore, ask: Callable[[StorePartition, View], Any]) -> str:
    Mine.ask = staticmethod(ask)
    return source(store, Mine())


def row(key: str) -> Callable[[StorePartition, View], Any]:
    return lambda engine, view: engine.handlers[KeyQuery](view, KeyQuery.with_key(key))


def stream(engine: StorePartition, view: View) -> BatchStream:
    found: BatchStream = engine.handlers[RangeQuery](view, RangeQuery())
    return found


def test_a_registered_query_says_what_it_has_read(store: LocalStore) -> None:
    assert of_mine(store, row("a")) == ", from the row cache"
    assert of_mine(store, row("b")) == ", from the database"
    assert of_mine(store, stream) == ", from the database"

    def both(engine: StorePartition, view: View) -> int:
        row("a")(engine, view)
        return len(list(stream(engine, view)))

    assert of_mine(store, both) == ", from the row cache and the database"
    engine = store.replicas[0].engine
    assert isinstance(engine, RocksPartition)
    engine.maintain(lambda: False)
    assert of_mine(store, stream) == ", from the column cache"
    assert of_mine(store, both) == ", from the row cache and the column cache"


def test_what_is_not_known_is_not_said(store: LocalStore) -> None:
    def counted(engine: StorePartition, view: View) -> Any:
        row("a")(engine, view)
        return engine.handlers[CountQuery](view, CountQuery())

    assert of_mine(store, counted) == ""
    assert of_mine(store, lambda engine, view: 7) == ""
    assert of_mine(store, lambda engine, view: BatchStream(lambda: iter(()))) == ""
    assert source(store, CountQuery()) == ""

    def failing(engine: StorePartition, view: View) -> Any:
        row("a")(engine, view)
        raise ValueError("mine")

    assert of_mine(store, failing) == ""


def test_a_row_that_only_the_newest_epoch_has_in_memory(store: LocalStore) -> None:
    fill(store, [("b", 3)], epoch=1)
    assert source(store, KeyQuery.with_key("a")) == ", from the row cache"
    assert source(store, KeyQuery.with_key("a"), at_epoch=0) == ", from the database"


def test_a_handler_gets_what_looks_like_its_engine(store: LocalStore) -> None:
    def look(engine: StorePartition, view: View) -> object:
        assert isinstance(engine, RocksPartition)
        assert len(engine.handlers) == len(list(engine.handlers))
        return engine.schema

    Mine.ask = staticmethod(look)
    told = store.query_partition(0, Mine(), QueryConfig(info=True))
    assert told.info, told
    plain = store.query_partition(0, Mine(), QueryConfig())
    assert getattr(told, "value", 0) == getattr(plain, "value", 1)

"""Live queries that read only the rows of changed keys."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest

from stategate.planner.live.kept_results import KeptResult, KeyedResult, WholeResult
from stategate.planner.live.narrowed import narrowed
from stategate.planner.planning.plan import Lookup, QueryPlan, accesses_of
from stategate.planner.sql import SqlEngine
from stategate.planner.values.session import Session
from stategate.stores.spec.schema import Row
from tests.planner.accounts import ACCOUNTS, made
from tests.planner.live.watching import Watcher, apply_to
from tests.support.stores import FixedCatalog, batch, keyvalue, open_store, progress, window

ALL = "SELECT * FROM accounts"
HOUR_US = 3_600_000_000


@pytest.fixture
def engine() -> Iterator[SqlEngine]:
    found = SqlEngine(FixedCatalog(made(ACCOUNTS)))
    yield found
    found.close()


def kept_of(engine: SqlEngine) -> KeptResult:
    (query,) = engine._live._live.values()
    return query.kept


@pytest.mark.parametrize("sql", [ALL, f"{ALL} WHERE amount > 5 ORDER BY id", f"{ALL} WHERE id < 9"])
def test_rows_of_changed_keys_are_looked_up(engine: SqlEngine, sql: str) -> None:
    statement = engine.prepare(sql, Session())
    assert isinstance(statement.plan, QueryPlan)
    found = narrowed(statement, statement.plan)
    assert found is not None
    reads = list(found.reads([(1,), (None,), (2,)], ()))
    assert len(reads) == 2
    assert reads[0][1] == ((1, 2),)
    for plan, _ in reads:
        assert not isinstance(plan.node, Lookup)
        assert [access.describe().split()[0] for access in accesses_of(plan.node)] == ["lookup"]


def test_a_key_is_read_once_however_its_floats_are_written() -> None:
    schema = keyvalue("points", {"x": "double", "n": "bigint"}, {"v": "text"})
    store = open_store(schema)
    apply_to(store, [(math.nan, 1, "a"), (0.0, 2, "b"), (None, 3, "c")], 0)
    engine = SqlEngine(FixedCatalog(store))
    statement = engine.prepare("SELECT * FROM points WHERE x IN ('NaN', 0)", Session())
    assert isinstance(statement.plan, QueryPlan)
    found = narrowed(statement, statement.plan)
    assert found is not None
    keys = [(math.nan, 1), (float("nan"), 1), (-0.0, 2), (0.0, 2), (None, 3), (1.0, 4)]
    ((_, given), (_, of_null)) = found.reads(keys, ())
    assert given == (((math.nan, 1), (0.0, 2), (1.0, 4)),)
    assert of_null == ((3,),)
    engine.close()


def test_many_keys_of_several_columns_cost_one_lookup_each() -> None:
    """Not one for each pair of a value of one column and a value of another."""
    schema = keyvalue("visits", {"usr": "text", "day": "bigint"}, {"n": "bigint"}, partitions=2)
    store = open_store(schema)
    rows: list[Row] = [(f"u{n}", n, 0) for n in range(300)]
    apply_to(store, rows, 0)
    engine = SqlEngine(FixedCatalog(store))
    watcher = Watcher(engine, "SELECT * FROM visits WHERE day >= 100")
    assert isinstance(kept_of(engine), KeyedResult)
    before = rows_read(engine)
    apply_to(store, [(usr, day, 1) for usr, day, _ in rows[50:150]], 1)
    assert len(watcher.next().changes) == 50
    assert rows_read(engine) - before == 2 * 50
    watcher.close()
    engine.close()


@pytest.mark.parametrize("key", [{"usr": "text"}, {"usr": "text", "page": "text"}])
def test_only_changed_windows_of_a_key_are_read(key: dict[str, str]) -> None:
    store = open_store(window("visits", key, {"n": "bigint"}))
    rows: list[Row] = [
        (*[f"u{usr}"] * len(key), hour * HOUR_US, (hour + 1) * HOUR_US, 0)
        for usr in range(3)
        for hour in range(100)
    ]
    apply_to(store, rows, 0)
    engine = SqlEngine(FixedCatalog(store))
    watcher = Watcher(engine, "SELECT * FROM visits WHERE n >= 0")
    assert isinstance(kept_of(engine), KeyedResult)
    before = rows_read(engine)
    changed = [(*row[:-1], 1) for row in rows if row[-2] == 100 * HOUR_US]
    apply_to(store, changed, 1)
    assert {change.new for change in watcher.next().changes} == set(changed)
    assert rows_read(engine) - before == 2 * len(changed)
    watcher.close()
    engine.close()


def test_windows_that_expire_are_deleted() -> None:
    """No key tells of them, so the whole result is compared."""
    store = open_store(window("visits", {"usr": "text"}, {"n": "bigint"}, retention_ms=3_600_000))
    rows: list[Row] = [("ann", hour * HOUR_US, (hour + 1) * HOUR_US, 0) for hour in range(3)]
    apply_to(store, rows, 0)
    engine = SqlEngine(FixedCatalog(store))
    watcher = Watcher(engine, "SELECT * FROM visits")
    assert isinstance(kept_of(engine), WholeResult)
    for replica in store.replicas.values():
        replica.apply(progress(1, watermark_ms=2 * 3_600_000), [batch(store.schema, [])])
    assert {change.old for change in watcher.next().changes} == set(rows[:2])
    watcher.close()
    engine.close()


def rows_read(engine: SqlEngine) -> int:
    return sum(each.read for each in engine.counts.paths.values())

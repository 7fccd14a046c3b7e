from __future__ import annotations

import threading
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stores.query import KeyQuery
from stores.rocksdb import RocksPartition
from stores.rowcache import ROW_BYTES_MAX, RowBudget, RowCache
from stores.schema import Row
from tests.support.stores import batch, keyvalue, progress

LARGE = RowBudget(1 << 20)
KEYS = st.sampled_from([b"a", b"b", b"c", b"d", b"e", b"f", b"g", b"h"])


def test_a_row_is_found_under_its_view_and_key() -> None:
    cache = RowCache(LARGE, columns=1)
    cache.put(b"1a", (5,), 30)
    cache.put(b"1b", None, 0)
    assert cache.get(b"1a") is not None
    assert cache.get(b"1a")[0] == (5,)  # type: ignore[index]
    assert cache.get(b"1b")[0] is None  # type: ignore[index] # known not to be there
    assert cache.get(b"2a") is None
    assert cache.get(b"1c") is None


@given(st.integers(600, 6000), st.lists(st.tuples(KEYS, st.booleans()), max_size=60))
def test_it_holds_what_was_read_last_within_its_share(
    capacity_bytes: int, steps: list[tuple[bytes, bool]]
) -> None:
    budget = RowBudget(capacity_bytes)
    cache = RowCache(budget, columns=1)
    model: list[bytes] = []
    size = 150 + 50 + 2 * 10 + 1
    for at, reads in steps:
        found = cache.get(at)
        assert (found is not None) == (at in model)
        if found is not None or not reads:
            model = [each for each in model if each != at] + ([at] if found is not None else [])
        if found is None and reads:
            cache.put(at, (at,), 10)
            model.append(at)
        model = model[-(capacity_bytes // size) :] if capacity_bytes >= size else []
        assert len(cache) == len(model)


def test_partitions_share_alike_and_give_back() -> None:
    budget = RowBudget(10_000)
    first, second = RowCache(budget, columns=1), RowCache(budget, columns=1)
    assert budget.share_bytes == 5_000
    for number in range(100):
        first.put(b"%d" % number, (number,), 10)
    assert 0 < len(first) < 30
    second.close()
    second.close()
    assert budget.share_bytes == 10_000
    second.put(b"key", (1,), 10)
    assert len(second) == 0


def test_a_large_row_is_not_kept() -> None:
    cache = RowCache(LARGE, columns=1)
    cache.put(b"1a", ("x",), ROW_BYTES_MAX + 1)
    assert cache.get(b"1a") is None


def test_threads_do_not_lose_count() -> None:
    budget = RowBudget(20_000)
    cache = RowCache(budget, columns=1)

    def run(first: int) -> None:
        for number in range(3000):
            at = b"%d" % ((first + number * 7) % 90)
            if cache.get(at) is None:
                cache.put(at, (number,), 10)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert cache._used_bytes == sum(size for _, size in cache._rows.values())
    assert cache._used_bytes <= 20_000


# --- in a partition ------------------------------------------------------------------------------


def looked_up(engine: RocksPartition, key: str, *, skip_cache: bool = False) -> Row | None:
    query = KeyQuery(key=(key,), skip_cache=skip_cache)
    row: Row | None = engine.handlers[KeyQuery](engine.view, query)
    return row


def test_a_row_is_never_of_another_epoch(tmp_path: Path) -> None:
    schema = keyvalue("counts", {"k": "text"}, {"n": "bigint"}, partitions=1)
    engine = RocksPartition(tmp_path / "0", schema=schema, partition=0, rows=LARGE)
    before = engine.view
    assert looked_up(engine, "a") is None
    for epoch in range(3):
        engine.apply(progress(epoch), [batch(schema, [("a", epoch)])])
        for skip_cache in (False, False, True):
            assert looked_up(engine, "a", skip_cache=skip_cache) == (epoch,)
    old = engine.view
    engine.reset()
    # The same epoch anew, of another log, holds other rows.
    engine.apply(progress(0), [batch(schema, [("a", 70)])])
    assert looked_up(engine, "a") == (70,)
    assert engine.handlers[KeyQuery](old, KeyQuery(key=("a",))) == (2,)
    assert engine.handlers[KeyQuery](before, KeyQuery(key=("a",))) is None
    del old, before
    engine.close()


def test_the_second_read_comes_from_memory(tmp_path: Path) -> None:
    schema = keyvalue("counts", {"k": "text"}, {"n": "bigint"}, partitions=1)
    engine = RocksPartition(tmp_path / "0", schema=schema, partition=0, rows=LARGE)
    engine.apply(progress(0), [batch(schema, [("a", 1)])])
    first = looked_up(engine, "a")
    assert looked_up(engine, "a") is first
    assert looked_up(engine, "a", skip_cache=True) is not first
    engine.close()


@pytest.mark.parametrize("budget", [None, RowBudget(0)])
def test_nothing_is_kept_without_a_budget(tmp_path: Path, budget: RowBudget | None) -> None:
    schema = keyvalue("counts", {"k": "text"}, {"n": "bigint"}, partitions=1)
    engine = RocksPartition(tmp_path / "0", schema=schema, partition=0, rows=budget)
    engine.apply(progress(0), [batch(schema, [("a", 1)])])
    assert looked_up(engine, "a") is not looked_up(engine, "a")
    engine.close()


def test_rows_whose_values_can_be_changed_are_not_kept(tmp_path: Path) -> None:
    schema = keyvalue("tagged", {"k": "text"}, {"tags": "text[]"}, partitions=1)
    engine = RocksPartition(tmp_path / "0", schema=schema, partition=0, rows=LARGE)
    engine.apply(progress(0), [batch(schema, [("a", ["x"])])])
    row = looked_up(engine, "a")
    assert row is not None
    row[0].append("y")
    assert looked_up(engine, "a") == (["x"],)
    engine.close()


def test_what_is_charged_is_what_it_takes() -> None:
    count = 3000
    tracemalloc.start()
    try:
        cache = RowCache(RowBudget(1 << 30), columns=3)
        for number in range(count):
            at = b"%08d" % number
            cache.put(at, (number << 40, number / 3, f"name of number {number}"), 60)
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(cache) == count
    assert 0.7 < cache._used_bytes / taken < 1.5

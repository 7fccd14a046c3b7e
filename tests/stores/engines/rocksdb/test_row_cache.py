from __future__ import annotations

import threading
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.engines.rocksdb.row_budget import RowBudget
from stategate.stores.engines.rocksdb.row_cache import (
    CHANGED_MAX,
    ROW_BYTES_MAX,
    ChangedKeys,
    RowCache,
    SeenKeys,
)
from stategate.stores.spec.query import FewKeysQuery, KeyQuery, Query, RangeQuery
from stategate.stores.spec.schema import Row
from stategate.stores.spec.store import QueryConfig, View
from tests.support.stores import batch, fill, keyvalue, open_store, progress

LARGE = RowBudget(1 << 20)
ALL = ChangedKeys(wanted=False)
KEYS = [b"a", b"b", b"c", b"d", b"e", b"f", b"g", b"h"]
SIZE = 150 + 50 + 2 * 10 + 1
"""The memory of a row of one value, stored in 10 bytes under a key of one byte."""


def cache_of(budget: RowBudget = LARGE, view: object = "view") -> RowCache:
    cache = RowCache(budget, columns=1)
    cache.advance(view, ALL)
    return cache


def changed(*keys: bytes) -> ChangedKeys:
    found = ChangedKeys(wanted=True)
    found.add(list(keys))
    return found


def test_a_row_is_found_under_its_view_and_key() -> None:
    cache = cache_of()
    cache.put("view", b"a", (5,), 30)
    cache.put("view", b"b", None, 0)
    found, missing = cache.get("view", b"a"), cache.get("view", b"b")
    assert found is not None
    assert found.row == (5,)
    assert missing is not None  # the cache knows that the key is missing
    assert missing.row is None
    assert cache.get("other", b"a") is None
    assert cache.get("view", b"c") is None


def test_an_epoch_removes_the_rows_that_it_changes() -> None:
    cache = cache_of()
    for key in KEYS:
        cache.put("view", key, (key,), 10)
    cache.advance("next", changed(b"a", b"nothing", b"c"))
    assert len(cache) == len(KEYS) - 2
    assert cache.get("next", b"a") is None
    assert cache.get("next", b"b") is not None
    assert cache.get("view", b"b") is None
    cache.put("view", b"a", (b"stale",), 10)
    assert cache.get("next", b"a") is None
    cache.advance("last", ALL)
    assert len(cache) == 0


def test_many_changes_are_not_collected() -> None:
    found = ChangedKeys(wanted=True)
    collected = []
    for keys in ([b"key"] * CHANGED_MAX, [b"one too many"], [b"more"]):
        found.add(keys)
        collected.append(found.keys is not None)
    assert collected == [True, False, False]


@given(
    st.integers(SIZE - 1, 8 * SIZE),
    st.lists(st.tuples(st.sampled_from(KEYS), st.booleans()), max_size=60),
)
def test_the_newest_rows_and_those_read_stay_within_the_share(
    capacity_bytes: int, steps: list[tuple[bytes, bool]]
) -> None:
    """Adding a row examines more than eight others, so the share is met exactly."""
    cache = cache_of(RowBudget(capacity_bytes))
    most = capacity_bytes // SIZE
    model: dict[bytes, bool] = {}
    for key, is_change in steps:
        if is_change:
            cache.advance("view", changed(key))
            model.pop(key, None)
            continue
        assert (cache.get("view", key) is not None) == (key in model)
        if key in model:
            model[key] = True
        else:
            cache.put("view", key, (key,), 10)
            model[key] = False
            while len(model) > most:
                oldest = next(iter(model))
                if model.pop(oldest):
                    model[oldest] = False
        assert list(cache._rows) == list(model)
        assert cache._account.used_bytes == len(model) * SIZE


def test_there_is_room_for_one_more_row_even_if_all_are_read() -> None:
    cache = cache_of(RowBudget(50 * SIZE))
    for number in range(500):
        cache.put("view", b"%03d" % number, (number,), 7)
        for key in list(cache._rows):
            assert cache.get("view", key) is not None
        assert cache._account.used_bytes <= 50 * SIZE
    assert len(cache) == 50
    assert cache.get("view", b"499") is not None


def test_a_cache_takes_what_the_others_leave_and_gives_it_back() -> None:
    budget = RowBudget(100 * SIZE)
    first, second = cache_of(budget), cache_of(budget)

    def look_up(cache: RowCache, count: int) -> int:
        for number in range(count):
            cache.put("view", b"%d" % number, (number,), 10)
        return len(cache)

    assert look_up(first, 1000) >= 90
    assert look_up(second, 1000) >= 45
    assert len(first) < 60, "the other one has its fair share"
    assert look_up(first, 1000) >= 45
    second.close()
    second.close()
    assert look_up(first, 1000) >= 90
    second.advance("view", ALL)
    assert look_up(second, 1) == 0
    first.advance("view", ALL)
    assert budget.used_bytes == 0


def test_a_cache_shrinks_to_a_smaller_limit_bit_by_bit() -> None:
    budget = RowBudget(100 * SIZE)
    cache = cache_of(budget)
    for number in range(100):
        cache.put("view", b"%d" % (number % 10), (number,), 10)
        cache.put("view", b"k%d" % number, (number,), 10)
    before = len(cache)
    for other in [cache_of(budget) for _ in range(9)]:
        budget.tell(other, 0, 10 * SIZE)
    cache.put("view", b"a", (1,), 10)
    assert before - 16 < len(cache) < before
    for key in KEYS:
        cache.put("view", key, (1,), 10)
    assert cache._account.used_bytes <= budget.share_bytes == 10 * SIZE


@given(
    st.integers(1, 60),
    st.lists(st.tuples(st.integers(0, 3), st.integers(1, 30), st.booleans()), max_size=30),
)
def test_all_caches_together_stay_within_the_budget(
    rows: int, steps: list[tuple[int, int, bool]]
) -> None:
    budget = RowBudget(rows * SIZE)
    caches = [cache_of(budget) for _ in range(4)]
    for number, count, is_cleared in steps:
        if is_cleared:
            caches[number].advance("view", ALL)
        for key in range(count):
            caches[number].put("view", b"%d" % key, (key,), 10)
            used_bytes = sum(cache._account.used_bytes for cache in caches)
            # Each has told all but a sixteenth of the share that it had then, a half or a third of
            # which others have: 1/16 + 1/32 + 1/48 + 1/64. The largest may have been another one.
            untold_bytes = budget.capacity_bytes / 7
            assert abs(budget.used_bytes - used_bytes) <= untold_bytes
            assert used_bytes <= budget.capacity_bytes + untold_bytes + 16 * SIZE
    for cache in caches:
        cache.close()
    assert (budget.used_bytes, budget.share_bytes) == (0, budget.capacity_bytes)


def test_a_large_row_is_not_kept() -> None:
    cache = cache_of()
    cache.put("view", b"a", ("x",), ROW_BYTES_MAX + 1)
    assert cache.get("view", b"a") is None


def test_a_row_is_cached_at_once_while_there_is_room() -> None:
    budget = RowBudget(10 * SIZE)
    cache = cache_of(budget)
    assert cache.admits(b"a")
    budget.tell(cache_of(budget), 0, 9 * SIZE)
    assert not cache.admits(b"a")


def test_a_row_is_cached_on_the_second_read_of_its_key_if_there_is_no_room() -> None:
    budget = RowBudget(10 * SIZE)
    cache = cache_of(budget)
    budget.tell(cache_of(budget), 0, 10 * SIZE)
    # Hashes differ from run to run; two keys of one place would be seen only in turn.
    by_place = {hash(key) % 256: key for key in (b"key %d" % n for n in range(100))}
    a, b, c, *_ = by_place.values()
    assert [cache.admits(key) for key in (a, b, a, b, c)] == [False, False, True, True, False]


def test_many_keys_that_are_read_in_turn_are_seen_again() -> None:
    """There are more of them than places at first; still most get in after a few rounds."""
    seen, keys = SeenKeys(), [b"key %d" % number for number in range(10_000)]
    rounds = [sum(seen.has_seen(key, lambda: 1_000_000) for key in keys) for _ in range(10)]
    assert rounds[0] == 0
    assert rounds[-1] > 7_500


def test_keys_that_are_read_once_take_little_memory() -> None:
    seen = SeenKeys()
    assert seen.size_bytes == 0
    for number in range(100_000):
        assert not seen.has_seen(b"key %d" % number, lambda: 1_000)
    assert seen.size_bytes <= 4 * 8 * 1_000


def test_no_view_gets_a_row_of_another() -> None:
    """Old and new views are read while one view after the other becomes the newest."""
    cache = RowCache(RowBudget(20 * SIZE), columns=1)
    views = [object() for _ in range(400)]
    newest = 0
    cache.advance(views[0], ALL)
    wrong: list[object] = []
    stopping = threading.Event()

    def read(behind: int) -> None:
        number = 0
        while not stopping.is_set():
            at = max(0, newest - behind)
            view = views[at]
            key = b"%d" % (number % 40)
            number += 1
            # Each view has a row of its own under even keys.
            row = (at,) if int(key) % 2 == 0 else (-1,)
            found = cache.get(view, key)
            if found is None:
                cache.put(view, key, row, 10)
            elif found.row != row:
                wrong.append((at, key, found))

    threads = [threading.Thread(target=read, args=(behind,)) for behind in (0, 0, 1)]
    for thread in threads:
        thread.start()
    even = [b"%d" % number for number in range(0, 40, 2)]
    for at in range(1, len(views)):
        cache.advance(views[at], changed(*even))
        newest = at
    stopping.set()
    for thread in threads:
        thread.join()
    assert not wrong
    assert (
        cache._account.used_bytes
        == sum(kept.size_bytes for kept in cache._rows.values())
        <= 20 * SIZE
    )


def test_the_charged_size_is_the_real_one() -> None:
    count = 3000
    tracemalloc.start()
    try:
        cache = RowCache(RowBudget(1 << 30), columns=3)
        cache.advance("view", ALL)
        for number in range(count):
            row = (number << 40, number / 3, f"name of number {number}")
            cache.put("view", b"%08d" % number, row, 60)
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(cache) == count
    assert 0.7 < cache._account.used_bytes / taken < 1.5


# --- in a partition ------------------------------------------------------------------------------

COUNTS = keyvalue("counts", {"k": "text"}, {"n": "bigint"}, partitions=1)


def opened(path: Path, rows: RowBudget | None = LARGE) -> RocksPartition:
    return RocksPartition(path / "0", schema=COUNTS, partition=0, rows=rows)


def looked_up(
    engine: RocksPartition, key: str, *, view: View | None = None, skip_cache: bool = False
) -> Row | None:
    query = KeyQuery(key=(key,), skip_cache=skip_cache)
    row: Row | None = engine.handlers[KeyQuery](view or engine.view, query)
    return row


def few_rows(engine: RocksPartition, view: View) -> list[Row]:
    query = FewKeysQuery.with_keys([(key,) for key in "cab"])
    rows: list[Row] = engine.handlers[FewKeysQuery](view, query)
    # Many keys are read together.
    others = [(f"{number}",) for number in range(40)]
    many = FewKeysQuery.with_keys([*others, ("c",), ("a",), *others, ("b",)])
    assert engine.handlers[FewKeysQuery](view, many) == rows
    return rows


@given(
    st.lists(
        st.one_of(
            st.sampled_from("abc"),
            st.dictionaries(st.sampled_from("abc"), st.none() | st.integers(0, 9), max_size=3),
            st.sampled_from([True, False]),
        ),
        max_size=25,
    )
)
def test_a_cached_row_is_that_of_its_view(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str | dict[str, int | None] | bool]
) -> None:
    """Lookups, epochs with puts and deletes, epochs that replace the store, and resets."""
    engine = opened(tmp_path_factory.mktemp("rows"))
    state: dict[str, int] = {}
    views = [(engine.view, dict(state))]
    replaces = False
    for epoch, step in enumerate(steps):
        if isinstance(step, str):
            for view, held in views[-3:]:
                expected = (held[step],) if step in held else None
                assert looked_up(engine, step, view=view) == expected
                assert few_rows(engine, view) == [(key, held[key]) for key in "cab" if key in held]
                assert looked_up(engine, step, view=view) == expected
                assert looked_up(engine, step, view=view) == expected
            continue
        if isinstance(step, bool):
            replaces = step
            if not step:
                engine.reset()
                state = {}
                views.append((engine.view, {}))
            continue
        if replaces:
            state = {}
        changes = batch(
            COUNTS,
            [(key, value or 0) for key, value in step.items()],
            deleted=[value is None for value in step.values()],
        )
        engine.apply(progress(epoch), [changes], replace=replaces)
        state.update({key: value for key, value in step.items() if value is not None})
        state = {key: value for key, value in state.items() if step.get(key, 0) is not None}
        views.append((engine.view, dict(state)))
        replaces = False
    views.clear()
    engine.close()


def test_the_second_read_comes_from_memory_even_after_an_epoch(tmp_path: Path) -> None:
    engine = opened(tmp_path)
    engine.apply(progress(0), [batch(COUNTS, [("a", 1), ("b", 1)])])
    first = looked_up(engine, "a")
    assert looked_up(engine, "a") is first
    assert few_rows(engine, engine.view) == [("a", 1), ("b", 1)]
    assert looked_up(engine, "a", skip_cache=True) is not first
    engine.apply(progress(1), [batch(COUNTS, [("b", 2)])])
    assert looked_up(engine, "a") is first
    engine.apply(progress(2), [batch(COUNTS, [("a", 1)])])
    assert looked_up(engine, "a") == first
    assert looked_up(engine, "a") is not first
    engine.close()


@pytest.mark.parametrize("budget", [None, RowBudget(0)])
def test_nothing_is_kept_without_a_budget(tmp_path: Path, budget: RowBudget | None) -> None:
    engine = opened(tmp_path, budget)
    engine.apply(progress(0), [batch(COUNTS, [("a", 1)])])
    assert looked_up(engine, "a") is not looked_up(engine, "a")
    engine.close()


def test_memory_is_given_back_when_a_partition_closes(tmp_path: Path) -> None:
    budget = RowBudget(1 << 20)
    engine = opened(tmp_path, budget)
    engine.apply(progress(0), [batch(COUNTS, [("a", 1)])])
    for _ in range(2):
        looked_up(engine, "a")
    assert budget.used_bytes > 0
    engine.close()
    assert budget.used_bytes == 0


def test_rows_with_mutable_values_are_not_kept(tmp_path: Path) -> None:
    schema = keyvalue("tagged", {"k": "text"}, {"tags": "text[]"}, partitions=1)
    engine = RocksPartition(tmp_path / "0", schema=schema, partition=0, rows=LARGE)
    engine.apply(progress(0), [batch(schema, [("a", ["x"])])])
    row = looked_up(engine, "a")
    assert row is not None
    row[0].append("y")
    assert looked_up(engine, "a") == (["x"],)
    engine.close()


def test_execution_info_says_what_was_read(tmp_path: Path) -> None:
    store = open_store(COUNTS, directory=tmp_path, rows=LARGE)
    fill(store, [("a", 1), ("b", 2)])

    def source(query: Query[Any]) -> str:
        answer = store.query_partition(0, query, QueryConfig(info=True))
        return answer.info[0].partition(", from ")[2]

    lookup = KeyQuery.with_key("a")
    assert [source(lookup) for _ in range(2)] == ["the database", "the row cache"]
    assert source(KeyQuery(key=("a",), skip_cache=True)) == "the database"
    assert source(RangeQuery()) == "the database"
    assert source(KeyQuery.with_key(1)) == ""
    store.close()

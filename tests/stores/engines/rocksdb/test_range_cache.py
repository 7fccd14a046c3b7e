from __future__ import annotations

import itertools
import sys
import threading
import time
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.engines.rocksdb.range_cache import SPAN_ROWS_MAX, RangeCache
from stategate.stores.engines.rocksdb.row_budget import RowBudget
from stategate.stores.engines.rocksdb.row_cache import ROW_BYTES_MAX, ChangedKeys
from stategate.stores.spec.query import FirstRowsQuery, Interval, Order, RangeQuery
from stategate.stores.spec.schema import Row
from tests.support.stores import batch, keyvalue, progress

ALL = ChangedKeys(wanted=False)
END = b"\xff"


def changed(*keys: bytes) -> ChangedKeys:
    found = ChangedKeys(wanted=True)
    found.add(list(keys))
    return found


def cache_of(budget: RowBudget | None = None, view: object = "view") -> RangeCache:
    cache = RangeCache(budget or RowBudget(1 << 20), columns=1)
    cache.advance(view, ALL)
    return cache


def put(
    cache: RangeCache,
    view: object,
    start: bytes,
    end: bytes,
    keys: list[bytes],
    rows: list[Row],
    *,
    stored: bytes = b".",
) -> None:
    """Cache a range as a handler does it."""
    entries = keys, [stored] * len(keys)
    if any(cache.admits(entries) for _ in range(8)):
        cache.put(view, start, end, entries, rows)


class Database:
    """Sorted entries, read through a cache as a handler does it."""

    def __init__(self, cache: RangeCache) -> None:
        self.cache = cache
        self.rows: dict[bytes, Row] = {}
        self.view: object = "view"

    def between(self, start: bytes, end: bytes, order: Order) -> list[bytes]:
        keys = sorted(key for key in self.rows if start <= key < end)
        return keys if order is Order.ASCENDING else keys[::-1]

    def read(self, start: bytes, end: bytes, order: Order, rows_max: int) -> list[Row]:
        """Cache the first rows of a range, and return them."""
        keys = self.between(start, end, order)[:rows_max]
        rows = [self.rows[key] for key in keys]
        if len(keys) == rows_max and order is Order.ASCENDING:
            end = keys[-1] + b"\0"
        elif len(keys) == rows_max:
            start = keys[-1]
        step = 1 if order is Order.ASCENDING else -1
        keys, held = keys[::step], rows[::step]
        put(self.cache, self.view, start, end, keys, held)
        return rows

    def cached(self, start: bytes, end: bytes, order: Order, rows_max: int) -> list[Row] | None:
        return self.cache.get(self.view, start, end, order, rows_max)


def filled(cache: RangeCache, count: int) -> Database:
    database = Database(cache)
    database.rows = {b"%05d" % number: (number,) for number in range(count)}
    return database


def check_spans(cache: RangeCache) -> None:
    """Spans are in order, do not overlap, have the keys of their ranges, and are all charged."""
    spans = [cache._spans[start] for start in cache._starts]
    assert len(spans) == len(cache._spans)
    for span in spans:
        assert span.start < span.end
        assert len(span.keys) == len(span.rows)
        assert span.rows.count(None) == span.holes <= len(span.keys) / 2
        assert span.keys == sorted(set(span.keys))
        assert all(span.start <= key < span.end for key in span.keys)
    for one, other in itertools.pairwise(spans):
        assert one.end <= other.start
    assert cache._account.used_bytes == sum(span.size_bytes for span in spans)
    assert cache._holes == sum(span.holes for span in spans)


KEYS = [bytes([97 + number]) for number in range(12)]
BOUNDS = [b"", *KEYS, *(key + b"\0" for key in KEYS[::3]), END]


class Reads(RuleBasedStateMachine):
    """Ranges, epochs and other shares: whatever the cache gives is what the database has."""

    def __init__(self) -> None:
        super().__init__()
        self.budget = RowBudget(30_000)
        self.database = Database(cache_of(self.budget))
        self.others: list[RangeCache] = []
        self.views = 0

    @rule(
        ends=st.tuples(st.sampled_from(BOUNDS), st.sampled_from(BOUNDS)),
        order=st.sampled_from(Order),
        rows_max=st.integers(1, 14),
        is_put=st.booleans(),
    )
    def read(self, ends: tuple[bytes, bytes], order: Order, rows_max: int, is_put: bool) -> None:
        start, end = min(ends), max(ends)
        if start == end:
            return
        database = self.database
        expected = [database.rows[key] for key in database.between(start, end, order)[:rows_max]]
        found = database.cached(start, end, order, rows_max)
        assert found is None or found == expected
        if is_put:
            account = database.cache._account
            has_room = account.used_bytes < account.limit_bytes - 3000 > 22_000
            database.read(start, end, order, rows_max)
            if has_room:
                assert database.cached(start, end, order, rows_max) == expected

    @rule(keys=st.sets(st.sampled_from(KEYS), max_size=4), number=st.integers(0, 9))
    def apply(self, keys: set[bytes], number: int) -> None:
        database = self.database
        for key in keys:
            if number:
                database.rows[key] = (number,)
            else:
                database.rows.pop(key, None)
        self.views += 1
        database.cache.advance(self.views, changed(*keys))
        assert database.cached(b"", END, Order.ASCENDING, 1) is None
        database.view = self.views

    @rule()
    def replace(self) -> None:
        self.database.rows.clear()
        self.views += 1
        self.database.cache.advance(self.views, ALL)
        self.database.view = self.views
        assert len(self.database.cache) == 0

    @rule(is_joining=st.booleans())
    def share(self, is_joining: bool) -> None:
        if is_joining and len(self.others) < 9:
            self.others.append(cache_of(self.budget))
            self.budget.tell(self.others[-1], 0, 3000)
        elif not is_joining and self.others:
            self.budget.tell(self.others.pop(), 3000, 0)

    @invariant()
    def is_whole(self) -> None:
        check_spans(self.database.cache)


TestReads = Reads.TestCase


def test_ranges_that_are_drawn_anywhere_become_one() -> None:
    database = filled(cache_of(), 200)
    for number in (50, 0, 120, 40, 80, 160, 20, 100, 140, 180, 60):
        database.read(b"%05d" % number, b"%05d" % (number + 25), Order.ASCENDING, 100)
        check_spans(database.cache)
    assert len(database.cache) == 1
    assert database.cached(b"00000", b"00200", Order.ASCENDING, 300) == list(database.rows.values())
    backwards = database.cached(b"00150", b"00200", Order.DESCENDING, 10)
    assert backwards == [(number,) for number in range(199, 189, -1)]


def test_a_read_goes_on_in_the_next_span() -> None:
    database = filled(cache_of(), 3 * SPAN_ROWS_MAX)
    for start in range(0, 3 * SPAN_ROWS_MAX, 64):
        database.read(b"%05d" % start, b"%05d" % (start + 64), Order.ASCENDING, 100)
    assert len(database.cache) == 3
    everything = [(number,) for number in range(3 * SPAN_ROWS_MAX)]
    assert database.cached(b"00000", b"00768", Order.ASCENDING, 1000) == everything
    assert database.cached(b"00000", b"00768", Order.DESCENDING, 1000) == everything[::-1]
    assert database.cached(b"00200", b"00768", Order.ASCENDING, 100) == everything[200:300]
    assert database.cached(b"00200", b"00300", Order.DESCENDING, 60) == everything[299:239:-1]
    assert database.cached(b"00000", b"00769", Order.ASCENDING, 1000) is None
    assert database.cached(b"00000", b"00769", Order.ASCENDING, 700) == everything[:700]


def test_an_epoch_removes_a_key_and_no_more() -> None:
    database = filled(cache_of(), 10)
    database.read(b"00000", b"00010", Order.ASCENDING, 100)
    database.cache.advance("next", changed(b"00004", b"00004x", b"other"))
    database.view = "next"
    assert database.cached(b"00000", b"00004", Order.ASCENDING, 100) == [(n,) for n in range(4)]
    assert database.cached(b"00000", b"00005", Order.ASCENDING, 100) is None
    assert database.cached(b"00000", b"00005", Order.ASCENDING, 4) == [(n,) for n in range(4)]
    assert database.cached(b"00005", b"00010", Order.DESCENDING, 100) == [
        (n,) for n in range(9, 4, -1)
    ]
    assert database.cache.get("view", b"00005", b"00010", Order.ASCENDING, 1) is None
    # What an older view reads does not fill it.
    put(database.cache, "view", b"00004", b"00005", [b"00004"], [("stale",)])
    assert database.cached(b"00004", b"00005", Order.ASCENDING, 100) is None
    del database.rows[b"00004"]
    database.read(b"00003", b"00006", Order.ASCENDING, 100)
    assert database.cached(b"00000", b"00010", Order.ASCENDING, 100) == list(database.rows.values())
    assert len(database.cache) == 1


def test_a_span_with_few_rows_left_is_dropped() -> None:
    database = filled(cache_of(), 10)
    database.read(b"00000", b"00010", Order.ASCENDING, 100)
    database.cache.advance("next", changed(*(b"%05d" % number for number in range(5))))
    assert len(database.cache) == 1
    database.cache.advance("last", changed(b"00009"))
    assert len(database.cache) == 0


def test_many_changes_are_not_looked_for_one_by_one() -> None:
    database = filled(cache_of(), 10)
    database.read(b"00000", b"00010", Order.ASCENDING, 100)
    database.cache.advance("next", changed(*(b"x%d" % number for number in range(1000))))
    assert len(database.cache) == 0


def test_memory_is_taken_while_there_are_ranges() -> None:
    cache = cache_of(RowBudget(1000))
    put(cache, "view", b"a", b"b", [], [])
    assert len(cache) == 0  # a range may not take more than an eighth
    budget = RowBudget(100_000)
    cache, other = cache_of(budget), cache_of(budget)
    budget.tell(other, 0, 40_000)
    put(cache, "view", b"a", b"b", [], [])
    assert (budget.share_bytes, cache._account.limit_bytes) == (50_000, 60_000)
    assert budget.used_bytes == 40_000 + cache._account.used_bytes > 40_000
    cache.advance("next", ALL)
    assert (budget.share_bytes, budget.used_bytes) == (100_000, 40_000)
    put(cache, "next", b"a", b"b", [], [])
    cache.close()
    assert (budget.share_bytes, budget.used_bytes) == (100_000, 40_000)
    put(cache, "next", b"a", b"b", [], [])
    assert len(cache) == 0


def test_ranges_that_are_read_stay_when_there_is_no_room() -> None:
    database = filled(cache_of(RowBudget(20_000)), 10_000)
    hot = b"00000", b"00010"
    database.read(*hot, Order.ASCENDING, 100)
    kept = 0
    for number in range(100, 9_000, 20):
        database.read(b"%05d" % number, b"%05d" % (number + 9), Order.ASCENDING, 100)
        kept += database.cached(*hot, Order.ASCENDING, 100) is not None
        assert database.cache._account.used_bytes <= 20_000
    assert kept == 445
    check_spans(database.cache)


def test_a_cache_shrinks_to_a_smaller_limit_bit_by_bit() -> None:
    budget = RowBudget(4_000_000)
    database = filled(cache_of(budget), 20_000)
    for number in range(0, 18_000, 20):
        database.read(b"%05d" % number, b"%05d" % (number + 19), Order.ASCENDING, 100)
    sizes = [database.cache._account.used_bytes]
    for _ in range(9):
        budget.tell(cache_of(budget), 0, 400_000)
    for number in range(18_000, 18_100):
        database.read(b"%05d" % number, b"%05d" % (number + 1), Order.ASCENDING, 100)
        sizes.append(database.cache._account.used_bytes)
    freed = [before - after for before, after in itertools.pairwise(sizes)]
    assert 200_000 < max(freed) < 300_000, "not all at once"
    assert sizes[-1] <= budget.share_bytes < sizes[5]
    check_spans(database.cache)


def test_rows_that_have_grown_are_charged_as_they_are() -> None:
    cache = cache_of()
    keys = [b"%03d" % number for number in range(100)]
    put(cache, "view", b"000", b"999", keys, [(0,)] * 100)
    before = cache._account.used_bytes
    cache.advance("next", changed(*keys[:40]))
    put(cache, "next", b"000", keys[40], keys[:40], [("x",)] * 40, stored=b"." * 500)
    assert before + 40 * 2 * 499 <= cache._account.used_bytes <= before + 40 * 2 * 499 + 100
    check_spans(cache)
    # Only the large rows of a range are new.
    mixed = keys[30:60]
    entries = mixed, [b"." * 9 if key < keys[50] else b"." * 900 for key in mixed]
    cache.put("next", keys[30], keys[60], entries, [("y",)] * 30)
    check_spans(cache)


def test_caches_of_other_partitions_give_up_what_is_beyond_a_fair_share() -> None:
    budget = RowBudget(1 << 20)
    databases = [filled(cache_of(budget), 20_000) for _ in range(8)]
    for database in databases:
        for number in range(0, 10_000, 20):
            database.read(b"%05d" % number, b"%05d" % (number + 19), Order.ASCENDING, 100)
    assert sum(database.cache._account.used_bytes for database in databases) < 1.1 * (1 << 20)
    before = databases[0].cache._account.used_bytes
    for _ in range(8):
        budget.tell(cache_of(budget), 0, 1 << 17)
    databases[0].cache.advance("next", changed(b"other"))
    assert databases[0].cache._account.used_bytes <= budget.share_bytes < before


def test_large_rows_are_not_kept() -> None:
    cache = cache_of(RowBudget(1 << 30))
    put(cache, "view", b"a", b"b", [b"a"], [("x",)], stored=b"." * (ROW_BYTES_MAX + 1))
    assert len(cache) == 0


def test_no_view_gets_a_row_of_another() -> None:
    """Old and new views are read while one view after the other becomes the newest."""
    cache = cache_of(RowBudget(60_000), view=0)
    keys = [b"%02d" % number for number in range(40)]
    newest = 0
    wrong: list[object] = []
    stopping = threading.Event()

    def rows_at(view: int, first: int, last: int) -> list[Row]:
        # Each view has a row of its own under even keys.
        return [(view if number % 2 == 0 else -1,) for number in range(first, last)]

    def read(behind: int) -> None:
        step = 0
        while not stopping.is_set():
            view = max(0, newest - behind)
            step += 1
            first, count = step * 7 % 30, 1 + step % 10
            start, end = keys[first], keys[first + count - 1] + b"\0"
            order = Order.DESCENDING if step % 3 == 0 else Order.ASCENDING
            expected = rows_at(view, first, first + count)
            found = cache.get(view, start, end, order, 100)
            if found is None:
                part = keys[first : first + count]
                put(cache, view, start, end, part, expected)
            elif found != (expected if order is Order.ASCENDING else expected[::-1]):
                wrong.append((view, first, count, found))

    # Views are compared by identity: small integers have one.
    threads = [threading.Thread(target=read, args=(behind,)) for behind in (0, 0, 1)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(5e-6)  # else an epoch hardly ever comes between two steps of a read
    try:
        for thread in threads:
            thread.start()
        for view in range(1, 250):
            cache.advance(view, changed(*keys[::2]))
            newest = view
            time.sleep(0.0005)
        stopping.set()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not wrong
    check_spans(cache)


def test_the_charged_size_is_the_real_one() -> None:
    count = 3000
    tracemalloc.start()
    try:
        cache = RangeCache(RowBudget(1 << 30), columns=4)
        cache.advance("view", ALL)
        for number in range(0, count, 100):
            keys = [b"name of number %05d" % each for each in range(number, number + 100)]
            rows: list[Row] = [
                (key.decode(), each << 40, each / 3, f"city of number {each}")
                for each, key in enumerate(keys, number)
            ]
            put(cache, "view", keys[0], keys[-1] + b"\0", keys, rows, stored=b"." * 50)
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 0.7 < cache._account.used_bytes / taken < 1.5


# --- in a partition ------------------------------------------------------------------------------

COUNTS = keyvalue("counts", {"k": "text"}, {"n": "bigint", "m": "bigint"}, partitions=1)


def first_rows(
    engine: RocksPartition, low: str, high: str, order: Order, columns: tuple[str, ...], count: int
) -> list[Row]:
    query = RangeQuery(interval=Interval(lower=(low,), upper=(high,)), order=order, columns=columns)
    rows: list[Row] = engine.handlers[FirstRowsQuery](engine.view, FirstRowsQuery(query, count))
    return rows


@given(
    st.lists(
        st.one_of(
            st.tuples(
                *(st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh")),
                *(st.sampled_from(Order), st.sampled_from([("k", "n", "m"), ("m", "k"), ("n",)])),
                st.integers(1, 9),
            ),
            st.dictionaries(st.sampled_from("abcdefgh"), st.none() | st.integers(0, 9), max_size=3),
        ),
        max_size=30,
    )
)
def test_cached_rows_are_those_of_the_newest_epoch(
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[tuple[str, str, Order, tuple[str, ...], int] | dict[str, int | None]],
) -> None:
    engine = RocksPartition(
        tmp_path_factory.mktemp("ranges"), schema=COUNTS, partition=0, rows=RowBudget(1 << 20)
    )
    state: dict[str, int] = {}
    for epoch, step in enumerate(steps):
        if isinstance(step, dict):
            changes = batch(
                COUNTS,
                [(key, value or 0, -(value or 0)) for key, value in step.items()],
                deleted=[value is None for value in step.values()],
            )
            engine.apply(progress(epoch), [changes])
            state |= {key: value for key, value in step.items() if value is not None}
            state = {key: value for key, value in state.items() if step.get(key, 0) is not None}
            continue
        low, high, order, columns, count = step
        keys = [key for key in sorted(state) if low <= key <= high]
        whole = [{"k": key, "n": state[key], "m": -state[key]} for key in keys]
        ordered = whole if order is Order.ASCENDING else whole[::-1]
        expected = [tuple(row[name] for name in columns) for row in ordered[:count]]
        for _ in range(2):
            assert first_rows(engine, low, high, order, columns, count) == expected
    engine.close()


def test_one_read_in_eight_is_cached_and_those_that_fill_a_hole() -> None:
    database = filled(cache_of(), 10)
    cache, keys = database.cache, list(database.rows)
    entries = keys, [b"."] * 10
    assert [cache.admits(entries) for _ in range(16)] == 2 * [*[False] * 7, True]
    database.read(b"00000", b"00010", Order.ASCENDING, 100)
    assert not cache.admits(entries)
    cache.advance("next", changed(b"00004"))
    assert all(cache.admits(entries) for _ in range(7))


def test_a_read_that_came_often_comes_from_memory_even_after_an_epoch(tmp_path: Path) -> None:
    engine = RocksPartition(tmp_path / "0", schema=COUNTS, partition=0, rows=RowBudget(1 << 20))
    engine.apply(progress(0), [batch(COUNTS, [(key, 1, 2) for key in "abcd"])])
    columns = ("k", "n", "m")

    def read(low: str, high: str) -> list[Row]:
        for _ in range(8):
            rows = first_rows(engine, low, high, Order.ASCENDING, columns, 9)
        return rows

    first = read("a", "b")
    assert [row is held for row, held in zip(read("a", "b"), first, strict=True)] == [True, True]
    engine.apply(progress(1), [batch(COUNTS, [("b", 5, 6)])])
    assert read("a", "a")[0] is first[0]
    assert read("a", "b") == [("a", 1, 2), ("b", 5, 6)]
    skipping = RangeQuery(interval=Interval(lower=("a",)), columns=columns, skip_cache=True)
    anew = engine.handlers[FirstRowsQuery](engine.view, FirstRowsQuery(skipping, 1))
    assert anew == first[:1]
    assert anew[0] is not first[0]
    engine.close()

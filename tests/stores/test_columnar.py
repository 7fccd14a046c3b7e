"""Columns that are kept between scans: they give what the entries give, whatever happens."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stores.columnar import PENDING_ROWS_MIN, SCANS_MIN, SLICE_ROWS, ColumnBudget
from stores.memory import MemoryPartition
from stores.query import BATCH_ROWS, Interval, Order, RangeQuery
from stores.rocksdb import RocksPartition
from stores.scans import CountQuery
from stores.schema import Row
from stores.store import StorePartition, View
from tests.stores.values import rows_of
from tests.support.stores import batch, keyvalue, progress

SCHEMA = keyvalue("state", {"k": "text"}, {"v": "bigint", "name": "text"}, partitions=1)
ALL = ("k", "v", "name")
SCAN = RangeQuery()

keys = st.text(alphabet="ab", max_size=3)
rows = st.dictionaries(keys, st.tuples(st.integers(0, 9), st.none() | st.text("xy", max_size=2)))
wanted = st.sampled_from([ALL, ("v",), ("name", "k"), (), ("_epoch", "v"), ("_partition",)])
steps = st.one_of(
    st.tuples(st.just("apply"), rows, st.sets(keys)),
    st.tuples(st.just("replace"), rows, st.just(frozenset[str]())),
    st.tuples(st.just("scan"), wanted, st.just(False)),
    st.tuples(st.just("scan"), wanted, st.just(True)),
    st.tuples(st.just("begin"), wanted, st.just(None)),
    st.tuples(st.just("end"), st.just(None), st.just(None)),
    st.tuples(st.just("reset"), st.just(None), st.just(None)),
)


@pytest.fixture(scope="module")
def budget() -> ColumnBudget:
    return ColumnBudget(1 << 26)


@pytest.fixture
def engine(tmp_path: Path, budget: ColumnBudget) -> Iterator[RocksPartition]:
    opened = RocksPartition(tmp_path, schema=SCHEMA, partition=0, columns=budget)
    yield opened
    opened.close()
    assert budget.used_bytes == 0


def apply(
    engine: StorePartition,
    epoch: int,
    put: dict[str, tuple[int, str | None]],
    deleted: frozenset[str] | set[str] = frozenset(),
    *,
    replace: bool = False,
) -> None:
    gone = sorted(deleted - put.keys())
    found: list[Row] = [(k, *value) for k, value in put.items()] + [(k, 0, None) for k in gone]
    flags = [False] * len(put) + [True] * len(gone)
    engine.apply(progress(epoch), [batch(SCHEMA, found, deleted=flags)], replace=replace)


def scan(engine: StorePartition, view: View | None = None, query: RangeQuery = SCAN) -> list[Row]:
    return rows_of(engine.handlers[RangeQuery](view or engine.view, query))


def numbered(*values: int, v: int = 0) -> dict[str, tuple[int, str | None]]:
    return {f"{n:06d}": (v, f"n{n}") for n in values}


def warmed(engine: RocksPartition, rows: int) -> None:
    apply(engine, 0, numbered(*range(rows)))
    for _ in range(SCANS_MIN):
        scan(engine)


@settings(deadline=None)
@given(steps=st.lists(steps, max_size=25), capacity=st.sampled_from([0, 300, 1 << 20]))
def test_they_give_what_the_entries_give(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, object, object]], capacity: int
) -> None:
    path = tmp_path_factory.mktemp("columns")
    budget = ColumnBudget(capacity)
    ours = RocksPartition(path, schema=SCHEMA, partition=0, columns=budget)
    theirs = MemoryPartition(SCHEMA, 0)
    epoch = -1
    before = ours.view, theirs.view
    begun: list[tuple[Iterator[object], list[Row], RangeQuery]] = []
    try:
        for what, first, second in steps:
            if what in {"apply", "replace"}:
                before = ours.view, theirs.view
                epoch += 1
                for engine in (ours, theirs):
                    apply(engine, epoch, first, second, replace=what == "replace")  # type: ignore[arg-type]
            elif what == "reset":
                before = ours.view, theirs.view
                ours.reset()
                theirs = MemoryPartition(SCHEMA, 0)
                epoch = -1
            elif what == "scan":
                query = RangeQuery(columns=first)  # type: ignore[arg-type]
                views = before if second else (ours.view, theirs.view)
                assert scan(ours, views[0], query) == scan(theirs, views[1], query)
            elif what == "begin":
                query = RangeQuery(columns=first)  # type: ignore[arg-type]
                stream = iter(ours.handlers[RangeQuery](ours.view, query))
                begun.append((stream, scan(theirs, None, query), query))
            elif begun:
                stream, expected, _ = begun.pop()
                assert rows_of(stream) == expected
            # Often enough that columns are kept and mended, not only read.
            assert scan(ours) == scan(theirs)
            assert budget.used_bytes <= capacity
    finally:
        ours.close()


def test_the_second_scan_keeps_what_the_third_reads(engine: RocksPartition) -> None:
    apply(engine, 0, numbered(*range(BATCH_ROWS + 5)))
    expected = [(k, *value) for k, value in numbered(*range(BATCH_ROWS + 5)).items()]
    sizes = []
    for _ in range(SCANS_MIN + 1):
        batches = list(engine.handlers[RangeQuery](engine.view, SCAN))
        assert [row for b in batches for row in rows_of([b])] == expected
        sizes.append(len(batches))
    assert sizes[0] == sizes[1] > sizes[2] == 1, "one slice, for nothing was decoded"


def test_changes_are_put_in_their_places(engine: RocksPartition) -> None:
    warmed(engine, 100)
    apply(engine, 1, numbered(50, 200, v=7), {"000000", "000099", "absent"})
    apply(engine, 2, numbered(0, 50, v=8), {"000200"})
    expected = {**numbered(*range(99)), **numbered(0, 50, v=8)}
    assert scan(engine) == [(k, *expected[k]) for k in sorted(expected)]
    assert engine.handlers[CountQuery](engine.view, CountQuery()) == 99


def test_many_changes_are_not_held(engine: RocksPartition, budget: ColumnBudget) -> None:
    warmed(engine, 10)
    assert budget.used_bytes > 0
    apply(engine, 1, numbered(*range(PENDING_ROWS_MIN + 1), v=1))
    assert [row[1] for row in scan(engine)] == [1] * (PENDING_ROWS_MIN + 1)


def test_what_is_not_a_whole_scan_passes_by(engine: RocksPartition) -> None:
    warmed(engine, 100)
    lower = Interval(lower=("000090",))
    assert len(scan(engine, None, RangeQuery(interval=lower))) == 10
    assert len(scan(engine, None, RangeQuery(limit=3))) == 3
    assert scan(engine, None, RangeQuery(order=Order.DESCENDING))[0][0] == "000099"
    skipping = RangeQuery(skip_cache=True)
    assert len(list(engine.handlers[RangeQuery](engine.view, skipping))) > 1


def test_a_reader_may_stop(engine: RocksPartition, budget: ColumnBudget) -> None:
    apply(engine, 0, numbered(*range(3 * BATCH_ROWS)))
    for _ in range(SCANS_MIN + 1):
        next(iter(engine.handlers[RangeQuery](engine.view, SCAN)))
    assert budget.used_bytes == 0, "nobody has read it all"


def test_what_is_too_large_is_not_collected_again_and_again(
    engine: RocksPartition, budget: ColumnBudget, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget, "capacity_bytes", 10_000)
    asked: list[int] = []
    collect = budget.collect

    def noted(size_bytes: int) -> bool:
        asked.append(size_bytes)
        return collect(size_bytes)

    monkeypatch.setattr(budget, "collect", noted)
    warmed(engine, 3 * BATCH_ROWS)
    once = len(asked)
    for _ in range(5):
        assert len(scan(engine)) == 3 * BATCH_ROWS
    assert len(asked) == once > 0
    assert budget.used_bytes == 0


def test_readers_in_the_middle_share_the_room(tmp_path: Path) -> None:
    """What one that has stopped for now has collected is not there for another."""
    budget = ColumnBudget(1 << 20)
    engines = [
        RocksPartition(tmp_path / str(n), schema=SCHEMA, partition=0, columns=budget)
        for n in range(2)
    ]
    for engine in engines:
        apply(engine, 0, numbered(*range(100)))
        scan(engine)
    budget.capacity_bytes = 5_000
    stopped = iter(engines[0].handlers[RangeQuery](engines[0].view, SCAN))
    next(stopped)
    scan(engines[1])
    assert budget.used_bytes == 0
    stopped.close()
    assert budget.collect(5_000), "all of it is free again"
    for engine in engines:
        engine.close()


def test_slices_are_bounded(engine: RocksPartition) -> None:
    warmed(engine, SLICE_ROWS + 1)
    batches = list(engine.handlers[RangeQuery](engine.view, RangeQuery(columns=())))
    assert [b.num_rows for b in batches] == [SLICE_ROWS, 1]


def test_the_least_recently_read_goes_first(tmp_path: Path) -> None:
    budget = ColumnBudget(0)
    engines = [
        RocksPartition(tmp_path / str(n), schema=SCHEMA, partition=0, columns=budget)
        for n in range(3)
    ]
    budget.capacity_bytes = 1 << 20
    warmed(engines[0], 100)
    each = budget.used_bytes
    budget.capacity_bytes = 2 * each
    warmed(engines[1], 100)
    scan(engines[0])
    warmed(engines[2], 100)
    assert budget.used_bytes == 2 * each
    kept = [len(list(e.handlers[RangeQuery](e.view, SCAN))) == 1 for e in engines]
    assert kept == [True, False, True]
    for engine in engines:
        engine.close()


def test_of_more_than_there_is_room_for_some_stay(tmp_path: Path) -> None:
    """To keep each for a moment is to keep none: the next scan begins with what went first."""
    budget = ColumnBudget(1 << 20)
    engines = [
        RocksPartition(tmp_path / str(n), schema=SCHEMA, partition=0, columns=budget)
        for n in range(4)
    ]
    warmed(engines[0], 100)
    budget.capacity_bytes = 2 * budget.used_bytes
    for engine in engines:
        apply(engine, 0, numbered(*range(100)))
    for _ in range(5):
        for engine in engines:
            scan(engine)
    kept = [len(list(e.handlers[RangeQuery](e.view, SCAN))) == 1 for e in engines]
    assert kept == [True, True, False, False]
    for engine in engines:
        engine.close()


def test_readers_and_a_writer_side_by_side(engine: RocksPartition) -> None:
    """Every scan sees one epoch, whole."""
    apply(engine, 0, numbered(*range(300)))
    stopping = threading.Event()
    wrong: list[tuple[int, Row]] = []

    def read() -> None:
        while not stopping.is_set():
            view = engine.view
            epoch = view.progress.epoch
            values = tuple(row[0] for row in scan(engine, view, RangeQuery(columns=("v",))))
            if values != (epoch, -epoch, *[0] * 298):
                wrong.append((epoch, values[:3]))

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for epoch in range(1, 100):
        apply(engine, epoch, {**numbered(0, v=epoch), **numbered(1, v=-epoch)})
    stopping.set()
    for reader in readers:
        reader.join()
    assert wrong == []

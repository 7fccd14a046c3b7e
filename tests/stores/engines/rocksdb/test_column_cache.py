"""Columns that are kept between scans give the same rows as the entries, whatever happens."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stategate.stores.engines.memory.partition import MemoryPartition
from stategate.stores.engines.rocksdb.column_arrays import SLICE_ROWS, KeptColumns
from stategate.stores.engines.rocksdb.column_budget import PAUSE_S, PAUSE_S_MAX, ColumnBudget
from stategate.stores.engines.rocksdb.column_changes import (
    MERGED_SHARE,
    PENDING_ROWS_COLLECTING,
    PENDING_ROWS_MIN,
    PENDING_SHARE,
    Change,
)
from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.spec.position import Progress
from stategate.stores.spec.query import BATCH_ROWS, Interval, Order, RangeQuery
from stategate.stores.spec.scans import CountQuery
from stategate.stores.spec.schema import Row
from stategate.stores.spec.store import QueryConfig, StorePartition, View
from tests.support.stores import batch, keyvalue, open_store, progress
from tests.support.values import rows_of

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
    st.tuples(st.just("maintain"), st.just(None), st.just(None)),
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


def maintain(engine: RocksPartition) -> None:
    engine.maintain(lambda: False)


def warmed(engine: RocksPartition, rows: int) -> None:
    apply(engine, 0, numbered(*range(rows)))
    maintain(engine)


def is_kept(engine: RocksPartition, query: RangeQuery = SCAN) -> bool:
    """Return whether a scan is one slice; decoded entries come in chunks, the first of 64 rows."""
    return len(list(engine.handlers[RangeQuery](engine.view, query))) == 1


def test_execution_info_says_when_columns_were_read(tmp_path: Path) -> None:
    store = open_store(SCHEMA, directory=tmp_path, columns=ColumnBudget(1 << 20))
    engine = store.replicas[0].engine
    assert isinstance(engine, RocksPartition)
    warmed(engine, 100)
    for query, source in ((SCAN, "column cache"), (RangeQuery(skip_cache=True), "database")):
        answer = store.query_partition(0, query, QueryConfig(info=True))
        assert answer.info[0].endswith(f" ns, from the {source}")
    store.close()


@settings(deadline=None)
@given(steps=st.lists(steps, max_size=25), capacity=st.sampled_from([0, 300, 1 << 20]))
def test_columns_give_the_rows_of_the_entries(
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
            elif what == "maintain":
                maintain(ours)
            elif begun:
                stream, expected, _ = begun.pop()
                assert rows_of(stream) == expected
            # It scans often enough for columns to be kept and merged, not only read.
            maintain(ours)
            assert scan(ours) == scan(theirs)
            assert budget.used_bytes <= capacity
    finally:
        ours.close()


def test_maintenance_reads_columns_before_the_first_scan(engine: RocksPartition) -> None:
    values = numbered(*range(BATCH_ROWS + 5))
    apply(engine, 0, values)
    expected = [(k, *value) for k, value in values.items()]
    assert scan(engine) == expected
    assert not is_kept(engine)
    maintain(engine)
    assert is_kept(engine)
    assert scan(engine) == expected
    assert is_kept(engine, RangeQuery(columns=("_partition",))), "as for count(*)"
    assert is_kept(engine, RangeQuery(columns=()))


def test_changes_are_merged(engine: RocksPartition) -> None:
    warmed(engine, 100)
    apply(engine, 1, numbered(50, 200, v=7), {"000000", "000099", "absent"})
    apply(engine, 2, numbered(0, 50, v=8), {"000200"})
    expected = {**numbered(*range(99)), **numbered(0, 50, v=8)}
    assert scan(engine) == [(k, *expected[k]) for k in sorted(expected)]
    assert engine.handlers[CountQuery](engine.view, CountQuery()) == 99


def test_too_many_changes_drop_the_columns(engine: RocksPartition, budget: ColumnBudget) -> None:
    warmed(engine, 10)
    assert budget.used_bytes > 0
    apply(engine, 1, numbered(*range(PENDING_ROWS_MIN + 1), v=1))
    assert [row[1] for row in scan(engine)] == [1] * (PENDING_ROWS_MIN + 1)


def test_only_whole_scans_use_columns(engine: RocksPartition) -> None:
    warmed(engine, 100)
    lower = Interval(lower=("000090",))
    assert len(scan(engine, None, RangeQuery(interval=lower))) == 10
    assert len(scan(engine, None, RangeQuery(limit=3))) == 3
    assert scan(engine, None, RangeQuery(order=Order.DESCENDING))[0][0] == "000099"
    skipping = RangeQuery(skip_cache=True)
    assert len(list(engine.handlers[RangeQuery](engine.view, skipping))) > 1


def test_columns_that_no_one_scans_are_read_again_after_growing_pauses(
    engine: RocksPartition, budget: ColumnBudget, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = 1000.0
    monkeypatch.setattr("stategate.stores.engines.rocksdb.column_budget._clock_s", lambda: now_s)
    warmed(engine, 100)
    epochs = iter(range(1, 100))

    def is_kept_after(pause_s: float) -> bool:
        nonlocal now_s
        now_s += pause_s
        maintain(engine)
        return budget.used_bytes > 0

    def change_all() -> None:
        epoch = next(epochs)
        apply(engine, epoch, numbered(*range(2 * PENDING_ROWS_MIN), v=epoch))
        assert budget.used_bytes == 0

    for pause_s in (PAUSE_S, 2 * PAUSE_S, 4 * PAUSE_S):
        change_all()
        assert not is_kept_after(0.9 * pause_s)
        assert is_kept_after(0.1 * pause_s)
    change_all()
    assert scan(engine)[0][1] == next(epochs) - 1
    assert is_kept_after(0), "at once, after a scan"
    change_all()
    assert is_kept_after(PAUSE_S)
    for _ in range(20):
        change_all()
        assert is_kept_after(PAUSE_S_MAX)


def test_a_store_that_is_replaced_as_a_whole_is_read_again_after_growing_pauses(
    engine: RocksPartition, budget: ColumnBudget, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = 1000.0
    monkeypatch.setattr("stategate.stores.engines.rocksdb.column_budget._clock_s", lambda: now_s)
    warmed(engine, 100)
    for epoch, pause_s in ((1, PAUSE_S), (2, 2 * PAUSE_S)):
        apply(engine, epoch, numbered(*range(100), v=epoch), replace=True)
        maintain(engine)
        assert budget.used_bytes == 0
        now_s += pause_s
        maintain(engine)
        assert budget.used_bytes > 0


def test_many_changes_are_merged_in_the_background(
    engine: RocksPartition, monkeypatch: pytest.MonkeyPatch
) -> None:
    merged: list[int] = []
    merge = KeptColumns.merged

    def noted(
        self: KeptColumns, changes: Sequence[Change], progress: Progress
    ) -> KeptColumns | None:
        merged.append(progress.epoch)
        return merge(self, changes, progress)

    monkeypatch.setattr(KeptColumns, "merged", noted)
    rows = MERGED_SHARE * PENDING_ROWS_MIN
    warmed(engine, rows)
    changed = rows // MERGED_SHARE + 1
    apply(engine, 1, numbered(*range(changed), v=1))
    maintain(engine)
    assert merged == [], "no one has scanned it"
    scan(engine)
    assert merged == [1]
    apply(engine, 2, numbered(*range(PENDING_ROWS_MIN), v=2))
    maintain(engine)
    assert merged == [1], "they are few"
    apply(engine, 3, numbered(*range(5, changed + 5), v=3))
    maintain(engine)
    assert merged == [1, 3]
    assert [row[1] for row in scan(engine)[: changed + 6]] == [2] * 5 + [3] * changed + [0]
    assert merged == [1, 3]


def test_changes_during_a_read_in_the_background_are_merged(engine: RocksPartition) -> None:
    """More changes may wait than usual, so that columns of a store that changes all the time are
    kept, too.
    """
    rows = 3 * BATCH_ROWS
    apply(engine, 0, numbered(*range(rows)))
    asked = iter(range(100))

    def is_stopping() -> bool:
        n = next(asked)
        apply(engine, n + 1, numbered(n, *range(100, 100 + PENDING_ROWS_MIN), v=n + 1), {"000050"})
        return False

    engine.maintain(is_stopping)
    count = next(asked)
    assert count * PENDING_ROWS_MIN > max(PENDING_ROWS_MIN, rows // PENDING_SHARE)
    assert is_kept(engine)
    found = scan(engine)
    assert len(found) == rows - 1
    assert [row[1] for row in found[: count + 1]] == [*range(1, count + 1), 0]
    assert found[99][1] == count


def test_a_scan_reads_the_columns_of_the_time_it_was_asked(engine: RocksPartition) -> None:
    """The scan may be read late, because a large result takes longer than an epoch."""
    warmed(engine, 1000)
    apply(engine, 1, numbered(5, v=1))
    asked = engine.handlers[RangeQuery](engine.view, SCAN)
    apply(engine, 2, numbered(5, 6, v=2), {"000007"})
    assert len(scan(engine)) == 999
    apply(engine, 3, numbered(*range(1000), v=3))
    for _ in range(2):
        found = list(asked)
        assert len(found) == 1, "from the columns"
        assert [row[1] for row in rows_of(found)[:8]] == [0] * 5 + [1, 0, 0]


def test_an_older_view_is_read_from_columns_that_are_older_still(
    engine: RocksPartition,
) -> None:
    warmed(engine, 1000)
    apply(engine, 1, numbered(5, v=1))
    view = engine.view
    apply(engine, 2, numbered(5, v=2))
    assert len(list(engine.handlers[RangeQuery](view, SCAN))) == 1
    assert scan(engine, view)[5] == ("000005", 1, "n5")
    assert scan(engine)[5] == ("000005", 2, "n5")
    assert scan(engine, view)[5] == ("000005", 1, "n5"), "from the entries: columns never go back"


def test_a_view_from_before_a_reset_is_not_read_from_columns(engine: RocksPartition) -> None:
    """Another log has other rows at the same epoch."""
    warmed(engine, 100)
    apply(engine, 1, numbered(*range(100), v=1))
    view = engine.view
    engine.reset()
    apply(engine, 0, numbered(*range(100), v=8))
    maintain(engine)
    scan(engine)
    maintain(engine)
    assert is_kept(engine)
    apply(engine, 1, numbered(5, v=9))
    assert {row[1] for row in scan(engine, view)} == {1}


def test_too_many_changes_end_a_read_in_the_background(
    engine: RocksPartition, budget: ColumnBudget
) -> None:
    apply(engine, 0, numbered(*range(3 * BATCH_ROWS)))
    epochs = iter(range(1, 100))

    def is_stopping() -> bool:
        for _ in range(1 + PENDING_ROWS_COLLECTING // (3 * BATCH_ROWS)):
            apply(engine, (epoch := next(epochs)), numbered(*range(3 * BATCH_ROWS), v=epoch))
        return False

    engine.maintain(is_stopping)
    assert budget.used_bytes == 0
    assert {row[1] for row in scan(engine)} == {next(epochs) - 1}


def test_a_read_in_the_background_stops_at_the_next_chunk(
    engine: RocksPartition, budget: ColumnBudget
) -> None:
    apply(engine, 0, numbered(*range(3 * BATCH_ROWS)))
    answers = iter([False, True])
    engine.maintain(lambda: next(answers))
    assert budget.used_bytes == 0


def test_closing_waits_for_a_read_in_the_background(tmp_path: Path) -> None:
    """A database that is being read cannot be opened again."""
    budget = ColumnBudget(1 << 26)
    engine = RocksPartition(tmp_path, schema=SCHEMA, partition=0, columns=budget)
    apply(engine, 0, numbered(*range(3 * BATCH_ROWS)))
    begun, go_on = threading.Event(), threading.Event()

    def is_stopping() -> bool:
        begun.set()
        go_on.wait()
        return False

    reading = threading.Thread(target=engine.maintain, args=[is_stopping])
    reading.start()
    begun.wait()
    closing = threading.Thread(target=engine.close)
    closing.start()
    closing.join(0.2)
    assert closing.is_alive()
    go_on.set()
    closing.join()
    RocksPartition(tmp_path, schema=SCHEMA, partition=0, columns=budget).close()
    reading.join()
    assert budget.used_bytes == 0


def test_columns_without_room_are_not_read_again_and_again(
    engine: RocksPartition, budget: ColumnBudget, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget, "capacity_bytes", 100_000)
    asked = 0

    def is_stopping() -> bool:
        nonlocal asked
        asked += 1
        return False

    apply(engine, 0, numbered(*range(3 * BATCH_ROWS)))
    engine.maintain(is_stopping)
    assert asked == 1, "the first chunk shows that there is no room"
    assert budget.used_bytes == 0
    scan(engine)
    engine.maintain(is_stopping)
    once = asked
    assert once > 1, "a scan has asked for them, so they are tried"
    for _ in range(5):
        assert len(scan(engine)) == 3 * BATCH_ROWS
        engine.maintain(is_stopping)
    assert asked == once
    assert budget.used_bytes == 0


def test_without_room_for_all_columns_the_scanned_ones_are_kept(
    engine: RocksPartition, budget: ColumnBudget, monkeypatch: pytest.MonkeyPatch
) -> None:
    warmed(engine, 1000)
    monkeypatch.setattr(budget, "capacity_bytes", budget.used_bytes - 1)
    engine.reset()
    apply(engine, 0, numbered(*range(1000)))
    scan(engine, None, RangeQuery(columns=("v",)))
    maintain(engine)
    assert is_kept(engine, RangeQuery(columns=("v",)))
    assert not is_kept(engine)


def test_a_column_that_is_scanned_later_is_added(
    engine: RocksPartition, budget: ColumnBudget
) -> None:
    warmed(engine, 1000)
    before = budget.used_bytes
    epochs = RangeQuery(columns=("v", "_epoch"))
    assert not is_kept(engine, epochs)
    maintain(engine)
    assert is_kept(engine, epochs)
    assert is_kept(engine), "with the columns kept before"
    assert budget.used_bytes > before


def test_columns_stay_if_there_is_no_room_for_one_more(
    engine: RocksPartition, budget: ColumnBudget, monkeypatch: pytest.MonkeyPatch
) -> None:
    warmed(engine, 1000)
    before = budget.used_bytes
    monkeypatch.setattr(budget, "capacity_bytes", before)
    for _ in range(3):
        assert not is_kept(engine, RangeQuery(columns=("_epoch",)))
        maintain(engine)
    assert is_kept(engine)
    assert budget.used_bytes == before


def test_a_partition_larger_than_an_array_is_not_kept(
    engine: RocksPartition, budget: ColumnBudget, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (
        "stategate.stores.engines.rocksdb.column_cache",
        "stategate.stores.engines.rocksdb.column_arrays",
    ):
        monkeypatch.setattr(f"{module}.BYTES_MAX", 60_000)
    warmed(engine, 1000)
    assert budget.used_bytes > 0
    apply(engine, 1, {"x": (0, "y" * 60_000)})
    assert len(scan(engine)) == 1001
    assert budget.used_bytes == 0
    maintain(engine)
    assert budget.used_bytes == 0
    assert len(scan(engine)) == 1001


def test_slices_are_bounded(engine: RocksPartition) -> None:
    warmed(engine, SLICE_ROWS + 1)
    batches = list(engine.handlers[RangeQuery](engine.view, RangeQuery(columns=())))
    assert [b.num_rows for b in batches] == [SLICE_ROWS, 1]


def opened(tmp_path: Path, budget: ColumnBudget, count: int) -> list[RocksPartition]:
    return [
        RocksPartition(tmp_path / str(n), schema=SCHEMA, partition=0, columns=budget)
        for n in range(count)
    ]


def test_the_least_recently_scanned_partition_makes_room(tmp_path: Path) -> None:
    budget = ColumnBudget(1 << 20)
    engines = opened(tmp_path, budget, 3)
    warmed(engines[0], 100)
    budget.capacity_bytes = 2 * budget.used_bytes
    warmed(engines[1], 100)
    warmed(engines[2], 100)
    assert [is_kept(e) for e in engines] == [True, True, False], "there was no room"
    scan(engines[2])
    scan(engines[0])
    maintain(engines[2])
    assert budget.used_bytes == budget.capacity_bytes
    assert [is_kept(e) for e in engines] == [True, False, True]
    for engine in engines:
        engine.close()


def test_one_scan_makes_no_room_where_others_scan_too(tmp_path: Path) -> None:
    budget = ColumnBudget(1 << 20)
    engines = opened(tmp_path, budget, 2)
    warmed(engines[0], 100)
    budget.capacity_bytes = budget.used_bytes
    apply(engines[1], 0, numbered(*range(100)))
    scan(engines[0])
    scan(engines[1])
    maintain(engines[1])
    assert [is_kept(e) for e in engines] == [True, False]
    for engine in engines:
        engine.close()


def test_some_partitions_stay_if_there_is_no_room_for_all(tmp_path: Path) -> None:
    """If each made room for the next, no scan would find any: it begins with the oldest."""
    budget = ColumnBudget(1 << 20)
    engines = opened(tmp_path, budget, 4)
    warmed(engines[0], 100)
    budget.capacity_bytes = 2 * budget.used_bytes
    for engine in engines:
        apply(engine, 0, numbered(*range(100)))
    for _ in range(5):
        for engine in engines:
            scan(engine)
        for engine in engines:
            maintain(engine)
    assert [is_kept(e) for e in engines] == [True, True, False, False]
    for engine in engines:
        engine.close()


def test_readers_beside_a_writer_see_whole_epochs(engine: RocksPartition) -> None:
    """Every scan sees exactly one epoch."""
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

    def keep() -> None:
        while not stopping.is_set():
            engine.maintain(stopping.is_set)

    readers = [threading.Thread(target=each) for each in (read, read, keep)]
    for reader in readers:
        reader.start()
    for epoch in range(1, 100):
        apply(engine, epoch, {**numbered(0, v=epoch), **numbered(1, v=-epoch)})
    stopping.set()
    for reader in readers:
        reader.join()
    assert wrong == []

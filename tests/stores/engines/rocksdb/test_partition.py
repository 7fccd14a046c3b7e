"""The RocksDB engine: its writes to the disk, its state after a crash, and reads of many rows."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rocksdict import Options, Rdict

from stategate.stores.engines.rocksdb.database import shared_cache
from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.engines.rocksdb.readers import CHUNK_ROWS_MIN
from stategate.stores.engines.rocksdb.unflushed import EPOCH_ROWS, Unflushed
from stategate.stores.errors import CodecError, StoreError
from stategate.stores.spec.position import Progress
from stategate.stores.spec.query import BATCH_ROWS, Interval, KeyQuery, KeysQuery, Order, RangeQuery
from stategate.stores.spec.scans import ApproximateCountQuery
from stategate.stores.spec.schema import Row, StoreSchema
from stategate.stores.spec.windows import TimeRange, WindowKeyQuery, WindowRangeQuery
from tests.support.database_files import copy_as_killed
from tests.support.process import started
from tests.support.stores import batch, keyvalue, progress, window
from tests.support.values import column, rows_of
from tests.support.waiting import until

CLICKS = keyvalue("clicks", {"n": "bigint"}, {"text": "text"}, partitions=1)
HOURS = window(
    "hours", {"n": "bigint"}, {"v": "bigint"}, partitions=1, size_ms=1_000, retention_ms=120_000
)


@pytest.fixture
def clicks(tmp_path: Path) -> Iterator[RocksPartition]:
    with_cache = RocksPartition(tmp_path, schema=CLICKS, partition=0, cache=shared_cache(1 << 20))
    yield with_cache
    with_cache.close()


def ask(engine: RocksPartition, query: RangeQuery | WindowRangeQuery) -> list[Row]:
    return rows_of(engine.handlers[type(query)](engine.view, query))


def numbers(*values: int) -> list[Row]:
    return [(n, f"t{n}") for n in values]


def test_the_cache_is_used_after_a_restart(tmp_path: Path) -> None:
    """rocksdict reads other options from the disk, unless they are given for the column family."""
    RocksPartition(tmp_path, schema=CLICKS, partition=0).close()
    cache = shared_cache(4 << 20)
    for epoch in range(2):
        engine = RocksPartition(tmp_path, schema=CLICKS, partition=0, cache=cache)
        engine.apply(progress(epoch), [batch(CLICKS, numbers(*range(5_000)))])
        engine.close()
        before = cache.get_usage()
        engine = RocksPartition(tmp_path, schema=CLICKS, partition=0, cache=cache)
        assert len(ask(engine, RangeQuery())) == 5_000
        assert cache.get_usage() > before + 100_000
        engine.close()


# Many rows, and the edges of chunks


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[RocksPartition]]:
    """A store of more than two batches, and one with long rows."""
    engines = []
    for name, rows in (
        ("many", numbers(*range(2 * BATCH_ROWS + 3))),
        ("long", [(n, "x" * 400_000) for n in range(150)]),
    ):
        path = tmp_path_factory.mktemp(name)
        engine = RocksPartition(path, schema=CLICKS, partition=0)
        engine.apply(progress(0), [batch(CLICKS, rows)])
        engines.append(engine)
    yield engines
    for engine in engines:
        engine.close()


@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize(
    "count",
    [0, 1, CHUNK_ROWS_MIN - 1, CHUNK_ROWS_MIN, CHUNK_ROWS_MIN + 1, 5 * CHUNK_ROWS_MIN, BATCH_ROWS],
)
def test_ranges_and_limits_of_every_length(
    large: list[RocksPartition], order: Order, count: int
) -> None:
    many, _ = large
    first = 100
    interval = Interval(lower=(first,), upper=(first + count,), upper_inclusive=False)
    expected = numbers(*range(first, first + count))
    limited = numbers(*range(first, first + count))
    if order is Order.DESCENDING:
        expected.reverse()
        limited = numbers(*range(2 * BATCH_ROWS + 2, 2 * BATCH_ROWS + 2 - count, -1))
    assert ask(many, RangeQuery(interval=interval, order=order)) == expected
    begin = Interval(lower=(first,))
    found = ask(many, RangeQuery(interval=begin, order=order, limit=count))
    assert found == limited


@pytest.mark.parametrize("order", Order)
def test_a_scan_gives_every_row_once(large: list[RocksPartition], order: Order) -> None:
    many, _ = large
    found = ask(many, RangeQuery(order=order))
    step = 1 if order is Order.ASCENDING else -1
    assert found == numbers(*range(2 * BATCH_ROWS + 3))[::step]


def test_a_batch_of_long_rows_has_few_of_them(large: list[RocksPartition]) -> None:
    _, long = large
    stream = long.handlers[RangeQuery](long.view, RangeQuery())
    sizes = [found.num_rows for found in stream]
    assert sum(sizes) == 150
    assert max(sizes) <= CHUNK_ROWS_MIN


def test_many_keys_come_in_key_order_and_batches(large: list[RocksPartition]) -> None:
    many, _ = large
    keys = tuple((n,) for n in range(-5, BATCH_ROWS + 10))
    shuffled = list(keys)
    random.Random(1).shuffle(shuffled)
    stream = many.handlers[KeysQuery](many.view, KeysQuery(keys=tuple(shuffled)))
    assert [row[0] for row in rows_of(stream)] == list(range(BATCH_ROWS + 10))
    assert max(found.num_rows for found in stream) <= BATCH_ROWS


# Snapshots


def test_a_stream_reads_one_epoch_even_if_read_late(clicks: RocksPartition) -> None:
    clicks.apply(progress(0), [batch(CLICKS, numbers(*range(1000)))])
    stream = clicks.handlers[RangeQuery](clicks.view, RangeQuery(columns=("n",)))
    half = iter(stream)
    begun = [next(half)]
    clicks.apply(progress(1), [batch(CLICKS, numbers(-1, 5000))], replace=True)
    other = iter(stream)
    assert [row for (row,) in rows_of([*begun, *half])] == list(range(1000))
    assert [row for (row,) in rows_of(other)] == list(range(1000))
    assert ask(clicks, RangeQuery(columns=("n",))) == [(-1,), (5000,)]


def test_readers_of_one_view_do_not_disturb_each_other(clicks: RocksPartition) -> None:
    clicks.apply(progress(0), [batch(CLICKS, numbers(*range(1000)))])
    query = RangeQuery(columns=("n",))
    handler = clicks.handlers[RangeQuery]
    up = iter(handler(clicks.view, query))
    down = iter(handler(clicks.view, query.with_descending_keys()))
    ups, downs = [], []
    for one, other in zip(up, down, strict=True):
        ups.append(one)
        downs.append(other)
    assert [row for (row,) in rows_of(ups)] == list(range(1000))
    assert [row for (row,) in rows_of(downs)] == list(range(999, -1, -1))


def test_streams_stay_valid_when_the_partition_closes(clicks: RocksPartition) -> None:
    clicks.apply(progress(0), [batch(CLICKS, numbers(1, 2))])
    stream = clicks.handlers[RangeQuery](clicks.view, RangeQuery())
    clicks.close()
    clicks.close()
    assert rows_of(stream) == numbers(1, 2)
    with pytest.raises(StoreError, match='partition 0 of store "clicks" is closed'):
        _ = clicks.view


class Closing:
    """A database that another thread begins to close at some moment; every call fails then."""

    def __init__(self, database: Rdict) -> None:
        self._database = database
        self.is_closing = False

    def __getattr__(self, name: str) -> Any:
        if self.is_closing:
            raise RuntimeError("Already mutably borrowed")
        return getattr(self._database, name)


def test_a_scan_while_the_partition_closes_is_complete(tmp_path: Path) -> None:
    engine = RocksPartition(tmp_path, schema=CLICKS, partition=0)
    database = Closing(engine._database._rdict)
    engine._database._rdict = database
    engine.apply(progress(0), [batch(CLICKS, numbers(*range(BATCH_ROWS + 1)))])
    view = engine.view
    stream = engine.handlers[RangeQuery](view, RangeQuery())
    database.is_closing = True
    # A long range would use an iterator of its own, which can no longer be made.
    assert rows_of(stream) == numbers(*range(BATCH_ROWS + 1))
    with pytest.raises(StoreError, match="closed meanwhile"):
        engine.handlers[ApproximateCountQuery](view, ApproximateCountQuery())
    database.is_closing = False
    engine.close()


def test_a_reset_removes_everything_at_once(clicks: RocksPartition, tmp_path: Path) -> None:
    clicks.apply(progress(4), [batch(CLICKS, numbers(1, 2))])
    before = clicks.handlers[RangeQuery](clicks.view, RangeQuery())
    clicks.reset()
    assert clicks.view.progress == Progress()
    assert ask(clicks, RangeQuery()) == []
    assert rows_of(before) == numbers(1, 2)
    clicks.apply(progress(0), [batch(CLICKS, numbers(3))])
    del before
    clicks.close()
    again = RocksPartition(tmp_path, schema=CLICKS, partition=0)
    assert (again.view.progress, ask(again, RangeQuery())) == (progress(0), numbers(3))
    again.close()


# The disk


def test_progress_and_rows_outlive_the_process(clicks: RocksPartition, tmp_path: Path) -> None:
    done = progress(7, watermark_ms=5, committed_ms=9)
    clicks.apply(done, [batch(CLICKS, numbers(1, 2))])
    clicks.close()
    again = RocksPartition(tmp_path, schema=CLICKS, partition=0)
    assert (again.view.progress, ask(again, RangeQuery())) == (done, numbers(1, 2))
    again.close()


@pytest.mark.parametrize(
    "other",
    [
        replace(CLICKS, key=(column("n", "text"),)),
        replace(CLICKS, value=(column("text", "json"),)),
        replace(CLICKS, partitions=2),
    ],
    ids=["key", "value", "partitions"],
)
def test_another_definition_starts_over(
    clicks: RocksPartition, tmp_path: Path, other: StoreSchema
) -> None:
    clicks.apply(progress(7), [batch(CLICKS, numbers(1, 2))])
    clicks.close()
    again = RocksPartition(tmp_path, schema=other, partition=0)
    assert (again.view.progress, ask(again, RangeQuery())) == (Progress(), [])
    again.close()


def test_another_retention_starts_over(tmp_path: Path) -> None:
    """Otherwise rows that the old one dropped would be missing forever."""
    hours = window("h", {"k": "text"}, {"v": "text"}, partitions=1, retention_ms=60_000)
    engine = RocksPartition(tmp_path, schema=hours, partition=0)
    engine.apply(progress(7), [batch(hours, [("a", 0, 3_600_000_000, "v")])])
    engine.close()
    again = RocksPartition(tmp_path, schema=replace(hours, retention_ms=61_000), partition=0)
    assert again.view.progress == Progress()
    again.close()


def test_new_inputs_do_not_start_over(clicks: RocksPartition, tmp_path: Path) -> None:
    clicks.apply(progress(7), [batch(CLICKS, numbers(1, 2))])
    clicks.close()
    again = RocksPartition(tmp_path, schema=replace(CLICKS, inputs=()), partition=0)
    assert again.view.progress == progress(7)
    again.close()


def test_a_database_has_one_owner(clicks: RocksPartition, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"cannot open .* another host of this process has it"):
        RocksPartition(tmp_path, schema=CLICKS, partition=0)


def test_the_last_reader_of_a_removed_database_leaves_no_file(tmp_path: Path) -> None:
    """Otherwise the next database there would find half of this one, and take it for damaged."""
    path = tmp_path / "again"
    engine = RocksPartition(path, schema=CLICKS, partition=0)
    engine.apply(progress(0), [batch(CLICKS, numbers(1, 2))])
    stream = engine.handlers[RangeQuery](engine.view, RangeQuery())
    engine.close()
    path.rename(tmp_path / "removed")
    for _ in range(2):
        with pytest.raises(StoreError, match=r"cannot open .* answers are still held"):
            RocksPartition(path, schema=CLICKS, partition=0)
        assert list(tmp_path.iterdir()) == [tmp_path / "removed"]
    assert rows_of(stream) == numbers(1, 2)
    del stream, engine
    assert not path.exists()
    again = RocksPartition(path, schema=CLICKS, partition=0)
    assert again.view.progress == Progress()
    again.close()


def test_a_damaged_progress_record_is_named(clicks: RocksPartition, tmp_path: Path) -> None:
    clicks.close()
    for junk in (b"{", b"{}", b'{"epoch": 1, "position": []}'):
        raw = Rdict(str(tmp_path), Options(raw_mode=True))
        raw.put(b"\0progress", junk)
        raw.close()
        with pytest.raises(CodecError):
            RocksPartition(tmp_path, schema=CLICKS, partition=0)


def of_three_epochs() -> Unflushed:
    return Unflushed(3 * EPOCH_ROWS, pause_s=0)


def test_the_database_is_flushed_after_some_epochs(tmp_path: Path) -> None:
    """Without a write-ahead log, a crash leaves only flushed epochs. Its making is one."""
    unflushed = of_three_epochs()
    engine = RocksPartition(tmp_path / "data", schema=CLICKS, partition=0, unflushed=unflushed)
    for epoch in range(4):
        engine.apply(progress(epoch), [batch(CLICKS, numbers(epoch))])
        engine.maintain(lambda: False)
    until(engine._database._rdict.live_files)
    copy_as_killed(tmp_path / "data", tmp_path / "killed")
    engine.close()
    killed = RocksPartition(tmp_path / "killed", schema=CLICKS, partition=0)
    assert killed.view.progress == progress(1)
    assert ask(killed, RangeQuery()) == numbers(0, 1)
    killed.close()
    whole = RocksPartition(tmp_path / "data", schema=CLICKS, partition=0)
    assert whole.view.progress == progress(3)
    whole.close()


class Full:
    """A database on a full disk: it takes writes, but can neither flush nor close cleanly."""

    def __init__(self, database: Rdict) -> None:
        self._database = database
        self.flushes = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)

    def flush(self, *, wait: bool) -> None:
        assert not wait
        self.flushes += 1
        raise Exception("IO error: No space left on device")

    def close(self) -> None:
        self._database.close()
        raise Exception("IO error: No space left on device")


def test_a_failed_flush_does_not_hold_up_epochs(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It is logged once, not with each epoch, and other partitions can close."""
    engine = RocksPartition(tmp_path, schema=CLICKS, partition=0, unflushed=of_three_epochs())
    full = Full(engine._database._rdict)
    engine._database._rdict = full
    for epoch in range(7):
        engine.apply(progress(epoch), [batch(CLICKS, numbers(epoch))])
        engine.maintain(lambda: False)
    assert engine.view.progress == progress(6)
    assert full.flushes == 2
    engine.close()
    engine.close()
    assert [record.message.split()[-1] for record in caplog.records] == ["device"] * 3
    RocksPartition(tmp_path, schema=CLICKS, partition=0).close()


def test_a_failed_write_changes_nothing(tmp_path: Path) -> None:
    engine = RocksPartition(tmp_path, schema=CLICKS, partition=0)
    engine.apply(progress(0), [batch(CLICKS, numbers(1))])
    view = engine.view
    engine._database._rdict.close()  # as if the disk were gone
    with pytest.raises(StoreError, match="cannot write"):
        engine.apply(progress(1), [batch(CLICKS, numbers(2))])
    assert engine.view is view
    assert ask(engine, RangeQuery()) == numbers(1)


# Windows


def test_expired_segments_leave_the_disk(tmp_path: Path) -> None:
    engine = RocksPartition(tmp_path, schema=HOURS, partition=0)

    def apply(epoch: int, watermark_ms: int, *minutes: int) -> None:
        rows = [(1, m * 60_000_000, m * 60_000_000 + 1_000_000, m) for m in minutes]
        engine.apply(progress(epoch, watermark_ms=watermark_ms), [batch(HOURS, rows)])

    def minutes_on_disk() -> int:
        chunks = engine.view.data.chunks(b"\x01", b"\x02", Order.ASCENDING)
        return sum(len(keys) for keys, _ in chunks)

    apply(0, 0, 0, 1, 2)
    assert minutes_on_disk() == 3
    # Retention is two minutes: at minute 2 the window at 0 is at the edge, and has expired.
    apply(1, 120_000)
    assert [row[-1] for row in ask(engine, WindowRangeQuery())] == [1, 2]
    apply(2, 240_000, 4)
    assert [row[-1] for row in ask(engine, WindowRangeQuery())] == [4]
    assert minutes_on_disk() == 2
    # Late rows cannot be read, and go with the next segment.
    apply(3, 240_000, 0)
    assert [row[-1] for row in ask(engine, WindowRangeQuery())] == [4]
    apply(4, 420_000, 6)
    assert minutes_on_disk() == 1
    engine.close()


def test_times_outside_the_range_of_a_key(tmp_path: Path) -> None:
    engine = RocksPartition(tmp_path, schema=replace(HOURS, retention_ms=None), partition=0)
    rows = [(1, m * 60_000_000, m * 60_000_000 + 1_000_000, m) for m in (-9, 9)]
    engine.apply(progress(0), [batch(HOURS, rows)])
    wide = TimeRange(start_ms=-(10**40), end_ms=10**40)
    assert [row[-1] for row in ask(engine, WindowRangeQuery(time=wide))] == [-9, 9]
    stream = engine.handlers[WindowKeyQuery](engine.view, WindowKeyQuery(key=(1,), time=wide))
    assert [row[-1] for row in rows_of(stream)] == [-9, 9]
    engine.close()


# Crashes

APPLY_FOREVER = """
import sys
from pathlib import Path
from stategate.stores.engines.rocksdb.partition import RocksPartition
from tests.stores.engines.rocksdb.test_partition import CLICKS, of_three_epochs
from tests.support.stores import batch, progress

engine = RocksPartition(
    Path(sys.argv[1]), schema=CLICKS, partition=0, unflushed=of_three_epochs()
)
epoch = engine.view.progress.epoch
while True:
    epoch += 1
    rows = [(n, str(epoch)) for n in range(200)]
    if epoch % 10 == 9:
        engine.reset()
    engine.apply(progress(epoch), [batch(CLICKS, rows)], replace=epoch % 3 == 0)
    engine.maintain(lambda: False)
    print(epoch, flush=True)
"""


def test_a_kill_at_any_moment_leaves_a_whole_epoch(tmp_path: Path) -> None:
    draw = random.Random(os.getpid())
    epoch, kept = -1, 0
    for kills in range(30):
        if kills >= 3 and kept:
            break
        command = [sys.executable, "-c", APPLY_FOREVER, str(tmp_path)]
        with started(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            said = int(process.stdout.readline())
            assert said == epoch + 1
            time.sleep(draw.uniform(0, 0.1))
            process.send_signal(signal.SIGKILL)
            said = max([said, *map(int, process.stdout.read().split("\n")[:-1])])
        engine = RocksPartition(tmp_path, schema=CLICKS, partition=0)
        epoch = engine.view.progress.epoch
        # Unflushed epochs are lost, and a kill inside a reset leaves an empty database.
        assert -1 <= epoch <= said + 1
        kept += epoch >= 0
        rows = ask(engine, RangeQuery())
        assert rows == ([] if epoch == -1 else [(n, str(epoch)) for n in range(200)])
        assert engine.view.progress == (Progress() if epoch == -1 else progress(epoch))
        found = engine.handlers[KeyQuery](engine.view, KeyQuery.with_key(0))
        assert found == (None if epoch == -1 else (str(epoch),))
        engine.close()
    else:
        raise AssertionError("nothing is ever flushed")

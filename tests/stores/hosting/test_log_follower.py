"""A store over a real state log, followed by hand: one call of `follow` at a time."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from stategate.stores.engines.memory.partition import MemoryPartition
from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.errors import (
    LogMissingError,
)
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.replica import Replica
from stategate.stores.log.snapshots import Fetch
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position, PositionBound, Progress
from stategate.stores.spec.query import KeyQuery
from stategate.stores.spec.result import Success
from stategate.stores.spec.store import (
    in_store,
)
from stategate.stores.spec.windows import WindowRangeQuery
from stategate.stores.upkeep.retention import Retention, compact
from tests.stores.hosting.followed import (
    CLICKS,
    HOURS,
    USERS,
    answered,
    counts,
    epochs,
    errors,
    followed,
    write,
)
from tests.support.logs import edit_record
from tests.support.values import rows_of


def test_each_call_applies_one_epoch(tmp_path: Path) -> None:
    write(tmp_path, 0)
    write(tmp_path, 1, users=["bob", "new"])
    store = followed(tmp_path)
    assert store.follow()
    assert counts(store) == dict.fromkeys(USERS, 0)
    assert store.follow()
    assert counts(store) == {**dict.fromkeys(USERS, 0), "bob": 1, "new": 1}
    assert not store.follow()
    # Partitions without new rows get the position and the epoch, too.
    result = store.query(in_store("clicks").with_query(KeyQuery.with_key("nobody")))
    assert {r.epoch for r in result.partitions.values()} == {1}
    assert {r.position for r in result.partitions.values()} == {Position.of({"events": {0: 10}})}
    assert store.committed_epoch() == 1


def commit_path(root: Path, epoch: int) -> Path:
    return root / "clicks" / "epochs" / f"{epoch:020d}.json"


def data_path(root: Path, epoch: int) -> Path:
    return next((root / "clicks" / "data" / str(epoch)).rglob("*.parquet"))


@pytest.mark.parametrize(
    ("path", "named"),
    [(commit_path, "0001.json"), (data_path, ".parquet")],
    ids=["commit record", "data file"],
)
@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
        lambda path: path.write_bytes(b"{} not ours at all"),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"\0" * path.stat().st_size),
    ],
    ids=["torn", "foreign", "empty", "zeros"],
)
def test_a_damaged_file_leaves_the_last_good_epoch(
    tmp_path: Path,
    path: Callable[[Path, int], Path],
    named: str,
    damage: Callable[[Path], object],
) -> None:
    write(tmp_path, 0)
    store = followed(tmp_path)
    store.follow()
    write(tmp_path, 1)
    damaged = path(tmp_path, 1)
    whole = damaged.read_bytes()
    damage(damaged)
    for _ in range(2):
        store.follow()
        (error,) = errors(store) - {None}
        assert error is not None
        assert named in error
    assert set(counts(store).values()) <= {0, 1}
    assert 0 in epochs(store)
    damaged.write_bytes(whole)
    assert store.follow()
    assert (errors(store), epochs(store)) == ({None}, {1})
    assert counts(store) == dict.fromkeys(USERS, 1)


def test_a_missing_file_stops_only_the_partition_that_needs_it(tmp_path: Path) -> None:
    write(tmp_path, 0)
    write(tmp_path, 1, users=["bob"])
    hidden = data_path(tmp_path, 1)
    whole = hidden.read_bytes()
    hidden.unlink()
    store = followed(tmp_path)
    store.follow()
    assert store.follow()
    stuck = {p for p, status in store.statuses().items() if status.error is not None}
    assert len(stuck) == 1
    assert {p for p, s in store.statuses().items() if s.progress.epoch == 0} == stuck
    # The partitions are at two epochs now. The others go on; the one that is stuck catches up
    # when it can.
    write(tmp_path, 2, users=["new"])
    assert store.follow()
    assert epochs(store) == {0, 2}
    hidden.write_bytes(whole)
    assert store.follow()
    assert store.follow()
    assert (epochs(store), errors(store)) == ({2}, {None})


class Faulty(MemoryPartition):
    """An engine with a bug."""

    def apply(
        self, progress: Progress, batches: Iterable[pa.RecordBatch], *, replace: bool = False
    ) -> None:
        """Apply the first epoch, and fail at the next."""
        if progress.epoch:
            raise ZeroDivisionError("of its own")
        super().apply(progress, batches, replace=replace)


def test_a_failing_engine_stops_only_its_own_partition(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for epoch in range(3):
        write(tmp_path, epoch)
    engines = [Faulty(CLICKS, 0), MemoryPartition(CLICKS, 1), Faulty(CLICKS, 2)]
    replicas = {n: Replica(e, schema=CLICKS, partition=n) for n, e in enumerate(engines)}
    store = LocalStore(CLICKS, replicas, log=StoreLog.open(tmp_path, "clicks"))
    for _ in range(4):
        store.follow()
    statuses = store.statuses()
    assert {n: status.progress.epoch for n, status in statuses.items()} == {0: 0, 1: 2, 2: 0}
    tripped = "ZeroDivisionError: of its own"
    assert {n: status.error for n, status in statuses.items()} == {0: tripped, 1: None, 2: tripped}
    # The failure is logged with its traceback, once for each replica and not at every poll.
    assert [record.exc_info is not None for record in caplog.records] == [True, True]


def test_a_past_error_is_cleared_without_a_new_epoch(tmp_path: Path) -> None:
    write(tmp_path, 0)
    store = followed(tmp_path)
    store.follow()
    commit_path(tmp_path, 1).write_bytes(b"junk")
    store.follow()
    assert None not in errors(store)
    commit_path(tmp_path, 1).unlink()
    store.follow()
    assert errors(store) == {None}


def test_a_store_is_served_after_its_log_is_gone(tmp_path: Path) -> None:
    write(tmp_path, 0)
    store = followed(tmp_path)
    store.follow()
    shutil.rmtree(tmp_path / "clicks")
    with pytest.raises(LogMissingError):
        store.committed_epoch()
    assert counts(store) == dict.fromkeys(USERS, 0)


def test_an_epoch_of_another_log_is_not_applied(tmp_path: Path) -> None:
    for epoch in range(2):
        write(tmp_path / "one", epoch)
        write(tmp_path / "two", epoch, n=100 + epoch)
    write(tmp_path / "two", 2, users=["bob"], n=102)
    store = followed(tmp_path / "one")
    store.follow()
    store.follow()
    shutil.rmtree(tmp_path / "one")
    shutil.copytree(tmp_path / "two", tmp_path / "one")
    assert not store.follow()
    (error,) = errors(store)
    assert error == 'store "clicks" was removed and created again'
    assert counts(store) == dict.fromkeys(USERS, 1)


def test_copies_of_a_log_that_go_on_at_one_moment_differ_by_their_input(tmp_path: Path) -> None:
    rows = pa.table({"usr": USERS, "n": [1] * len(USERS)})
    StoreWriter(tmp_path / "one", CLICKS)
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    for name, offset in (("one", 1), ("two", 2)):
        writer = StoreWriter(tmp_path / name, CLICKS)
        for epoch in range(2):
            at = Position.of({"events": {0: 10 * epoch + offset}})
            writer.write(rows, position=at, committed_ms=7)
    store = followed(tmp_path / "one")
    store.follow()
    shutil.rmtree(tmp_path / "one")
    shutil.copytree(tmp_path / "two", tmp_path / "one")
    assert not store.follow()
    assert errors(store) == {"the log is not the one that epoch 0 came from"}


def test_a_replacing_epoch_is_the_whole_store(tmp_path: Path) -> None:
    write(tmp_path, 0)
    rows = pa.table({"usr": ["only"], "n": [7]})
    writer = StoreWriter(tmp_path, CLICKS)
    writer.write(rows, position=Position.of({"events": {0: 10}}), replace=True)
    store = followed(tmp_path)
    store.follow()
    store.follow()
    assert counts(store) == {"only": 7}


def test_a_watermark_never_goes_back(tmp_path: Path) -> None:
    """Otherwise expired windows, which some replicas have dropped, would come back."""
    hour_us, hour_ms = 3_600_000_000, 3_600_000
    writer = StoreWriter(tmp_path, HOURS)
    times = pa.array([0, 11 * hour_us], pa.timestamp("us", tz="UTC"))
    rows = pa.table({"usr": ["a", "b"], "window_start": times, "n": [1, 2]})
    for epoch, watermark_ms in enumerate([11 * hour_ms, None, 0]):
        position = Position.of({"events": {0: epoch}})
        writer.write(rows, position=position, watermark_ms=watermark_ms)
        # `StoreWriter` never writes an older one, but readers of the log do not rely on that.
        path = tmp_path / "hours" / "epochs" / f"{epoch:020d}.json"
        edit_record(path, watermark_ms=watermark_ms)
    store = followed(tmp_path, HOURS)
    for _ in range(3):
        assert store.follow()
        assert store.replicas[0].progress.watermark_ms == 11 * hour_ms
        result = store.query_partition(0, WindowRangeQuery(columns=("usr",)))
        assert isinstance(result, Success)
        assert rows_of(result.value) == [("b",)]


def test_a_replica_restarted_before_a_torn_record_answers(tmp_path: Path) -> None:
    """It is as new as its earlier answers; a replica that is filled anew would be older."""
    write(tmp_path, 0)
    write(tmp_path, 1)
    engines = [MemoryPartition(CLICKS, number) for number in range(3)]
    for engine in engines[:2]:
        commit = StoreLog.open(tmp_path, "clicks").commit(0)
        assert commit is not None
        engine.apply(
            Progress(epoch=0, position=commit.position, committed_ms=commit.committed_ms), []
        )
    commit_path(tmp_path, 1).write_bytes(b"torn")
    log = StoreLog.open(tmp_path, "clicks")
    replicas = {
        e.partition: Replica(e, schema=CLICKS, partition=e.partition, restore_to=1) for e in engines
    }
    store = LocalStore(CLICKS, replicas, log=log)
    assert set(answered(store, PositionBound()).values()) == {"NOT_UP_TO_BOUND"}
    store.follow()
    store.follow()
    assert answered(store, PositionBound()) == {0: 0, 1: 0, 2: "NOT_UP_TO_BOUND"}
    assert all(error is not None and "0001.json" in error for error in errors(store))


def test_a_restart_without_the_log_waits_for_it(tmp_path: Path) -> None:
    """It cannot tell what it lacks: a missing log is not a torn one."""
    write(tmp_path, 0)
    commit = StoreLog.open(tmp_path, "clicks").commit(0)
    assert commit is not None
    engine = MemoryPartition(CLICKS, 0)
    engine.apply(Progress(position=commit.position, epoch=0, committed_ms=commit.committed_ms), [])
    replica = Replica(engine, schema=CLICKS, partition=0, restore_to=1)
    store = LocalStore(CLICKS, {0: replica}, log=StoreLog.open(tmp_path, "clicks"))
    shutil.move(tmp_path / "clicks", tmp_path / "away")
    store.follow()
    assert replica.error is not None
    assert answered(store, PositionBound())[0] == "NOT_UP_TO_BOUND"
    shutil.move(tmp_path / "away", tmp_path / "clicks")
    write(tmp_path, 1)
    assert store.follow()
    assert answered(store, PositionBound())[0] == 1


@pytest.fixture
def awaiting(tmp_path: Path) -> Iterator[LocalStore]:
    """A store that was followed before its first epoch, of which only a snapshot is left."""
    log = StoreLog.open(tmp_path, "clicks")
    log.define(CLICKS)
    replicas = {
        number: Replica(
            RocksPartition(tmp_path / "data" / str(number), schema=CLICKS, partition=number),
            schema=CLICKS,
            partition=number,
        )
        for number in range(3)
    }
    store = LocalStore(CLICKS, replicas, log=log)
    assert not store.follow()
    assert set(answered(store, PositionBound()).values()) == {-1}
    for epoch in range(3):
        write(tmp_path, epoch)
    compact(tmp_path, "clicks", retention=Retention(epochs=1))
    assert not commit_path(tmp_path, 0).exists()
    yield store
    store.close()


def test_an_empty_replica_is_filled_at_once_if_the_first_epochs_are_gone(
    awaiting: LocalStore,
) -> None:
    """It does not wait for its next listing."""
    assert awaiting.follow()
    assert counts(awaiting) == dict.fromkeys(USERS, 2)


def test_an_empty_replica_does_not_answer_for_a_log_with_rows(
    awaiting: LocalStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stategate.stores.log.snapshots.RETRY_S", 0.0)
    (snapshot,) = (tmp_path / "clicks" / "snapshots").rglob("*.json")
    whole = snapshot.read_bytes()
    snapshot.write_bytes(b"torn")
    awaiting.follow()
    assert set(answered(awaiting, PositionBound()).values()) == {"NOT_UP_TO_BOUND"}
    snapshot.write_bytes(whole)
    assert awaiting.follow()
    assert answered(awaiting, PositionBound()) == {0: 2, 1: 2, 2: 2}


def test_an_empty_replica_does_not_answer_while_a_snapshot_is_fetched(
    awaiting: LocalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int | str] = []
    plain = RocksPartition.restore

    def restore(self: RocksPartition, fetch: Fetch, progress: Progress) -> None:
        seen.append(answered(awaiting, PositionBound())[self.partition])
        plain(self, fetch, progress)

    monkeypatch.setattr(RocksPartition, "restore", restore)
    assert awaiting.follow()
    assert seen == ["NOT_UP_TO_BOUND"] * 3

"""Snapshots: written from the log, restored by empty replicas and by those far behind."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from stategate.stores.engines.memory.partition import MemoryPartition
from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.errors import LogError, TornRecordError
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.replica import Replica
from stategate.stores.log.files.directory import Directory
from stategate.stores.log.metadata.records import (
    Snapshot,
    decode_snapshot,
    encode_snapshot,
    snapshot_name,
)
from stategate.stores.log.snapshots import RETRY_S, SnapshotReader, fetch, read_snapshot
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position, Progress
from stategate.stores.spec.query import RangeQuery
from stategate.stores.spec.result import Success
from stategate.stores.spec.schema import Row, StoreSchema
from stategate.stores.spec.store import ReplicaState
from stategate.stores.spec.windows import WindowRangeQuery
from stategate.stores.upkeep.compaction import write_snapshot
from tests.support.stores import keyvalue, window
from tests.support.values import rows_of

CLICKS = keyvalue("clicks", {"usr": "text"}, {"n": "bigint", "seen": "bigint[]"}, partitions=2)
USERS = [f"user-{number}" for number in range(40)]
LAST = 5


def write(root: Path, epoch: int, *, gone: bool = True) -> None:
    """Write an epoch that raises the number of each user and removes one user."""
    deleted = [number <= epoch and gone for number in range(len(USERS))]
    rows = pa.table(
        {
            "usr": USERS,
            "n": [epoch] * len(USERS),
            "seen": [list(range(epoch))] * len(USERS),
            "_deleted": deleted,
        }
    )
    position = Position.of({"events": {0: epoch * 10}})
    StoreWriter(root, CLICKS).write(rows, position=position, epoch=epoch)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a log of epochs 0 to LAST with a snapshot of the last one."""
    found = tmp_path / "log"
    for epoch in range(LAST + 1):
        write(found, epoch)
    write_snapshot(found, "clicks")
    return found


def expected(epoch: int) -> list[Row]:
    return [(usr, epoch, list(range(epoch))) for n, usr in enumerate(USERS) if n > epoch]


def remove_epochs(root: Path, before: int) -> None:
    for epoch in range(before):
        (root / "clicks" / "epochs" / f"{epoch:020d}.json").unlink(missing_ok=True)
        shutil.rmtree(root / "clicks" / "data" / str(epoch), ignore_errors=True)


def followed(root: Path, data: Path, schema: StoreSchema = CLICKS) -> LocalStore:
    # The clock advances by a second at each call, so that every poll lists the directory.
    seconds = itertools.count()
    directory = Directory.at(root).within(schema.name)
    log = StoreLog(directory, schema.name, clock=lambda: float(next(seconds)))
    replicas = {
        number: Replica(
            RocksPartition(data / str(number), schema=schema, partition=number),
            schema=schema,
            partition=number,
            restore_to=log.latest_epoch(),
        )
        for number in range(schema.partitions)
    }
    return LocalStore(schema, replicas, log=log)


def contents(store: LocalStore) -> list[Row]:
    results = [store.query_partition(n, RangeQuery()) for n in store.replicas]
    assert all(isinstance(result, Success) for result in results)
    return sorted(
        (row for r in results if isinstance(r, Success) for row in rows_of(r.value)),
        key=lambda row: int(row[0].partition("-")[2]),
    )


def epochs(store: LocalStore) -> set[int]:
    return {status.progress.epoch for status in store.statuses().values()}


def snapshot_file(root: Path, partition: int = 0) -> Path:
    return next((root / "clicks" / "snapshots").rglob(f"p{partition:05d}-*.sst"))


def snapshot_commit(root: Path, epoch: int = LAST) -> Path:
    return root / "clicks" / snapshot_name(epoch)


def _copy(source: Path, target: Path) -> None:
    shutil.copyfile(source, target)


def edited(root: Path, **fields: object) -> None:
    path = snapshot_commit(root)
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


def test_an_empty_replica_begins_with_the_snapshot(root: Path, tmp_path: Path) -> None:
    remove_epochs(root, LAST)
    store = followed(root, tmp_path / "data")
    assert store.follow()
    assert epochs(store) == {LAST}
    assert contents(store) == expected(LAST)
    commit = StoreLog.open(root, "clicks").commit(LAST)
    assert commit is not None
    for status in store.statuses().values():
        assert status.state is ReplicaState.RUNNING
        assert status.progress.position == commit.position
        assert status.progress.committed_ms == commit.committed_ms
    write(root, LAST + 1)
    assert store.follow()
    assert contents(store) == expected(LAST + 1)
    store.close()
    again = followed(root, tmp_path / "data")
    assert contents(again) == expected(LAST + 1)
    again.close()


def test_a_snapshot_is_preferred_to_the_epochs_before_it(root: Path, tmp_path: Path) -> None:
    store = followed(root, tmp_path / "data")
    assert store.follow()
    assert epochs(store) == {LAST}
    store.close()


def test_a_replica_behind_the_oldest_epoch_restores(root: Path, tmp_path: Path) -> None:
    shutil.rmtree(root / "clicks" / "snapshots")
    store = followed(root, tmp_path / "data")
    for _ in range(2):
        store.follow()
    assert epochs(store) == {1}
    write_snapshot(root, "clicks")
    remove_epochs(root, LAST)
    assert store.follow()
    assert contents(store) == expected(LAST)
    assert {status.error for status in store.statuses().values()} == {None}
    store.close()


def test_a_later_snapshot_builds_on_the_one_before(root: Path, tmp_path: Path) -> None:
    remove_epochs(root, LAST)
    write(root, LAST + 1)
    snapshot = write_snapshot(root, "clicks", scratch=tmp_path)
    assert snapshot.epoch == LAST + 1
    assert sum(file.rows for file in snapshot.files) == len(expected(LAST + 1))
    remove_epochs(root, LAST + 1)
    store = followed(root, tmp_path / "data")
    assert store.follow()
    assert contents(store) == expected(LAST + 1)
    store.close()


def test_writing_a_snapshot_again_changes_nothing(root: Path) -> None:
    before = sorted(root.rglob("*"))
    found = write_snapshot(root, "clicks")
    assert found == read_snapshot(StoreLog.open(root, "clicks"), LAST)
    assert sorted(root.rglob("*")) == before
    assert decode_snapshot(encode_snapshot(found), "commit.json") == found


def test_a_store_without_an_epoch_has_no_snapshot(tmp_path: Path) -> None:
    StoreWriter(tmp_path, CLICKS)
    with pytest.raises(LogError):
        write_snapshot(tmp_path, "clicks")


def test_windows_keep_their_watermark(tmp_path: Path) -> None:
    """The last epoch has no watermark; the snapshot must not bring expired rows back."""
    hour_us, hour_ms = 3_600_000_000, 3_600_000
    hours = window(
        "hours", {"usr": "text"}, {"n": "bigint"}, partitions=1, retention_ms=10 * hour_ms
    )
    writer = StoreWriter(tmp_path / "log", hours)
    times = pa.array([0, 11 * hour_us], pa.timestamp("us", tz="UTC"))
    rows = pa.table({"usr": ["a", "b"], "window_start": times, "n": [1, 2]})
    for epoch, watermark_ms in enumerate([11 * hour_ms, None]):
        position = Position.of({"events": {0: epoch}})
        writer.write(rows, position=position, watermark_ms=watermark_ms)
    assert write_snapshot(tmp_path / "log", "hours").watermark_ms == 11 * hour_ms
    store = followed(tmp_path / "log", tmp_path / "data", hours)
    assert store.follow()
    result = store.query_partition(0, WindowRangeQuery(columns=("usr",)))
    assert isinstance(result, Success)
    assert rows_of(result.value) == [("b",)]
    store.close()


def turned(path: Path) -> None:
    """Flip one bit of a file, in its rows."""
    found = bytearray(path.read_bytes())
    found[len(found) // 4] ^= 1
    path.write_bytes(found)


def foreign(root: Path, last: int) -> None:
    """Replace all snapshots with whole ones of another log with the same definition."""
    other = root.with_name("other")
    for epoch in range(last + 1):
        write(other, epoch, gone=False)
    write_snapshot(other, "clicks")
    shutil.rmtree(root / "clicks" / "snapshots")
    shutil.copytree(other / "clicks" / "snapshots", root / "clicks" / "snapshots")


DAMAGE: dict[str, Callable[[Path], object]] = {
    "torn file": lambda root: os.truncate(snapshot_file(root), 100),
    "longer file": lambda root: os.truncate(snapshot_file(root), 100_000),
    "other bytes": lambda root: snapshot_file(root).write_bytes(
        bytes(snapshot_file(root).stat().st_size)
    ),
    "one bit": lambda root: turned(snapshot_file(root)),
    "missing file": lambda root: snapshot_file(root).unlink(),
    "torn record": lambda root: os.truncate(snapshot_commit(root), 30),
    "foreign record": lambda root: snapshot_commit(root).write_bytes(b"not ours"),
    "other format": lambda root: edited(root, format=99),
    "other epoch": lambda root: edited(root, epoch=LAST - 1),
    "other log": lambda root: edited(root, committed_ms=1),
    "of another log": lambda root: foreign(root, LAST),
    "other layout": lambda root: edited(root, layout="rocksdb-0"),
    "a path outside": lambda root: edited(
        root, files=[{"path": "../x", "partition": 0, "rows": 1, "size_bytes": 1, "sha256": ""}]
    ),
    "no file of the partition": lambda root: edited(root, files=[]),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_snapshot_leaves_the_epochs(
    root: Path, tmp_path: Path, damage: Callable[[Path], object]
) -> None:
    damage(root)
    store = followed(root, tmp_path / "data")
    for _ in range(LAST + 1):
        assert store.follow()
    assert contents(store) == expected(LAST)
    assert {status.error for status in store.statuses().values()} == {None}
    store.close()
    assert not list((tmp_path / "data").glob("*.restore"))


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_snapshot_without_the_epochs_is_named(
    root: Path, tmp_path: Path, damage: Callable[[Path], object]
) -> None:
    remove_epochs(root, LAST)
    damage(root)
    store = followed(root, tmp_path / "data")
    store.follow()
    status = store.statuses()[0]
    assert status.progress == Progress()
    assert status.error is not None
    assert "follows epoch" in status.error
    assert "snapshot" in status.error
    store.close()


@pytest.mark.parametrize("kept", [LAST, LAST + 1])
def test_a_log_that_ends_before_a_snapshot_is_not_opened(
    root: Path, tmp_path: Path, kept: int
) -> None:
    """The epochs in between are missing, so an answer could be older than an earlier one."""
    foreign(root, LAST + 2)
    if kept == LAST:
        shutil.rmtree(root / "clicks" / "epochs")
    with pytest.raises(TornRecordError, match=f"has a snapshot of epoch {LAST + 2}"):
        followed(root, tmp_path / "data")


def test_an_older_snapshot_is_used_if_the_newest_is_damaged(root: Path, tmp_path: Path) -> None:
    write(root, LAST + 1)
    write_snapshot(root, "clicks")
    remove_epochs(root, LAST)
    snapshot_commit(root, LAST + 1).write_bytes(b"")
    store = followed(root, tmp_path / "data")
    assert store.follow()
    assert epochs(store) == {LAST}
    assert store.follow()
    assert contents(store) == expected(LAST + 1)
    store.close()


def test_a_snapshot_that_failed_is_not_tried_at_every_poll(root: Path, tmp_path: Path) -> None:
    now = [0.0]
    reader = SnapshotReader(StoreLog.open(root, "clicks"), clock=lambda: now[0])
    (replica, *_) = followed(root, tmp_path / "data").replicas.values()
    whole = snapshot_file(root).read_bytes()
    snapshot_file(root).write_bytes(b"")
    assert not reader.restore(replica)
    assert "not the one" in str(reader.error(0))
    snapshot_file(root).write_bytes(whole)
    now[0] = RETRY_S - 0.1
    assert not reader.restore(replica)
    now[0] = RETRY_S
    assert reader.restore(replica)
    assert reader.error(0) is None
    assert not reader.restore(replica)
    replica.close()


def test_an_engine_that_takes_no_snapshots_follows_the_epochs(root: Path) -> None:
    engine = MemoryPartition(CLICKS, 0)
    store = LocalStore(
        CLICKS,
        {0: Replica(engine, schema=CLICKS, partition=0)},
        log=StoreLog.open(root, "clicks"),
    )
    assert store.follow()
    assert epochs(store) == {0}


def test_an_unreadable_file_leaves_an_empty_replica(root: Path, tmp_path: Path) -> None:
    """The rows are removed by then, so the progress must be, too, and queries are refused."""
    store = followed(root, tmp_path / "data")
    store.follow()
    replica = store.replicas[0]
    replica.apply(Progress(epoch=LAST + 1), [])
    snapshot = read_snapshot(StoreLog.open(root, "clicks"), LAST)
    assert snapshot is not None
    with pytest.raises(Exception, match="cannot take"):
        replica.restore(lambda path: _copy(snapshot_commit(root), path), snapshot.progress)
    assert replica.progress == Progress()
    assert replica.state is ReplicaState.RESTORING
    assert replica.status.progress == Progress()
    # It has answered at this epoch, so it must not answer at an earlier one.
    for epoch, state in ((LAST, ReplicaState.RESTORING), (LAST + 1, ReplicaState.RUNNING)):
        replica.apply(Progress(epoch=epoch), [])
        assert replica.state is state
    store.close()


def test_a_file_of_another_progress_is_refused(root: Path, tmp_path: Path) -> None:
    store = followed(root, tmp_path / "data")
    log = StoreLog.open(root, "clicks")
    snapshot = read_snapshot(log, LAST)
    assert isinstance(snapshot, Snapshot)
    file = snapshot.file_of(0)
    assert file is not None
    with pytest.raises(Exception, match="another progress"):
        store.replicas[0].restore(lambda path: fetch(log.directory, file, path), Progress(epoch=9))
    assert store.replicas[0].progress == Progress()
    with pytest.raises(TornRecordError):
        fetch(log.directory.within("nowhere"), file, tmp_path / "x")
    # The hash reveals it; RocksDB checks only the blocks that it reads.
    turned(snapshot_file(root))
    with pytest.raises(TornRecordError, match="not the one that was committed"):
        fetch(log.directory, file, tmp_path / "x")
    store.close()


KILLED_AT = """
import os, signal, sys
from pathlib import Path
import stategate.stores.engines.rocksdb.partition as rocksdb
from tests.stores.log.test_snapshots import followed

step, before = sys.argv[3], sys.argv[4] == "before"
def die(*args):
    os.kill(os.getpid(), signal.SIGKILL)
if step == "clear":
    whole = rocksdb.RocksPartition._clear
    def cut(self):
        if not before:
            whole(self)
        die()
    store = followed(Path(sys.argv[1]), Path(sys.argv[2]))
    rocksdb.RocksPartition._clear = cut
else:
    whole = rocksdb.Database.ingest
    def cut(database, path):
        if not before:
            whole(database, path)
        die()
    store = followed(Path(sys.argv[1]), Path(sys.argv[2]))
    rocksdb.Database.ingest = cut
store.follow()
"""


@pytest.mark.parametrize("step", ["clear", "ingest"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_killed_at_any_step(root: Path, tmp_path: Path, step: str, when: str) -> None:
    """Afterwards the replica has the epoch before, nothing, or the snapshot; then it goes on."""
    shutil.copytree(root, tmp_path / "early")
    early = tmp_path / "early"
    shutil.rmtree(early / "clicks" / "snapshots")
    store = followed(early, tmp_path / "data")
    store.follow()
    store.follow()
    store.close()
    remove_epochs(root, LAST)
    command = [sys.executable, "-c", KILLED_AT, str(root), str(tmp_path / "data"), step, when]
    killed = subprocess.run(command, check=False, timeout=60, capture_output=True, text=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    store = followed(root, tmp_path / "data")
    found = store.replicas[0]
    assert found.progress.epoch in {-1, 1, LAST}
    names = [
        row[0]
        for row in rows_of(found.engine.handlers[RangeQuery](found.engine.view, RangeQuery()))
    ]
    assert (names == []) == (found.progress.epoch == -1)
    while epochs(store) != {LAST}:
        assert store.follow()
    assert contents(store) == expected(LAST)
    store.close()

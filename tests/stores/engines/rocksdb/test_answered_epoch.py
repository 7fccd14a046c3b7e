"""The answered epoch outlives the process, and a replica never answers at an older one.

A killed process leaves a database that is older than its answers. A copy of an open database
simulates it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from stategate.stores.engines.rocksdb.database import Database
from stategate.stores.engines.rocksdb.metadata import NEVER, AnsweredEpoch
from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.errors import StoreError
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.replica import Replica
from stategate.stores.log.files.directory import Directory
from stategate.stores.log.snapshots import fetch, read_snapshot
from stategate.stores.log.state_log import StoreLog
from stategate.stores.spec.query import RangeQuery
from stategate.stores.spec.result import Failure, Success
from stategate.stores.spec.store import ReplicaState, in_store
from stategate.stores.upkeep.compaction import write_snapshot
from tests.support.database_files import copy_as_killed
from tests.support.hosts import OTHERS, write
from tests.support.values import rows_of

SCAN = in_store("others").with_query(RangeQuery())


def opened(root: Path, data: Path) -> LocalStore:
    log = StoreLog(Directory.at(root).within("others"), "others")
    engine = RocksPartition(data, schema=OTHERS, partition=0)
    replica = Replica(engine, schema=OTHERS, partition=0, restore_to=log.latest_epoch())
    return LocalStore(OTHERS, {0: replica}, log=log)


def answers(store: LocalStore) -> int | str:
    """Return the epoch at which a replica answers, or the reason why it does not."""
    result = store.query(SCAN).partitions[0]
    if isinstance(result, Success):
        assert {n for _, n in rows_of(result.value)} == {result.epoch}
        return result.epoch
    assert isinstance(result, Failure)
    return "restoring" if result.restoring else result.reason.value


def killed(store: LocalStore, data: Path, left: Path) -> Path:
    """Copy the files that a process would leave if it were killed now."""
    copy_as_killed(data, left)
    store.close()
    return left


def flush(store: LocalStore) -> None:
    engine = store.replicas[0].engine
    assert isinstance(engine, RocksPartition)
    engine._database._rdict.flush()


def record(root: Path, epoch: int) -> Path:
    return root / "others" / "epochs" / f"{epoch:020d}.json"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A log of five epochs; the rows of each have its number."""
    for n in range(5):
        write(tmp_path / "log", n=n, schema=OTHERS)
    return tmp_path / "log"


def at_epoch_4_with_1_flushed(root: Path, data: Path) -> LocalStore:
    store = opened(root, data)
    while store.follow():
        if store.replicas[0].progress.epoch == 1:
            flush(store)
    assert answers(store) == 4
    return store


def test_a_replica_that_lost_answered_epochs_refuses(root: Path, tmp_path: Path) -> None:
    """The log can no longer be read, so the rows stay older than those of earlier answers."""
    store = at_epoch_4_with_1_flushed(root, tmp_path / "data")
    left = killed(store, tmp_path / "data", tmp_path / "left")
    whole = record(root, 3).read_bytes()
    record(root, 3).write_bytes(b"torn")
    for _ in range(2):  # another restart changes nothing
        again = opened(root, left)
        assert again.replicas[0].progress.epoch in {1, 2}
        for _ in range(3):
            again.follow()
        assert again.replicas[0].progress.epoch == 2
        assert answers(again) == "restoring"
        again.close()
    record(root, 3).write_bytes(whole)
    again = opened(root, left)
    while again.follow():
        pass
    assert answers(again) == 4
    again.close()


def test_a_replica_that_is_as_new_as_its_answers_answers_again(root: Path, tmp_path: Path) -> None:
    """It is killed before its first flush, and the log goes on with a torn record."""
    store = opened(root, tmp_path / "data")
    while store.follow():
        pass
    left = killed(store, tmp_path / "data", tmp_path / "left")
    record(root, 5).write_bytes(b"torn")
    again = opened(root, left)
    assert again.replicas[0].progress.epoch == -1
    while again.follow():
        assert answers(again) in {"restoring", 4}
    again.follow()
    assert answers(again) == 4
    again.close()


def test_a_replica_that_never_answered_does_not_begin_at_a_torn_record(
    root: Path, tmp_path: Path
) -> None:
    """It may replace a newer one whose disk is lost; a restart does not change that."""
    record(root, 3).write_bytes(b"torn")
    for _ in range(2):
        store = opened(root, tmp_path / "data")
        for _ in range(5):
            store.follow()
        assert store.replicas[0].progress.epoch == 2
        assert answers(store) == "restoring"
        store.close()


def test_a_database_without_the_file_counts_as_having_answered(root: Path, tmp_path: Path) -> None:
    store = at_epoch_4_with_1_flushed(root, tmp_path / "data")
    store.close()
    (tmp_path / "data" / "ANSWERED").write_bytes(b"\x01")
    write(root, n=5, schema=OTHERS)
    record(root, 5).write_bytes(b"torn")
    again = opened(root, tmp_path / "data")
    assert answers(again) == "restoring"
    again.follow()
    assert answers(again) == 4
    again.close()


def test_an_emptied_replica_refuses_rather_than_answer_without_rows(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A snapshot that cannot be ingested has removed the rows, and the epochs are gone too."""
    store = at_epoch_4_with_1_flushed(root, tmp_path / "data")
    left = killed(store, tmp_path / "data", tmp_path / "left")
    write_snapshot(root, "others")
    for epoch in range(4):
        record(root, epoch).unlink()
    states: list[ReplicaState] = []
    again = opened(root, left)

    def fail(*_: object) -> None:
        states.append(again.replicas[0].state)
        raise StoreError("no space left")

    monkeypatch.setattr(Database, "ingest", fail)
    for _ in range(3):
        again.follow()
    assert set(states) == {ReplicaState.RESTORING}
    assert again.replicas[0].progress.epoch == -1
    assert answers(again) == "restoring"
    again.close()


def test_a_replica_refuses_while_a_snapshot_replaces_its_rows(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only then could a query miss rows; the replica still answers while the file is fetched."""
    store = opened(root, tmp_path / "data")
    while store.follow():
        pass
    replica, log = store.replicas[0], StoreLog.open(root, "others")
    write(root, n=5, schema=OTHERS)
    write_snapshot(root, "others")
    snapshot = read_snapshot(log, 5)
    assert snapshot is not None
    (file,) = snapshot.files
    seen: list[int | str] = []

    def bring(path: Path) -> None:
        fetch(log.directory, file, path)
        seen.append(answers(store))

    ingest = Database.ingest

    def look_and_ingest(*args: object) -> None:
        seen.append(answers(store))
        ingest(*args)  # type: ignore[arg-type]
        seen.append(answers(store))

    monkeypatch.setattr(Database, "ingest", look_and_ingest)
    replica.restore(bring, snapshot.progress)
    assert seen == [4, "restoring", "restoring"]
    assert answers(store) == 5
    with pytest.raises(StoreError, match="another progress"):
        replica.restore(bring, replace(snapshot.progress, epoch=9))
    assert answers(store) == "restoring"
    store.close()


def test_an_emptied_replica_remembers_its_answered_epoch(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It does not answer at the epochs that it applies meanwhile, not even after a restart."""
    later = record(root, 2).read_bytes()
    record(root, 2).write_bytes(b"torn")
    store = opened(root, tmp_path / "data")
    store.replicas[0]._restore_to = 1
    while store.follow():
        pass
    assert answers(store) == 1
    store.close()
    record(root, 2).write_bytes(later)
    store = opened(root, tmp_path / "data")
    while store.follow():
        pass
    assert answers(store) == 4

    def fail(*_: object) -> None:
        raise StoreError("no space left")

    monkeypatch.setattr(Database, "ingest", fail)
    with pytest.raises(StoreError, match="no space"):
        store.replicas[0].restore(lambda path: None, store.replicas[0].progress)
    record(root, 2).write_bytes(b"torn")
    for _ in range(2):
        for _ in range(4):
            store.follow()
        assert store.replicas[0].progress.epoch == 1
        assert answers(store) == "restoring"
        store.close()
        store = opened(root, tmp_path / "data")
    store.close()


def test_a_database_of_another_definition_has_answered_nothing(root: Path, tmp_path: Path) -> None:
    at_epoch_4_with_1_flushed(root, tmp_path / "data").close()
    other = RocksPartition(tmp_path / "data", schema=replace(OTHERS, value=()), partition=0)
    assert other.answered.epoch == NEVER
    other.close()


def test_the_mark_moves_only_while_epochs_are_answered(tmp_path: Path) -> None:
    path = tmp_path / "mark"
    mark = AnsweredEpoch(path, applied=7)
    assert mark.epoch == 7
    mark.advance(8)
    assert mark.epoch == 7
    mark.begin(8)
    mark.advance(9)
    mark.pause()
    mark.advance(10)
    mark.close()
    mark.close()
    again = AnsweredEpoch(path, applied=0)
    assert again.epoch == 9
    again.forget()
    again.close()
    assert AnsweredEpoch(path, applied=3).epoch == NEVER


def test_a_mark_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot open"):
        AnsweredEpoch(tmp_path, applied=0)
    mark = AnsweredEpoch(tmp_path / "mark", applied=0)
    mark.begin(0)
    mark.close()
    with pytest.raises(StoreError, match="cannot write"):
        mark.advance(1)
    assert mark.epoch == 0


def test_an_epoch_that_cannot_be_marked_is_not_shown(root: Path, tmp_path: Path) -> None:
    """Otherwise queries would be answered at it, and the mark would not show that."""
    store = at_epoch_4_with_1_flushed(root, tmp_path / "data")
    engine = store.replicas[0].engine
    assert isinstance(engine, RocksPartition)
    write(root, n=5, schema=OTHERS)
    engine.answered.close()
    assert not store.follow()
    assert answers(store) == 4
    error = store.replicas[0].error
    assert error is not None
    assert "ANSWERED" in error
    engine.answered = AnsweredEpoch(tmp_path / "data" / "ANSWERED", applied=4)
    assert store.follow()
    assert answers(store) == 5
    store.close()

"""Retention: what goes and what stays, killed at any step, and beside a host that follows."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import fs

from stores.compaction import CompactionStoppedError, snapshot_of
from stores.errors import LogError, LogMissingError, TornRecordError
from stores.host import Host
from stores.local import LocalStore
from stores.log import DataFile, StoreLog, StoreWriter
from stores.logfiles import Directory
from stores.memory import MemoryPartition
from stores.position import Position, PositionBound
from stores.query import RangeQuery
from stores.records import Snapshot
from stores.registry import Opening, register_kind
from stores.replica import Replica
from stores.result import Success
from stores.retention import (
    DAY_MS,
    KEEP_MS,
    ORPHAN_AGE_MS,
    Compacted,
    Retention,
    RetentionError,
    compact,
    compact_log,
)
from stores.schema import Row
from stores.snapshots import commit_path, read_snapshot, snapshot_epochs
from stores.store import StorePartition, in_store
from tests.stores.test_snapshots import contents, followed
from tests.stores.values import rows_of
from tests.support.stores import keyvalue

CLICKS = keyvalue("clicks", {"usr": "text"}, {"n": "bigint"}, partitions=2)
USERS = [f"user-{number}" for number in range(20)]
T0 = 1_767_225_600_000
HOUR_MS = 3_600_000


def write(root: Path, epoch: int, committed_ms: int | None = None) -> None:
    """Every epoch counts all users on, and removes one of them for good."""
    rows = pa.table(
        {
            "usr": USERS,
            "n": [epoch] * len(USERS),
            "_deleted": [number <= epoch for number in range(len(USERS))],
        }
    )
    StoreWriter(root, CLICKS).write(
        rows,
        position=Position.of({"events": {0: epoch * 10}}),
        epoch=epoch,
        committed_ms=T0 + epoch * HOUR_MS if committed_ms is None else committed_ms,
    )


def expected(epoch: int) -> list[Row]:
    return [(usr, epoch) for n, usr in enumerate(USERS) if n > epoch]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A log of epochs 0 to 9, an hour apart."""
    found = tmp_path / "log"
    for epoch in range(10):
        write(found, epoch)
    return found


def log_of(root: Path) -> StoreLog:
    return StoreLog.open(root, "clicks")


def data_of(root: Path) -> list[int]:
    return sorted(int(path.name) for path in (root / "clicks" / "data").iterdir())


def run(root: Path, *, hours: float = 9, **options: object) -> Compacted:
    """A run at a time after the first epoch, when all that lies in the log is old."""
    whole = {"orphan_age_ms": 0, **options}
    later = lambda: int(T0 + hours * HOUR_MS)  # noqa: E731
    return compact(root, "clicks", clock=later, **whole)  # type: ignore[arg-type]


def read_whole(root: Path, data: Path) -> list[Row]:
    """What a replica shows that begins with nothing."""
    shutil.rmtree(data, ignore_errors=True)
    store = followed(root, data, CLICKS)
    while store.follow():
        pass
    assert {status.error for status in store.statuses().values()} == {None}
    found = contents(store)
    store.close()
    return found


def test_epochs_behind_the_age_go_and_a_snapshot_stands_for_them(
    root: Path, tmp_path: Path
) -> None:
    done = run(root, retention=Retention(age_ms=3 * HOUR_MS))
    assert done.snapshot is not None
    assert (done.snapshot.epoch, done.written) == (9, True)
    assert (done.epochs_removed, done.snapshots_removed, done.orphans_removed) == (6, 0, 0)
    assert log_of(root).epochs() == data_of(root) == [6, 7, 8, 9]
    assert read_whole(root, tmp_path / "data") == expected(9)


def test_so_many_epochs_stay(root: Path) -> None:
    assert run(root, retention=Retention(epochs=4)).epochs_removed == 6
    assert log_of(root).epochs() == [6, 7, 8, 9]
    assert run(root, retention=Retention(epochs=4)).epochs_removed == 0


def test_an_epoch_stays_that_one_of_two_limits_keeps(root: Path) -> None:
    run(root, retention=Retention(epochs=2, age_ms=5 * HOUR_MS))
    assert log_of(root).epochs() == [4, 5, 6, 7, 8, 9]
    run(root, retention=Retention(epochs=5, age_ms=0))
    assert log_of(root).epochs() == [5, 6, 7, 8, 9]


def test_the_commit_of_the_snapshot_stays_whatever_its_age(root: Path, tmp_path: Path) -> None:
    run(root, hours=10_000, retention=Retention(age_ms=0, epochs=0))
    assert log_of(root).epochs() == data_of(root) == [9]
    write(root, 10)
    assert read_whole(root, tmp_path / "data") == expected(10)


def test_nothing_that_no_snapshot_holds_is_removed(root: Path) -> None:
    run(root, retention=Retention(epochs=99))
    for epoch in (10, 11, 12):
        write(root, epoch)
    done = run(root, hours=10_000, every=4, retention=Retention(epochs=0))
    assert (done.written, done.epochs_removed) == (False, 9)
    assert log_of(root).epochs() == [9, 10, 11, 12]
    write(root, 13)
    done = run(root, hours=10_000, every=4, retention=Retention(epochs=0))
    assert (done.written, done.epochs_removed, done.snapshots_removed) == (True, 4, 1)
    assert snapshot_epochs(log_of(root)) == log_of(root).epochs() == [13]


def test_an_epoch_that_is_young_keeps_those_behind_it(root: Path) -> None:
    """Though they say that they are older: what is left has to be a chain."""
    write(root, 10, committed_ms=T0)
    write(root, 11)
    run(root, hours=11, retention=Retention(age_ms=2 * HOUR_MS))
    assert log_of(root).epochs() == [9, 10, 11]


def test_older_snapshots_go_with_their_epochs(root: Path, tmp_path: Path) -> None:
    run(root, retention=Retention(epochs=99))
    for epoch in (10, 11):
        write(root, epoch)
        run(root, retention=Retention(epochs=99))
    assert snapshot_epochs(log_of(root)) == [11, 10, 9]
    done = run(root, retention=Retention(epochs=2))
    assert (done.written, done.snapshots_removed) == (False, 1)
    assert snapshot_epochs(log_of(root)) == [11, 10]
    assert read_whole(root, tmp_path / "data") == expected(11)


def test_another_run_that_is_faster_is_no_failure(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def overtaken(log: StoreLog, **options: Any) -> Snapshot:
        snapshot_of(log, **options)
        raise LogError("epoch 3 is gone from the log")

    monkeypatch.setattr("stores.retention.snapshot_of", overtaken)
    done = run(root, retention=Retention(epochs=1))
    newest = log_of(root).latest_epoch()
    assert done.snapshot is not None
    assert (done.snapshot.epoch, done.written) == (newest, False)
    assert log_of(root).epochs() == [newest]
    # But a failure without a newer snapshot is one.
    write(root, newest + 1)

    def failing(*_: Any, **__: Any) -> Snapshot:
        raise LogError("the disk is full")

    monkeypatch.setattr("stores.retention.snapshot_of", failing)
    with pytest.raises(LogError, match="the disk is full"):
        run(root)


@pytest.mark.parametrize("what", ["torn file", "other bytes", "missing file", "torn record"])
@pytest.mark.parametrize("is_newest", [True, False])
def test_a_damaged_snapshot_is_no_reason_to_remove_anything(
    root: Path, tmp_path: Path, what: str, *, is_newest: bool
) -> None:
    """It is written anew, from the epochs; or the one before it is the base."""
    run(root, retention=Retention(epochs=99))
    file = next((root / "clicks" / "snapshots").rglob("p00000.sst"))
    match what:
        case "torn file":
            os.truncate(file, 100)
        case "other bytes":
            file.write_bytes(bytes(file.stat().st_size))
        case "missing file":
            file.unlink()
        case "torn record":
            os.truncate(root / "clicks" / commit_path(9), 40)
    if not is_newest:
        write(root, 10)
    done = run(root, retention=Retention(epochs=1))
    assert done.written
    assert log_of(root).epochs() == [9 if is_newest else 10]
    newest = 9 if is_newest else 10
    assert snapshot_epochs(log_of(root)) == [newest]
    assert read_whole(root, tmp_path / "data") == expected(newest)


def test_a_damaged_snapshot_whose_epochs_are_gone_stops_the_run(root: Path) -> None:
    run(root, retention=Retention(epochs=0))
    next((root / "clicks" / "snapshots").rglob("p00000.sst")).unlink()
    write(root, 10)
    before = set(root.rglob("*"))
    with pytest.raises(LogError, match=r"p00000\.sst"):
        run(root, retention=Retention(epochs=0), orphan_age_ms=DAY_MS)
    attempt = root / "clicks" / "snapshots" / f"{10:020d}"
    assert {p for p in root.rglob("*") if attempt not in (p, *p.parents)} == before


def touched(path: Path, age_ms: int, now_ms: int) -> None:
    for each in (*path.rglob("*"), path):
        os.utime(each, ns=((now_ms - age_ms) * 10**6,) * 2)


def test_attempts_that_no_commit_names_go_once_they_are_old(root: Path) -> None:
    clicks = root / "clicks"
    orphans = [
        clicks / "data" / "9" / "aaaaaaaaaaaa",
        clicks / "data" / "10" / "bbbbbbbbbbbb",
        clicks / "snapshots" / f"{9:020d}" / "cccccccccccc",
    ]
    for orphan in orphans:
        orphan.mkdir(parents=True)
        (orphan / "p00000.parquet").write_bytes(b"half")
    drafts = [
        clicks / ".store.json.0123",
        clicks / "epochs" / f".{10:020d}.json.4567",
        clicks / "snapshots" / f"{9:020d}" / ".commit.json.89ab",
    ]
    for draft in drafts:
        draft.write_bytes(b"{")
    below = clicks / "data" / "3"
    now_ms = max(int(each.stat().st_mtime * 1000) for each in clicks.rglob("*")) + 1
    named = [file.path for epoch in range(10) for file in commit_files(root, epoch)]

    def again() -> int:
        return compact(
            root, "clicks", retention=Retention(epochs=99), clock=lambda: now_ms
        ).orphans_removed

    for each in (*orphans, *drafts):
        touched(each, ORPHAN_AGE_MS - 60_000, now_ms)
    assert again() == 0
    for each in (*orphans, *drafts):
        touched(each, ORPHAN_AGE_MS + 60_000, now_ms)
    # One file that is young tells that somebody still writes.
    os.utime(orphans[0] / "p00000.parquet", ns=(now_ms * 10**6,) * 2)
    assert again() == 5
    touched(orphans[0], ORPHAN_AGE_MS + 60_000, now_ms)
    assert again() == 1
    assert not any(each.exists() for each in (*orphans, *drafts))
    assert all((clicks / path).exists() for path in named)
    assert below.exists()


def commit_files(root: Path, epoch: int) -> Sequence[DataFile]:
    commit = log_of(root).commit(epoch)
    assert commit is not None
    return commit.files


def test_data_below_the_oldest_epoch_goes_at_once(root: Path) -> None:
    """What a run leaves that is killed between the commits and the data."""
    run(root, retention=Retention(epochs=99))
    for epoch in range(3):
        log_of(root).remove_commit(epoch)
    done = run(root, retention=Retention(epochs=99), orphan_age_ms=DAY_MS)
    assert (done.epochs_removed, done.orphans_removed) == (0, 3)
    assert data_of(root) == [3, 4, 5, 6, 7, 8, 9]


def test_a_store_without_epochs_is_left_as_it_is(tmp_path: Path) -> None:
    StoreWriter(tmp_path, CLICKS)
    done = compact(tmp_path, "clicks")
    assert done == Compacted(
        store="clicks",
        snapshot=None,
        written=False,
        epochs_removed=0,
        snapshots_removed=0,
        orphans_removed=0,
    )
    with pytest.raises(LogMissingError):
        compact(tmp_path, "nowhere")


@pytest.mark.usefixtures("own_registry")
def test_a_kind_whose_engines_take_no_snapshots_keeps_its_epochs(tmp_path: Path) -> None:
    def factory(opening: Opening) -> StorePartition:
        return MemoryPartition(opening.schema, opening.partition)

    schema = replace(CLICKS, kind=register_kind("test_retention_kind", factory))
    StoreWriter(tmp_path, schema).write(
        pa.table({"usr": ["a"], "n": [1]}), position=Position.of({"events": {0: 0}})
    )
    with pytest.raises(LogError, match="take no snapshots"):
        compact(tmp_path, "clicks", retention=Retention(epochs=0))
    assert log_of(tmp_path).epochs() == [0]


@pytest.mark.parametrize(
    "wrong",
    [
        Retention,
        lambda: Retention(age_ms=-1),
        lambda: Retention(epochs=-1),
        lambda: compact("nowhere", "clicks", every=0),
        lambda: compact("nowhere", "clicks", orphan_age_ms=-1),
    ],
)
def test_what_means_nothing_is_refused(wrong: Callable[[], object]) -> None:
    with pytest.raises(RetentionError):
        wrong()


def test_a_week_is_kept_by_default(root: Path) -> None:
    now_ms = T0 + 4 * HOUR_MS + KEEP_MS
    assert compact(root, "clicks", clock=lambda: now_ms).epochs_removed == 4


def test_a_log_that_is_not_on_a_local_disk(root: Path, tmp_path: Path) -> None:
    """As on an object store, all goes through pyarrow."""
    system = fs.SubTreeFileSystem(str(root), fs.LocalFileSystem())
    directory = Directory(system, "clicks")
    assert not directory.local
    orphan = root / "clicks" / "data" / "10" / "bbbbbbbbbbbb"
    orphan.mkdir(parents=True)
    (orphan / "p00000.parquet").write_bytes(b"half")
    log = StoreLog(directory, "clicks")
    retention = Retention(epochs=2)
    done = compact_log(log, retention=retention, clock=lambda: 2**42, scratch=tmp_path)
    assert (done.written, done.epochs_removed, done.orphans_removed) == (True, 8, 1)
    assert not orphan.exists()
    again = compact_log(log, retention=retention, clock=lambda: 2**42)
    assert (again.written, again.epochs_removed, again.orphans_removed) == (False, 0, 0)
    assert read_whole(root, tmp_path / "data") == expected(9)
    # Another run may have been faster with any of them.
    directory.remove("data/0")
    directory.remove_file(f"epochs/{0:020d}.json")
    log_of(root).directory.remove("data/0")
    log_of(root).directory.remove_file(f"epochs/{0:020d}.json")


# Killed at any step


class KilledError(Exception):
    """The process is gone."""


@dataclass(slots=True)
class _Steps:
    left: int
    names: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class DyingDirectory(Directory):
    """A directory that changes so many times, and in the middle of the last change dies."""

    steps: _Steps = field(default_factory=lambda: _Steps(0))

    def _step(self, name: str, half: Callable[[], object]) -> None:
        if self.steps.left == 0:
            half()
            raise KilledError(name)
        self.steps.left -= 1
        self.steps.names.append(name)

    def make(self, relative: str) -> None:
        self._step("make", lambda: None)
        Directory.make(self, relative)

    def remove(self, relative: str) -> None:
        self._step("remove", lambda: self._remove_some(relative))
        Directory.remove(self, relative)

    def remove_file(self, relative: str) -> None:
        self._step("remove_file", lambda: None)
        Directory.remove_file(self, relative)

    def create(self, relative: str, data: bytes) -> bool:
        self._step("create", lambda: self._draft(relative, data))
        return Directory.create(self, relative, data)

    def _remove_some(self, relative: str) -> None:
        for path in [p for p in Path(self.join(relative)).rglob("*") if p.is_file()][:1]:
            path.unlink()

    def _draft(self, relative: str, data: bytes) -> None:
        path = Path(self.join(relative))
        path.with_name(f".{path.name}.0").write_bytes(data[:10])


def test_killed_at_any_step(root: Path, tmp_path: Path) -> None:
    """Who follows goes on, who begins finds all rows, and the next run ends what was begun."""
    run(root, retention=Retention(epochs=99))
    for epoch in (10, 11):
        write(root, epoch)
    early = follower(root, tmp_path / "early", until=5)
    late = follower(root, tmp_path / "late", until=11)
    retention = Retention(epochs=1)
    steps = 0
    names: list[str] = []
    while True:
        copy = tmp_path / f"copy-{steps}"
        shutil.copytree(root, copy)
        directory = DyingDirectory(fs.LocalFileSystem(), str(copy / "clicks"), _Steps(steps))
        try:
            compact_log(StoreLog(directory, "clicks"), retention=retention, orphan_age_ms=0)
        except KilledError:
            check_chain(copy)
            check_readers(copy, tmp_path / "data", (early, late))
            again = run(copy, hours=10**6, retention=retention)
            assert again.snapshot is not None
        assert log_of(copy).epochs() == data_of(copy) == [11]
        assert snapshot_epochs(log_of(copy)) == [11]
        assert not list((copy / "clicks").rglob(".*json*"))
        assert len(list((copy / "clicks" / "snapshots").rglob("*.sst"))) == CLICKS.partitions
        assert read_whole(copy, tmp_path / "data") == expected(11)
        shutil.rmtree(copy)
        names = directory.steps.names
        if len(names) < steps:
            break
        steps += 1
    assert steps > 20
    assert {"make", "create", "remove", "remove_file"} == set(names)


def follower(root: Path, data: Path, *, until: int) -> Path:
    """The databases of replicas that have followed the epochs so far."""
    part = data / "part"
    shutil.copytree(root, part)
    shutil.rmtree(part / "clicks" / "snapshots")
    for path in (part / "clicks" / "epochs").iterdir():
        if int(path.stem) > until:
            path.unlink()
    store = followed(part, data / "replicas", CLICKS)
    while store.follow():
        pass
    assert {s.progress.epoch for s in store.statuses().values()} == {until}
    store.close()
    return data / "replicas"


def check_chain(root: Path) -> None:
    """Each commit follows the one before it, and names files that are there."""
    log = log_of(root)
    previous: int | None = None
    for epoch in log.epochs():
        commit = log.commit(epoch)
        assert commit is not None
        assert previous is None or commit.previous == previous
        assert all((root / "clicks" / file.path).exists() for file in commit.files)
        previous = epoch


def check_readers(root: Path, data: Path, followers: Sequence[Path]) -> None:
    assert read_whole(root, data) == expected(11)
    for replicas in followers:
        shutil.rmtree(data)
        shutil.copytree(replicas, data)
        store = followed(root, data, CLICKS)
        while store.follow():
            pass
        assert contents(store) == expected(11)
        assert {status.error for status in store.statuses().values()} == {None}
        store.close()


# Beside readers and writers


def test_a_host_follows_while_the_log_is_cut(tmp_path: Path) -> None:
    """Neither one that keeps up nor one that is late ever shows anything but a whole epoch."""
    last = 40
    root = tmp_path / "log"
    writer = StoreWriter(root, CLICKS)

    def put(epoch: int) -> None:
        rows = pa.table({"usr": USERS, "n": [epoch] * len(USERS)})
        writer.write(rows, position=Position.of({"events": {0: epoch}}), epoch=epoch)

    put(0)
    host = Host(str(root), tmp_path / "host", poll_ms=1)
    host.start()
    failures: list[BaseException] = []
    done = threading.Event()

    def keep_short() -> None:
        try:
            while not done.is_set():
                compact(root, "clicks", retention=Retention(epochs=1), scratch=tmp_path)
        except BaseException as error:  # shown by the test's own thread
            failures.append(error)

    cutting = threading.Thread(target=keep_short)
    cutting.start()
    try:
        seen = 0
        for epoch in range(1, last + 1):
            put(epoch)
            seen = check_host(host, seen)
    finally:
        done.set()
        cutting.join(60)
    assert failures == []
    compact(root, "clicks", retention=Retention(epochs=1))
    late = Host(str(root), tmp_path / "late", poll_ms=1)
    late.start()
    for each in (host, late):
        bound = PositionBound(epoch=last)
        assert all(each.stores["clicks"].wait(p, bound, timeout_s=30) for p in range(2))
        assert check_host(each, 0) == last
        each.close()
    assert log_of(root).epochs() == [last]


def check_host(host: Host, least: int) -> int:
    """All rows of a partition are of one epoch, which never is one before."""
    answer = host.query(in_store("clicks").with_query(RangeQuery()))
    epochs = [least]
    for result in answer.partitions.values():
        if isinstance(result, Success) and result.epoch >= 0:
            numbers = {row[1] for row in rows_of(result.value)}
            assert numbers == {result.epoch}
            epochs.append(result.epoch)
    return min(epochs) if len(epochs) == 1 else min(epochs[1:])


def test_a_reader_in_the_middle_of_an_epoch_that_goes_restores(root: Path, tmp_path: Path) -> None:
    """It has the commit already; its data files are gone when it comes to them."""
    store = followed(root, tmp_path / "data", CLICKS)
    store.follow()
    log = log_of(root)
    commit = log.commit(1)
    assert commit is not None
    run(root, retention=Retention(epochs=0))
    with pytest.raises(TornRecordError):
        list(log.read(commit, 0))
    assert isinstance(store, LocalStore)
    assert all(isinstance(replica, Replica) for replica in store.replicas.values())
    while store.follow():
        pass
    assert contents(store) == expected(9)
    store.close()


def test_a_snapshot_is_still_of_the_log_when_its_commit_has_gone(root: Path) -> None:
    run(root, retention=Retention(epochs=99))
    for epoch in (10, 11):
        write(root, epoch)
    log_of(root).remove_commit(9)
    assert read_snapshot(log_of(root), 9) is not None


@pytest.mark.parametrize("steps", [0, 1, 7, 15])
def test_a_run_that_is_stopped_leaves_the_log_as_it_was(
    root: Path, tmp_path: Path, steps: int
) -> None:
    left = iter(range(steps))

    with pytest.raises(CompactionStoppedError, match="clicks"):
        run(root, is_stopped=lambda: next(left, None) is None)
    assert data_of(root) == list(range(10))
    assert [path for path in (root / "clicks" / "snapshots").rglob("*") if path.is_file()] == []
    assert read_whole(root, tmp_path / "data") == expected(9)
    # The next one begins where there was no snapshot, and does it all.
    assert run(root, retention=Retention(epochs=1)).epochs_removed == 9


def test_a_run_that_fails_leaves_no_half_of_a_snapshot(root: Path, tmp_path: Path) -> None:
    """It may be large, and be tried again soon."""
    scratch = tmp_path / "scratch"
    with pytest.raises(OSError, match="scratch"):
        run(root, scratch=scratch)
    scratch.mkdir()
    (root / "clicks" / "data" / "9").rename(tmp_path / "away")
    with pytest.raises(LogError):
        run(root, scratch=scratch)
    assert [path for path in (root / "clicks" / "snapshots").rglob("*") if path.is_file()] == []
    assert list(scratch.iterdir()) == []

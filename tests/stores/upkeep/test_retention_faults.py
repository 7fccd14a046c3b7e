"""Retention that is killed at any step, stopped, or run beside hosts and writers."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pytest

from stategate.stores.errors import LogError, TornRecordError
from stategate.stores.hosting.host import Host
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.replica import Replica
from stategate.stores.log.files.directory import Directory
from stategate.stores.log.files.local import LocalFiles
from stategate.stores.log.snapshots import read_snapshot
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position, PositionBound
from stategate.stores.spec.query import RangeQuery
from stategate.stores.spec.result import Success
from stategate.stores.spec.store import in_store
from stategate.stores.upkeep.compaction import CompactionStoppedError
from stategate.stores.upkeep.retention import (
    Retention,
    compact,
    compact_log,
)
from tests.stores.log.test_snapshots import contents, followed
from tests.support.retention import (
    CLICKS,
    USERS,
    data_of,
    expected,
    log_of,
    read_whole,
    run,
    ten_epochs,
    write,
)
from tests.support.values import rows_of


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return ten_epochs(tmp_path / "log")


# Killed at any step


class KilledError(Exception):
    """Stands for the end of the process."""


@dataclass(slots=True)
class _Steps:
    left: int
    names: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class DyingDirectory(Directory):
    """A directory that dies in the middle of its n-th change."""

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
    """Followers go on, new replicas find all rows, and the next run finishes the work."""
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
        directory = DyingDirectory(LocalFiles(), str(copy / "clicks"), _Steps(steps))
        try:
            compact_log(StoreLog(directory, "clicks"), retention=retention, orphan_age_ms=0)
        except KilledError:
            check_chain(copy)
            check_readers(copy, tmp_path / "data", (early, late))
            again = run(copy, hours=10**6, retention=retention)
            assert again.snapshot is not None
        assert log_of(copy).epochs() == data_of(copy) == [11]
        assert log_of(copy).snapshots() == [11]
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
    """Return the databases of replicas that have followed the epochs so far."""
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
    """Check that each commit follows the one before it and names existing files."""
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
    """A fast and a slow follower always show whole epochs."""
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
        except BaseException as error:  # the test's own thread raises it
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
    """Check that all rows of a partition are from one epoch, and never from an earlier one."""
    answer = host.query(in_store("clicks").with_query(RangeQuery()))
    epochs = [least]
    for result in answer.partitions.values():
        if isinstance(result, Success) and result.epoch >= 0:
            numbers = {row[1] for row in rows_of(result.value)}
            assert numbers == {result.epoch}
            epochs.append(result.epoch)
    return min(epochs) if len(epochs) == 1 else min(epochs[1:])


def test_a_reader_of_an_epoch_that_is_removed_restores(root: Path, tmp_path: Path) -> None:
    """The reader has the commit already when its data files are removed."""
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


def test_a_snapshot_is_still_of_the_log_without_its_commit(root: Path) -> None:
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
    # The next run begins without a snapshot and does everything.
    assert run(root, retention=Retention(epochs=1)).epochs_removed == 9


def test_a_failed_run_leaves_no_part_of_a_snapshot(root: Path, tmp_path: Path) -> None:
    """A snapshot may be large, and the next run may start soon."""
    scratch = tmp_path / "scratch"
    with pytest.raises(OSError, match="scratch"):
        run(root, scratch=scratch)
    scratch.mkdir()
    (root / "clicks" / "data" / "9").rename(tmp_path / "away")
    with pytest.raises(LogError):
        run(root, scratch=scratch)
    assert [path for path in (root / "clicks" / "snapshots").rglob("*") if path.is_file()] == []
    assert list(scratch.iterdir()) == []

"""Retention: which epochs, snapshots and files are removed, and which are kept."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import fs

from stategate.stores.engines.memory.partition import MemoryPartition
from stategate.stores.errors import LogError, LogMissingError
from stategate.stores.log.files.arrow import ArrowFiles
from stategate.stores.log.files.directory import Directory
from stategate.stores.log.metadata.named_files import DataFile
from stategate.stores.log.metadata.records import Snapshot, snapshot_name
from stategate.stores.log.metadata.terms import remove_old_terms, terms
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from stategate.stores.spec.registry import Opening, register_kind
from stategate.stores.spec.store import StorePartition
from stategate.stores.upkeep.compaction import snapshot_of
from stategate.stores.upkeep.retention import (
    DAY_MS,
    KEEP_MS,
    ORPHAN_AGE_MS,
    Compacted,
    Retention,
    RetentionError,
    compact,
    compact_log,
)
from tests.support.retention import (
    CLICKS,
    HOUR_MS,
    T0,
    TenEpochs,
    data_of,
    expected,
    log_of,
    read_whole,
    run,
    write,
)

pytestmark = pytest.mark.usefixtures("any_files")


@pytest.fixture(scope="module")
def ten_epochs(tmp_path_factory: pytest.TempPathFactory) -> TenEpochs:
    return TenEpochs(tmp_path_factory.mktemp("ten_epochs"))


@pytest.fixture
def root(ten_epochs: TenEpochs, any_files: str, tmp_path: Path) -> Path:
    return ten_epochs.copy(any_files, tmp_path / "log")


def test_old_epochs_are_removed_and_a_snapshot_holds_their_rows(root: Path, tmp_path: Path) -> None:
    done = run(root, retention=Retention(age_ms=3 * HOUR_MS))
    assert done.snapshot is not None
    assert (done.snapshot.epoch, done.written) == (9, True)
    assert (done.epochs_removed, done.snapshots_removed, done.orphans_removed) == (6, 0, 0)
    assert log_of(root).epochs() == data_of(root) == [6, 7, 8, 9]
    assert read_whole(root, tmp_path / "data") == expected(9)


def test_a_number_of_epochs_is_kept(root: Path) -> None:
    assert run(root, retention=Retention(epochs=12)).epochs_removed == 0
    assert run(root, retention=Retention(epochs=4)).epochs_removed == 6
    assert log_of(root).epochs() == [6, 7, 8, 9]
    assert run(root, retention=Retention(epochs=4)).epochs_removed == 0


def test_skips_and_old_terms_are_removed_with_the_epochs(root: Path, tmp_path: Path) -> None:
    for epoch in (14, 15, 20):
        write(root, epoch)
    names = root / "clicks" / "epochs"
    assert len(list(names.glob("*.skip"))) == 2
    run(root, retention=Retention(epochs=2))
    assert sorted(path.name for path in names.iterdir()) == [
        f"{number:020d}.{suffix}"
        for number, suffix in ((15, "json"), (16, "json"), (16, "skip"), (20, "json"))
    ]
    run(root, retention=Retention(epochs=1))
    assert [path.name for path in names.iterdir()] == [f"{20:020d}.json"]
    write(root, 21)
    assert read_whole(root, tmp_path / "data") == expected(19)
    remove_old_terms(log_of(root).directory, kept=2)
    assert len(terms(log_of(root).directory)) == 2
    write(root, 22)


def test_an_epoch_within_one_of_two_limits_is_kept(root: Path) -> None:
    run(root, retention=Retention(epochs=2, age_ms=5 * HOUR_MS))
    assert log_of(root).epochs() == [4, 5, 6, 7, 8, 9]
    run(root, retention=Retention(epochs=5, age_ms=0))
    assert log_of(root).epochs() == [5, 6, 7, 8, 9]


def test_the_commit_of_the_snapshot_is_kept_at_any_age(root: Path, tmp_path: Path) -> None:
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
    assert log_of(root).snapshots() == log_of(root).epochs() == [13]


def test_a_young_epoch_keeps_all_after_it(root: Path) -> None:
    """This holds even if later ones have older times, since the rest must be a chain."""
    write(root, 10, committed_ms=T0)
    write(root, 11)
    run(root, hours=11, retention=Retention(age_ms=2 * HOUR_MS))
    assert log_of(root).epochs() == [9, 10, 11]


def test_older_snapshots_are_removed_with_their_epochs(root: Path, tmp_path: Path) -> None:
    run(root, retention=Retention(epochs=99))
    for epoch in (10, 11):
        write(root, epoch)
        run(root, retention=Retention(epochs=99))
    assert log_of(root).snapshots() == [11, 10, 9]
    done = run(root, retention=Retention(epochs=2))
    assert (done.written, done.snapshots_removed) == (False, 1)
    assert log_of(root).snapshots() == [11, 10]
    assert read_whole(root, tmp_path / "data") == expected(11)


def test_a_faster_run_beside_it_is_no_failure(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def overtaken(log: StoreLog, **options: Any) -> Snapshot:
        snapshot_of(log, **options)
        raise LogError("epoch 3 is gone from the log")

    monkeypatch.setattr("stategate.stores.upkeep.retention.snapshot_of", overtaken)
    done = run(root, retention=Retention(epochs=1))
    newest = log_of(root).latest_epoch()
    assert done.snapshot is not None
    assert (done.snapshot.epoch, done.written) == (newest, False)
    assert log_of(root).epochs() == [newest]
    # Without a newer snapshot it is a failure.
    write(root, newest + 1)

    def failing(*_: Any, **__: Any) -> Snapshot:
        raise LogError("the disk is full")

    monkeypatch.setattr("stategate.stores.upkeep.retention.snapshot_of", failing)
    with pytest.raises(LogError, match="the disk is full"):
        run(root)


@pytest.mark.parametrize("what", ["torn file", "other bytes", "missing file", "torn record"])
@pytest.mark.parametrize("is_newest", [True, False])
def test_nothing_is_removed_because_of_a_damaged_snapshot(
    root: Path, tmp_path: Path, what: str, *, is_newest: bool
) -> None:
    """It is written anew from the epochs, or the snapshot before it is the base."""
    run(root, retention=Retention(epochs=99))
    file = next((root / "clicks" / "snapshots").rglob("p00000-*.sst"))
    match what:
        case "torn file":
            os.truncate(file, 100)
        case "other bytes":
            file.write_bytes(bytes(file.stat().st_size))
        case "missing file":
            file.unlink()
        case "torn record":
            os.truncate(root / "clicks" / snapshot_name(9), 40)
    if not is_newest:
        write(root, 10)
    done = run(root, retention=Retention(epochs=1))
    assert done.written
    assert log_of(root).epochs() == [9 if is_newest else 10]
    newest = 9 if is_newest else 10
    assert log_of(root).snapshots() == [newest]
    assert read_whole(root, tmp_path / "data") == expected(newest)


def test_a_damaged_snapshot_without_its_epochs_stops_the_run(root: Path) -> None:
    run(root, retention=Retention(epochs=0))
    next((root / "clicks" / "snapshots").rglob("p00000-*.sst")).unlink()
    write(root, 10)
    before = set(root.rglob("*"))
    with pytest.raises(LogError, match=r"p00000-\w+\.sst"):
        run(root, retention=Retention(epochs=0), orphan_age_ms=DAY_MS)
    attempt = root / "clicks" / "snapshots" / f"{10:020d}"
    assert {p for p in root.rglob("*") if attempt not in (p, *p.parents)} == before


def touched(path: Path, age_ms: int, now_ms: int) -> None:
    for each in (*path.rglob("*"), path):
        os.utime(each, ns=((now_ms - age_ms) * 10**6,) * 2)


def test_old_attempts_without_a_commit_are_removed(root: Path) -> None:
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
    for path in named:  # committed files are kept at any age
        touched((clicks / path).parent, 2 * ORPHAN_AGE_MS, now_ms)

    def again() -> int:
        return compact(
            root, "clicks", retention=Retention(epochs=99), clock=lambda: now_ms
        ).orphans_removed

    for each in (*orphans, *drafts):
        touched(each, ORPHAN_AGE_MS - 60_000, now_ms)
    assert again() == 0
    for each in (*orphans, *drafts):
        touched(each, ORPHAN_AGE_MS + 60_000, now_ms)
    # One young file shows that a writer is still at work.
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


def test_data_before_the_oldest_epoch_is_removed_at_once(root: Path) -> None:
    """A run that is killed between commits and data leaves such files."""
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
def test_invalid_arguments_are_refused(wrong: Callable[[], object]) -> None:
    with pytest.raises(RetentionError):
        wrong()


def test_a_week_is_kept_by_default(root: Path) -> None:
    now_ms = T0 + 4 * HOUR_MS + KEEP_MS
    assert compact(root, "clicks", clock=lambda: now_ms).epochs_removed == 4


def test_a_log_that_is_not_on_a_local_disk(root: Path, tmp_path: Path) -> None:
    """All calls go through pyarrow."""
    system = fs.SubTreeFileSystem(str(root), fs.LocalFileSystem())
    directory = Directory(ArrowFiles(system), "clicks")
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
    # Another run may have removed any of these files.
    directory.remove("data/0")
    directory.remove_file(f"epochs/{0:020d}.json")
    log_of(root).directory.remove("data/0")
    log_of(root).directory.remove_file(f"epochs/{0:020d}.json")

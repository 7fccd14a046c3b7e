"""The recipe for rebuilding a store at an epoch begins as late as possible and has no gap."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from stategate.stores.errors import LogError, TornRecordError
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position, Progress
from stategate.stores.spec.schema import Row
from stategate.stores.upkeep.compaction import write_snapshot
from stategate.stores.upkeep.recipes import build, recipe, scan
from stategate.stores.upkeep.retention import Retention, compact
from tests.support.logs import commit_path, empty_commit, write_alone
from tests.support.stores import keyvalue
from tests.support.values import rows_of

CLICKS = keyvalue("clicks", {"usr": "text"}, {"n": "bigint"}, partitions=1)
USERS = [f"user-{number}" for number in range(10)]
SNAPSHOTS = (3, 6)


def write(root: Path, epoch: int, *, replace: bool = False) -> None:
    gone = [number <= epoch for number in range(len(USERS))]
    rows = pa.table({"usr": USERS, "n": [epoch] * len(USERS), "_deleted": gone})
    StoreWriter(root, CLICKS).write(
        rows, position=Position.of({"events": {0: epoch}}), epoch=epoch, replace=replace
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a log of epochs 0 to 8 with snapshots of two of them."""
    found = tmp_path / "log"
    for epoch in range(9):
        write(found, epoch)
        if epoch in SNAPSHOTS:
            write_snapshot(found, "clicks")
    return found


def log_of(root: Path) -> StoreLog:
    return StoreLog.open(root, "clicks")


def begins(root: Path, epoch: int | None = None) -> tuple[int | None, list[int]]:
    found = recipe(log_of(root), epoch)
    base = None if found.base is None else found.base.epoch
    return base, [commit.epoch for commit in found.commits]


def built(root: Path, data: Path, epoch: int | None = None) -> tuple[Progress, list[Row]]:
    log = log_of(root)
    engine = build(log, recipe(log, epoch), 0, data)
    found = engine.view.progress, sorted(rows_of(scan(engine, CLICKS)))
    engine.close()
    return found


def expected(epoch: int) -> list[Row]:
    return [(usr, epoch) for number, usr in enumerate(USERS) if number > epoch]


def test_a_rebuild_begins_with_the_newest_snapshot_up_to_the_epoch(
    root: Path, tmp_path: Path
) -> None:
    assert begins(root) == (6, [7, 8])
    assert begins(root, 6) == (6, [])
    assert begins(root, 5) == (3, [4, 5])
    assert begins(root, 2) == (None, [0, 1, 2])
    for epoch in range(9):
        progress, rows = built(root, tmp_path / str(epoch), epoch)
        commit = log_of(root).commit(epoch)
        assert commit is not None
        assert (progress.epoch, progress.position) == (epoch, commit.position)
        assert progress.committed_ms == commit.committed_ms
        assert rows == expected(epoch)


def test_a_rebuild_begins_with_an_epoch_that_is_the_whole_store(root: Path, tmp_path: Path) -> None:
    write(root, 9, replace=True)
    write(root, 10)
    assert begins(root) == (None, [9, 10])
    assert begins(root, 8) == (6, [7, 8])
    assert built(root, tmp_path / "data")[1] == expected(10)


def test_a_damaged_snapshot_is_ignored_if_the_epochs_are_there(root: Path) -> None:
    path = root / "clicks" / "snapshots" / f"{6:020d}"
    next(path.rglob("*.sst")).write_bytes(b"")
    assert begins(root) == (3, [4, 5, 6, 7, 8])
    for epoch in range(5):
        log_of(root).remove_commit(epoch)
    with pytest.raises(TornRecordError, match="a hole before epoch 5"):
        begins(root)


def test_removed_epochs_without_a_snapshot_are_an_error(root: Path) -> None:
    compact(root, "clicks", retention=Retention(epochs=3))
    assert log_of(root).epochs() == [6, 7, 8]
    assert begins(root, 7) == (6, [7])
    with pytest.raises(LogError, match="epoch 5 of store"):
        begins(root, 5)
    log_of(root).remove_commit(7)
    with pytest.raises(TornRecordError, match="a hole before epoch 8"):
        recipe_without_newest(root)


def recipe_without_newest(root: Path) -> None:
    (root / "clicks" / "snapshots" / f"{8:020d}" / "commit.json").unlink()
    recipe(log_of(root))


def test_the_commit_of_a_replaced_writer_is_not_read(root: Path) -> None:
    for late in (empty_commit(9, previous=8), empty_commit(12, previous=4)):
        write_alone(log_of(root), late)
    assert begins(root) == (6, [7, 8])
    commit_path(root, 9).unlink()
    write(root, 9)
    assert begins(root) == (6, [7, 8, 9])


def test_an_empty_store_has_an_empty_recipe(tmp_path: Path) -> None:
    StoreWriter(tmp_path / "log", CLICKS)
    assert begins(tmp_path / "log") == (None, [])
    assert built(tmp_path / "log", tmp_path / "data") == (Progress(), [])


def test_a_missing_file_is_named(root: Path, tmp_path: Path) -> None:
    made_of = recipe(log_of(root))
    next((root / "clicks" / "snapshots" / f"{6:020d}").rglob("*.sst")).unlink()
    with pytest.raises(TornRecordError, match=r"p00000-\w+\.sst"):
        build(log_of(root), made_of, 0, tmp_path / "data")

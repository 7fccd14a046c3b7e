"""Damage of every kind in a log: how it is found, and how it is repaired."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from stategate.stores.errors import FencedError, LogError, LogMissingError, TornRecordError
from stategate.stores.log.checking.repair import repair
from stategate.stores.log.checking.verification import verify, verify_log
from stategate.stores.log.metadata.records import COMMITTED, Record, snapshot_name, term_name
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from stategate.stores.upkeep.compaction import write_snapshot
from tests.support.logs import commit_path, edit_record, empty_commit, write_alone
from tests.support.retention import CLICKS, TenEpochs, expected, read_whole, run, write

pytestmark = pytest.mark.usefixtures("any_files")

LAST = 9


@pytest.fixture(scope="module")
def ten_epochs(tmp_path_factory: pytest.TempPathFactory) -> TenEpochs:
    return TenEpochs(tmp_path_factory.mktemp("ten_epochs"))


@pytest.fixture
def root(ten_epochs: TenEpochs, any_files: str, tmp_path: Path) -> Path:
    return ten_epochs.copy(any_files, tmp_path / "log")


def damages(root: Path) -> list[str]:
    """Return the names of damaged files, without their directories."""
    return sorted({Path(each.path).name for each in verify(root, "clicks").damages})


def name(epoch: int) -> str:
    return f"{epoch:020d}.json"


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(data)


def data_file(root: Path, epoch: int) -> Path:
    return next((root / "clicks" / "data" / str(epoch)).rglob("*.parquet"))


def snapshot_file(root: Path) -> Path:
    return next((root / "clicks" / "snapshots").rglob("*.sst"))


def test_a_sound_log_has_no_damage(root: Path) -> None:
    write(root, 12)
    write(root, 20)
    found = verify(root, "clicks")
    assert (found.damages, found.epochs) == ((), 12)
    assert found.rows == 12 * 20
    write_snapshot(root, "clicks")
    assert repair(root, "clicks").actions == ()
    assert verify(root, "clicks") == found
    with pytest.raises(LogMissingError):
        verify(root, "views")


SNAPSHOT_AT = 6
"""The epoch of the snapshot, for damage that needs one to be repaired."""


def in_record(root: Path, epoch: int) -> str:
    flip(commit_path(root, epoch))
    return name(epoch)


def in_data(root: Path, epoch: int) -> str:
    path = data_file(root, epoch)
    flip(path)
    return path.name


def gone(root: Path, epoch: int) -> str:
    commit_path(root, epoch).unlink()
    return name(epoch + 1)


def data_gone(root: Path, epoch: int) -> str:
    path = data_file(root, epoch)
    path.unlink()
    return path.name


LOSSES: list[Callable[[Path, int], str]] = [in_record, in_data, gone, data_gone]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory for logs that are copied."""
    return tmp_path_factory.mktemp("with_snapshots")


@pytest.fixture
def with_snapshot(written: Path, any_files: str, tmp_path: Path) -> Path:
    """Return a new log with ten epochs and a snapshot of one of them."""
    source = written / any_files
    if not source.exists():
        for each in range(SNAPSHOT_AT + 1):
            write(source, each)
        write_snapshot(source, "clicks")
        for each in range(SNAPSHOT_AT + 1, LAST + 1):
            write(source, each)
    return shutil.copytree(source, tmp_path / "log")


@pytest.mark.parametrize("lose", LOSSES)
@pytest.mark.parametrize("epoch", [0, 4, SNAPSHOT_AT, SNAPSHOT_AT + 1, LAST - 1])
def test_a_lost_epoch_is_found_and_set_aside_if_a_snapshot_holds_it(
    with_snapshot: Path, tmp_path: Path, lose: Callable[[Path, int], str], epoch: int
) -> None:
    root = with_snapshot
    named = lose(root, epoch)
    if lose is gone and epoch == 0:
        assert damages(root) == []  # compaction removes old epochs in the same way
        return
    assert named in damages(root)
    done = repair(root, "clicks")
    if epoch > SNAPSHOT_AT:
        assert done.actions == ()
        assert done.after.damages != ()
        return
    assert done.after.damages == ()
    assert done.actions == (
        f"set aside the epochs up to {epoch}: the snapshot of epoch {SNAPSHOT_AT} holds them",
    )
    assert read_whole(root, tmp_path / "data") == expected(LAST)
    write(root, LAST + 1)
    assert read_whole(root, tmp_path / "data") == expected(LAST + 1)
    assert repair(root, "clicks").actions == ()


@pytest.mark.parametrize("kept", [0, 4, LAST])
def test_missing_epochs_before_a_snapshot_are_not_written_again(
    root: Path, tmp_path: Path, kept: int
) -> None:
    """A writer that began after the remaining epochs would move the position back."""
    write_snapshot(root, "clicks")
    records, copy = root / "clicks" / "epochs", tmp_path / "copy"
    shutil.copytree(records, copy)
    for epoch in range(kept, LAST + 1):
        commit_path(root, epoch).unlink()
    if kept == 0:
        records.rmdir()
    before = sorted((root / "clicks").rglob("*"))
    why = rf"{name(LAST)}.* is missing.* ends at epoch {kept - 1}\. Put back"
    with pytest.raises(LogError, match=why):
        write(root, kept)
    with pytest.raises(LogError, match=why):
        StoreLog.open(root, "clicks").latest_epoch()
    assert name(LAST) in damages(root)
    done = repair(root, "clicks")
    assert done.actions == ()
    assert any(re.search(why, damage.message) for damage in done.after.damages)
    assert sorted((root / "clicks").rglob("*")) == before
    shutil.copytree(copy, records, dirs_exist_ok=True)
    assert damages(root) == []
    write(root, LAST + 1)
    assert read_whole(root, tmp_path / "data") == expected(LAST + 1)


@pytest.mark.parametrize("directory_too", [False, True])
def test_a_log_that_has_lost_all_its_epochs_does_not_begin_again(
    root: Path, tmp_path: Path, directory_too: bool
) -> None:
    """Replicas would take a new epoch 0 for the one that they have; there is no snapshot here."""
    records, copy = root / "clicks" / "epochs", tmp_path / "copy"
    shutil.copytree(records, copy)
    shutil.rmtree(records)
    if not directory_too:
        records.mkdir()
    before = sorted((root / "clicks").rglob("*"))
    why = r'the records in ".*/epochs" are missing: store "clicks" has had epochs\. Put them back'
    with pytest.raises(TornRecordError, match=why):
        write(root, LAST + 1)
    with pytest.raises(TornRecordError, match=why):
        StoreLog.open(root, "clicks").latest_epoch()
    done = repair(root, "clicks")
    assert done.actions == ()
    assert [bool(re.search(why, damage.message)) for damage in done.after.damages] == [True]
    assert sorted((root / "clicks").rglob("*")) == before
    shutil.copytree(copy, records, dirs_exist_ok=True)
    write(root, LAST + 1)
    assert read_whole(root, tmp_path / "data") == expected(LAST + 1)


def test_a_log_of_an_older_version_is_marked_with_its_next_epoch(root: Path) -> None:
    (root / "clicks" / COMMITTED).unlink()
    write(root, LAST + 1)
    shutil.rmtree(root / "clicks" / "epochs")
    with pytest.raises(TornRecordError):
        write(root, LAST + 2)


def test_a_store_whose_first_writer_died_before_its_first_epoch_can_be_written(
    tmp_path: Path,
) -> None:
    StoreWriter(tmp_path, CLICKS).take_ownership()
    write(tmp_path, 0)
    assert verify(tmp_path, "clicks").damages == ()


@pytest.mark.parametrize("any_files", ["local"], indirect=True)
def test_a_directory_in_place_of_a_record_is_set_aside(root: Path, tmp_path: Path) -> None:
    write_snapshot(root, "clicks")
    write(root, LAST + 1)
    for path in (commit_path(root, 3), root / "clicks" / term_name(2)):
        path.unlink()
        (path / "inside").mkdir(parents=True)
    assert {name(2), name(3)} <= {*damages(root)}
    assert repair(root, "clicks").after.damages == ()
    assert {p.parent.name for p in (root / "clicks" / "aside").rglob("inside")} == {
        name(2),
        name(3),
    }
    assert read_whole(root, tmp_path / "data") == expected(LAST + 1)


def test_repair_deletes_nothing(root: Path) -> None:
    write_snapshot(root, "clicks")
    write(root, 10)
    kept = {epoch: commit_path(root, epoch).read_bytes() for epoch in range(3)}
    data_file(root, 2).unlink()
    repair(root, "clicks")
    aside = {p.name: p.read_bytes() for p in (root / "clicks" / "aside").rglob("*.json")}
    assert aside == {name(epoch): data for epoch, data in kept.items()}


def test_the_chain_of_two_writers_is_linked_again(root: Path, tmp_path: Path) -> None:
    """Each writer followed the newest epoch that it knew, and moved no position back."""
    for epoch, previous in ((5, 3), (6, 4), (8, 2)):
        edit_record(commit_path(root, epoch), previous=previous)
    assert damages(root) == [name(epoch) for epoch in (5, 6, 8)]
    writer = StoreWriter(root, CLICKS)
    writer.take_ownership()
    done = repair(root, "clicks")
    assert done.after.damages == ()
    assert done.actions == tuple(f"linked epoch {e} to epoch {e - 1}" for e in (5, 6, 8))
    assert read_whole(root, tmp_path / "data") == expected(LAST)
    with pytest.raises(FencedError, match="stategate log repair"):
        writer.write(writer.log.schema().arrow_schema().empty_table(), position=Position())


def test_an_epoch_that_moves_the_position_back_is_not_linked(root: Path) -> None:
    edit_record(commit_path(root, 5), previous=3, position={"events": {"0": 7}})
    done = repair(root, "clicks")
    assert done.actions == ()
    assert name(5) in {Path(damage.path).name for damage in done.after.damages}


def test_the_commit_of_a_replaced_writer_is_set_aside(root: Path, tmp_path: Path) -> None:
    log = StoreLog.open(root, "clicks")
    for late in (empty_commit(10, previous=9), empty_commit(15, previous=3)):
        write_alone(log, late)
    assert damages(root) == [name(10), name(15)]
    done = repair(root, "clicks")
    assert done.after.damages == ()
    assert len(done.actions) == 2
    write(root, 10)
    assert read_whole(root, tmp_path / "data") == expected(10)


def test_a_missing_skip_is_written(root: Path, tmp_path: Path) -> None:
    write(root, 14)
    for path in (root / "clicks" / "epochs").glob(f"{10:020d}.*"):
        path.unlink()
    assert damages(root) == [name(14)]
    done = repair(root, "clicks")
    assert done.actions == ("wrote the skip from epoch 9 to 14",)
    assert done.after.damages == ()
    assert StoreLog.open(root, "clicks").next_commit(9) is not None
    assert read_whole(root, tmp_path / "data") == expected(14)


@pytest.mark.parametrize("which", ["record", "file"])
def test_a_damaged_snapshot_is_set_aside_if_the_epochs_are_there(
    root: Path, tmp_path: Path, which: str
) -> None:
    write_snapshot(root, "clicks")
    record = root / "clicks" / snapshot_name(LAST)
    path = record if which == "record" else snapshot_file(root)
    flip(path)
    assert damages(root) == [path.name]
    done = repair(root, "clicks")
    assert done.actions == (f"set aside the damaged snapshot of epoch {LAST}",)
    assert done.after.damages == ()
    assert run(root).written
    assert read_whole(root, tmp_path / "data") == expected(LAST)


def test_a_damaged_snapshot_stays_if_its_epochs_are_removed(root: Path) -> None:
    write_snapshot(root, "clicks")
    for epoch in range(LAST):
        StoreLog.open(root, "clicks").remove_commit(epoch)
    assert damages(root) == []
    path = snapshot_file(root)
    flip(path)
    assert damages(root) == sorted([name(LAST), path.name])
    done = repair(root, "clicks")
    assert done.actions == ()
    assert len(done.after.damages) == 2


def test_a_damaged_definition_is_named(root: Path) -> None:
    flip(root / "clicks" / "store.json")
    assert damages(root) == ["store.json"]
    assert repair(root, "clicks").actions == ()


@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_damaged_term_is_set_aside(root: Path, tmp_path: Path, which: int) -> None:
    """Its writer and earlier ones stay refused; the writer of a later term goes on."""
    old, new = StoreWriter(root, CLICKS, writer="a"), StoreWriter(root, CLICKS, writer="b")
    first = old.take_ownership().term
    middle = StoreWriter(root, CLICKS, writer="c").take_ownership().term
    assert new.take_ownership().term == middle + 1 == first + 2
    flip(root / "clicks" / term_name(first + which))
    assert damages(root) == [name(first + which)]
    empty = CLICKS.arrow_schema().empty_table()
    beyond = Position.of({"events": {0: 99}})
    with pytest.raises(FencedError, match="has had another writer"):
        old.write(empty, position=beyond)
    done = repair(root, "clicks")
    assert done.after.damages == ()
    assert done.actions == (f"set aside the records of terms up to {first + which}",)
    with pytest.raises(FencedError):
        old.write(empty, position=beyond)
    if which < 2:
        assert new.write(empty, position=beyond).term == first + 2
    else:
        with pytest.raises(FencedError, match="stategate log repair"):
            new.write(empty, position=beyond)
    after = StoreWriter(root, CLICKS).write(empty, position=beyond)
    assert after.term == first + 3 + (which == 2)
    assert read_whole(root, tmp_path / "data") == expected(LAST)


@pytest.mark.parametrize("moment", range(1, LAST, 2))
def test_a_file_that_is_removed_meanwhile_is_not_damage(root: Path, moment: int) -> None:
    """Compaction removes the oldest epochs while their records are being read."""
    write_snapshot(root, "clicks")
    log = StoreLog.open(root, "clicks")
    record = log.record
    read: list[int] = []

    def removing(number: int) -> Record | None:
        if len(read) == moment:
            for epoch in range(LAST - 1):
                StoreLog.open(root, "clicks").remove_commit(epoch)
        read.append(number)
        return record(number)

    log.record = removing  # type: ignore[method-assign]
    assert verify_log(log).damages == ()
    assert len(read) > moment

"""Reading the state log: following it commit by commit, and finding damage of every kind."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stategate.stores.errors import LogMissingError, LogReplacedError, TornRecordError
from stategate.stores.log.data.shaping import shaped
from stategate.stores.log.files.directory import Directory
from stategate.stores.log.files.local import LocalFiles
from stategate.stores.log.metadata.documents import encode_document
from stategate.stores.log.metadata.named_files import DataFile
from stategate.stores.log.metadata.records import Commit, decode_record, encode_commit
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from tests.support.logs import (
    AT,
    CLICKS,
    Clock,
    commit_path,
    empty_commit,
    followed,
    rows,
    write_alone,
)

pytestmark = pytest.mark.usefixtures("any_files")


def test_commits_are_followed_one_by_one(tmp_path: Path) -> None:
    log, _ = followed(tmp_path)
    assert log.next_commit(-1) is None
    for epoch in range(3):
        log.write_commit(empty_commit(epoch, previous=epoch - 1))
    after = -1
    while (commit := log.next_commit(after)) is not None:
        assert commit.epoch == after + 1
        after = commit.epoch
    assert after == log.latest_epoch() == 2
    assert log.epochs(after=0) == [1, 2]


def test_a_gap_in_the_numbers_is_seen_at_once(tmp_path: Path) -> None:
    log, _ = followed(tmp_path)
    after = -1
    for epoch in (2, 3, 5, 90):
        assert log.next_commit(after) is None
        log.write_commit(empty_commit(epoch, previous=after))
        assert log.latest_epoch() == epoch
        found = log.next_commit(after)
        assert found is not None
        assert found.epoch == after or found.epoch == epoch
        after = epoch
    assert log.epochs() == [2, 3, 5, 90]
    assert log.commit(0) is None


@pytest.mark.parametrize("kept", [0, 1])
def test_the_loss_of_an_epoch_that_was_applied_is_noticed(tmp_path: Path, kept: int) -> None:
    """If all epochs are lost, or the newest, no reader would see that the log has ended."""
    log, clock = followed(tmp_path)
    for _ in range(3):
        StoreWriter(tmp_path, CLICKS).write(rows(), position=AT)
    assert log.next_commit(2) is None
    epochs, lost = tmp_path / "clicks" / "epochs", tmp_path / "lost"
    lost.mkdir()
    for path in sorted(epochs.iterdir())[kept:]:
        path.rename(lost / path.name)
    if not kept:
        epochs.rmdir()
    clock.now += 1.0
    for _ in range(2):
        with pytest.raises(TornRecordError, match="missing"):
            log.next_commit(2)
        clock.now += 0.01
    epochs.mkdir(exist_ok=True)
    for path in lost.iterdir():
        path.rename(epochs / path.name)
    clock.now += 1.0
    assert log.next_commit(2) is None


def test_a_slow_listing_is_rarely_repeated(tmp_path: Path) -> None:
    """A log of a week may have half a million epochs: waiting must not list all the time."""
    clock = Clock()
    seconds = 0.5

    class Slow(Directory):
        listings = 0

        def names(self, relative: str = "") -> list[str]:
            Slow.listings += 1
            clock.now += seconds
            return Directory.names(self, relative)

    log = StoreLog(Slow(LocalFiles(), str(tmp_path / "clicks")), "clicks", clock=clock)
    log.define(CLICKS)
    log.write_commit(empty_commit(0))
    began_s = clock.now
    for _ in range(4000):
        assert log.next_commit(0) is None
        clock.now += 0.025
    spent_s = Slow.listings * seconds
    assert 0 < spent_s <= 0.02 * (clock.now - began_s)
    # The next commit is still seen: at once at the next number, later after a gap.
    write_alone(log, empty_commit(2, previous=0))
    clock.now += 100 * seconds
    later = log.next_commit(0)
    assert later is not None
    assert later.epoch == 2


def test_the_newest_epoch_is_found_again_when_the_log_is_another(tmp_path: Path) -> None:
    """Epochs are removed because they are old, or with the whole store, which is created again."""
    log, _ = followed(tmp_path)
    for epoch in range(5):
        log.write_commit(empty_commit(epoch, previous=epoch - 1))
    assert log.latest_epoch() == 4
    other = StoreLog.open(tmp_path, "clicks")
    for epoch in range(5, 9):
        other.write_commit(empty_commit(epoch, previous=epoch - 1))
    for epoch in range(8):
        other.remove_commit(epoch)
    assert log.latest_epoch() == 8
    shutil.rmtree(tmp_path / "clicks")
    with pytest.raises(LogMissingError):
        log.latest_epoch()
    again = StoreLog.open(tmp_path, "clicks")
    again.define(CLICKS)
    again.write_commit(empty_commit(0))
    assert again.latest_epoch() == 0
    with pytest.raises(LogReplacedError):
        log.latest_epoch()


def test_a_missing_epoch_is_named(tmp_path: Path) -> None:
    log, _ = followed(tmp_path)
    for epoch in range(4):
        log.write_commit(empty_commit(epoch, previous=epoch - 1))
    commit_path(tmp_path, 2).unlink()
    with pytest.raises(TornRecordError, match=r"0{19}3\.json.* follows epoch 2"):
        log.next_commit(1, list_now=True)


def test_the_newest_epoch_is_always_known(tmp_path: Path) -> None:
    """This holds even if the directory's timestamp has not changed since the last listing."""
    log, _ = followed(tmp_path)
    for epoch in range(50):
        log.write_commit(empty_commit(epoch, previous=epoch - 1))
        assert log.latest_epoch() == epoch


def test_files_with_other_names_are_ignored(tmp_path: Path) -> None:
    log, _ = followed(tmp_path)
    log.write_commit(empty_commit(0))
    for name in (f".{1:020d}.json.ab", "7.json", f"{8:020d}.json.tmp", f"{9:020d}"):
        (tmp_path / "clicks/epochs" / name).write_text("{")
    assert log.epochs() == [0]


# Damage


@given(st.integers(0, 10_000))
def test_a_commit_that_is_cut_anywhere_is_torn(cut: int) -> None:
    files = (
        DataFile(path="data/0/a/p00000.parquet", partition=0, rows=1, size_bytes=2, sha256="x"),
    )
    text = encode_commit(replace(empty_commit(4), files=files))
    found = decode_record(text, "x")
    assert isinstance(found, Commit)
    assert found.files == files
    with pytest.raises(TornRecordError, match="x"):
        decode_record(text.rstrip()[: cut % (len(text) - 2)], "x")


def edited(change: Callable[[dict[str, Any]], Any]) -> bytes:
    files = (
        DataFile(path="data/0/a/p00000.parquet", partition=0, rows=1, size_bytes=2, sha256="x"),
    )
    document = orjson.loads(encode_commit(replace(empty_commit(0), files=files)))
    change(document)
    del document["checksum"]
    return encode_document(document)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(epoch=1), "is the commit of epoch 1"),
        (lambda d: d.update(epoch="0"), "not an integer"),
        (lambda d: d.update(format=4), "format 4"),
        (lambda d: d.update(position={"a": {"0": -5}}), "is not valid"),
        (lambda d: d.update(files=7), "is not valid"),
        (lambda d: d["files"][0].update(path="../../other"), "leads out"),
        (lambda d: d["files"][0].update(path="/etc/passwd"), "leads out"),
        (lambda d: d.pop("writer"), "no field 'writer'"),
    ],
)
def test_foreign_commits_are_named(
    tmp_path: Path, change: Callable[[dict[str, Any]], Any], message: str
) -> None:
    log, _ = followed(tmp_path)
    log.write_commit(empty_commit(0))
    commit_path(tmp_path, 0).write_bytes(edited(change))
    with pytest.raises(TornRecordError, match=message) as error:
        log.next_commit(-1)
    assert f"{0:020d}.json" in str(error.value)


def missing(path: Path) -> None:
    path.unlink()


def short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-10])


def overwritten(path: Path) -> None:
    path.write_bytes(b"x" * path.stat().st_size)


def damaged(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4:40] = b"\xff" * 36
    path.write_bytes(bytes(data))


@pytest.mark.parametrize("damage", [missing, short, overwritten, damaged])
def test_damaged_data_files_are_named(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    writer = StoreWriter(tmp_path, CLICKS)
    commit = writer.write(rows(), position=AT)
    file = commit.files[0]
    damage(tmp_path / "clicks" / file.path)
    with pytest.raises(TornRecordError, match=file.path):
        list(writer.log.read(commit, file.partition))
    other = commit.files[1]
    assert list(writer.log.read(commit, other.partition))


@pytest.fixture(scope="module")
def one_file(tmp_path_factory: pytest.TempPathFactory) -> tuple[StoreWriter, DataFile, bytes]:
    root = tmp_path_factory.mktemp("one")
    writer = StoreWriter(root, CLICKS)
    file = writer.write(rows(), position=AT).files[0]
    return writer, file, (root / "clicks" / file.path).read_bytes()


@settings(max_examples=2 * settings().max_examples)
@given(st.lists(st.tuples(st.integers(0, 2**16), st.integers(1, 255)), min_size=1, max_size=8))
def test_foreign_bytes_with_a_fitting_hash_are_torn_too(
    one_file: tuple[StoreWriter, DataFile, bytes], changes: list[tuple[int, int]]
) -> None:
    """Every error of pyarrow counts. Some damage is read as rows, since the hash fits."""
    writer, file, whole = one_file
    data = bytearray(whole)
    for place, change in changes:
        data[place % len(data)] ^= change
    Path(writer.log.directory.join(file.path)).write_bytes(data)
    with contextlib.suppress(TornRecordError):
        list(writer.log.read_file(replace(file, sha256=hashlib.sha256(data).hexdigest())))


def test_data_files_with_other_columns_are_named(tmp_path: Path) -> None:
    writer = StoreWriter(tmp_path, CLICKS)
    commit = writer.write(rows(), position=AT)
    file = commit.files[0]
    path = tmp_path / "clicks" / file.path

    def read_as(table: pa.Table, count: int) -> None:
        pq.write_table(table, path)
        size_bytes = path.stat().st_size
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        fitting = replace(file, rows=count, size_bytes=size_bytes, sha256=sha256)
        list(writer.log.read(replace(commit, files=(fitting,)), file.partition))

    with pytest.raises(TornRecordError, match="has 3 rows, not 4"):
        read_as(rows(3), 4)
    with pytest.raises(TornRecordError, match="no column"):
        read_as(rows(3), 3)
    other = shaped(rows(3), CLICKS)
    texts = other.set_column(1, "n", pa.chunked_array([["a", "b", "c"]]))
    with pytest.raises(TornRecordError, match="is not valid"):
        read_as(texts, 3)

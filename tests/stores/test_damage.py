"""Damage anywhere in any file of a log is named, or makes no difference to readers."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.errors import TornRecordError
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.replica import Replica
from stategate.stores.log.checking.verification import verify
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from stategate.stores.upkeep.compaction import write_snapshot
from stategate.stores.upkeep.recipes import build, recipe, scan
from tests.support.stores import keyvalue
from tests.support.values import rows_of

CLICKS = keyvalue("clicks", {"usr": "text"}, {"n": "bigint"}, partitions=1)
EPOCHS = (0, 1, 2, 5, 6)
SNAPSHOT_AT = 2
USERS = ["ann", "bob", "cid"]


@dataclass(frozen=True, slots=True)
class Written:
    """A log with a snapshot, skipped numbers, and two writers one after the other."""

    root: Path
    files: tuple[str, ...]
    """The files that can be damaged."""
    begun: Path
    """The databases of replicas that have followed some of its epochs, one directory for each."""


def at(epoch: int) -> Position:
    return Position.of({"events": {0: epoch}})


def expected(epoch: int) -> list[tuple[str, int]]:
    return [(usr, epoch) for usr in USERS] if epoch >= 0 else []


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    made = tmp_path_factory.mktemp("damage")
    root, begun = made / "log", made / "begun"
    for count, epoch in enumerate(EPOCHS):
        writer = StoreWriter(root, CLICKS)
        rows = pa.table({"usr": USERS, "n": [epoch] * len(USERS)})
        writer.write(rows, position=at(epoch), epoch=epoch)
        store = following(root, begun / str(count))
        while store.follow():
            pass
        store.close()
        if epoch == SNAPSHOT_AT:
            write_snapshot(root, "clicks")
    below = sorted((root / "clicks").rglob("*"))  # a head is no more than a hint
    files = [path for path in below if path.is_file() and path.stat().st_size]
    assert {path.suffix for path in files} == {".json", ".parquet", ".sst"}
    return Written(root, tuple(path.relative_to(root).as_posix() for path in files), begun)


def following(root: Path, data: Path) -> LocalStore:
    data.parent.mkdir(parents=True, exist_ok=True)
    engine = RocksPartition(data, schema=CLICKS, partition=0)
    replica = Replica(engine, schema=CLICKS, partition=0)
    return LocalStore(CLICKS, {0: replica}, log=StoreLog.open(root, "clicks"))


def held(store: LocalStore) -> tuple[int, list[tuple[object, ...]]]:
    engine = store.replicas[0].engine
    assert isinstance(engine, RocksPartition)
    return store.replicas[0].progress.epoch, rows_of(scan(engine, CLICKS))


DAMAGE = st.tuples(
    st.sampled_from(["bit", "bit", "bit", "cut", "directory"]), st.integers(0, 2**32)
)
"""The kind of damage, usually one changed bit, and its place."""


def damage(path: Path, how: tuple[str, int]) -> None:
    kind, where = how
    if kind == "directory":
        path.unlink()
        path.mkdir()
        return
    data = bytearray(path.read_bytes())
    if kind == "cut":
        data = data[: where % len(data)]
    else:
        data[where // 8 % len(data)] ^= 1 << where % 8
    path.write_bytes(data)


@settings(max_examples=25, deadline=None)
@given(st.data(), DAMAGE, st.integers(-1, len(EPOCHS) - 1))
def test_damage_is_named_or_makes_no_difference(
    written: Written, data: st.DataObject, how: tuple[str, int], begun: int
) -> None:
    """This holds for followers at any epoch, for readers of the whole store, and for `verify`."""
    name = data.draw(st.sampled_from(written.files))
    with tempfile.TemporaryDirectory() as directory:
        root, replica = Path(directory) / "log", Path(directory) / "data" / "0"
        shutil.copytree(written.root, root)
        if begun >= 0:
            shutil.copytree(written.begun / str(begun), replica)
        damage(root / name, how)
        store = following(root, replica)
        try:
            check_follower(store, name, EPOCHS[begun] if begun >= 0 else -1)
        finally:
            store.close()
        check_reader(root, name)
        assert [Path(each.path).name for each in verify(root, "clicks").damages][:1] == [
            Path(name).name
        ]


def test_a_directory_in_place_of_any_file_is_named(written: Written, tmp_path: Path) -> None:
    for number, name in enumerate(written.files):
        root = tmp_path / str(number)
        shutil.copytree(written.root, root)
        damage(root / name, ("directory", 0))
        assert Path(name).name in {Path(each.path).name for each in verify(root, "clicks").damages}


def check_follower(store: LocalStore, name: str, begun: int) -> None:
    check_held(store, begun)
    while store.follow():
        check_held(store, begun)
    epoch = store.replicas[0].progress.epoch
    error = store.replicas[0].error
    assert epoch == EPOCHS[-1] or (error is not None and Path(name).name in error)


def check_held(store: LocalStore, begun: int) -> None:
    epoch, rows = held(store)
    assert epoch >= begun
    assert sorted(rows) == expected(epoch)
    assert store.replicas[0].progress.position == at(epoch)


def check_reader(root: Path, name: str) -> None:
    """Check a reader that begins with the newest epoch, as Spark does."""
    log = StoreLog.open(root, "clicks")
    with tempfile.TemporaryDirectory() as directory:
        try:
            engine = build(log, recipe(log), 0, Path(directory) / "data")
        except TornRecordError as error:
            assert Path(name).name in str(error)  # noqa: PT017 - both outcomes are right
            return
        try:
            assert sorted(rows_of(scan(engine, CLICKS))) == expected(EPOCHS[-1])
        finally:
            engine.close()

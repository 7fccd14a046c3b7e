"""Files of the log: nothing outside is removed, and errors show no secrets."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pyarrow as pa
import pytest

from stategate.stores.errors import LogError
from stategate.stores.log.files.directory import Directory
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from stategate.stores.upkeep.retention import Retention, compact
from tests.support.stores import keyvalue

DAY_S = 86_400


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """Return a directory outside of the log, with old files."""
    made = tmp_path / "outside"
    (made / "sub").mkdir(parents=True)
    (made / "sub" / "file").write_text("dear")
    for each in (made / "sub" / "file", made / "sub", made):
        os.utime(each, (0, 0))
    return made


@pytest.fixture
def directory(tmp_path: Path) -> Directory:
    (tmp_path / "store" / "data" / "1").mkdir(parents=True)
    return Directory.at(tmp_path / "store")


def is_whole(outside: Path) -> bool:
    return (outside / "sub" / "file").read_text() == "dear"


def test_removing_a_tree_keeps_the_targets_of_its_links(
    directory: Directory, outside: Path
) -> None:
    tree = Path(directory.join("data/1"))
    (tree / "attempt").mkdir()
    (tree / "attempt" / "file").write_text("x")
    (tree / "attempt" / "link").symlink_to(outside)
    (tree / "attempt" / "up").symlink_to("..")
    directory.remove("data/1")
    assert not tree.exists()
    assert is_whole(outside)
    directory.remove("data/1")
    directory.remove_file("data/none")


def test_removing_a_link_keeps_its_target(directory: Directory, outside: Path) -> None:
    link = Path(directory.join("data/1/attempt"))
    for remove in (directory.remove, directory.remove_file):
        link.symlink_to(outside)
        remove("data/1/attempt")
        assert not link.is_symlink()
    assert is_whole(outside)


@pytest.mark.parametrize("relative", ["data/2/sub", "data/2/sub/file", "other/sub"])
def test_a_link_on_the_way_is_not_followed(
    directory: Directory, outside: Path, relative: str
) -> None:
    Path(directory.join("data/2")).symlink_to(outside)
    Path(directory.join("other")).symlink_to("data/2")
    for remove in (directory.remove, directory.remove_file):
        with pytest.raises(LogError, match="cannot be removed"):
            remove(relative)
    assert is_whole(outside)


@pytest.mark.parametrize("relative", ["../outside", "data/../../outside/sub", "..", ".", ""])
def test_names_that_lead_out_of_the_store_are_refused(
    directory: Directory, outside: Path, relative: str
) -> None:
    for remove in (directory.remove, directory.remove_file):
        with pytest.raises(LogError):
            remove(relative)
    assert is_whole(outside)
    assert directory.exists()


def test_the_store_itself_may_be_a_link(directory: Directory, tmp_path: Path) -> None:
    (tmp_path / "linked").symlink_to(directory.path)
    Directory.at(tmp_path / "linked").remove("data/1")
    assert directory.names("data") == []


def test_the_time_of_a_change_ignores_the_targets_of_links(
    directory: Directory, outside: Path
) -> None:
    tree = Path(directory.join("data/1"))
    (tree / "file").write_text("x")
    (tree / "circle").symlink_to("..")
    (tree / "away").symlink_to(outside)
    (tree / "nowhere").symlink_to("none")
    now_ms = time.time_ns() // 1_000_000
    for name in ("file", "circle", "away", "nowhere"):
        os.utime(tree / name, ns=(0, 5_000_000_000), follow_symlinks=False)
    os.utime(tree, ns=(0, 4_000_000_000))
    (outside / "sub" / "file").write_text("dear")
    assert directory.changed_ms("data/1") == 5_000
    assert directory.changed_ms("data/none") is None
    assert directory.changed_ms("data/1/file") == 5_000
    assert now_ms > 5_000


@pytest.mark.parametrize("inside", ["data/9", "data", "snapshots/" + "9".zfill(20)])
def test_compaction_removes_nothing_outside_of_the_log(
    tmp_path: Path, outside: Path, inside: str
) -> None:
    """A user who writes the log must not make compaction remove files that the user could not."""
    root = tmp_path / "root"
    writer = StoreWriter(root, keyvalue("clicks", {"usr": "text"}, {"n": "bigint"}))
    for epoch in range(3):
        rows = pa.table({"usr": ["joe"], "n": [epoch]})
        writer.write(rows, position=Position.of({"events": {0: epoch}}))
    log = StoreLog.open(root, "clicks")
    compact(root, "clicks", retention=Retention(epochs=100))
    link = Path(log.directory.join(inside))
    if link.exists():
        link.rename(link.with_name("moved"))
    link.symlink_to(outside)
    try:
        compact(root, "clicks", retention=Retention(epochs=1))
    except LogError as error:
        assert "cannot be removed" in str(error)  # noqa: PT017 - either way nothing is lost
    assert is_whole(outside)


@pytest.mark.parametrize(
    "uri",
    [
        "s3://AKIA:SECRET@bucket/x?bogus=SECRET",
        "s4://AKIA:SECRET@bucket/x",
        "s3://AKIA:SECRET%ZZ@bucket/x",
        "s4://AKIA:SEC@RET@bucket",
    ],
)
def test_errors_do_not_show_the_key_of_a_bucket(uri: str) -> None:
    with pytest.raises(LogError) as refused:
        Directory.at(uri)
    assert "bucket" in str(refused.value)
    for secret in ("SECRET", "AKIA", "SEC@", "RET@"):
        assert secret not in str(refused.value)
    assert refused.value.__cause__ is None

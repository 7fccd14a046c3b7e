"""Files of the log where a move never replaces a file, as on HDFS; no HDFS runs here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyarrow import fs

from stategate.stores.errors import LogError
from stategate.stores.log.files.arrow import ArrowFiles
from stategate.stores.log.files.directory import Directory


class LikeHdfs(fs.SubTreeFileSystem):  # type: ignore[misc] # of a library without types
    """A local directory that names itself as pyarrow names HDFS, and moves as HDFS does."""

    fails = False

    @property
    def type_name(self) -> str:
        return "hdfs"

    def move(self, src: str, dest: str) -> None:
        if self.fails or self.get_file_info(dest).type is not fs.FileType.NotFound:
            raise OSError(5, "HDFS rename failed")
        fs.SubTreeFileSystem.move(self, src, dest)


@pytest.fixture
def system(tmp_path: Path) -> Any:
    return LikeHdfs(str(tmp_path), fs.LocalFileSystem())


def test_a_file_is_created_by_its_rename_and_replaced(system: Any, tmp_path: Path) -> None:
    directory = Directory(ArrowFiles(system), "log")
    assert directory.create("a", b"1")
    assert not directory.create("a", b"2")
    assert directory.read("a") == b"1"
    directory.replace("a", b"3")
    directory.replace("b", b"4")
    assert (directory.read("a"), directory.read("b")) == (b"3", b"4")
    assert sorted(path.name for path in (tmp_path / "log").iterdir()) == ["a", "b"]


def test_a_rename_that_fails_leaves_nothing(system: Any, tmp_path: Path) -> None:
    directory = Directory(ArrowFiles(system), "log")
    system.fails = True
    with pytest.raises(LogError, match="rename failed"):
        directory.create("a", b"1")
    assert list((tmp_path / "log").iterdir()) == []

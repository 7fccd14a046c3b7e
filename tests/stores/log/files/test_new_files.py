"""New files: none is written over, on any kind of file system."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from pyarrow import fs

from stategate.stores.errors import LogError
from stategate.stores.log.files import objects
from stategate.stores.log.files.arrow import ArrowFiles
from stategate.stores.log.files.directory import Directory

KINDS: dict[str, Callable[[Path], Directory]] = {
    "local": Directory.at,
    "pyarrow": lambda path: Directory(ArrowFiles(fs.LocalFileSystem()), str(path)),
    "objects": lambda path: Directory.at(f"memory://{uuid.uuid4().hex}/state"),
}


@pytest.fixture(params=KINDS.values(), ids=list(KINDS))
def directory(request: pytest.FixtureRequest, tmp_path: Path) -> Directory:
    found: Directory = request.param(tmp_path / "store")
    return found


@pytest.mark.parametrize("size", [10, 6 << 20])
def test_a_file_that_is_there_is_not_written_over(
    directory: Directory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(objects, "PART_BYTES", 5 << 20)
    directory.create("data/part", b"first")
    (tmp_path / "source").write_bytes(b"x" * size)
    with (
        pytest.raises(LogError, match=r"written.*(exists|already)"),
        directory.open_output("data/part") as stream,
    ):
        stream.write(b"x" * size)
    with pytest.raises(LogError, match=r"written.*(exists|already)"):
        directory.upload("data/part", tmp_path / "source")
    assert directory.read("data/part") == b"first"
    with directory.open_output("data/other") as stream:
        stream.write(b"second")
    directory.upload("data/third", tmp_path / "source")
    assert (directory.read("data/other"), directory.size_of("data/third")) == (b"second", size)

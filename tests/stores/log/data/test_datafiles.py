"""Data files: each is read back before a commit may name it, and has a name of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from stategate.stores.errors import LogError
from stategate.stores.log.data.datafiles import new_path
from stategate.stores.log.files.local import LocalFiles
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from tests.support.stores import keyvalue

CLICKS = keyvalue("clicks", {"usr": "text"}, {"n": "bigint"}, partitions=2)


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


@pytest.mark.parametrize("damage", [flip, cut, Path.unlink])
def test_a_file_that_the_disk_did_not_keep_is_not_committed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: Callable[[Path], None]
) -> None:
    writer = StoreWriter(tmp_path, CLICKS)
    rows = pa.table({"usr": ["a", "b", "c"], "n": [1, 2, 3]})
    writer.write(rows, position=Position())
    open_output = LocalFiles.open_output

    @contextmanager
    def damaged(files: LocalFiles, path: str) -> Iterator[Any]:
        with open_output(files, path) as stream:
            yield stream
        damage(Path(path))

    with monkeypatch.context() as patched:
        patched.setattr(LocalFiles, "open_output", damaged)
        with pytest.raises(LogError, match=r"data file .*(bytes|missing)"):
            writer.write(rows, position=Position())
    log = StoreLog.open(tmp_path, "clicks")
    assert log.latest_epoch() == 0
    assert log.directory.names("data/1") == []
    assert writer.write(rows, position=Position()).epoch == 1


def test_no_two_paths_are_the_same() -> None:
    paths = {new_path("data/1/a", 3, ".parquet") for _ in range(1000)}
    assert len(paths) == 1000
    assert all(path.startswith("data/1/a/p00003-") for path in paths)

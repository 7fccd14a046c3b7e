"""A disk that becomes full, at each file operation of a writer."""

from __future__ import annotations

import builtins
import errno
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyarrow import fs

from stategate.stores.errors import LogError
from stategate.stores.log.checking.verification import verify
from stategate.stores.log.files.directory import Directory
from stategate.stores.log.files.local import LocalFiles
from stategate.stores.log.metadata.heads import Heads
from stategate.stores.log.metadata.records import Commit
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.upkeep.compaction import write_snapshot
from tests.stores.log.writing.test_state_log_writers import at, chain
from tests.support.logs import CLICKS as FOUR
from tests.support.logs import contents, rows

CLICKS = replace(FOUR, partitions=1)


@pytest.fixture(autouse=True)
def headless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write no heads: one that has no room is only missed, as `metadata/test_heads.py` shows."""
    monkeypatch.setattr(Heads, "announce", lambda *_: None)


class Disk:
    """Counts operations that need room; fails from one of them on, or only that one."""

    def __init__(self) -> None:
        self.left: int | None = None
        """Operations before the disk is full; None if it never is."""
        self.only_once = False
        self.steps: list[str] = []

    def fill(self, after: int, *, only_once: bool) -> None:
        self.left, self.only_once = after, only_once

    def free(self) -> None:
        self.left = None

    def spend(self, step: str) -> None:
        self.steps.append(step)
        if self.left is None:
            return
        self.left -= 1
        if self.left < 0:
            if self.only_once:
                self.free()
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class File:
    """A file that is being written, each write in two halves."""

    def __init__(self, disk: Disk, file: Any) -> None:
        self._disk, self._file = disk, file

    def __enter__(self) -> File:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._disk.spend("close")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def write(self, data: Any) -> int:
        whole = bytes(data)
        self._file.write(whole[: len(whole) // 2])
        self._disk.spend("write")
        self._file.write(whole[len(whole) // 2 :])
        return len(whole)


class FileSystem(fs.LocalFileSystem):  # type: ignore[misc] # of a library without types
    """The local file system, on this disk."""

    disk: Disk

    def create_dir(self, path: str, *, recursive: bool = True) -> None:
        if not os.path.isdir(path):
            self.disk.spend("create_dir")
        fs.LocalFileSystem.create_dir(self, path, recursive=recursive)

    def open_output_stream(self, path: str, *arguments: Any, **options: Any) -> Any:
        self.disk.spend("open")
        return File(self.disk, fs.LocalFileSystem.open_output_stream(self, path, **options))


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    made = Disk()

    def spending(step: str, do: Callable[..., Any]) -> Callable[..., Any]:
        def instead(*arguments: Any, **options: Any) -> Any:
            made.spend(step)
            return do(*arguments, **options)

        return instead

    def opened(path: str, mode: str = "r") -> Any:
        if "x" not in mode and "w" not in mode:
            return builtins.open(path, mode)
        made.spend("open")
        return File(made, builtins.open(path, mode))

    monkeypatch.setattr("stategate.stores.log.files.local.open", opened, raising=False)
    for step in ("link", "replace"):
        monkeypatch.setattr(os, step, spending(step, getattr(os, step)))
    monkeypatch.setattr(os, "fsync", lambda _: made.spend("fsync"))
    system = FileSystem()
    system.disk = made
    monkeypatch.setattr(
        Directory, "at", staticmethod(lambda root: Directory(LocalFiles(system), str(root)))
    )
    yield made
    made.free()


def test_an_existing_store_can_be_opened_on_a_full_disk(tmp_path: Path, disk: Disk) -> None:
    StoreWriter(tmp_path, CLICKS).write(rows(), position=at(0))
    disk.fill(0, only_once=False)
    writer = StoreWriter(tmp_path, CLICKS)
    with pytest.raises(LogError, match="No space left on device"):
        writer.write(rows(), position=at(1))
    disk.free()
    assert writer.write(rows(), position=at(1)).epoch == 1


@pytest.mark.parametrize("only_once", [True, False], ids=["for a moment", "from then on"])
@pytest.mark.parametrize("begun", [True, False], ids=["wrote before", "new"])
def test_a_write_without_room_harms_nothing(
    tmp_path: Path, disk: Disk, only_once: bool, begun: bool
) -> None:
    """It fails and can be repeated; the log can be read all the time."""

    def prepare(root: Path) -> tuple[StoreWriter, list[Commit]]:
        told = [StoreWriter(root, CLICKS).write(rows(3), position=at(0))]
        writer = StoreWriter(root, CLICKS)
        if begun:
            told.append(writer.write(rows(3), position=at(1)))
        return writer, told

    failures = 0
    moments = steps_of(disk, prepare(tmp_path / "whole")[0])
    for moment in moments:
        root = tmp_path / str(moment)
        writer, told = prepare(root)
        disk.fill(moment, only_once=only_once)
        failed = attempt(writer, EPOCH)
        failures += isinstance(failed, LogError)
        found = check_log(root)
        assert found[: len(told)] == told
        disk.free()
        # It is repeated by turns with its number, and as the next write.
        is_there = isinstance(failed, LogError) and len(found) > len(told)
        again = attempt(writer, None if is_there and moment % 2 else EPOCH)
        assert isinstance(again, Commit)
        # A commit that was written although the call failed counts as the same attempt.
        assert found[len(told) :] in ([], [again])
        assert failed == again or isinstance(failed, LogError)
        after = writer.write(rows(2), position=at(9))
        assert check_log(root) == [*told, again, after]
        # An attempt that failed takes up no room that the next one needs.
        assert len(os.listdir(root / "clicks" / "data" / str(EPOCH))) == 1
    assert verify(root, "clicks").damages == ()
    assert failures >= len(moments) - 1


EPOCH = 7
"""The epoch after a gap, for which one more file is written."""


def steps_of(disk: Disk, writer: StoreWriter) -> list[int]:
    """Return the steps at which the disk becomes full: all, but only some of the small writes.

    The last is beyond the end, so it also shows that nothing else needs room.
    """
    disk.steps.clear()
    assert isinstance(attempt(writer, EPOCH), Commit)
    assert {"write", "open", "close", "fsync", "link", "create_dir"} == set(disk.steps)
    moments = [n for n, step in enumerate(disk.steps) if step != "write" or n % 9 == 0]
    return [*moments, len(disk.steps)]


def attempt(writer: StoreWriter, epoch: int | None) -> Commit | LogError:
    try:
        return writer.write(rows(3), position=at(5), epoch=epoch)
    except LogError as error:
        return error


def check_log(root: Path) -> list[Commit]:
    """Return all commits, after reading every row of them."""
    log = StoreLog.open(root, "clicks")
    found = chain(log)
    assert log.latest_epoch() == found[-1].epoch
    assert all(len(contents(log, commit)) == commit.rows for commit in found)
    return found


def test_a_store_that_had_no_room_can_be_defined_later(tmp_path: Path, disk: Disk) -> None:
    failures = 0
    for moment in range(20):
        root = tmp_path / str(moment)
        disk.fill(moment, only_once=False)
        try:
            StoreWriter(root, CLICKS)
        except LogError:
            failures += 1
        disk.free()
        assert StoreWriter(root, CLICKS).write(rows(), position=at(0)).epoch == 0
        check_log(root)
    assert 3 < failures < 20


def test_a_snapshot_without_room_is_not_written(tmp_path: Path, disk: Disk) -> None:
    writer = StoreWriter(tmp_path, CLICKS)
    writer.write(rows(), position=at(0))
    failures = 0
    for moment in range(0, 60, 6):
        disk.fill(moment, only_once=False)
        try:
            write_snapshot(tmp_path, "clicks")
        except LogError:
            failures += 1
        disk.free()
        check_log(tmp_path)
        writer.write(rows(), position=at(moment))
    assert 3 < failures < 10

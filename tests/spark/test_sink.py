"""The sink without a session of Spark: the files that its failed attempts leave."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pyspark.sql import DataFrame

from stategate.stores.errors import FencedError, LogError
from stategate.stores.log.metadata.named_files import DataFile
from stategate.stores.log.metadata.records import Commit
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spark import sink as sinks
from stategate.stores.spark.apart import ROWS_PER_FILE_MIN, SharedKeysError
from stategate.stores.spark.definition import StoreFrame
from stategate.stores.spark.reports import BatchFailedError
from stategate.stores.spark.sink import EpochSink
from stategate.stores.spark.tasks import Picking, Target, TooLargeToHoldError
from tests.spark.test_continuity import planned
from tests.support.logs import CLICKS

pytestmark = pytest.mark.spark


class Frame:
    """A batch whose rows are not read, of a session with one core."""

    sparkSession = SimpleNamespace(sparkContext=SimpleNamespace(defaultParallelism=1))

    def select(self, *columns: object) -> Frame:
        return self


ROWS = cast("DataFrame", Frame())
Tasks = Callable[..., list[Any]]


def sink_of(tmp_path: Path, tasks: Tasks, monkeypatch: pytest.MonkeyPatch) -> EpochSink:
    """Return a sink whose tasks write a file and then call this function."""

    def run(selected: object, target: Target, picking: Picking) -> list[Any]:
        path = target.directory.join(f"{target.attempt}/p00000-0.parquet")
        Path(path).write_bytes(b"half a file")
        return tasks(attempt=target.attempt, picking=picking)

    monkeypatch.setattr(sinks, "write_by_tasks", run)
    return EpochSink(
        StoreFrame(schema=CLICKS, selection=(), unique=False),
        root=str(tmp_path),
        checkpoint=planned(tmp_path / "checkpoint", dict.fromkeys(range(4), "first")),
        replaces=False,
        collect_rows_max=0,
    )


def attempts(tmp_path: Path) -> list[str]:
    data = tmp_path / "clicks" / "data" / "0"
    return os.listdir(data) if data.is_dir() else []


def no_room(**options: object) -> list[Any]:
    raise RuntimeError("no room")


def test_failed_tasks_leave_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark repeats the batch, and on a full disk each attempt would take more space."""
    sink = sink_of(tmp_path, no_room, monkeypatch)
    for _ in range(2):
        with pytest.raises(BatchFailedError, match="no room"):
            sink(ROWS, 0)
        assert attempts(tmp_path) == []


def test_tasks_whose_driver_was_replaced_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other driver has removed the directory of their files, which alone would be no help."""

    def replaced(**options: object) -> list[Any]:
        StoreWriter(tmp_path, CLICKS, writer="another").take_ownership()
        raise RuntimeError("no such directory")

    sink = sink_of(tmp_path, replaced, monkeypatch)
    with pytest.raises(FencedError, match="has had another writer, another"):
        sink(ROWS, 0)


def test_a_failed_commit_leaves_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sink = sink_of(tmp_path, lambda **options: [], monkeypatch)

    def fail(log: StoreLog, commit: Commit) -> None:
        raise LogError("no room")

    with monkeypatch.context() as patched:
        patched.setattr(StoreLog, "write_commit", fail)
        with pytest.raises(LogError, match="no room"):
            sink(ROWS, 0)
        assert attempts(tmp_path) == []
    sink(ROWS, 0)
    assert len(attempts(tmp_path)) == 1


def test_files_of_a_commit_that_raised_late_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def written(*, attempt: str, **options: object) -> list[Any]:
        path = f"{attempt}/p00000-0.parquet"
        return [DataFile(path=path, partition=0, rows=1, size_bytes=11, sha256="x")]

    sink = sink_of(tmp_path, written, monkeypatch)
    write_commit = StoreLog.write_commit

    def fail(log: StoreLog, commit: Commit) -> None:
        write_commit(log, commit)
        raise LogError("no room")

    monkeypatch.setattr(StoreLog, "write_commit", fail)
    with pytest.raises(LogError, match="no room"):
        sink(ROWS, 0)
    commit = StoreLog.open(tmp_path, "clicks").commit(0)
    assert commit is not None
    assert [file.path.split("/")[2] for file in commit.files] == attempts(tmp_path)


def test_a_sorting_attempt_replaces_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left: list[int] = []

    def tasks(*, picking: Picking, **options: object) -> list[Any]:
        left.append(len(attempts(tmp_path)))
        if picking is Picking.HELD:
            raise RuntimeError(f"{TooLargeToHoldError.__name__}: as Spark tells of it")
        if len(left) == 2:
            raise RuntimeError(f"{TooLargeToHoldError.__name__} in a text is not asked twice")
        return []

    sink = sink_of(tmp_path, tasks, monkeypatch)
    with pytest.raises(BatchFailedError, match="not asked twice"):
        sink(ROWS, 0)
    assert attempts(tmp_path) == []
    sink(ROWS, 0)
    assert left == [1, 1, 1]
    assert StoreWriter(tmp_path, CLICKS).log.latest_epoch() == 0


@pytest.mark.parametrize(
    "error", [SharedKeysError("two"), RuntimeError(f"{TooLargeToHoldError.__name__}: of Spark")]
)
def test_large_epochs_are_shuffled_once_tasks_share_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    ways: list[str] = []
    rows = CLICKS.partitions * ROWS_PER_FILE_MIN

    def file(attempt: str) -> list[Any]:
        path = f"{attempt}/p00000-0.parquet"
        return [DataFile(path=path, partition=0, rows=rows, size_bytes=11, sha256="x")]

    def shuffled(*, attempt: str, **options: object) -> list[Any]:
        ways.append("shuffled")
        return file(attempt)

    def apart(selected: object, target: Target) -> list[Any]:
        attempt = target.attempt
        ways.append("apart")
        if len(ways) == 3:
            raise error
        return file(attempt)

    monkeypatch.setattr(sinks, "write_apart", apart)
    sink = sink_of(tmp_path, shuffled, monkeypatch)
    for epoch in range(4):
        sink(ROWS, epoch)
    assert ways == ["shuffled", "apart", "apart", "shuffled", "shuffled"]
    assert StoreLog.open(tmp_path, "clicks").latest_epoch() == 3


def test_many_small_files_are_not_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ways: list[str] = []
    rows = CLICKS.partitions * ROWS_PER_FILE_MIN

    def shuffled(*, attempt: str, **options: object) -> list[Any]:
        ways.append("shuffled")
        path = f"{attempt}/p00000-0.parquet"
        return [DataFile(path=path, partition=0, rows=rows, size_bytes=11, sha256="x")]

    def apart(selected: object, target: Target) -> list[Any]:
        attempt = target.attempt
        ways.append("apart")
        part = rows // 100
        return [
            DataFile(
                path=f"{attempt}/p00000-{n}.parquet",
                partition=0,
                rows=part,
                size_bytes=11,
                sha256="x",
            )
            for n in range(100)
        ]

    monkeypatch.setattr(sinks, "write_apart", apart)
    sink = sink_of(tmp_path, shuffled, monkeypatch)
    for epoch in range(4):
        sink(ROWS, epoch)
    assert ways == ["shuffled", "apart", "shuffled", "shuffled"]

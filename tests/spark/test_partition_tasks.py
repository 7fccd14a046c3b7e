"""Snapshots that Spark's tasks write: the same as the driver's, and all or nothing."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from stategate.stores.errors import LogError
from stategate.stores.log.metadata.records import Snapshot
from stategate.stores.log.snapshots import read_snapshot
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spark.partition_tasks import PartitionTasks
from stategate.stores.spec.position import Position
from stategate.stores.upkeep.compaction import CompactionStoppedError, bytes_to_read, snapshot_of
from stategate.stores.upkeep.retention import Retention, compact
from tests.support.stores import keyvalue
from tests.support.waiting import WAIT_S, until

pytestmark = pytest.mark.spark

SCHEMA = keyvalue("totals", {"usr": "text"}, {"n": "bigint"}, partitions=5)


def write(root: Path, epochs: range = range(3)) -> StoreLog:
    writer = StoreWriter(root, SCHEMA)
    for epoch in epochs:
        users = [f"u{number}" for number in range(epoch, epoch + 40)]
        rows = pa.table({"usr": users, "n": [epoch] * 40})
        gone = pa.array([number % 7 == 0 for number in range(40)])
        writer.write(
            rows.append_column("_deleted", gone),
            position=Position.of({"events": {0: epoch}}),
            epoch=epoch,
        )
    return StoreLog.open(root, SCHEMA.name)


def by_tasks(spark: SparkSession, root: Path) -> PartitionTasks:
    return PartitionTasks(spark.sparkContext, str(root), bytes_min=0)


def contents(snapshot: Snapshot) -> list[tuple[int, int, str]]:
    """Return what readers see of the files, without their names."""
    files = [(file.partition, file.rows, file.sha256) for file in snapshot.files]
    return [*files, *((table.partition, table.rows, "") for table in snapshot.tables)]


def test_tasks_write_the_same_as_the_driver(spark: SparkSession, tmp_path: Path) -> None:
    log, other = write(tmp_path / "tasks"), write(tmp_path / "driver")
    found = snapshot_of(log, run=by_tasks(spark, tmp_path / "tasks"))
    expected = snapshot_of(other)
    assert [file[:2] for file in contents(found)] == [file[:2] for file in contents(expected)]
    assert (found.epoch, found.position) == (2, Position.of({"events": {0: 2}}))
    assert {file.partition for file in found.files} == set(range(5))
    assert "-" in found.files[0].path
    # All files are read and hashed again, and a second run finds nothing to do.
    done = compact(tmp_path / "tasks", SCHEMA.name, retention=Retention(epochs=1))
    assert (done.snapshot, done.written) == (found, False)
    # The next snapshot begins with this one.
    write(tmp_path / "tasks", range(3, 5))
    newer = snapshot_of(log, run=by_tasks(spark, tmp_path / "tasks"))
    write(tmp_path / "driver", range(3, 5))
    assert [file[:2] for file in contents(newer)] == [
        file[:2] for file in contents(snapshot_of(other))
    ]


def test_a_small_store_needs_no_job(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(PartitionTasks, "_run")
    log = write(tmp_path)
    commits = [commit for epoch in range(3) if (commit := log.commit(epoch)) is not None]
    size_bytes = bytes_to_read(log, 2)
    assert size_bytes == sum(file.size_bytes for commit in commits for file in commit.files)
    tasks = PartitionTasks(spark.sparkContext, str(tmp_path), bytes_min=size_bytes + 1)
    found = snapshot_of(log, run=tasks)
    assert {file.partition for file in found.files} == {*range(log.schema().partitions)}
    assert bytes_to_read(log, 2) == sum(file.size_bytes for file in found.files)


def waiting_for(path: str) -> Callable[[int], None]:
    """Return a task that ends once a file exists."""

    def wait(_: int) -> None:
        until_s = time.monotonic() + WAIT_S
        while not os.path.exists(path) and time.monotonic() < until_s:
            time.sleep(0.01)

    return wait


@contextmanager
def busy(spark: SparkSession, free: Path) -> Iterator[None]:
    """All cores have tasks, so that further jobs wait."""
    context = spark.sparkContext
    cores = context.defaultParallelism
    tasks = context.parallelize(range(cores), cores)
    with ThreadPoolExecutor(1) as threads:
        job = threads.submit(tasks.foreach, waiting_for(str(free)))
        try:
            until(context.statusTracker().getActiveJobsIds)
            yield
        finally:
            free.touch()
            job.result(WAIT_S)


def test_a_stopped_run_cancels_its_job(spark: SparkSession, tmp_path: Path) -> None:
    log, tracker = write(tmp_path), spark.sparkContext.statusTracker()
    asked = threading.Event()

    def is_stopped() -> bool:
        if len(tracker.getActiveJobsIds()) > 1:
            asked.set()
        return asked.is_set()

    with busy(spark, tmp_path / "free"):
        with pytest.raises(CompactionStoppedError):
            snapshot_of(log, run=by_tasks(spark, tmp_path), is_stopped=is_stopped)
        assert len(tracker.getActiveJobsIds()) == 1
    until(lambda: not tracker.getActiveJobsIds())
    assert read_snapshot(log, 2) is None


def test_the_error_of_a_task_is_one_sentence(spark: SparkSession, tmp_path: Path) -> None:
    log = write(tmp_path)
    commit = log.commit(1)
    assert commit is not None
    (tmp_path / SCHEMA.name / commit.files_of(0)[0].path).unlink()
    with pytest.raises(LogError) as caught:
        snapshot_of(log, run=by_tasks(spark, tmp_path))
    text = str(caught.value)
    assert text.startswith('spark cannot write epoch 2 of store "totals": ')
    assert "is missing" in text
    assert "\n" not in text
    # Nothing of the attempt is left.
    assert not list((tmp_path / SCHEMA.name / "snapshots").rglob("*.sst"))

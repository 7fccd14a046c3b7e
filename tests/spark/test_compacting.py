"""Compaction within a pipeline: beside the query, one run at a time, until the query ends."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from stategate.stores.errors import LogError, SchemaError
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spark import materialize, read_store
from stategate.stores.spark.compacting import PipelineCompactor
from stategate.stores.spec.position import Position
from stategate.stores.upkeep.compaction import check_stopped
from stategate.stores.upkeep.retention import Compacted, Retention, compact
from tests.spark.conftest import Orders
from tests.support.stores import keyvalue

SCHEMA = keyvalue("totals", {"usr": "text"}, {"n": "bigint"}, partitions=2)
WAIT_S = 30.0


def write(root: Path, epoch: int) -> None:
    rows = pa.table({"usr": ["ann", "bob"], "n": [epoch, epoch]})
    position = Position.of({"events": {0: epoch}})
    StoreWriter(root, SCHEMA).write(rows, position=position, epoch=epoch)


class Query:
    """A streaming query that runs until it is stopped."""

    def __init__(self) -> None:
        self.active: bool | None = True

    @property
    def isActive(self) -> bool:
        if self.active is None:
            raise ConnectionRefusedError("the JVM has gone")
        return self.active


class Runs:
    """Stands for `compact`: each run waits until the test releases it."""

    def __init__(self) -> None:
        self.begun: list[int] = []
        self.going = threading.Event()
        self.fail = False

    def __call__(
        self, root: str, store: str, *, is_stopped: Callable[[], bool], **options: Any
    ) -> Compacted:
        self.begun.append(options["every"])
        while not self.going.wait(0.005):
            check_stopped(store, is_stopped)
        if self.fail:
            raise LogError("the disk is full")
        return Compacted(
            store=store,
            snapshot=None,
            written=True,
            epochs_removed=0,
            snapshots_removed=0,
            orphans_removed=0,
        )


def compactor(run: Callable[..., Compacted], root: Path | str = "", every: int = 3) -> Any:
    return PipelineCompactor(
        str(root), "totals", every=every, retention=Retention(epochs=1), run=run
    )


def test_only_one_run_at_a_time_in_parallel_with_the_query() -> None:
    runs = Runs()
    compacting = compactor(runs)
    for epoch in range(20):
        compacting.committed(epoch)
    assert (runs.begun, compacting.is_running) == ([3], True)
    runs.going.set()
    assert compacting.join(WAIT_S)
    for epoch in range(20, 24):
        compacting.committed(epoch)
        assert compacting.join(WAIT_S)
    # The first run may begin with epoch 0; later ones count from the start of a run.
    assert (len(runs.begun), compacting.runs, compacting.failures) == (3, 3, 0)


def test_a_failed_run_is_logged_counted_and_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    runs = Runs()
    runs.going.set()
    runs.fail = True
    compacting = compactor(runs)
    with caplog.at_level(logging.ERROR):
        for epoch in range(3):
            compacting.committed(epoch)
            assert compacting.join(WAIT_S)
    assert (compacting.runs, compacting.failures) == (0, 1)
    assert "store=totals epoch=3 failures=1" in caplog.text
    assert "the disk is full" in caplog.text
    runs.fail = False
    compacting.committed(3)
    assert compacting.join(WAIT_S)
    assert (compacting.runs, compacting.failures) == (1, 1)


@pytest.mark.parametrize("active", [False, None], ids=["stopped", "its JVM has gone"])
def test_a_run_stops_with_the_query(active: bool | None) -> None:
    runs, query = Runs(), Query()
    compacting = compactor(runs)
    compacting.stop_with(query)
    compacting.committed(0)
    assert not compacting.join(0.05)
    query.active = active
    assert compacting.join(WAIT_S)
    assert (compacting.runs, compacting.failures) == (0, 0)


def test_the_next_run_is_counted_from_the_newest_snapshot(tmp_path: Path) -> None:
    for epoch in range(5):
        write(tmp_path, epoch)
    log = StoreLog.open(tmp_path, "totals")
    compact(tmp_path, "totals", retention=Retention(epochs=10))
    compacting = compactor(compact, tmp_path)
    for epoch in range(5, 13):
        write(tmp_path, epoch)
        compacting.committed(epoch)
        assert compacting.join(WAIT_S)
    assert log.snapshots() == [10]
    assert log.epochs() == [10, 11, 12]
    assert (compacting.runs, compacting.failures) == (3, 0)


@pytest.mark.spark
def test_a_pipeline_compacts_its_store(spark: SparkSession, orders: Orders, tmp_path: Path) -> None:
    root = str(tmp_path / "log")
    query = materialize(
        orders.frame.groupBy("usr").agg(F.count("*").alias("n")),
        store="totals",
        key=["usr"],
        root=root,
        partitions=2,
        checkpoint=str(tmp_path / "checkpoint"),
        compact_every=2,
        retain=Retention(epochs=2),
    )
    for number in range(6):
        orders.send(0, (f"u{number % 4}", number))
        query.processAllAvailable()
        for thread in threading.enumerate():
            if thread.name == "totals-log":
                thread.join(WAIT_S)
    query.stop()
    log = StoreLog.open(root, "totals")
    # Runs were due at epochs 0, 2 and 4; two epochs are kept, and all after them.
    assert log.snapshots()[0] == 4
    assert log.epochs() == [3, 4, 5]
    found = {row["usr"]: row["n"] for row in read_store(spark, root, "totals").collect()}
    assert found == {"u0": 2, "u1": 2, "u2": 1, "u3": 1}


@pytest.mark.spark
def test_an_invalid_number_of_epochs_is_refused(orders: Orders, tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="compact_every must be 1 epoch or more"):
        materialize(
            orders.frame.groupBy("usr").count(),
            store="totals",
            key=["usr"],
            root=str(tmp_path / "log"),
            partitions=2,
            checkpoint=str(tmp_path / "checkpoint"),
            compact_every=0,
        )

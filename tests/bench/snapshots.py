"""A snapshot that Spark's tasks write, against the same one written by the driver in turn."""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from pathlib import Path

from stategate.stores.log.state_log import StoreLog
from stategate.stores.spark import spark_session
from stategate.stores.spark.partition_tasks import PartitionTasks
from stategate.stores.upkeep.compaction import Runner, snapshot_of
from tests.bench import data
from tests.bench.harness import BenchError, Line, Measured, by_turns
from tests.bench.setting import Setting


def by_tasks(setting: Setting) -> Sequence[Line]:
    """Rows a second: tasks on all cores, and on those that a compaction uses beside a query."""
    root = setting.directory / "snapshots"
    data.write_log(root, setting.table)
    spark = spark_session("bench")
    try:
        context = spark.sparkContext
        alone = PartitionTasks(context, str(root), bytes_min=0, share=1.0)
        beside = PartitionTasks(context, str(root), bytes_min=0)
        return [
            _line(setting, root, "on all cores", alone),
            _line(setting, root, "beside a query", beside),
        ]
    finally:
        spark.stop()


def _line(setting: Setting, root: Path, where: str, tasks: PartitionTasks) -> Line:
    ours, rival = by_turns(
        lambda: _rate(root, setting.keys, tasks),
        lambda: _rate(root, setting.keys, None),
        rounds=setting.rounds,
    )
    return Measured(
        work=f"snapshot of {setting.keys:,} rows by tasks {where}",
        unit="rows/s",
        ours=ours,
        rival=rival,
        rival_name="by the driver",
    )


def _rate(root: Path, rows: int, run: Runner | None) -> float:
    log = StoreLog.open(str(root), data.STORE)
    # A snapshot that is there would be returned as it is.
    shutil.rmtree(root / data.STORE / "snapshots", ignore_errors=True)
    start = time.perf_counter()
    snapshot = snapshot_of(log, run=run)
    took_s = time.perf_counter() - start
    if (written := sum(file.rows for file in snapshot.files)) != rows:
        raise BenchError(f"the snapshot has {written:,} rows, not {rows:,}")
    return rows / took_s

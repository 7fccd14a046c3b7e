"""Runs a query that loses an executor while another one writes, for test_stage_attempts.py.

Spark then makes the stage's lost input again and starts a second attempt at the stage, while a task
of the first attempt still writes its partition: it is late, its result counts for nothing, and its
rows come in another order. This program prints what was written, and what the commit names.

    python -m tests.spark.recovery.stage_attempts DIRECTORY
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import functions as F

from stategate.stores import verify
from stategate.stores.log.state_log import StoreLog
from stategate.stores.spark import materialize, spark_session, tasks
from stategate.stores.spark.tasks import Picking, Target

WAIT_S = 240
ROWS, FILES = 4_000, 4
OPTIONS: dict[str, Any] = {
    "spark.executor.cores": "1",
    "spark.executor.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
    "spark.executorEnv.PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    # Only the output of the lost executor is made again, so that a task of the other goes on.
    "spark.files.fetchFailure.unRegisterOutputOnHost": "false",
    "spark.shuffle.io.maxRetries": "1",
    "spark.shuffle.io.retryWait": "100ms",
    "spark.sql.files.maxPartitionBytes": "50000",
}


def main(directory: Path) -> None:
    """Run the query and print the outcome."""
    tasks.part_writer = patient(tasks.part_writer, directory)
    (directory / "input").mkdir()
    for number in range(FILES):
        lines = (json.dumps({"k": f"k{number * ROWS + n}", "v": n}) for n in range(ROWS))
        (directory / f"input/{number}.json").write_text("\n".join(lines))
    spark = spark_session(
        "stages", master="local-cluster[2,1,1024]", shuffle_partitions=2, **OPTIONS
    )
    spark.sparkContext.setLogLevel("OFF")
    rows = spark.readStream.schema("k string, v bigint").json(str(directory / "input"))
    threading.Thread(target=kill_executor, args=[directory], daemon=True).start()
    query = materialize(
        rows.groupBy("k").agg(F.sum("v").alias("s")),
        store="sums",
        key=["k"],
        root=str(directory / "root"),
        partitions=2,
        checkpoint=str(directory / "checkpoint"),
        trigger={"availableNow": True},
    )
    query.awaitTermination(WAIT_S)
    wait_for(directory / "late")
    commit = StoreLog.open(directory / "root", "sums").commit(0)
    outcome = {
        "written": sorted(path.read_text() for path in directory.glob("wrote-*")),
        "late": (directory / "late").read_text(),
        "committed": sorted(file.path for file in commit.files) if commit else [],
        "rows": sum(file.rows for file in commit.files) if commit else 0,
        "damages": [str(each) for each in verify(directory / "root", "sums").damages],
    }
    print(json.dumps(outcome))
    spark.stop()


def patient(writer_of: Callable[[Target, Picking], Any], directory: Path) -> Any:
    """Return a maker of the tasks' functions, whose tasks wait for each other and for the loss."""

    def writer(target: Target, picking: Picking) -> Callable[[Any], Iterator[Any]]:
        write = writer_of(target, picking)

        def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            context = TaskContext.get()
            assert context is not None
            held = list(batches)
            partition = context.partitionId()
            is_first = take(directory / f"running-{partition}", str(os.getppid()))
            if is_first:
                # Partition 1 is killed here; partition 0 is late.
                wait_for(directory / "wrote-0")
                held = [each.take(pa.array(np.arange(each.num_rows)[::-1])) for each in held[::-1]]
            elif partition == 1:
                wait_for(directory / "late")
            found = list(write(iter(held)))
            path = found[0].column("path")[0].as_py()
            take(directory / ("late" if is_first else f"wrote-{partition}"), path)
            yield from found

        return run

    return writer


def take(path: Path, text: str) -> bool:
    """Create a file whole; False if there is one."""
    draft = path.with_name(f".{path.name}-{os.getpid()}")
    draft.write_text(text)
    try:
        path.hardlink_to(draft)
    except FileExistsError:
        return False
    return True


def wait_for(path: Path) -> None:
    """Wait until another process has written a file."""
    end = time.monotonic() + WAIT_S
    while not path.exists():
        if time.monotonic() > end:
            raise TimeoutError(f"no {path.name}")
        time.sleep(0.05)


def kill_executor(directory: Path) -> None:
    """Kill the executor of partition 1 once both partitions have their rows."""
    for partition in (0, 1):
        wait_for(directory / f"running-{partition}")
    # The parent of a worker is Spark's daemon, whose parent is the executor.
    daemon = (directory / "running-1").read_text()
    status = Path(f"/proc/{daemon}/stat").read_text().rpartition(")")[2].split()
    os.kill(int(status[1]), signal.SIGKILL)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

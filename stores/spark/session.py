"""Creates Spark sessions with settings for small, frequent epochs."""

from __future__ import annotations

import os
import sys
from typing import Any

from pyspark.sql import SparkSession

from stores.spark.java import use_java

_FILE_MANAGER = (
    "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
)
_MASTER_LOCAL = "local[*]"
_LOOPBACK = {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
"""For one machine, so that it works if the host's name does not resolve or the network changes."""


def spark_session(
    app_name: str,
    *,
    master: str | None = None,
    shuffle_partitions: int = 4,
    local_checkpoints: bool = True,
    driver_memory: str = "2g",
    **conf: Any,
) -> SparkSession:
    """Get or create a session that runs streaming queries with low latency.

    It finds a Java, and Python workers use the interpreter of this process.

    Args:
        app_name: the name in Spark's logs.
        master: the cluster; by default SPARK_MASTER, else all cores of this machine.
        shuffle_partitions: the state stores of a query; each needs a task in every epoch. Ideally
            as many as the stores have partitions: then their rows need no further shuffle.
        local_checkpoints: whether checkpoints lie on a local disk. There Spark by default starts a
            process to create a file, which this avoids; turn it off for object stores.
        driver_memory: memory of the JVM, if this call starts it.
        conf: further settings, by their names in Spark: `**{"spark.x.y": 1}`.

    Raises:
        JavaMissingError: no Java that Spark can run on was found.
    """
    use_java()
    # Otherwise workers run the `python3` of the PATH, which may lack our packages.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    chosen = master or os.environ.get("SPARK_MASTER", _MASTER_LOCAL)
    settings = _settings(shuffle_partitions, local_checkpoints)
    if chosen.startswith("local"):
        settings |= _LOOPBACK
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    settings |= conf
    builder = SparkSession.builder.appName(app_name).config("spark.driver.memory", driver_memory)
    builder = builder.master(chosen)
    for name, value in settings.items():
        builder = builder.config(name, value)
    session: SparkSession = builder.getOrCreate()
    return session


def _settings(shuffle_partitions: int, local_checkpoints: bool) -> dict[str, Any]:
    settings: dict[str, Any] = {
        "spark.sql.shuffle.partitions": shuffle_partitions,
        # Timestamps reach Python as UTC in every time zone of the machine.
        "spark.sql.session.timeZone": "UTC",
        "spark.ui.enabled": "false",
        # A query that is stopped within a batch searches its error with a regular expression, which
        # overflows a stack of the default size and logs that at length.
        "spark.driver.extraJavaOptions": "-Xss4m",
        "spark.ui.showConsoleProgress": "false",
        # Fewer, larger batches between the JVM and Python.
        "spark.sql.execution.arrow.maxRecordsPerBatch": 50_000,
    }
    if local_checkpoints:
        settings["spark.sql.streaming.checkpointFileManagerClass"] = _FILE_MANAGER
    return settings

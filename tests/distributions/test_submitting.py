"""Pipelines that are submitted: executors have only what the documentation says."""

from __future__ import annotations

import json
import shutil
import subprocess
import tarfile
from collections.abc import Mapping
from pathlib import Path

import pyspark
import pytest

from stategate.stores import verify
from stategate.stores.log.state_log import StoreLog
from stategate.stores.spark.session import use_java
from tests.distributions.conftest import Environment
from tests.support.process import plain_environment

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]
TIMEOUT_S = 280
PIPELINE = """
import sys
from pyspark.sql import SparkSession, functions as F
from stategate.stores.spark import materialize

_, root, rows = sys.argv
spark = SparkSession.builder.appName("sums").getOrCreate()
counted = spark.readStream.schema("k string, v bigint").json(rows)
query = materialize(
    counted.groupBy("k").agg(F.sum("v").alias("s")),
    store="sums",
    key=["k"],
    root=root,
    partitions=2,
    checkpoint=f"{root}/_checkpoints/sums",
    trigger={"availableNow": True},
    collect_rows_max=0,
)
query.awaitTermination()
"""
"""Its epoch is written by the tasks, so executors need the stores."""
CONF = {
    "spark.executor.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
}


def submitted(project: Path, driver: Path, *arguments: str) -> None:
    """Submit the pipeline from a folder to a local cluster of one executor."""
    (project / "rows").mkdir()
    lines = [json.dumps({"k": f"k{number % 5}", "v": number}) for number in range(100)]
    (project / "rows" / "0.json").write_text("\n".join(lines))
    (project / "pipeline.py").write_text(PIPELINE)
    environment = plain_environment()
    environment.pop("PYTHONPATH", None)
    use_java(environment)
    home = Path(pyspark.__file__).parent
    settings = {**CONF, "spark.pyspark.driver.python": str(driver)}
    conf = [each for name, value in settings.items() for each in ("--conf", f"{name}={value}")]
    command = [str(home / "bin" / "spark-submit"), "--master", "local-cluster[1,1,1024]", *conf]
    done = subprocess.run(
        [*command, *arguments, "pipeline.py", str(project / "log"), "rows"],
        cwd=project,
        env={**environment, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    commit = StoreLog.open(project / "log", "sums").commit(0)
    assert commit is not None
    assert sum(file.rows for file in commit.files) == 5
    assert verify(project / "log", "sums").damages == ()


@pytest.mark.clients
def test_workers_that_have_the_distribution(
    wheels: Mapping[str, Path], environment: Environment, hostile: Path
) -> None:
    environment.install(wheels["stategate-stores"])
    python = str(environment.python)
    submitted(hostile, environment.python, "--conf", f"spark.pyspark.python={python}")


@pytest.mark.clients
def test_an_archive_with_an_environment(
    wheels: Mapping[str, Path], environment: Environment, hostile: Path, tmp_path: Path
) -> None:
    environment.install(wheels["stategate-stores"])
    archive = tmp_path / "environment.tar.gz"
    with tarfile.open(archive, "w:gz", compresslevel=1) as tar:
        tar.add(environment.bin.parent, arcname=".")
    given = ("--archives", f"{archive}#environment")
    python = ("--conf", "spark.pyspark.python=./environment/bin/python")
    submitted(hostile, environment.python, *given, *python)


def test_workers_with_the_libraries_and_a_zip(
    wheels: Mapping[str, Path], environment: Environment, hostile: Path, tmp_path: Path
) -> None:
    """Where nothing can be installed, but NumPy, Arrow, mmh3, msgspec and orjson are there."""
    shutil.unpack_archive(wheels["stategate-stores"], tmp_path / "libs", "zip")
    zipped = shutil.make_archive(str(tmp_path / "stategate"), "zip", tmp_path / "libs", "stategate")
    python = ("--conf", f"spark.pyspark.python={environment.python}")
    submitted(hostile, environment.python, "--py-files", zipped, *python)

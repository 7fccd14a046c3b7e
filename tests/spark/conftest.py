"""One Spark session for all tests, and a topic for them to read.

The session can read Kafka if `make kafka` has fetched the connector.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from examples.kafka_orders.jars import missing, paths
from stategate.stores.spark import spark_session
from tests.spark.orders_source import OrdersSource
from tests.support.process import free_ports

FAST_START: dict[str, Any] = {
    "spark.driver.extraJavaOptions": "-Xss4m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    # A Python worker of Spark needs longer than the default of 15 s to start on a busy machine.
    "spark.python.authenticate.socketTimeout": "100s",
}
"""Options for a JVM that runs for a minute: better compilation would cost more than it saves."""
CONNECT_PORT = "spark.connect.grpc.binding.port"


class Orders:
    """The topic `orders` with two partitions: rows of user, amount, seconds, gone."""

    SCHEMA = "usr string, amount bigint, at bigint, gone boolean"

    def __init__(self, spark: SparkSession, directory: Path) -> None:
        self.directory = directory
        directory.mkdir()
        for partition in (0, 1):
            (directory / f"{partition}.jsonl").touch()
        self.frame: DataFrame = (
            spark.readStream.format("orders")
            .schema(self.SCHEMA)
            .option("directory", str(directory))
            .load()
            .selectExpr("usr", "amount", "timestamp_seconds(at) AS at", "gone")
        )

    def send(self, partition: int, *rows: tuple[Any, ...]) -> None:
        """Append to a partition, all at once; `at` and `gone` may be omitted."""
        path = self.directory / f"{partition}.jsonl"
        whole = [[*row, *(0, False)[len(row) - 2 :]] for row in rows]
        draft = path.with_suffix(".draft")
        draft.write_text(path.read_text() + "".join(f"{json.dumps(row)}\n" for row in whole))
        draft.replace(path)


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    jars = {} if missing("connector") else {"spark.jars": ",".join(map(str, paths("connector")))}
    options = {**FAST_START, **jars, CONNECT_PORT: free_ports(1)[0]}
    options["spark.connect.grpc.binding.address"] = "127.0.0.1"
    session = spark_session("tests", master="local[2]", shuffle_partitions=4, **options)
    session.sparkContext.setLogLevel("OFF")
    session.dataSource.register(OrdersSource)
    yield session
    session.stop()


@pytest.fixture(scope="session")
def connect_url(spark: SparkSession) -> str:
    """Return the address of Spark Connect in the JVM of all tests."""
    jvm: Any = spark._jvm
    jvm.org.apache.spark.sql.connect.service.SparkConnectService.start(spark._jsc.sc())
    return f"sc://127.0.0.1:{spark.sparkContext.getConf().get(CONNECT_PORT)}"


@pytest.fixture
def orders(spark: SparkSession, tmp_path: Path) -> Iterator[Orders]:
    yield Orders(spark, tmp_path / "orders")
    for query in spark.streams.active:
        query.stop()

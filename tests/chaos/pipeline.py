"""The driver of a chaos run: four stores of one topic, `python -m … ROOT KAFKA`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from examples.kafka_orders.jars import paths
from stores import Retention
from stores.spark import materialize, report_progress, run, spark_session
from tests.chaos.ledger import GAP_MS, TOPIC, WINDOW_MS
from tests.spark.conftest import FAST_START

LATE_MS = 20_000
"""How late a record may be; those of a run are not that late."""
_TRIGGER = {"processingTime": "200 milliseconds"}


def records(spark: SparkSession, kafka: str) -> DataFrame:
    """Return the committed records of the topic: key, n, amount, at, gone."""
    options = {
        "kafka.bootstrap.servers": kafka,
        "subscribe": TOPIC,
        "startingOffsets": "earliest",
        "kafka.isolation.level": "read_committed",
    }
    frame = spark.readStream.format("kafka").options(**options).load()
    return frame.selectExpr(
        "CAST(key AS STRING) AS key",
        "split(CAST(value AS STRING), ':') AS parts",
        "value IS NULL AS gone",
    ).selectExpr(
        "key",
        "CAST(parts[0] AS BIGINT) AS n",
        "CAST(parts[1] AS BIGINT) AS amount",
        "timestamp_millis(CAST(parts[2] AS BIGINT)) AS at",
        "gone",
    )


def latest(frame: DataFrame) -> DataFrame:
    """Return the last record of each key."""
    return frame.drop("at")


def _counted(grouped: Any) -> DataFrame:
    done: DataFrame = grouped.agg(F.count("*").alias("n"), F.sum("amount").alias("amount"))
    return done


def totals(frame: DataFrame) -> DataFrame:
    """Return the number of records of each key, and their sum."""
    return _counted(frame.where("NOT gone").groupBy("key"))


def windows(frame: DataFrame) -> DataFrame:
    """Return the same by key and window."""
    timely = frame.where("NOT gone").withWatermark("at", "2 hours")
    return _counted(timely.groupBy("key", F.window("at", f"{WINDOW_MS} milliseconds")))


def sessions(frame: DataFrame) -> DataFrame:
    """Return the same by key and session, once the session has ended."""
    timely = frame.where("NOT gone").withWatermark("at", f"{LATE_MS} milliseconds")
    return _counted(timely.groupBy("key", F.session_window("at", f"{GAP_MS} milliseconds")))


QUERIES: Mapping[str, tuple[Callable[[DataFrame], DataFrame], Mapping[str, Any]]] = {
    "latest": (latest, {"deleted": "gone", "output_mode": "append", "compact_every": 25}),
    "totals": (totals, {"collect_rows_max": 0}),
    "windows": (windows, {"kind": "window", "window_size_ms": WINDOW_MS, "compact_every": 40}),
    "sessions": (sessions, {"kind": "session", "output_mode": "append"}),
}


def main(root: str, kafka: str) -> int:
    """Run the queries until a signal comes, or one fails."""
    options: dict[str, Any] = {**FAST_START, "spark.jars": ",".join(map(str, paths("connector")))}
    # A task is tried again, since its Python worker may be killed.
    spark = spark_session("chaos", master="local[2,4]", shuffle_partitions=2, **options)
    spark.sparkContext.setLogLevel("OFF")
    report_progress(spark, partial(print, flush=True))
    queries = []
    for store, (made, given) in QUERIES.items():
        frame = made(records(spark, kafka))
        queries.append(
            materialize(
                frame,
                store=store,
                key=["key"],
                root=root,
                partitions=2,
                checkpoint=f"{root}/_checkpoints/{store}",
                trigger=_TRIGGER,
                retain=Retention(epochs=10),
                **given,
            )
        )
    return run(spark, queries)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

"""The driver of a chaos run: four stores of one topic, `python -m … ROOT KAFKA EXTRAS`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from examples.kafka_orders.jars import paths
from stategate.stores import Retention
from stategate.stores.spark import materialize, report_progress, run, spark_session
from tests.chaos.ledger import GAP_MS, PARTS, TOPIC, WINDOW_MS
from tests.chaos.shapes import Shape, definition
from tests.spark.conftest import FAST_START

LATE_MS = 20_000
"""How late a record may be; those of a run are not that late."""
_TRIGGER = {"processingTime": "200 milliseconds"}


def records(spark: SparkSession, kafka: str) -> DataFrame:
    """Return the committed records of the topic: key, part, n, amount, at, gone."""
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
        f"ascii(substr(key, -1, 1)) % {PARTS} AS part",
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
    return _counted(frame.where("NOT gone").groupBy("key", "part"))


def windows(frame: DataFrame) -> DataFrame:
    """Return the same by key and window."""
    timely = frame.where("NOT gone").withWatermark("at", "2 hours")
    return _counted(timely.groupBy("key", "part", F.window("at", f"{WINDOW_MS} milliseconds")))


def sessions(frame: DataFrame) -> DataFrame:
    """Return the same by key and session, once the session has ended."""
    timely = frame.where("NOT gone").withWatermark("at", f"{LATE_MS} milliseconds")
    return _counted(timely.groupBy("key", "part", F.session_window("at", f"{GAP_MS} milliseconds")))


QUERIES: Mapping[str, tuple[Callable[[DataFrame], DataFrame], Mapping[str, Any]]] = {
    "latest": (latest, {"deleted": "gone", "output_mode": "append", "compact_every": 25}),
    "totals": (totals, {"collect_rows_max": 0}),
    "windows": (windows, {"kind": "window", "window_size_ms": WINDOW_MS, "compact_every": 40}),
    "sessions": (sessions, {"kind": "session", "output_mode": "append"}),
}


def shaped(frame: DataFrame, root: str, store: str, more: Sequence[str]) -> tuple[DataFrame, Any]:
    """Return rows under the definition that a store has, and its key and partitions.

    Args:
        frame: the rows, with the columns `n` and `amount`.
        root: the state log.
        store: the name of the store.
        more: names of further columns, which the store may not have yet.
    """
    known = definition(root, store)
    shape = Shape() if known is None else Shape.of(column.name for column in known.value)
    for name in sorted({*shape.extras, *more}):
        frame = frame.withColumn(name, F.col("n") + F.col("amount"))
    frame = frame.withColumnsRenamed({"n": shape.n, "amount": shape.amount})
    key = ["key", "part"] if known is None else [column.name for column in known.key]
    return frame, {"key": key, "partitions": 2 if known is None else known.partitions}


def main(root: str, kafka: str, extras: str) -> int:
    """Run the queries until a signal comes, or one fails; `extras` is JSON, store → columns."""
    more = json.loads(extras)
    options: dict[str, Any] = {**FAST_START, "spark.jars": ",".join(map(str, paths("connector")))}
    # A task is tried again, since its Python worker may be killed.
    spark = spark_session("chaos", master="local[2,4]", shuffle_partitions=2, **options)
    spark.sparkContext.setLogLevel("OFF")
    report_progress(spark, partial(print, flush=True))
    queries = []
    for store, (made, given) in QUERIES.items():
        frame, kept = shaped(made(records(spark, kafka)), root, store, more.get(store, ()))
        queries.append(
            materialize(
                frame,
                store=store,
                root=root,
                evolve=True,
                **kept,
                checkpoint=f"{root}/_checkpoints/{store}",
                trigger=_TRIGGER,
                retain=Retention(epochs=10),
                **given,
            )
        )
    return run(spark, queries)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

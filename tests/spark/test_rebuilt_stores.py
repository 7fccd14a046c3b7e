"""Pipelines and streams of changes, before and after their store is rebuilt."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

from stategate.stores.errors import SchemaError
from stategate.stores.log.state_log import StoreLog
from stategate.stores.spark import materialize
from stategate.stores.spark.partition_tasks import PartitionTasks
from stategate.stores.spec.redefinition import changed_columns
from stategate.stores.spec.schema import StoreSchema
from stategate.stores.upkeep.rebuild import rebuild
from tests.spark.conftest import Orders
from tests.support.logs import contents_of

pytestmark = pytest.mark.spark


def start(frame: DataFrame, place: Path, **options: Any) -> StreamingQuery:
    return materialize(
        frame,
        store="totals",
        key=["usr"],
        root=str(place / "log"),
        partitions=options.pop("partitions", 3),
        checkpoint=str(place / "checkpoint"),
        event_time="at",
        **options,
    )


def definition(place: Path) -> StoreSchema:
    return StoreLog.open(place / "log", "totals").schema()


def rows(place: Path, *names: str) -> list[tuple[Any, ...]]:
    schema = definition(place)
    at = [[column.name for column in schema.columns].index(name) for name in names]
    return sorted(tuple(row[i] for i in at) for row in contents_of(place / "log", schema))


def test_a_pipeline_keeps_its_checkpoint(
    spark: SparkSession, orders: Orders, tmp_path: Path
) -> None:
    few = orders.frame.select("usr", "amount", "at")
    query = start(few, tmp_path)
    orders.send(0, ("ann", 1, 10), ("bob", 2, 20))
    query.processAllAvailable()
    query.stop()
    more = few.withColumn("note", F.lit("new"))
    with pytest.raises(SchemaError, match="is defined with another value"):
        start(more, tmp_path)
    query = start(more, tmp_path, evolve=True)
    assert rows(tmp_path, "usr", "note") == [("ann", None), ("bob", None)]
    orders.send(0, ("bob", 3, 30), ("eve", 4, 40), ("ann", 9, 5))
    query.processAllAvailable()
    assert rows(tmp_path, "usr", "amount", "note") == [
        ("ann", 1, None),
        ("bob", 3, "new"),
        ("eve", 4, "new"),
    ]
    # The tasks of Spark write another number of partitions, and a running query is refused.
    schema, renamed = changed_columns(definition(tmp_path), rename={"amount": "cents"})
    tasks = PartitionTasks(spark.sparkContext, str(tmp_path / "log"), bytes_min=0, share=1)
    schema = replace(schema, partitions=5)
    done = rebuild(tmp_path / "log", "totals", schema, renamed=renamed, run=tasks)
    assert done.rows == 3
    orders.send(1, ("eve", 5, 50))
    with pytest.raises(StreamingQueryException, match="was rebuilt under another definition"):
        query.processAllAvailable()
    later = more.withColumnRenamed("amount", "cents").select("usr", "note", "at", "cents")
    query = start(later, tmp_path, partitions=5)
    query.processAllAvailable()
    query.stop()
    assert rows(tmp_path, "usr", "cents") == [("ann", 1), ("bob", 3), ("eve", 5)]
    assert definition(tmp_path).partitions == 5
    assert StoreLog.open(tmp_path / "log", "totals").latest_epoch() == 2


def test_a_stream_of_changes_goes_on_after_a_restart(
    spark: SparkSession, orders: Orders, tmp_path: Path
) -> None:
    frame = orders.frame.select("usr", "amount", "at")
    query = start(frame, tmp_path)
    orders.send(0, ("ann", 1, 10), ("bob", 2, 20))
    query.processAllAvailable()
    query.stop()
    seen: list[Any] = []

    def follow() -> StreamingQuery:
        changes = spark.readStream.format("stategate").options(
            root=str(tmp_path / "log"), changes_from="empty"
        )
        writer = changes.load("totals").writeStream.option(
            "checkpointLocation", str(tmp_path / "changes")
        )
        return writer.foreachBatch(
            lambda found, _: seen.extend((row.usr, row.amount) for row in found.collect())
        ).start()

    following = follow()
    following.processAllAvailable()
    assert sorted(seen) == [("ann", 1), ("bob", 2)]
    schema = replace(definition(tmp_path), partitions=2)
    rebuild(tmp_path / "log", "totals", schema)
    with pytest.raises(StreamingQueryException, match="was rebuilt under another definition"):
        following.awaitTermination(30)
    orders.send(0, ("ann", 3, 30))
    query = start(frame, tmp_path, partitions=2)
    query.processAllAvailable()
    query.stop()
    following = follow()
    following.processAllAvailable()
    following.stop()
    assert sorted(seen) == [("ann", 1), ("ann", 3), ("bob", 2)]

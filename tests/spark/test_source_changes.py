"""`format("stategate")` with `changes_from`: the changes between two epochs, and as a stream."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.errors import AnalysisException, StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from stategate.stores.upkeep.retention import Retention, compact
from tests.support.stores import keyvalue

pytestmark = pytest.mark.spark

TOTALS = keyvalue("totals", {"usr": "text"}, {"n": "bigint"}, partitions=2)


def write(root: Path, *rows: tuple[str, int | None]) -> None:
    """Write an epoch; a row without a number is deleted."""
    StoreWriter(root, TOTALS).write(
        pa.table(
            {
                "usr": [usr for usr, _ in rows],
                "n": pa.array([n for _, n in rows], pa.int64()),
                "_deleted": [n is None for _, n in rows],
            }
        ),
        position=Position.of({"events": {0: 1}}),
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    found = tmp_path / "log"
    write(found, ("ann", 1), ("bob", 2))
    write(found, ("ann", 3), ("eve", 4))
    write(found, ("bob", None), ("eve", 5))
    return found


def changed(spark: SparkSession, root: Path, **options: Any) -> DataFrame:
    reader = spark.read.format("stategate").options(**{"root": str(root), **options})
    return reader.load("totals")


def shown(frame: DataFrame) -> list[tuple[Any, ...]]:
    return sorted(map(tuple, frame.collect()))


def test_the_changes_between_two_epochs(spark: SparkSession, root: Path) -> None:
    found = changed(spark, root, changes_from=0)
    assert found.columns == ["usr", "n", "_epoch", "_deleted"]
    assert shown(found) == [("ann", 3, 1, False), ("bob", None, 2, True), ("eve", 5, 2, False)]
    some = changed(spark, root, changes_from=0, epoch=1, columns="_epoch, usr")
    assert shown(some.where("usr = 'eve' AND _epoch > 0")) == [(1, "eve")]
    assert shown(changed(spark, root, changes_from="newest")) == []
    whole = changed(spark, root, changes_from="empty")
    assert shown(whole) == [("ann", 3, 2, False), ("eve", 5, 2, False)]
    for options, said in (
        ({"changes_from": 3}, "no changes from epoch 3 to 2: its newest epoch is 2"),
        ({"changes_from": 0, "epoch": 7}, "no changes from epoch 0 to 7"),
    ):
        with pytest.raises(AnalysisException, match=said):
            changed(spark, root, **options).collect()


def start(spark: SparkSession, root: Path, seen: list[Any], **options: Any) -> StreamingQuery:
    """Start a query that keeps its batches, each with its number."""
    given = {"root": str(root), "changes_from": "empty", **options}
    frame = spark.readStream.format("stategate").options(**given).load("totals")
    return (
        frame.writeStream.foreachBatch(lambda rows, number: seen.append((number, shown(rows))))
        .option("checkpointLocation", str(root.parent / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )


def test_a_stream_goes_on_where_it_stopped(spark: SparkSession, root: Path) -> None:
    seen: list[Any] = []
    start(spark, root, seen, epochs_per_batch=1).awaitTermination()
    assert seen == [(0, [("ann", 3, 2, False), ("eve", 5, 2, False)])]
    for n in (6, 7):
        write(root, ("eve", n))
    write(root, ("ann", None))
    start(spark, root, seen, epochs_per_batch=2).awaitTermination()
    assert seen[1:] == [(1, [("eve", 7, 4, False)]), (2, [("ann", None, 5, True)])]
    # A batch that was planned but not committed is read again, with the same rows.
    (root.parent / "checkpoint" / "commits" / "2").unlink()
    write(root, ("bob", 8))
    start(spark, root, seen).awaitTermination()
    assert seen[3:] == [(2, [("ann", None, 5, True)]), (3, [("bob", 8, 6, False)])]

    for n in range(3):
        write(root, ("ann", n))
    compact(root, "totals", retention=Retention(epochs=1))
    with pytest.raises(StreamingQueryException, match="begin with the whole store"):
        start(spark, root, seen).awaitTermination()


def test_a_stream_refuses_what_it_cannot_read(spark: SparkSession, root: Path) -> None:
    for options, said in (
        ({"epoch": 1}, "takes no option"),
        ({"changes_from": 9}, "epoch 9 of store .* is not committed"),
    ):
        with pytest.raises(StreamingQueryException, match=said):
            start(spark, root, [], **options).awaitTermination()

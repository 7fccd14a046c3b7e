"""Streaming queries write epochs: their rows, their positions, exactly once."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

from stategate.stores.codec.partitioner import partitioner
from stategate.stores.errors import EpochConflictError, LogError, LogMissingError
from stategate.stores.log.data.datafiles import read_part
from stategate.stores.log.metadata.records import Commit
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spark import EpochReport, materialize, read_store
from stategate.stores.spark.tasks import (
    Picking,
    Target,
    TooLargeToHoldError,
    picked,
    write_by_tasks,
)
from stategate.stores.spec.position import Position
from stategate.stores.spec.schema import BIGINT, TEXT, Column, StoreKind, StoreSchema
from tests.spark.conftest import Orders
from tests.spark.recovery.crashing import Death, MortalFiles, make_mortal

pytestmark = pytest.mark.spark


def totals(orders: Orders) -> DataFrame:
    return orders.frame.groupBy("usr").agg(F.sum("amount").alias("total"), F.count("*").alias("n"))


def start(frame: DataFrame, tmp_path: Path, **options: Any) -> StreamingQuery:
    given: dict[str, Any] = {
        "store": "totals",
        "key": ["usr"],
        "root": str(tmp_path / "log"),
        "partitions": 4,
        "checkpoint": str(tmp_path / "checkpoint"),
    }
    return materialize(frame, **(given | options))


def stored(spark: SparkSession, tmp_path: Path, epoch: int | None = None) -> dict[Any, Any]:
    """Return the store's rows: first column → the other columns."""
    rows = read_store(spark, str(tmp_path / "log"), "totals", epoch).collect()
    found = {row[0]: tuple(row[1:]) for row in rows}
    assert len(found) == len(rows)
    return found


def log_of(tmp_path: Path) -> StoreLog:
    return StoreLog.open(tmp_path / "log", "totals")


def test_an_aggregation(spark: SparkSession, orders: Orders, tmp_path: Path) -> None:
    reports: list[EpochReport] = []
    query = start(totals(orders), tmp_path, on_epoch=reports.append)
    orders.send(0, *((f"u{i}", i) for i in range(20)))
    query.processAllAvailable()
    orders.send(1, ("u1", 100), (None, 5))
    query.processAllAvailable()
    query.stop()

    log = log_of(tmp_path)
    first, second = log.next_commit(-1), log.next_commit(0)
    assert first is not None
    assert second is not None
    assert first.position == Position.of({"orders": {0: 19}})
    assert second.position == Position.of({"orders": {0: 19, 1: 1}})
    assert first.writer == second.writer == f"spark:{query.id}"
    assert (first.rows, second.rows) == (20, 2)
    assert not first.replace
    # The tasks wrote the first epoch, and the driver the second; both have one layout.
    assert ["collect" in report.seconds for report in reports] == [False, True]
    partition_of = partitioner(log.schema().key, 4)
    for commit in (first, second):
        for partition in range(4):
            for batch in log.read(commit, partition):
                assert {partition_of((key,)) for key in batch.column(0).to_pylist()} == {partition}
    assert [topic.topic for topic in log.schema().inputs] == ["orders"]

    expected: dict[str | None, Any] = {f"u{i}": (i, 1) for i in range(20)}
    assert stored(spark, tmp_path, 0) == expected
    assert stored(spark, tmp_path) == expected | {"u1": (101, 2), None: (5, 1)}
    with pytest.raises(LogError, match=r"epoch 9 .* not committed"):
        read_store(spark, str(tmp_path / "log"), "totals", 9)
    with pytest.raises(LogMissingError):
        read_store(spark, str(tmp_path / "log"), "nothing")


def test_windows_and_their_watermark(spark: SparkSession, orders: Orders, tmp_path: Path) -> None:
    hours = orders.frame.withWatermark("at", "1 hour").groupBy("usr", F.window("at", "1 hour"))
    query = start(
        hours.agg(F.sum("amount").alias("total")),
        tmp_path,
        kind="window",
        window_size_ms=3_600_000,
        retention_ms=3_600_000,
        partitions=3,
    )
    orders.send(0, ("a", 1, 10), ("a", 2, 3_700), ("b", 4, 20))
    query.processAllAvailable()
    # The time is far ahead: Spark evicts the first window, and the store's retention drops it.
    orders.send(1, ("a", 8, 36_000))
    query.processAllAvailable()
    query.stop()

    log = log_of(tmp_path)
    assert [c.name for c in log.schema().columns] == ["usr", "window_start", "window_end", "total"]
    commits = [log.commit(epoch) for epoch in log.epochs()]
    assert commits[0] is not None
    assert commits[0].watermark_ms is None
    assert commits[-1] is not None
    assert commits[-1].watermark_ms == 36_000_000 - 3_600_000
    assert log.schema().partitions == 3

    def windows(epoch: int | None) -> list[tuple[str, float, int]]:
        rows = read_store(spark, str(tmp_path / "log"), "totals", epoch).collect()
        return sorted((r.usr, r.window_start.timestamp(), r.total) for r in rows)

    assert windows(0) == [("a", 0, 1), ("a", 3600, 2), ("b", 0, 4)]
    assert windows(None) == [("a", 36_000, 8)]


@pytest.mark.parametrize("collect_rows_max", [0, 1000], ids=["tasks", "driver"])
def test_the_latest_of_several_rows_of_a_key_wins(
    spark: SparkSession, orders: Orders, tmp_path: Path, collect_rows_max: int
) -> None:
    query = start(
        orders.frame,
        tmp_path,
        event_time="at",
        deleted="gone",
        output_mode="append",
        collect_rows_max=collect_rows_max,
    )
    orders.send(0, ("warm", 0, 0))
    query.processAllAvailable()
    orders.send(0, ("a", 1, 50), ("a", 2, 40), ("b", 1, 7), ("b", 2, 7), ("c", 1, 1))
    query.processAllAvailable()
    orders.send(1, ("c", 1, 2, True), ("d", 1, 1), ("d", 1, 3, True), ("d", 9, 4))
    query.processAllAvailable()
    # Later batches have earlier rows, and an earlier deletion.
    orders.send(0, ("a", 3, 49), ("b", 4, 7), ("c", 5, 1), ("d", 0, 3, True))
    query.processAllAvailable()
    query.stop()
    assert [c.name for c in log_of(tmp_path).schema().value] == ["amount", "at"]
    found = {usr: row[0] for usr, row in stored(spark, tmp_path).items()}
    assert found == {"warm": 0, "a": 1, "b": 4, "d": 9}
    commit = log_of(tmp_path).commit(1)
    assert commit is not None
    assert commit.rows == 3


def test_complete_mode_replaces_the_store(
    spark: SparkSession, orders: Orders, tmp_path: Path
) -> None:
    query = start(totals(orders).where("n < 2"), tmp_path, output_mode="complete")
    orders.send(0, ("a", 1), ("b", 2))
    query.processAllAvailable()
    orders.send(0, ("a", 1))
    query.processAllAvailable()
    query.stop()
    commit = log_of(tmp_path).commit(1)
    assert commit is not None
    assert commit.replace
    assert stored(spark, tmp_path, 0) == {"a": (1, 1), "b": (2, 1)}
    assert stored(spark, tmp_path) == {"b": (2, 1)}


def test_a_source_of_files_has_the_given_name(
    spark: SparkSession, orders: Orders, tmp_path: Path
) -> None:
    spark.range(3).selectExpr("id AS usr", "id AS n").write.parquet(str(tmp_path / "in"))
    files = spark.readStream.schema("usr bigint, n bigint").parquet(str(tmp_path / "in"))
    both = files.selectExpr("string(usr) AS usr", "n AS amount").union(
        orders.frame.select("usr", "amount")
    )
    orders.send(1, ("u", 1))
    query = start(
        both, tmp_path, inputs=["flights"], output_mode="append", trigger={"availableNow": True}
    )
    assert [topic.topic for topic in log_of(tmp_path).schema().inputs] == ["flights"]
    query.awaitTermination(60)
    log = log_of(tmp_path)
    commit = log.commit(log.latest_epoch())
    assert commit is not None
    assert commit.position == Position.of({"flights": {0: 0}, "orders": {1: 0}})
    assert [topic.topic for topic in log.schema().inputs] == ["flights", "orders"]
    assert stored(spark, tmp_path) == {"0": (0,), "1": (1,), "2": (2,), "u": (1,)}


# Exactly once


def test_a_batch_that_spark_runs_again_is_written_once(
    spark: SparkSession, orders: Orders, tmp_path: Path
) -> None:
    """This happens if the JVM dies after the sink's commit and before Spark's own."""
    query = start(totals(orders), tmp_path)
    orders.send(0, ("a", 1), ("b", 2))
    query.processAllAvailable()
    orders.send(0, ("a", 1))
    query.processAllAvailable()
    query.stop()
    before = log_of(tmp_path).commit(1)
    (tmp_path / "checkpoint/commits/1").unlink()
    (tmp_path / "checkpoint/commits/.1.crc").unlink(missing_ok=True)

    orders.send(1, ("b", 1))
    query = start(totals(orders), tmp_path)
    query.processAllAvailable()
    query.stop()
    log = log_of(tmp_path)
    assert log.commit(1) == before
    assert log.epochs() == [0, 1, 2]
    assert stored(spark, tmp_path) == {"a": (2, 2), "b": (3, 2)}


def test_a_replaced_driver_cannot_commit(
    spark: SparkSession, orders: Orders, tmp_path: Path
) -> None:
    """It was thought dead, and another was started in its place, which now owns the store."""
    query = start(totals(orders), tmp_path)
    orders.send(0, ("a", 1))
    query.processAllAvailable()
    log = log_of(tmp_path)
    first = log.commit(0)
    assert first is not None
    driver = StoreWriter(tmp_path / "log", log.schema(), writer=first.writer)
    assert driver.take_ownership().term == first.term + 1
    orders.send(0, ("a", 1))
    with pytest.raises(StreamingQueryException, match=r"FencedError.* has had another writer"):
        query.processAllAvailable()
    assert log.epochs() == [0]
    query = start(totals(orders), tmp_path)
    query.processAllAvailable()
    query.stop()
    second = log.commit(1)
    assert second is not None
    assert (second.writer, second.term) == (first.writer, first.term + 2)
    assert stored(spark, tmp_path) == {"a": (2, 2)}


def sums(spark: SparkSession, tmp_path: Path) -> DataFrame:
    """Return the lines of JSON files, summed by user."""
    lines = spark.readStream.schema("usr string, amount bigint").json(str(tmp_path / "lines"))
    return lines.groupBy("usr").agg(F.sum("amount").alias("total"))


def send_lines(tmp_path: Path, name: str, *rows: tuple[str, int]) -> None:
    (tmp_path / "lines").mkdir(exist_ok=True)
    text = "".join(json.dumps({"usr": usr, "amount": amount}) + "\n" for usr, amount in rows)
    (tmp_path / "lines" / name).write_text(text)


def test_a_driver_that_dies_between_the_files_and_the_commit(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_mortal(monkeypatch)
    dying = Death(0)
    monkeypatch.setattr(MortalFiles, "death", dying)

    def die(log: StoreLog, commit: Commit) -> None:
        dying.is_dead = True
        dying.check()

    monkeypatch.setattr(StoreLog, "write_commit", die)
    send_lines(tmp_path, "a.json", ("a", 1), ("b", 2), ("a", 3))
    query = start(sums(spark, tmp_path), tmp_path, partitions=2, inputs=["lines"])
    with pytest.raises(StreamingQueryException, match="the driver is dead"):
        query.processAllAvailable()
    monkeypatch.undo()
    log = log_of(tmp_path)
    assert log.next_commit(-1, list_now=True) is None
    assert list((tmp_path / "log/totals/data/0").rglob("*.parquet"))

    send_lines(tmp_path, "b.json", ("b", 1))
    query = start(sums(spark, tmp_path), tmp_path, partitions=2, inputs=["lines"])
    query.processAllAvailable()
    query.stop()
    assert log.epochs() == [0, 1]
    commit = log.commit(0)
    assert commit is not None
    assert commit.position == Position.of({"lines": {0: 0}})
    assert stored(spark, tmp_path, 0) == {"a": (4,), "b": (2,)}
    assert stored(spark, tmp_path) == {"a": (4,), "b": (3,)}
    assert len(os.listdir(tmp_path / "log/totals/data/0")) == 1


def test_a_checkpoint_of_another_store_is_refused(orders: Orders, tmp_path: Path) -> None:
    query = start(totals(orders), tmp_path)
    orders.send(0, ("a", 1))
    query.processAllAvailable()
    orders.send(0, ("a", 1))
    query.processAllAvailable()
    query.stop()

    with pytest.raises(EpochConflictError, match="not by this query"):
        start(totals(orders), tmp_path, checkpoint=str(tmp_path / "other"))
    shutil.rmtree(tmp_path / "log")
    with pytest.raises(EpochConflictError, match=r"has no epoch, .* has done batch 1"):
        start(totals(orders), tmp_path)


def test_tasks_write_a_batch_too_large_to_collect(
    spark: SparkSession, orders: Orders, tmp_path: Path
) -> None:
    query = start(totals(orders), tmp_path)
    orders.send(0, ("a", 1))
    query.processAllAvailable()
    # Spark's scheduler reads this setting for each job; a session cannot change it in another way.
    conf = spark.sparkContext._jsc.sc().conf()
    conf.set("spark.driver.maxResultSize", "100k")
    try:
        orders.send(1, *((f"user-{random.random()}", i) for i in range(20_000)))
        query.processAllAvailable()
    finally:
        conf.set("spark.driver.maxResultSize", "1g")
    query.stop()
    commit = log_of(tmp_path).commit(1)
    assert commit is not None
    assert commit.rows == 20_000
    assert all("-" in file.path.rpartition("/p")[2] for file in commit.files)


@pytest.mark.parametrize("picking", [Picking.HELD, Picking.SORTED])
def test_too_many_rows_to_hold_are_sorted(
    spark: SparkSession, tmp_path: Path, picking: Picking
) -> None:
    """Sorting writes the same rows; by their size a task would refuse them, see below."""
    schema = StoreSchema(
        name="s",
        kind=StoreKind.KEYVALUE,
        key=(Column(name="a.k", type=TEXT),),
        value=(Column(name="n", type=BIGINT),),
        partitions=3,
        by_event_time=True,
    )
    rows = spark.range(0, 5000, 1, 2).selectExpr(
        "IF(id % 7 = 0, NULL, string(id % 100)) AS `a.k`",
        "id AS n",
        "timestamp_seconds(id % 3) AS _timestamp",
        "id % 1000 = 999 AS _deleted",
    )
    log = StoreWriter(tmp_path, schema).log
    target = Target(root=str(tmp_path), schema=schema, place="", attempt=log.begin(0))
    files = write_by_tasks(rows, target, picking)
    best: dict[str | None, tuple[int, int]] = {}
    for n in range(5000):
        key = None if n % 7 == 0 else str(n % 100)
        best[key] = max(best.get(key, (-1, -1)), (n % 3, n))
    found = {
        row["a.k"]: row["n"]
        for file in files
        for batch in read_part(log.directory, file, schema)
        for row in batch.to_pylist()
    }
    assert found == {key: n for key, (_, n) in best.items()}
    assert sum(file.rows for file in files) == len(found)


def test_a_task_that_cannot_hold_its_rows_raises(tmp_path: Path) -> None:
    rows = pa.record_batch({"usr": ["x" * (1 << 20)] * 65, "_stategate_ordinal": list(range(65))})
    schema = StoreSchema(
        name="s",
        kind=StoreKind.KEYVALUE,
        key=(Column(name="usr", type=TEXT),),
        value=(),
        partitions=1,
    )
    target = Target(root=str(tmp_path), schema=schema, place="", attempt="data/0/a")
    with pytest.raises(TooLargeToHoldError):
        list(picked(iter([rows] * 4), target, Picking.HELD))


TYPES: dict[str, Callable[[int], Any]] = {
    "boolean": lambda i: i % 2 == 0,
    "tinyint": lambda i: i,
    "smallint": lambda i: -i,
    "int": lambda i: i * 1000,
    "bigint": lambda i: i << 40,
    "float": lambda i: i / 2,
    "double": lambda i: -i / 8,
    "decimal(9,2)": lambda i: f"{i}.50",
    "decimal(38,10)": lambda i: f"{10**20 + i}.5",
    "string": lambda i: f"käy-{i}",
    "binary": lambda i: f"b{i}",
    "date": lambda i: f"2013-01-{i % 28 + 1:02d}",
    "timestamp": lambda i: f"2013-01-01 00:00:{i:02d}.5",
    "timestamp_ntz": lambda i: f"1913-01-01 00:00:{i:02d}",
}


def test_keys_of_every_type_are_in_the_partition_that_readers_ask(
    spark: SparkSession, orders: Orders, tmp_path: Path
) -> None:
    """A task refuses rows that our hash would look for elsewhere, so its success is the proof."""
    names = [f"k{i}" for i in range(len(TYPES))]
    texts = [
        f"CAST(element_at(from_json(usr, 'array<string>'), {i + 1}) AS {spelled}) AS k{i}"
        for i, spelled in enumerate(TYPES)
    ]
    frame = orders.frame.selectExpr(*texts, "amount", "array(named_struct('x', amount)) AS nested")
    lines = [json.dumps([str(make(i)) for make in TYPES.values()]) for i in range(40)]
    orders.send(0, *((line, i) for i, line in enumerate([*lines, json.dumps([None] * 14)])))
    query = start(frame, tmp_path, key=names, output_mode="append")
    query.processAllAvailable()
    query.stop()
    rows = read_store(spark, str(tmp_path / "log"), "totals").collect()
    assert sorted(row.amount for row in rows) == list(range(41))
    assert all(row.nested == [(row.amount,)] for row in rows)

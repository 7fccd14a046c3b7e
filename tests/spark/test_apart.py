"""Epochs without a shuffle: the same rows, or the keys of two tasks are found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from stategate.stores.codec.partitioner import partition_column
from stategate.stores.log.data.datafiles import read_part
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spark.apart import SharedKeysError, write_apart
from stategate.stores.spark.tasks import Target
from stategate.stores.spec.schema import (
    BIGINT,
    DOUBLE,
    TEXT,
    Column,
    StoreKind,
    StoreSchema,
)

pytestmark = pytest.mark.spark

KEYED = StoreSchema(
    name="s",
    kind=StoreKind.KEYVALUE,
    key=(Column(name="a.k", type=TEXT), Column(name="d", type=DOUBLE)),
    value=(Column(name="n", type=BIGINT),),
    partitions=3,
    by_event_time=True,
)
WINDOWS = StoreSchema(
    name="w",
    kind=StoreKind.WINDOW,
    key=(Column(name="k", type=TEXT),),
    value=(Column(name="n", type=BIGINT),),
    partitions=2,
    window_size_ms=1000,
)


def written(root: Path, rows: DataFrame, schema: StoreSchema) -> list[dict[str, Any]]:
    """Write rows, and return what readers find; each file has rows of its partition only."""
    log = StoreWriter(root, schema).log
    target = Target(root=str(root), schema=schema, place="", attempt=log.begin(0))
    files = write_apart(rows, target)
    assert len({file.path for file in files}) == len(files)
    found = []
    for file in files:
        batches = list(read_part(log.directory, file, schema))
        assert sum(batch.num_rows for batch in batches) == file.rows
        for batch in batches:
            places = partition_column(batch, schema.key, schema.partitions)
            assert set(places.tolist()) == {file.partition}
            found += batch.to_pylist()
    return found


def test_tasks_write_files_of_all_partitions(spark: SparkSession, tmp_path: Path) -> None:
    # Each task has its own keys, some of them several times, and NULL, NaN and both zeros.
    rows = spark.range(0, 4000, 1, 4).selectExpr(
        "IF(id % 1000 = 0, NULL, string(id div 10)) AS `a.k`",
        "CASE id % 4 WHEN 0 THEN double('NaN') WHEN 1 THEN -0D WHEN 2 THEN 0D ELSE id div 1000 END"
        " AS d",
        "id AS n",
        "timestamp_seconds(id % 3) AS _timestamp",
        "id % 1000 = 999 AS _deleted",
    )
    first = rows.where("id div 1000 = 0 OR id % 1000 <> 0")
    best: dict[tuple[str | None, str], tuple[int, int]] = {}
    for n in range(4000):
        if n % 1000 == 0 and n:
            continue
        number = {0: "nan", 1: "0.0", 2: "0.0", 3: str(float(n // 1000))}[n % 4]
        key = (None if n % 1000 == 0 else str(n // 10), number)
        best[key] = max(best.get(key, (-1, -1)), (n % 3, n))
    found = written(tmp_path, first, KEYED)
    assert {(row["a.k"], str(row["d"])): row["n"] for row in found} == {
        key: n for key, (_, n) in best.items()
    }
    assert len(found) == len(best)


def test_one_key_in_two_tasks_is_found(spark: SparkSession, tmp_path: Path) -> None:
    rows = spark.range(0, 4000, 1, 4).selectExpr(
        "string(id % 3999) AS `a.k`",
        "0D AS d",
        "id AS n",
        "timestamp_seconds(id) AS _timestamp",
        "false AS _deleted",
    )
    with pytest.raises(SharedKeysError):
        written(tmp_path, rows, KEYED)


def test_windows_of_one_key_are_different_rows(spark: SparkSession, tmp_path: Path) -> None:
    rows = spark.range(0, 40, 1, 4).selectExpr(
        "'k' AS k",
        "timestamp_seconds(id) AS window_start",
        "timestamp_seconds(id + 1) AS window_end",
        "id AS n",
        "CAST(NULL AS timestamp) AS _timestamp",
        "false AS _deleted",
    )
    assert sorted(row["n"] for row in written(tmp_path, rows, WINDOWS)) == list(range(40))


def test_no_rows_are_no_files(spark: SparkSession, tmp_path: Path) -> None:
    rows = spark.range(0).selectExpr(
        "'k' AS `a.k`", "0D AS d", "id AS n", "now() AS _timestamp", "false AS _deleted"
    )
    assert written(tmp_path, rows, KEYED) == []

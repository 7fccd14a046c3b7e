"""Sessions whose timestamps are local times by default: no moment is shifted by the zone."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from stategate.stores.errors import SchemaError
from tests.spark.conftest import Orders
from tests.spark.test_materialize import log_of, start
from tests.support.logs import contents

pytestmark = [pytest.mark.spark, pytest.mark.timeout(360)]

SETTINGS = {
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
    "spark.sql.session.timeZone": "America/New_York",
}


@pytest.fixture(autouse=True)
def _local_times(spark: SparkSession) -> Iterator[None]:
    for name, value in SETTINGS.items():
        spark.conf.set(name, value)
    yield
    spark.conf.unset("spark.sql.timestampType")
    spark.conf.set("spark.sql.session.timeZone", "UTC")


@pytest.mark.parametrize("kind", ["versioned", "keyvalue"])
def test_event_times_are_moments(orders: Orders, tmp_path: Path, kind: str) -> None:
    frame = orders.frame.select("usr", "amount", "at")
    orders.send(0, ("a", 1, 3600))
    query = start(
        frame,
        tmp_path,
        kind=kind,
        event_time="at",
        output_mode="append",
        trigger={"availableNow": True},
    )
    query.awaitTermination()
    commit = log_of(tmp_path).commit(0)
    assert commit is not None
    (row,) = contents(log_of(tmp_path), commit)
    assert row["_timestamp"] == row["at"] == dt.datetime(1970, 1, 1, 1, tzinfo=dt.UTC)


def test_windows_are_of_moments(orders: Orders, tmp_path: Path) -> None:
    counted = orders.frame.groupBy("usr", F.window("at", "1 hour")).count()
    orders.send(0, ("a", 1, 3600))
    options = {"kind": "window", "window_size_ms": 3_600_000}
    start(counted, tmp_path, **options, trigger={"availableNow": True}).awaitTermination()
    commit = log_of(tmp_path).commit(0)
    assert commit is not None
    (row,) = contents(log_of(tmp_path), commit)
    assert row["window_start"] == dt.datetime(1970, 1, 1, 1, tzinfo=dt.UTC)
    local = orders.frame.withColumn("at", F.col("at").cast("timestamp_ntz"))
    with pytest.raises(SchemaError, match="local times: cast the event time to timestamp_ltz"):
        start(local.groupBy("usr", F.window("at", "1 hour")).count(), tmp_path / "x", **options)

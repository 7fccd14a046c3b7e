"""Spark's intervals of days and months reach a replica and are read back, even after compaction."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.errors import TornRecordError
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.replica import Replica
from stategate.stores.log.state_log import StoreLog
from stategate.stores.spark import materialize, read_store
from stategate.stores.spec.query import KeyQuery
from stategate.stores.spec.result import Success
from stategate.stores.spec.schema import Row
from stategate.stores.upkeep.retention import Retention, compact
from tests.spark.conftest import Orders

pytestmark = pytest.mark.spark

DAY_US = 86_400_000_000
COLUMNS = {
    "pause": "CASE WHEN amount > 9 THEN NULL ELSE make_dt_interval(-1, -2, 0, -0.000001) END",
    "age": "CASE WHEN amount > 9 THEN NULL ELSE make_ym_interval(-1, -2) END",
    "years": "INTERVAL '3' YEAR",
    "months": "INTERVAL '15' MONTH",
    "hours": "INTERVAL '25' HOUR",
    "waits": "array(make_dt_interval(0, 1), NULL)",
}
DAY, PART = -1, -2 * 3_600_000_000 - 1
FIRST: Row = (
    (0, DAY, PART),
    (-14, 0, 0),
    (36, 0, 0),
    (15, 0, 0),
    (0, 1, 3_600_000_000),
    [(0, 0, 3_600_000_000), None],
)


def row_of(root: Path, data: Path, key: str) -> Row | None:
    log = StoreLog.open(root, "totals")
    engine = RocksPartition(data, schema=log.schema(), partition=0)
    store = LocalStore(
        engine.schema, {0: Replica(engine, schema=engine.schema, partition=0)}, log=log
    )
    while store.follow():
        pass
    assert store.statuses()[0].error is None
    result = store.query_partition(0, KeyQuery.with_key(key))
    store.close()
    assert isinstance(result, Success)
    return result.value


@pytest.mark.parametrize("collect_rows_max", [0, 100])
def test_intervals_reach_a_replica_and_come_back(
    spark: SparkSession, orders: Orders, tmp_path: Path, collect_rows_max: int
) -> None:
    root = tmp_path / "log"
    query = materialize(
        orders.frame.selectExpr("usr", *(f"{sql} AS {name}" for name, sql in COLUMNS.items())),
        store="totals",
        key=["usr"],
        root=str(root),
        partitions=1,
        checkpoint=str(tmp_path / "checkpoint"),
        output_mode="append",
        collect_rows_max=collect_rows_max,
    )
    for usr, amount in (("ann", 1), ("bob", 10)):
        orders.send(0, (usr, amount))
        query.processAllAvailable()
    query.stop()
    assert row_of(root, tmp_path / "first", "ann") == FIRST
    bob = row_of(root, tmp_path / "second", "bob")
    assert bob == (None, None, *FIRST[2:])
    read = read_store(spark, str(root), "totals").orderBy("usr").collect()
    assert [row["usr"] for row in read] == ["ann", "bob"]
    assert read[0]["pause"].asDict() == {"months": 0, "days": DAY, "microseconds": PART}
    assert read[0]["waits"][0].asDict()["microseconds"] == 3_600_000_000
    assert read[1]["age"] is None

    compact(root, "totals", retention=Retention(epochs=0))
    assert StoreLog.open(root, "totals").epochs() == [1]
    assert row_of(root, tmp_path / "third", "bob") == bob
    assert read_store(spark, str(root), "totals").orderBy("usr").collect() == read
    for path in root.rglob("*.sst"):
        path.unlink()
    with pytest.raises(TornRecordError, match="a hole before epoch 1"):
        read_store(spark, str(root), "totals")

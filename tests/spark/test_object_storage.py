"""A pipeline on object stores that run here: its tasks write the data files and read them."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from stategate.stores.log.checking.verification import verify
from stategate.stores.spark import materialize, read_store
from tests.spark.conftest import Orders
from tests.support.object_storage.bucket_services import SERVICES, running_service

pytestmark = pytest.mark.spark


@pytest.mark.parametrize("service", SERVICES)
def test_a_pipeline_on_object_storage(
    spark: SparkSession, orders: Orders, service: str, tmp_path: Path
) -> None:
    with running_service(service, tmp_path) as server:
        # Tasks run in processes that were started with other variables, so the URI has the key.
        root = server.root_with_keys("pipelines")
        query = materialize(
            orders.frame.groupBy("usr").agg(F.sum("amount").alias("total")),
            store="totals",
            key=["usr"],
            root=root,
            partitions=4,
            checkpoint=str(tmp_path / "checkpoint"),
            collect_rows_max=0,
        )
        for turn in range(2):
            orders.send(turn, *((f"u{i}", i) for i in range(20)))
            query.processAllAvailable()
        query.stop()
        rows = read_store(spark, root, "totals").collect()
        assert {row.usr: row.total for row in rows} == {f"u{i}": 2 * i for i in range(20)}
        found = verify(root, "totals")
        assert (found.damages, found.epochs) == ((), 2)
        written = [path for method, path in server.requests if method == "PUT"]
        assert len([path for path in written if path.endswith(".parquet")]) == 8

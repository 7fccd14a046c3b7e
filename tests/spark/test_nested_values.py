"""Arrays, structs and maps from a streaming query to a replica's rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.replica import Replica
from stategate.stores.log.state_log import StoreLog
from stategate.stores.spark import materialize
from stategate.stores.spec.query import KeyQuery, RangeQuery
from stategate.stores.spec.result import Success
from tests.spark.conftest import Orders
from tests.support.values import rows_of

pytestmark = pytest.mark.spark


def test_nested_values_reach_a_replica(orders: Orders, tmp_path: Path) -> None:
    frame = orders.frame.selectExpr(
        "usr",
        "array(amount, NULL) AS amounts",
        "named_struct('Name', usr, 'days', array(DATE '1970-01-02')) AS nested",
        "map('a', CAST(amount AS decimal(9,2)), 'b', NULL) AS prices",
        "array(named_struct('at', TIMESTAMP '1970-01-01 00:00:01')) AS seen",
    )
    query = materialize(
        frame,
        store="totals",
        key=["usr"],
        root=str(tmp_path / "log"),
        partitions=1,
        checkpoint=str(tmp_path / "checkpoint"),
        output_mode="append",
    )
    orders.send(0, ("ann", 1))
    query.processAllAvailable()
    query.stop()
    log = StoreLog.open(tmp_path / "log", "totals")
    schema = log.schema()
    engine = RocksPartition(tmp_path / "data", schema=schema, partition=0)
    store = LocalStore(schema, {0: Replica(engine, schema=schema, partition=0)}, log=log)
    while store.follow():
        pass
    assert store.statuses()[0].error is None
    result = store.query_partition(0, KeyQuery.with_key("ann"))
    assert isinstance(result, Success)
    assert result.value is not None
    amounts, nested, prices, seen = result.value
    assert amounts == [1, None]
    assert nested == {"Name": "ann", "days": [1]}
    assert [(key, None if price is None else str(price)) for key, price in prices] == [
        ("a", "1.00"),
        ("b", None),
    ]
    assert seen == [{"at": 1_000_000}]
    scan = store.query_partition(0, RangeQuery())
    assert isinstance(scan, Success)
    assert rows_of(scan.value) == [("ann", *result.value)]
    store.close()


def test_a_struct_that_spark_cannot_collect_is_written_by_the_tasks(
    orders: Orders, tmp_path: Path
) -> None:
    """The struct may be NULL but its field never is: pyspark cannot make a table of it."""
    query = materialize(
        orders.frame.selectExpr(
            "usr", "CASE WHEN amount > 9 THEN NULL ELSE named_struct('n', 1) END AS inside"
        ),
        store="totals",
        key=["usr"],
        root=str(tmp_path / "log"),
        partitions=1,
        checkpoint=str(tmp_path / "checkpoint"),
        output_mode="append",
    )
    for usr, amount in (("ann", 1), ("bob", 10), ("cid", 11), ("dan", 2)):
        orders.send(0, (usr, amount))
        query.processAllAvailable()
    query.stop()
    log = StoreLog.open(tmp_path / "log", "totals")
    found = [
        row
        for epoch in log.epochs()
        if (commit := log.commit(epoch)) is not None
        for batch in log.read(commit, 0)
        for row in batch.column("inside").to_pylist()
    ]
    assert found == [{"n": 1}, None, None, {"n": 1}]

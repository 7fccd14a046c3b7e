"""Keeps the store `customers`: how many orders each customer made, and their sum.

    python examples/kafka_orders/pipeline.py --root DIR [--kafka HOST:PORT] [--progress]

It reads the topic `orders`, which must exist: `order.py` writes to it, and to no other. The jars of
Spark's Kafka connector are fetched once, into the user's cache.
"""

import argparse
import sys
from functools import partial
from typing import Any

from jars import fetch, paths
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from stategate.stores.spark import materialize, report_progress, run, spark_session

TOPIC = "orders"


def customers(records: DataFrame) -> DataFrame:
    """Return orders and their sum by customer, from records with a customer and an amount."""
    orders = records.selectExpr(
        "CAST(key AS STRING) AS customer", "CAST(CAST(value AS STRING) AS DECIMAL(18, 2)) AS amount"
    )
    return orders.groupBy("customer").agg(
        F.count("*").alias("orders"), F.sum("amount").cast("decimal(28, 2)").alias("spent")
    )


def main() -> int:
    """Start the query and wait for it."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--root", required=True, help="directory of the state log")
    parser.add_argument("--kafka", default="127.0.0.1:9092", help="address of a broker")
    parser.add_argument("--progress", action="store_true", help="print a line for each epoch")
    args = parser.parse_args()
    fetch(["connector"])
    connector: dict[str, Any] = {"spark.jars": ",".join(map(str, paths("connector")))}
    spark = spark_session("orders", shuffle_partitions=4, **connector)
    spark.sparkContext.setLogLevel("ERROR")
    if args.progress:
        report_progress(spark, partial(print, flush=True))
    # From the first record: otherwise records from before the first start would count as applied.
    options = {"subscribe": TOPIC, "startingOffsets": "earliest"}
    source = spark.readStream.format("kafka").option("kafka.bootstrap.servers", args.kafka)
    query = materialize(
        customers(source.options(**options).load()),
        store="customers",
        key=["customer"],
        root=args.root,
        partitions=4,
        checkpoint=f"{args.root}/_checkpoints/customers",
    )
    return run(spark, [query])


if __name__ == "__main__":
    sys.exit(main())

"""Print the rows of all stores of a log by `read_store`, as JSON: `… ROOT`."""

from __future__ import annotations

import json
import sys

from pyspark.sql import functions as F

from stategate.stores.spark import read_store, spark_session
from tests.chaos.ledger import STORES
from tests.chaos.shapes import Shape
from tests.spark.conftest import FAST_START


def main(root: str) -> int:
    """Print store → rows: key, the ends of the window if it has one, count and sum."""
    spark = spark_session("chaos", master="local[2]", shuffle_partitions=2, **FAST_START)
    spark.sparkContext.setLogLevel("OFF")
    rows = {}
    for store in STORES:
        frame = read_store(spark, root, store)
        ends = [name for name in ("window_start", "window_end") if name in frame.columns]
        shape = Shape.of(frame.columns)
        times = [F.unix_millis(name) for name in ends]
        picked = frame.select("key", *times, shape.n, shape.amount)
        rows[store] = [tuple(row) for row in picked.collect()]
    print(json.dumps(rows))
    spark.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

"""Keeps three stores on the flights out of New York: by carrier, by airport and hour, by aircraft.

    python examples/flights/pipeline.py --input DIR --root DIR [--once] [--progress]

The input holds files as `replay.py` writes them; `--once` ends when all there is has been read.
"""

import argparse
import sys
from functools import partial
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from stores.spark import materialize, report_progress, run, spark_session

COLUMNS = """event_time timestamp, carrier string, tailnum string, origin string, dest string,
    dep_time bigint, dep_delay bigint, arr_delay bigint, air_time bigint, distance bigint"""


def carrier_delays(flights: DataFrame) -> DataFrame:
    """By carrier; a flight without departure time was cancelled."""
    return flights.groupBy("carrier").agg(
        F.count("*").alias("flights"),
        F.count_if(F.isnull("dep_time")).alias("cancelled"),
        F.avg("arr_delay").alias("mean_arr_delay"),
        F.max("arr_delay").cast("double").alias("max_arr_delay"),
    )


def airport_hourly(flights: DataFrame) -> DataFrame:
    """By airport and hour of the scheduled departure; an hour is final a day after it ended."""
    hours = flights.withWatermark("event_time", "1 day")
    return hours.groupBy("origin", F.window("event_time", "1 hour")).agg(
        F.count("*").alias("departures"), F.avg("dep_delay").alias("mean_dep_delay")
    )


def aircraft(flights: DataFrame) -> DataFrame:
    """By tail number: where it was last, how much it flew."""
    known = flights.where("tailnum IS NOT NULL").groupBy("tailnum")
    sums = [F.sum(name).cast("double").alias(name) for name in ("air_time", "distance")]
    latest = F.max(F.struct("event_time", "origin", "dest")).alias("latest")
    places = ["event_time AS last_seen", "origin AS last_origin", "dest AS last_dest"]
    return known.agg(latest, F.count("*").alias("flights"), *sums).selectExpr(
        "tailnum", *(f"latest.{place}" for place in places), "flights", "air_time", "distance"
    )


def main() -> int:
    """Start the three queries and wait for them."""
    parser = argparse.ArgumentParser(description="Keep three stores on the flights.")
    parser.add_argument("--input", required=True, help="directory of Parquet files")
    parser.add_argument("--root", required=True, help="directory of the state log")
    parser.add_argument("--once", action="store_true", help="end when all input has been read")
    parser.add_argument("--progress", action="store_true", help="print a line for each epoch")
    parser.add_argument("--days", type=int, default=14, help="files to read in one epoch")
    args = parser.parse_args()

    spark = spark_session("flights", shuffle_partitions=4)
    spark.sparkContext.setLogLevel("ERROR")
    if args.progress:
        report_progress(spark, partial(print, flush=True))
    days = spark.readStream.schema(COLUMNS).option("maxFilesPerTrigger", args.days)
    flights = days.parquet(args.input)
    trigger = {"availableNow": True} if args.once else None
    stores: list[tuple[str, DataFrame, dict[str, Any]]] = [
        ("carrier_delays", carrier_delays(flights), {"key": ["carrier"]}),
        (
            "airport_hourly",
            airport_hourly(flights),
            {"key": ["origin"], "kind": "window", "window_size_ms": 3_600_000},
        ),
        ("aircraft", aircraft(flights), {"key": ["tailnum"], "event_time": "last_seen"}),
    ]
    queries = [
        materialize(rows, store=store, root=args.root, partitions=4, inputs=["flights"],
                    checkpoint=f"{args.root}/_checkpoints/{store}", trigger=trigger, **options)
        for store, rows, options in stores
    ]  # fmt: skip
    return run(spark, queries)


if __name__ == "__main__":
    sys.exit(main())

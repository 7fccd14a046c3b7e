"""Keeps three stores on the flights out of New York: by carrier, by airport and hour, by aircraft.

    python examples/flights/pipeline.py --input DIR --root DIR [--once] [--progress]

The input directory has the files of `replay.py`; `--once` ends after the last one.
"""

import argparse
import sys
from functools import partial
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from stategate.stores.spark import materialize, report_progress, run, spark_session

COLUMNS = """event_time timestamp, carrier string, tailnum string, origin string, dest string,
    dep_time bigint, dep_delay bigint, arr_delay bigint, air_time bigint, distance bigint"""
SUMMED = ("air_time", "distance")


def carrier_delays(flights: DataFrame) -> DataFrame:
    """Return delays by carrier; a flight without a departure time was cancelled."""
    cancelled = F.count_if(F.isnull("dep_time")).alias("cancelled")
    mean = F.avg("arr_delay").alias("mean_arr_delay")
    most = F.max("arr_delay").cast("double").alias("max_arr_delay")
    return flights.groupBy("carrier").agg(F.count("*").alias("flights"), cancelled, mean, most)


def airport_hourly(flights: DataFrame) -> DataFrame:
    """Return departures by airport and scheduled hour; an hour is final a day after its end."""
    window = F.window("event_time", "1 hour")
    hours = flights.withWatermark("event_time", "1 day").groupBy("origin", window)
    return hours.agg(F.count("*").alias("departures"), F.avg("dep_delay").alias("mean_dep_delay"))


def aircraft(flights: DataFrame) -> DataFrame:
    """Return aircraft by tail number: where each was last, and how much it flew."""
    sums = [F.sum(name).cast("double").alias(name) for name in SUMMED]
    latest = F.max(F.struct("event_time", "origin", "dest")).alias("latest")
    places = ["event_time AS last_seen", "origin AS last_origin", "dest AS last_dest"]
    known = flights.where("tailnum IS NOT NULL").groupBy("tailnum")
    rows = known.agg(latest, F.count("*").alias("flights"), *sums)
    return rows.selectExpr("tailnum", *(f"latest.{p}" for p in places), "flights", *SUMMED)


STORES: list[tuple[Any, dict[str, Any]]] = [
    (carrier_delays, {"key": ["carrier"]}),
    (airport_hourly, {"key": ["origin"], "kind": "window", "window_size_ms": 3_600_000}),
    (aircraft, {"key": ["tailnum"], "event_time": "last_seen"}),
]


def main() -> int:
    """Start the three queries and wait for them."""
    parser = argparse.ArgumentParser(description=main.__doc__)
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
    flights = spark.readStream.load(args.input, "parquet", COLUMNS, maxFilesPerTrigger=args.days)
    queries = [
        materialize(rows(flights), store=rows.__name__, root=args.root, partitions=4,
                    checkpoint=f"{args.root}/_checkpoints/{rows.__name__}", inputs=["flights"],
                    not_null=options["key"],
                    trigger={"availableNow": True} if args.once else None, **options)
        for rows, options in STORES
    ]  # fmt: skip
    return run(spark, queries)


if __name__ == "__main__":
    sys.exit(main())

"""Writes stores from Spark Structured Streaming, and reads them back into Spark.

`engine` runs whole statements for the gateway, by Spark Connect, which needs the extra `engine`.
"""

from stores.spark.pipeline import materialize
from stores.spark.reader import read_store
from stores.spark.registration import register_format
from stores.spark.reports import BatchFailedError, EpochReport
from stores.spark.run import report_progress, run
from stores.spark.session import spark_session

__all__ = [
    "BatchFailedError",
    "EpochReport",
    "materialize",
    "read_store",
    "register_format",
    "report_progress",
    "run",
    "spark_session",
]

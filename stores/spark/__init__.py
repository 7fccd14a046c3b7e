"""Writes stores from Spark Structured Streaming, and reads them back into Spark.

`engine` runs whole statements for the gateway, by Spark Connect, which needs the extra `engine`.
"""

from stategate.stores.spark.pipeline import materialize
from stategate.stores.spark.reader import read_store
from stategate.stores.spark.registration import register_format
from stategate.stores.spark.reports import BatchFailedError, EpochReport
from stategate.stores.spark.run import report_progress, run
from stategate.stores.spark.session import spark_session

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

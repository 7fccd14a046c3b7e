"""Writes stores from Spark Structured Streaming, and reads them back into Spark."""

from stores.spark.pipeline import materialize
from stores.spark.reader import read_store
from stores.spark.run import report_progress, run
from stores.spark.session import spark_session

__all__ = ["materialize", "read_store", "report_progress", "run", "spark_session"]

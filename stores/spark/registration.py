"""Lets sessions read `format("stategate")`."""

from __future__ import annotations

from typing import Any

from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from pyspark.sql.udf import _wrap_function

from stategate.stores.spark.source import FORMAT, StateGateSource


def register_format(spark: SparkSession) -> None:
    """Let a session read `format("stategate")`; `spark_session` does this for its own.

    The processes of Spark's executors must be able to import `stores`.
    """
    try:
        spark.dataSource.register(StateGateSource)
    except AnalysisException as error:
        if error.getCondition() != "DATA_SOURCE_ALREADY_EXISTS":
            raise
        _register_in(spark)


def _register_in(spark: SparkSession) -> None:
    """Register the format in a session that shares its JVM with one that has it.

    Spark looks for a source by name in the whole JVM before it registers it, though each session
    has a list of its own to read from.
    """
    jvm: Any = spark._jvm
    made = jvm.org.apache.spark.sql.execution.datasources.v2.python.UserDefinedPythonDataSource(
        _wrap_function(spark.sparkContext, StateGateSource)
    )
    sources = spark._jsparkSession.sessionState().dataSourceManager()
    sources.registerDataSource(FORMAT, made)

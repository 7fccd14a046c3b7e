"""Streaming queries of every stateful kind over generated input, cut into batches at random."""

from __future__ import annotations

from pathlib import Path

from pyspark.errors import PySparkException

from stategate.stores.spark import spark_session
from stategate.stores.spark.session import JavaMissingError
from tests.fuzz.report import Budget, Failure, Report
from tests.spark.conftest import FAST_START
from tests.spark.queries import CASES, COUNT_MIN, Input, difference, start

PART = "query"
QUERY_S = 120
"""Seconds after which a query that has not ended is a failure."""


def run(directory: Path, report: Report, budget: Budget, without: frozenset[str]) -> None:
    """Compare the stores of queries with a recomputation, one query after the other."""
    del without
    try:
        spark = spark_session("fuzz", master="local[2]", shuffle_partitions=2, **FAST_START)
    except JavaMissingError as error:
        report.skip(f"query: {error}")
        return
    spark.sparkContext.setLogLevel("OFF")
    for number in budget.cases():
        if budget.spent():
            break
        draw = report.random(PART, number)
        case = CASES[number % len(CASES)]
        root = directory / str(number)
        root.mkdir()
        count, batches = draw.randrange(COUNT_MIN, 150), draw.randrange(1, 9)
        given = Input.write(
            root / "events", seed=draw.randrange(1 << 32), count=count, batches=batches
        )
        try:
            query = start(spark, given, case, root)
            ended = query.awaitTermination(QUERY_S)
            query.stop()
            wrong = difference(given, case, root, root / "data") if ended else "it does not end"
        except PySparkException as error:
            wrong = str(error)
        if wrong is None:
            report.passed(str(case))
        else:
            what = f"{count} events, {batches} batches\n{wrong}"
            report.failed(Failure(part=PART, case=number, kind=str(case), what=what))
    spark.stop()

"""Pipelines whose driver dies between two operations on the files of its log, again and again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException

from stategate.stores.errors import StoreError
from stategate.stores.spark import spark_session
from stategate.stores.spark.session import JavaMissingError
from tests.fuzz.report import Budget, Failure, Report
from tests.spark.conftest import FAST_START, Orders
from tests.spark.orders_source import OrdersSource
from tests.spark.recovery.crashing import Pipeline, make_mortal

PART = "crash"
ROUNDS = 10
OPTIONS: dict[str, dict[str, Any]] = {
    "rows that the driver collects": {},
    "rows that tasks write": {"collect_rows_max": 0},
    "complete mode": {"output_mode": "complete"},
    "a log that is compacted": {"compact_every": 2},
}


def run(directory: Path, report: Report, budget: Budget, without: frozenset[str]) -> None:
    """Let drivers die, and compare each store with the sum of all orders."""
    del without
    try:
        spark = spark_session("fuzz", master="local[2]", shuffle_partitions=2, **FAST_START)
    except JavaMissingError as error:
        report.skip(f"crash: {error}")
        return
    spark.sparkContext.setLogLevel("OFF")
    spark.dataSource.register(OrdersSource)
    with pytest.MonkeyPatch.context() as patching:
        make_mortal(patching)
        for number in budget.cases():
            if budget.spent():
                break
            draw = report.random(PART, number)
            kind = draw.choice([*OPTIONS])
            root = directory / str(number)
            root.mkdir()
            pipeline = Pipeline(Orders(spark, root / "orders"), root, draw, OPTIONS[kind])
            wrong = _after_deaths(pipeline)
            if wrong is None:
                report.passed(f"{kind}, after {pipeline.deaths} deaths")
            else:
                report.failed(Failure(part=PART, case=number, kind=kind, what=wrong))
    spark.stop()


def _after_deaths(pipeline: Pipeline) -> str | None:
    """Return what is wrong after some rounds; None if nothing is."""
    try:
        for _ in range(ROUNDS):
            pipeline.send()
            pipeline.run_until_death()
            if pipeline.draw.random() < 0.3:
                pipeline.lose_last_commit()
        pipeline.run()
    except (StoreError, PySparkException) as error:
        return f"the pipeline refuses to run: {error}"
    return pipeline.difference()

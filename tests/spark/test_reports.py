"""What the log and programs are told of each batch, and of one that fails."""

from __future__ import annotations

import logging
import re
from pathlib import Path

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from stategate.stores.errors import SchemaError
from stategate.stores.log.state_log import StoreLog
from stategate.stores.spark import EpochReport, materialize
from stategate.stores.spark.reports import BatchFailedError, fail_batch, sentence_of
from tests.spark.conftest import Orders

pytestmark = pytest.mark.spark

TRACE = """[STREAM_FAILED] Query [id = 1] terminated with exception: An error occurred
Traceback (most recent call last):
  File "x.py", line 3, in call
    raise e
stategate.stores.errors.FencedError: store "totals" has had another writer
 SQLSTATE: 39000
=== Streaming Query ===
Identifier: [id = 34eb7708]
Logical Plan:
~Write"""


NEWLINE = "\n"
LOST = 'store "totals" has had another writer'
IO_ERROR = "java.io.IOException: Full"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (TRACE, LOST),
        (f"Return Message: {TRACE.partition(NEWLINE)[2]}\n\tat py4j.X\nx.YException: Z", LOST),
        ("[ZERO] Division by zero. SQLSTATE: 22012\n== SQL ==\nx", "[ZERO] Division by zero."),
        ("An error occurred while calling o7.x.\n: java.io.IOException: Full\n\tat a", IO_ERROR),
        ("", "ValueError"),
        ("x" * 1000, "x" * 500),
    ],
)
def test_an_error_becomes_a_sentence(text: str, sentence: str) -> None:
    assert sentence_of(ValueError(text)) == sentence


def test_a_failed_batch_has_its_trace_in_the_log_only(caplog: pytest.LogCaptureFixture) -> None:
    cause = ValueError(TRACE)
    with pytest.raises(BatchFailedError) as caught:
        fail_batch("totals", 7, cause)
    found = caught.value
    assert str(found) == (
        'epoch 7 of store "totals" cannot be written: store "totals" has had another writer'
    )
    assert found.__suppress_context__
    [record] = caplog.records
    assert record.getMessage() == "epoch failed store=totals epoch=7"
    assert record.exc_info is not None
    assert record.exc_info[1] is cause


def test_an_error_of_ours_stays_itself() -> None:
    given = SchemaError("rows do not fit")
    with pytest.raises(SchemaError) as caught:
        fail_batch("totals", 7, given)
    assert caught.value is given


@pytest.mark.parametrize(
    "said",
    [
        "java.lang.InterruptedException",
        "[SPARK_JOB_CANCELLED] Job 6 cancelled part of cancelled job group 7a",
        "[SPARK_JOB_CANCELLED] Job 6 cancelled Query totals [id = 1, runId = 2] was stopped",
    ],
)
def test_a_query_that_is_stopped_is_no_failure(said: str, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(RuntimeError):
        fail_batch("totals", 7, RuntimeError(said))
    assert caplog.records == []


def test_each_epoch_is_reported(
    orders: Orders, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    reports: list[EpochReport] = []

    def told(report: EpochReport) -> None:
        reports.append(report)
        if report.epoch == 0:
            raise RuntimeError("a report is not the pipeline's concern")

    caplog.set_level(logging.INFO, "stategate.stores.spark.reports")
    totals = orders.frame.withWatermark("at", "0 seconds").groupBy("usr", F.window("at", "1 hour"))
    query = materialize(
        totals.count().select("usr", "window", "count"),
        store="totals",
        key=["usr"],
        kind="window",
        window_size_ms=3_600_000,
        root=str(tmp_path / "log"),
        partitions=2,
        checkpoint=str(tmp_path / "checkpoint"),
        on_epoch=told,
    )
    orders.send(0, ("ann", 1, 4000), ("bob", 1, 4000))
    query.processAllAvailable()
    orders.send(0, ("ann", 1, 5000))
    query.processAllAvailable()
    query.stop()
    log = StoreLog.open(tmp_path / "log", "totals")
    commits = [log.commit(epoch) for epoch in log.epochs()]
    assert [(r.epoch, r.rows) for r in reports] == [(c.epoch, c.rows) for c in commits if c]
    assert list(reports[0].seconds) == ["write", "commit"]
    assert list(reports[1].seconds) == ["collect", "shape", "write", "commit"]
    assert reports[0].size_bytes > 0
    assert all(spent > 0 for report in reports for spent in report.seconds.values())
    lag_ms = reports[-1].event_lag_ms
    assert lag_ms is not None
    assert lag_ms > 1_000_000_000_000  # the events are of 1970
    lines = [r.getMessage() for r in caplog.records if r.levelno == logging.INFO]
    assert len(lines) == len(reports)
    assert re.fullmatch(
        r"epoch committed store=totals epoch=1 rows=\d+ bytes=\d+ total_s=\d+\.\d{3} "
        r"collect_s=\d+\.\d{3} shape_s=\d+\.\d{3} write_s=\d+\.\d{3} commit_s=\d+\.\d{3}"
        r"( event_lag_s=\d+\.\d{3})?",
        lines[1],
    )
    assert "on_epoch failed store=totals epoch=0" in caplog.text


def test_an_error_in_a_task_is_a_sentence(
    spark: SparkSession, orders: Orders, tmp_path: Path
) -> None:
    fails = F.when(F.col("amount") > 1, F.raise_error(F.lit("too much"))).otherwise(F.lit(1))
    query = materialize(
        orders.frame.select("usr", fails.cast("bigint").alias("n"), "at"),
        store="totals",
        key=["usr"],
        event_time="at",
        root=str(tmp_path / "log"),
        partitions=2,
        checkpoint=str(tmp_path / "checkpoint"),
    )
    orders.send(0, ("ann", 5))
    with pytest.raises(StreamingQueryException) as caught:
        query.processAllAvailable()
    error = query.exception()
    assert error is not None
    assert 'epoch 0 of store "totals" cannot be written: ' in sentence_of(error)
    assert "too much" in sentence_of(error)
    assert "org.apache.spark.scheduler" not in str(caught.value)

"""Run the driver of a chaos run with a planted fault: `python -m … PARENT FAULT ROOT KAFKA`."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable

from pyspark.sql import DataFrame, SparkSession

from stategate.stores.log.metadata.records import Commit
from stategate.stores.log.state_log import StoreLog
from tests.chaos import pipeline
from tests.fuzz.planted import end_with_parent


def _skips() -> None:
    """A pipeline commits some epochs without their rows."""
    plain = StoreLog.write_commit

    def write(self: StoreLog, commit: Commit) -> None:
        if commit.epoch % 3 == 2:
            commit = dataclasses.replace(commit, files=())
        plain(self, commit)

    StoreLog.write_commit = write  # type: ignore[method-assign]


def _twice() -> None:
    """A pipeline counts some records twice."""
    plain = pipeline.records

    def records(spark: SparkSession, kafka: str) -> DataFrame:
        frame = plain(spark, kafka)
        return frame.selectExpr("*", "explode(sequence(1, IF(n % 10 = 7, 2, 1))) AS _").drop("_")

    pipeline.records = records


PIPELINES: dict[str, Callable[[], None]] = {"skips": _skips, "twice": _twice}

if __name__ == "__main__":
    parent, fault, *arguments = sys.argv[1:]
    end_with_parent(int(parent))
    if fault != "none":
        PIPELINES[fault]()
    sys.exit(pipeline.main(*arguments))

"""Generated statements on Spark and here: the columns and rows must be the same.

What Spark's SQL does not do as PostgreSQL's must be refused (0A000), and never answered otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from stategate.stores.spark import spark_session
from stategate.stores.spark.session import JavaMissingError
from tests.fuzz.grammar.portable import Portable
from tests.fuzz.report import Budget, Failure, Report
from tests.fuzz.world import write_world
from tests.spark.conftest import CONNECT_PORT, FAST_START
from tests.spark.engine.sides import Engines, TableEngine, connected, open_engines
from tests.support.process import free_ports

PART = "spark"
_REFUSED = "0A000"
_CANCELED = "57014"
_LEFT_OPEN = "22"


@contextmanager
def engines(directory: Path) -> Iterator[Engines]:
    """Start Spark, and an engine that has it.

    Raises:
        JavaMissingError: there is no Java.
    """
    (port,) = free_ports(1)
    options: dict[str, Any] = {**FAST_START, CONNECT_PORT: port}
    options["spark.connect.grpc.binding.address"] = "127.0.0.1"
    spark = spark_session("fuzz", master="local[2]", shuffle_partitions=2, **options)
    try:
        spark.sparkContext.setLogLevel("OFF")
        jvm: Any = spark._jvm
        service = jvm.org.apache.spark.sql.connect.service.SparkConnectService
        service.start(spark._jsc.sc())
        root = directory / "log"
        write_world(root)
        with (
            connected(f"sc://127.0.0.1:{port}", root, kind=TableEngine) as engine,
            open_engines(root, engine) as found,
        ):
            yield found
    finally:
        spark.stop()


def run(directory: Path, report: Report, budget: Budget, without: frozenset[str]) -> None:
    """Compare generated statements until the budget is spent."""
    del without
    try:
        with engines(directory) as found:
            for number in budget.cases():
                if budget.spent():
                    return
                _check(found, report, number, Portable(report.random(PART, number)).statement())
    except JavaMissingError as error:
        report.skip(f"{PART}: {error}")


def _check(found: Engines, report: Report, number: int, sql: str) -> None:
    ours, theirs = found.answer(sql, "local"), found.answer(sql, "spark")
    states = [str(each[1]) for each in (ours, theirs) if each[0] == "error"]
    if _CANCELED in states:
        report.passed("too long")
    elif ours == theirs:
        report.passed("error" if states else "rows")
    elif theirs == ("error", _REFUSED):
        report.passed("not supported")
    elif states and all(each.startswith(_LEFT_OPEN) for each in states):
        report.passed("left open")
    elif len(states) == 2:
        report.passed("errors")
    else:
        kind = f"{theirs[1]} for {ours[1]}"[:80] if states else "rows"
        what = f"{sql}\nhere: {str(ours)[:1500]}\nSpark: {str(theirs)[:1500]}"
        report.failed(Failure(part=PART, case=number, kind=kind, what=what))

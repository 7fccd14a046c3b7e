"""Read a store on Spark, against the same rows as plain Parquet.

Both read two columns and a tenth of the rows. One line reads the first epoch, the other a snapshot
and two later epochs. Planning counts: Spark asks three Python processes about the source.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spark import spark_session
from stategate.stores.spec.position import Position
from stategate.stores.upkeep.compaction import write_snapshot
from tests.bench import data
from tests.bench.harness import BenchError, Better, Line, Measured, by_turns
from tests.bench.setting import Setting

COLUMNS = ("visits", "city")
LEAST = 100_000
CONDITION = f"visits < {LEAST}"
"""True for a tenth of the rows."""
ROUNDS_MIN = 7
"""Spark compiles a plan in the first rounds."""
FILES = 8
LATER_ROWS = 10_000
"""Rows of a later epoch; they are the same rows again."""


def spark_reads(setting: Setting) -> Sequence[Line]:
    """Milliseconds to sum one column and find the greatest value of the other."""
    directory = setting.directory / "spark"
    root, plain = directory / "log", directory / "plain"
    plain.mkdir(parents=True)
    data.write_log(root, setting.table)
    rows = -(-setting.keys // FILES)
    for number in range(FILES):
        piece = setting.table.slice(number * rows, rows)
        pq.write_table(piece, plain / f"{number}.parquet", compression="zstd")
    spark = spark_session("bench")
    try:
        lines = [_compared(setting, spark, root, plain, "read by Spark")]
        write_snapshot(root, data.STORE)
        for _ in range(2):
            again = setting.table.slice(0, LATER_ROWS)
            position = Position.of({"visits": {0: setting.keys}})
            StoreWriter(str(root), data.SCHEMA).write(again, position=position)
        lines.append(_compared(setting, spark, root, plain, "read by Spark after a snapshot"))
    finally:
        spark.stop()
    return lines


def _compared(setting: Setting, spark: SparkSession, root: Path, plain: Path, work: str) -> Line:
    def store() -> DataFrame:
        reader = spark.read.format("stategate").option("root", str(root))
        reader = reader.option("filters", f'[["visits", "<", {LEAST}]]')
        return reader.option("columns", ",".join(COLUMNS)).load(data.STORE)

    def files() -> DataFrame:
        return spark.read.parquet(str(plain)).select(*COLUMNS)

    if (found := _summed(store())) != (expected := _summed(files())):
        raise BenchError(f"the rows add up to {found}, not {expected}")
    ours, rival = by_turns(
        lambda: _took_ms(store), lambda: _took_ms(files), rounds=max(ROUNDS_MIN, setting.rounds)
    )
    return Measured(
        work=f"two columns, a tenth of {setting.keys:,} rows {work}",
        unit="ms",
        ours=ours,
        rival=rival,
        rival_name="spark.read.parquet",
        better=Better.LOWER,
        ratio_least=0.8,
        ratio_goal=1.5,
    )


def _took_ms(frame: Callable[[], DataFrame]) -> float:
    start = time.perf_counter()
    _summed(frame())
    return (time.perf_counter() - start) * 1000


def _summed(frame: DataFrame) -> tuple[int, str]:
    row = frame.where(CONDITION).selectExpr("sum(visits)", "max(city)").collect()[0]
    return row[0], row[1]

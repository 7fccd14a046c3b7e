"""Values of Spark that a store cannot hold: a pipeline refuses them with their key.

Texts that are not UTF-8 are replaced if it says so. NULLs do not belong into NOT NULL columns.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession

from stategate.stores.errors import SchemaError
from stategate.stores.log.checking.verification import verify
from stategate.stores.log.state_log import StoreLog
from stategate.stores.spark import materialize
from tests.support.logs import contents

pytestmark = [pytest.mark.spark, pytest.mark.timeout(360)]


class Pipeline:
    """Keys with the bytes of a text, in files; each file is a batch."""

    def __init__(self, spark: SparkSession, directory: Path, **options: Any) -> None:
        self.spark, self.directory, self.options = spark, directory, options
        self.log = StoreLog.open(str(directory / "root"), "texts")
        self.files = 0

    def send(self, *rows: tuple[bytes, bytes | None]) -> None:
        frame = self.spark.createDataFrame([*rows], "k binary, raw binary").coalesce(1)
        frame.write.mode("append").parquet(str(self.directory / "input"))

    def run(self) -> None:
        files = self.spark.readStream.schema("k binary, raw binary")
        query = materialize(
            files.parquet(str(self.directory / "input")).selectExpr(
                "CAST(k AS STRING) AS k",
                "CAST(raw AS STRING) AS t",
                "array(CAST(raw AS STRING)) AS a",
            ),
            store="texts",
            key=["k"],
            root=str(self.directory / "root"),
            partitions=2,
            checkpoint=str(self.directory / "checkpoint"),
            trigger={"availableNow": True},
            **self.options,
        )
        query.awaitTermination()

    def rows(self) -> list[tuple[str, str, list[str]]]:
        commits = [self.log.commit(epoch) for epoch in self.log.epochs()]
        found = [row for each in commits if each is not None for row in contents(self.log, each)]
        return sorted((row["k"], row["t"], row["a"]) for row in found)


@pytest.mark.parametrize("by", ["tasks", "the driver"])
def test_a_text_that_is_not_utf8_fails_its_batch(
    spark: SparkSession, tmp_path: Path, by: str
) -> None:
    pipeline = Pipeline(spark, tmp_path, collect_rows_max=0 if by == "tasks" else 100)
    pipeline.send((b"a", "ä".encode()))
    pipeline.run()
    pipeline.send((b"b", b"ok"), (b"c", b"x\xff"))
    with pytest.raises(StreamingQueryException, match=r"column \"\w\" .* at k = 'c': invalid byte"):
        pipeline.run()
    assert pipeline.rows() == [("a", "ä", ["ä"])]
    pipeline.options["invalid_utf8"] = "replace"
    pipeline.run()
    assert pipeline.rows() == [
        ("a", "ä", ["ä"]),
        ("b", "ok", ["ok"]),
        ("c", "x\ufffd", ["x\ufffd"]),
    ]
    assert verify(str(tmp_path / "root"), "texts").damages == ()


@pytest.mark.parametrize("by", ["tasks", "the driver"])
def test_a_null_in_a_column_that_is_not_null_fails_its_batch(
    spark: SparkSession, tmp_path: Path, by: str
) -> None:
    options = {"collect_rows_max": 0 if by == "tasks" else 100, "not_null": ["k", "t"]}
    pipeline = Pipeline(spark, tmp_path, **options)
    pipeline.send((b"a", b"ok"))
    pipeline.run()
    assert pipeline.log.schema().not_null == {"k", "t"}
    pipeline.send((b"b", b"ok"), (b"c", None))
    with pytest.raises(StreamingQueryException, match=r"null value in column \"t\" .* at k = 'c'"):
        pipeline.run()
    assert pipeline.rows() == [("a", "ok", ["ok"])]
    pipeline.options["not_null"] = ["k"]
    with pytest.raises(SchemaError, match=r"another not null: k, t, not k\. .*rebuild"):
        pipeline.run()


def test_a_key_that_is_not_utf8_is_never_replaced(spark: SparkSession, tmp_path: Path) -> None:
    pipeline = Pipeline(spark, tmp_path, invalid_utf8="replace")
    pipeline.send((b"\xff", b"1"), (b"\xfe", b"2"))
    with pytest.raises(StreamingQueryException, match=r"at k = '\\xf[ef]': invalid byte"):
        pipeline.run()
    pipeline.options["invalid_utf8"] = "strict"
    with pytest.raises(SchemaError, match="invalid_utf8"):
        pipeline.run()

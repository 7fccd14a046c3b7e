"""Streaming queries of every stateful kind, each with SQL that recomputes its store in DuckDB.

`Input` writes generated events as files, one for each batch, cut at random places. The watermark
is ten minutes behind the latest event. Events are out of order by less than that, so none of them
is late, wherever batches are cut. Rows that are late come at the end, behind two batches: Spark
drops rows by the watermark of the batch before the last.
"""

from __future__ import annotations

import os
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeAlias

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from stategate.stores.log.state_log import StoreLog
from stategate.stores.spark import materialize
from stategate.stores.spec.query import BatchStream, Query, RangeQuery
from stategate.stores.spec.result import Success
from stategate.stores.spec.schema import StoreKind
from stategate.stores.spec.versions import VersionedRangeQuery
from stategate.stores.spec.windows import SessionRangeQuery, WindowRangeQuery
from tests.spark.shapes import SHAPES
from tests.stores.test_kinds import followed
from tests.support.logs import batches_of

Content: TypeAlias = "Counter[tuple[Any, ...]]"
"""The rows of a store: key, time and value columns."""

BEGIN = datetime(2024, 1, 1, tzinfo=UTC)
DELAY = timedelta(minutes=10)
STEP = timedelta(seconds=30)
COUNT_MIN = 45
"""With fewer events the watermark would not pass the windows of late rows."""
SPARK_SCHEMA = """id bigint, k double, name string, amount decimal(12,2), day date,
    nested struct<tags: array<string>, prices: map<string, decimal(9,2)>>, moment timestamp,
    gone boolean"""
ARROW_SCHEMA = pa.schema(
    {
        "id": pa.int64(),
        "k": pa.float64(),
        "name": pa.string(),
        "amount": pa.decimal128(12, 2),
        "day": pa.date32(),
        "nested": pa.struct(
            {"tags": pa.list_(pa.string()), "prices": pa.map_(pa.string(), pa.decimal128(9, 2))}
        ),
        "moment": pa.timestamp("us", "UTC"),
        "gone": pa.bool_(),
    }
)


def events(draw: random.Random, count: int) -> list[dict[str, Any]]:
    """Return events out of order, some of them twice; no two others have the same time."""
    made: list[dict[str, Any]] = []
    for number in range(count):
        if made and draw.random() < 0.1:
            made.append(draw.choice(made[-5:]))
            continue
        early = timedelta(seconds=draw.randrange(240), milliseconds=number)
        made.append(event(draw, number, BEGIN + number * STEP - early))
    return made


def event(draw: random.Random, number: int, at: datetime) -> dict[str, Any]:
    prices = [(key, Decimal(draw.randrange(999)) / 100) for key in "xy" if draw.random() < 0.5]
    nested = {"tags": draw.choices(["t", "", None], k=draw.randrange(3)), "prices": prices}
    return {
        "id": number,
        "k": draw.choice([None, 0.0, -0.0, 1.5, float("nan"), -float("nan")]),
        "name": draw.choice([None, "", "a", "ä\0b"]),
        "amount": draw.choice([None, Decimal(draw.randrange(-999, 999)) / 100]),
        "day": draw.choice([None, date(1969, 12, 31), date(2024, 2, 29)]),
        "nested": None if draw.random() < 0.2 else nested,
        "moment": at,
        "gone": draw.random() < 0.2,
    }


@dataclass(frozen=True)
class Input:
    """Generated events as one file for each batch."""

    directory: Path
    database: duckdb.DuckDBPyConnection
    """With the tables `events`, all of them, and `timely`, without the late ones."""
    watermark: datetime
    """The watermark after the last batch."""

    @staticmethod
    def write(directory: Path, *, seed: int, count: int = 60, batches: int = 3) -> Input:
        draw = random.Random(seed)
        given = events(draw, count)
        cuts = sorted(draw.sample(range(1, count), batches - 1))
        parts = [given[i:j] for i, j in zip([0, *cuts], [*cuts, count], strict=True)]
        last = BEGIN + count * STEP
        for number in (0, 1):
            # One row of each half, since each side of a join has a watermark of its own.
            ids = range(count + 2 * number, count + 2 * number + 2)
            moved = last + number * STEP
            parts.append([event(draw, i, moved + timedelta(milliseconds=i % 2)) for i in ids])
        late = [event(draw, count + 9 + i, BEGIN + timedelta(milliseconds=i + 7)) for i in range(4)]
        directory.mkdir()
        for number, part in enumerate([*parts, late]):
            path = directory / f"{number:03}.parquet"
            pq.write_table(pa.Table.from_pylist(part, schema=ARROW_SCHEMA), path)
            # Spark reads files in the order of their times.
            os.utime(path, (BEGIN.timestamp() + number, BEGIN.timestamp() + number))
        database = duckdb.connect()
        database.execute("SET TimeZone = 'UTC'")
        timely = pa.Table.from_pylist([row for part in parts for row in part], schema=ARROW_SCHEMA)
        of_late = pa.Table.from_pylist(late, schema=ARROW_SCHEMA)
        database.register("arrow_timely", timely)
        database.register("arrow_late", of_late)
        database.execute("CREATE TABLE timely AS SELECT * FROM arrow_timely")
        database.execute(
            "CREATE TABLE events AS SELECT * FROM timely UNION ALL SELECT * FROM arrow_late"
        )
        # Each side of a join has the latest event of its half.
        return Input(directory, database, last + STEP - DELAY)

    def frame(self, spark: SparkSession) -> DataFrame:
        """Return a stream of the events, one file a batch."""
        return (
            spark.readStream.schema(SPARK_SCHEMA)
            .option("maxFilesPerTrigger", 1)
            .parquet(str(self.directory))
        )

    def recomputed(self, sql: str) -> Content:
        """Return the rows of a SELECT in DuckDB; `{watermark}` stands for the last watermark."""
        text = sql.replace("{watermark}", f"TIMESTAMPTZ '{self.watermark.isoformat()}'")
        return content(self.database.sql(text).to_arrow_table().to_batches())


def content(batches: Sequence[pa.RecordBatch]) -> Content:
    return Counter(
        tuple(map(comparable, row))
        for batch in batches
        for row in zip(*columns(batch), strict=True)
    )


def columns(batch: pa.RecordBatch) -> Iterator[list[Any]]:
    return (column.to_pylist() for column in batch.columns)


def comparable(value: Any) -> Any:
    """Return a value that can be compared and hashed; every NaN is one value."""
    match value:
        case float() if value != value:
            return "NaN"
        case list() | tuple():
            return tuple(map(comparable, value))
        case dict():
            return tuple((name, comparable(each)) for name, each in value.items())
    return value


# Stores


@dataclass(frozen=True)
class Case:
    """A shape in one of its output modes."""

    name: str
    mode: str

    def __str__(self) -> str:
        return f"{self.name} in {self.mode} mode"

    @property
    def store(self) -> str:
        return re.sub(r"\W+", "-", str(self))


CASES = [Case(name, mode) for name, shape in SHAPES.items() for mode in shape.expected]


def start(spark: SparkSession, given: Input, case: Case, root: Path) -> StreamingQuery:
    """Start a query over all of the input; it ends by itself."""
    shape = SHAPES[case.name]
    sources = ["left", "right"] if "join" in case.name else ["events"]
    options: dict[str, Any] = {"partitions": 2, "inputs": sources, **shape.options}
    for setting, value in shape.settings.items():
        spark.conf.set(setting, value)
    query = materialize(
        shape.make(given.frame(spark)),
        store=case.store,
        key=shape.key,
        root=str(root),
        checkpoint=str(root / "checkpoints" / case.store),
        output_mode=case.mode,
        trigger={"availableNow": True},
        **options,
    )
    for setting in shape.settings:
        spark.conf.unset(setting)
    return query


def difference(given: Input, case: Case, root: Path, directory: Path) -> str | None:
    """Return in what a store differs from the recomputation; None if it is equal.

    Args:
        given: the input.
        case: the query.
        root: the log, after the query has ended.
        directory: a place for replicas.
    """
    expected = given.recomputed(SHAPES[case.name].expected[case.mode])
    found = {
        "replicas": shown_by_replicas(root, case.store, directory),
        "read_store": shown_by_spark(root, case.store),
    }
    for reader, rows in found.items():
        if rows != expected:
            return f"{reader}: too many {rows - expected}, missing {expected - rows}"
    return None if expected else "the recomputation is empty"


SCANS: dict[StoreKind, Query[BatchStream]] = {
    StoreKind.WINDOW: WindowRangeQuery(),
    StoreKind.SESSION: SessionRangeQuery(),
    StoreKind.VERSIONED: VersionedRangeQuery(),
}


def shown_by_replicas(root: Path, store: str, directory: Path) -> Content:
    """Return the rows that replicas on disk show."""
    schema = StoreLog.open(root, store).schema()
    host = followed(root, schema, directory)
    scan = SCANS.get(schema.kind, RangeQuery())
    found: Content = Counter()
    for partition in range(schema.partitions):
        result = host.query_partition(partition, scan)
        assert isinstance(result, Success)
        found += content(list(result.value))
    host.close()
    return found


def shown_by_spark(root: Path, store: str) -> Content:
    """Return the rows that are read from the log without a replica, as `read_store` does."""
    return content(batches_of(root, StoreLog.open(root, store).schema()))

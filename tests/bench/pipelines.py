"""Pipelines, against the same streaming query with other sinks.

The input is a directory of Parquet files, each of which is a batch. Rivals write each batch as
plain Parquet, or upsert it into a PostgreSQL that does not wait for its disk. A rate is that of the
median batch after the first, which compiles the plan.
"""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import psycopg
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as T
from pyspark.sql.streaming.query import StreamingQuery

from stategate.stores.hosting.host import Host
from stategate.stores.spark import materialize, spark_session
from stategate.stores.spec.query import KeyQuery
from stategate.stores.spec.store import in_store
from tests.bench import data
from tests.bench.harness import BenchError, Better, Line, Measured, UnavailableError
from tests.bench.setting import Setting
from tests.support import postgres

LARGE_EPOCHS, SMALL_EPOCHS, SMALL_ROWS = 4, 40, 1000
STORES = 3
EVENTS = 30
EVENT_LATER_MS_MOST = 100.0
WAIT_S = 120.0
PARTITIONS = 4
SCHEMA = T.StructType(
    [
        T.StructField("id", T.StringType()),
        T.StructField("visits", T.LongType()),
        T.StructField("score", T.DoubleType()),
        T.StructField("seen", T.TimestampType()),
        T.StructField("city", T.StringType()),
    ]
)
UPSERT = """
INSERT INTO users SELECT * FROM batch ON CONFLICT (id) DO UPDATE SET
visits = excluded.visits, score = excluded.score, seen = excluded.seen, city = excluded.city
"""

_Start: TypeAlias = Callable[[DataFrame, Path, str], StreamingQuery]
"""Starts a query that ends with its input, from rows, a directory, and a name."""


def large(setting: Setting) -> Sequence[Line]:
    """Rows a second of epochs with all keys."""
    return _rates(setting, "large", rows=setting.keys, epochs=LARGE_EPOCHS)


def small(setting: Setting) -> Sequence[Line]:
    """Rows a second of epochs of a thousand rows, as a query has that follows its input."""
    rows = min(SMALL_ROWS, setting.keys)
    return _rates(setting, "small", rows=rows, epochs=SMALL_EPOCHS)


def together(setting: Setting) -> Line:
    """Rows a second of three pipelines in one driver, at once and one after the other."""
    directory = setting.directory / "together"
    rows = min(100_000, setting.keys)
    _write_input(directory / "input", setting.table, rows=rows, epochs=LARGE_EPOCHS)
    with _spark() as spark:
        rates = []
        for number, is_at_once in enumerate((True, True, False)):
            # The first run compiles the plans.
            start = time.perf_counter()
            running: list[StreamingQuery] = []
            for store in range(STORES):
                name = f"s{number}_{store}"
                query = _ours(_input(spark, directory / "input"), directory / name, name)
                if not is_at_once:
                    _ended(query)
                running.append(query)
            for query in running:
                _ended(query)
            rates.append(STORES * rows * LARGE_EPOCHS / (time.perf_counter() - start))
    return Measured(
        work=f"{STORES} pipelines in one driver, epochs of {rows:,} rows",
        unit="rows/s",
        ours=rates[1],
        rival=rates[2],
        rival_name="one after the other",
        ratio_least=0.8,
        ratio_goal=1.0,
    )


def visible(setting: Setting) -> Line:
    """Milliseconds from a new file in the input to an answer with its row."""
    directory = setting.directory / "visible"
    with _spark() as spark:
        rival = _milliseconds_of_batches(spark, directory / "rival")
        ours = _milliseconds_until_visible(spark, directory / "ours")
    return Measured(
        work="event in a file → answer of LATEST",
        unit="ms",
        ours=ours,
        rival=rival,
        rival_name="event → end of a bare batch",
        better=Better.LOWER,
        ours_most=rival + EVENT_LATER_MS_MOST,
    )


def _rates(setting: Setting, name: str, *, rows: int, epochs: int) -> Sequence[Line]:
    directory = setting.directory / f"pipelines-{name}"
    _write_input(directory / "input", setting.table, rows=rows, epochs=epochs)
    with _spark() as spark:

        def rate(start: _Start, kind: str) -> float:
            frame = _input(spark, directory / "input")
            found = _ended(start(frame, directory / kind, f"{name}_{kind}"))
            return rows / statistics.median(found[1:])

        # Spark compiles its own classes in the first query.
        rate(_plain, "warm")
        ours, plain = rate(_ours, "ours"), rate(_plain, "plain")
        lines = [
            Measured(
                work=f"materialize, epochs of {rows:,} rows",
                unit="rows/s",
                ours=ours,
                rival=plain,
                rival_name="plain Parquet",
                ratio_least=0.7,
                ratio_goal=1.0,
            )
        ]
        try:
            with postgres.running_postgres(
                directory / "postgres", user="bench", settings=postgres.FAST
            ) as server:
                upserts = _Upserts(server.dsn)
                rival = rate(upserts.start, "upserts")
                upserts.check(rows)
        except postgres.PostgresMissingError as error:
            raise UnavailableError(str(error)) from None
    upserted = Measured(
        work=f"materialize, epochs of {rows:,} rows",
        unit="rows/s",
        ours=ours,
        rival=rival,
        rival_name="upserts into PostgreSQL",
        ratio_least=5.0,
        ratio_goal=10.0,
    )
    return [*lines, upserted]


class _Upserts:
    """Upserts each batch: tasks copy rows to a table of the batch, one statement merges them."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn

    def start(self, frame: DataFrame, directory: Path, name: str) -> StreamingQuery:
        """Start a query into an empty table."""
        dsn = self._dsn
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute("DROP TABLE IF EXISTS users")
            connection.execute(data.CREATE_TABLE)
            connection.execute("CREATE UNLOGGED TABLE batch (LIKE users)")

        def copy(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            with (
                psycopg.connect(dsn) as connection,
                connection.cursor() as cursor,
                cursor.copy("COPY batch FROM STDIN (FORMAT csv)") as sink,
            ):
                for batch in batches:
                    sink.write(_csv(batch))
            yield pa.record_batch({"done": pa.array([True])})

        def upsert(rows: DataFrame, batch: int) -> None:
            del batch
            rows.mapInArrow(copy, "done boolean").collect()
            with psycopg.connect(dsn) as connection:
                connection.execute(UPSERT)
                connection.execute("TRUNCATE batch")

        return _foreach(frame, directory, name, upsert)

    def check(self, rows: int) -> None:
        """Make sure that all rows have arrived."""
        with psycopg.connect(self._dsn) as connection:
            found = connection.execute("SELECT count(*) FROM users").fetchone()
        if found != (rows,):
            raise BenchError(f"PostgreSQL has {found} rows, not {rows}")


def _csv(batch: pa.RecordBatch) -> bytes:
    sink = pa.BufferOutputStream()
    pa.csv.write_csv(batch, sink, pa.csv.WriteOptions(include_header=False))
    return bytes(sink.getvalue())


def _ours(frame: DataFrame, directory: Path, name: str) -> StreamingQuery:
    return materialize(
        frame,
        store=name,
        key=["id"],
        root=str(directory / "log"),
        partitions=PARTITIONS,
        checkpoint=str(directory / "checkpoint"),
        inputs=["files"],
        output_mode="append",
        trigger={"availableNow": True},
    )


def _plain(frame: DataFrame, directory: Path, name: str) -> StreamingQuery:
    def write(rows: DataFrame, batch: int) -> None:
        rows.write.option("compression", "zstd").parquet(str(directory / "rows" / str(batch)))

    return _foreach(frame, directory, name, write)


def _foreach(
    frame: DataFrame, directory: Path, name: str, write: Callable[[DataFrame, int], None]
) -> StreamingQuery:
    writer = frame.writeStream.queryName(name).foreachBatch(write)
    checkpoint = str(directory / "checkpoint")
    return writer.option("checkpointLocation", checkpoint).trigger(availableNow=True).start()


def _ended(query: StreamingQuery) -> list[float]:
    """Wait for the end of a query; return the seconds of its batches."""
    if not query.awaitTermination(int(WAIT_S * 10)):
        query.stop()
        raise BenchError(f"query {query.name} did not end")
    return [
        progress["durationMs"]["triggerExecution"] / 1000
        for progress in query.recentProgress
        if progress["numInputRows"]
    ]


def _milliseconds_of_batches(spark: SparkSession, directory: Path) -> float:
    done = threading.Semaphore(0)

    def drop(rows: DataFrame, batch: int) -> None:
        del batch
        rows.write.format("noop").mode("append").save()
        done.release()

    (directory / "input").mkdir(parents=True)
    writer = _input(spark, directory / "input").writeStream.foreachBatch(drop)
    query = writer.option("checkpointLocation", str(directory / "checkpoint")).start()
    try:
        return _event_times(directory / "input", lambda _: done.acquire(timeout=WAIT_S))
    finally:
        query.stop()


def _milliseconds_until_visible(spark: SparkSession, directory: Path) -> float:
    (directory / "input").mkdir(parents=True)
    query = materialize(
        _input(spark, directory / "input"),
        store="events",
        key=["id"],
        root=str(directory / "log"),
        partitions=PARTITIONS,
        checkpoint=str(directory / "checkpoint"),
        inputs=["files"],
        output_mode="append",
    )
    host = Host(directory / "log", data=directory / "replicas")

    def shows(number: int) -> bool:
        request = in_store("events").with_query(KeyQuery.with_key("event"))
        end = time.perf_counter() + WAIT_S
        while time.perf_counter() < end:
            answers = host.query(request).partitions.values() if _is_here(host) else ()
            if any(_value(answer) == number for answer in answers):
                return True
            time.sleep(0.001)
        return False

    try:
        host.start()
        return _event_times(directory / "input", shows)
    finally:
        query.stop()
        host.close()


def _is_here(host: Host) -> bool:
    """Return whether the host has found the store, which the first event makes."""
    return "events" in host.stores and host.is_ready


def _value(answer: Any) -> int | None:
    row = getattr(answer, "value", None)
    return None if row is None else int(row[0])


def _event_times(directory: Path, wait: Callable[[int], bool]) -> float:
    """Return the median time from a new file to its effect, in milliseconds, but for the first."""
    found = []
    for number in range(EVENTS):
        row = data.rows(1).set_column(0, "id", pa.array(["event"]))
        row = row.set_column(1, "visits", pa.array([number]))
        pq.write_table(row, directory / f".{number}")
        start = time.perf_counter()
        (directory / f".{number}").rename(directory / f"{number}.parquet")
        if not wait(number):
            raise BenchError(f"event {number} did not arrive within {WAIT_S:.0f} s")
        found.append((time.perf_counter() - start) * 1000)
        # Not in step with the query's own polls.
        time.sleep(0.05 + number % 7 / 100)
    return statistics.median(found[EVENTS // 5 :])


def _write_input(directory: Path, table: pa.Table, *, rows: int, epochs: int) -> None:
    """Write files of the same keys with other values."""
    directory.mkdir(parents=True)
    for number in range(epochs):
        visits = pa.array([number]).cast(pa.int64())
        piece = table.slice(0, rows)
        changed = pc.add(piece.column("visits"), visits[0])
        piece = piece.set_column(1, "visits", changed)
        # As many row groups as tasks, so that the rivals can use all cores.
        path = directory / f"{number:05d}.parquet"
        pq.write_table(piece, path, row_group_size=max(1, rows // 8))


def _input(spark: SparkSession, directory: Path) -> DataFrame:
    return spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).parquet(str(directory))


@contextmanager
def _spark() -> Iterator[SparkSession]:
    spark = spark_session("bench", shuffle_partitions=PARTITIONS)
    try:
        spark.conf.set("spark.sql.files.maxPartitionBytes", str(8 << 20))
        yield spark
    finally:
        spark.stop()

"""A pipeline from topics to the store `latest`, and SQL over it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeAlias

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from stategate.planner.engine import Cancellation, Session
from stategate.planner.sql import SqlEngine
from stategate.stores import Host
from stategate.stores.log.state_log import StoreLog
from stategate.stores.spark import materialize
from tests.support.waiting import until

Rows: TypeAlias = list[tuple[Any, ...]]


class Pipeline:
    """Keeps the store `latest`, by default the last text of each id, and reads it."""

    def __init__(self, spark: SparkSession, address: str, directory: Path) -> None:
        self._spark, self._address, self._directory = spark, address, directory
        self._host: Host | None = None

    @property
    def root(self) -> str:
        return str(self._directory / "log")

    def source(self, **options: Any) -> DataFrame:
        """Return the records of topics, from the first: the columns of Kafka, id and text."""
        reader = self._spark.readStream.format("kafka")
        settings = {"kafka.bootstrap.servers": self._address, "startingOffsets": "earliest"}
        frame = reader.options(**{**settings, **options}).load()
        return frame.withColumns(
            {"id": frame.key.cast("string"), "text": frame.value.cast("string")}
        )

    def start(self, frame: DataFrame, **options: Any) -> StreamingQuery:
        given: dict[str, Any] = {
            "store": "latest",
            "key": ["id"],
            "root": self.root,
            "partitions": 2,
            "checkpoint": str(self._directory / "checkpoint"),
            "output_mode": "append",
        }
        return materialize(frame, **(given | options))

    def of(self, **options: Any) -> StreamingQuery:
        """Start a query that keeps the last text of each id; a record without a value deletes."""
        frame = self.source(**options).selectExpr("id", "text", "text IS NULL AS gone")
        return self.start(frame, deleted="gone")

    def ask(self, sql: str) -> Rows:
        """Return the rows of a statement, in order, once the store is there."""
        if self._host is None:
            self._host = Host(self.root)
            self._host.start()
        until(lambda: self._host is not None and "latest" in self._host.stores, 60)
        engine, session = SqlEngine(self._host), Session()
        statement = engine.prepare(sql, session)
        done = engine.execute(statement, (), session, cancellation=Cancellation(timeout_s=90))
        if done.rows is not None:
            return sorted(done.rows)
        batches = done.batches or ()
        return sorted(tuple(row.values()) for batch in batches for row in batch.to_pylist())

    def texts(self, bound: str, wait: str = "60 s") -> dict[str, str]:
        """Return the store's texts by id, once it has reached a bound."""
        return dict(self.ask(f"SELECT id, text FROM latest WITH BOUND ({bound}), WAIT '{wait}'"))

    def positions(self) -> list[dict[str, dict[int, int]]]:
        """Return the positions of all epochs."""
        log = StoreLog.open(self.root, "latest")
        commits = [log.commit(epoch) for epoch in log.epochs()]
        return [commit.position.to_dict() for commit in commits if commit is not None]

    def position(self) -> dict[str, dict[int, int]]:
        """Return the position of the newest epoch."""
        return self.positions()[-1]

    def close(self) -> None:
        for query in self._spark.streams.active:
            query.stop()
        if self._host is not None:
            self._host.close()

"""What a program around materialising queries needs: to show progress, to wait, to stop."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Sequence

import orjson
from pyspark.sql import SparkSession
from pyspark.sql.streaming.listener import (
    QueryIdleEvent,
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
    StreamingQueryListener,
)
from pyspark.sql.streaming.query import StreamingQuery

_POLL_S = 0.1
_ERROR_CHARS_MAX = 2000
"""Spark's messages carry whole plans and stack traces; the cause is at the beginning."""


def report_progress(spark: SparkSession, write: Callable[[str], None]) -> None:
    """Call `write` with a line of JSON for each epoch that any query of the session commits.

    `{"store": …, "epoch": …, "rows": …}`: the query's name, which is the store's unless another
    was given, the epoch, and the input rows that it has read since it started.
    """
    spark.streams.addListener(_Progress(write))


class _Progress(StreamingQueryListener):
    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._rows: dict[str, int] = {}

    def onQueryStarted(self, event: QueryStartedEvent) -> None:
        """Nothing is committed yet."""

    def onQueryIdle(self, event: QueryIdleEvent) -> None:
        """Nothing was committed."""

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:
        """Whoever waits for the query sees how it ended."""

    def onQueryProgress(self, event: QueryProgressEvent) -> None:
        """Spark calls this after each batch, in order within a query."""
        done = event.progress
        name = done.name or str(done.id)
        self._rows[name] = self._rows.get(name, 0) + done.numInputRows
        line = {"store": name, "epoch": done.batchId, "rows": self._rows[name]}
        self._write(orjson.dumps(line).decode())


def run(spark: SparkSession, queries: Sequence[StreamingQuery]) -> int:
    """Wait until all queries have ended, one has failed, or SIGTERM or SIGINT comes; then stop.

    A batch that a signal interrupts is run again, as the same epoch, at the next start. To be
    called from the main thread.

    Returns:
        The exit status: 1 if a query failed, and then its error is on standard error; else 0.
    """
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    while not stopped.wait(_POLL_S):
        if any(query.exception() for query in queries) or not any(q.isActive for q in queries):
            break
    errors = [(query.name, query.exception()) for query in queries]
    failed = [(name, str(error)[:_ERROR_CHARS_MAX]) for name, error in errors if error]
    for name, message in failed:
        print(f'query "{name}" failed: {message}', file=sys.stderr)
    # What Spark says of interrupted batches while it stops is noise: they are run again.
    spark.sparkContext.setLogLevel("OFF")
    for query in queries:
        query.stop()
    spark.stop()
    return 1 if failed else 0

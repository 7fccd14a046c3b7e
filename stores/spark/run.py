"""Runs a program of streaming queries: shows progress, waits, and stops."""

from __future__ import annotations

import signal
import sys
import time
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

from stategate.stores.spark.reports import sentence_of

_POLL_S = 0.1


def report_progress(spark: SparkSession, write: Callable[[str], None]) -> None:
    """Call `write` with a line of JSON for each epoch that any query of the session commits.

    The line is `{"store": …, "epoch": …, "rows": …}`: the query's name, by default the store's, the
    epoch, and the input rows since the query started.
    """
    spark.streams.addListener(_Progress(write))


class _Progress(StreamingQueryListener):
    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._rows: dict[str, int] = {}

    def onQueryStarted(self, event: QueryStartedEvent) -> None:
        """Do nothing: no epoch is committed yet."""

    def onQueryIdle(self, event: QueryIdleEvent) -> None:
        """Do nothing: no epoch was committed."""

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:
        """Do nothing: `run` reports how the query ended."""

    def onQueryProgress(self, event: QueryProgressEvent) -> None:
        """Write a line; Spark calls this after each batch, in order within a query."""
        done = event.progress
        name = done.name or str(done.id)
        self._rows[name] = self._rows.get(name, 0) + done.numInputRows
        line = {"store": name, "epoch": done.batchId, "rows": self._rows[name]}
        self._write(orjson.dumps(line).decode())


def run(spark: SparkSession, queries: Sequence[StreamingQuery]) -> int:
    """Wait until all queries have ended, one has failed, or SIGTERM or SIGINT comes; then stop.

    A batch that a signal interrupts runs again, as the same epoch, at the next start. Call this
    from the main thread.

    Returns:
        The exit status: 1 if a query failed, with its error on standard error; otherwise 0.
    """
    # Not an event: a handler that sets one waits for ever where it interrupts the wait for it.
    signals: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: signals.append(number))
    if sys.platform != "win32":  # whatever started this program may have blocked them
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM, signal.SIGINT})
    try:
        while not signals:
            time.sleep(_POLL_S)
            if any(query.exception() for query in queries) or not any(q.isActive for q in queries):
                break
        # The errors of batches that the signal interrupted are noise: they run again.
        errors = [] if signals else [(query.name, query.exception()) for query in queries]
        failed = [(name, sentence_of(error)) for name, error in errors if error]
        for name, message in failed:
            print(f'query "{name}" failed: {message}', file=sys.stderr)
        spark.sparkContext.setLogLevel("OFF")
        for query in queries:
            query.stop()
        spark.stop()
    except Exception:  # an error of py4j, which only this line would import
        if not signals:
            raise
        # Service managers signal all processes of a service, so the JVM has ended, too.
        return 0
    return 1 if failed else 0

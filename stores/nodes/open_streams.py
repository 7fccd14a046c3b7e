"""The streams that a node has opened for another one, which reads them request by request."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pyarrow as pa

from stategate.stores.nodes.failover import unreadable
from stategate.stores.nodes.messages import Batches, Refused, Reply
from stategate.stores.nodes.traced_reads import OpenRead
from stategate.stores.spec.query import BatchStream

BATCHES_BYTES = 1 << 20
"""Rows are sent in replies of about this size, so that a short answer waits little for its turn."""


class OpenStream:
    """A stream, and how far it was read.

    Args:
        rows: the stream.
        traced: records the read; None without a trace.
    """

    __slots__ = ("_lock", "_read", "_reading", "_traced", "rows")

    def __init__(self, rows: BatchStream, traced: OpenRead | None = None) -> None:
        self.rows, self._traced = rows, traced
        self._read, self._lock = 0, threading.Lock()
        self._reading: Iterator[pa.RecordBatch] = iter(())

    def next(self, read: int) -> tuple[Reply, list[pa.RecordBatch]]:
        """Return the next rows.

        Args:
            read: counts how often the stream is read; see `ReadStream`.
        """
        with self._lock:
            if read < self._read:
                return Refused("the stream is read anew"), []
            if read > self._read:
                self._read, self._reading = read, iter(self.rows)
            try:
                found, is_last = self._next()
            except Exception as error:  # it ends this stream only, and another node may have it
                return Refused(unreadable(error), is_unreadable=True), []
            traced = self._traced
            if traced is not None:
                traced.rows += sum(batch.num_rows for batch in found)
                if is_last:
                    traced.end()
            return Batches(is_last=is_last), found

    def end(self, rows: int | None = None) -> None:
        """Take note that it is not read any more.

        Args:
            rows: how many rows were read, if not those that were sent.
        """
        traced = self._traced
        if traced is not None:
            if rows is not None:
                traced.rows = rows
            traced.end()

    def _next(self) -> tuple[list[pa.RecordBatch], bool]:
        """Return the batches of the next reply, and whether they are the last ones."""
        found: list[pa.RecordBatch] = []
        size = 0
        for batch in self._reading:
            found.append(batch)
            size += batch.nbytes
            if size >= BATCHES_BYTES:
                return found, False
        return found, True

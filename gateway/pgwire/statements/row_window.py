"""The rows of a result, read forward, and backwards as far as they are kept.

PostgreSQL reads backwards by running its plan backwards. A stream cannot do that, and running it
again could give other rows. So a SCROLL cursor keeps the last rows up to a number of bytes, and
refuses to read backwards beyond them.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from gateway.pgwire.protocol.limits import PgLimits
from planner.engine import QueryError, Result, Row

Piece: TypeAlias = "pa.RecordBatch | Sequence[Row]"
"""Consecutive rows, at least one."""
ALL = sys.maxsize
"""A count of rows that stands for all."""


def cannot_go_back() -> QueryError:
    """Return the error for reading a NO SCROLL cursor backwards."""
    return QueryError(
        "cursor can only scan forward",
        hint="Declare it with SCROLL option to enable backward scan.",
        sqlstate="55000",
    )


class Reader:
    """A position in the rows of a result.

    Args:
        result: has the rows.
        window_bytes_max: bytes of batches to keep for reading backwards; the last is always kept.
    """

    __slots__ = (
        "_batches",
        "_firsts",
        "_held",
        "_held_bytes",
        "_read",
        "_rows",
        "_window_bytes_max",
        "ended",
        "passed",
    )

    def __init__(self, result: Result, *, window_bytes_max: int = 0) -> None:
        self.passed = 0
        """How many rows are before the next one; set it to move backwards."""
        self.ended = False
        """Whether more rows were asked for than the result has."""
        self._rows: Sequence[Row] | None = result.rows
        self._batches: Iterator[pa.RecordBatch] = iter(result.batches or ())
        self._window_bytes_max = window_bytes_max
        self._held: list[pa.RecordBatch] = []
        self._firsts: list[int] = []
        """The number of the first row, from 0, in each batch that is held."""
        self._held_bytes = 0
        self._read = 0
        """Rows in all batches so far."""

    def forward(self, rows_max: int, limits: PgLimits | None = None) -> Piece | None:
        """Return the next rows and move past them; None after the last one.

        Args:
            rows_max: the most rows to return.
            limits: the size of a chunk, if the rows will be encoded; None for any size.

        Raises:
            QueryError: the stream failed, or the rows are no longer kept (54000).
        """
        if self._rows is not None:
            at_hand = self._rows[self.passed : self.passed + rows_max]
            self.passed += len(at_hand)
            self.ended = not at_hand
            return at_hand or None
        found = self._batch_of(self.passed)
        self.ended = found is None
        if found is None:
            return None
        batch, at = found
        if limits is not None:
            rows_max = min(rows_max, _chunk_rows(batch, limits))
        piece = batch.slice(at, rows_max)
        self.passed += len(piece)
        return piece

    def backward(self, last: int, rows_max: int, limits: PgLimits | None = None) -> Piece:
        """Return rows in reverse order, beginning with number `last` (from 0); do not move.

        Raises:
            QueryError: the rows are no longer kept (54000), or none are kept (55000).
        """
        if self._rows is not None:
            return self._rows[max(0, last + 1 - rows_max) : last + 1][::-1]
        found = self._batch_of(last)
        assert found is not None, "earlier rows have been read"
        batch, at = found
        if limits is not None:
            rows_max = min(rows_max, _chunk_rows(batch, limits))
        stop = max(-1, at - rows_max)
        return batch.take(pa.array(np.arange(at, stop, -1)))

    def close(self) -> None:
        """Release all rows."""
        self._rows = () if self._rows is not None else None
        self._batches = iter(())
        self._held.clear()
        self._firsts.clear()
        self.passed = self._read

    def _batch_of(self, row: int) -> tuple[pa.RecordBatch, int] | None:
        """Return the batch with a row, and the row's index in it; None after the last row."""
        while row >= self._read:
            batch = next(self._batches, None)
            if batch is None:
                return None
            self._hold(batch)
        at = bisect_right(self._firsts, row) - 1
        if at < 0 and not self._window_bytes_max:
            raise cannot_go_back()
        if at < 0:
            raise QueryError(
                f"the cursor no longer keeps row {row + 1}",
                detail=f"It keeps {self._window_bytes_max} bytes of rows for reading backwards, "
                f"beginning with row {self._firsts[0] + 1 if self._firsts else self._read}.",
                hint="Declare the cursor again, or reverse the order of its query.",
                sqlstate="54000",
            )
        return self._held[at], row - self._firsts[at]

    def _hold(self, batch: pa.RecordBatch) -> None:
        if not batch.num_rows:
            return
        self._held.append(batch)
        self._firsts.append(self._read)
        self._read += batch.num_rows
        self._held_bytes += batch.nbytes
        while len(self._held) > 1 and self._held_bytes > self._window_bytes_max:
            self._held_bytes -= self._held.pop(0).nbytes
            self._firsts.pop(0)


def _chunk_rows(batch: pa.RecordBatch, limits: PgLimits) -> int:
    """Return how many rows of a batch make a chunk of the target size; at least one."""
    average = batch.nbytes / batch.num_rows
    return max(1, min(limits.chunk_rows_max, int(limits.chunk_bytes_target / max(1.0, average))))

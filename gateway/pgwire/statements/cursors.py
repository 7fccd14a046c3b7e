"""Positions in the rows of a result, and how FETCH and MOVE move a cursor over them.

PostgreSQL reads backwards by running its plan backwards. A stream cannot do that, and running it
again could give other rows. So a SCROLL cursor keeps the last rows up to a number of bytes, and
refuses to read backwards beyond them.

A cursor is before its first row, on a row, or after its last one. Otherwise, the forms of FETCH
mean what they mean in PostgreSQL's `PortalRunFetch` and `PortalRunSelect`
(`src/backend/tcop/pquery.c`).
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from stategate.gateway.pgwire.protocol.limits import PgLimits
from stategate.planner.engine import Direction, FetchCursor, QueryError, Result, Row

Piece: TypeAlias = "pa.RecordBatch | Sequence[Row]"
"""Consecutive rows, at least one."""
ALL = sys.maxsize
"""The count that means all rows."""


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


@dataclass(slots=True, kw_only=True)
class Cursor:
    """The position of a cursor in the rows of its reader.

    `reader.passed` is the number of the current row, from 1; 0 is before the first row. After the
    last row it is that row's number, and `reader.ended` is set.
    """

    reader: Reader
    scroll: bool = False
    """Whether it may move backwards, as far as the reader keeps rows."""

    def forward(self, count: int, limits: PgLimits | None) -> Iterator[Piece]:
        """Move forward past at most `count` rows and yield them."""
        left = 0 if self.reader.ended else count
        while left:
            piece = self.reader.forward(left, limits)
            if piece is None:
                return
            left -= len(piece)
            yield piece

    def backward(self, count: int, limits: PgLimits | None) -> Iterator[Piece]:
        """Move backwards past at most `count` rows and yield them.

        Raises:
            QueryError: the cursor is NO SCROLL (55000), or the rows are no longer kept (54000).
        """
        if not self.scroll:
            raise cannot_go_back()
        passed = self.reader.passed
        last = passed - 1 if self.reader.ended else passed - 2
        left = count
        if left:
            self.reader.ended = False
        while left and last >= 0:
            piece = self.reader.backward(last, left, limits)
            last -= len(piece)
            left -= len(piece)
            self.reader.passed = last + 2
            yield piece
        if left:
            # There were fewer rows than asked for: the cursor is before the first one.
            self.reader.passed = 0

    def go_back(self, row: int) -> None:
        """Move to a row that has been passed, or before the first one with 0.

        Raises:
            QueryError: the cursor is NO SCROLL (55000).
        """
        if (self.reader.passed or self.reader.ended) and not self.scroll:
            raise cannot_go_back()
        self.reader.passed, self.reader.ended = row, False


@dataclass(slots=True, kw_only=True)
class Fetched:
    """One FETCH or MOVE.

    Args:
        cursor: the cursor.
        command: the command.
        limits: determine the size of pieces.
    """

    cursor: Cursor
    command: FetchCursor
    limits: PgLimits
    count: int = field(default=0, init=False)
    """Rows fetched, or passed by MOVE; complete when `pieces` has ended."""

    def pieces(self) -> Iterator[Piece]:
        """Move the cursor and yield the rows of a FETCH.

        Raises:
            QueryError: the rows cannot be read, or the cursor cannot move there.
        """
        for piece in self._go():
            self.count += len(piece)
            if not self.command.move:
                yield piece

    def _go(self) -> Iterator[Piece]:
        count = ALL if self.command.count is None else self.command.count
        match self.command.direction:
            case Direction.ABSOLUTE:
                return self._absolute(count)
            case Direction.RELATIVE:
                return self._relative(count)
            case Direction.BACKWARD if self.command.move and count == ALL and self._is_at_start:
                return iter(())  # a rewind, which has nothing to do
            case Direction.BACKWARD:
                return self._some(-count) if count else self._same(backward=True)
            case _:
                return self._some(count)

    @property
    def _is_at_start(self) -> bool:
        return not (self.cursor.reader.passed or self.cursor.reader.ended)

    @property
    def _chunk(self) -> PgLimits | None:
        # MOVE encodes nothing, so its pieces may have any size.
        return None if self.command.move else self.limits

    def _skip(self, rows: Iterator[Piece]) -> None:
        for _ in rows:
            pass

    def _some(self, count: int) -> Iterator[Piece]:
        if count > 0:
            return self.cursor.forward(count, self._chunk)
        if count < 0:
            return self.cursor.backward(-count, self._chunk)
        return self._same()

    def _same(self, *, backward: bool = False) -> Iterator[Piece]:
        """Yield the current row again; nothing before the first row and after the last.

        Raises:
            QueryError: the cursor is NO SCROLL, and has a current row or goes back (55000).
        """
        cursor = self.cursor
        if cursor.reader.ended or not cursor.reader.passed:
            if backward and not (self.command.move or cursor.scroll):
                raise cannot_go_back()
            return
        if not self.command.move:
            if not cursor.scroll:
                raise cannot_go_back()
            cursor.reader.passed -= 1
            yield from cursor.forward(1, self._chunk)
        else:
            self.count = 1

    def _relative(self, count: int) -> Iterator[Piece]:
        if count > 1:
            self._skip(self.cursor.forward(count - 1, None))
        elif count < -1:
            self._skip(self.cursor.backward(-count - 1, None))
        sign = (count > 0) - (count < 0)
        yield from self._some(sign)

    def _absolute(self, count: int) -> Iterator[Piece]:
        cursor = self.cursor
        if count < 0:
            self._skip(cursor.forward(ALL, None))
            if count < -1:
                self._skip(cursor.backward(-count - 1, None))
            yield from self._some(-1)
            return
        here = cursor.reader.passed + int(cursor.reader.ended)
        if count <= here:
            cursor.go_back(max(0, count - 1))
        else:
            self._skip(cursor.forward(count - 1 - here, None))
        if count:
            yield from cursor.forward(1, self._chunk)

"""FETCH and MOVE: how they move a cursor, and the rows that it passes.

A cursor is before its first row, on a row, or after its last one. The forms of FETCH mean what they
mean in PostgreSQL's `PortalRunFetch` and `PortalRunSelect` (`src/backend/tcop/pquery.c`), except
that only rows that are still kept can be read backwards (`row_window`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from gateway.pgwire.protocol.limits import PgLimits
from gateway.pgwire.statements.row_window import ALL, Piece, Reader, cannot_go_back
from planner.engine import Direction, FetchCursor


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
        limits: for the size of pieces.
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
            case Direction.BACKWARD:
                return self._some(-count)
            case _:
                return self._some(count)

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

    def _same(self) -> Iterator[Piece]:
        """Yield the current row again; nothing before the first row and after the last."""
        cursor = self.cursor
        if cursor.reader.ended or not cursor.reader.passed:
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

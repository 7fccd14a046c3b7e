"""What a cursor says about the result it is at, in a thread or on an event loop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from stategate.answers import Columns, Row, Trailer
from stategate.errors import InterfaceError
from stategate.position import Position
from stategate.session import Opened
from stategate.sql_types import parse_type
from stategate.steps import Steps
from stategate.values import Json

ColumnDescription: TypeAlias = tuple[str, str, None, None, int | None, int | None, None]
"""Name, SQL type, two fields without a value, precision and scale of a decimal, one more."""


class Results:
    """The result of a cursor, and whether the cursor is open.

    It is a part of both cursors, so that each of them only takes steps.
    """

    def __init__(self) -> None:
        self._opened: Opened | None = None
        self._rows: list[Row] | None = None
        self._taken = 0
        self._columns: Columns | None = None
        self._trailer: Trailer | None = None
        self.is_closed = False

    def check_open(self) -> None:
        """Raise an InterfaceError if the cursor is closed."""
        if self.is_closed:
            raise InterfaceError("the cursor is closed")

    def begin(self, opened: Opened) -> None:
        """Begin the result of a statement."""
        self._opened, self._columns = opened, opened.rows.columns

    def begin_batch(
        self,
        columns: Columns | None,
        results: Iterable[list[Row]],
        trailer: Trailer | None,
    ) -> None:
        """Begin the rows of all runs of a batch."""
        self._columns, self._trailer = columns, trailer
        self._rows = [row for rows in results for row in rows]

    def end(self) -> Steps[None]:
        """Give up the result, if there is one."""
        opened, self._opened = self._opened, None
        self._rows = self._columns = self._trailer = None
        self._taken = 0
        if opened is not None:
            yield from opened.close()

    def take(self, count: int | None) -> Steps[list[Row]]:
        """Return the next rows; all for None.

        Raises:
            InterfaceError: there is no result, or the cursor is closed.
            DatabaseError: the statement has failed.
        """
        self.check_open()
        if self._opened is not None:
            rows = yield from self._opened.take(count)
            self._taken += len(rows)
            return rows
        if self._rows is None:
            raise InterfaceError("there is no result", hint="Execute a statement first.")
        end = len(self._rows) if count is None else self._taken + count
        rows = self._rows[self._taken : end]
        self._taken += len(rows)
        return rows

    @property
    def description(self) -> list[ColumnDescription] | None:
        """The columns: name, type, …; None without a result."""
        if self._columns is None:
            return None
        described = []
        for name, type_name in self._columns:
            digits = parse_type(type_name).digits
            precision, scale = digits if len(digits) == 2 else (None, None)
            described.append((name, type_name, None, None, precision, scale, None))
        return described

    @property
    def rowcount(self) -> int:
        """The number of rows; -1 until all have come."""
        if self._rows is not None:
            return len(self._rows)
        opened = self._opened
        return opened.rows.count if opened is not None and opened.rows.is_whole else -1

    @property
    def trailer(self) -> Trailer | None:
        """What follows the rows; None until all have come."""
        return self._trailer if self._opened is None else self._opened.rows.trailer

    @property
    def position(self) -> Position | None:
        """The position that the rows reflect; None until all have come."""
        return None if self.trailer is None else self.trailer.position

    @property
    def notices(self) -> Sequence[str]:
        """The notices of the statement; empty until all rows have come."""
        return () if self.trailer is None else self.trailer.notices

    @property
    def partitions(self) -> Sequence[Mapping[str, Json]]:
        """How each partition has answered; empty until all rows have come."""
        return () if self.trailer is None else self.trailer.partitions

"""What a cursor says about the result it is at, in a thread or on an event loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from stategate.answers import Columns, Row, Trailer
from stategate.errors import DatabaseError, InterfaceError
from stategate.position import Position
from stategate.requesting import Options
from stategate.session import Opened, Session
from stategate.sql_types import parse_type
from stategate.steps import Steps
from stategate.values import Json, Params

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

    def execute(
        self, session: Session, sql: str, params: Params | None, options: Options
    ) -> Steps[None]:
        """Run a statement, whose result takes the place of the one before; see `open_rows`.

        Raises:
            InterfaceError: the cursor is closed.
            Error: it has failed before its first row.
        """
        yield from self._end()
        self._opened = yield from session.open_rows(sql, params, options)
        self._columns = self._opened.rows.columns

    def execute_many(
        self, session: Session, sql: str, sets: Sequence[Params], options: Options
    ) -> Steps[None]:
        """Run a statement for each set of parameters; the rows of all runs follow each other.

        Raises:
            InterfaceError: the cursor is closed.
            Error: a run has failed: the first error.
        """
        yield from self._end()
        batch = yield from session.run_batch(sql, sets, options)
        rows: list[Row] = []
        for result in batch.results:
            if isinstance(result, DatabaseError):
                raise result
            rows += result
        self._rows, self._columns, self._trailer = rows, batch.columns, batch.trailer

    def close(self) -> Steps[None]:
        """Close the cursor; the steps give up its result."""
        self.is_closed = True
        return self._given_up()

    def _end(self) -> Steps[None]:
        self._check_open()
        yield from self._given_up()

    def _given_up(self) -> Steps[None]:
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
        self._check_open()
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

    def _check_open(self) -> None:
        if self.is_closed:
            raise InterfaceError("the cursor is closed")

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

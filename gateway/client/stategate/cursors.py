"""Cursors: the one of DB-API 2.0, and its equal on an event loop."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Protocol, TypeVar, Unpack

from stategate.answers import Row
from stategate.position import Position
from stategate.requesting import Options
from stategate.results import ColumnDescription, Results
from stategate.session import Session
from stategate.steps import Steps
from stategate.values import Json, Params

T = TypeVar("T")


class TakesSteps(Protocol):
    """The part of a connection that its cursors use."""

    @property
    def session(self) -> Session:
        """The state of the connection."""

    def run(self, steps: Steps[T]) -> T:
        """Take steps and return their result."""


class TakesAsyncSteps(Protocol):
    """The part of a connection of an event loop that its cursors use."""

    @property
    def session(self) -> Session:
        """The state of the connection."""

    async def run(self, steps: Steps[T]) -> T:
        """Take steps and return their result."""


class _ResultOfCursor:
    """What the two cursors have: the result of the last statement."""

    def __init__(self) -> None:
        self.arraysize = 1
        """The number of rows that `fetchmany` returns by default."""
        self._results = Results()

    @property
    def description(self) -> list[ColumnDescription] | None:
        """The columns of the result, as DB-API describes them; None without a result."""
        return self._results.description

    @property
    def rowcount(self) -> int:
        """The number of rows; -1 until all have come."""
        return self._results.rowcount

    @property
    def position(self) -> Position | None:
        """The position that the rows reflect; None until all have come."""
        return self._results.position

    @property
    def notices(self) -> Sequence[str]:
        """The notices of the statement; empty until all rows have come."""
        return self._results.notices

    @property
    def partitions(self) -> Sequence[Mapping[str, Json]]:
        """How each partition has answered; empty until all rows have come."""
        return self._results.partitions


class Cursor(_ResultOfCursor):
    """Runs statements and gives their rows, in one thread at a time.

    A result that is not read to its end holds a connection of the pool until the next statement, or
    until the cursor is closed.

    Args:
        connection: the connection that it belongs to.
    """

    def __init__(self, connection: TakesSteps) -> None:
        super().__init__()
        self.connection = connection

    # --- statements ------------------------------------------------------------------------------

    def execute(
        self, operation: str, parameters: Params | None = None, **options: Unpack[Options]
    ) -> Cursor:
        """Run a statement and return this cursor, which has its rows.

        Args:
            operation: one statement, with parameters as `$1`, `$2`, … or as `:name`.
            parameters: a sequence of values, or a mapping.
            options: how it reads; see `Options`.

        Raises:
            Error: it has failed before its first row.
        """
        session = self.connection.session
        self.connection.run(self._results.execute(session, operation, parameters, options))
        return self

    def executemany(
        self,
        operation: str,
        seq_of_parameters: Sequence[Params],
        **options: Unpack[Options],
    ) -> Cursor:
        """Run a statement for each set of parameters, thousands in one request.

        The rows of all runs follow each other. `Connection.batch` keeps them apart, each with its
        own error.

        Raises:
            Error: a run has failed: the first error.
        """
        session, sets = self.connection.session, list(seq_of_parameters)
        self.connection.run(self._results.execute_many(session, operation, sets, options))
        return self

    def setinputsizes(self, sizes: object) -> None:
        """Do nothing; DB-API asks for it."""

    def setoutputsize(self, size: int, column: int | None = None) -> None:
        """Do nothing; DB-API asks for it."""

    # --- rows ------------------------------------------------------------------------------------

    def fetchone(self) -> Row | None:
        """Return the next row; None after the last one."""
        rows = self.connection.run(self._results.take(1))
        return rows[0] if rows else None

    def fetchmany(self, size: int | None = None) -> list[Row]:
        """Return the next `size` rows, or fewer at the end; `arraysize` by default."""
        return self.connection.run(self._results.take(self.arraysize if size is None else size))

    def fetchall(self) -> list[Row]:
        """Return all rows that are left."""
        return self.connection.run(self._results.take(None))

    def __iter__(self) -> Iterator[Row]:
        """Return the rows that are left, as they come."""
        return self

    def __next__(self) -> Row:
        """Return the next row."""
        row = self.fetchone()
        if row is None:
            raise StopIteration
        return row

    def close(self) -> None:
        """Close the cursor, and cancel a statement whose rows have not all come."""
        if not self._results.is_closed:
            self.connection.run(self._results.close())

    def __enter__(self) -> Cursor:
        """Return the cursor, which the block closes."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the cursor."""
        self.close()


class AsyncCursor(_ResultOfCursor):
    """Runs statements and gives their rows on an event loop; see `Cursor`.

    Args:
        connection: the connection that it belongs to.
    """

    def __init__(self, connection: TakesAsyncSteps) -> None:
        super().__init__()
        self.connection = connection

    async def execute(
        self, operation: str, parameters: Params | None = None, **options: Unpack[Options]
    ) -> AsyncCursor:
        """Run a statement and return this cursor, which has its rows; see `Cursor.execute`."""
        session = self.connection.session
        await self.connection.run(self._results.execute(session, operation, parameters, options))
        return self

    async def executemany(
        self,
        operation: str,
        seq_of_parameters: Sequence[Params],
        **options: Unpack[Options],
    ) -> AsyncCursor:
        """Run a statement for each set of parameters; see `Cursor.executemany`."""
        session, sets = self.connection.session, list(seq_of_parameters)
        await self.connection.run(self._results.execute_many(session, operation, sets, options))
        return self

    async def fetchone(self) -> Row | None:
        """Return the next row; None after the last one."""
        rows = await self.connection.run(self._results.take(1))
        return rows[0] if rows else None

    async def fetchmany(self, size: int | None = None) -> list[Row]:
        """Return the next `size` rows, or fewer at the end; `arraysize` by default."""
        count = self.arraysize if size is None else size
        return await self.connection.run(self._results.take(count))

    async def fetchall(self) -> list[Row]:
        """Return all rows that are left."""
        return await self.connection.run(self._results.take(None))

    def __aiter__(self) -> AsyncIterator[Row]:
        """Return the rows that are left, as they come."""
        return self

    async def __anext__(self) -> Row:
        """Return the next row."""
        row = await self.fetchone()
        if row is None:
            raise StopAsyncIteration
        return row

    async def close(self) -> None:
        """Close the cursor, and cancel a statement whose rows have not all come."""
        if not self._results.is_closed:
            await self.connection.run(self._results.close())

    async def __aenter__(self) -> AsyncCursor:
        """Return the cursor, which the block closes."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the cursor."""
        await self.close()

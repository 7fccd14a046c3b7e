"""What a DuckDB database is to those who use it: statements, relations, Arrow rows, errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import pyarrow as pa

from planner.composing.definition import DescribedColumn
from planner.values.cancel import Cancellation

OpenStream: TypeAlias = Callable[[], Iterator[pa.RecordBatch]]
"""Reads a relation's rows; called anew for each time that DuckDB scans it."""


class DatabaseClosedError(Exception):
    """The database has been closed."""


class ArrowRelation:
    """Rows as DuckDB reads them.

    DuckDB asks for a new stream each time that it scans the relation, which it may do several times
    in one statement; every stream is read from the same snapshots.
    """

    def __init__(self, schema: pa.Schema, open_stream: OpenStream) -> None:
        self.schema = schema
        self.error: Exception | None = None
        self._open = open_stream

    def read(self) -> Iterator[pa.RecordBatch]:
        """A new stream of the rows; what it raises is kept as `error`."""
        try:
            yield from self._open()
        except Exception as error:
            self.error = error  # DuckDB passes on no more than its text
            raise


class Answer(Protocol):
    """The rows of a statement, made as they are asked for. For one thread at a time."""

    schema: pa.Schema

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """Itself."""

    def __next__(self) -> pa.RecordBatch:
        """The next rows.

        Raises:
            DatabaseError, QueryError: as `Database.run`.
        """

    def close(self) -> None:
        """End the statement; of one that has ended, nothing."""


class Database(Protocol):
    """A DuckDB that is locked down by its definition. Safe to use from many threads."""

    def describe(
        self,
        sql: str,
        *,
        relations: Mapping[str, pa.Schema] | None = None,
        parameters: Sequence[str] = (),
        cancellation: Cancellation,
    ) -> tuple[DescribedColumn, ...]:
        """The columns that a statement gives; none of it is computed.

        Args:
            sql: the statement.
            relations: the relations in it by name.
            parameters: the names of those in it.
            cancellation: what ends it early.

        Raises:
            DatabaseError: DuckDB refuses the statement.
            DatabaseClosedError: the database is closed.
            QueryCancelledError: it was cancelled.
        """

    def run(
        self,
        sql: str,
        *,
        script: str = "",
        relations: Mapping[str, ArrowRelation] | None = None,
        parameters: Mapping[str, Any] | None = None,
        cancellation: Cancellation,
    ) -> Answer:
        """Begin a statement.

        Args:
            sql: the statement.
            script: statements that prepare for it, such as SET VARIABLE; only it sees what they do.
            relations: the relations in it by name.
            parameters: values by name, as Python has them.
            cancellation: what ends it early, also between rows.

        Raises:
            DatabaseError: DuckDB refuses the statement, or failed while it ran.
            DatabaseClosedError: the database is closed.
            QueryError: what a relation raised.
            QueryCancelledError: it was cancelled.
        """

    def close(self) -> None:
        """Close the database; running statements fail."""

"""What a DuckDB database is to those who use it: a definition, statements, Arrow rows, errors.

Values only: nothing here imports DuckDB, so that it may run elsewhere than those who use it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import pyarrow as pa

from planner.cancel import Cancellation

OpenStream: TypeAlias = Callable[[], Iterator[pa.RecordBatch]]
"""Reads a relation's rows; called anew for each time that DuckDB scans it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """All that makes a database, so that it can be made again. Built whole, never changed."""

    config: Mapping[str, str] = field(default_factory=dict)
    """DuckDB's settings that have to be there from the start."""
    before: Sequence[str] = ()
    """Statements that run before the tables come."""
    tables: Mapping[str, pa.Table] = field(default_factory=dict)
    """Rows by the name of the table that holds them, as SQL writes it."""
    after: Sequence[str] = ()
    """Statements that run once the tables are there."""


class DatabaseError(Exception):
    """DuckDB's own error.

    Args:
        kind: the name of its class without `Exception`: Binder, OutOfMemory, Interrupt …
        text: what it says.
    """

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


class DatabaseClosed(Exception):
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


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedColumn:
    """A column of a statement's rows."""

    name: str
    kind: str
    """DuckDB's type, as it writes it."""
    arrow: pa.DataType


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
            DatabaseClosed: the database is closed.
            Cancelled: it was cancelled.
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
            DatabaseClosed: the database is closed.
            QueryError: what a relation raised.
            Cancelled: it was cancelled.
        """

    def close(self) -> None:
        """Close the database; running statements fail."""

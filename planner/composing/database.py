"""The interface of a DuckDB database: its definition, statements over Arrow relations, errors.

Both sides of the process boundary share these values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import pyarrow as pa

from stategate.planner.values.cancel import Cancellation

OpenStream: TypeAlias = Callable[[], Iterator[pa.RecordBatch]]
"""Opens a stream of a relation's rows; called for each scan."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """Everything that defines a database, so that another process can make the same one."""

    config: Mapping[str, str] = field(default_factory=dict)
    """DuckDB's settings at the start."""
    threads: int | None = None
    """Threads of DuckDB; None for one for each core."""
    before: Sequence[str] = ()
    """Statements that run before the tables are created."""
    tables: Mapping[str, pa.Table] = field(default_factory=dict)
    """Name of a table, as SQL writes it → its rows."""
    after: Sequence[str] = ()
    """Statements that run after the tables are created."""


ROW_TOO_LONG = "RowTooLong"
"""The kind of `DatabaseError` for a row that is too long to be returned."""
OUT_OF_MEMORY = "OutOfMemory"
"""The kind of the error of a statement that needs more memory than there is."""
STREAM = "Stream"
"""The kind for a relation that cannot be read. This and `ROW_TOO_LONG` are ours; all others are
DuckDB's."""


class DatabaseError(Exception):
    """An error of DuckDB.

    Args:
        kind: its class without `Exception`: Binder, OutOfMemory, Interrupt …
        text: its message.
    """

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedColumn:
    """A column of a statement's rows."""

    name: str
    kind: str
    """DuckDB's name of the type."""
    arrow: pa.DataType


class DatabaseClosedError(Exception):
    """The database has been closed."""


class ArrowRelation:
    """The rows of a relation.

    DuckDB may scan a relation several times in one statement. Each scan opens a stream, and all
    streams read the same snapshots.
    """

    def __init__(self, schema: pa.Schema, open_stream: OpenStream) -> None:
        self.schema = schema
        self.error: Exception | None = None
        self._open = open_stream

    def read(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows in a new stream; keep its exception as `error`."""
        try:
            yield from self._open()
        except Exception as error:
            self.error = error  # DuckDB passes on its text only
            raise

    def take_error(self) -> Exception | None:
        """Return the exception of a stream, and forget it: its traceback holds this relation."""
        error, self.error = self.error, None
        return error


class Answer(Protocol):
    """The rows of a statement, computed as they are read. For one thread at a time."""

    schema: pa.Schema

    @property
    def is_computed(self) -> bool:
        """Whether the statement has ended, so that all remaining rows are in memory."""

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """Return itself."""

    def __next__(self) -> pa.RecordBatch:
        """Return the next rows.

        Raises:
            DatabaseError, QueryError: as `Database.run`.
        """

    def close(self) -> None:
        """End the statement, if it has not ended."""


class Database(Protocol):
    """A DuckDB that its definition has locked down. Safe to use from many threads."""

    def describe(
        self,
        sql: str,
        *,
        relations: Mapping[str, pa.Schema] | None = None,
        parameters: Sequence[str] = (),
        cancellation: Cancellation,
    ) -> tuple[DescribedColumn, ...]:
        """Return the columns of a statement without computing anything.

        Args:
            sql: the statement.
            relations: the schemas of its relations by name.
            parameters: the names of its parameters.
            cancellation: cancels the call.

        Raises:
            DatabaseError: DuckDB refuses the statement.
            DatabaseClosedError: the database is closed.
            QueryCancelledError: the call was cancelled.
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
            script: statements to run first, such as SET VARIABLE; no other statement is affected.
            relations: its relations by name.
            parameters: Python values by name.
            cancellation: cancels the statement, also between rows.

        Raises:
            DatabaseError: DuckDB refuses the statement, or failed.
            DatabaseClosedError: the database is closed.
            QueryError: a relation failed.
            QueryCancelledError: the statement was cancelled.
        """

    def close(self) -> None:
        """Close the database; running statements fail."""

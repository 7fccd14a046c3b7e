"""What runs a whole statement elsewhere: its SQL over stores at given epochs, its rows as Arrow.

The planner writes the SQL; `stategate.stores.spark` has the engine that runs it on a Spark cluster.
The seam has only values, so that neither side imports the other's libraries.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from stategate.stores.spec.schema import DataType, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineFilter:
    """A condition that every row which the statement needs meets; NULL meets none but `= NULL`."""

    column: str
    operator: str
    """`=`, `!=`, `<`, `<=`, `>`, `>=` or `in`; `=` and `!=` take NULL, as IS NULL and IS NOT NULL.
    """
    values: tuple[Value, ...]
    """One physical value, or those of `in`."""
    type: DataType
    """The type of the column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineRelation:
    """A store as a statement reads it."""

    store: str
    epoch: int
    """The epoch that all of its partitions are read at; -1 for the store before its first."""
    partitions: tuple[int, ...]
    """The partitions that are read."""
    columns: tuple[str, ...]
    """The columns that are read."""
    filters: tuple[EngineFilter, ...] = ()
    """Rows that do not meet all of them need not be read; the SQL tests the others again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineStatement:
    """A statement for an engine."""

    sql: str
    """Has `{name}` for each relation and `:name` for each value."""
    relations: Mapping[str, EngineRelation]
    values: Mapping[str, Value]
    """Numbers, truths, texts, bytes and None."""


class EngineRun(Protocol):
    """The rows of one statement. For one thread at a time, except `interrupt`."""

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """Return itself."""

    def __next__(self) -> pa.RecordBatch:
        """Return the next rows; wait for them.

        Raises:
            EngineError: the engine failed, or refuses the statement.
            EngineInterruptedError: `interrupt` was called.
        """

    def interrupt(self) -> None:
        """End the statement soon, from any thread and without a wait: `__next__` raises."""

    def close(self) -> None:
        """End the statement, if it runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineStatus:
    """Whether an engine takes statements."""

    state: str
    """`starting`, `running` or `failed`."""
    error: str | None = None
    """The reason why it does not run."""
    running: int = 0
    """Statements that run now."""
    statements: int = 0
    """Statements so far."""
    failures: int = 0
    """Statements that failed."""
    sessions: int = 0
    """Sessions so far: each after the first replaces one that was lost."""


class QueryEngine(Protocol):
    """Runs statements over stores. Safe to use from many threads."""

    @property
    def status(self) -> EngineStatus:
        """Whether it takes statements now."""

    def run(self, statement: EngineStatement) -> EngineRun:
        """Begin a statement.

        Raises:
            EngineError: it takes none now; `retryable`.
        """


def listed(partitions: Sequence[int]) -> str:
    """Return partitions as the option of a reader."""
    return ",".join(map(str, partitions))

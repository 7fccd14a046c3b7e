"""The values that pass between the engine and whoever serves it: statements and results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa
from msgspec import Struct

from planner.values.row_commands import Handover
from stores.spec.position import EMPTY, Position
from stores.spec.schema import Column, DataType, Row

if TYPE_CHECKING:
    from planner.values.session import Session


LookUp: TypeAlias = "Callable[[Row, Session], Sequence[Row] | None]"
"""From a statement's parameters and its session to rows; see `planner.running.lookup`."""


class StatementKind(Enum):
    """What a statement is; the value is its command tag."""

    __hash__ = object.__hash__  # Enum's own is Python code, and this is asked per statement

    SELECT = "SELECT"
    EXPLAIN = "EXPLAIN"
    SHOW = "SHOW"
    SET = "SET"
    RESET = "RESET"
    BEGIN = "BEGIN"
    COMMIT = "COMMIT"
    ROLLBACK = "ROLLBACK"
    SAVEPOINT = "SAVEPOINT"
    RELEASE = "RELEASE"
    DISCARD = "DISCARD ALL"
    DISCARD_PLANS = "DISCARD PLANS"
    DISCARD_SEQUENCES = "DISCARD SEQUENCES"
    DISCARD_TEMP = "DISCARD TEMP"
    DEALLOCATE = "DEALLOCATE"
    CLOSE = "CLOSE CURSOR"
    COPY = "COPY"
    DECLARE = "DECLARE CURSOR"
    FETCH = "FETCH"
    MOVE = "MOVE"
    PREPARE = "PREPARE"
    EXECUTE = "EXECUTE"
    UNLISTEN = "UNLISTEN"
    LOCK = "LOCK TABLE"
    EMPTY = ""


class Statement(Struct, frozen=True, kw_only=True):
    """A planned statement: text, what it takes and what it gives. Reused across sessions.

    A struct, since one is made for each text of a shape; see `stores.spec.result`.
    """

    sql: str
    kind: StatementKind
    columns: tuple[Column, ...] = ()
    """Result columns; empty where no rows come back."""
    parameters: tuple[DataType, ...] = ()
    """The type of $1, $2, …"""
    returns_rows: bool = False
    plan: object | None = None
    """The planner's own; opaque to all others."""
    literals: Row = ()
    """Values of the plan's parameters where the text had literals; then it takes no others."""
    literal_at: tuple[int, int] | None = None
    """Where in `sql` the literal begins and ends, without quotes, if there is just one."""
    handover: Handover | None = None
    """How rows are to be handed over: whoever serves the client runs it, not the engine."""
    look_up: LookUp | None = None
    """Its rows at once, where it is the lookup of one key and nothing more is asked for.

    It is given `literals` where there are any. There is one row or none; None says that there is
    more to it, or that it does not succeed: take `Engine.execute`.
    """
    query: Statement | None = None
    """The query whose rows are handed over; it takes this statement's parameters."""


@dataclass(slots=True, kw_only=True)
class PartitionAnswer:
    """How one partition answered a statement; `rows` counts while they are read."""

    store: str
    partition: int
    node: str
    status: str
    """`ok` or `failed`."""
    reason: str | None = None
    """A `FailureReason` name where it failed."""
    message: str | None = None
    epoch: int = -1
    rows: int = 0
    info: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something for the client to know, though the statement has not failed."""

    message: str
    severity: str = "NOTICE"
    sqlstate: str = "00000"

    @classmethod
    def outside(cls, command: str) -> Notice:
        """What is told of a command that means nothing outside of a transaction."""
        message = f"{command} can only be used in transaction blocks"
        return cls(message=message, severity="WARNING", sqlstate="25P01")


@dataclass(slots=True, kw_only=True)
class Result:
    """Rows of one statement: either all at hand, or a stream that is read in a worker thread.

    `position` and `partitions` are complete once the rows have been read to the end.
    """

    kind: StatementKind
    columns: tuple[Column, ...] = ()
    rows: Sequence[Row] | None = None
    """All rows as physical values, where they are few and at hand; else None."""
    batches: Iterator[pa.RecordBatch] | None = None
    """The rows as Arrow batches, whose columns have the Arrow types of `columns`."""
    position: Position = EMPTY
    partitions: list[PartitionAnswer] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    on_close: Callable[[], None] | None = None

    def close(self) -> None:
        """Release what the stream holds; needed if it is not read to the end, allowed always."""
        closing, self.on_close = self.on_close, None
        if closing is not None:
            closing()

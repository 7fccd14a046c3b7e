"""Statements and results: the values that pass between the engine and its server.

Some statements deliver the rows of a query in a special way: COPY, cursors, prepared
statements. The engine reads these commands, and plans the query in them. The server of a client
runs them: it keeps the names and positions, and writes the bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Protocol, TypeAlias

import pyarrow as pa
from msgspec import Struct

from stategate.stores.spec.position import EMPTY, Position
from stategate.stores.spec.schema import Column, DataType, Row

if TYPE_CHECKING:
    from stategate.planner.values.session import Session


class CopyFormat(Enum):
    """The formats of COPY."""

    TEXT = "text"
    CSV = "csv"
    BINARY = "binary"


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyOut:
    """COPY … TO STDOUT of the statement's `query`."""

    format: CopyFormat = CopyFormat.TEXT
    header: bool = False
    """Whether a first line names the columns."""
    delimiter: str = "\t"
    """One character of ASCII; so are `quote` and `escape`."""
    null: str = "\\N"
    quote: str = '"'
    escape: str = '"'
    force_quote: tuple[str, ...] | None = ()
    """Columns whose values are always quoted; None is all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclareCursor:
    """DECLARE of a cursor over the statement's `query`."""

    name: str
    binary: bool = False
    scroll: bool | None = None
    """Whether it can be read backwards; None if neither SCROLL nor NO SCROLL was given."""
    hold: bool = False
    """Whether it outlives its transaction."""


class Direction(Enum):
    """The directions of FETCH; NEXT, PRIOR, FIRST and LAST are counts in them."""

    FORWARD = "forward"
    BACKWARD = "backward"
    ABSOLUTE = "absolute"
    RELATIVE = "relative"


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchCursor:
    """FETCH, or MOVE, which returns no rows."""

    name: str
    direction: Direction = Direction.FORWARD
    count: int | None = 1
    """Number of rows, or the row of ABSOLUTE and RELATIVE; negative is backwards, None is ALL."""
    move: bool = False
    timeout_ms: int | None = None
    """How long to wait for a row of a SUBSCRIBE; None for as long as the statement may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseCursor:
    """CLOSE of one cursor, or of all if the name is None."""

    name: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareStatement:
    """PREPARE of the statement's `query`."""

    name: str
    types: tuple[DataType | None, ...] = ()
    """The declared types of the parameters; None if a type is to be inferred."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One argument of EXECUTE."""

    sql: str
    """The text of the expression."""
    is_literal: bool = False
    """Whether `literal` is its value, as text."""
    literal: str | None = None
    """None is NULL."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecuteStatement:
    """EXECUTE of a prepared statement."""

    name: str
    arguments: tuple[Argument, ...] = ()
    explain: str | None = None
    """The words of an EXPLAIN before it, whose plan is asked for; None without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeallocateStatement:
    """DEALLOCATE of one prepared statement, or of all if the name is None."""

    name: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscribe:
    """SUBSCRIBE to the rows of the statement's `query`."""

    token: str | None = None
    """Goes on after the moment of this token; None begins with the present rows."""
    snapshot: bool = True
    """Whether the rows at the beginning are given."""


RowCommand: TypeAlias = (
    CopyOut
    | DeclareCursor
    | FetchCursor
    | CloseCursor
    | PrepareStatement
    | ExecuteStatement
    | DeallocateStatement
    | Subscribe
)


class Encoded(Struct, frozen=True, gc=False):
    """Bytes for a client."""

    encoder: object
    """What has made them."""
    data: bytes


_NOTHING = Encoded(None, b"")


class EncodedRows(Struct, gc=False):
    """An answer as a client got it last, so that it need not be encoded again.

    A part is replaced as a whole, so that any thread may use it.
    """

    rows: Encoded = _NOTHING
    """The rows alone. They are the same in an answer with the same rows at another epoch."""
    answer: Encoded = _NOTHING
    """The whole answer, with its position."""


Reads: TypeAlias = tuple[tuple[str, int, int, int], ...]
"""Each store and partition that was read, the epoch of the answer, and the number of its rows."""


class LookedUp(Struct, frozen=True, gc=False):
    """Few rows, found at once.

    It is a struct, because each lookup makes one. Those that are kept are many, and in no cycle, so
    the garbage collector does not look at them: that would stop the event loop for 0.5 s.
    """

    rows: Sequence[Row]
    reads: Reads = ()
    position: Position = EMPTY
    nodes: tuple[str | None, ...] = ()
    """The node of each read, None for this one; empty if all are of this one."""
    kept: EncodedRows | None = None
    """Place for the bytes of an answer that is given again; None for others."""


class EachLookedUp(Struct, frozen=True):
    """The rows of many lookups of one key, found together."""

    rows: Sequence[Row | None]
    """The row of each lookup; None without one."""
    reads: Reads = ()
    position: Position = EMPTY
    nodes: tuple[str | None, ...] = ()
    """The node of each read, None for this one."""


class Paged(Struct, frozen=True, kw_only=True):
    """How to read the rows of a statement page by page, in the order of a store's key."""

    store: str
    """The address of the store, which names the incarnation whose key it is."""
    key: tuple[int, ...]
    """The place of each key column in the result."""
    types: tuple[DataType, ...]
    """The type of each key column."""
    text: Callable[[int, Sequence[bool] | None], str]
    """Takes the number of rows, and which values of the last key are NULL, or None for the first
    page. Returns the statement of the page: its further parameters are the other values."""


LookUp: TypeAlias = "Callable[[Row, Session], LookedUp | None]"
"""Takes a statement's parameters and its session; see `stategate.planner.running.fast_lookup`."""


class StatementKind(Enum):
    """The kind of a statement; the value is its command tag."""

    __hash__ = object.__hash__  # Enum's own is Python code, and this runs for each statement

    SELECT = "SELECT"
    EXPLAIN = "EXPLAIN"
    SHOW = "SHOW"
    SET = "SET"
    RESET = "RESET"
    BEGIN = "BEGIN"
    START = "START TRANSACTION"
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
    SUBSCRIBE = "SUBSCRIBE"
    LISTEN = "LISTEN"
    UNLISTEN = "UNLISTEN"
    LOCK = "LOCK TABLE"
    EMPTY = ""


class Statement(Struct, frozen=True, kw_only=True):
    """A planned statement: its text, parameters and columns. Sessions share it.

    It is a struct, because one is made for each text of a shape; see
    `stategate.stores.spec.result`.
    """

    sql: str
    kind: StatementKind
    columns: tuple[Column, ...] = ()
    """Result columns; empty if it returns no rows."""
    parameters: tuple[DataType, ...] = ()
    """The type of $1, $2, …"""
    returns_rows: bool = False
    plan: object | None = None
    """The plan, which only the planner reads."""
    literals: Row = ()
    """Values of the plan's parameters that are literals in the text; then it takes no others."""
    literals_at: tuple[tuple[int, int], ...] = ()
    """Where each of them begins and ends in `sql`, without quotes."""
    row_command: RowCommand | None = None
    """The command that delivers the rows; the server of the client runs it, not the engine."""
    look_up: LookUp | None = None
    """Answers at once, for a statement that may read few rows; None for other statements.

    It takes `literals` if there are any. If it returns None, the read was not simple or did not
    succeed: call `Engine.execute`.
    """
    query: Statement | None = None
    """The query whose rows are delivered; it takes this statement's parameters."""


@dataclass(slots=True, kw_only=True)
class PartitionAnswer:
    """How one partition answered a statement; `rows` grows while rows are read."""

    store: str
    partition: int
    node: str
    status: str
    """`ok` or `failed`."""
    reason: str | None = None
    """The name of a `FailureReason`, if it failed."""
    message: str | None = None
    epoch: int = -1
    rows: int = 0
    info: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A message to the client about a statement that succeeded."""

    message: str
    severity: str = "NOTICE"
    sqlstate: str = "00000"

    @classmethod
    def outside(cls, command: str) -> Notice:
        """Return the warning about a command that has no effect outside a transaction."""
        message = f"{command} can only be used in transaction blocks"
        return cls(message=message, severity="WARNING", sqlstate="25P01")


class Waits(Protocol):
    """What a result waits for before it has rows, one thing after the other."""

    now: Future[bool] | None
    """What it waits for now; None if the rows can be read."""

    def go_on(self) -> None:
        """Go on once `now` is done. Blocks, so it belongs in a thread; the wait does not.

        Raises:
            QueryError: the statement fails.
        """


@dataclass(slots=True, kw_only=True)
class Result:
    """The rows of one statement: all in a sequence, or a stream that a thread reads.

    `position` and `partitions` are complete after all rows have been read.
    """

    kind: StatementKind
    columns: tuple[Column, ...] = ()
    rows: Sequence[Row] | None = None
    """All rows as physical values; None if they are in `batches`."""
    batches: Iterator[pa.RecordBatch] | None = None
    """The rows as Arrow batches, whose columns have the Arrow types of `columns`."""
    position: Position = EMPTY
    partitions: list[PartitionAnswer] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    waits: Waits | None = None
    """What must be waited for before `batches` are read; None for most statements."""
    on_close: Callable[[], None] | None = None
    is_computed: Callable[[], bool] = lambda: False
    """Whether the remaining batches are known to be in memory, so that reading them is quick.
    """
    read_ns: Mapping[tuple[str, int], tuple[int, int]] | None = None
    """When each partition was asked and when its last row was read, in epoch nanoseconds; None
    unless the engine times its reads."""
    computed: Row = ()
    """The values that the run has computed before it read, in the order of the plan."""

    def close(self) -> None:
        """Release what the stream holds; required unless it was read to the end."""
        closing, self.on_close = self.on_close, None
        if closing is not None:
            closing()

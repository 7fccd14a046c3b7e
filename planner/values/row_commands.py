"""How the rows of a query are handed over: COPY, cursors, prepared statements. Values only.

The engine reads these statements and plans the query in them; names, positions and bytes belong to
whoever serves a client, and so does running them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from stores.spec.schema import DataType


class CopyFormat(Enum):
    """The forms of COPY's data."""

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
    """One character of ASCII, as quote and escape."""
    null: str = "\\N"
    quote: str = '"'
    escape: str = '"'
    force_quote: frozenset[str] | None = frozenset()
    """Columns whose values are always quoted; None is all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclareCursor:
    """DECLARE of a cursor over the statement's `query`."""

    name: str
    binary: bool = False
    scroll: bool | None = None
    """Whether it can be read backwards; None where that was left open."""
    hold: bool = False
    """Whether it outlives its transaction."""


class Direction(Enum):
    """Where FETCH goes; NEXT, PRIOR, FIRST and LAST are counts of these."""

    FORWARD = "forward"
    BACKWARD = "backward"
    ABSOLUTE = "absolute"
    RELATIVE = "relative"


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchCursor:
    """FETCH, or MOVE, which gives no rows."""

    name: str
    direction: Direction = Direction.FORWARD
    count: int | None = 1
    """Rows, negative for the other way; the row for ABSOLUTE and RELATIVE; None is ALL."""
    move: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseCursor:
    """CLOSE of one cursor, or of all."""

    name: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareStatement:
    """PREPARE of the statement's `query`."""

    name: str
    types: tuple[DataType | None, ...] = ()
    """As declared; None leaves one to be inferred."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One argument of EXECUTE."""

    sql: str
    """The expression."""
    is_literal: bool = False
    """Whether `literal` is its value, as text."""
    literal: str | None = None
    """None is NULL."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecuteStatement:
    """EXECUTE of a prepared statement."""

    name: str
    arguments: tuple[Argument, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DeallocateStatement:
    """DEALLOCATE of one prepared statement, or of all."""

    name: str | None


Handover: TypeAlias = (
    CopyOut
    | DeclareCursor
    | FetchCursor
    | CloseCursor
    | PrepareStatement
    | ExecuteStatement
    | DeallocateStatement
)

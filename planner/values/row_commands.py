"""Commands that deliver the rows of a query: COPY, cursors, prepared statements. Values only.

The engine reads these commands, and plans the query in them. The server of a client runs them: it
keeps the names and positions, and writes the bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from stores.spec.schema import DataType


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
    force_quote: frozenset[str] | None = frozenset()
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


@dataclass(frozen=True, slots=True, kw_only=True)
class DeallocateStatement:
    """DEALLOCATE of one prepared statement, or of all if the name is None."""

    name: str | None


RowCommand: TypeAlias = (
    CopyOut
    | DeclareCursor
    | FetchCursor
    | CloseCursor
    | PrepareStatement
    | ExecuteStatement
    | DeallocateStatement
)

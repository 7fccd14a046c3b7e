"""What a database is made of, what it raises, and how statements name its columns. Values only.

Both sides of the process boundary import this, so it imports next to nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa


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


ROW_TOO_LONG = "RowTooLong"
"""The kind of an error of ours, among those of DuckDB."""


class DatabaseError(Exception):
    """DuckDB's own error.

    Args:
        kind: the name of its class without `Exception`: Binder, OutOfMemory, Interrupt …
        text: what it says.
    """

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedColumn:
    """A column of a statement's rows."""

    name: str
    kind: str
    """DuckDB's type, as it writes it."""
    arrow: pa.DataType

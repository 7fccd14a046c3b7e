"""Values that both sides of the process boundary share: definitions, errors, described columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """Everything that makes a database, so that another process can make the same one."""

    config: Mapping[str, str] = field(default_factory=dict)
    """DuckDB's settings at the start."""
    before: Sequence[str] = ()
    """Statements that run before the tables are created."""
    tables: Mapping[str, pa.Table] = field(default_factory=dict)
    """Name of a table, as SQL writes it → its rows."""
    after: Sequence[str] = ()
    """Statements that run after the tables are created."""


ROW_TOO_LONG = "RowTooLong"
"""The kind of an error of ours, among those of DuckDB."""


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

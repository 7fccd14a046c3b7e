"""What a store holds: its columns with their types, its kind, its partitions and inputs.

Nothing here reads or writes data. The types themselves, and the Python value that each is held as,
are in `stores.datatypes`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any, TypeAlias

import pyarrow as pa

from stores.datatypes import (
    BIGINT,
    BOOLEAN,
    BYTEA,
    DATE,
    DOUBLE,
    INTEGER,
    NESTING_MAX,
    TEXT,
    TIMESTAMP,
    TIMESTAMPTZ,
    DataType,
    Kind,
    decimal_type,
)
from stores.errors import SchemaError

__all__ = [
    "BIGINT",
    "BOOLEAN",
    "BYTEA",
    "DATE",
    "DOUBLE",
    "INTEGER",
    "NESTING_MAX",
    "PSEUDO_COLUMNS",
    "TEXT",
    "TIMESTAMP",
    "TIMESTAMPTZ",
    "VALID_FROM",
    "VALID_TO",
    "WINDOW_END",
    "WINDOW_START",
    "Column",
    "DataType",
    "InputTopic",
    "Key",
    "Kind",
    "Row",
    "StoreKind",
    "StoreSchema",
    "Value",
    "decimal_type",
]

Value: TypeAlias = Any
"""One physical value, as `stores.datatypes` has it."""
Key: TypeAlias = tuple[Value, ...]
"""One value per key column, in schema order; a prefix of them where a query says so."""
Row: TypeAlias = tuple[Value, ...]
"""One value per column of whatever the row belongs to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One named, typed column."""

    name: str
    type: DataType


class StoreKind(Enum):
    """How a store's entries are keyed and when they end."""

    KEYVALUE = "keyvalue"
    """The latest row by key."""
    WINDOW = "window"
    """A row by key and window start; windows of one fixed size."""
    SESSION = "session"
    """A row by key, session start and session end."""
    VERSIONED = "versioned"
    """All rows of a key by the time from which they are valid."""
    GLOBAL = "global"
    """As keyvalue, one partition, whole on every node."""

    @classmethod
    def opened(cls, name: str) -> StoreKind:
        """The kind of this name, added if there is none: for `stores.registry`, and only for it.

        From then on `StoreKind(name)` gives it, so that definitions that name it can be read.
        """
        added = object.__new__(cls)
        added._name_, added._value_ = name.upper(), name
        kind = cls._value2member_map_.setdefault(name, added)
        assert isinstance(kind, cls)
        return kind


WINDOW_START = Column(name="window_start", type=TIMESTAMPTZ)
WINDOW_END = Column(name="window_end", type=TIMESTAMPTZ)
VALID_FROM = Column(name="valid_from", type=TIMESTAMPTZ)
VALID_TO = Column(name="valid_to", type=TIMESTAMPTZ)
PSEUDO_COLUMNS = (
    Column(name="_partition", type=INTEGER),
    Column(name="_timestamp", type=TIMESTAMPTZ),
    Column(name="_epoch", type=BIGINT),
)
"""Readable by name, not part of `*`: where a row lies, its event time, the epoch that wrote it."""

_KEY_KINDS = {
    Kind.BOOLEAN,
    Kind.TINYINT,
    Kind.SMALLINT,
    Kind.INTEGER,
    Kind.BIGINT,
    Kind.REAL,
    Kind.DOUBLE,
    Kind.DECIMAL,
    Kind.TEXT,
    Kind.BYTEA,
    Kind.DATE,
    Kind.TIMESTAMP,
    Kind.TIMESTAMPTZ,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class InputTopic:
    """A topic whose offsets a store's position counts."""

    topic: str
    aligned: bool = False
    """True if input partition p feeds only store partition p; after a shuffle it is False."""


@dataclass(frozen=True, kw_only=True)
class StoreSchema:
    """The definition of a store: the same for the writer, the replicas and the planner.

    Raises:
        SchemaError: on construction, if the parts do not make a store.
    """

    name: str
    kind: StoreKind
    key: tuple[Column, ...]
    value: tuple[Column, ...]
    partitions: int
    inputs: tuple[InputTopic, ...] = ()
    window_size_ms: int | None = None
    """Length of each window; set for window stores and for no other kind."""
    retention_ms: int | None = None
    """How long windows, sessions and replaced versions are readable behind the watermark.

    None keeps them for ever.
    """

    def __post_init__(self) -> None:
        """Refuse what is not a store."""
        if len(self.name) > 200 or not re.fullmatch(r"[^\W_][\w.-]*", self.name):
            # Names that begin with . or _ are no stores to whoever lists the log, Spark included.
            raise SchemaError(
                f'"{self.name}" is not a store name: begin with a letter or digit, '
                "go on with letters, digits, _, . and -"
            )
        if not self.key:
            raise SchemaError(f'store "{self.name}" has no key column')
        if not 1 <= self.partitions <= 100_000:
            raise SchemaError(f'store "{self.name}" cannot have {self.partitions} partitions')
        for column in self.key:
            if column.type.kind not in _KEY_KINDS:
                raise SchemaError(f'key column "{column.name}" cannot be of type {column.type}')
        self._check_times()
        if self.kind is StoreKind.GLOBAL and self.partitions != 1:
            raise SchemaError(f'store "{self.name}": a global store has one partition')
        names = [column.name for column in (*self.columns, *PSEUDO_COLUMNS)]
        if twice := {name for name in names if names.count(name) > 1}:
            raise SchemaError(f'store "{self.name}" has column "{min(twice)}" twice')

    def _check_times(self) -> None:
        if (self.kind is StoreKind.WINDOW) != (self.window_size_ms is not None):
            raise SchemaError(f'store "{self.name}": window stores, and only they, have a size')
        if self.window_size_ms is not None and self.window_size_ms <= 0:
            raise SchemaError(f'store "{self.name}": the window size must be positive')
        if self.retention_ms is not None and self.retention_ms <= 0:
            raise SchemaError(f'store "{self.name}": the retention must be positive')

    @cached_property
    def time_columns(self) -> tuple[Column, ...]:
        """The columns that the kind adds behind the key."""
        if self.kind is StoreKind.VERSIONED:
            return (VALID_FROM, VALID_TO)
        return self.logged_time_columns

    @cached_property
    def logged_time_columns(self) -> tuple[Column, ...]:
        """The time columns that rows of the log have.

        Those of versions follow from the rows: a version is valid from its event time on, up to
        that of the next.
        """
        if self.kind in {StoreKind.WINDOW, StoreKind.SESSION}:
            return (WINDOW_START, WINDOW_END)
        return ()

    @cached_property
    def logged_columns(self) -> tuple[Column, ...]:
        """The columns that rows of the log have, before `_timestamp` and `_deleted`."""
        return (*self.key, *self.logged_time_columns, *self.value)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The relation's columns as `*` gives them: key, time, value."""
        return (*self.key, *self.time_columns, *self.value)

    @cached_property
    def column_by_name(self) -> Mapping[str, Column]:
        """All readable columns, pseudo-columns included."""
        return {column.name: column for column in (*self.columns, *PSEUDO_COLUMNS)}

    def arrow_schema(self, names: Sequence[str] | None = None) -> pa.Schema:
        """The Arrow schema of a batch with these columns; of `*` if none are named."""
        wanted = [c.name for c in self.columns] if names is None else names
        return pa.schema([(name, self.column_by_name[name].type.arrow) for name in wanted])

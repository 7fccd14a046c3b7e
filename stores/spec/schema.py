"""The definition of a store: columns and types, kind, partitions and inputs.

Nothing here reads or writes data. The types, and the Python value of each, are in
`stategate.stores.spec.datatypes`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from functools import cached_property
from typing import Any, TypeAlias

import pyarrow as pa

from stategate.stores.errors import SchemaError
from stategate.stores.spec.arguments import is_integer, is_name, same_name, shown
from stategate.stores.spec.datatypes import (
    BIGINT,
    BOOLEAN,
    BYTEA,
    DATE,
    DOUBLE,
    INTEGER,
    INTERVAL,
    JSON,
    JSONB,
    NESTING_MAX,
    NULL,
    REAL,
    SMALLINT,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    DataType,
    decimal_type,
    unusable,
)
from stategate.stores.types.kinds import Kind

__all__ = [
    "BIGINT",
    "BOOLEAN",
    "BYTEA",
    "DATE",
    "DELETED_NAME",
    "DOUBLE",
    "INTEGER",
    "INTERVAL",
    "JSON",
    "JSONB",
    "NESTING_MAX",
    "NULL",
    "PSEUDO_COLUMNS",
    "REAL",
    "SMALLINT",
    "SPAN_MS_MAX",
    "TEXT",
    "TIME",
    "TIMELESS",
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
"""One physical value, as `stategate.stores.spec.datatypes` describes it."""
Key: TypeAlias = tuple[Value, ...]
"""One value per key column, in schema order; some queries take a prefix of them."""
Row: TypeAlias = tuple[Value, ...]
"""One value per column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One named, typed column."""

    name: str
    type: DataType
    comment: str | None = field(default=None, compare=False)
    """What the column means, for people; see `StoreSchema.comment`."""


class StoreKind(Enum):
    """How a store's entries are keyed and when they end."""

    KEYVALUE = "keyvalue"
    """The latest row by key."""
    WINDOW = "window"
    """A row by key and window start; windows of one fixed size."""
    SESSION = "session"
    """A row by key, session start and session end."""
    VERSIONED = "versioned"
    """All versions of a key, by the time from which they are valid."""
    GLOBAL = "global"
    """The latest row by key, in one partition that is whole on every node."""

    @classmethod
    def opened(cls, name: str) -> StoreKind:
        """Return the kind of this name, added if it is new; for `registry` only.

        From then on `StoreKind(name)` returns it, so that definitions that name it can be read.
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
DELETED_NAME = "_deleted"
"""The column that marks a tombstone in rows of the log. Relations do not have it."""
PSEUDO_COLUMNS = (
    Column(name="_partition", type=INTEGER),
    Column(name="_timestamp", type=TIMESTAMPTZ),
    Column(name="_epoch", type=BIGINT),
)
"""Readable by name, not part of `*`: the row's partition, its event time, its epoch."""

TIMELESS = frozenset({StoreKind.KEYVALUE, StoreKind.GLOBAL})
"""Kinds whose rows have no time by which they could expire. Registered kinds may have one."""
PARTITIONS_MAX = 100_000
SPAN_MS_MAX = (2**63 - 1) // 1000
"""The longest time that a column can hold, in microseconds: 292,000 years."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InputTopic:
    """A topic whose offsets a store's position counts."""

    topic: str
    aligned: bool = False
    """True if input partition p feeds only store partition p; after a shuffle it is False."""
    id: str | None = None
    """What tells the topic from a later one with its name; None if unknown."""


_STORE_NAME = re.compile(r"[^\W_][\w.-]*")
COMMENT_CHARS_MAX = 1_000
_NAME_CHARS_MAX, _NAME_BYTES_MAX = 200, 255
"""A store's directory has its name, and file systems count names in bytes."""


@dataclass(frozen=True, kw_only=True)
class StoreSchema:
    """The definition of a store, shared by writers, replicas and the planner.

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
    """How long windows, sessions and replaced versions stay readable, counted back from the
    watermark.

    None keeps them forever.
    """
    by_event_time: bool = False
    """Which of two rows of one key (and window) stays: True for the one with the later event time,
    in whole milliseconds; False, or with equal times, for the one that arrived later.

    Tombstones count as rows. A row without event time counts as the earliest.
    """
    not_null: frozenset[str] = frozenset()
    """Columns of the key and value that are never NULL; a writer refuses rows that have it there.
    A tombstone has only a key."""
    comment: str | None = field(default=None, compare=False)
    """What the store holds, for people. Definitions that differ only in comments are equal.

    If the store exists, None keeps its comment, and an empty text removes it.
    """
    incarnation: str = field(default="", compare=False)
    """The name that the log gave this definition, and to no other: a store that is rebuilt, or
    removed and created again, has another one. Empty if it is in no log, or was defined before logs
    gave names. It is kept in all that a client holds of a store; see `address`."""

    def __post_init__(self) -> None:
        """Check all parts."""
        self._check_name()
        if not isinstance(self.kind, StoreKind):
            raise SchemaError(f'store "{self.name}": {shown(self.kind)} is not a StoreKind')
        most = 1 if self.kind is StoreKind.GLOBAL else PARTITIONS_MAX
        if not is_integer(self.partitions, least=1, most=most):
            known = "a global store has one partition" if most == 1 else f"1 to {most} are possible"
            raise SchemaError(
                f'store "{self.name}" cannot have {shown(self.partitions)} partitions: {known}'
            )
        self._check_columns()
        self._check_names()
        self._check_times()
        self._check_inputs()
        self._check_comments()
        if not (
            self.incarnation == "" or (self.incarnation.isalnum() and self.incarnation.isascii())
        ):
            raise SchemaError(f'store "{self.name}": {shown(self.incarnation)} is no incarnation')

    def _check_name(self) -> None:
        name: object = self.name
        if (
            not isinstance(name, str)
            or len(name) > _NAME_CHARS_MAX
            or not _STORE_NAME.fullmatch(name)
            or len(name.encode()) > _NAME_BYTES_MAX
        ):
            # Readers that list the log, Spark included, pass over names that begin with . or _.
            raise SchemaError(
                f"{shown(name)} is not a store name: begin with a letter or digit, go on with "
                f"letters, digits, _, . and -, {_NAME_CHARS_MAX} at most"
            )

    def _check_columns(self) -> None:
        for part, columns in (("key", self.key), ("value", self.value)):
            if not isinstance(columns, tuple) or not all(isinstance(c, Column) for c in columns):
                raise SchemaError(f'store "{self.name}": its {part} must be a tuple of columns')
        if not self.key:
            raise SchemaError(f'store "{self.name}" has no key column')
        for column in (*self.key, *self.value):
            if not is_name(column.name):
                raise SchemaError(
                    f'store "{self.name}": no column can be called {shown(column.name)}'
                )
            if (wrong := unusable(column.type)) is not None:
                raise SchemaError(f'store "{self.name}": column "{column.name}" {wrong}')
        for column in self.key:
            if column.type.kind.record.key is None:
                raise SchemaError(f'key column "{column.name}" cannot be of type {column.type}')
        names, named = {c.name for c in (*self.key, *self.value)}, self.not_null
        if not isinstance(named, frozenset) or named - names:
            raise SchemaError(f'store "{self.name}": {shown(named)} are not columns of it')

    def _check_names(self) -> None:
        """Refuse names that SQL takes for the same, and names of columns that every store has."""
        names = [column.name for column in (*self.key, *self.value)]
        ours = {DELETED_NAME, *(c.name for c in (*self.time_columns, *PSEUDO_COLUMNS))}
        if taken := [name for name in names if name.lower() in ours]:
            raise SchemaError(
                f'store "{self.name}" cannot have a column "{taken[0]}": '
                f"a {self.kind.value} store has one of its own"
            )
        if (wrong := same_name(names)) is not None:
            raise SchemaError(
                f'store "{self.name}" has columns {wrong}: SQL could not tell them apart'
            )

    def _check_times(self) -> None:
        if (self.kind is StoreKind.WINDOW) != (self.window_size_ms is not None):
            raise SchemaError(
                f'store "{self.name}": a window store needs window_size_ms, and no other kind '
                "takes it"
            )
        for what, span_ms in (
            ("window size", self.window_size_ms),
            ("retention", self.retention_ms),
        ):
            if span_ms is not None and not is_integer(span_ms, least=1, most=SPAN_MS_MAX):
                raise SchemaError(
                    f'store "{self.name}": the {what} must be positive, in whole milliseconds, '
                    f"{SPAN_MS_MAX} at most, not {shown(span_ms)}"
                )
        if self.retention_ms is not None and self.kind in TIMELESS:
            raise SchemaError(
                f'store "{self.name}": a {self.kind.value} store has no retention, its rows never '
                "expire: leave retention_ms out, or mark rows as deleted"
            )
        if not isinstance(self.by_event_time, bool):
            raise SchemaError(
                f'store "{self.name}": by_event_time is True or False, not '
                f"{shown(self.by_event_time)}"
            )
        if self.by_event_time and self.kind is StoreKind.VERSIONED:
            raise SchemaError(
                f'store "{self.name}": a versioned store keeps the rows of every event time: leave '
                "by_event_time out"
            )

    def _check_inputs(self) -> None:
        inputs: object = self.inputs
        if not isinstance(inputs, tuple) or not all(isinstance(i, InputTopic) for i in inputs):
            raise SchemaError(f'store "{self.name}": its inputs must be a tuple of topics')
        topics: set[str] = set()
        for each in self.inputs:
            is_whole = is_name(each.topic) and (each.id is None or is_name(each.id))
            if not is_whole or not isinstance(each.aligned, bool):
                raise SchemaError(f'store "{self.name}" cannot have the input {shown(each)}')
            if each.topic in topics:
                raise SchemaError(f'store "{self.name}" has input "{each.topic}" twice')
            topics.add(each.topic)

    def _check_comments(self) -> None:
        of_columns = ((f'column "{c.name}"', c.comment) for c in (*self.key, *self.value))
        for what, comment in (("the store", self.comment), *of_columns):
            is_text = is_name(comment) or comment == ""
            if comment is None or (is_text and len(comment) <= COMMENT_CHARS_MAX):
                continue
            raise SchemaError(
                f'store "{self.name}": the comment of {what} must be text of at most '
                f"{COMMENT_CHARS_MAX} characters without NUL, not {shown(comment)}"
            )

    @cached_property
    def time_columns(self) -> tuple[Column, ...]:
        """The columns that the kind adds after the key."""
        if self.kind is StoreKind.VERSIONED:
            return (VALID_FROM, VALID_TO)
        return self.logged_time_columns

    @cached_property
    def logged_time_columns(self) -> tuple[Column, ...]:
        """The time columns that rows of the log have.

        Rows of versions have no such columns: their times follow from the event times of the key's
        versions.
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

    def has_rows_of(self, other: StoreSchema) -> bool:
        """Whether both are of one incarnation: plans and tokens of one are valid for the other.

        The definitions differ in their inputs and comments at most.
        """
        return self is other or (self.incarnation == other.incarnation and self.means_same(other))

    def means_same(self, other: StoreSchema) -> bool:
        """Whether the definitions differ in their inputs, comments and incarnations at most."""
        return all(
            getattr(self, each.name) == getattr(other, each.name)
            for each in fields(self)
            if each.name != "inputs" and each.compare
        )

    @cached_property
    def address(self) -> str:
        """The name of the store and of its incarnation, `clicks/5e0c`: nodes ask for this one."""
        return f"{self.name}/{self.incarnation}" if self.incarnation else self.name

    @property
    def comments(self) -> tuple[str | None, ...]:
        """The comments of the store and of its key and value columns, in this order."""
        return (self.comment, *(column.comment for column in (*self.key, *self.value)))

    def without_comments(self) -> StoreSchema:
        """Return the definition that keeps the comments of an existing store."""
        key, value = (
            tuple(replace(column, comment=None) for column in columns)
            for columns in (self.key, self.value)
        )
        return replace(self, key=key, value=value, comment=None)

    def arrow_schema(self, names: Sequence[str] | None = None) -> pa.Schema:
        """Return the Arrow schema of a batch with these columns; without names, those of `*`."""
        wanted = [c.name for c in self.columns] if names is None else names
        return pa.schema([(name, self.column_by_name[name].type.arrow) for name in wanted])

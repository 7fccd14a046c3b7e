"""The names of SQL types, and the type objects of DB-API 2.0."""

from __future__ import annotations

import datetime as dt
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_TOKEN: Final = re.compile(r'\s*("(?:[^"]|"")*"|\[\]|[(),]|[^\s"(),\[\]]+)')
_NESTING_MAX: Final = 64


@dataclass(frozen=True, slots=True)
class SqlType:
    """One SQL type, such as `bigint`, `text[]` or `struct(a bigint)`."""

    name: str
    """The name without what is in parentheses; `array` for arrays."""
    digits: tuple[int, ...] = ()
    """Precision and scale of a decimal."""
    parts: tuple[SqlType, ...] = ()
    """The element of an array, the fields of a struct, or the key and the value of a map."""
    field_names: tuple[str, ...] = ()
    """The names of a struct's fields."""


@lru_cache(maxsize=1024)
def parse_type(text: str) -> SqlType:
    """Read the name of a type, as answers have it. A name that is not understood is a type, too."""
    tokens = _Tokens(text)
    try:
        found = _type(tokens, _NESTING_MAX)
    except _UnknownFormError:
        return SqlType(text)
    return found if tokens.next is None else SqlType(text)


class _UnknownFormError(Exception):
    """The name has a form that this version does not know."""


class _Tokens:
    def __init__(self, text: str) -> None:
        self._found: Iterator[re.Match[str]] = _TOKEN.finditer(text)
        self.next: str | None = None
        self.take()

    def take(self, wanted: str | None = None) -> str:
        """Return the token and go on to the next one."""
        taken = self.next
        if wanted is not None and taken != wanted:
            raise _UnknownFormError
        found = next(self._found, None)
        self.next = None if found is None else found[1]
        return taken or ""


def _type(tokens: _Tokens, depth: int) -> SqlType:
    name = tokens.take()
    if not depth or not name[:1].isalpha():
        raise _UnknownFormError
    found = _with_parts(name, tokens, depth - 1) if tokens.next == "(" else SqlType(name)
    while tokens.next == "[]":
        tokens.take()
        found = SqlType("array", parts=(found,))
    return found


def _with_parts(name: str, tokens: _Tokens, depth: int) -> SqlType:
    tokens.take("(")
    digits, parts, names = list[int](), list[SqlType](), list[str]()
    while tokens.next not in {")", None}:
        if name == "struct":
            field = tokens.take()
            names.append(field[1:-1].replace('""', '"') if field[0] == '"' else field)
        if tokens.next is not None and tokens.next.isdecimal():
            digits.append(int(tokens.take()))
        else:
            parts.append(_type(tokens, depth))
        if tokens.next == ",":
            tokens.take()
    tokens.take(")")
    return SqlType(name, tuple(digits), tuple(parts), tuple(names))


class TypeObject:
    """A group of types: it equals the type codes in `Cursor.description` that belong to it.

    Args:
        name: its name in DB-API.
        types: the names of its types.
    """

    def __init__(self, name: str, *types: str) -> None:
        self._name, self._types = name, frozenset(types)

    def __eq__(self, other: object) -> bool:
        """Whether a type code is of this group."""
        if isinstance(other, str):
            return parse_type(other).name in self._types
        return self is other

    def __hash__(self) -> int:
        """Return a hash of the group, which does not equal those of its type codes."""
        return hash(self._types)

    def __repr__(self) -> str:
        """Return its name."""
        return f"stategate.{self._name}"


STRING = TypeObject("STRING", "text", "uuid", "macaddr", "json")
BINARY = TypeObject("BINARY", "bytea")
NUMBER = TypeObject(
    "NUMBER", "tinyint", "smallint", "integer", "bigint", "real", "double", "decimal"
)
DATETIME = TypeObject("DATETIME", "date", "time", "timestamp", "timestamptz", "interval")
ROWID = TypeObject("ROWID")

Date = dt.date
Time = dt.time
Timestamp = dt.datetime
Binary = bytes


def DateFromTicks(ticks: float) -> dt.date:
    """Return the local date of a time in seconds since the epoch."""
    return dt.date(*time.localtime(ticks)[:3])


def TimeFromTicks(ticks: float) -> dt.time:
    """Return the local time of day of a time in seconds since the epoch."""
    return dt.time(*time.localtime(ticks)[3:6])


def TimestampFromTicks(ticks: float) -> dt.datetime:
    """Return the local date and time of a time in seconds since the epoch."""
    return dt.datetime(*time.localtime(ticks)[:6])

"""The difference between two results of a statement, row by row.

Results are compared as multisets: a row that occurs three times and then twice is deleted once.
Order does not count.
"""

from __future__ import annotations

import sys
import zlib
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import TypeAlias

from msgspec import Struct

from stategate.planner.values.live import RowChange
from stategate.stores.spec.schema import Column, Row

Identity: TypeAlias = Callable[[Row], Hashable]
"""Returns a value that is equal for two rows exactly if a client cannot tell them apart."""

_SAMPLE = 64
_ENTRY_BYTES = 200
"""Overhead of a row: its tuple, its place in a list, and its entry in a dictionary."""


class Contents(Struct, frozen=True, kw_only=True):
    """A result that is kept to be compared with the next one."""

    rows: Sequence[Row]
    counts: Mapping[Hashable, int]
    """How often each row occurs, by its identity."""
    by_identity: Mapping[Hashable, Row] | None
    """A row of each identity; None if rows are their own."""
    row_bytes: int
    """About how much memory it takes."""


class Difference:
    """Compares results of one statement.

    Args:
        columns: the columns of the result.
        key: the places of the columns that tell rows apart; None if they are not known. A row that
            was replaced by one with the same key is an update.
    """

    def __init__(self, columns: Sequence[Column], key: Sequence[int] | None) -> None:
        is_plain = all(column.type.kind.record.has_one_form for column in columns)
        self._identity: Identity | None = None if is_plain else _identity
        self._key = None if key is None else _key_of(key, columns)

    def contents(self, rows: Sequence[Row]) -> Contents:
        """Return a result in the form that is compared."""
        size = about_bytes(rows)
        if self._identity is None:
            return Contents(rows=rows, counts=Counter(rows), by_identity=None, row_bytes=size)
        identities = list(map(self._identity, rows))
        return Contents(
            rows=rows,
            counts=Counter(identities),
            by_identity=dict(zip(identities, rows, strict=True)),
            row_bytes=size,
        )

    def digest(self, rows: Iterable[Row]) -> RowsDigest:
        """Return a digest of a result."""
        return RowsDigest(rows, self._identity)

    def changes(self, old: Contents, new: Contents) -> tuple[RowChange, ...]:
        """Return what makes the new result of the old one: deletes, then updates, then inserts."""
        if old.counts == new.counts:
            return ()
        gone, come = _more(old, new), _more(new, old)
        if self._key is None:
            return (
                *(RowChange(row, None) for row in gone),
                *(RowChange(None, row) for row in come),
            )
        return _paired(gone, come, self._key)


def _more(these: Contents, others: Contents) -> list[Row]:
    """Return the rows that occur more often in a result, each as often as it does so."""
    found: list[Row] = []
    rows, other_counts = these.by_identity, others.counts
    for identity, count in these.counts.items():
        more = count - other_counts.get(identity, 0)
        if more > 0:
            row = identity if rows is None else rows[identity]
            assert isinstance(row, tuple), "a row is a tuple"
            found += [row] * more
    return found


def _paired(gone: Sequence[Row], come: Sequence[Row], key: Identity) -> tuple[RowChange, ...]:
    old: dict[Hashable, list[Row]] = {}
    for row in reversed(gone):
        old.setdefault(key(row), []).append(row)
    updates, inserts = [], []
    for row in come:
        replaced = old.get(key(row))
        if replaced:
            updates.append(RowChange(replaced.pop(), row))
        else:
            inserts.append(RowChange(None, row))
    deletes = [RowChange(row, None) for rows in old.values() for row in reversed(rows)]
    return (*deletes, *updates, *inserts)


def _key_of(places: Sequence[int], columns: Sequence[Column]) -> Identity:
    if not places:
        return lambda row: ()
    if all(columns[at].type.kind.record.has_one_form for at in places):
        return itemgetter(*places)
    return lambda row: tuple([_canonical(row[at]) for at in places])


def _identity(row: Row) -> Hashable:
    return tuple([_canonical(value) for value in row])


def _canonical(value: object) -> Hashable:
    """Return a value that can be hashed, and is equal for values that look the same."""
    if value is None or type(value) in {int, str, bytes, bool}:
        return value
    if isinstance(value, list | tuple):
        return tuple([_canonical(each) for each in value])
    if isinstance(value, dict):
        return tuple([(name, _canonical(each)) for name, each in value.items()])
    return type(value).__name__, repr(value)


class RowsDigest:
    """A digest of the rows of a result, whatever their order; kept up to date by their changes.

    Args:
        rows: the rows.
        identity: tells rows apart; None if rows are their own.
    """

    __slots__ = ("_identity", "_sum")

    def __init__(self, rows: Iterable[Row], identity: Identity | None) -> None:
        self._identity = identity
        self._sum = sum(map(self._of, rows))

    def apply(self, changes: Iterable[RowChange]) -> None:
        """Note changes of the rows."""
        for change in changes:
            if change.old is not None:
                self._sum -= self._of(change.old)
            if change.new is not None:
                self._sum += self._of(change.new)

    @property
    def text(self) -> str:
        """The digest: equal for equal rows, and hardly ever for others."""
        return f"{self._sum:x}"

    def _of(self, row: Row) -> int:
        named = row if self._identity is None else self._identity(row)
        return zlib.crc32(repr(named).encode(errors="surrogatepass"))


def about_bytes(rows: Sequence[Row]) -> int:
    """Return about how much memory rows take, from a sample of them."""
    if not rows:
        return 0
    sample = rows[:: max(1, len(rows) // _SAMPLE)]
    size = sum(_ENTRY_BYTES + sum(map(sys.getsizeof, row)) for row in sample)
    return size * len(rows) // len(sample)

"""Queries that every kind of store answers: prefixes, counts, stored bytes. Values only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from stategate.stores.spec.query import (
    EVERYTHING,
    BatchStream,
    Interval,
    Order,
    Query,
    QueryArgumentError,
    RowsQuery,
    check_limit,
)
from stategate.stores.spec.schema import Key


class PrefixQuery(RowsQuery[BatchStream], frozen=True, kw_only=True):
    """The rows of all keys with one prefix, in the order of the store's range query.

    `prefix` fixes the first key columns, and `text` may fix the start of the next one.
    Source: KIP-614, which defines it for bytes. Handled by all kinds of store.
    """

    prefix: Key = ()
    text: str | bytes | None = None
    """The start of the next key column: str for text, bytes for bytea. NULL never matches."""
    columns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse an empty prefix and a negative limit."""
        if not self.prefix and self.text is None:
            raise QueryArgumentError("a prefix query needs a prefix")
        check_limit(self.limit)

    @staticmethod
    def with_prefix(*prefix: object) -> PrefixQuery:
        """Return the query for keys whose first columns have these values."""
        return PrefixQuery(prefix=prefix)

    @staticmethod
    def with_text_prefix(*prefix: object, text: str | bytes) -> PrefixQuery:
        """Return the query for keys with these first values, then a text with this beginning."""
        return PrefixQuery(prefix=prefix, text=text)

    def with_ascending_keys(self) -> PrefixQuery:
        """Return a copy in ascending order."""
        return replace(self, order=Order.ASCENDING)

    def with_descending_keys(self) -> PrefixQuery:
        """Return a copy in descending order."""
        return replace(self, order=Order.DESCENDING)


class RawStream:
    """Stored entries of one snapshot, as pairs of bytes: key and row. Can be read several times."""

    __slots__ = ("_read",)

    def __init__(self, read: Callable[[], Iterator[tuple[bytes, bytes]]]) -> None:
        self._read = read

    def __iter__(self) -> Iterator[tuple[bytes, bytes]]:
        return self._read()


@dataclass(frozen=True, slots=True, kw_only=True)
class RawKeyQuery(Query[bytes | None]):
    """The stored bytes of one entry, or None if there is no such entry.

    Source: an example in KIP-796. Handled by all kinds of store; `stores/README.md` has the bytes.
    """

    key_bytes: bytes
    """The whole key of an entry, as `RawScanQuery` gives it."""

    def __post_init__(self) -> None:
        """Refuse anything but bytes: text has several forms in bytes."""
        _check_bytes(self.key_bytes)

    @staticmethod
    def with_key(key_bytes: bytes) -> RawKeyQuery:
        """Return the query for the entry of this key."""
        return RawKeyQuery(key_bytes=key_bytes)


class RawScanQuery(RowsQuery[RawStream], frozen=True, kw_only=True):
    """Stored entries in the order of their bytes, without expired ones.

    Source: an example in KIP-796. Handled by all kinds of store.
    """

    start: bytes = b""
    """The first key, inclusive."""
    end: bytes | None = None
    """The end, exclusive; None leaves it open."""

    def __post_init__(self) -> None:
        """Refuse ends that are not bytes, and a negative limit."""
        _check_bytes(self.start)
        _check_bytes(b"" if self.end is None else self.end)
        check_limit(self.limit)

    @staticmethod
    def scan() -> RawScanQuery:
        """Return the query for all entries."""
        return RawScanQuery()


def _check_bytes(key_bytes: object) -> None:
    if not isinstance(key_bytes, bytes):
        raise QueryArgumentError(f"a stored key is bytes, not {type(key_bytes).__name__}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CountQuery(Query[int]):
    """The number of rows in an interval of keys; each window, session and version counts.

    Handled by all kinds of store; it reads every entry that it counts.
    """

    interval: Interval = EVERYTHING

    @staticmethod
    def count() -> CountQuery:
        """Return the query for all rows."""
        return CountQuery()

    @staticmethod
    def with_range(lower: Key | None, upper: Key | None) -> CountQuery:
        """Return the query for keys from `lower` to `upper`, inclusive; None is an open end."""
        return CountQuery(interval=Interval(lower=lower, upper=upper))


@dataclass(frozen=True, slots=True, kw_only=True)
class ApproximateCountQuery(Query[int]):
    """A fast estimate of the number of entries, for metrics and for planning.

    Replaced or expired entries that are still on the disk may be counted too, and so are the
    deletions that a store by event time remembers: RocksDB estimates all entries of a database, not
    those of an interval. It is the only query that does not answer at the epoch that the result
    names. Source: `approximateNumEntries` of
    IQv1.
    """

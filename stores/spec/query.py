"""Typed queries to one store partition. Values only; nothing here executes.

A query is typed by its result, so that `store.query(q)` has a known type. The set is open: an
extension subclasses `Query` and registers a handler for a kind of store. Within one partition rows
come in key order (byte order of the encoded key, which is SQL order with NULLs first); across
partitions in no order. Here are the queries of keyvalue and global stores; those of other kinds are
in `stategate.stores.spec.windows` and `versions`, those of every kind in `scans`.

A query gives times in milliseconds and means that instant. Rows hold times in microseconds.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Generic, Self, TypeAlias, TypeVar

import pyarrow as pa
from msgspec import Struct
from msgspec.structs import replace

from stategate.stores.errors import StoreError
from stategate.stores.spec.reductions import Elsewhere
from stategate.stores.spec.schema import Key, Row

R = TypeVar("R")

Batch: TypeAlias = pa.RecordBatch
"""Rows of one partition, with the columns of the query's `columns` in its order."""

BATCH_ROWS = 8192
"""Rows in a batch of a stream: about 1 MB, decoded in about a millisecond."""


FEW_ROWS = 64
"""Rows that are read one by one at first."""

ReadRows: TypeAlias = Callable[[int], Iterator[list[Row]]]
"""Reads rows one by one; see `BatchStream.rows`."""


class BatchStream(Struct, eq=False):
    """The rows of one snapshot, as batches that are decoded as they are taken.

    Each iteration reads the same snapshot from its start, so the rows can be read several times.
    Few rows are read faster one by one: `rows`, `first_rows`.

    An engine makes one for each query. It is a struct, as the queries are.
    """

    _read: Callable[[], Iterator[Batch]]
    """Begins an iteration."""
    _rows: ReadRows | None = None
    """The function behind `rows`; None if the engine gives batches only."""
    rows_in_memory: int | None = None
    """How many rows the batches have at most, if they are slices of columns in memory, so that
    reading them takes microseconds; None if they are read and decoded."""
    elsewhere: Elsewhere | None = None
    """Where the rows are, if they are on another node."""
    _counters: tuple[Callable[[int], object], ...] = ()

    def count_with(self, counter: Callable[[int], object]) -> None:
        """Call a function with the number of rows of each batch or chunk that is read from now on.

        To give it a second time changes nothing.
        """
        if counter not in self._counters:
            self._counters += (counter,)

    def __iter__(self) -> Iterator[Batch]:
        return self._counted_batches() if self._counters else self._read()

    def _counted_batches(self) -> Iterator[Batch]:
        for batch in self._read():
            self._count(batch.num_rows)
            yield batch

    def _count(self, rows: int) -> None:
        for counter in self._counters:
            counter(rows)

    @property
    def has_rows(self) -> bool:
        """Whether `rows` can be called."""
        return self._rows is not None

    def rows(self, first_rows: int = FEW_ROWS) -> Iterator[list[Row]]:
        """Return the rows as tuples of physical values, in the order of the batches.

        Args:
            first_rows: how many are read at first, at least 1; later chunks may be larger. Chunks
                may be empty.
        """
        assert self._rows is not None, "the engine gives batches only"
        found = self._rows(first_rows)
        return self._counted_rows(found) if self._counters else found

    def _counted_rows(self, chunks: Iterator[list[Row]]) -> Iterator[list[Row]]:
        for chunk in chunks:
            self._count(len(chunk))
            yield chunk

    def first_rows(self, count: int, *, until_s: float = math.inf) -> list[Row] | None:
        """Return the first rows, or all if there are fewer.

        None if there is more to read at `until_s` by `time.perf_counter()`, or if the engine gives
        batches only: iterate then.
        """
        if self._rows is None:
            return None
        found: list[Row] = []
        late = 0
        try:
            for chunk in self._rows(max(1, min(FEW_ROWS, count))):
                found += chunk
                if len(found) >= count:
                    return found[:count]
                # No more is read. An empty chunk may be the last one; or it took as long as others,
                # but none of its entries had a requested time.
                if (late and chunk) or late > 1:
                    return None
                late += time.perf_counter() > until_s
        finally:
            if self._counters:
                self._count(len(found))
        return found


class Query(Generic[R]):
    """A typed read of one partition whose result is an `R`."""

    __slots__ = ()


class FirstRowsQuery(Struct, Query["list[Row] | None"], frozen=True):
    """The first rows of another query, read at once; see `BatchStream.first_rows`.

    Whatever answers the other query answers this one, and an engine may do so sooner.
    """

    of: Query[BatchStream]
    count: int
    until_s: float = math.inf

    def read(self, stream: BatchStream) -> list[Row] | None:
        """Return the first rows of the other query's stream."""
        return stream.first_rows(self.count, until_s=self.until_s)


class QueryArgumentError(StoreError, ValueError):
    """A query was built with an argument that it does not allow."""


class Order(Enum):
    """Direction in which a range is read."""

    __hash__ = object.__hash__

    ASCENDING = "asc"
    DESCENDING = "desc"


class Interval(Struct, frozen=True, kw_only=True):
    """An interval of keys. An end of None is open; a short key stands for all keys it begins.

    With key columns (a, b): lower (1,) inclusive begins at the first key with a = 1, lower (1,)
    exclusive begins after the last one.
    """

    lower: Key | None = None
    upper: Key | None = None
    lower_inclusive: bool = True
    upper_inclusive: bool = True

    def __post_init__(self) -> None:
        """Refuse an empty prefix: it could mean all keys or none."""
        if self.lower == () or self.upper == ():
            raise QueryArgumentError("an end of an interval needs at least one key column")


EVERYTHING = Interval()


def check_limit(limit: int | None) -> None:
    """Refuse a negative number of rows."""
    if limit is not None and limit < 0:
        raise QueryArgumentError(f"a limit cannot be negative: {limit}")


class KeyQuery(Struct, Query[Row | None], frozen=True, kw_only=True):
    """The row of one key: one value per value column, or None if there is no such key.

    A struct, since one is made for each lookup; see `stategate.stores.spec.result`.
    Source: KIP-796 `KeyQuery`. Handled by keyvalue and global stores.
    """

    key: Key
    skip_cache: bool = False
    """Read the row from the database, even if it is cached."""

    def __post_init__(self) -> None:
        """Refuse an empty key."""
        if not self.key:
            raise QueryArgumentError("a key query needs a key")

    @staticmethod
    def with_key(*key: object) -> KeyQuery:
        """Return the query for the key with these column values."""
        return KeyQuery(key=key)


class FewKeysQuery(Struct, Query[list[Row]], frozen=True, kw_only=True):
    """The rows of few keys: key and value columns, in the order of the keys that exist.

    Each key may be given once. Rows are tuples in memory: `KeysQuery` reads many. Handled by
    keyvalue and global stores.
    """

    keys: Sequence[Key]

    @staticmethod
    def with_keys(keys: Iterable[Key]) -> FewKeysQuery:
        """Return the query for these keys; a repeated key counts once."""
        return FewKeysQuery(keys=tuple(dict.fromkeys(keys)))


@dataclass(frozen=True, slots=True, kw_only=True)
class KeysQuery(Query[BatchStream]):
    """The rows of many keys, as batches in key order; keys that do not exist give no row."""

    keys: tuple[Key, ...]
    columns: tuple[str, ...] | None = None
    """Columns to decode, pseudo-columns allowed; None gives all of `*`."""

    @staticmethod
    def with_keys(keys: Iterable[Key]) -> KeysQuery:
        """Return the query for these keys; a repeated key counts once."""
        return KeysQuery(keys=tuple(dict.fromkeys(keys)))


class RowsQuery(Struct, Query[R], frozen=True, kw_only=True):
    """A query of many rows: the direction in which they come, and how many at most."""

    order: Order = Order.ASCENDING
    limit: int | None = None

    def __post_init__(self) -> None:
        """Refuse a negative limit."""
        check_limit(self.limit)

    def with_limit(self, rows: int) -> Self:
        """Return a copy that gives only the first `rows`."""
        return replace(self, limit=rows)


class KeyRangeQuery(RowsQuery[BatchStream], frozen=True, kw_only=True):
    """A query of the rows of an interval of keys, in key order."""

    interval: Interval = EVERYTHING

    @classmethod
    def with_range(cls, lower: Key | None, upper: Key | None) -> Self:
        """Return the query from `lower` to `upper`, inclusive; None is an open end (KIP-941)."""
        return cls(interval=Interval(lower=lower, upper=upper))

    @classmethod
    def with_lower_bound(cls, lower: Key) -> Self:
        """Return the query from `lower` on, inclusive."""
        return cls(interval=Interval(lower=needed_key(lower)))

    @classmethod
    def with_upper_bound(cls, upper: Key) -> Self:
        """Return the query up to `upper`, inclusive."""
        return cls(interval=Interval(upper=needed_key(upper)))

    @classmethod
    def with_no_bounds(cls) -> Self:
        """Return the query for all rows: a scan."""
        return cls()

    def with_ascending_keys(self) -> Self:
        """Return a copy in ascending key order."""
        return replace(self, order=Order.ASCENDING)

    def with_descending_keys(self) -> Self:
        """Return a copy in descending key order."""
        return replace(self, order=Order.DESCENDING)


class RangeQuery(KeyRangeQuery, frozen=True, kw_only=True):
    """The rows of an interval of keys, as batches in key order.

    Source: KIP-805 and KIP-985. Handled by keyvalue and global stores.
    """

    columns: tuple[str, ...] | None = None
    skip_cache: bool = False
    """Read the rows from the database, even if their columns are cached."""


def needed_key(key: Key | None) -> Key:
    """Return the key.

    Raises:
        QueryArgumentError: it is None or empty.
    """
    if not key:
        raise QueryArgumentError("a key is needed here; leave the bound out to have no bound")
    return key


@dataclass(frozen=True, slots=True, kw_only=True)
class TimestampedRow:
    """A row with its event time."""

    row: Row
    timestamp_us: int | None
    """Microseconds since 1970, stored in whole milliseconds; None if the row has no event time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimestampedKeyQuery(Query[TimestampedRow | None]):
    """The row of one key with its event time, or None if there is no such key.

    Source: KIP-992. Handled by keyvalue and global stores; one without event times answers too.
    """

    key: Key

    def __post_init__(self) -> None:
        """Refuse an empty key."""
        needed_key(self.key)

    @staticmethod
    def with_key(*key: object) -> TimestampedKeyQuery:
        """Return the query for the key with these column values."""
        return TimestampedKeyQuery(key=key)


class TimestampedRangeQuery(KeyRangeQuery, frozen=True, kw_only=True):
    """A `RangeQuery` whose rows end with the column `_timestamp`.

    Source: KIP-992. Handled by keyvalue and global stores.
    """

"""Reads of one epoch: what is found where, in which epoch, and what a damaged disk makes of it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stores.codec.layout import DATA, DATA_END
from stores.engines.rocksdb.partition import RocksPartition
from stores.engines.rocksdb.readers import WALKED_ROWS_MIN, Entry, Reader
from stores.errors import StoreError
from stores.spec.query import BATCH_ROWS, Order, RangeQuery
from tests.stores.values import rows_of
from tests.support.stores import batch, keyvalue, progress


class DamagedCursor:
    """An iterator over three keys, the last of which cannot be read: it is invalid from there."""

    def __init__(self) -> None:
        self._at = 0

    def seek(self, key: bytes, /) -> None:
        """To the first."""
        self._at = 0

    def seek_for_prev(self, key: bytes, /) -> None:
        """To the last that can be read."""
        self._at = 1

    def next(self) -> None:
        """Forward."""
        self._at += 1

    def prev(self) -> None:
        """Back."""
        self._at -= 1

    def key(self) -> bytes | None:
        """None is also what rocksdict gives for a block that it could not read."""
        return bytes([self._at]) if 0 <= self._at < 2 else None

    def value(self) -> bytes:
        """Some row."""
        return b"row"

    def status(self) -> None:
        """As rocksdict tells it."""
        if not 0 <= self._at < 2:
            raise Exception("Corruption: block checksum mismatch")


@pytest.mark.parametrize("order", Order)
def test_a_damaged_block_is_not_the_end(order: Order) -> None:
    reader = Reader({}, DamagedCursor())
    with pytest.raises(StoreError, match="cannot be read: Corruption"):
        list(reader.chunks(b"\0", b"\xff", order))


def test_an_error_is_not_a_missing_key() -> None:
    class DamagedSnapshot:
        def __getitem__(self, key: bytes, /) -> bytes:
            raise Exception("key not found" if key == b"missing" else "IO error")

    reader = Reader(DamagedSnapshot(), DamagedCursor())
    assert reader.get(b"missing") is None
    with pytest.raises(Exception, match="IO error"):
        reader.get(b"there")


# An iterator of one's own


MANY = keyvalue("many", {"n": "bigint"}, {"v": "bigint"}, partitions=1)
ROWS = 4 * BATCH_ROWS


class SoundCursor(DamagedCursor):
    """An iterator over these keys, each its own row."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        super().__init__()
        self._keys = sorted(keys)

    def seek(self, key: bytes, /) -> None:
        """To the first that is no less."""
        self._at = bisect_left(self._keys, key)

    def key(self) -> bytes | None:
        """None behind the last."""
        return self._keys[self._at] if self._at < len(self._keys) else None

    def value(self) -> bytes:
        """The key."""
        return self._keys[self._at]

    def status(self) -> None:
        """Nothing is wrong."""


@pytest.mark.parametrize("order", Order)
def test_a_walk_that_a_damaged_block_ends_is_not_the_end(order: Order) -> None:
    """It ends without a word; the cursor, which goes on from there, tells."""

    def walk(start: bytes, walked: Order) -> Iterator[Entry]:
        return iter([(b"\1", b"row")])

    reader = Reader({}, DamagedCursor(), walk)
    with pytest.raises(StoreError, match="cannot be read: Corruption"):
        list(reader.chunks(b"\0", b"\xff", order, first_rows=WALKED_ROWS_MIN))


@pytest.mark.parametrize("order", Order)
def test_a_long_read_stays_in_its_epoch(tmp_path: Path, order: Order) -> None:
    """Whether the next epoch comes before it is begun, or when some of it has been read."""
    engine = RocksPartition(tmp_path, schema=MANY, partition=0)
    engine.apply(progress(0), [batch(MANY, [(n, 0) for n in range(ROWS)])])
    view, query = engine.view, RangeQuery(order=order)
    expected = [(n, 0) for n in range(ROWS)]
    if order is Order.DESCENDING:
        expected.reverse()
    begun = iter(engine.handlers[RangeQuery](view, query))
    first = rows_of([next(begun) for _ in range(4)])
    engine.apply(progress(1), [batch(MANY, [(n, 1) for n in range(-5, ROWS + 5)])])
    assert first + rows_of(begun) == expected
    assert rows_of(engine.handlers[RangeQuery](view, query)) == expected
    taken = engine.handlers[RangeQuery](engine.view, query)
    engine.close()
    assert {row[1] for row in rows_of(taken)} == {1}


@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("first_rows", [1, WALKED_ROWS_MIN])
@pytest.mark.parametrize("behind", [b"", b"\0"])
def test_walked_or_not_a_range_has_the_same_ends(
    tmp_path: Path, order: Order, first_rows: int, behind: bytes
) -> None:
    """Whether it ends at a key, or just behind one."""
    engine = RocksPartition(tmp_path, schema=MANY, partition=0)
    engine.apply(progress(0), [batch(MANY, [(n, 0) for n in range(3 * WALKED_ROWS_MIN)])])
    everything = [k for keys, _ in engine.view.data.chunks(DATA, DATA_END, order) for k in keys]
    assert len(everything) == 3 * WALKED_ROWS_MIN
    inner = sorted(everything)
    for low, high in ((0, 0), (0, 5), (5, WALKED_ROWS_MIN), (7, 2 * WALKED_ROWS_MIN + 7), (1, -1)):
        start, end = inner[low], inner[high] + behind
        chunks = list(engine.view.data.chunks(start, end, order, first_rows=first_rows))
        assert [key for keys, _ in chunks for key in keys] == [
            key for key in everything if start <= key < end
        ]
        assert all(len(keys) == len(rows) > 0 for keys, rows in chunks)
    engine.close()


@given(
    keys=st.sets(st.binary(max_size=3), max_size=30),
    prefixes=st.sets(st.binary(min_size=1, max_size=2), max_size=30).map(sorted),
)
def test_first_with_finds_what_begins_so(keys: set[bytes], prefixes: list[bytes]) -> None:
    reader = Reader({}, SoundCursor(list(keys)))
    expected = [min((k for k in keys if k.startswith(p)), default=None) for p in prefixes]
    assert reader.first_with(prefixes) == [None if k is None else (k, k) for k in expected]

"""Reads of one epoch: they find its entries, stay in it, and notice a damaged disk."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.stores.codec.layout import DATA, DATA_END
from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.engines.rocksdb.readers import WALKED_ROWS_MIN, Attached, Entry, Reader
from stategate.stores.errors import StoreError
from stategate.stores.spec.query import BATCH_ROWS, Order, RangeQuery
from tests.support.stores import batch, keyvalue, progress
from tests.support.values import rows_of


class DamagedCursor:
    """An iterator over three keys that becomes invalid at the last, which cannot be read."""

    def __init__(self) -> None:
        self._at = 0

    def seek(self, key: bytes, /) -> None:
        """Go to the first key."""
        self._at = 0

    def seek_for_prev(self, key: bytes, /) -> None:
        """Go to the last key that can be read."""
        self._at = 1

    def next(self) -> None:
        """Go to the next key."""
        self._at += 1

    def prev(self) -> None:
        """Go to the key before."""
        self._at -= 1

    def key(self) -> bytes | None:
        """Return the key; None also for a block that cannot be read, as rocksdict does."""
        return bytes([self._at]) if 0 <= self._at < 2 else None

    def value(self) -> bytes:
        """Return some row."""
        return b"row"

    def status(self) -> None:
        """Raise the error of a damaged block, as rocksdict does."""
        if not 0 <= self._at < 2:
            raise Exception("Corruption: block checksum mismatch")


@pytest.mark.parametrize("order", Order)
def test_a_damaged_block_does_not_look_like_the_end(order: Order) -> None:
    reader = Reader(Attached({}, DamagedCursor()))
    with pytest.raises(StoreError, match="cannot be read: Corruption"):
        list(reader.chunks(b"\0", b"\xff", order))


def test_an_error_is_not_a_missing_key() -> None:
    class DamagedSnapshot:
        def __getitem__(self, key: bytes, /) -> bytes:
            raise Exception("key not found" if key == b"missing" else "IO error")

    reader = Reader(Attached(DamagedSnapshot(), DamagedCursor()))
    assert reader.get(b"missing") is None
    with pytest.raises(StoreError, match="IO error"):
        reader.get(b"there")
    with pytest.raises(StoreError, match="IO error"):
        reader.get_all([b"missing", b"there"])


# An iterator for one walk


MANY = keyvalue("many", {"n": "bigint"}, {"v": "bigint"}, partitions=1)
ROWS = 4 * BATCH_ROWS


class SoundCursor(DamagedCursor):
    """An iterator over these keys; the row of each is the key itself."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        super().__init__()
        self._keys = sorted(keys)

    def seek(self, key: bytes, /) -> None:
        """Go to the first key that is not less."""
        self._at = bisect_left(self._keys, key)

    def key(self) -> bytes | None:
        """Return the key; None after the last."""
        return self._keys[self._at] if self._at < len(self._keys) else None

    def value(self) -> bytes:
        """Return the key as the row."""
        return self._keys[self._at]

    def status(self) -> None:
        """Raise no error."""


@pytest.mark.parametrize("order", Order)
def test_a_walk_that_ends_at_a_damaged_block_is_an_error(order: Order) -> None:
    """The walk itself raises none; the cursor that goes on from there does."""

    def walk(start: bytes, walked: Order) -> Iterator[Entry]:
        return iter([(b"\1", b"row")])

    reader = Reader(Attached({}, DamagedCursor(), walk))
    with pytest.raises(StoreError, match="cannot be read: Corruption"):
        list(reader.chunks(b"\0", b"\xff", order, first_rows=WALKED_ROWS_MIN))


@pytest.mark.parametrize("order", Order)
def test_a_long_read_stays_in_its_epoch(tmp_path: Path, order: Order) -> None:
    """The next epoch comes before the read begins, or in the middle of it."""
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
@pytest.mark.parametrize("suffix", [b"", b"\0"])
def test_walks_and_cursors_end_ranges_alike(
    tmp_path: Path, order: Order, first_rows: int, suffix: bytes
) -> None:
    """A range ends at a key, or just after one."""
    engine = RocksPartition(tmp_path, schema=MANY, partition=0)
    engine.apply(progress(0), [batch(MANY, [(n, 0) for n in range(3 * WALKED_ROWS_MIN)])])
    everything = [k for keys, _ in engine.view.data.chunks(DATA, DATA_END, order) for k in keys]
    assert len(everything) == 3 * WALKED_ROWS_MIN
    inner = sorted(everything)
    for low, high in ((0, 0), (0, 5), (5, WALKED_ROWS_MIN), (7, 2 * WALKED_ROWS_MIN + 7), (1, -1)):
        start, end = inner[low], inner[high] + suffix
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
def test_first_with_finds_the_first_entry_of_each_prefix(
    keys: set[bytes], prefixes: list[bytes]
) -> None:
    reader = Reader(Attached({}, SoundCursor(list(keys))))
    expected = [min((k for k in keys if k.startswith(p)), default=None) for p in prefixes]
    assert reader.first_with(prefixes) == [None if k is None else (k, k) for k in expected]

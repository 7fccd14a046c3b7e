"""Reads of one epoch: an iteration that a damaged disk ends early is an error, not an end."""

from __future__ import annotations

import pytest

from stores.errors import StoreError
from stores.query import Order
from stores.readers import Reader


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

"""Memory that allocators keep after a burst of work, such as a restore: it goes back to the system.

After a restore of 300,000 rows that is a quarter of a gateway's memory.
"""

from __future__ import annotations

import ctypes
from contextlib import suppress
from typing import Final, Protocol

import pyarrow as pa

BURST_BYTES: Final = 64 << 20
"""How much must have been allocated since the last time: giving memory back costs milliseconds."""
QUIET_BYTES: Final = 1 << 20
"""A look at which no more was allocated since the one before ends a burst."""


class Pool(Protocol):
    """The part of Arrow's memory pool that is used."""

    def total_bytes_allocated(self) -> int:
        """Return how many bytes were allocated so far."""

    def release_unused(self) -> None:
        """Give unused memory back to the system."""


class FreedMemory:
    """Gives freed memory back after each burst of allocations by Arrow, once it is over.

    Args:
        pool: Arrow's memory pool; None for the default one.
    """

    def __init__(self, pool: Pool | None = None) -> None:
        self._pool: Pool = pool or pa.default_memory_pool()
        self._seen = self._given_back = self._pool.total_bytes_allocated()

    def look(self) -> bool:
        """Give memory back if a burst has ended since the last look; return whether it did."""
        before, self._seen = self._seen, self._pool.total_bytes_allocated()
        is_quiet = self._seen - before <= QUIET_BYTES
        if not is_quiet or self._seen - self._given_back < BURST_BYTES:
            return False
        self._given_back = self._seen
        self._pool.release_unused()
        # Arrow's allocator is not that of RocksDB and Python. Only glibc's has this function.
        with suppress(AttributeError, OSError, TypeError):
            ctypes.CDLL(None).malloc_trim(0)
        return True

"""A file that libraries write to, and whose bytes are taken away meanwhile."""

from __future__ import annotations

import io
from typing import Any


class ByteSink(io.RawIOBase):
    """Collects written bytes until they are taken; positions count from the first byte ever."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[bytes] = []
        self._written = 0

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, data: Any, /) -> int:
        """Collect bytes."""
        part = bytes(data)
        self._parts.append(part)
        self._written += len(part)
        return len(part)

    def tell(self) -> int:
        """Return how many bytes were written in all."""
        return self._written

    def close(self) -> None:
        """Do nothing: a writer closes its file before the last bytes are taken."""

    def taken(self) -> bytes:
        """Return the bytes that were written since the last call."""
        parts, self._parts = self._parts, []
        return b"".join(parts)

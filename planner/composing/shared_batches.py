"""Batches that statements read again and again, each written once into memory that is shared.

A partition gives the same batch to each scan of an epoch, as long as its columns are kept. From the
second scan on the composing processes map it; before, each statement copied it through a socket.
For a batch that is sent once it would not pay: the kernel must find, clear and map all its pages.
"""

from __future__ import annotations

import fcntl
import os
import sys
import threading
import time
import weakref
from collections import OrderedDict
from typing import Final

import pyarrow as pa
from msgspec import Struct

BYTES_MAX: Final = 256 << 20
"""Memory of all shared batches: as much as kept columns have by default."""
COUNT_MAX: Final = 256
"""Shared batches; each holds an open file."""
BATCH_BYTES_MIN: Final = 32 << 10
"""Copying a smaller batch takes no longer than mapping it."""
_IDLE_S = 10.0
"""A batch that no statement has read for so long gives its place to another; with less, statements
over more than fits would push out each other's batches."""


class SharedBatch:
    """One batch, serialised in a file in memory that no one can change.

    Args:
        batch: the batch.

    Raises:
        OSError: there is no memory, or no file may be opened.
    """

    def __init__(self, batch: pa.RecordBatch) -> None:
        rest = memoryview(batch.serialize()).cast("B")
        self.size = len(rest)
        self._fd = os.memfd_create("stategate", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        try:
            while rest:
                rest = rest[os.write(self._fd, rest) :]
            seals = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
            fcntl.fcntl(self._fd, fcntl.F_ADD_SEALS, seals)
        except BaseException:
            os.close(self._fd)
            raise
        weakref.finalize(self, os.close, self._fd)

    def fileno(self) -> int:
        """Return its file descriptor, open as long as this object lives."""
        return self._fd


class _Seen(Struct):
    """A batch that a statement has sent."""

    alive: weakref.ref[pa.RecordBatch]
    shared: SharedBatch | None
    used_s: float


class SharedBatches:
    """The shared batches of an engine. Safe to use from many threads.

    A batch is shared as long as it lives, and there is room.
    """

    def __init__(self) -> None:
        self._seen: OrderedDict[int, _Seen] = OrderedDict()
        """By the id of the batch; the one that was used longest ago comes first."""
        self._lock = threading.RLock()  # garbage collection may take it again
        self._is_supported = sys.platform == "linux"

    @property
    def size_bytes(self) -> int:
        """The memory of all of them."""
        with self._lock:
            return sum(each.shared.size for each in self._seen.values() if each.shared)

    def find(self, batch: pa.RecordBatch) -> SharedBatch | None:
        """Return a batch in shared memory, from the second call on; None if it is to be copied."""
        key, now_s = id(batch), time.monotonic()
        with self._lock:
            seen = self._seen.get(key)
            if seen is None:
                if not (self._is_supported and BATCH_BYTES_MIN <= batch.nbytes <= BYTES_MAX):
                    return None
                alive = weakref.ref(batch, lambda _: self._forget(key))
                self._seen[key] = _Seen(alive, None, now_s)
                return None
            seen.used_s = now_s
            self._seen.move_to_end(key)
            if seen.shared is None and self._has_room(batch.nbytes, now_s):
                try:
                    seen.shared = SharedBatch(batch)
                except OSError:
                    return None
            return seen.shared

    def _forget(self, key: int) -> None:
        with self._lock:
            self._seen.pop(key, None)

    def _has_room(self, size: int, now_s: float) -> bool:
        """Drop batches that no one uses, as far as needed; return whether there is room."""
        held = [(key, each) for key, each in self._seen.items() if each.shared is not None]
        total = sum(each.shared.size for _, each in held if each.shared is not None)
        count = len(held)
        for _, each in held:
            if total + size <= BYTES_MAX and count < COUNT_MAX:
                return True
            if each.shared is None or now_s - each.used_s < _IDLE_S:
                break
            total, count, each.shared = total - each.shared.size, count - 1, None
        return total + size <= BYTES_MAX and count < COUNT_MAX

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


class _Held(Struct):
    """A batch in shared memory, and when it was last used."""

    shared: SharedBatch
    used_s: float


class SharedBatches:
    """The shared batches of an engine. Safe to use from many threads.

    A batch is shared as long as it lives, and there is room.

    Args:
        bytes_max: the memory of all of them.
    """

    def __init__(self, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self._seen: dict[int, weakref.ref[pa.RecordBatch]] = {}
        """The batches that a statement has sent, by their ids."""
        self._held: OrderedDict[int, _Held] = OrderedDict()
        """Those that are shared; the one that was used longest ago comes first."""
        self._size_bytes = 0
        self._lock = threading.RLock()  # garbage collection may take it again
        self._is_supported = sys.platform == "linux"

    @property
    def size_bytes(self) -> int:
        """The memory of all of them."""
        return self._size_bytes

    def find(self, batch: pa.RecordBatch) -> SharedBatch | None:
        """Return a batch in shared memory, from the second call on; None if it is to be copied."""
        key, now_s = id(batch), time.monotonic()
        with self._lock:
            held = self._held.get(key)
            if held is not None:
                held.used_s = now_s
                self._held.move_to_end(key)
                return held.shared
            if key not in self._seen:
                if self._is_supported and BATCH_BYTES_MIN <= batch.nbytes <= self._bytes_max:
                    self._seen[key] = weakref.ref(batch, lambda _: self._forget(key))
                return None
            if not self._has_room(batch.nbytes, now_s):
                return None
        try:
            shared = SharedBatch(batch)  # others go on meanwhile
        except OSError:
            return None
        with self._lock:
            held = self._held.setdefault(key, _Held(shared, now_s))
            if held.shared is shared:
                self._size_bytes += shared.size
            return held.shared

    def _forget(self, key: int) -> None:
        with self._lock:
            self._seen.pop(key, None)
            self._drop(key)

    def _drop(self, key: int) -> None:
        held = self._held.pop(key, None)
        if held is not None:
            self._size_bytes -= held.shared.size

    def _has_room(self, size: int, now_s: float) -> bool:
        """Drop batches that no one uses, as far as needed; return whether there is room."""
        while self._size_bytes + size > self._bytes_max or len(self._held) >= COUNT_MAX:
            oldest, held = next(iter(self._held.items()), (0, None))
            if held is None or now_s - held.used_s < _IDLE_S:
                return False
            self._drop(oldest)
        return True

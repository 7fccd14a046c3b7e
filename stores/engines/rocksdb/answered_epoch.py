"""The newest epoch that a partition has answered at, in a file that outlives a killed process.

After a crash, a database without a write-ahead log may be older than the answers it has given. As a
rule the log brings it forward again before it answers. If the log can no longer be read, this file
tells whether the database is as new as its answers were, or older.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path

from stores.errors import StoreError

_EPOCH = struct.Struct("<q")
NEVER = -1
"""The database has answered nothing yet."""


class AnsweredEpoch:
    """One number in a file. Written by the one thread that applies; it costs a microsecond.

    It is not synchronised to the disk: it outlives the process, but after a loss of power it may be
    some seconds old.

    Args:
        path: of the file.
        applied: the newest epoch of the database. If the file is missing, the database was made by
            a version without it, and counts as having answered at this epoch.

    Raises:
        StoreError: the file cannot be read or written.
    """

    __slots__ = ("_handle", "_is_live", "_path", "epoch")

    def __init__(self, path: Path, *, applied: int) -> None:
        self._path = path
        self._is_live = False
        try:
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise StoreError(f"cannot open {path}: {error}") from error
        try:
            found = os.pread(self._handle, _EPOCH.size, 0)
            self.epoch: int = _EPOCH.unpack(found)[0] if len(found) == _EPOCH.size else applied
            """`NEVER` before the first answer."""
            self._set(self.epoch)
        except (OSError, StoreError) as error:
            self.close()
            raise StoreError(f"cannot read {path}: {error}") from error

    def begin(self, epoch: int) -> None:
        """Start to count each epoch as answered, beginning with this one."""
        self._set(epoch)
        self._is_live = True

    def pause(self) -> None:
        """Stop counting epochs as answered until `begin`, even if more are applied."""
        self._is_live = False

    def advance(self, epoch: int) -> None:
        """Note that an epoch is about to be shown.

        Raises:
            StoreError: the file cannot be written; the epoch must not be shown.
        """
        if self._is_live:
            self._set(epoch)

    def forget(self) -> None:
        """Start over, because the database has another content now."""
        self._set(NEVER)

    def close(self) -> None:
        """Release the file. Closing twice is closing once."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def _set(self, epoch: int) -> None:
        try:
            os.pwrite(self._handle, _EPOCH.pack(epoch), 0)
        except OSError as error:
            raise StoreError(f"cannot write {self._path}: {error}") from error
        self.epoch = epoch

"""The newest epoch that a partition has answered at, kept where a killed process leaves it.

A database without a write-ahead log may be found behind what was answered from it. As a rule the
log brings it back there before it answers again; where the log cannot be read any more, this tells
whether what it has is what was answered, or something older.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path

from stores.errors import StoreError

_EPOCH = struct.Struct("<q")
NEVER = -1
"""Nothing has been answered from the database."""


class AnsweredMark:
    """One number in a file. Written by the one thread that applies; it costs a microsecond.

    It is not synchronised to the disk: it outlives the process, though not always the machine's
    power, after which it may be some seconds old.

    Args:
        path: of the file.
        applied: the newest epoch of the database, which has been answered at if the file is not
            there: the database is older than this file, then.

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
            """`NEVER` before the first."""
            self._set(self.epoch)
        except (OSError, StoreError) as error:
            self.close()
            raise StoreError(f"cannot read {path}: {error}") from error

    def begin(self, epoch: int) -> None:
        """From now on each epoch is answered at, beginning with this one."""
        self._set(epoch)
        self._is_live = True

    def pause(self) -> None:
        """Nothing is answered until `begin`, whatever is applied meanwhile."""
        self._is_live = False

    def advance(self, epoch: int) -> None:
        """An epoch is about to be shown.

        Raises:
            StoreError: the file cannot be written; the epoch must not be shown.
        """
        if self._is_live:
            self._set(epoch)

    def forget(self) -> None:
        """The database is of something else now."""
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
